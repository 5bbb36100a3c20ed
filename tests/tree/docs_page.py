# SPDX-License-Identifier: Apache-2.0
"""docs/collectives.md shows what the tests run: docs_page.py ROOT

Each of its code blocks follows a line `<!-- from: FILE -->` and is a run of lines of that file. Each
kernel of examples/kernels is at most 15 lines long, whole on the page, and launched by
tests/examples. The numbers of its tables are those that tests/examples/costs_test.cpp counts.
"""
import pathlib
import re
import sys

import tree

PAGE = "docs/collectives.md"
COSTS = "tests/examples/costs_test.cpp"
KERNEL_LINES = 15

BLOCK = re.compile(r"^```cpp\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SOURCE = re.compile(r"<!-- from: (\S+) -->\n$")
# From the template's head, or the struct's, to the brace in the first column.
KERNEL = re.compile(r"^(?:template[^\n]*\n)?"
                    r"(?:struct (\w+_kernel)\b|[^\n/]*__global__[^\n]* (\w+)\().*?^\}",
                    re.DOTALL | re.MULTILINE)
COST = re.compile(r"""_costs<[^;"]*>\(\s*"([^"]+)",\s*(\d+(?:,\s*\d+)*)""")
LINK = re.compile(r"\]\((?!http)([^)#]*)(?:#([^)]*))?\)")


def is_quoted(block, text):
    """Whether the block is a run of whole lines of the text."""
    return f"\n{block}" in f"\n{text}"


def check_blocks(root, page):
    """Complaints about code that is not what its file says; and all that is quoted."""
    complaints, quoted = [], ""
    for block in BLOCK.finditer(page):
        line = page.count("\n", 0, block.start()) + 1
        source = SOURCE.search(page[:block.start()])
        if not source:
            complaints.append(f"{PAGE}:{line}: code without `<!-- from: FILE -->` above it")
        elif not (root / source.group(1)).is_file():
            complaints.append(f"{PAGE}:{line}: {source.group(1)}: no such file")
        elif not is_quoted(block.group(1), (root / source.group(1)).read_text()):
            complaints.append(f"{PAGE}:{line}: differs from {source.group(1)}")
        else:
            quoted += block.group(1) + "\n"
    return complaints, quoted


def check_kernels(root, quoted):
    """Complaints about kernels that are too long, not shown, or not tested."""
    tests = "".join((root / path).read_text()
                    for path in tree.sources(root, "tests/examples/*.cpp"))
    for path in tree.sources(root, "examples/kernels/*.cuh"):
        text = (root / path).read_text()
        for kernel in KERNEL.finditer(text):
            name = kernel.group(1) or kernel.group(2)
            place = f"{path}:{text.count(chr(10), 0, kernel.start()) + 1}"
            lines = kernel.group().count("\n") + 1
            if lines > KERNEL_LINES:
                yield f"{place}: {name} has {lines} lines, not {KERNEL_LINES} at most"
            if not is_quoted(kernel.group(), quoted):
                yield f"{place}: {name} is not on {PAGE}"
            if not re.search(rf"\b{name}\b", tests):
                yield f"{place}: {name} is in no test"


def check_costs(root, page):
    """Complaints about rows of numbers that no one counted, and counts without a row."""
    counted = {name: [int(n) for n in numbers.split(",")]
               for name, numbers in COST.findall((root / COSTS).read_text())}
    for i, line in enumerate(page.split("\n"), 1):
        cells = [cell.strip().replace("`", "") for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|") or not cells[-1].isdecimal():
            continue
        name = next((cell for cell in cells if cell in counted), None)
        if name is None:
            yield f"{PAGE}:{i}: costs that {COSTS} does not count"
            continue
        numbers = counted.pop(name)
        shown = [int(cell) for cell in cells if cell.isdecimal()]
        if shown != numbers:
            yield f"{PAGE}:{i}: {name} costs {numbers}, not {shown}"
    for name in counted:
        yield f"{COSTS}: {name} has no row on {PAGE}"


def check_links(root, page):
    """Complaints about links to files and headings that are not there."""
    headings = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
                for title in re.findall(r"^#+ (.*)$", page, re.MULTILINE)}
    for target, heading in LINK.findall(BLOCK.sub("", page)):
        if target and not (root / PAGE).parent.joinpath(target).exists():
            yield f"{PAGE}: {target}: no such file"
        if heading and not target and heading not in headings:
            yield f"{PAGE}: #{heading}: no such heading"


def check(root):
    """Complaints about the page of the tree at `root`."""
    root = pathlib.Path(root)
    page = (root / PAGE).read_text()
    complaints, quoted = check_blocks(root, page)
    complaints += check_kernels(root, quoted)
    complaints += check_costs(root, page)
    complaints += check_links(root, page)
    return complaints


def self_test():
    """Each planted difference is found; the tree without them is silent."""
    kernel = "template <class T>\nstruct a_kernel {\n  int f() {\n    return 1;\n  }\n};\n"
    launched = "__global__ void b_kernel(int n) {\n  f(n);\n}\n"
    example = "examples/kernels/a.cuh"
    row = "| scan | `block::scan` | 2 | 32 |\n"
    page = (f"# Title\n\n## A part\n[part](#a-part) [file](../{example})\n\n"
            f"<!-- from: {example} -->\n```cpp\n{kernel}\n{launched}```\n\n"
            f"| what | call | barriers | bytes |\n|---|---|---|---|\n{row}")
    cost = 'block_costs<x<int>>("block::scan", 2,\n    32, [](auto& shared) {});\n'
    good = {example: f"#pragma once\n\n{kernel}\n{launched}\nint x;\n", PAGE: page, COSTS: cost,
            "tests/examples/a_test.cpp": "launch<a_kernel<int>>(); b_kernel<<<1, 1>>>();\n"}
    assert tree.found_in(check, good) == [], tree.found_in(check, good)
    longer = kernel.replace("1;\n", "1;\n" + "    f();\n" * 10)
    planted = [
        # what is found, file, text, and the text in its place
        ("differs", PAGE, "return 1", "return 2"),
        ("differs", PAGE, "```cpp\ntemplate", "```cpp\n template"),
        ("differs", PAGE, "  }\n};\n\n__global__", "  }\n};\n__global__"),
        ("without", PAGE, f"<!-- from: {example} -->\n", "\n"),
        ("no such file", PAGE, f"from: {example}", "from: gone.cuh"),
        ("no such file", PAGE, f"../{example}", "../gone.cuh"),
        ("no such heading", PAGE, "#a-part", "#gone"),
        ("is not on", PAGE, f"{kernel}\n", ""),
        ("is in no test", "tests/examples/a_test.cpp", "a_kernel", "c_kernel"),
        ("is in no test", "tests/examples/a_test.cpp", "b_kernel", "c_kernel"),
        ("not [3, 32]", PAGE, "| 2 |", "| 3 |"),
        ("does not count", PAGE, row, row + row.replace("scan`", "split`")),
        ("has no row", PAGE, row, ""),
    ]
    for complaint, path, old, new in planted:
        assert old in good[path], old
        found = tree.found_in(check, good | {path: good[path].replace(old, new)})
        assert any(complaint in text for text in found), (complaint, found)
    found = tree.found_in(check, {path: text.replace(kernel, longer)
                                  for path, text in good.items()})
    assert len(found) == 1 and "has 16 lines" in found[0], found


if __name__ == "__main__":
    sys.exit(tree.main(check, self_test))
