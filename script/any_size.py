# SPDX-License-Identifier: Apache-2.0
"""The second part of script/real-data: generated data of any size. The programs run beside copies by
direct I/O, NumPy, polars, DuckDB, GNU sort and awk; each row says what was wanted and whether it was
reached. Tables are for docs/programs.md, records for bench/records.
"""
import dataclasses
import datetime
import filecmp
import os
import pathlib
import re
import statistics
import sys

import duckdb
import numpy as np
import polars as pl

from process_costs import MIB, Costs, forget, has_cgroups, recall, run, run_competitor

SEED = 40
C_LOCALE = {**os.environ, "LC_ALL": "C"}


@dataclasses.dataclass
class Scale:
    """Sizes of all jobs, and runs of each."""
    stream: int   # bytes of a file that is streamed
    memory: int   # of external sorts
    sorted: int   # bytes of a file that they sort
    skewed: int   # bytes of a file of keys of some distribution, of 8 times --memory
    held: int     # bytes of a file that fits in memory
    rows: int     # of text
    bound: int    # --memory of programs on a file of 16 times that
    matrix: int   # --memory of scan-spmv, likewise
    rounds: int


SCALES = {
    "full": Scale(512 * MIB, 128 * MIB, 1 << 30, 512 * MIB, 256 * MIB, 10_000_000, 128 * MIB, 8 * MIB,
                  3),
    "small": Scale(128 * MIB, 48 * MIB, 192 * MIB, 192 * MIB, 64 * MIB, 500_000, 32 * MIB, 2 * MIB, 1),
}


def spread(n, seed=SEED):
    return np.random.default_rng(seed).integers(0, 1 << 63, n, dtype=np.uint64)


def keys_of(distribution, n):
    """n keys of 64 bits; those of Zipf repeat a block of them."""
    random = np.random.default_rng(SEED)
    if distribution == "Zipf, exponent 1.1":
        block = min(n, 1 << 22)
        return np.resize(random.zipf(1.1, block).astype(np.uint64), n)
    return {"uniform": lambda: spread(n),
            "two values": lambda: random.integers(0, 2, n, dtype=np.uint64),
            "all equal": lambda: np.full(n, 7, np.uint64),
            "sorted": lambda: np.sort(spread(n))}[distribution]()


class Measurement:
    """What is measured: the programs of a build, files in a folder, and the rows so far."""

    def __init__(self, program_in, scratch, scale):
        self.program_in, self.scratch, self.scale = program_in, scratch, scale
        self.rows = []

    def path(self, name):
        return str(self.scratch / name)

    def saved(self, name, items):
        np.save(self.path(name), items)
        forget(self.path(name))
        return self.path(name)

    def remove(self, *paths):
        for path in paths:
            pathlib.Path(path).unlink(missing_ok=True)

    def ours(self, program, source, target, *words, memory=None, **more):
        command = [self.program_in(program), source, "-o", target, *words]
        if memory:
            command += ["--memory", memory]
        costs = run(command, memory, target, **more)
        if costs.ended:
            print(f"scan-{program}: {costs.ended}", file=sys.stderr)
        return costs

    def row(self, part, job, by, costs, source, target, **about):
        """Adds a row. `targets`: words of what is wanted, with the number found and the bound."""
        bytes_in = sum(os.path.getsize(path) for path in [source, *about.pop("beside", [])])
        exists = os.path.exists(target) and not costs.ended
        bytes_out = os.path.getsize(target) if exists else 0
        self.rows.append({"part": part, "job": job, "by": by, **dataclasses.asdict(costs),
                          "bytes_in": bytes_in, "bytes_out": bytes_out, **about})
        self.rows[-1].pop("words")
        return self.rows[-1]


def median(samples):
    """Costs whose numbers are medians of those of all runs; of the first run that failed, its own."""
    failed = [costs for costs in samples if costs.ended]
    if failed:
        return failed[0]
    return Costs(*(statistics.median(getattr(costs, field) for costs in samples)
                   for field in ("wall", "cpu", "read", "written", "peak")))


def turns(rounds, contenders, before=lambda: None):
    """Medians of the costs of functions, which run in turn; `before` runs before each."""
    samples = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, work in contenders.items():
            before()
            samples[name].append(work())
    return {name: median(found) for name, found in samples.items()}


def at_most(what, found, bound):
    return {"what": what, "wanted": f"<= {bound:g}", "found": found, "reached": found <= bound}


def at_least(what, found, bound):
    return {"what": what, "wanted": f">= {bound:g}", "found": found, "reached": found >= bound}


