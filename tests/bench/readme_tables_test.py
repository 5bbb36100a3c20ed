#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scripts on records made up for them. script/readme-tables: which rows it shows and counts, and its ratios.
script/table2: block scans, and strategies with equal tiles."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = "script/readme-tables"


def rows(operation, n, times, ratios=None, engine="cpu", kind="i32"):
    """Results of one workload: `times` by contender, `ratios` of some."""
    return [{"engine": engine, "operation": operation, "type": kind, "n": n, "name": name,
             "bytes": 8 * n, "median_us": us,
             **({"ratio": ratios[name]} if name in (ratios or {}) else {})}
            for name, us in times.items()]


class Tables(unittest.TestCase):
    def made(self, table, results, sentence=""):
        """The lines of a table from a record of these results; or a sentence as the script writes it."""
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            for folder in "script", "docs/benchmarks", "bench/records":
                (root / folder).mkdir(parents=True)
            for script in SCRIPT, "script/records.py":
                shutil.copy(ROOT / script, root / script)
            record = {"date": "2026-01-01", "rounds": 7, "cpu": "a CPU, 2 cores", "gpu": "a GPU",
                      "results": results}
            (root / "bench/records/a.json").write_text(json.dumps(record))
            page = root / "docs/benchmarks/a.md"
            page.write_text(f"<!-- record: {table} -->\n<!-- end -->\n{sentence}\n")
            (root / "README.md").write_text("No tables here.\n")
            subprocess.run([sys.executable, root / SCRIPT], check=True)
            subprocess.run([sys.executable, root / SCRIPT, "--check"], check=True)
            *lines, last = page.read_text().splitlines()[1:]
            return last if sentence else lines[:-1]

    def test_ratios_of_rounds_count_where_the_record_has_them(self):
        results = rows("reduce", 1 << 20, {"memcpy": 90, "libscan": 100, "std": 90, "tbb": 120},
                       {"memcpy": 0.85, "std": 1.25, "tbb": 1.1})
        self.assertEqual(self.made("cpu", results)[-1],
                         "| reduce i32 | 100.0 (1.10x) | 84 | 85 | tbb |")
        self.assertIn(": none of 1 rows", self.made("cpu tally", results)[0])
        older = rows("reduce", 1 << 20, {"memcpy": 90, "libscan": 100, "std": 90, "tbb": 120})
        self.assertEqual(self.made("cpu", older)[-1],
                         "| reduce i32 | 100.0 (0.90x) | 84 | 90 | std |")
        self.assertEqual(self.made("cpu losses", older)[-1],
                         "| reduce | i32: 0.90x at 2^20 | std |")

    def test_other_forms_of_ours_are_compared_by_medians(self):
        times = {"libscan": 100, "libscan planned": 50, "merge": 80}
        made = self.made("cpu matrices", rows("spmv rmat", 77, times, {"merge": 0.9}, kind="f32"))
        self.assertEqual(made[-2:], ["| spmv rmat f32 | 100.0 (0.90x) | 0 |  | merge |",
                                     "| spmv rmat f32, with a plan | 50.0 (1.60x) | 0 |  | merge |"])

    def test_the_title_says_how_many_rounds_there_were(self):
        results = rows("reduce", 1 << 20, {"libscan": 100, "std": 90})
        self.assertIn("medians of 7 interleaved rounds", self.made("cpu", results)[0])
        results[0]["samples"] = 51
        self.assertIn("medians of 7 to 51 interleaved rounds", self.made("cpu", results)[0])

    def test_times_below_a_microsecond(self):
        made = self.made("cpu", rows("reduce", 1000, {"libscan": 0.234, "std": 0.5}))
        self.assertEqual(made[-1], "| reduce i32 | 0.23 (2.14x) | 34 |  | std |")

    def test_table_2_counts_by_the_production_scan(self):
        results = rows("exclusive_scan", 1 << 16, {"libscan": 5, "cub": 6}, engine="cuda")
        for n, production, cub in (1 << 10, 5, 4), (1 << 16, 5, 6), (1 << 22, 20, 19):
            results += rows("algorithms", n, {
                "memcpy": 1, "cpu-sequential": 4.5, "sequential": 1, "chained-scan": 2,
                "production": production, "cub int": cub}, engine="cuda")
        made = self.made("cuda losses", results)
        self.assertIn(": 1 of 2 rows", made[0])
        self.assertEqual(made[4:], ["| exclusive_scan | sizes of Table 2 i32: 0.80x at 2^10, "
                                    "0.90x at 2^16, 0.23x at 2^22 | cub int, cpu-sequential |"])
        self.assertEqual(self.made("cuda tally", results), made[:1])
        # In tables of operations it has no row.
        self.assertEqual(len(self.made("cuda", results)), 5)

    def test_table_2_of_a_cpu(self):
        results = rows("algorithms", 1 << 10, {"libscan": 2, "sequential": 1, "tbb": 5})
        results += rows("algorithms", 1 << 11, {"libscan": 2, "sequential": 3, "tbb": 1.5})
        self.assertEqual(self.made("cpu losses", results)[-1],
                         "| exclusive_scan | sizes of Table 2 i32: 0.50x at 2^10, 0.75x at 2^11 | "
                         "sequential, tbb |")

    def test_numbers_in_sentences(self):
        results = rows("reduce", 1 << 16, {"memcpy": 1, "libscan": 100, "std": 90})
        results += rows("reduce", 1 << 20, {"libscan": 100, "std": 250, "tbb": 234})
        results += rows("filter 50 %", 1 << 20, {"libscan": 100, "std": 123}, kind="u32")
        sentence = ("Sums are 9x<!-- cpu of a: reduce i32 --> as fast, 0<!-- cpu of a: wins --> of "
                    "0<!-- cpu of a: rows --> rows.")
        self.assertEqual(re.sub("<!--.*?-->", "", self.made("cpu", results, sentence)),
                         "Sums are 2.34x as fast, 1 of 2 rows.")

    def test_strategies_are_known(self):
        found = re.search(r"scan_strategy_names\{.*?\{(.*?)\}",
                          (ROOT / "libscan/textbook/names.hpp").read_text(), re.S)
        text = (ROOT / "script/records.py").read_text()
        listed = re.search(r"STRATEGIES = \((.*?)\)", text, re.S)[1]
        production = re.search(r'PRODUCTION = (".*?")', text)[1]
        strings = re.compile(r'"(.*?)"')
        self.assertEqual(strings.findall(found[1]), strings.findall(listed + production))

    def test_matrices_of_several_sizes(self):
        results = rows("spmv rmat", 700, {"libscan": 10, "merge": 9}, kind="f32")
        results += rows("spmv rmat", 1 << 20, {"libscan": 100, "merge": 90}, kind="f32")
        self.assertEqual(self.made("cpu matrices", results)[-2:],
                         ["| spmv rmat f32 | 100.0 (0.90x) | 84 |  | merge |",
                          "| spmv rmat f32, 700 entries | 10.0 (0.90x) | 1 |  | merge |"])
        self.assertEqual(self.made("cpu losses", results)[-1],
                         "| spmv | rmat f32, 700 entries: 0.90x; rmat f32: 0.90x | merge |")


