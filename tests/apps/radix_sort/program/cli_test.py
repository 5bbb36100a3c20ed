#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scan-sort seen from outside, with NumPy as the oracle: every type and option, rows of tables,
values, the bound on memory, messages, and all that array_program.py asks of every program.
Run as: cli_test.py path/to/scan-sort path/to/scan-sort-faulty path/to/data"""
import gzip
import io
import os
import re
import resource
import signal
import subprocess
import sys
import time
import unittest

import numpy as np

sys.path.insert(0, os.path.abspath(__file__ + "/../../../common"))
from array_program import ArrayProgramCase, DTYPES, EveryArrayProgram, content_of, mixture
from program_case import (BAD_FILE, DONE, FAILURE, QUICK, USAGE, combinations, grouped, some_of,
                          limited)

# Runs a command and prints how many bytes of memory it had at most. On its own, since a process
# begins with the memory of the one that starts it.
MOST_TAKEN = """import resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
sys.exit(done.returncode)"""

PROGRAM, FAULTY, DATA = [os.path.abspath(sys.argv.pop(1)) for _ in range(3)]


def samples(dtype, n, seed=1):
    """Few small numbers, often, among random bits, and of floats what orders stumble over."""
    array = mixture(dtype, n, 20, seed)
    dt = array.dtype
    if dt.kind == "f":
        special = [np.nan, -np.nan, np.inf, -np.inf, -0.0, 0.0, -0.0, np.finfo(dt).tiny]
    else:
        special = [np.iinfo(dt).min, np.iinfo(dt).max, 0]
    places = np.random.default_rng(seed).permutation(n)[:len(special)]
    array[places] = special[:n]
    return array


def stable_order(array, descending=False):
    """Positions in sorted order. Python's sort is stable, even reversed; NaN is the largest."""
    nan = np.isnan(array)
    keys = [(bool(m), 0 if m else x) for m, x in zip(nan, array.tolist())]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__, reverse=descending), np.int64)


def firsts(array, order):
    """Of positions in sorted order the first of each run of keys that are equal by ==."""
    kept = np.ones(len(order), bool)
    kept[1:] = array[order[1:]] != array[order[:-1]]
    return order[kept]


class SortCase(ArrayProgramCase):
    name, program, faulty = "scan-sort", PROGRAM, FAULTY


class AsEveryProgram(EveryArrayProgram, SortCase):
    streams = True
    words_of_help = EveryArrayProgram.words_of_help + [
        "--descending", "--values", "--values-output", "--argsort", "--bits", "--unique",
        "--memory", "--temp", "--algorithm", "block-radix", "Examples:", "Exit codes:"]

    def expected(self, array):
        return array[stable_order(array)]


