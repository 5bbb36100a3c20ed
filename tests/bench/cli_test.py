#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scan-bench seen from outside: what it refuses before it measures, what it skips with a line, and
outputs that are lost. Run as: cli_test.py path/to/scan-bench (skipped, code 77, if it is not built)"""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.abspath(__file__ + "/../../apps/common"))
from program_case import BAD_FILE, DONE, FAILURE, ProgramCase, USAGE

PROGRAM = os.path.abspath(sys.argv.pop(1))
QUICK = ["--engine", "cpu", "--n", "1000", "--rounds", "3", "--impl", "libscan"]


class BenchCase(ProgramCase):
    name, program = "scan-bench", PROGRAM

    def measures(self, *arguments):
        """The types of the lines of a run that succeeds, and its standard error."""
        code, out, err = self.call(*arguments)
        self.assertEqual(code, DONE, err)
        types_at = 48  # operations have words, too
        return [line[types_at:].split()[0] for line in out.decode().splitlines()
                if line.startswith("cpu ") and " us " in line], err

    def refuses(self, words, *arguments):
        """A wrong command line must be refused in these words, before anything is measured."""
        code, out, err = self.call(*arguments)
        self.assertEqual((code, out), (USAGE, b""), err)
        self.assertIn(words, err)
        self.assertLess(len(err), 500)


class Refusals(BenchCase):
    def test_numbers(self):
        for n in "0", "-1", "99999999999999999999":
            self.refuses("not in range 1 to 1099511627776", "scan", f"--n={n}")
        self.refuses("not in range 0 to 65536", "scan", "--threads=-1")

    def test_names(self):
        names = "sequential, global-hillis-steele, one-block, scan-then-fan, scan-then-propagate, reduce-then-scan, "
        for operation in "scan", "algorithms":
            self.refuses('"foo" is unknown; expected one of ' + names, operation, *QUICK,
                         "--algorithm", "foo")
        for operation in ("scan", "segmented-scan", "sort", "segmented-sort", "histogram", "spmv",
                          "reduce"):
            self.refuses("--type: foo not in {", operation, *QUICK, "--type", "foo")
        for option in "--lengths", "--what", "--keys":
            self.refuses(f"{option}: foo not in {{", "segmented-sort", *QUICK, option, "foo")

    def test_empty_values(self):
        for option in "--engine", "--impl", "--n", "--type", "--json":
            for arguments in [option, ""], [option + "="]:
                self.refuses(f"{option}: '', expected a value", "scan", *QUICK, *arguments)

    def test_strategies(self):
        for arguments in (["--type", "i64"], ["--type", "i32,f32"], ["--op", "max"],
                          ["--inclusive"], ["--items", "ones"]):
            for name in "all", "chained-scan":
                self.refuses("--algorithm: strategies are measured by exclusive sums of random i32",
                             "scan", *QUICK, "--algorithm", name, *arguments)
        for operation in "scan", "algorithms":
            self.refuses("--algorithm: the cpu engine has one scan", operation, *QUICK,
                         "--algorithm", "production")
        self.assertEqual(self.measures("scan", *QUICK, "--algorithm", "all", "--type", "i32", "--op",
                                       "sum", "--exclusive", "--items", "random")[0], ["i32"])

    def test_implementations(self):
        quick = QUICK[:-1]
        for names in "foo", "libscan,foo", "libscan even":
            self.fails(USAGE, '" is unknown; expected some of libscan, ', "scan", *quick, names)
        for names in "libscan,cub", "libscan,memset,production":
            self.assertEqual(self.measures("scan", *quick, names, "--type", "i32")[0], ["i32"])
        code, out, _ = self.call("scan", "--help")
        self.assertEqual(code, DONE)
        for name in b"cpu-sequential", b"memset", b"parlaylib":
            self.assertIn(name, out)

    def test_lists_may_have_commas(self):
        self.assertEqual(len(self.measures("binary-scan", *QUICK, "--mask", "bytes,bits", "--true",
                                           "0,500,1000", "--exclusive")[0]), 6)
        self.assertEqual(len(self.measures("scan", *QUICK, "--items", "random,ones", "--type",
                                           "i32")[0]), 2)
        self.refuses("--engine: foo not in {", "scan", "--engine", "cpu,foo")
        self.refuses("--mask: foo not in {", "split", *QUICK, "--mask", "bytes,foo")
        self.refuses("--blocks: Value 0 not in range", "chapter", "--blocks", "1,0")
        self.refuses("--block: Value 1025 not in range", "block-scans",
                     "--block", "64,1025")

    def test_records_that_cannot_be_written(self):
        target = self.path("missing/x.json")
        self.fails(BAD_FILE, target + ": cannot create a file in ", "scan", *QUICK, "--json",
                   target)
        self.refuses("the ending .gz means a format", "scan", *QUICK, "--json",
                     self.path("x.json.gz"))
        self.refuses("--json: standard output holds", "scan", *QUICK, "--json", "-")

    def test_cuda_without_a_gpu(self):
        code, out, err = self.call("scan", "--engine", "cuda", "--n", 1000, "--once")
        if code == DONE:
            self.assertNotRegex(out.decode(), r"gpu +not measured")
            self.skipTest("there is a GPU")
        self.assertEqual(code, FAILURE)
        self.assertRegex(err, r"\Ascan-bench: error: .*(CUDA|cuda).*\n\Z")
        for operation in ["chapter", "block-scans"]:
            code, _, err = self.call(operation, "--n", 1000)
            self.assertEqual(code, USAGE)
            self.assertRegex(err,
                             r"nothing measured: no engine here does that \(.*(CUDA|cuda).*\)\n\Z")


class Skipped(BenchCase):
    def test_types_that_the_cpu_engine_lacks(self):
        for operation, types, found, words in [
                ("scan", "i8,f16", ["i8"], "no items of type f16"),
                ("scan", "f16,affine,bf16", ["affine"], "no items of type bf16"),
                ("sort", "u16,u32", ["u32", "u32"], "no sort of keys of u16"),  # in place, too
                ("reduce", "f16->f32,i32", ["i32"], "no reduction of f16->f32"),
                ("segmented-scan", "f32,u32", ["u32"], "within segments are of u32")]:
            more = ["--lengths", "one", "--heads", "bits"] if operation[:3] == "seg" else []
            with self.subTest(operation=operation, types=types):
                measured, err = self.measures(operation, *QUICK, "--type", types, *more)
                self.assertEqual(measured, found)
                self.assertIn(words, err)
                self.assertEqual(len(err.splitlines()), types.count(",") + 1 - len(set(found)))
        self.assertEqual(self.measures("scan", *QUICK, "--n", "500", "--type", "f16,i32")[0],
                         ["i32", "i32"])
        code, _, err = self.call("scan", *QUICK, "--type", "f16")
        self.assertEqual(code, USAGE)
        self.assertIn("nothing measured", err)
        code, _, err = self.call("histogram", *QUICK, "--type", "f32")
        self.assertEqual(code, USAGE)
        self.assertIn("skipped: scan-bench has no histogram of f32", err)


    def test_splits_from_both_ends(self):
        measured, err = self.measures("split", *QUICK, "--outputs", "reversed,one")
        self.assertEqual(measured, ["u32"])
        self.assertIn("skipped: the cpu engine's splits fill no buffer from both ends", err)
        code, _, err = self.call("split", *QUICK, "--outputs", "reversed")
        self.assertEqual(code, USAGE)
        self.assertIn("nothing measured", err)


class EveryoneOnTheCpu(BenchCase):
    """What is verified and timed on the cpu engine, and the bytes that count."""
    WHERE_FOUND = ("eigen", "parlaylib", "parlaylib in place", "thrust tbb")
    LOOPS = ["sequential", "sequential branchless"]
    STD = ["std", "std par_unseq"]

    def finds(self, expected, *arguments):
        """`expected`: the operation, type, bytes and competitors of each workload of 5000 items."""
        target = self.path("x.json")
        code, _, err = self.call(*arguments, "--engine", "cpu", "--n", "5000", "--rounds", "3",
                                 "--json", target)
        self.assertEqual((code, err), (DONE, ""))
        with open(target, encoding="utf-8") as file:
            record = json.load(file)
        self.assertEqual(record["wrong"], [])
        for r in record["results"]:
            self.assertEqual("ratio" in r, r["name"] != "libscan", r)
        found = [(r["operation"], r["type"], r["bytes"], r["name"]) for r in record["results"]
                 if r["name"] not in self.WHERE_FOUND]
        self.assertEqual(found, [(operation, kind, size, name)
                                 for operation, kind, size, competitors in expected
                                 for name in ["memcpy", "libscan", *competitors]])

    def test_splits(self):
        competitors = self.LOOPS + self.STD
        self.finds([("split two outputs 50 %", "u32", 40000, competitors),
                    ("split one buffer 50 %", "u32", 40000, [*competitors, "std par_unseq counted"])],
                   "split")
        self.finds([("split two outputs by bytes 1 %", "u32", 45000, self.LOOPS),
                    ("split two outputs by bytes 100 %", "u32", 45000, self.LOOPS)],
                   "split", "--outputs", "two", "--mask", "bytes", "--keep", "10,1000")

    def test_runs(self):
        # 5000 runs, of lengths of 64 bits.
        self.finds([("unique, runs of 1", "u32", 40000, self.LOOPS + self.STD),
                    ("run_length_encode, runs of 1", "u32", 80000, self.LOOPS)],
                   "runs", "--lengths", "1")

    def test_filters(self):
        self.finds([("filter 100 %", "u32", 40000, ["sequential branchless", *self.STD])],
                   "filter", "--keep", "1000")

    def test_sorts(self):
        boost = ["boost spreadsort", "boost block_indirect"]
        self.WHERE_FOUND += (*boost, "boost parallel_stable")
        self.finds([("sort keys, uniform", "u32", 180000,
                     ["libscan in place", "std", "vqsort", "std par_unseq"]),
                    ("sort pairs, uniform", "u32+u32", 340000, ["std stable", "std par_unseq"]),
                    ("argsort, uniform", "u32", 320000, ["std stable", "std par_unseq"])],
                   "sort", "--what", "keys,pairs,argsort")

    def test_splits_by_key(self):
        self.finds([(f"split by key, {buckets} buckets", "u32+u32", 100000,
                     ["sequential", "std stable", "std par_unseq"]) for buckets in (8, 64, 256)],
                   "split-by-key")

    def test_matrices_from_lists(self):
        # 312 rows, of offsets of 64 bits.
        self.finds([("coo to csr", "f32", 100000 + 312 * 8, ["sequential", "std par_unseq"])],
                   "coo-to-csr")

    def test_scans_of_maps(self):
        self.finds([(f"{kind}_scan", "affine", 80000, ["sequential", *self.STD, "tbb"])
                    for kind in ("inclusive", "exclusive")],
                   "scan", "--type", "affine", "--inclusive", "--exclusive")


class SortsWithinSegments(BenchCase):
    LENGTHS = ("one", "ones", "short", "power-law", "huge", "half-empty", "medium", "rows-16",
               "rows-1024", "few-huge")
    RIVALS = {"keys": ["std", "tbb", "vqsort tbb"], "pairs": ["std stable", "tbb stable"]}

    def test_everyone_is_verified_and_timed(self):
        target = self.path("x.json")
        code, _, err = self.call("segmented-sort", "--engine", "cpu", "--n", "5000", "--rounds", "3",
                                 "--what", "keys,pairs", "--json", target)
        self.assertEqual((code, err), (DONE, ""))
        with open(target, encoding="utf-8") as file:
            record = json.load(file)
        self.assertEqual(record["wrong"], [])
        found = [(r["operation"], r["type"], r["name"]) for r in record["results"]]
        self.assertEqual(found, [
            (f"sort {what} within segments, {lengths}", kind, name)
            for lengths in self.LENGTHS for what, kind in [("keys", "u32"), ("pairs", "u32+u32")]
            for name in ["memcpy", "libscan", *self.RIVALS[what]]])
        # 313 rows of at most 16 keys: offsets of 64 bits once, keys in and out.
        bytes_moved = {r["bytes"] for r in record["results"]
                       if r["operation"] == "sort keys within segments, rows-16"}
        self.assertEqual(bytes_moved, {314 * 8 + 5000 * 4 * 2})

    def test_what_is_asked_for(self):
        arguments = ["segmented-sort", *QUICK, "--lengths", "short,power-law", "--type", "u32"]
        self.assertEqual(self.measures(*arguments)[0], ["u32", "u32"])

    def test_equal_keys(self):
        for keys in "256-distinct", "sorted", "constant":
            code, _, err = self.call("segmented-sort", "--engine", "cpu", "--n", "5000", "--once",
                                     "--what", "keys,pairs", "--keys", keys)
            self.assertEqual((code, err), (DONE, ""), keys)


class Outputs(BenchCase):
    def test_standard_output_that_is_lost(self):
        for arguments in ["scan", *QUICK], ["--help"]:
            with open("/dev/full", "wb") as full:
                self.fails(BAD_FILE, "<stdout>: cannot write: No space left on device", *arguments,
                           stdout=full)
            self.fails(BAD_FILE, "<stdout>: cannot write: Bad file descriptor", *arguments,
                       stdout=None, preexec_fn=lambda: os.close(1))

    def test_a_record(self):
        target = self.write("x.json", b"old")
        self.measures("scan", *QUICK, "--type", "i32", "--json", target)
        with open(target, encoding="utf-8") as file:
            results = json.load(file)["results"]
        self.assertEqual([(r["name"], r["n"]) for r in results], [("libscan", 1000)])
        self.assertHolds("x.json")
        self.assertEqual(self.call("compare", target, target)[0], DONE)

    def test_compare_of_bad_files(self):
        good = self.write("good.json", b'{"results": []}')
        for name, content, words in [("bad.json", b"{", "is not a record of scan-bench"),
                                     ("other.json", b"[1]", "is not a record of scan-bench"),
                                     ("none.json", None, "No such file or directory"),
                                     ("good.json", None, "has nothing in common with")]:
            path = self.path(name) if content is None else self.write(name, content)
            self.fails(BAD_FILE, f"{path}: ", "compare", good, path)
            self.assertIn(words, self.call("compare", good, path)[2])


if __name__ == "__main__":
    if not os.path.exists(PROGRAM):
        sys.exit(77)
    unittest.main()