def compared(row, ours, targets):
    """Adds how many times ours a competitor takes; targets: {cost: least ratio}."""
    if row["ended"] or ours.ended:
        return
    row["ratios"] = {cost: row[cost] / max(getattr(ours, cost), 1e-9) for cost in ("wall", "cpu")}
    row["targets"] = [at_least(f"{cost} ratio", row["ratios"][cost], bound)
                      for cost, bound in targets.items()]


def bytes_within(row, bound):
    """Targets of a row of ours: bytes read and written for each of input and output."""
    if row["ended"]:
        return [{"what": "success", "wanted": "", "found": row["ended"], "reached": False}]
    return [at_most("read", row["read"] / row["bytes_in"], bound),
            at_most("written", row["written"] / row["bytes_out"], bound)]


def require_same(same, what):
    if not same:
        sys.exit(f"script/real-data: {what}: two results differ")


def streams(m):
    """Scan, filter and histogram from file to file, beside a copy of the same bytes."""
    part, n = "streams", m.scale.stream // 8
    keys = spread(n)
    source = m.saved("stream.npy", keys)
    ours, copy = m.path("ours.npy"), m.path("copy.npy")
    half = str(1 << 62)
    kept = keys[keys >= int(half)]
    jobs = [("scan", "prefix", [], m.scale.stream, lambda: np.cumsum(keys)),
            ("filter, half of the items", "filter", ["--keep", f">= {half}"], kept.nbytes,
             lambda: kept),
            ("histogram, 1024 bins", "histogram",
             ["--bins", "1024", "--range", f"0:{(1 << 63) - 1}"], 0,
             lambda: np.bincount((keys >> 53).astype(np.int64), minlength=1024))]
    for job, program, words, written, expected in jobs:
        costs = turns(m.scale.rounds, {
            "ours": lambda: m.ours(program, source, ours, *words),
            "copy": lambda: run_competitor(["copy", source, copy, written], target=copy)},
            lambda: forget(source))
        if program != "histogram":
            require_same(np.array_equal(np.load(ours), expected()), job)
        name = " ".join([f"scan-{program}", *words])
        row = m.row(part, job, name, costs["ours"], source, ours)
        row["targets"] = bytes_within(row, 1.02)[:1 if program == "histogram" else 2]
        compared(m.row(part, job, "read by direct I/O" if written == 0 else "copy by direct I/O",
                       costs["copy"], source, copy), costs["ours"], {"wall": 0.95})
    m.remove(source, ours, copy)


