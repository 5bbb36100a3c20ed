# SPDX-License-Identifier: Apache-2.0
"""Calls that cannot work are refused in words: refusals.py ROOT COMPILER SOURCE...

A source is a prelude and sections. A line "// refused: WORDS" begins one that must not compile, for
a reason in which the compiler says WORDS; "// taken" one that must. Each is compiled by itself.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tree

FLAGS = ["-std=c++20", "-fsyntax-only", "-Wno-unknown-pragmas", "-x", "c++"]
SECTION = re.compile(r"^// (?:refused: (?P<words>.+)|taken)$\n", re.MULTILINE)


def sections(source):
    """(words or None, line of the section, text to compile) of each."""
    text = source.read_text()
    marks = list(SECTION.finditer(text))
    if not marks:
        sys.exit(f"{source}: no sections")
    prelude = text[:marks[0].start()]
    for mark, end in zip(marks, [*(m.start() for m in marks[1:]), len(text)]):
        yield mark["words"], text.count("\n", 0, mark.start()) + 1, prelude + text[mark.end():end]


def complaint(root, compiler, name, words, text):
    """What is wrong with one section; None if nothing is."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "section.cpp")
        path.write_text(text)
        result = subprocess.run([compiler, *FLAGS, *tree.include_options(root), path], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if words is None:
        return None if result.returncode == 0 else f"{name} does not compile:\n{result.stdout}"
    if result.returncode == 0:
        return f"{name} compiles; expected to be refused: {words}"
    if words not in result.stdout:
        return f"{name} is refused without the words '{words}':\n{result.stdout}"
    return None


def main():
    root, compiler, *sources = sys.argv[1:]
    jobs = [(f"{pathlib.Path(source).name}:{line}", words, text)
            for source in sources for words, line, text in sections(pathlib.Path(source))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [text for text in pool.map(lambda job: complaint(root, compiler, *job), jobs) if text]
    print(*wrong, f"{len(jobs)} sections, {len(wrong)} wrong", sep="\n")
    return 1 if wrong or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
