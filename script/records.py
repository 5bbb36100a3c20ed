# SPDX-License-Identifier: Apache-2.0
"""What bench/records say, for script/readme-tables and script/speedups: rows, ratios, wins and losses.

A ratio is a competitor's time divided by libscan's. It is the median of the ratios of all rounds where
the record has it, and else the ratio of the medians.
"""
import json
import pathlib

root = pathlib.Path(__file__).resolve().parent.parent
CEILINGS = ("memcpy", "memset")  # not competitors: they do less
# Other forms of libscan's, which have rows of their own.
FORMS = {"split-sort": "textbook: a split for each bit", "libscan planned": "with a plan"}
FAMILIES = {"sorts": ("sort ", "argsort", "split by key"), "matrices": ("spmv ",),
            "scaling": ("scaling ",), "files": ("spmv ",), "table2": ("algorithms",)}
# In Table 2 on a GPU: libscan's own scan, and the strategies of the literature beside it.
PRODUCTION = "production"
STRATEGIES = ("sequential", "global-hillis-steele", "one-block", "scan-then-fan", "scan-then-propagate",
              "reduce-then-scan", "chained-scan", "decoupled-look-back")
# Chosen by operation and not by result, the same for each engine: for each operation the plainest
# types and data (uniform keys, half of the items kept, short segments; sorts of pairs have segments
# of any length), small and large bins, and a regular, a random and a skewed matrix. Add what is new.
HEADLINE = (
    "exclusive_scan i32", "exclusive_scan f64", "exclusive_scan i8", "exclusive_scan affine",
    "inclusive_segmented_scan flags, short u32", "inclusive_segmented_scan bits, short u32",
    "inclusive_segmented_scan keys, short u32", "inclusive_segmented_scan offsets, short u32",
    "segmented_reduce offsets, short u32", "segmented_reduce keys, short u32",
    "reduce i32", "exclusive_binary_scan 50 % bytes->i32", "exclusive_binary_scan 50 % bits->i32",
    "filter 50 % u32", "filter by bits 50 % u32",
    "split two outputs 50 % u32", "split one buffer 50 % u32",
    "unique, runs of 8 u32", "run_length_encode, runs of 8 u32",
    "histogram 256, uniform u8", "histogram 2048, zipf-1.1 u32", "histogram 1048576, uniform u32",
    "sort keys, uniform u32", "sort keys, uniform u64", "sort pairs, uniform u32+u32",
    "argsort, uniform u32", "sort keys within segments, short u32",
    "sort pairs within segments, power-law u32+u32", "split by key, 8 buckets u32+u32",
    "split by key, 256 buckets u32+u32",
    "spmv stencil7 f64", "spmv stencil7 f64, with a plan", "spmv uniform16 f64",
    "spmv power-law f64", "coo to csr f32")


def records():
    found = [(json.loads(path.read_text()), path) for path in (root / "bench/records").glob("*.json")]
    return sorted((r for r in found if "results" in r[0] and not is_of_spans(r[1])),
                  key=lambda r: (r[0]["date"], r[1].name))


def is_of_spans(path):
    """Whether a record is of `scan-bench spans`, which has no competitors."""
    return path.stem.endswith("-spans")


def newest_of_spans(begins):
    """The record, its path, and for each operation with its type the results by size and contender."""
    path = max((p for p in (root / "bench/records").glob(f"{begins}*.json") if is_of_spans(p)),
               key=lambda p: p.name)
    record = json.loads(path.read_text())
    rows = {}
    for result in record["results"]:
        by_size = rows.setdefault(f"{result['operation']} {result['type']}", {})
        by_size.setdefault(result["n"], {})[result["name"]] = result
    return record, path, rows


def belongs(result, engine, family, separate):
    """Whether a result is in the table of a family, one of FAMILIES; or, for None, in the table of all
    that is in no `separate` family. The chapter's figures and Table 2 have pages of their own."""
    operation = result["operation"]
    elsewhere = ("chapter ", "algorithms")
    if family is None:
        wanted = not operation.startswith(sum((FAMILIES[name] for name in separate), elsewhere))
    else:
        wanted = operation.startswith(FAMILIES[family])
    return result["engine"] == engine and wanted


def size(n):
    power = n.bit_length() - 1
    return f"2^{power}" if n == 1 << power else str(n)


