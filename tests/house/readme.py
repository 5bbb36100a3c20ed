# SPDX-License-Identifier: Apache-2.0
"""README.md's C++ is compiled and tested: readme.py ROOT

Each of its C++ blocks follows a line `<!-- from: FILE -->`, FILE in examples/, and is made of lines
of that file: its paragraphs are runs of lines there, in that order, wherever they are indented to,
and its includes of libscan and of the applications are all that FILE has. House_headers compiles
such a file alone, and a test in tests/examples runs it.
"""
import pathlib
import re
import sys
import textwrap

import tree

PAGE = "README.md"
TESTS = "tests/examples"
BLOCK = re.compile(r"^```(?:cpp|c\+\+|cuda)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SOURCE = re.compile(r"<!-- from: (examples/\S+) -->\n$")
INCLUDE = re.compile(r"^#include.*\n", re.MULTILINE)
OWN = re.compile(r"^#include <(?:libscan|apps)/.*>$", re.MULTILINE)


def paragraphs(text):
    """Runs of lines without an empty one, includes left out, each moved to the left."""
    parts = re.split(r"\n\s*\n", INCLUDE.sub("", text))
    return [textwrap.dedent(part).strip("\n") for part in parts if part.strip()]


def place_in(lines, paragraph, start):
    """The line behind the paragraph's first place in `lines`, from line `start` on; or None."""
    wanted = paragraph.split("\n")
    for i in range(start, len(lines) - len(wanted) + 1):
        found = textwrap.dedent("\n".join(lines[i:i + len(wanted)]))
        if found.split("\n") == wanted:
            return i + len(wanted)
    return None


def differences(block, text):
    """What of a block is not so in its file."""
    lines, at = text.split("\n"), 0
    for paragraph in paragraphs(block):
        behind = place_in(lines, paragraph, at)
        if behind is None:
            yield f"no such lines: {paragraph.splitlines()[0]} ..."
        else:
            at = behind
    for line in INCLUDE.findall(block):
        if line not in text:
            yield f"does not include what the page does: {line.strip()}"
    for line in OWN.findall(text):
        if line not in block:
            yield f"compiled with what the page does not show: {line}"


def check(root):
    """Complaints about the README of the tree at `root`."""
    root = pathlib.Path(root)
    page = (root / PAGE).read_text()
    tests = "".join((root / path).read_text() for path in
                    tree.sources(root, f"{TESTS}/*.cpp", f"{TESTS}/CMakeLists.txt"))
    complaints = []
    for block in BLOCK.finditer(page):
        line = page.count("\n", 0, block.start()) + 1
        source = SOURCE.search(page[:block.start()])
        if not source:
            complaints.append(f"{PAGE}:{line}: code without `<!-- from: examples/... -->` above it")
        elif not (root / source.group(1)).is_file():
            complaints.append(f"{PAGE}:{line}: {source.group(1)}: no such file")
        else:
            path = source.group(1)
            complaints += [f"{PAGE}:{line}: {path}: {what}"
                           for what in differences(block.group(1), (root / path).read_text())]
            if path not in tests:
                complaints.append(f"{PAGE}:{line}: {path} is in no test of {TESTS}")
    return complaints


def self_test():
    """Each planted difference is found; the tree without them is silent."""
    example = "examples/facade/a.hpp"
    page = (f"# Title\n\n<!-- from: {example} -->\n```cpp\n#include <libscan/libscan.hpp>\n\n"
            "f(1);\nif (x) {\n  g(2);\n}\n\nh(3);\n```\n")
    text = ("#include <libscan/libscan.hpp>\n#include <vector>\n\nvoid a() {\n  f(1);\n  if (x) {\n"
            "    g(2);\n  }\n  b();\n  h(3);\n}\n")
    good = {PAGE: page, example: text, f"{TESTS}/a_test.cpp": f"#include <{example}>\n"}
    assert tree.found_in(check, good) == [], tree.found_in(check, good)
    planted = [
        # what is found, file, text, and the text in its place
        ("no such lines: f(1)", PAGE, "g(2)", "g(4)"),
        ("no such lines: f(1)", PAGE, "  g(2)", "g(2)"),
        ("no such lines: f(1)", PAGE, "}\n\nh", "}\nh"),
        ("no such lines: h(3)", example, "  b();\n  h(3);\n", ""),
        ("no such lines: f(1)", PAGE, "h(3);\n", "h(3);\n\nf(1);\n"),
        ("does not include", PAGE, "hpp>\n", "hpp>\n#include <map>\n"),
        ("does not show", PAGE, "#include <libscan/libscan.hpp>\n\n", ""),
        ("does not show", example, "#include <vec", "#include <apps/a.hpp>\n#include <vec"),
        ("code without", PAGE, f"<!-- from: {example} -->\n", ""),
        ("code without", PAGE, "from: examples", "from: tests"),
        ("no such file", PAGE, "a.hpp", "gone.hpp"),
        ("is in no test", f"{TESTS}/a_test.cpp", "a.hpp", "c.hpp"),
    ]
    for complaint, path, old, new in planted:
        assert old in good[path], old
        found = tree.found_in(check, good | {path: good[path].replace(old, new)})
        assert any(complaint in text for text in found), (complaint, found)


if __name__ == "__main__":
    sys.exit(tree.main(check, self_test))
