#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""script/readme-tables on records made up for it: which rows it shows and counts, and its ratios."""
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


if __name__ == "__main__":
    unittest.main()