class Strategies(unittest.TestCase):
    """The tables of script/table2 besides Table 2 itself."""

    def made(self, table, *records):
        """The lines of a table on docs/tour/traffic.md, and the figures' names; a later record is newer."""
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            for folder in "script", "docs/tour", "docs/figures", "bench/records":
                (root / folder).mkdir(parents=True)
            for script in "script/table2", "script/charts.py":
                shutil.copy(ROOT / script, root / script)
            for day, record in enumerate(records, 1):
                record = {"date": f"2026-01-0{day}", "gpu": "a GPU, 1 MHz", **record}
                (root / f"bench/records/{day}.json").write_text(json.dumps(record))
            (root / "docs/table2.md").write_text("No tables here.\n")
            page = root / "docs/tour/traffic.md"
            page.write_text(f"<!-- table2: {table} -->\n<!-- end -->\n")
            command = [sys.executable, root / "script/table2"]
            self.assertEqual(subprocess.run([*command, "--check"], stderr=subprocess.DEVNULL).returncode, 1)
            subprocess.run(command, check=True)
            subprocess.run([*command, "--check"], check=True)
            return (page.read_text().splitlines()[1:-1],
                    [path.name for path in (root / "docs/figures").iterdir()])

    @staticmethod
    def block_scans(threads, n, scale):
        times = {"memcpy": 10, "cpu-sequential": 1000, "one thread": 40000, "global-hillis-steele": 300,
                 "hillis-steele": 20 * scale, "blelloch": 40, "blelloch-padded": 30}
        return rows(f"block-scans of {threads} threads", n, times, engine="cuda")

    def test_block_scans_over_threads_and_over_items(self):
        over_threads = {"results": self.block_scans(64, 1 << 20, 2) + self.block_scans(128, 1 << 20, 1)}
        over_items = {"results": self.block_scans(256, 1024, 1) + self.block_scans(256, 1 << 20, 1)}
        lines, figures = self.made("threads", over_threads, over_items)
        self.assertEqual(figures, ["table2-threads.svg"])
        self.assertIn("(../../bench/records/1.json)", lines[0])
        self.assertEqual(lines[2], "![time over the threads of a block](../figures/table2-threads.svg)")
        self.assertIn("| hillis-steele | 0.0400 | 0.0200 | 2000x | 50.0x |", lines)
        self.assertNotIn("memcpy", "".join(lines))
        self.assertIn("The speedup of v1 is 2000, that of v2 1000.", lines[-1])
        lines, figures = self.made("blocks", over_threads, over_items)
        self.assertEqual(figures, [])
        self.assertIn("(../../bench/records/2.json)", lines[0])
        self.assertIn("| 1024 | 1.0000 | 40.0000 | 0.3000 | 0.0200 | 0.0400 | 0.0300 |", lines)
        self.assertIn("19922945 additions, 19.0 times as many as a loop", lines[-1])
        self.assertIn("takes 10.0 times as long as the scan by", lines[-1])

    def test_equal_tiles_are_shown_as_traffic(self):
        times = {"memcpy": 100, "scan-then-fan": 200, "scan-then-propagate": 220, "reduce-then-scan": 150,
                 "chained-scan": 819.2, "decoupled-look-back": 110, "production": 105}
        results = rows("equal tiles of 2048", 1 << 21, times, engine="cuda")
        lines, _ = self.made("tiles", {"results": results})
        self.assertEqual(lines[-1], "| 2^21 | 2048 | 100.0 | 4.0 n | 4.4 n | 3.0 n | 16.4 n | 2.2 n | "
                                    "2.1 n | 0.80 |")

    def test_counters(self):
        traffic = {"chained-scan": {"read": 4100, "written": 4200, "launches": 1}}
        record = {"metrics": ["r", "w"], "n": 1024, "tile": 2048, "item_bytes": 4, "traffic": traffic}
        lines, _ = self.made("counters", record)
        self.assertEqual(lines[-1], "| chained-scan | 1 | 2 n | 2.03 n | 1.00 n | 1.03 n |")


if __name__ == "__main__":
    unittest.main()
