# SPDX-License-Identifier: Apache-2.0
"""Jobs of other libraries from file to file, and copies by direct I/O, for script/real-data. Each job
runs in a process of its own:

    competitors.py JOB SOURCE TARGET [WORD...]

It prints JSON: wall and CPU seconds, and bytes read and written, since the libraries were imported.
"""
import json
import mmap
import os
import queue
import resource
import sys
import threading
import time

COPY_BLOCK = 4 << 20
COPY_THREADS = 4
COLUMNS = ["id", "amount", "name"]  # of the text


def copy(source, target, most):
    """Reads a file by direct I/O, and writes its first `most` bytes by direct I/O. Each of four
    threads has one request at a time."""
    size, most = os.path.getsize(source), int(most)
    from_file = os.open(source, os.O_RDONLY | os.O_DIRECT)
    to_file = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_DIRECT, 0o644)
    blocks = queue.SimpleQueue()
    for at in range(0, size, COPY_BLOCK):
        blocks.put(at)

    def work():
        block = mmap.mmap(-1, COPY_BLOCK)
        while True:
            try:
                at = blocks.get_nowait()
            except queue.Empty:
                return
            os.preadv(from_file, [block], at)
            if at < most:
                os.pwritev(to_file, [block], at)

    threads = [threading.Thread(target=work) for _ in range(COPY_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os.ftruncate(to_file, min(size, most))
    os.close(to_file)


def numpy_job(work):
    return lambda source, target, *words: np.save(target, work(np.load(source), *words))


def in_place(items):
    items.sort()
    return items


def duckdb_session(target, mebibytes=None):
    """A connection whose buffer manager has this much memory."""
    settings = {"temp_directory": os.path.dirname(target)}
    if mebibytes:
        settings["memory_limit"] = f"{mebibytes}MiB"
    return duckdb.connect(config=settings)


def duckdb_sort(source, target, mebibytes):
    duckdb_session(target, mebibytes).execute(
        f"COPY (SELECT * FROM read_parquet('{source}') ORDER BY key) TO '{target}' "
        "(FORMAT parquet, COMPRESSION uncompressed)")


def polars_sort(source, target, _mebibytes):
    pl.scan_parquet(source).sort("key").sink_parquet(target, compression="uncompressed")


def duckdb_rows(clause):
    return lambda source, target, *words: duckdb_session(target).execute(
        f"COPY (SELECT * FROM read_csv('{source}', header = false, names = {COLUMNS}) "
        f"{clause(*words)}) TO '{target}' (FORMAT csv, HEADER false)")


def polars_rows(work):
    return lambda source, target, *words: work(
        pl.scan_csv(source, has_header=False, new_columns=COLUMNS), *words).sink_csv(
            target, include_header=False)


JOBS = {
    "copy": copy,
    "numpy sort": numpy_job(in_place),
    "numpy filter": numpy_job(lambda a, least: a[a >= a.dtype.type(least)]),
    "numpy flatnonzero": numpy_job(lambda a, least: np.flatnonzero(a >= a.dtype.type(least))),
    "numpy selection": numpy_job(lambda a, mask: a[np.load(mask)]),
    "numpy cumsum": numpy_job(lambda a: np.cumsum(a)),
    "duckdb sort": duckdb_sort,
    "polars sort": polars_sort,
    "duckdb sort rows": duckdb_rows(lambda: "ORDER BY amount"),
    "polars sort rows": polars_rows(lambda rows: rows.sort("amount")),
    "duckdb filter rows": duckdb_rows(lambda least: f"WHERE amount >= {least}"),
    "polars filter rows": polars_rows(lambda rows, least: rows.filter(pl.col("amount") >= int(least))),
}


def taken():
    """Wall and CPU seconds, and bytes read and written, so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    with open("/proc/self/io") as file:
        numbers = dict(line.split(": ") for line in file.read().splitlines())
    return [time.perf_counter(), usage.ru_utime + usage.ru_stime, int(numbers["read_bytes"]),
            int(numbers["write_bytes"])]


if __name__ == "__main__":
    name, *words = sys.argv[1:]
    if name.startswith("numpy"):
        import numpy as np
    elif name.startswith("duckdb"):
        import duckdb
    elif name.startswith("polars"):
        import polars as pl
    before = taken()
    JOBS[name](*words)
    costs = [after - begun for after, begun in zip(taken(), before)]
    print(json.dumps(dict(zip(["wall", "cpu", "read", "written"], costs))))
