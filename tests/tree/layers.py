# SPDX-License-Identifier: Apache-2.0
"""No include goes up a floor: layers.py ROOT

A room includes itself and rooms below it; see CONTRIBUTING.md for the floors.
"""
import pathlib
import re
import sys

import tree

LIBRARY = ["core", "reference", "simt", "warp", "block", "cpu", "device", "host API"]

# The rooms each room may include from, besides itself.
BELOW = {
    "core": [],
    "simt": ["core"],
    "reference": ["core"],
    "warp": ["core", "simt"],
    "block": ["core", "simt", "warp"],
    "cpu": ["core"],
    "device": ["core", "simt", "warp", "block"],
    "host API": ["core", "simt", "warp", "block", "cpu", "device"],
    "apps/common": ["core"],
    "apps/check": [*LIBRARY, "apps/common",
                   "apps/filter", "apps/histogram", "apps/prefix", "apps/radix_sort", "apps/spmv"],
    "apps/histogram": [*LIBRARY, "apps/common",
                       "apps/filter", "apps/radix_sort"],
    "apps/spmv": [*LIBRARY, "apps/common",
                  "apps/radix_sort"],
    "apps/*": [*LIBRARY, "apps/common"],
}

# Programs that are no library: none of their headers is installed.
PROGRAMS = {"apps/check"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
OURS = ("libscan/", "apps/", "tests/", "bench/")


def room(path):
    """The room of a file of the repository, by its path."""
    parts = path.split("/")
    if parts[0] == "libscan":
        return parts[1] if len(parts) > 2 else "host API"
    return "/".join(parts[:2]) if parts[0] == "apps" else parts[0]


def of_program(root, header):
    """Whether an application's header is its program's, and so not installed: it stands on
    apps/common."""
    if room(header) in PROGRAMS:
        return True
    return room(header) != "apps/common" and "#include <apps/common/" in (root / header).read_text()


def refusal(root, source, target):
    """Why `source` may not include `target`; None if it may."""
    here, there = room(source), room(target)
    below = BELOW.get(here, BELOW["apps/*"] if here.startswith("apps/") else [])
    if there != here and there not in below:
        return f"{there} is not below {here}"
    if source.endswith((".hpp", ".cpp")) and target.endswith(".cuh"):
        return "a .cuh is for nvcc or the executor, a .hpp or .cpp for every C++ compiler"
    if source.endswith((".hpp", ".cuh")) and of_program(root, target):
        if not of_program(root, source):
            return "a header of the library, which is installed, includes one of the program"
    return None


def check(root):
    """Complaints about the tree at `root`."""
    root = pathlib.Path(root)
    complaints = []
    for path in tree.sources(root, "libscan/**/*.[hc]pp", "libscan/**/*.cu*", "apps/**/*.[hc]pp",
                             "apps/**/*.cu*"):
        text = (root / path).read_text()
        for include in INCLUDE.finditer(text):
            bracket, target = include.groups()
            if bracket == '"':
                reason = "write <path in the repository>"
            elif not target.startswith(OURS):
                continue
            elif not (root / target).is_file():
                reason = "no such file"
            else:
                reason = refusal(root, path.as_posix(), target)
            if reason:
                line = text.count("\n", 0, include.start()) + 1
                complaints.append(f"{path}:{line}: {include.group().strip()}: {reason}")
    return complaints


def self_test():
    """Planted includes are found, each by itself; the same tree without them is silent."""
    good = {
        "libscan/core/types.hpp": "#pragma once\n",
        "libscan/simt/simt.cuh": "#include <libscan/core/types.hpp>\n",
        "libscan/core/tuning.hpp": "#include <libscan/core/types.hpp>\n",
        "libscan/block/scan.cuh": "#include <libscan/warp/scan.cuh>\n",
        "libscan/warp/scan.cuh": "#include <vector>\n#include <libscan/simt/simt.cuh>\n",
        "libscan/cpu/scan.hpp": "#include <libscan/core/tuning.hpp>\n",
        "libscan/scan.cuh": "#include <libscan/block/scan.cuh>\n",
        "libscan/libscan.hpp": "#include <libscan/core/types.hpp>\n",
        "apps/common/text.hpp": "#include <libscan/core/types.hpp>\n",
        "apps/filter/include/libscan/filter.hpp": "#include <libscan/libscan.hpp>\n",
        "apps/filter/run.hpp": "#include <apps/common/text.hpp>\n",
        "apps/filter/program/main.cpp": "#include <apps/filter/run.hpp>\n",
        "apps/sort/sort.cuh": "#include <libscan/scan.cuh>\n",
    }
    planted = [
        ("libscan/core/types.hpp", "libscan/simt/simt.cuh"),
        ("libscan/simt/simt.cuh", "libscan/warp/scan.cuh"),
        ("libscan/warp/scan.cuh", "libscan/block/scan.cuh"),
        ("libscan/warp/scan.cuh", "libscan/scan.cuh"),
        ("libscan/cpu/scan.hpp", "libscan/scan.cuh"),
        ("libscan/scan.cuh", "libscan/cpu/scan.hpp"),
        ("libscan/scan.cuh", "libscan/libscan.hpp"),
        ("libscan/libscan.hpp", "libscan/scan.cuh"),
        ("libscan/libscan.hpp", "apps/filter/include/libscan/filter.hpp"),
        ("apps/common/text.hpp", "libscan/libscan.hpp"),
        ("apps/common/text.hpp", "libscan/warp/scan.cuh"),
        ("apps/filter/include/libscan/filter.hpp", "apps/filter/run.hpp"),
        ("apps/filter/include/libscan/filter.hpp", "apps/sort/sort.cuh"),
        ("apps/filter/program/main.cpp", "libscan/scan.cuh"),
        ("apps/filter/program/main.cpp", "libscan/gone.hpp"),
    ]
    assert tree.found_in(check, good) == [], tree.found_in(check, good)
    for path, target in planted:
        bad = good | {path: f"{good[path]}  # include <{target}>  // planted\n"}
        found = tree.found_in(check, bad)
        assert len(found) == 1 and target in found[0], (path, target, found)
    quoted = good | {"libscan/warp/scan.cuh": '#include "scan_tile.cuh"\n'}
    assert len(tree.found_in(check, quoted)) == 1


if __name__ == "__main__":
    sys.exit(tree.main(check, self_test))
