# SPDX-License-Identifier: Apache-2.0
"""No include goes up a layer: layers.py ROOT

A module includes itself and modules below it; see CONTRIBUTING.md for the layers. Nor does a header of the host API
reach a header of the standard library that takes long to compile (SLOW); those for own callables reach a few
(FOR_CALLABLES).
"""
import pathlib
import re
import sys

import tree

LIBRARY = ["core", "reference", "simt", "warp", "block", "cpu", "device", "textbook", "host API",
           "distributed"]

# The modules that each module may include from, besides itself.
BELOW = {
    "core": [],
    "simt": ["core"],
    "reference": ["core"],
    "warp": ["core", "simt"],
    "block": ["core", "simt", "warp"],
    "cpu": ["core"],
    "device": ["core", "simt", "warp", "block"],
    "textbook": ["core", "simt", "warp", "block", "device"],
    "host API": ["core", "simt", "warp", "block", "cpu", "device"],
    "distributed": ["core", "simt", "cpu", "host API"],
    "apps/common": ["core", "cpu", "distributed"],
    "apps/check": [*LIBRARY, "apps/common",
                   "apps/filter", "apps/histogram", "apps/prefix", "apps/radix_sort", "apps/spmv"],
    "apps/explain": [*LIBRARY, "apps/common",
                     "apps/radix_sort"],
    "apps/histogram": [*LIBRARY, "apps/common",
                       "apps/filter", "apps/radix_sort"],
    "apps/spmv": [*LIBRARY, "apps/common",
                  "apps/radix_sort"],
    "apps/*": [*LIBRARY, "apps/common"],
}

# Programs that are no library: none of their headers is installed.
PROGRAMS = {"apps/check"}

# They, or what libstdc++ includes in them, take 0.1 s and more each; script/compile-cost --host-api measures the sum.
SLOW = {"algorithm", "atomic", "chrono", "condition_variable", "emmintrin.h", "filesystem", "fstream", "future", "immintrin.h",
        "iomanip", "ios", "iostream", "istream", "iterator", "locale", "map", "memory", "mutex", "numeric", "ostream", "random",
        "ranges", "regex", "set", "sstream", "thread", "unordered_map"}
