#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scan-histogram seen from outside, with NumPy as the oracle: bins of all kinds, weights, messages,
and all that array_program.py asks of every program.
Run as: cli_test.py path/to/scan-histogram path/to/scan-histogram-faulty"""
import json
import os
import re
import resource
import subprocess
import unittest

import numpy as np

from histogram_program import HistogramCase
from array_program import DTYPES, EveryArrayProgram, INTEGERS, content_of, samples
from program_case import BAD_FILE, DONE, FAILURE, QUICK, USAGE, combinations, grouped, limited, some_of


def inside(array, lo, hi):
    """The numbers of an array in a range, as float64 if that holds them all."""
    with np.errstate(invalid="ignore"):
        return array[(array >= lo) & (array <= hi)].astype("float64")


def fits(number, dtype):
    """Whether a number is one of the type."""
    if dtype.startswith("float"):
        with np.errstate(over="ignore"):
            return float(np.dtype(dtype).type(number)) == number
    limits = np.iinfo(dtype)
    return limits.min <= number <= limits.max and number == int(number)


def counts_between(numbers, edges):
    """The counts of numbers between edges, in Python's exact comparisons."""
    counts = [sum(lower <= x < upper for x in numbers) for lower, upper in zip(edges, edges[1:])]
    counts[-1] += numbers.count(edges[-1])
    return counts


