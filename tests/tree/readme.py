# SPDX-License-Identifier: Apache-2.0
"""README.md, docs/tour.md, docs/operators.md and docs/distributed.md show code that is tested, and links lead somewhere:
readme.py ROOT

Each block of C++ or CMake follows a line `<!-- from: FILE -->`, FILE in examples/, and is made of lines
of that file: its paragraphs are runs of lines there, in that order, at any indentation, and its
includes of libscan and of the applications are all that FILE has. House_headers compiles such a file,
and a test in tests/examples runs it.

A table after `<!-- calls from: FILE ... -->` has code in its second column, which is made of text of these
files of tests/examples, at any spacing. Names of programs are none.

README.md has at most README_LINES lines. Each row of docs/benchmarks in which libscan loses is in a list
of losses of the same record. That is read from the tables, not from the records.

Links of every page to files and headings of the repository lead there.
"""
import pathlib
import re
import sys
import textwrap

import tree

PAGE, TOUR = "README.md", "docs/tour.md"
QUOTING = (PAGE, TOUR, "docs/operators.md", "docs/distributed.md")
README_LINES = 150
TESTS = "tests/examples"
BLOCK = re.compile(r"^```(?:cpp|c\+\+|cuda|cmake)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SOURCE = re.compile(r"<!-- from: (examples/\S+) -->\n$")
INCLUDE = re.compile(r"^#include.*\n", re.MULTILINE)
OWN = re.compile(r"^#include <(?:libscan|apps)/.*>$", re.MULTILINE)

CALLS = re.compile(r"^<!-- calls from: (.*) -->\n((?:\|.*\n)*)", re.MULTILINE)
PAGES = ("*.md", "docs/**/*.md", "bench/*.md", "data/*.md", "tests/**/*.md", "libscan/**/*.md")
TABLE = re.compile(r"^<!-- record: \w+(?: (?!of )(\w+))?.*?-->\n(.*?)^<!-- end -->",
                   re.DOTALL | re.MULTILINE)
RECORD = re.compile(r"bench/records/([\w.-]+\.json)")
LOST = re.compile(r"\((0\.\d\dx)\)")
CASE = re.compile(r": (0\.\d\dx[^;|]*)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)")


def paragraphs(text):
    """Runs of lines without an empty one, includes left out, each moved to the left."""
    parts = re.split(r"\n\s*\n", INCLUDE.sub("", text))
    return [textwrap.dedent(part).strip("\n") for part in parts if part.strip()]


def place_in(lines, paragraph, start):
    """The line after the paragraph's first place in `lines`, from line `start` on; or None."""
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
        end = place_in(lines, paragraph, at)
        if end is None:
            yield f"no such lines: {paragraph.splitlines()[0]} ..."
        else:
            at = end
    for line in INCLUDE.findall(block):
        if line not in text:
            yield f"does not include what the page does: {line.strip()}"
    for line in OWN.findall(text):
        if line not in block:
            yield f"compiled with what the page does not show: {line}"


def cells_of(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def lost_rows(table):
    """(title, what its line in a list of losses says) of the rows with a ratio below 1.00x."""
    head = []
    for line in table.split("\n"):
        if not line.startswith("|"):
            head = []
        elif not head:
            head = cells_of(line)
        else:
            cells = cells_of(line)
            lost = [(size, LOST.search(cell)) for size, cell in zip(head, cells)]
            shown = [ratio[1] + (f" at {size}" if size != "us" else "")
                    for size, ratio in lost if ratio]
            if shown:
                yield cells[0], ", ".join(shown)


def check_losses(root):
    """Complaints about rows that no list of losses has, and about lists that have more."""
    measured, lists = [], []
    for path in tree.sources(root, PAGE, "docs/benchmarks/*.md"):
        for kind, table in TABLE.findall((root / path).read_text()):
            records = set(RECORD.findall(table))
            if kind == "losses":
                lines = [(set(re.findall(r"[^\s,;:|]+", line)), CASE.findall(line))
                         for line in table.split("\n") if line.startswith("|")]
                lists.append((path, records, [(words, shown.strip()) for words, all_cases in lines
                                              for shown in all_cases]))
            elif kind not in ("headline", "tally", "scaling"):  # which has gains, not competitors
                measured += [(path, records, *row) for row in lost_rows(table)]
    for path, records, title, shown in measured:
        words = set(re.findall(r"[^\s,;:|]+", title))
        listed = [cases for _, of, cases in lists if records <= of]
        if not any(words <= line and case == shown for cases in listed for line, case in cases):
            yield f"{path}: {title}: {shown}, which no list of losses says"
    for path, of, cases in lists:
        rows = sum(records <= of for _, records, _, _ in measured)
        if rows != len(cases):
            yield (f"{path}: {len(cases)} losses listed, and {rows} in the tables of "
                   f"{', '.join(sorted(of))}")


def headings(page):
    """The anchors of a page's headings."""
    page = re.sub(r"^```.*?^```$", "", page, flags=re.DOTALL | re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
            for title in re.findall(r"^#+ (.*)$", page, re.MULTILINE)}


def check_calls(root):
    """Complaints about calls in tables that are not in the tests they name."""
    for path in tree.sources(root, *PAGES):
        page = (root / path).read_text()
        for table in CALLS.finditer(page):
            files = table[1].split()
            missing = [name for name in files if not (root / name).is_file() or not name.startswith(TESTS)]
            yield from (f"{path}: {name}: no such file of {TESTS}" for name in missing)
            text = "" if missing else "".join("".join((root / name).read_text().split()) for name in files)
            rows = [] if missing else table[2].strip().split("\n")[2:]
            for row in rows:
                for code in re.findall(r"`([^`]*)`", re.split(r" \| ", row.strip("| "))[1]):
                    if "".join(code.split()) not in text and not code.startswith("scan-"):
                        yield f"{path}: {code}: in no test that the table names"


def check_links(root):
    """Complaints about links to files and headings that are not there."""
    for path in tree.sources(root, *PAGES):
        page = (root / path).read_text()
        for target, heading in LINK.findall(CODE.sub("", page)):
            place = (root / path.parent / target) if target else root / path
            if not place.exists():
                yield f"{path}: {target}: no such file"
            elif heading and place.suffix == ".md" and heading not in headings(place.read_text()):
                yield f"{path}: {target}#{heading}: no such heading"


def check(root):
    """Complaints about README.md and the other pages of the tree at `root`."""
    root = pathlib.Path(root)
    tests = "".join((root / path).read_text() for path in
                    tree.sources(root, f"{TESTS}/*.cpp", f"{TESTS}/CMakeLists.txt"))
    complaints = [*check_losses(root), *check_calls(root), *check_links(root)]
    for name in tree.sources(root, *QUOTING):
        page = (root / name).read_text()
        if name == pathlib.Path(PAGE) and page.count("\n") > README_LINES:
            complaints.append(f"{name}: more than {README_LINES} lines")
        for block in BLOCK.finditer(page):
            place = f"{name}:{page.count(chr(10), 0, block.start()) + 1}"
            source = SOURCE.search(page[:block.start()])
            if not source:
                complaints.append(f"{place}: code without `<!-- from: examples/... -->` above it")
            elif not (root / source.group(1)).is_file():
                complaints.append(f"{place}: {source.group(1)}: no such file")
            else:
                path = source.group(1)
                complaints += [f"{place}: {path}: {what}"
                               for what in differences(block.group(1), (root / path).read_text())]
                if path not in tests and not path.endswith("CMakeLists.txt"):  # consume.cmake builds it
                    complaints.append(f"{place}: {path} is in no test of {TESTS}")
    return complaints


def self_test():
    """Each planted difference is found; the tree without them is silent."""
    example = "examples/host/a.hpp"
    page = (f"# Title\n\n<!-- from: {example} -->\n```cpp\n#include <libscan/libscan.hpp>\n\n"
            "f(1);\nif (x) {\n  g(2);\n}\n\nh(3);\n```\n[there](docs/benchmarks/a.md#rows)\n"
            "<!-- record: cuda losses -->\n[a](bench/records/a.json): 2\n\n"
            "| operation | b |\n|---|---|\n"
            "| sort | u32: 0.99x at 2^4, 0.50x at 2^8; i8: 0.98x at 2^4 |\n<!-- end -->\n")
    measured = ("## Rows\n<!-- record: cuda of a -->\n[a](../../bench/records/a.json)\n\n"
                "| operation, us | 2^4 | 2^8 | competitor |\n|---|---|---|---|\n"
                "| sort, u32 | 1 (0.99x) | "
                "1 (0.50x) | b |\n| sort, i8 | 1 (0.98x) | 1 (10.99x) | b |\n<!-- end -->\n")
    text = ("#include <libscan/libscan.hpp>\n#include <vector>\n\nvoid a() {\n  f(1);\n  if (x) {\n"
            "    g(2);\n  }\n  b();\n  h(3);\n}\n")
    pages = {"docs/benchmarks/a.md": measured, "bench/records/a.json": "{}"}
    tour = f"<!-- from: {example} -->\n```cpp\n#include <libscan/libscan.hpp>\n\nh(3);\n```\n"
    names = (f"<!-- calls from: {TESTS}/b_test.cpp -->\n| a | b | c |\n|---|---|---|\n"
             "| `x(1)` | `f(a, b)`, `scan-x`; `g` | `x` |\n")
    pages["docs/names.md"] = names
    pages[f"{TESTS}/b_test.cpp"] = "f(a,\n  b);\ng(x);\n"
    good = pages | {PAGE: page, TOUR: tour, example: text, f"{TESTS}/a_test.cpp": f"#include <{example}>\n"}
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
        ("0.50x at 2^8, which no list", PAGE, ", 0.50x at 2^8", ""),
        ("sort, i8: 0.98x at 2^4, which no list", PAGE, "; i8: 0.98x at 2^4", ""),
        ("1 losses listed, and 2", PAGE, "; i8: 0.98x at 2^4", ""),
        ("2 losses listed, and 1", "docs/benchmarks/a.md", "1 (0.98x)", "1 (1.00x)"),
        ("which no list", PAGE, "cuda losses", "cuda tally"),
        ("no such file", PAGE, "docs/benchmarks/a.md#", "docs/benchmarks/b.md#"),
        ("no such heading", "docs/benchmarks/a.md", "## Rows", "## Columns"),
        ("more than 150 lines", PAGE, "# Title\n", "# Title\n" + "\n" * 150),
        ("docs/tour.md:2: examples/host/a.hpp: no such lines", TOUR, "h(3)", "h(4)"),
        ("is in no test", f"{TESTS}/a_test.cpp", "a.hpp", "c.hpp"),
        ("h: in no test", "docs/names.md", "`g`", "`h`"),
        ("f(a, c): in no test", "docs/names.md", "f(a, b)", "f(a, c)"),
        ("no such file of", "docs/names.md", "b_test", "c_test"),
    ]
    for complaint, path, old, new in planted:
        assert old in good[path], old
        found = tree.found_in(check, good | {path: good[path].replace(old, new)})
        assert any(complaint in text for text in found), (complaint, found)


if __name__ == "__main__":
    sys.exit(tree.main(check, self_test))