FOR_CALLABLES = {"algorithm", "atomic", "emmintrin.h"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
# A public header of an application, as users include it.
PUBLIC = re.compile(r"apps/\w+/include/(.+)")
OURS = ("libscan/", "apps/", "tests/", "bench/")


def module_of(path):
    """The module of a file of the repository, by its path."""
    parts = path.split("/")
    if parts[0] == "libscan":
        if len(parts) == 2:
            return "device" if path.endswith(".cuh") else "host API"
        return "host API" if parts[1] == "host" else parts[1]
    return "/".join(parts[:2]) if parts[0] == "apps" else parts[0]


def of_program(root, header):
    """Whether an application's header is its program's, and so not installed: it stands on
    apps/common."""
    if module_of(header) in PROGRAMS or "/program/" in header:
        return True
    return module_of(header) != "apps/common" and "#include <apps/common/" in (root / header).read_text()


# The folders of an application, from the bottom up. Public headers, in `include`, include any but `program`.
HEIGHT = {"core": 0, "device": 1, "cpu": 1, "include": 1, "host": 2, "program": 3}


def above(source, target):
    """Whether `target` is in a folder of the same application that `source` may not know."""
    here, there = source.split("/")[2], target.split("/")[2]
    if here not in HEIGHT or there not in HEIGHT:
        return False
    if here == "include":
        return there == "program"
    return HEIGHT[there] > HEIGHT[here] and there != "include" or {here, there} == {"device", "cpu"}


def refusal(root, source, target):
    """Why `source` may not include `target`; None if it may."""
    here, there = module_of(source), module_of(target)
    below = BELOW.get(here, BELOW["apps/*"] if here.startswith("apps/") else [])
    if there != here and there not in below:
        return f"{there} is not below {here}"
    if here == there and here.startswith("apps/") and above(source, target):
        return f"{target} is not below {source}"
    if source.endswith((".hpp", ".cpp")) and target.endswith(".cuh"):
        return "a .cuh is for nvcc or the executor, a .hpp or .cpp for every C++ compiler"
    if source.endswith((".hpp", ".cuh")) and of_program(root, target):
        if not of_program(root, source):
            return "a header of the library, which is installed, includes one of the program"
    return None


def slow_includes(root):
    """Where headers of the host API reach slow ones: one complaint for each place."""
    headers = [path.as_posix() for path in tree.sources(root, "libscan/*.hpp", "apps/*/include/libscan/*.hpp")]
    reached = set()
    yield from reaches(root, [path for path in headers if "callables" not in path], SLOW, reached)
    yield from reaches(root, headers, SLOW - FOR_CALLABLES, reached)


def reaches(root, todo, slow, reached):
    """Where `todo`, and what they include but is not in `reached` yet, include a slow header."""
    while todo:
        path = todo.pop()
        if path in reached:
            continue
        reached.add(path)
        for include in INCLUDE.finditer((root / path).read_text()):
            if include[2] in slow:
                yield f"{path}: <{include[2]}>, which the host API reaches, takes long to compile"
            elif found := tree.included(root, include[2]):
                todo.append(found)


def check(root):
    """Complaints about the tree at `root`."""
    root = pathlib.Path(root)
    complaints = [*slow_includes(root)]
    for path in tree.sources(root, "libscan/**/*.[hc]pp", "libscan/**/*.cu*", "apps/**/*.[hc]pp",
                             "apps/**/*.cu*"):
        text = (root / path).read_text()
        for include in INCLUDE.finditer(text):
            bracket, target = include.groups()
            if bracket == '"':
                reason = "write <path in the repository>"
            elif not target.startswith(OURS):
                continue
            elif not (found := tree.included(root, target)):
                reason = "no such file"
            elif (public := PUBLIC.match(found)) and target == found:
                reason = f"write <{public[1]}>"
            else:
                reason = refusal(root, path.as_posix(), found)
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
        "libscan/callables.hpp": "#include <algorithm>\n#include <libscan/cpu/reduce.hpp>\n",
        "libscan/cpu/reduce.hpp": "#include <atomic>\n#include <libscan/core/types.hpp>\n",
        "libscan/distributed/scan.hpp": "#include <libscan/libscan.hpp>\n",
        "apps/common/text.hpp": "#include <libscan/core/types.hpp>\n",
        "libscan/textbook/blelloch.cuh": "#include <libscan/scan.cuh>\n",
        "apps/filter/include/libscan/filter.hpp": "#include <libscan/libscan.hpp>\n",
        "apps/filter/include/libscan/filter.cuh": "#include <apps/filter/device/tile.cuh>\n",
        "apps/filter/device/tile.cuh": "#include <libscan/scan.cuh>\n",
        "apps/filter/cpu/rules.hpp": "#include <libscan/cpu/scan.hpp>\n",
        "apps/filter/host/mask.hpp": "#include <libscan/filter.hpp>\n",
        "apps/filter/program/run.hpp": "#include <apps/common/text.hpp>\n",
        "apps/filter/program/main.cpp": "#include <apps/filter/program/run.hpp>\n",
        "apps/sort/include/libscan/sort.cuh": "#include <libscan/scan.cuh>\n",
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
        ("libscan/libscan.hpp", "libscan/distributed/scan.hpp"),
        ("libscan/distributed/scan.hpp", "libscan/scan.cuh"),
        ("libscan/libscan.hpp", "apps/filter/include/libscan/filter.hpp"),
        ("apps/common/text.hpp", "libscan/libscan.hpp"),
        ("apps/common/text.hpp", "libscan/warp/scan.cuh"),
        ("apps/filter/include/libscan/filter.hpp", "apps/filter/program/run.hpp"),
        ("apps/filter/host/mask.hpp", "apps/filter/program/run.hpp"),
        ("apps/filter/device/tile.cuh", "apps/filter/host/mask.hpp"),
        ("apps/filter/device/tile.cuh", "apps/filter/cpu/rules.hpp"),
        ("apps/filter/program/run.hpp", "apps/filter/include/libscan/filter.hpp"),
        ("libscan/scan.cuh", "libscan/textbook/blelloch.cuh"),
        ("apps/filter/include/libscan/filter.hpp", "libscan/sort.cuh"),
        ("apps/filter/program/main.cpp", "libscan/scan.cuh"),
        ("apps/filter/program/main.cpp", "libscan/gone.hpp"),
    ]
    assert tree.found_in(check, good) == [], tree.found_in(check, good)
    for path, target in planted:
        bad = good | {path: f"{good[path]}  # include <{target}>  // planted\n"}
        found = tree.found_in(check, bad)
        assert len(found) == 1 and target in found[0], (path, target, found)
    for path, complaints in (("libscan/core/types.hpp", 1), ("libscan/libscan.hpp", 1),
                             ("apps/filter/include/libscan/filter.hpp", 1), ("libscan/cpu/scan.hpp", 0),
                             ("libscan/callables.hpp", 1), ("libscan/cpu/reduce.hpp", 1),
                             ("apps/filter/host/mask.hpp", 0), ("libscan/simt/simt.cuh", 0)):
        found = tree.found_in(check, good | {path: f"{good[path]}#include <memory>\n"})
        assert len(found) == complaints, (path, found)
    callables = good | {"libscan/callables.hpp": "#include <atomic>\n"}
    assert tree.found_in(check, callables) == []
    quoted = good | {"libscan/warp/scan.cuh": '#include "scan_tile.cuh"\n'}
    assert len(tree.found_in(check, quoted)) == 1


if __name__ == "__main__":
    sys.exit(tree.main(check, self_test))