class Results(SortCase):
    def test_every_type_and_option_against_a_stable_sort(self):
        for dtype in DTYPES:
            array = samples(dtype, 3001)
            numbers = np.arange(3001, dtype="uint16")
            source = self.save("in.npy", array)
            self.save("v.npy", numbers)
            values = ["--values", self.path("v.npy"), "--values-output", self.path("w.npy")]
            for flags in [[], ["--descending"], ["--unique"], ["--descending", "--unique"]]:
                with self.subTest(dtype=dtype, flags=flags):
                    order = stable_order(array, "--descending" in flags)
                    if "--unique" in flags:
                        order = firsts(array, order)
                    self.succeeds(source, "-o", self.path("o.npy"), *flags)
                    self.assertSame(self.load("o.npy", dtype), array[order])
                    self.succeeds(source, "-o", self.path("at.npy"), "--argsort", *flags)
                    self.assertSame(self.load("at.npy", "int64"), order)
                    self.succeeds(source, "-o", self.path("o.npy"), *values, *flags)
                    self.assertSame(self.load("o.npy", dtype), array[order])
                    self.assertSame(self.load("w.npy", "uint16"), numbers[order])

    def test_sizes_and_threads(self):
        for n in [0, 1, 2, 33, 131072, 131073, 400003]:
            array = samples("float32", n)
            array = array[array == array]
            source = self.save("in.npy", array)
            outputs = {self.succeeds(source, "--threads", t) for t in [0, 1, 3, 16]}
            self.assertEqual(len(outputs), 1)
            self.write("o.npy", outputs.pop())
            self.assertSame(self.load("o.npy", "float32"),
                            array[np.argsort(array, kind="stable")])

    def test_bits(self):
        array = samples("uint32", 5000)
        order = np.argsort(array >> 4 & 0xff, kind="stable")
        self.succeeds(self.save("in.npy", array), "-o", self.path("o.npy"), "--bits", "4:12",
                      "--verify", stderr=subprocess.DEVNULL)
        self.assertSame(self.load("o.npy", "uint32"), array[order])
        signed = samples("int16", 5000)
        order = np.argsort((signed >> 12).astype(int), kind="stable")
        self.succeeds(self.save("in.npy", signed), "-o", self.path("o.npy"), "--bits", "12:16")
        self.assertSame(self.load("o.npy", "int16"), signed[order])
        for dtype in ["int8", "float32", "float64"]:
            for bits in ["0:3", "3:8", "7:8", "5:5"]:
                code, _, err = self.call(self.save("in.npy", samples(dtype, 3000)), "--bits", bits,
                                         "--descending", "--verify", "-o", self.path("o.npy"))
                self.assertEqual(code, DONE, err)

    def test_the_real_data(self):
        heights = np.load(os.path.join(DATA, "elevation.npy")).ravel()
        code, _, err = self.call(os.path.join(DATA, "elevation.npy"), "-o", self.path("o.npy"),
                                 "--argsort", "--verify")
        self.assertEqual((code, err),
                         (DONE, "scan-sort: verified: std::stable_sort gives the same\n"))
        self.assertSame(self.load("o.npy", "int64"), np.argsort(heights, kind="stable"))
        self.succeeds(os.path.join(DATA, "elevation.npy"), "-o", self.path("o.txt"), "--unique")
        self.assertSame(self.load("o.txt", "int16"), np.unique(heights))