def external_kinds(m):
    """Name, keys and values (or None) of the files for external sorts."""
    size = m.scale.sorted
    return [("u64", lambda: (spread(size // 8), None)),
            ("u32", lambda: (spread(size // 8).view(np.uint32), None)),
            ("f64", lambda: (np.random.default_rng(SEED).standard_normal(size // 8), None)),
            ("pairs u64+u64", lambda: (spread(size // 16), np.arange(size // 16, dtype=np.uint64)))]


def with_enough(work, memory):
    """The costs of work(memory), with twice the memory as often as it fails; and that memory."""
    for _ in range(5):
        costs = work(memory)
        if not costs.ended:
            break
        memory *= 2
    return costs, memory


def external_sorts(m):
    """Sorts of 8 times --memory, beside two copies and engines that sort through temporary files."""
    part, memory = "external sorts", m.scale.memory
    for kind, make in external_kinds(m):
        keys, values = make()
        source = m.saved("keys.npy", keys)
        ours, copy = m.path("ours.npy"), m.path("copy.npy")
        words, beside, more_out = [], [], 0
        if values is not None:
            beside = [m.saved("values.npy", values)]
            words = ["--values", beside[0], "--values-output", m.path("values-out.npy")]
            more_out = values.nbytes
        costs = turns(m.scale.rounds, {
            "ours": lambda: m.ours("sort", source, ours, *words, memory=memory),
            "copy": lambda: run_competitor(["copy", source, copy, keys.nbytes], target=copy)},
            lambda: forget(source, *beside))
        row = m.row(part, kind, "scan-sort" + " --values" * bool(beside), costs["ours"], source,
                    ours, beside=beside, memory=memory)
        row["bytes_out"] += more_out
        row["targets"] = [*bytes_within(row, 2.05), at_most("peak / --memory",
                                                            row["peak"] / memory, 1)]
        twice = costs["copy"]
        passes = 2 if values is None else 4  # a copy has half of the bytes of pairs
        bound = m.row(part, kind, "two copies by direct I/O", dataclasses.replace(
            twice, **{cost: passes * getattr(twice, cost)
                      for cost in ("wall", "cpu", "read", "written")}), source, copy, beside=beside)
        bound["bytes_out"] += more_out
        compared(bound, costs["ours"], {"wall": 0.9})
        sorted_keys = np.load(ours)
        order = None if values is None else np.argsort(keys, kind="stable")
        require_same(np.array_equal(sorted_keys, np.sort(keys)), f"sort of {kind}")
        if values is not None:
            require_same(np.array_equal(np.load(m.path("values-out.npy")), values[order]),
                         f"values of {kind}")
        if kind in ("u64", "pairs u64+u64"):
            sort_by_engines(m, kind, keys, values, sorted_keys, costs["ours"])
        m.remove(source, ours, copy, m.path("values-out.npy"), *beside)


def sort_by_engines(m, kind, keys, values, sorted_keys, ours):
    columns = {"key": keys} if values is None else {"key": keys, "value": values}
    source, target = m.path("keys.parquet"), m.path("sorted.parquet")
    pl.DataFrame(columns).write_parquet(source, compression="uncompressed")
    for tool, version, least in [("DuckDB", duckdb.__version__, 5), ("polars", pl.__version__, 3)]:
        def work(memory):
            forget(source)
            return run_competitor([f"{tool.lower()} sort", source, target, memory * 6 // 10 // MIB],
                                  memory, target)
        costs, memory = with_enough(work, m.scale.memory)
        note = "" if memory == m.scale.memory else f", in {memory // m.scale.memory}x the memory"
        row = m.row("external sorts", kind, f"{tool} {version}{note}", costs, source, target,
                    memory=memory)
        compared(row, ours, {"wall": least})
        if not costs.ended:
            require_same(np.array_equal(pl.read_parquet(target, columns=["key"])["key"].to_numpy(),
                                        sorted_keys), f"sort of {kind} by {tool}")
    m.remove(source, target)


def texts(m):
    """A sort and a filter of rows of text."""
    n = m.scale.rows
    random = np.random.default_rng(SEED)
    names = np.array(["kestrel", "heron", "wren", "bittern", "owl", "sandpiper"])
    amounts = random.permutation(n)  # each once: every right sort gives the same rows
    source = m.path("rows.csv")
    pl.DataFrame({"id": np.arange(n), "amount": amounts,
                  "name": names[random.integers(0, len(names), n)]}).write_csv(
                      source, include_header=False)
    least = str(n // 2)
    for job, program, words, gnu, gnu_name in [
            ("sort rows by a number", "sort", ["--column", "2"],
             ["sort", "-t,", "-k2,2n", "--parallel=2", "-S2G", source], "GNU sort -t, -k2,2n"),
            ("filter rows by a number", "filter", ["--column", "2", "--keep", f">= {least}"],
             ["awk", "-F,", f"$2 >= {least}", source], f"awk -F, '$2 >= {least}'")]:
        targets = {name: m.path(f"{name}.csv") for name in ("ours", "gnu", "polars", "duckdb")}
        rest = [least] if program == "filter" else []

        def by_gnu():
            with open(targets["gnu"], "wb") as out:
                return run(gnu, stdout=out, env=C_LOCALE)

        recall(source)
        costs = turns(m.scale.rounds, {
            "ours": lambda: m.ours(program, source, targets["ours"], *words),
            **{tool: lambda tool=tool: run_competitor(
                [f"{tool} {program} rows", source, targets[tool], *rest], target=targets[tool])
               for tool in ("polars", "duckdb")}})
        costs["gnu"] = by_gnu()
        for name, by, bound in [("ours", " ".join([f"scan-{program}", *words]), None),
                                ("polars", f"polars {pl.__version__}", {"wall": 2}),
                                ("duckdb", f"DuckDB {duckdb.__version__}", {"wall": 2}),
                                ("gnu", gnu_name, {"wall": 5, "cpu": 5})]:
            row = m.row("text", job, by, costs[name], source, targets[name])
            if bound:
                compared(row, costs["ours"], bound)
                if not costs[name].ended:
                    require_same(filecmp.cmp(targets["ours"], targets[name], shallow=False),
                                 f"{job}: {by}")
        m.remove(*targets.values())
    m.remove(source)


def held(m):
    """Files that fit in memory, and are in the page cache, beside NumPy."""
    n = m.scale.held // 8
    keys = spread(n)
    half = str(1 << 62)
    inputs = {"u64": m.saved("u64.npy", keys),
              "f64": m.saved("f64.npy", keys.astype(np.float64)),
              "f32": m.saved("f32.npy", np.random.default_rng(SEED).random(2 * n, np.float32)),
              "mask": m.saved("mask.npy", keys >= int(half))}
    recall(*inputs.values())
    ours, theirs = m.path("ours.npy"), m.path("theirs.npy")
    for job, kind, program, words, name, rest in [
            ("sort", "u64", "sort", [], "sort", []),
            ("sort", "f64", "sort", [], "sort", []),
            ("filter, half of the items", "u64", "filter", ["--keep", f">= {half}"], "filter",
             [half]),
            ("filter, half of the items", "f32", "filter", ["--keep", ">= 0.5"], "filter", ["0.5"]),
            ("positions, half of the items", "f32", "filter", ["--keep", ">= 0.5", "--indices"],
             "flatnonzero", ["0.5"]),
            ("boolean selection", "u64", "filter", ["--mask", inputs["mask"]], "selection",
             [inputs["mask"]]),
            ("sums", "u64", "prefix", [], "cumsum", []),
            ("sums", "f64", "prefix", [], "cumsum", [])]:
        source = inputs[kind]
        costs = turns(m.scale.rounds, {
            "ours": lambda: m.ours(program, source, ours, *words),
            "theirs": lambda: run_competitor([f"numpy {name}", source, theirs, *rest],
                                             target=theirs)})
        a, b = np.load(ours, mmap_mode="r"), np.load(theirs, mmap_mode="r")
        close = (job, kind) == ("sums", "f64")  # another order of additions
        require_same(np.allclose(a, b, 1e-9) if close else np.array_equal(a, b), f"{job} {kind}")
        shown = [word.replace(str(m.scratch) + "/", "") for word in words]
        m.row("in memory", f"{job}, {kind}", " ".join([f"scan-{program}", *shown]), costs["ours"],
              source, ours)
        compared(m.row("in memory", f"{job}, {kind}", f"NumPy {np.__version__} {name}",
                       costs["theirs"], source, theirs), costs["ours"], {"wall": 1})
    m.remove(*inputs.values(), ours, theirs)


def skews(m):
    """External sorts of keys of several distributions, beside uniform ones."""
    n, memory = m.scale.skewed // 8, m.scale.skewed // 8
    ours, uniform = m.path("ours.npy"), None
    for distribution in ["uniform", "Zipf, exponent 1.1", "two values", "all equal", "sorted"]:
        keys = keys_of(distribution, n)
        source = m.saved("keys.npy", keys)
        costs = turns(m.scale.rounds,
                      {"ours": lambda: m.ours("sort", source, ours, memory=memory)},
                      lambda: forget(source))["ours"]
        row = m.row("skew", distribution, "scan-sort", costs, source, ours, memory=memory)
        uniform = uniform or costs
        if costs.ended or uniform.ended:
            continue
        row["targets"] = [at_most(f"{cost} / uniform", getattr(costs, cost) /
                                  getattr(uniform, cost), 1.1) for cost in ("wall", "cpu", "peak")]
        require_same(np.array_equal(np.load(ours, mmap_mode="r"), np.sort(keys)), distribution)
    m.remove(source, ours)


def sixteenfold(m):
    """Files of 16 times --memory."""
    part, memory = "16 times --memory", m.scale.bound
    keys = spread(16 * memory // 8)
    source, ours, half = m.saved("large.npy", keys), m.path("ours.npy"), 1 << 62
    for program, words, expected in [
            ("prefix", [], np.cumsum), ("filter", ["--keep", f">= {half}"], lambda a: a[a >= half]),
            ("histogram", ["--bins", "1024", "--range", f"0:{(1 << 63) - 1}"], None),
            ("sort", [], np.sort)]:
        forget(source)
        costs = m.ours(program, source, ours, *words, memory=memory)
        row = m.row(part, program, " ".join([f"scan-{program}", *words]), costs, source, ours,
                    memory=memory)
        row["targets"] = [at_most("peak / --memory", costs.peak / memory, 1)] if not costs.ended \
            else bytes_within(row, 1)
        if expected and not costs.ended:
            require_same(np.array_equal(np.load(ours, mmap_mode="r"), expected(keys)), program)
    m.remove(source, ours)
    products(m, part)


def products(m, part):
    """A matrix as text of 16 times the memory of scan-spmv."""
    memory, ours = m.scale.matrix, m.path("ours.npy")
    line = "12345 12345 1\n"  # x and y stay in memory
    entries, source = 16 * memory // len(line), m.path("matrix.mtx")
    with open(source, "w") as file:
        file.write(f"%%MatrixMarket matrix coordinate integer general\n20000 20000 {entries}\n")
        step = 1 << 16
        for at in range(0, entries, step):
            file.write(line * min(step, entries - at))
    forget(source)
    costs = m.ours("spmv", source, ours, memory=memory)
    row = m.row(part, "spmv", "scan-spmv", costs, source, ours, memory=memory)
    row["targets"] = bytes_within(row, 1) if costs.ended else [
        at_most("peak / --memory", costs.peak / memory, 1)]
    m.remove(source, ours)


PARTS = {"streams": streams, "external sorts": external_sorts, "text": texts, "in memory": held,
         "skew": skews, "16 times --memory": sixteenfold}

HEAD = ["job", "by", "wall s", "CPU s", "read", "written", "peak MiB", "wall ratio", "CPU ratio", "wanted"]


def shown(row, first):
    """A line of a part's table."""
    def of(number, whole):
        return f"{number / whole:.2f}" if whole else ""

    name = row["by"].replace("|", "\\|")
    cells = [row["job"] if first else "", f"`{name}`" if name.startswith("scan-") else name]
    if row["ended"]:
        cells += [row["ended"], *[""] * 6]
    else:
        ratios = row.get("ratios", {})
        cells += [f"{row['wall']:.2f}", f"{row['cpu']:.2f}", of(row["read"], row["bytes_in"]),
                  of(row["written"], row["bytes_out"]), f"{row['peak'] / MIB:.0f}",
                  *(f"{ratios[cost]:.2f}" if ratios else "" for cost in ("wall", "cpu"))]
    words = []
    for target in row.get("targets", []):
        found = target["found"]
        number = found if isinstance(found, str) else f"{found:.2f}"
        words.append(f"{target['what']} {target['wanted']}: " + (
            "reached" if target["reached"] else f"**missed** ({number})"))
    return "| " + " | ".join([*cells, "; ".join(words)]) + " |"


def tables(record):
    """The tables of all parts, as Markdown."""
    lines = [f"{record['machine']}; {record['limits']}; {record['date']}; medians of {record['rounds']} runs", ""]
    targets = [target for row in record["rows"] for target in row.get("targets", [])]
    reached = sum(target["reached"] for target in targets)
    lines += [f"{reached} of {len(targets)} bounds reached.", ""]
    for part in PARTS:
        rows = [row for row in record["rows"] if row["part"] == part]
        if not rows:
            continue
        lines += [f"**{part}**{record['sizes'].get(part, '')}", "", "| " + " | ".join(HEAD) + " |",
                  "|---|---|" + "---:|" * 7 + "---|"]
        jobs = [row["job"] for row in rows]
        lines += [shown(row, i == 0 or jobs[i - 1] != jobs[i]) for i, row in enumerate(rows)]
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


def sizes(scale):
    """What the files of each part are."""
    def mib(size):
        return f"{size // MIB} MiB"

    return {"streams": f": {mib(scale.stream)} of u64, not in the page cache",
            "external sorts": f": {mib(scale.sorted)} (u32: the same number of bytes), --memory "
                              f"{mib(scale.memory)}",
            "text": f": {scale.rows} rows of a number, a number and a word",
            "in memory": f": {mib(scale.held)} of u64 or f64, {mib(scale.held)} of f32, in the page "
                         "cache",
            "skew": f": {mib(scale.skewed)} of u64, --memory {mib(scale.skewed // 8)}",
            "16 times --memory": f": {mib(16 * scale.bound)} of u64, --memory {mib(scale.bound)}; "
                                 f"scan-spmv: {mib(16 * scale.matrix)} of text, --memory "
                                 f"{mib(scale.matrix)}"}


def measured(program_in, scratch, scale, only):
    """A record of all parts whose names `only` matches."""
    m = Measurement(program_in, scratch, SCALES[scale])
    limits = "memory limits by cgroups" if has_cgroups() else \
        "no cgroups: memory limits by RLIMIT_AS, peaks without the page cache"
    for part, work in PARTS.items():
        if re.search(only, part):
            print(f"{part} ...", file=sys.stderr)
            work(m)
    return {"date": datetime.date.today().isoformat(), "scale": scale,
            "limits": limits, "rounds": m.scale.rounds, "seed": SEED,
            "sizes": sizes(m.scale), "rows": m.rows}
