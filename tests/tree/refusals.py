# SPDX-License-Identifier: Apache-2.0
"""Calls that cannot work are refused in words: refusals.py ROOT COMPILER SOURCE...

A source is a prelude and sections. A line "// refused: WORDS" begins one that must not compile, for
a reason in which the compiler says WORDS; "// taken" one that must. Each is compiled by itself, after
the prelude, which is precompiled.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tree

FLAGS = ["-std=c++20", "-Wno-unknown-pragmas"]
SECTION = re.compile(r"^// (?:refused: (?P<words>.+)|taken)$\n", re.MULTILINE)


def sections(source):
    """The prelude, and (words or None, line of the section, text) of each section."""
    text = source.read_text()
    marks = list(SECTION.finditer(text))
    if not marks:
        sys.exit(f"{source}: no sections")
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return text[:marks[0].start()], [(mark["words"], text.count("\n", 0, mark.start()) + 1, text[mark.end():end])
                                     for mark, end in zip(marks, ends)]


def compiled(command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)


def precompiled(command, folder, source, prelude):
    """Options that include the prelude of a source. Exits if it does not compile."""
    header = folder / f"{source.stem}.hpp"
    header.write_text(prelude)
    result = compiled([*command, "-x", "c++-header", header, "-o", f"{header}.gch"])
    if result.returncode != 0:
        sys.exit(f"what the sections of {source} begin with does not compile:\n{result.stdout}")
    return ["-include", header]


def complaint(command, name, words, path):
    """What is wrong with one section; None if nothing is."""
    result = compiled([*command, "-fsyntax-only", "-x", "c++", path])
    if words is None:
        return None if result.returncode == 0 else f"{name} does not compile:\n{result.stdout}"
    if result.returncode == 0:
        return f"{name} compiles; expected to be refused: {words}"
    if words not in result.stdout:
        return f"{name} is refused without the words '{words}':\n{result.stdout}"
    return None


def main():
    root, compiler, *sources = sys.argv[1:]
    command = [compiler, *FLAGS, *tree.include_options(root)]
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder, jobs = pathlib.Path(name), []
        for source in map(pathlib.Path, sources):
            prelude, parts = sections(source)
            with_prelude = [*command, *precompiled(command, folder, source, prelude)]
            for words, line, text in parts:
                path = folder / f"{source.stem}_{line}.cpp"
                path.write_text(text)
                jobs.append((with_prelude, f"{source.name}:{line}", words, path))
        wrong = [text for text in pool.map(lambda job: complaint(*job), jobs) if text]
    print(*wrong, f"{len(jobs)} sections, {len(wrong)} wrong", sep="\n")
    return 1 if wrong or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
