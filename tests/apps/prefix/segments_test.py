#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scans of segments by scan-prefix, seen from outside: every way to describe them.
Run as: segments_test.py path/to/scan-prefix path/to/scan-prefix-faulty path/to/data"""
import itertools
import unittest

import numpy as np

from prefix_program import FORMS, PrefixCase, samples, scanned, some_offsets
from array_program import DTYPES, FLOATS, INTEGERS, content_of, lines_of
from program_case import BAD_FILE, USAGE, combinations


class Segments(PrefixCase):
    def test_empty_segments_and_other_types_of_offsets(self):
        array = samples("int32", 100)
        source = self.save("in.npy", array)
        for offsets in [[0, 100], [0, 0, 0, 100, 100], [0, 1, 1, 50, 99, 100, 100]]:
            for dtype in INTEGERS:
                name = self.save("offsets.npy", np.array(offsets, dtype))
                self.writes(scanned(array, offsets=offsets), source, "--offsets", name)
            text = self.write("offsets.txt", lines_of(offsets))
            self.writes(scanned(array, offsets=offsets), source, "--offsets", text)
            raw = self.write("offsets.raw", np.array(offsets, "int64").tobytes())
            self.writes(scanned(array, offsets=offsets), source, "--offsets", raw)
        empty = self.save("empty.npy", array[:0])
        for offsets in [[0], [0, 0, 0]]:
            name = self.save("offsets.npy", np.array(offsets))
            self.writes(np.empty(0, "int64"), empty, "--offsets", name)

    def test_bits_in_items_of_any_size(self):
        for n in [1, 31, 32, 33, 63, 64, 65, 1000]:
            array = samples("int32", n)
            offsets = some_offsets(n, empty=False)
            heads = np.zeros(n, bool)
            heads[offsets[:-1]] = True
            packed = np.packbits(heads, bitorder="little")
            source = self.save("in.npy", array)
            for bits in [8, 16, 32, 64]:
                padded = np.zeros(-(-n // bits) * bits // 8, "uint8")
                padded[:len(packed)] = packed
                name = self.save("bits.npy", padded.view("uint%d" % bits))
                self.writes(scanned(array, offsets=offsets), source, "--head-bits", name)
            words = np.zeros(-(-n // 32) * 4, "uint8")
            words[:len(packed)] = packed
            raw = self.write("bits.raw", words.tobytes())
            self.writes(scanned(array, offsets=offsets), source, "--head-bits", raw)

    def test_flags_of_any_value_and_format(self):
        array = samples("int32", 300)
        source = self.save("in.npy", array)
        flags = np.random.default_rng(1).integers(0, 256, 300).astype("uint8")
        flags[flags < 200] = 0
        offsets = np.concatenate([[0], np.flatnonzero(flags[1:]) + 1, [300]])
        expected = scanned(array, offsets=offsets)
        self.writes(expected, source, "--heads", self.save("heads.npy", flags))
        self.writes(expected, source, "--heads", self.write("heads.raw", flags.tobytes()))
        text = self.write("heads.txt", lines_of(flags))
        self.writes(expected, source, "--heads", text)
        self.writes(expected, source, "--heads", self.compress("heads.npy"))

    def test_keys_of_every_type(self):
        array = samples("int32", 1000)
        source = self.save("in.npy", array)
        rng = np.random.default_rng(1)
        for dtype in DTYPES:
            keys = np.repeat(rng.integers(0, 5, 100), 10).astype(dtype)
            if dtype in FLOATS:
                keys[::77] = np.nan
                keys[5:200:10] = -0.0
                keys[6:200:10] = 0.0
            heads = np.flatnonzero(~(keys[1:] == keys[:-1])) + 1
            self.writes(scanned(array, offsets=np.concatenate([[0], heads, [1000]])), source,
                        "--keys", self.save("keys.npy", keys))

    def test_truth_values_as_keys(self):
        array = samples("int32", 100)
        source = self.save("in.npy", array)
        keys = np.arange(100) // 7 % 2 == 1
        offsets = np.concatenate([[0], np.flatnonzero(keys[1:] != keys[:-1]) + 1, [100]])
        file = self.save("keys.npy", keys)
        for name in file, self.compress("keys.npy"):
            self.writes(scanned(array, offsets=offsets), source, "--keys", name)

    def test_of_text_the_first_column_says_where_segments_begin(self):
        table = self.write("t.csv", b"1,0\n0,5\n1,9\n0,7\n")
        source = self.write("in.csv", b"a,b\n9,1\n9,2\n9,3\n9,4\n")
        self.assertEqual(self.notes("t.csv:2: of 2 columns the first is read", source, "--column",
                                    2, "--header", "yes", "--heads", table), b"1\n3\n3\n7\n")

    def test_either_file_may_be_a_pipe(self):
        array = samples("int32", 100)
        offsets = some_offsets(100)
        source = self.save("in.npy", array)
        file = self.segments("--offsets", offsets)
        self.writes(scanned(array, offsets=offsets), source, "--offsets", "-",
                    data=content_of(file))
        self.writes(scanned(array, offsets=offsets), "-", "--offsets", file,
                    data=content_of(source))
        self.fails(USAGE, "only one of the input and the segments", "-", "--offsets", "-")

    def test_files_that_do_not_fit_the_input(self):
        source = self.save("in.npy", np.arange(100))

        def refused(words, form, array):
            name = self.save("s.npy", np.asarray(array))
            self.fails(BAD_FILE, "s.npy: " + words, source, "-o", self.path("o.npy"), form, name)

        refused("holds 99 items, expected 100: a head flag for each", "--heads", np.zeros(99, "u1"))
        refused("holds int64 items, expected uint8", "--heads", np.zeros(100, "int64"))
        refused("holds 101 items, expected 100: a key for each", "--keys", np.zeros(101))
        refused("holds 96 bits, expected 104: one for each", "--head-bits", np.zeros(12, "u1"))
        refused("holds 160 bits, expected 128: one for each", "--head-bits", np.zeros(5, "u4"))
        refused("holds int32 items, expected unsigned", "--head-bits", np.zeros(4, "i4"))
        refused("holds no offsets", "--offsets", np.zeros(0, "i8"))
        refused("offset 0 is 1, expected 0", "--offsets", [1, 100])
        refused("offset 2 is 49, expected at least 50", "--offsets", [0, 50, 49, 100])
        refused("offset 1 is 101, expected at most 100", "--offsets", [0, 101, 100])
        refused("offset 1 is negative", "--offsets", [0, -1, 100])
        refused("offset 1 is negative or beyond", "--offsets", np.array([0, 2**63, 100], "u8"))
        refused("offset 1 is 99, expected 100 for the last", "--offsets", [0, 99])
        refused("holds float64 items, expected offsets", "--offsets", [0.0, 100.0])
        self.fails(USAGE, "raw binary does not say its type", source, "--keys", self.path("k.raw"))
        self.fails(BAD_FILE, "none.npy: ", source, "--heads", self.path("none.npy"))
        self.fails(BAD_FILE, "'true' is no number, expected uint8 (0 to 255)", source, "--heads",
                   self.write("heads.txt", b"0\ntrue\n"))
        self.fails(BAD_FILE, "'256' is out of range, expected uint8 (0 to 255)", source, "--heads",
                   self.write("heads.txt", b"0\n256\n"))
        self.fails(BAD_FILE, "expected unsigned ones", source, "--head-bits",
                   self.write("bits.txt", b"5\n" * 13))

    def test_init_comes_before_the_first_item_of_each_segment(self):
        array = samples("int16", 700)
        offsets = some_offsets(700)
        source = self.save("in.npy", array)
        flags = ["--offsets", self.segments("--offsets", offsets)]
        for op, init, exclusive, reverse in combinations(
                2, ["sum", "max", "xor"], [-5, 0, 12345678901], [False, True], [False, True]):
            options = ["--op", op, "--init", init]
            options += ["--exclusive"] * exclusive + ["--reverse"] * reverse
            self.writes(scanned(array, op, None, exclusive, init, reverse), source, *options)
            self.writes(scanned(array, op, None, exclusive, init, reverse, offsets), source,
                        *options, *flags)
        for init in ["0.5", "-1e300", "-inf", "nan", "+7"]:
            array = samples("float64", 5)
            self.writes(scanned(array, "min", init=float(init)), self.save("f.npy", array), "--op",
                        "min", "--init", init)

    def test_lines_of_segments_that_end_with_cr_alone(self):
        source = self.save("in.npy", np.arange(4))
        ended = self.write("s.txt", b"0\r1\r1\r4\r")
        for form in ["--keys", "--heads", "--offsets"]:
            self.fails(BAD_FILE, r"(tr '\r' '\n' makes them)", source, form, ended)

    def test_segments_that_begin_where_a_piece_of_the_input_does(self):
        n = 150_000
        array = samples("int32", n)
        offsets = np.append(np.arange(0, n, 64), n)  # pieces are whole multiples
        source, out = self.save("in.npy", array), self.path("out.npy")
        for form, reverse in itertools.product(FORMS, [False, True]):
            with self.subTest(form=form, reverse=reverse):
                self.succeeds(source, "-o", out, "--memory", "4M", "--init", 7, form,
                              self.segments(form, offsets), *["--reverse"] * reverse)
                self.assertSame(self.load("out.npy", "int64"),
                                scanned(array, init=7, reverse=reverse, offsets=offsets))


if __name__ == "__main__":
    unittest.main()
