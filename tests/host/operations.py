# SPDX-License-Identifier: Apache-2.0
"""The host API has every operation of device calls and of the cpu engine, and so have calls on
device memory, in C++ and in C: operations.py ROOT

Reads the names of public functions: `name(workspace& ws, ...)` in device headers, `name(int threads,
...)` in those of the cpu engine, `name(engine const& on, ...)` in the host API, `name(device_queue
const& queue, ...)` among the calls on device memory, and `libscan_name(libscan_queue const* queue,
...)` in C. A name that is lacking elsewhere needs an entry in SAME, PARTS, SPANS or IN_C. So does what some
calls take besides, such as an init or a predicate (TAKEN): LACKING names what only device and cpu headers take.
Then it removes each call, and each of these parameters, from what it has read, and fails if it would not miss one.
A public header in which it reads no call needs an entry in WITHOUT_CALLS: its calls might begin with another parameter.
"""
import pathlib
import re
import sys

# Device or cpu calls whose operation has another name in the host API.
SAME = {
    "argsort_in_segments": "segmented_argsort",
    "coo_to_csr": "to_rows",
    "counted_histogram": "histogram",
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
PARTS = {"carried_scan", "carried_segmented_scan", "for_each_index", "run_chunks", "run_chunks_ahead", "run_workers",
         "sum_chunks", "with_workers"}

# Calls of the host API that have another name on device memory.
SPANS = {"prepared_matrix": "device_prepared_matrix", "to_rows": "coo_to_csr"}

# Calls on device memory that are members in the host API.
OF_SPANS = {"multiply"}

# Calls on device memory that are one function of C with others: kinds, rules and NULLs tell which.
IN_C = {
    "argsort": "sort",
    "count_if": "filter",
    "count_marked": "filter",
    "device_prepared_matrix": "plan_create",
    "exclusive_binary_scan": "binary_scan",
    "exclusive_scan": "scan",
    "exclusive_segmented_scan": "scan",
    "filter_indices": "filter",
    "filter_with_indices": "filter",
    "inclusive_binary_scan": "binary_scan",
    "inclusive_scan": "scan",
    "inclusive_segmented_scan": "scan",
    "mask_indices": "filter",
    "multiply": "spmv",
    "reverse_exclusive_scan": "scan",
    "reverse_inclusive_scan": "scan",
    "segmented_argsort": "sort",
    "segmented_reduce": "reduce",
    "segmented_sort_keys": "sort",
    "segmented_sort_pairs": "sort",
    "sort_keys": "sort",
    "sort_pairs": "sort",
    "split": "filter",
    "weighted_histogram": "histogram",
}

# Parameters that let an operation do more.
TAKEN = {"op", "init", "keep", "equal", "rejected", "indices", "lengths", "offsets", "min_length"}

# What calls take by another word: indices are positions on device memory, and segments may be offsets.
OTHER_WORDS = {"indices": "positions", "offsets": "segments"}

# What only device and cpu headers take.
LACKING = {
    "host": {("to_rows", "indices"): "in the matrix that it returns",
             ("to_rows", "offsets"): "in the matrix that it returns"},
    "spans": {("reduce_by_key", "equal"): "compiled for == only",
              ("run_length_encode", "equal"): "compiled for == only",
              ("unique", "equal"): "compiled for == only"},
}

NAMESPACE = re.compile(r"^namespace ([\w: ]+) \{|^(\})  // namespace", re.MULTILINE)
FOLDERS = {
    "device": (["libscan/*.cuh", "libscan/device/*.cuh", "apps/*/include/libscan/*.cuh", "apps/*/device/*.cuh"], r"\b(\w+)\(\s*workspace& \w+"),
    "cpu": (["libscan/cpu/*.hpp", "apps/*/include/libscan/cpu/*.hpp", "apps/*/cpu/*.hpp"], r"\b(\w+)\(\s*int (?:threads|workers)\b"),
    # Not how many bytes of workspace a call on device memory needs.
    "host": (["libscan/*.hpp", "apps/*/include/libscan/*.hpp"], r"\b(?!device_)(\w+)\(\s*engine const& \w+"),
    "spans": (["libscan/*.hpp", "apps/*/include/libscan/*.hpp"], r"\b(\w+)\(\s*device_queue const& \w+"),
}
CALLS = {"host": "the host API", "spans": "calls on device memory"}
# Public headers without a call: what calls take and return, and kernels that benchmarks compare.
WITHOUT_CALLS = {"baseline_spmv.cuh", "bins.hpp", "buffer.cuh", "buffer.hpp", "callables.hpp", "matrix.hpp", "predicate.hpp",
                 "predicate_parser.hpp", "segmentation.hpp", "segmented_spmv.cuh", "workspace.cuh"}
PUBLIC = ["libscan/*.cuh", "libscan/*.hpp", "apps/*/include/libscan/*.cuh", "apps/*/include/libscan/*.hpp",
          "apps/*/include/libscan/cpu/*.hpp"]
INNER = {"device": "LIBSCAN_MACHINE", "cpu": "cpu", "host": "v1", "spans": "v1"}
C_CALL = re.compile(r"\blibscan_(\w+)\(\s*libscan_queue const\* queue\b")


def namespaces_at(text, end):
    """The namespaces that are open at a place."""
    opened = []
    for mark in NAMESPACE.finditer(text, 0, end):
        if mark[2]:
            opened.pop()
        else:
            opened.append(mark[1])
    return opened


def parameters(text, start):
    """The names of the parameters in the parentheses that open after `start`."""
    text = text.replace("<<", "  ")  # opens nothing
    names, depth, begin = set(), 0, text.index("(", start) + 1
    for i in range(begin - 1, len(text)):
        depth += text[i] in "(<"
        depth -= text[i] in ")>"
        if (text[i] == "," and depth == 1) or depth == 0:
            name = re.search(r"(\w+)\s*(=.*)?$", text[begin:i], re.DOTALL)
            names.add(name[1] if name else "")
            begin = i + 1
        if depth == 0:
            return names


def calls_in(text, kind):
    """(name, names of parameters) of each public function in the text of a header, except deprecated ones."""
    for call in re.finditer(FOLDERS[kind][1], text):
        opened = namespaces_at(text, call.start())
        declaration = re.split(r"[;}]\n", text[:call.start()])[-1]
        if len(opened) == 1 and opened[0].endswith(INNER[kind]) and "[[deprecated" not in declaration:
            yield call[1], parameters(text, call.start())


def public_calls(root, kind):
    """name -> (file, names of parameters of all its overloads) of each public function."""
    calls = {}
    for path in sorted(path for glob in FOLDERS[kind][0] for path in root.glob(glob)):
        for name, taken in calls_in(path.read_text(), kind):
            calls.setdefault(name, (path.relative_to(root), set()))
            calls[name][1].update(taken)
    return calls


def unread(root):
    """Public headers in which no pattern finds a call, or finds one where none is expected."""
    for path in sorted(path for glob in PUBLIC for path in root.glob(glob)):
        found = any(True for kind in FOLDERS for _ in calls_in(path.read_text(), kind))
        if found == (path.name in WITHOUT_CALLS):
            yield f"{path.relative_to(root)}: {'a call, but it is in' if found else 'no call, and it is not in'} WITHOUT_CALLS"


def self_test():
    """Calls are found however they are laid out; those of inner namespaces and deprecated ones are not."""
    first = {"device": "workspace& ws", "cpu": "int threads", "host": "engine const& on", "spans": "device_queue const& queue"}
    for kind, parameter in first.items():
        begin, end = f"namespace libscan::inline {INNER[kind]} {{\n", f"\n}}  // namespace libscan::inline {INNER[kind]}\n"
        text = f"{begin}void a({parameter}, Op op);\nindex_t\nb(\n    {parameter}, int n) {{\n}}\nvoid\nc({parameter});{end}"
        assert [name for name, _ in calls_in(text, kind)] == ["a", "b", "c"], kind
        assert "op" in dict(calls_in(text, kind))["a"], kind
        other = f"{begin}[[deprecated(\"use a\")]] void d(\n    {parameter});\nnamespace detail {{\nvoid e({parameter});\n}}  // namespace detail{end}"
        assert not list(calls_in(other, kind)), kind


def stale(found, kind):
    """Entries of LACKING for what a call takes by now."""
    return [f"{pathlib.Path(__file__).name}: {name} takes {taken} by now" for name, taken in LACKING[kind]
            if taken in found[kind].get(name, ("", set()))[1]]


def lacks(found, kind, name, path, takes):
    """Complaints if calls of a kind lack `name`, or what device and cpu headers' `name` takes."""
    if name not in found[kind]:
        return [f"{path}: no {name} in {CALLS[kind]}"]
    given = found[kind][name][1]
    given = given | {word for word, other in OTHER_WORDS.items() if other in given}
    return [f"{path}: {name} of {CALLS[kind]} takes no {taken}" for taken in sorted(takes & TAKEN - given)
            if (name, taken) not in LACKING[kind]]


def complaints(found, in_c):
    """What some calls lack and others have."""
    lacking = []
    for kind in ("device", "cpu"):
        for name, (path, takes) in found[kind].items():
            if name not in PARTS:
                name = SAME.get(name, name)
                lacking += lacks(found, "host", name, path, takes)
                lacking += lacks(found, "spans", SPANS.get(name, name), path, takes)
    for name, (path, _) in found["host"].items():
        lacking += lacks(found, "spans", SPANS.get(name, name), path, set())
    in_host = {SPANS.get(name, name) for name in found["host"]} | OF_SPANS
    lacking += [f"{path}: no {name} in the host API" for name, (path, _) in found["spans"].items()
                if name not in in_host]
    lacking += [f"{path}: libscan/c_api.h has no {name}" for name, (path, _) in found["spans"].items()
                if IN_C.get(name, name) not in in_c]
    known = {name for kind in found for name in found[kind]}
    entries = set(SAME) | PARTS | set(SPANS) | set(IN_C) | OF_SPANS | {name for kind in LACKING.values() for name, _ in kind}
    lacking += [f"{pathlib.Path(__file__).name}: {name} is no public function" for name in sorted(entries - known)]
    return lacking + stale(found, "host") + stale(found, "spans")


def unnoticed(found, in_c):
    """The calls whose removal would bring no complaint: this test misses them."""
    for kind in ("host", "spans"):
        for name in found[kind]:
            rest = {other: found[kind][other] for other in found[kind] if other != name}
            if not complaints({**found, kind: rest}, in_c):
                yield f"{name} of {CALLS[kind]}"
            for taken in found[kind][name][1] & TAKEN:
                path, takes = found[kind][name]
                needed = any(SAME.get(other, other) == name and taken in found[headers][other][1]
                             for headers in ("device", "cpu") for other in found[headers])
                less = {**found, kind: {**found[kind], name: (path, takes - {taken})}}
                if needed and not complaints(less, in_c):
                    yield f"{taken} of {name} of {CALLS[kind]}"
    for name in in_c & {IN_C.get(name, name) for name in found["spans"]}:
        if not complaints(found, in_c - {name}):
            yield f"libscan_{name}"


def main(root):
    self_test()
    found = {kind: public_calls(root, kind) for kind in FOLDERS}
    for kind, names in found.items():
        if len(names) < 15:
            sys.exit(f"only {len(names)} public functions of {kind} found: this test is broken")
    in_c = set(C_CALL.findall((root / "libscan/c_api.h").read_text()))
    wrong = [*unread(root), *complaints(found, in_c)]
    wrong += [] if wrong else [f"nothing would miss {name}" for name in unnoticed(found, in_c)]
    print("\n".join(wrong) or f"{len(found['host'])} calls of the host API, {len(found['spans'])} on device memory and "
          f"{len(in_c)} functions of C cover all operations")
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
