# SPDX-License-Identifier: Apache-2.0
"""The host API has every operation of device calls and of the cpu engine: operations.py ROOT

Reads the names of public functions: `name(workspace& ws, ...)` in device headers, `name(int threads,
...)` in those of the cpu engine, and `name(engine const& on, ...)` in the host API. A name that the
host API lacks needs an entry in SAME or PARTS.
"""
import pathlib
import re
import sys

# Device or cpu calls whose operation has another name in the host API.
SAME = {
    "argsort_in_segments": "segmented_argsort",
    "coo_to_csr": "to_rows",
    "counted_histogram": "histogram",
    "filter_flagged": "filter",
    "filter_masked": "filter",
    "segmented_scan": "inclusive_segmented_scan",
    "sort_keys_in_segments": "segmented_sort_keys",
    "sort_pairs_in_segments": "segmented_sort_pairs",
    "sorted_histogram": "histogram",
    "split_sort": "sort_keys",
    "staged_scan": "inclusive_scan",
    "staged_segmented_scan": "inclusive_segmented_scan",
    # By a rule: a predicate or a mask.
    "count_by": "count_if",
    "filter_by": "filter",
    "filter_with_indices_by": "filter_with_indices",
    "indices_by": "filter_indices",
    "split_by": "split",
}

# What operations are made of, and no operation itself.
PARTS = {"carried_scan", "carried_segmented_scan", "run_chunks", "run_chunks_ahead", "sum_chunks", "with_workers"}

NAMESPACE = re.compile(r"^namespace ([\w: ]+) \{|^(\})  // namespace", re.MULTILINE)
FOLDERS = {
    "device": (["libscan/*.cuh", "libscan/device/*.cuh", "apps/*/include/libscan/*.cuh", "apps/*/device/*.cuh"], r"\b(\w+)\(workspace& ws\b"),
    "cpu": (["libscan/cpu/*.hpp", "apps/*/include/libscan/cpu/*.hpp", "apps/*/cpu/*.hpp"], r"\b(\w+)\(int threads\b"),
    "host": (["libscan/*.hpp", "apps/*/include/libscan/*.hpp"], r"\b(\w+)\(engine const& on\b"),
}
INNER = {"device": "LIBSCAN_MACHINE", "cpu": "cpu", "host": "v1"}


def namespaces_at(text, end):
    """The namespaces that are open at a place."""
    opened = []
    for mark in NAMESPACE.finditer(text, 0, end):
        if mark[2]:
            opened.pop()
        else:
            opened.append(mark[1])
    return opened


def public_names(root, kind):
    """name -> file of each public function."""
    globs, pattern = FOLDERS[kind]
    names = {}
    for glob in globs:
        for path in sorted(root.glob(glob)):
            if kind == "host" and path.name.endswith("_cpu.hpp"):
                continue
            text = path.read_text()
            for call in re.finditer(pattern, text):
                opened = namespaces_at(text, call.start())
                if len(opened) == 1 and opened[0].endswith(INNER[kind]):
                    names.setdefault(call[1], path.relative_to(root))
    return names


def main(root):
    found = {kind: public_names(root, kind) for kind in FOLDERS}
    for kind, names in found.items():
        if len(names) < 15:
            sys.exit(f"only {len(names)} public functions of {kind} found: this test is broken")
    lacking = []
    for kind in ("device", "cpu"):
        for name, path in found[kind].items():
            if name not in PARTS and SAME.get(name, name) not in found["host"]:
                lacking.append(f"{path}: the host API has no {name}")
    unused = (set(SAME) | PARTS) - set(found["device"]) - set(found["cpu"])
    lacking += [f"{pathlib.Path(__file__).name}: {name} is no public function" for name in unused]
    print("\n".join(lacking) or f"{len(found['host'])} calls of the host API cover all operations")
    return len(lacking) > 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
