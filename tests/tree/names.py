# SPDX-License-Identifier: Apache-2.0
"""Comments name what exists: names.py ROOT

In comments of C++ and CUDA, a name of a source file is that of a file of the repository, or of a header
that some file includes. An identifier in `backticks` occurs in code, which is all text except comments
and pages. In pages, only names of files are checked; the
CHANGELOG may name files of the past.
"""
import pathlib
import re
import sys

import tree

CPP_SUFFIXES = {".hpp", ".cpp", ".cuh", ".cu", ".h"}
CODE_SUFFIXES = CPP_SUFFIXES | {".py", ".txt", ".cmake", ".json", ".toml", ".in", ".sh", ""}
FOLDERS = ("apps", "bench", "docs", "examples", "libscan", "script", "tests")
# Comments, and what looks like one within literals.
TOKENS = re.compile(r'(//[^\n]*|/\*.*?\*/)|R"(\w*)\(.*?\)\2"|"(?:\\.|[^"\\\n])*"', re.DOTALL)
COMMENTS = re.compile(r'(?:^[ \t]*//[^\n]*\n)+|//[^\n]*|/\*.*?\*/', re.DOTALL | re.MULTILINE)
MARKS = re.compile(r"^[ \t]*//[/!]?<?", re.MULTILINE)
FILE = re.compile(r"(?<![\w*<>{])[\w/-]*\w\.(?:hpp|cpp|cuh|cu|md)\b(?![(*])")
QUOTED = re.compile(r"`([^`]+)`")
INCLUDED = re.compile(r"#\s*include\s*[<\"]([^>\"]+)")
IDENTIFIER = re.compile(r"[A-Za-z_]\w*[A-Za-z0-9]\b")
# Examples in texts.
NOT_FILES = {"bugs.cu", "file.cpp"}


def lines_of(pattern, text):
    """(line, what is found) of each match."""
    for found in pattern.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, found[0]


def check(root):
    """Complaints about the tree at `root`."""
    root = pathlib.Path(root)
    paths = tree.sources(root, "*.md", *(f"{folder}/**/*" for folder in FOLDERS))
    files = {path.name for path in paths} | NOT_FILES
    texts, words = {}, set()
    for path in paths:
        if path.name == "CHANGELOG.md" or path.suffix not in CODE_SUFFIXES | {".md"}:
            continue
        texts[path] = text = (root / path).read_text(errors="replace")
        if path.suffix in CPP_SUFFIXES:
            files.update(name.split("/")[-1] for name in INCLUDED.findall(text))
            text = TOKENS.sub(lambda found: " " if found[1] else found[0], text)
        if path.suffix != ".md":
            words.update(re.findall(r"\w+", text))
    complaints = []
    for path, text in texts.items():
        if path.suffix == ".md":
            comments = [(1, text)]
        elif path.suffix in CPP_SUFFIXES:
            comments = [(line, MARKS.sub(" ", found)) for line, found in lines_of(COMMENTS, text)]
        else:
            continue
        for first, comment in comments:
            complaints += [f"{path}:{first + line - 1}: {name}: no such file"
                           for line, name in lines_of(FILE, comment)
                           if name.split("/")[-1] not in files]
            if path.suffix != ".md":
                complaints += [f"{path}:{first + line - 1}: {name}: no code has this name"
                               for line, quoted in lines_of(QUOTED, comment)
                               for name in IDENTIFIER.findall(quoted) if name not in words]
    return complaints


def self_test():
    """Each planted name that does not exist is found, and nothing else."""
    good = {"libscan/scan.hpp": "#include <hwy/highway.h>\n// As `other`, of sum.hpp and\n// `other2`.\nint scan;\n",
            "libscan/sum.hpp": '/// See highway.h and libscan/scan.hpp. `scan(x)`\nauto other = "`text`"; int x, other2;\n',
            "docs/a.md": "See `scan.hpp`, and `gone`.\n"}
    assert tree.found_in(check, good) == [], tree.found_in(check, good)
    planted = [("libscan/scan.hpp:2: gone.hpp", "libscan/scan.hpp", "sum.hpp", "gone.hpp"),
               ("libscan/scan.hpp:3: gone", "libscan/scan.hpp", "`other2`", "`gone`"),
               ("libscan/sum.hpp:1: sam", "libscan/sum.hpp", "`scan(x)`", "`sam(x)`"),
               ("docs/a.md:1: gone.hpp", "docs/a.md", "scan.hpp", "gone.hpp")]
    for complaint, path, old, new in planted:
        assert old in good[path], old
        found = tree.found_in(check, good | {path: good[path].replace(old, new, 1)})
        assert len(found) == 1 and found[0].startswith(complaint), (complaint, found)


if __name__ == "__main__":
    sys.exit(tree.main(check, self_test))