class Algorithms(SortCase):
    kernels = ["onesweep", "split", "block-radix"]

    def setUp(self):
        super().setUp()
        self.needs_executor()

    def test_each_is_a_stable_sort(self):
        values = ["--values", self.path("v.npy"), "--values-output", self.path("w.npy")]
        inputs = [("int8", 1024), ("uint16", 1), ("int32", 700), ("uint64", 333),
                  ("float32", 1000), ("float64", 1024), ("int64", 0)]
        for (dtype, n), cases in grouped(combinations(
                len(inputs), inputs, self.kernels + ["split-radix"], [[], ["--descending"]])):
            array, numbers = samples(dtype, n), np.arange(n, dtype="uint16")
            source = self.save("in.npy", array)
            self.save("v.npy", numbers)
            for name, flags in cases:
                with self.subTest(dtype=dtype, n=n, algorithm=name, flags=flags):
                    order = stable_order(array, "--descending" in flags)
                    given = [source, "--algorithm", name, *flags]
                    self.succeeds(*given, "-o", self.path("at.npy"), "--argsort")
                    self.assertSame(self.load("at.npy", "int64"), order)
                    self.succeeds(*given, "-o", self.path("o.npy"), *values)
                    self.assertSame(self.load("o.npy", dtype), array[order])
                    self.assertSame(self.load("w.npy", "uint16"), numbers[order])

    def test_bits(self):
        array = samples("uint64", 1000)
        source = self.save("in.npy", array)
        for first, end in [(0, 64), (4, 12), (30, 34), (32, 64), (63, 64), (7, 7)]:
            mask = np.uint64((1 << end - first) - 1)
            order = np.argsort(array >> np.uint64(first) & mask, kind="stable")
            for name in self.kernels:
                with self.subTest(algorithm=name, first=first):
                    self.succeeds(source, "-o", self.path("o.npy"), "--algorithm", name, "--bits",
                                  "%d:%d" % (first, end))
                    self.assertSame(self.load("o.npy", "uint64"), array[order])

    def test_counting_on_every_engine(self):
        for engine in ["cpu", "executor", "auto"]:
            for dtype, low in [("int16", -300), ("uint8", 0), ("int64", -(1 << 62))]:
                array = (np.random.default_rng(1).integers(0, 256, 2000) + low).astype(dtype)
                for flags in [[], ["--descending"]]:
                    self.succeeds(self.save("in.npy", array), "-o", self.path("at.npy"),
                                  "--argsort", "--algorithm", "counting", "--engine", engine, *flags)
                    self.assertSame(self.load("at.npy", "int64"), stable_order(array, bool(flags)))
        wide = self.save("in.npy", np.array([5, 261]))
        self.fails(USAGE, "256 apart, as unsigned words; expected less than 256", wide,
                   "--algorithm", "counting")
        self.succeeds(wide, "-o", self.path("o.npy"), "--algorithm", "counting", "--bits", "0:8")
        self.assertEqual(self.load("o.npy", "int64").tolist(), [5, 261])

    def test_what_is_said_and_refused(self):
        source = self.write("in.txt", b"3\n1\n2\n")
        for name in self.kernels:
            self.fails(USAGE, "expected --engine cuda, executor or auto", source, "--algorithm",
                       name, "--engine", "cpu")
            code, out, err = self.call(source, "--algorithm", name, "--verify", "--time")
            self.assertEqual((code, out), (DONE, b"1\n2\n3\n"), err)
            self.assertIn("std::stable_sort gives the same", err)
            self.assertIn(" by %s on " % name, err)
        self.fails(USAGE, "expected one of onesweep, split, block-radix, counting", source,
                   "--algorithm", "quick")
        self.fails(USAGE, "1025 keys; expected at most 1024",
                   self.save("many.npy", np.arange(1025)), "--algorithm", "block-radix")
        self.fails(USAGE, "the executor takes up to 16777216 items",
                   self.write("many.raw", bytes((1 << 24) + 1)), "--dtype", "uint8", "--algorithm",
                   "split", "--engine", "executor")
        self.finds("position 0 is 0, expected 1", source, "--algorithm", "counting", "-o",
                   self.path("o"))