def ratio(result, named, ours):
    """A contender's time divided by ours."""
    if ours == "libscan" and "ratio" in result:
        return result["ratio"]
    return result["median_us"] / named[ours]["median_us"]


def fastest_competitor(named, ours):
    """(ratio, name); None if there is none."""
    others = (*FORMS, *CEILINGS)
    return min(((ratio(r, named, ours), name) for name, r in named.items()
                if name not in others and not name.startswith("libscan")), default=None)


def contests(groups):
    """(operation, type, form, {n: {contender: result}}, name) of libscan's rows, each with one for
    each other form measured beside it."""
    for (operation, kind), by_size in groups.items():
        for name, words in {"libscan": "", **FORMS}.items():
            own = {n: named for n, named in by_size.items() if name in named}
            if own:
                yield operation, kind, f", {words}" if words else "", own, name


def without_strategies(named):
    """A row of Table 2 in which libscan is the production scan. On CPUs there are no strategies."""
    if PRODUCTION not in named:
        return named
    return {"libscan" if name == PRODUCTION else name: r for name, r in named.items()
            if name not in STRATEGIES}


def grouped(results, engine, family, separate):
    """{(operation, type): {n: {contender: result}}}, of workloads that libscan took part in."""
    groups = {}
    for r in results:
        if belongs(r, engine, family, separate):
            by_size = groups.setdefault((r["operation"], r["type"]), {})
            by_size.setdefault(r["n"], {})[r["name"]] = r
    for (operation, _), by_size in groups.items():
        if operation.startswith(FAMILIES["table2"]):
            by_size.update({n: without_strategies(named) for n, named in by_size.items()})
    return {key: by_size for key, by_size in groups.items()
            if all("libscan" in named for named in by_size.values())}


def newest(engine, family, separate, begins):
    """(record, path, groups) of the newest record that has such rows; None if none has."""
    chosen = None
    for record, path in records():
        if path.name.startswith(begins) and path.stem.endswith("-matrices") == (family == "files"):
            groups = grouped(record["results"], engine, family, separate)
            if groups:
                chosen = record, path, groups
    return chosen


def machine_of(record, engine):
    return record["gpu" if engine == "cuda" else "cpu"]


def newest_of_all(engine, begins, everything):
    """(parts, groups): the newest records, each as (record, path, groups), of all operations of one
    machine, and their rows together. `everything`: matrices from files and Table 2, too."""
    separate = ["sorts", "matrices"] + ["files", "table2"] * everything
    parts = [newest(engine, None, [*separate, "scaling"], begins)]
    parts += [newest(engine, family, [], begins) for family in separate]
    parts = [part for part in parts if part]
    if parts:
        name = machine_of(parts[0][0], engine).split(",")[0]
        parts = [part for part in parts if machine_of(part[0], engine).split(",")[0] == name]
    return parts, {key: by_size for part in parts for key, by_size in part[2].items()}


def titled_rows(groups):
    """{title: (title with the record's words, {n: {contender: result}}, libscan's name)}."""
    rows = {}
    for operation, kind, form, by_size, ours in contests(groups):
        title = f"{operation} {kind}{form}"
        rows[title.replace("histogram integers ", "histogram ")] = title, by_size, ours
    return rows


def losses(by_size, ours):
    """{n: (ratio, competitor)} of the sizes at which a competitor is faster, to two decimals."""
    lost = {}
    for n, named in sorted(by_size.items()):
        competitor = fastest_competitor(named, ours)
        shown = f"{competitor[0]:.2f}" if competitor else "1.00"
        if float(shown) < 1:
            lost[n] = shown, competitor[1]
    return lost


def compared_rows(operation, by_size, ours):
    """How many rows with a competitor these sizes are: one, and for a matrix one for each."""
    compared = sum(fastest_competitor(named, ours) is not None for named in by_size.values())
    return compared if operation.startswith("spmv ") else min(compared, 1)


def lost_rows(operation, by_size, ours):
    """How many of those a competitor wins at some size."""
    lost = len(losses(by_size, ours))
    return lost if operation.startswith("spmv ") else min(lost, 1)


def tally(groups):
    """(rows that a competitor wins at some size, rows with a competitor)."""
    rows = [(operation, by_size, ours) for operation, _, _, by_size, ours in contests(groups)]
    return sum(lost_rows(*row) for row in rows), sum(compared_rows(*row) for row in rows)