class AsEveryProgram(EveryArrayProgram, HistogramCase):
    streams = True
    words_of_help = EveryArrayProgram.words_of_help + [
        "--bins", "--range", "--edges", "--integers", "--weights",
        "--edges-dtype", "--weights-dtype", "--algorithm", "block-count", "column 1", "row by row", "--plot", "--svg", "--png",
        "--log", "Examples:", "Exit codes:"]

    def expected(self, array):
        return np.histogram(inside(array, 1, 100), 7, (1, 100))[0]

    # What other programs do with as many items; here an output is as large as there are bins.

    def test_a_full_disk_leaves_no_output_and_the_old_one_untouched(self):
        source = self.save("in.npy", np.arange(5))
        self.write("old", b"old")
        for target in ["old", "new", "new.npy", "new.raw", "new.txt"]:
            self.fails_with(BAD_FILE, self.path(target) + ": cannot write: File too large", source,
                            "--bins", "1000000", "-o", self.path(target),
                            **limited(resource.RLIMIT_FSIZE, 1 << 16))
        self.assertEqual(content_of(self.path("old")), b"old")

    def test_a_reader_that_has_gone_ends_the_program_quietly(self):
        source = self.save("in.npy", np.arange(3))
        with subprocess.Popen([self.program, source, "--bins", "3000000", "--range", "0:1"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.read(100)
            process.stdout.close()
            self.assertEqual(process.stderr.read(), b"")


class Results(HistogramCase):
    def test_even_bins_of_every_type_against_numpy(self):
        for number, dtype in enumerate(DTYPES):
            array = samples(dtype, 3001)
            source = self.save("in.npy", array)
            for bins, lo, hi in some_of(2, [(1, 0, 50), (10, 0, 100), (99, 3, 120), (1000, -7.25, 90),
                                            (8, 0.1, 0.9), (256, 0, 25.6)], number):
                with self.subTest(dtype=dtype, bins=bins, lo=lo, hi=hi):
                    expected = np.histogram(inside(array, lo, hi), bins, (lo, hi))[0]
                    for threads in [1, 3]:
                        self.assertSame(self.counts(source, "--bins", bins, f"--range={lo}:{hi}",
                                                    "--threads", threads), expected)

    def test_the_range_of_the_samples_is_the_default(self):
        for dtype in DTYPES:
            array = samples(dtype, 1500)
            with np.errstate(over="ignore", invalid="ignore"):
                array = array[np.isfinite(array) & (np.abs(array.astype("float64")) < 1e15)]
            for part in [array, array[:1], array[:0], np.repeat(array[:1], 40)]:
                with self.subTest(dtype=dtype, n=len(part)):
                    found = self.counts(self.save("in.npy", part))
                    self.assertSame(found, np.histogram(part.astype("float64"))[0])
                    self.assertEqual(found.sum(), len(part))

    def test_the_range_of_one_extreme_sample(self):
        for sample in np.finfo("float64").max, np.finfo("float64").min:
            found = self.counts(self.save("in.npy", np.array([sample])))
            self.assertEqual(found.sum(), 1)

    def test_the_range_of_integers_that_doubles_round(self):
        for least, greatest in [(0, 2**53 + 1), (-2**53 - 1, 0), (-2**62 - 1, 2**62 + 1)]:
            with self.subTest(least=least, greatest=greatest):
                array = np.array([least, greatest], "int64")
                self.assertSame(self.counts(self.save("in.npy", array), "--bins", 2),
                                np.array([1, 1]))

    def test_nan_has_no_part_in_the_range(self):
        array = np.array([np.nan, 1, 2, 3, np.nan])
        self.assertSame(self.counts(self.save("in.npy", array), "--bins", 2), np.array([1, 2]))

    def test_edges_against_numpy(self):
        for dtype in DTYPES:
            array = samples(dtype, 3001)
            source = self.save("in.npy", array)
            for edges in [[0, 1], [1, 2, 4, 8, 8, 100], np.linspace(-3, 90, 300) ** 3 / 8100,
                          [5, 5.5, 6]]:
                edges = np.asarray(edges, "float64")
                with self.subTest(dtype=dtype, edges=len(edges)):
                    expected = np.histogram(inside(array, edges[0], edges[-1]), edges)[0]
                    self.assertSame(self.counts(source, "--edges", self.save("e.npy", edges)),
                                    expected)

    def test_integers_against_numpy(self):
        rng = np.random.default_rng(5)
        for dtype in INTEGERS:
            array = rng.integers(0, 120, 5000).astype(dtype)
            source = self.save("in.npy", array)
            with self.subTest(dtype=dtype):
                self.assertSame(self.counts(source, "--integers"), np.bincount(array.astype("int64")))
                part = array[(array >= 7) & (array <= 50)]
                self.assertSame(self.counts(source, "--integers", "--range", "7:50"),
                                np.bincount(part.astype("int64") - 7, minlength=44))
        source = self.save("in.npy", np.array([-3, -3, 0, 2]))
        self.assertSame(self.counts(source, "--integers"), np.array([2, 0, 0, 1, 0, 1]))
        self.assertSame(self.counts(source, "--integers", "--range=-4:-2"), np.array([0, 2, 0]))

    def test_integers_below_zero_need_no_bins_up_to_it(self):
        for values in [[-7, -5, -7], [-20_000_000], [-5, 2]]:
            source = self.save("in.npy", np.array(values))
            expected = [values.count(k) for k in range(min(values), max(values) + 1)]
            for more in [[], ["--verify"], ["--memory", "4M"]]:
                self.assertEqual(self.call(source, "--integers", *more, "-o",
                                           self.path("c.npy"))[0], DONE)
                self.assertEqual(self.load("c.npy", "int64").tolist(), expected)

    def test_integers_that_the_samples_cannot_be(self):
        most = 2**63 - 1
        for dtype, values, first, last in [
                ("uint8", [0, 5, 255], -3, 6), ("uint8", [0, 5, 255], 250, 260),
                ("uint8", [0, 5, 255], 256, 258), ("uint8", [0, 5, 255], -5, -2),
                ("int8", [-128, 127], -130, -120), ("uint64", [0, 2 * most + 1], -2, 2),
                ("int64", [-most, most], most - 1, most + 3), ("uint64", [7], -most - 1, -most)]:
            source = self.save("in.npy", np.array(values, dtype))
            weights = self.save("w.npy", np.ones(len(values)))
            expected = [values.count(k) for k in range(first, last + 1)]
            below, inside = sum(v < first for v in values), sum(expected)
            with self.subTest(dtype=dtype, first=first, last=last):
                options = ["--integers", "--range=%d:%d" % (first, last)]
                self.assertEqual(self.counts(source, *options).tolist(), expected)
                self.assertEqual(self.counts(source, *options, "--weights", weights,
                                             dtype="float64").tolist(), expected)
                table = self.succeeds(source, *options, "--table").split()
                self.assertEqual((table[1], table[-1]), (b"%d,%d,%d" % (first, first, expected[0]),
                                                         b"%d,%d,%d" % (last, last, expected[-1])))
                _, _, err = self.call(source, *options, "--verify", "--json", self.path("r.json"))
                self.assertIn("verified", err)
                report = json.loads(content_of(self.path("r.json")))
                self.assertEqual((report["below"], report["inside"]), (below, inside))
        zeros = np.zeros(4_000_000, "uint32").tobytes()  # several pieces
        self.assertEqual(self.succeeds("-", "--format", "raw", "--dtype", "uint32", *options[:1],
                                       "--range=-2:1", "--table", data=zeros).split()[1:],
                         [b"-2,-2,0", b"-1,-1,0", b"0,0,4000000", b"1,1,0"])
        for ends in ["-1.5:2", "1", "3:2", "0:18446744073709551616", "1e1:20", "0x1:3"]:
            self.fails(USAGE, "--range: '%s', expected " % ends, source, "--integers",
                       "--range=" + ends)

    def test_64_bit_integers_are_exact(self):
        big = 2**53
        array = np.array([big, big + 1, big + 1, big + 2, 2**63 - 1, -2**63])
        source = self.save("in.npy", array)
        self.assertSame(self.counts(source, "--integers", "--range", f"{big}:{big + 2}"),
                        np.array([1, 2, 1]))
        edges = self.save("e.npy", np.array([big, big + 1, big + 2]))
        self.assertSame(self.counts(source, "--edges", edges), np.array([1, 3]))
        array = np.array([0, 2**64 - 2, 2**64 - 1], "uint64")
        source = self.save("in.npy", array)
        self.assertSame(self.counts(source, "--integers", "--range", f"{2**64 - 2}:{2**64 - 1}"),
                        np.array([1, 1]))
        self.assertEqual(self.counts(source).sum(), 3)

    def test_integer_edges_of_another_sign_or_size(self):
        big = 2**63
        for dtype, samples_, edges, counts in [
                ("uint64", [0, 4, 5, big], np.array([-1, 5]), [3]),
                ("uint64", [0, 4, 5, big], np.array([-9, -1, 0, 5]), [0, 0, 3]),
                ("uint64", [0, 4, big - 1, big], np.array([-7, 3, big - 1]), [1, 2]),
                ("uint64", [0, 1], np.array([-5, -2]), [0]),
                ("int64", [-5, 0, big - 1], np.array([0, big], "uint64"), [2]),
                ("int64", [-5, 0, big - 1], np.array([0, 7, 2 * big - 1], "uint64"), [1, 1]),
                ("int32", [-5, 0, 9], np.array([0, 9, 2 * big - 1], "uint64"), [1, 1]),
                ("uint8", [0, 9, 255], np.array([-big, 9, big - 1]), [1, 2])]:
            source = self.save("in.npy", np.array(samples_, dtype))
            with self.subTest(dtype=dtype, edges=edges):
                code, _, err = self.call(source, "--edges", self.save("e.npy", edges), "--verify",
                                         "-o", self.path("o.npy"))
                self.assertEqual(code, DONE, err)
                self.assertEqual(self.load("o.npy", "int64").tolist(), counts)

    def test_samples_and_edges_of_any_two_types(self):
        """Python compares numbers of different types exactly, and so must the program."""
        self.needs_executor()
        big, huge = 2**53, 2**63
        interesting = {0, 1, -1, -3, 5, big - 1, big, big + 1, big + 2, big + 3, 2 * big + 2,
                       huge - 1025, huge - 1, huge, huge + 1, huge + 2049, 2 * huge - 1, -big - 1,
                       -big - 2, -huge, 1 - huge, 0.5, 4.5, -0.5, float(huge), 2.0 * huge, 1e30,
                       -1e30, np.inf, -np.inf}
        lists = [[big + 1, big + 1], [huge + 1, huge + 2], [-huge, 1 - huge], [-3, -1],
                 [-1, 0, 5], [0, 5, huge - 1, huge + 1], [-5, big + 1, huge - 1],
                 [big + 1, big + 1, big + 3], [0.5, 0.5], [-0.5, 0.5, 4.5], [0.5, 4.5, 1e30],
                 [-np.inf, -1e30, 5, np.inf], [1e30, np.inf], [-np.inf, -1e30], [huge, huge]]
        for turn, dtype in enumerate(["int8", "uint16", "int64", "uint64", "float32", "float64"]):
            with np.errstate(over="ignore"):
                array = np.array([x for x in interesting if fits(x, dtype)], dtype)
            source = self.save("in.npy", array)
            for edges in some_of(4, lists, turn):
                type_of_edges = next(each for each in ["int64", "uint64", "float64"]
                                     if all(fits(x, each) for x in edges))
                file = self.save("e.npy", np.array(edges, type_of_edges))
                expected = counts_between(array.tolist(), edges)
                for engine in "cpu", "executor":
                    with self.subTest(dtype=dtype, edges=edges, engine=engine):
                        given = [source, "--edges", file, "--engine", engine]
                        self.assertEqual(self.counts(*given).tolist(), expected)
                with self.subTest(dtype=dtype, edges=edges, verify=True):
                    code, _, err = self.call(*given[:3], "--verify", "-o", self.path("v.npy"))
                    self.assertEqual(code, DONE, err)
                    weights = self.save("w.npy", np.full(len(array), 0.5))
                    found = self.counts(*given[:3], "--weights", weights, dtype="float64")
                    self.assertEqual(found.tolist(), [0.5 * count for count in expected])

    def test_halves_and_truth_values(self):
        half = (np.arange(50) / 8).astype("float16").reshape(5, 10)
        expected, _ = np.histogram(half.astype("float32"), bins=4, range=(0, 5))
        for form in [half, half.T, half.astype(">f2")]:
            self.assertSame(self.counts(self.save("h.npy", form), "--bins", "4", "--range", "0:5"),
                            expected)
        truth = self.save("b.npy", np.arange(50) % 5 == 0)
        self.assertSame(self.counts(truth, "--integers"), np.array([40, 10]))

    def test_one_row_of_edges(self):
        edges = self.write("e.txt", b"0 2 5\n")
        self.assertEqual(self.succeeds("-", "--edges", edges, data=b"1 2 3 4\n"), b"1\n3\n")

    def test_weights_against_numpy(self):
        rng = np.random.default_rng(6)
        array = rng.normal(0, 1, 20000)
        source = self.save("in.npy", array)
        for dtype in ["float32", "float64", "int16"]:
            weights = rng.integers(-90, 100, len(array)).astype(dtype)
            if dtype == "float64":
                weights += 0.1
            expected = np.histogram(array, 12, (-2, 2), weights=weights)[0]
            found = self.counts(source, "--bins", 12, "--range=-2:2", "--weights",
                                self.save("w.npy", weights), dtype="float64")
            np.testing.assert_allclose(found, expected, rtol=1e-12)
            again = self.counts(source, "--bins", 12, "--range=-2:2", "--weights",
                                self.path("w.npy"), "--threads=5", dtype="float64")
            self.assertSame(found, again)

    def test_weights_beyond_memory_are_refused_unread(self):
        """They take 8 bytes each. The file of weights does not even exist."""
        source = self.save("in.npy", np.zeros(1 << 21, "int8"))
        options = [source, "--bins", 4, "--range=0:4", "--weights", self.path("none.npy")]
        for limit, code, words in [("8M", FAILURE, "none.npy takes at least "), ("4G", BAD_FILE, "none.npy: ")]:
            self.fails(code, words, *options, "--memory", limit)

    def test_raw_files_beside_the_input(self):
        array = np.array([0, 5, 15, 15], "int64")
        source = self.write("in.raw", array.tobytes())
        edges = self.write("ed.raw", np.array([0, 10, 20], "float32").tobytes())
        weights = self.write("w.bin", np.array([1, 2, 3, 4], "int16").tobytes())
        self.assertSame(self.counts(source, "--dtype", "int64", "--edges", edges,
                                    "--edges-dtype", "float32", "--weights", weights,
                                    "--weights-dtype", "i16", dtype="float64"), np.array([3.0, 7]))
        half = self.write("h.raw", np.array([0, 10, 20, 30], "float16").tobytes())
        self.assertSame(self.counts(source, "--dtype", "int64", "--edges", half, "--edges-dtype",
                                    "float16", "--weights", half, "--weights-dtype", "float16",
                                    dtype="float64"), np.array([10.0, 50, 0]))
        for flag, file in ("--edges", edges), ("--weights", weights):
            self.fails(USAGE, f"{flag}-dtype is needed to read {file} as raw", source, "--dtype",
                       "int64", flag, file)
            self.fails(USAGE, f"{flag}-dtype: 'x' is no item type", source, flag, file,
                       flag + "-dtype", "x")
            self.fails(USAGE, flag, source, flag + "-dtype", "i8")

    def test_a_great_many_bins(self):
        rng = np.random.default_rng(7)
        array = rng.integers(0, 2**20, 100000).astype("uint32")
        source = self.save("in.npy", array)
        self.assertSame(self.counts(source, "--integers", "--range", "0:1048575"),
                        np.bincount(array, minlength=2**20))
        each = 4 if QUICK else 16
        self.assertSame(self.counts(source, "--bins", each * 2**20, "--range", "0:1048576"),
                        np.bincount(array * each, minlength=each * 2**20))

    def test_bins_count_as_memory(self):
        source = self.save("in.npy", np.zeros(10, "uint32"))
        weights = self.save("w.npy", np.zeros(10))
        for options in [["--bins", 2**24], ["--bins", 2**24, "--range", "0:1"],
                        ["--integers", "--range", "0:9999999"],
                        ["--bins", 2**20, "--weights", weights]]:
            self.fails(FAILURE, "bins takes at least", source, *options, "--memory", "4M")
        self.succeeds(source, "--bins", 2**18, "--range", "0:1", "--memory", "5M")

    def test_text_holds_one_count_a_line(self):
        out = self.succeeds("-", "--integers", data=b"1\n3\n3\n")
        self.assertEqual(out, b"0\n1\n0\n2\n")

    def test_a_table_of_counts_and_edges(self):
        samples = self.save("in.npy", np.array([0.1, 0.2, 0.35, 2.5, 7], "float64"))
        out = self.succeeds(samples, "--bins", "3", "--range=0:0.3", "--table").decode().split()
        counts, edges = np.histogram([0.1, 0.2, 0.35, 2.5, 7], 3, (0, 0.3))
        self.assertEqual(out[0], "from,to,count")
        cells = [line.split(",") for line in out[1:]]
        self.assertEqual([float(lower) for lower, _, _ in cells], edges[:-1].tolist())
        self.assertEqual([float(upper) for _, upper, _ in cells], edges[1:].tolist())
        self.assertEqual([int(count) for _, _, count in cells], counts.tolist())
        big = self.write("big.txt", b"9007199254740993\n")
        for edges in [b"9007199254740992\n9007199254740993\n9007199254740995\n"]:
            out = self.succeeds(big, "--edges", self.write("e.txt", edges), "--table")
            self.assertEqual(out, b"from,to,count\n9007199254740992,9007199254740993,0\n"
                                  b"9007199254740993,9007199254740995,1\n")
        whole = self.save("i.npy", np.array([3, 3, 5], "uint8"))
        weights = self.save("w.npy", np.array([0.5, 0.25, 2.0]))
        self.succeeds(whole, "--integers", "--range", "3:5", "--weights", weights, "--table", "-o",
                      self.path("o.csv"))
        self.assertEqual(content_of(self.path("o.csv")), b"from,to,sum\n3,3,0.75\n4,4,0\n5,5,2\n")
        self.fails(USAGE, "--table is text", whole, "--table", "-o", self.path("o.npy"))

    def test_verify_and_time(self):
        source = self.save("in.npy", np.array([1.0, 2, 200, -5, np.nan]))
        self.talks("a plain loop computes the same",
                   {"read": "5 items of float64", "count": "1 below, 2 inside, 1 above, 1 nan, on ",
                    "write": "bytes"}, source, *self.options)
        self.finds("item 6 is 0, expected 1", self.save("x.npy", np.array([99.0])), *self.options)
        weights = self.save("w.npy", np.array([4.0]))
        self.finds("item 6 is 2, expected 4", self.path("x.npy"), *self.options, "--weights",
                   weights)
        self.finds("item 1 is 0, expected 1", self.path("x.npy"), "--edges",
                   self.save("e.npy", np.array([0.0, 50, 100])))
        self.finds("item 4 is 2, expected 3", self.save("i.npy", np.array([1, 3, 4, 4, 4])),
                   "--integers")
        for kind in ["--integers", "--bins=5"]:
            array = self.save("i.npy", np.array([1, 3, 4, 4, 4], "uint16"))
            code, out, err = self.call(array, kind, "--verify")
            self.assertEqual((code, err),
                             (DONE, "scan-histogram: verified: a plain loop computes the same\n"))


    def test_sums_by_other_libraries(self):
        weights = self.save("w.npy", np.arange(300.0))
        source = self.save("in.npy", np.arange(300) * 7 % 19)
        for given in ["--bins=5"], ["--integers"], ["--edges", self.save("e.npy", np.arange(9))]:
            code, _, err = self.call(source, *given, "--weights", weights, "--verify=std", "-o",
                                     self.path("o.npy"))
            self.assertEqual(code, DONE, err)
            self.assertIn("a plain loop computes the same; so does the standard library", err)

    def test_read_counts_the_bytes_of_files(self):
        source = self.write("in.txt", b"%040d\n" % 5 * 100000)
        weights = self.write("w.txt", b"1\n" * 100000)
        for arguments, size in ([source], 4.1e6), ([source, "--weights", weights], 4.3e6):
            _, _, err = self.call(*arguments, "-o", "/dev/null", "--time")
            seconds, rate = map(float, re.search(r"read +(\S+) s +(\S+) GB/s", err).groups())
            # The rate has two decimals.
            self.assertLess((rate - 0.005) * seconds * 1e9, size * 1.01)
            self.assertGreater((rate + 0.005) * seconds * 1e9, size * 0.99)


class Algorithms(HistogramCase):
    names = ["shared", "sorted", "counted"]

    def setUp(self):
        super().setUp()
        self.needs_executor()

    def test_each_counts_as_numpy(self):
        rng = np.random.default_rng(3)
        edges = np.array([-50.0, -3, 0, 0, 7.5, 60])
        inputs = zip(["int8", "uint16", "int32", "uint64", "float32", "float64"],
                     [700, 0, 1025, 300, 900, 1])
        for (dtype, n), cases in grouped(combinations(2, inputs, self.names + ["block-count"],
                                                      ["bins", "edges"])):
            array = rng.integers(0 if dtype[0] == "u" else -80, 120, n).astype(dtype)
            source = self.save("in.npy", array)
            rules = {"bins": (self.options, np.histogram(inside(array, 1, 100), 7, (1, 100))[0]),
                     "edges": (["--edges", self.save("e.npy", edges)],
                               np.histogram(inside(array, -50, 60), edges)[0])}
            for name, rule in cases:
                with self.subTest(dtype=dtype, n=n, algorithm=name, rule=rule):
                    options, expected = rules[rule]
                    np.testing.assert_array_equal(
                        self.counts(source, "--algorithm", name, *options), expected)

    def test_what_is_said_and_refused(self):
        source = self.save("in.npy", np.arange(50))
        self.refuses_algorithms(source, self.names)
        for name in self.names:
            code, _, err = self.call(source, "--integers", "--range", "0:31", "--algorithm", name,
                                     "--verify", "--time", "-o", self.path("o.npy"))
            self.assertEqual(code, DONE, err)
            self.assertIn("a plain loop computes the same", err)
            self.assertIn("0 below, 32 inside, 18 above, 0 nan, %s, on " % name, err)
        os.remove(self.path("o.npy"))
        self.fails(USAGE, "33 bins; expected at most 32", source, "--integers", "--range", "0:32",
                   "--algorithm", "counted")
        self.fails(USAGE, "excludes", source, "--algorithm", "sorted", "--weights", source)


class Refusals(HistogramCase):
    def test_arguments_that_do_not_go_together(self):
        for arguments, words in [
                (["--bins", "0"], "--bins: '0', expected a whole number from 1 to 16777216"),
                (["--bins", "16777217"], "--bins: '16777217'"), (["--bins", "0x10"], "--bins: '0x10'"),
                (["--bins", "x"], "--bins"),
                (["--range", "3"], "expected LO:HI"),
                (["--range", "3:1"], "expected finite LO < HI"),
                (["--range", "1:1"], "expected finite LO < HI"),
                (["--range", "0:inf"], "expected finite LO < HI"),
                (["--range", "nan:1"], "expected finite LO < HI"),
                (["--range", "1:2:3"], "expected LO:HI"),
                (["--range=-1e308:1e308"], "is too wide, expected HI - LO of at most 1.79769"),
                (["--bins", "3", "--integers"], "--integers"),
                (["--bins", "3", "--edges", "e.npy"], "--edges"),
                (["--integers", "--edges", "e.npy"], "--edges"),
                (["--range", "1:2", "--edges", "e.npy"], "--range"),
                (["--log"], "--log is for drawings"),
                (["--svg", "a", "--png", "a"], "both name a"),
                (["--svg", "a", "-o", "a"], "both name a")]:
            with self.subTest(arguments=arguments):
                self.fails(USAGE, words, "/no/such/file", *arguments)
        self.fails(USAGE, "only one of", "-", "--weights", "-")
        self.fails(USAGE, "only one of", "x.npy", "--weights", "-", "--edges", "-")

    def test_outputs_that_are_one_file_by_other_names(self):
        os.mkdir(self.path("d"))
        os.symlink("c", self.path("link"))
        for one, other in [("c", "./c"), ("c", "d/../c"), ("c", "link")]:
            for first, second in ("--svg", "-o"), ("--svg", "--png"):
                self.fails(USAGE, f"both name {one}, once as {other}", "/no/such/file", first, one,
                           second, other, cwd=self.dir)

    def test_bins_that_the_samples_do_not_allow(self):
        self.fails(USAGE, "--range LO:HI is needed", self.save("inf.npy", np.array([1, np.inf])))
        floats = self.save("f.npy", np.array([1.0]))
        self.fails(USAGE, "--integers is for integers", floats, "--integers")
        wide = self.save("wide.npy", np.array([0, 2**40]))
        self.fails(USAGE, "makes more than 16777216 bins", wide, "--integers")
        self.fails(USAGE, "expected LO <= HI", wide, "--integers", "--range", "5:4")
        self.fails(USAGE, "two integers from -9223372036854775808", wide, "--integers", "--range", "0:1.5")
        bytes_ = self.save("bytes.npy", np.array([0], "uint8"))
        self.assertEqual(self.counts(bytes_, "--integers", "--range", "0:256")[256], 0)

    def test_files_that_do_not_fit(self):
        source = self.save("in.npy", np.arange(5))
        for edges, words in [([1.0], "holds 1 edges, expected 2"), ([], "holds 0 edges"),
                             ([1.0, 3, 2], "edge 2 is 2, expected numbers that ascend"),
                             ([1.0, np.nan], "edge 1 is nan")]:
            self.fails(BAD_FILE, words, source, "--edges",
                       self.save("e.npy", np.array(edges, "float64")))
        self.fails(BAD_FILE, "holds 4 items, expected a weight for each of the input's 5", source,
                   "--weights", self.save("w.npy", np.arange(4.0)))
        self.fails(BAD_FILE, "is not exact as a float64", source, "--weights",
                   self.save("w.npy", np.array([2**53 + 1] * 5)))
        self.fails(BAD_FILE, "none.npy", source, "--weights", self.path("none.npy"))
        self.fails(BAD_FILE, "word.txt:2: ", source, "--edges", self.write("word.txt", b"1\nx\n"))


if __name__ == "__main__":
    unittest.main()