class Tables(SortCase):
    TABLE = (b"# a comment\nname,height,note\nAlp,4478,\"x, y\"\n\nHill,20,\r\nPeak,-3,z\n"
             b"Twin,20,later\n  \nMount,1e3,last")

    def test_rows_stay_whole(self):
        table = self.write("t.csv", self.TABLE)
        out = self.finds_header(table, "--column", "2")
        self.assertEqual(out, b"name,height,note\nPeak,-3,z\nHill,20,\r\nTwin,20,later\n"
                              b"Mount,1e3,last\nAlp,4478,\"x, y\"\n")
        out = self.finds_header(table, "--column", "2", "--descending", "--unique")
        self.assertEqual(out, b"name,height,note\nAlp,4478,\"x, y\"\nMount,1e3,last\n"
                              b"Hill,20,\r\nPeak,-3,z\n")
        out = self.finds_header("-", "--column", "2", "--argsort", data=self.TABLE)
        self.assertEqual(out, b"2\n1\n3\n4\n0\n")

    def test_the_last_line_ends_as_the_first(self):
        self.assertEqual(self.succeeds("-", data=b"2\r\n1"), b"1\r\n2\r\n")
        self.assertEqual(self.finds_header("-", data=b"x\r\n2\r\n1"), b"x\r\n1\r\n2\r\n")
        self.assertEqual(self.succeeds("-", data=b"2\r\n1\r\n"), b"1\r\n2\r\n")
        self.assertEqual(self.succeeds("-", data=b"2\r\n1\r"), b"1\r\n2\r\n")

    def test_a_header_of_numbers(self):
        table = b"city,2019\nA,3\nB,1\n"
        out = self.succeeds("-", "--column", "2", "--header", "yes", data=table)
        self.assertEqual(out, b"city,2019\nB,1\nA,3\n")
        self.assertEqual(self.succeeds("-", "--column", "2", data=table), b"B,1\nA,3\ncity,2019\n")
        code, _, err = self.call("-", "--column", "2", "--header", "yes", "--time", data=table)
        self.assertEqual(code, DONE)
        self.assertIn("2 items of int64; line 1 is a header\n", err)

    def test_no_row_is_lost_to_rounding(self):
        for data in [b"9007199254740993,a\n9007199254740992,b\n1.5,c\n",
                     b"18446744073709551615\n18446744073709551614\n-1\n"]:
            self.fails(BAD_FILE, "<stdin>:1: the integer", "-", "--unique", data=data)

    def test_rows_that_begin_with_a_number_sign_stay(self):
        table = b"# made by\nid,v\n#1,5\n#2,3\n3,1\n"
        self.assertEqual(self.finds_header("-", "--column", "2", data=table),
                         b"id,v\n3,1\n#2,3\n#1,5\n")
        self.assertEqual(self.succeeds("-", "--column", "2", data=b"#N/A,2\n#REF!,1\n"),
                         b"#REF!,1\n#N/A,2\n")
        self.assertEqual(self.succeeds("-", "--comments", "all", data=b"3\n# c\n1\n"), b"1\n3\n")

    def test_words_that_begin_with_a_number_sign_can_be_sorted(self):
        words = ["--column", "1:text"]
        self.assertEqual(self.succeeds("-", *words, "--comments", "none", data=b"#b\n#a\n"),
                         b"#a\n#b\n")
        self.notes("'#b' is skipped as a comment", "-", *words, data=b"#b\na\n")
        self.notes("'#a' is skipped as a comment", "-", *words, data=b"#b\n#a\n")
        self.notes("'#a,2024-02' is skipped", "-", "--column", "2:date",
                   data=b"#a,2024-02\nb,2023-01\n")
        self.succeeds("-", "--column", "2:date", data=b"#a,day\nb,2023-01\n")

    def test_a_single_row_stays_whole_and_is_noted(self):
        row = b"3 1 7\n"
        self.assertEqual(self.notes("the only row, of 3 numbers, stays whole", "-", data=row), row)
        self.assertEqual(self.succeeds("-", "--column", "1", data=row), row)
        self.assertEqual(self.succeeds("-", "--argsort", data=row), b"1\n0\n2\n")
        self.succeeds("-", "-o", self.path("o.npy"), data=row)
        self.assertEqual(np.load(self.path("o.npy")).tolist(), [1, 3, 7])
        self.assertEqual(self.succeeds("-", data=b"2 b\n1 a\n"), b"1 a\n2 b\n")

    def test_an_output_that_is_the_input(self):
        lines = [b"%d" % k for k in range(200000, 0, -1)]
        path = self.write("f.csv", b"\n".join(lines) + b"\n")
        with open(path, "r+b") as both:
            self.succeeds(path, stdout=both)
        self.assertEqual(content_of(path), b"\n".join(lines[::-1]) + b"\n")

    def test_truth_values_and_halves_are_keys(self):
        truth = np.array([True, False, True, False])
        self.succeeds(self.save("b.npy", truth), "-o", self.path("o.npy"), "--descending")
        self.assertSame(self.load("o.npy", "uint8"), np.array([1, 1, 0, 0], "uint8"))
        half = np.array([2.5, -1, np.inf, 0.5], "float16")
        for form in [half, half.astype(">f2")]:
            self.succeeds(self.save("h.npy", form), "-o", self.path("o.npy"))
            self.assertSame(self.load("o.npy", "float32"), np.sort(half).astype("float32"))

    def test_halves_are_values(self):
        half = np.array([2.5, -1, 0.5], "float16")
        keys = self.save("k.npy", np.array([3, 1, 2]))
        brain = (half.astype("float32").view("uint32") >> 16).astype("uint16")
        for name, items in [("float16", half), ("bfloat16", brain)]:
            values = self.write("v.raw", items.tobytes())
            for source in values, self.compress("v.raw"):
                self.succeeds(keys, "--values", source, "--values-dtype", name, "-o",
                              self.path("o.npy"), "--values-output", self.path("w.npy"))
                self.assertSame(self.load("w.npy", "float32"),
                                np.array([-1, 0.5, 2.5], "float32"))

    def test_keys_alone_go_to_other_formats(self):
        self.finds_header(self.write("t.csv", self.TABLE), "--column", "2", "-o",
                          self.path("o.npy"))
        self.assertSame(self.load("o.npy", "float64"), np.array([-3, 20, 20, 1000, 4478.0]))

    def test_values_move_with_rows(self):
        self.save("v.npy", np.arange(5, dtype="float32"))
        out = self.succeeds(self.write("t.txt", b"3 c\n1 a\n2 b\n1 d\n0 e\n"), "--values",
                            self.path("v.npy"), "--values-output", self.path("w.npy"))
        self.assertEqual(out, b"0 e\n1 a\n1 d\n2 b\n3 c\n")
        self.assertSame(self.load("w.npy", "float32"), np.array([4, 1, 3, 2, 0], "float32"))

    def test_a_mark_of_utf8_stays_first(self):
        self.assertEqual(self.succeeds("-", data=b"\xef\xbb\xbf3\n1\n"), b"\xef\xbb\xbf1\n3\n")
        self.assertEqual(self.finds_header("-", data=b"\xef\xbb\xbfn\n3\n1"), b"\xef\xbb\xbfn\n1\n3\n")

    def test_little_text(self):
        self.assertEqual(self.succeeds("-", data=b""), b"")
        self.assertEqual(self.succeeds("-", data=b"7"), b"7\n")
        self.assertEqual(self.succeeds("-", "--header", "yes", data=b"x\n"), b"x\n")
        self.fails(BAD_FILE, "'x' is no number", "-", data=b"x\n")
        self.assertEqual(self.succeeds("-", data=b"# only\n\n"), b"")
        self.assertEqual(self.succeeds("-", data=b"2\n1"), b"1\n2\n")

    def test_compressed_tables(self):
        source = self.write("t.csv.gz", gzip.compress(b"b;2\na;1\n") + gzip.compress(b"c;0\n"))
        self.succeeds(source, "--column", "2", "-o", self.path("o.csv.gz"))
        self.assertEqual(content_of(self.path("o.csv.gz")), b"c;0\na;1\nb;2\n")

    def test_many_rows_of_a_real_kind(self):
        rng = np.random.default_rng(5)
        low = rng.integers(0, 2**32, 30000)
        lines = [b"%d,%d,%s" % (x, x + 255, b"ABCDE"[x % 5:x % 5 + 2]) for x in low.tolist()]
        out = self.succeeds("-", "--verify", "--column", "1", data=b"\n".join(lines) + b"\n",
                            stderr=subprocess.DEVNULL)
        self.assertEqual(out.splitlines(), [lines[i] for i in np.argsort(low, kind="stable")])


class Messages(SortCase):
    def test_talk_goes_to_standard_error(self):
        source = self.save("in.npy", np.arange(1000, dtype="int32")[::-1])
        out = self.talks("std::stable_sort gives the same",
                         {"read": "1000 items of int32", "sort": "kept 1000 items, on c",
                          "write": "4128 bytes"}, source, "--unique")
        self.write("o.npy", out)
        self.assertSame(self.load("o.npy", "int32"), np.arange(1000, dtype="int32"))

    def test_wrong_command_lines(self):
        source = self.save("in.npy", np.arange(5))
        self.fails(USAGE, "--values-output", source, "--values", source)
        self.fails(USAGE, "--values", source, "--values-output", self.path("w.npy"))
        values = ["--values", source, "--values-output", self.path("w.npy")]
        self.fails(USAGE, "excludes", source, "--argsort", *values)
        self.fails(USAGE, "int7", source, "--values-dtype", "int7", *values)
        self.fails(USAGE, "two outputs", source, "-o", self.path("w.npy"), *values)
        os.symlink("w.npy", self.path("link.npy"))
        for other in ["link.npy", "./w.npy", "../%s/w.npy" % os.path.basename(self.dir)]:
            self.fails(USAGE, "two outputs", source, "-o", self.path(other), *values)
        self.fails(USAGE, "two outputs", source, "--values", source, "--values-output",
                   "/dev/stdout")
        self.fails(USAGE, "standard input", "-", "--values", "-", "--values-output",
                   self.path("w.npy"))
        self.fails(USAGE, "--unique", source, "--unique", "--bits", "0:8")
        for bits in ["8", "a:b", "-1:4", "5:4", "0:", "0:8x"]:
            self.fails(USAGE, "expected LO:HI", source, "--bits=" + bits)
        self.fails(USAGE, "[0, 65)", source, "--bits", "0:65")
        self.fails(USAGE, "--memory", source, "--memory", "much")
        self.fails(USAGE, "the ending .bz2", source, "-o", self.path("o.csv.bz2"))
        self.fails(USAGE, "the ending .xz", source, "--values", source, "--values-output",
                   self.path("w.txt.xz"))
        self.fails(USAGE, "--values-output: ''", source, "--values", source,
                   "--values-output", "")

    def test_verify_finds_a_planted_error_and_leaves_no_output(self):
        source = self.save("in.npy", np.arange(5, dtype="int32")[::-1])
        text = self.write("in.txt", b"4\n3\n2\n1\n0\n")
        values = ["--values", self.save("v.npy", np.arange(5.0)), "--values-output",
                  self.path("w.npy")]
        item, position = "item 0 is 2, expected 0", "position 0 is 2, expected 4"
        self.finds(item, source, "-o", self.path("o"))
        self.finds(position, source, "-o", self.path("o"), "--argsort")
        self.finds(position, text, "-o", self.path("o"))
        self.finds(item, source, "-o", self.path("o"), "--unique")
        self.finds(item, source, "-o", self.path("o"), *values)
        self.succeeds(source, "-o", self.path("o.npy"), program=FAULTY)  # so the error is real
        self.assertSame(self.load("o.npy", "int32"), np.array([2, 3, 4, 1, 0], "int32"))

    def test_values_that_do_not_fit(self):
        source = self.save("in.npy", np.arange(100))
        short = self.save("v.npy", np.arange(99))
        values = ["--values-output", self.path("w.npy"), "--values"]
        self.refused(source, "v.npy: 99 values, expected 100", *values, short)
        long = self.save("l.npy", np.arange(101))
        self.refused(source, "l.npy: 101 values, expected 100", *values, long)
        self.refused(source, "none.npy: ", *values, self.path("none.npy"))
        self.refused(source, "missing/w.npy: ", "--values", short, "--values-output",
                     self.path("missing/w.npy"))

    def test_a_file_beyond_the_bound_on_memory(self):
        array = np.arange(100_000)
        source = self.save("in.npy", array)
        for name in [source, self.compress("in.npy"), "-"]:
            data = content_of(source) if name == "-" else None
            self.refused(name, "takes at least 11.2 MiB of memory, more than the 100.0 KiB of "
                         "--memory", "--memory", "100K", code=FAILURE, data=data)
        text = self.write("in.txt", b"1\n" * 100_000)
        self.fails(FAILURE, "sorting ", text, "--memory", "1M", "-o", self.path("o.npy"))
        self.fails(FAILURE, "reading ", text, "--memory", "512K")  # the list of rows, too
        self.fails(FAILURE, "sorting ", text, "--memory", "3M")
        # Many keys may be alike; --verify needs all of them in memory.
        self.refused(source, "sorting ", "--memory", "2M", "--verify", code=FAILURE)
        self.succeeds(source, "-o", self.path("o.npy"), "--memory", "4M")
        self.assertSame(self.load("o.npy", "int64"), array)
        self.refused(self.write("in.raw", bytes(1 << 22)), "sorting ", "--memory", "5M", "--dtype",
                     "u8", "--verify", code=FAILURE)
        for size in ["-1", "+1", "99999999999999999999", "99E", "lots", "", "0x4M", "1.5M"]:
            self.refused(source, "--memory", "--memory", size, code=USAGE)

    def test_only_floats_of_which_some_are_odd_need_memory_for_positions(self):
        keys = np.random.default_rng(1).random(1 << 17)
        for last, succeeds in [(0.5, True), (-0.0, False), (np.nan, False)]:
            with self.subTest(last=last):
                keys[-1] = last
                command = [self.save("x.npy", keys), "-o", self.path("o.npy"), "--verify",
                           "--memory", "7M", "--threads", "1"]
                if succeeds:
                    self.assertEqual(self.call(*command)[0], DONE)
                else:
                    self.fails(FAILURE, "may take as much as 12.0 MiB of memory", *command)

    def test_no_more_memory_is_taken_than_a_bound_that_is_accepted(self):
        """Bounds are the least that are accepted; below some of them the sort is external. Beside
        them there is the program itself; with kernels for a GPU it is larger."""
        n, beside = 1 << 21, (8 if QUICK else 10) << 20
        zipf = np.random.default_rng(5).zipf(1.3, n).astype("uint64")
        floats = np.random.default_rng(6).normal(size=n)
        floats[n // 2] = -0.0
        values = ["--values-output", self.path("w.npy"), "--values"]
        words = self.save("words.npy", np.arange(n))
        shorts = self.save("shorts.npy", np.arange(n, dtype="uint16"))
        text = self.write("in.txt", b"\n".join(b"%d" % x for x in zipf[:n // 4]))
        for source, options in some_of(4, [
                (self.save("zipf.npy", zipf), []), (self.save("floats.npy", floats), []),
                (self.save("singles.npy", floats.astype("float32")), []),
                (self.path("zipf.npy"), ["--argsort"]), (self.path("zipf.npy"), values + [words]),
                (self.path("singles.npy"), values + [words]),
                (self.save("halves.npy", zipf.astype("uint32")), values + [words]),
                (self.path("halves.npy"), values + [shorts]), (text, [])]):
            with self.subTest(source=source, options=options):
                command = [source, "-o", self.path("o"), "--threads", "2", *options]
                bound, taken = self.min_accepted(command)
                self.assertLess(taken, bound + beside)

    def taken_with(self, command, bound):
        """The most memory that `command` has with this bound; None if it fails."""
        done = subprocess.run([sys.executable, "-c", MOST_TAKEN, PROGRAM, *command, "--memory",
                               str(bound)], capture_output=True, timeout=self.timeout)
        return int(done.stdout) if done.returncode == DONE else None

    def min_accepted(self, command):
        """The least bound, to 1 MiB, with which `command` succeeds, at most what a refusal names;
        and the most memory that it then has."""
        low = 10 << 20
        refusal = self.fails(FAILURE, "sorting ", *command, "--memory", low)
        named = re.search(r"takes at least (\d+\.\d) MiB of memory, more than ", refusal)[1]
        high, taken = int((float(named) + 0.05) * (1 << 20)), None  # as the number is rounded
        while high - low > 1 << 20:
            bound = (low + high) // 2
            with_bound = self.taken_with(command, bound)
            if with_bound is None:
                low = bound
            else:
                high, taken = bound, with_bound
        if taken is None:
            taken = self.taken_with(command, high)
        self.assertIsNotNone(taken, "%d bytes, which a refusal names" % high)
        return high, taken

    def test_sorts_through_a_temporary_file(self):
        n = 200_000
        random = np.random.default_rng(9)
        many = random.integers(-2**62, 2**62, n)
        floats = random.normal(size=n)
        floats[::7], floats[1::7], floats[2::7] = np.nan, -0.0, 0.0
        os.mkdir(self.path("temp"))
        bound = ["--memory", "16M", "--threads", "2"]
        little = bound + ["--temp", self.path("temp")]
        every = [("many", np.tile(many, 4)), ("floats", np.tile(floats, 4)),
                 ("two", random.integers(0, 2, 4 * n, dtype="int64")),
                 ("zipf", np.tile(random.zipf(1.2, n).astype("uint64"), 4)),
                 ("equal", np.full(4 * n, 3.5)), ("sorted", np.sort(np.tile(many, 4)))]
        moved = self.save("v.npy", np.arange(4 * n, dtype="uint32"))
        for (name, keys), whats in grouped(combinations(
                2, every[:3 if QUICK else 6], ["positions", "keys", "values", "a pipe"])):
            source = self.save("in.npy", keys)
            order = np.argsort(keys, kind="stable")
            for what, in whats:
                with self.subTest(keys=name, what=what):
                    if what == "keys":
                        self.succeeds(source, "-o", self.path("o.npy"), *little)
                        self.assertSame(self.load("o.npy", keys.dtype), keys[order])
                    elif what == "positions":
                        self.succeeds(source, "-o", self.path("o.npy"), "--argsort", *little)
                        self.assertSame(self.load("o.npy", "int64"), order)
                    elif what == "a pipe":
                        out = self.succeeds("-", *little, data=content_of(source))
                        self.assertSame(np.load(io.BytesIO(out)), keys[order])
                    else:
                        self.succeeds(source, "-o", self.path("o.npy"), "--values", moved,
                                      "--unique", "--values-output", self.path("w.npy"), *little)
                        firsts = order[np.flatnonzero(np.append(True, np.diff(keys[order]) != 0))]
                        self.assertSame(self.load("o.npy", keys.dtype), keys[firsts])
                        self.assertSame(self.load("w.npy", "uint32"), firsts.astype("uint32"))
                    self.assertEqual(os.listdir(self.path("temp")), [])
        source = self.save("in.npy", np.tile(many, 4))
        self.refused(source, "none: cannot write a temporary file (see --temp and TMPDIR)", *bound,
                     "--temp", self.path("none"), code=BAD_FILE)

    def test_interrupted_while_threads_sort(self):
        array = np.random.default_rng(3).integers(0, 2**64, 2**(22 if QUICK else 24), dtype="uint64")
        source = self.save("in.npy", array)
        array.sort()
        for number, delay in combinations(2, [signal.SIGINT, signal.SIGTERM],
                                          [0, 0.01, 0.03, 0.1, 0.3]):
            with self.subTest(signal=number, delay=delay):
                with subprocess.Popen(
                        [PROGRAM, source, "-o", self.path("o.npy"), "--threads", "8",
                         "--progress"], stderr=subprocess.PIPE) as process:
                    lines = iter(process.stderr.readline, b"")
                    self.assertTrue(any(b"100 %" in line for line in lines))  # of reading
                    time.sleep(delay)
                    process.send_signal(number)
                    process.wait(self.timeout)
                self.assertIn(process.returncode, [-number, DONE])
                # All of the output is there, or nothing.
                if process.returncode == DONE or os.path.exists(self.path("o.npy")):
                    self.assertSame(self.load("o.npy", "uint64"), array)
                    os.remove(self.path("o.npy"))
                self.assertHolds("in.npy")

    def test_a_full_disk_leaves_neither_keys_nor_values(self):
        source = self.save("in.npy", np.arange(1_000_000))
        self.fails(BAD_FILE, "cannot write: File too large", source, "-o", self.path("new"),
                   "--values", source, "--values-output", self.path("w"),
                   **limited(resource.RLIMIT_FSIZE, 100_000))
        small = self.save("small.npy", np.arange(10))
        for outputs in [["-o", self.path("k.npy"), "--values-output", "-"],
                        ["-o", "-", "--values-output", self.path("k.npy")]]:
            with open("/dev/full", "wb") as full:
                self.fails(BAD_FILE, "<stdout>: cannot write: No space left", small, "--values",
                           small, *outputs, stdout=full)


if __name__ == "__main__":
    unittest.main()
