#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scan-filter seen from outside, with NumPy as the oracle: predicates, masks, rejected parts,
messages, and all that array_program.py asks of every program.
Run as: cli_test.py path/to/scan-filter path/to/scan-filter-faulty path/to/data"""
import os
import re
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.abspath(__file__ + "/../../common"))
from array_program import (ArrayProgramCase, DTYPES, EveryArrayProgram, INTEGERS, content_of,
                           lines_of, little_memory, samples)
from program_case import BAD_FILE, DONE, FAILURE, USAGE, combinations, grouped, some_of

PROGRAM, FAULTY, DATA = [os.path.abspath(sys.argv.pop(1)) for _ in range(3)]

# Predicates and what they mean to NumPy. `a` is an array.
PREDICATES = [
    ("> 3", lambda a: a > 3),
    (">= 3 and < 100", lambda a: (a >= 3) & (a < 100)),
    ("(< 5 or > 50) and != 7", lambda a: ((a < 5) | (a > 50)) & (a != 7)),
    ("not (nan or == 0)", lambda a: ~(np.isnan(a) | (a == 0))),
    ("finite", np.isfinite),
    ("not finite", lambda a: ~np.isfinite(a)),
    ("!= 1", lambda a: a != 1),
    ("<= 2.5", lambda a: a <= 2.5),
    ("== inf", lambda a: a == np.inf),
]
INTEGER_PREDICATES = [
    ("bits 0x10", lambda a: (a & a.dtype.type(0x10)) != 0),
    ("not bits 3 and > 8", lambda a: ((a & a.dtype.type(3)) == 0) & (a > 8)),
]


class FilterCase(ArrayProgramCase):
    name, program, faulty = "scan-filter", PROGRAM, FAULTY
    options = ["--keep", "> 3"]


class AsEveryProgram(EveryArrayProgram, FilterCase):
    streams = True
    words_of_help = EveryArrayProgram.words_of_help + [
        "--keep", "--indices", "--count-only", "--mask", "--split", "packbits", "bits MASK",
        "--algorithm", "single-pass", "scatter", "ballots",
        "column 1", "from 0 to 255", "row by row", "Examples:", "Exit codes:"]

    def expected(self, array):
        return array[array > 3]


class Results(FilterCase):
    def test_every_type_and_predicate_against_numpy(self):
        for number, dtype in enumerate(DTYPES):
            array = samples(dtype, 3001)
            source = self.save("in.npy", array)
            predicates = PREDICATES + (INTEGER_PREDICATES if dtype in INTEGERS else [])
            for text, meaning in some_of(3, predicates, number):
                with self.subTest(dtype=dtype, predicate=text):
                    mask = meaning(array)
                    self.succeeds(source, "-o", self.path("out.npy"), "--keep", text)
                    self.assertSame(self.load("out.npy", dtype), array[mask])
                    self.succeeds(source, "-o", self.path("at.npy"), "--keep", text, "--indices")
                    self.assertSame(self.load("at.npy", "int64"), np.flatnonzero(mask))
                    count = self.succeeds(source, "--keep", text, "--count-only")
                    self.assertEqual(count, b"%d\n" % np.count_nonzero(mask))

    def test_sizes(self):
        for n in [0, 1, 2, 31, 16383, 16384, 16385, 100003]:
            array = samples("int32", n)
            out = self.succeeds(self.save("in.npy", array), "--keep", "> 50", "--threads", "3")
            self.write("out.npy", out)
            self.assertSame(self.load("out.npy", "int32"), array[array > 50])

    def test_every_algorithm(self):
        """The textbook's filters: of items, positions, counts, splits, masks and rows."""
        self.needs_executor()
        names = ["single-pass", "scatter", "ballots", "scan-and-scatter", "binary-scan"]
        marks = self.path("mask.npy")
        for n, cases in grouped(combinations(5, [0, 1, 255, 257, 3000], names,
                                             [["--keep", "> 50"], ["--mask", marks]])):
            array = samples("int16", n)
            source, mask = self.save("in.npy", array), array > 50
            self.save("mask.npy", mask)
            for name, keep in cases:
                given = [source, *keep, "--algorithm", name, "-o", self.path("o.npy")]
                self.succeeds(*given)
                self.assertSame(self.load("o.npy", "int16"), array[mask])
                self.succeeds(*given, "--indices")
                self.assertSame(self.load("o.npy", "int64"), np.flatnonzero(mask))
                self.succeeds(*given, "--split", self.path("r.npy"))
                self.assertSame(self.load("o.npy", "int16"), array[mask])
                self.assertSame(self.load("r.npy", "int16"), array[~mask])
                count = self.succeeds(*given[:-2], "--count-only")
                self.assertEqual(count, b"%d\n" % np.count_nonzero(mask))

    def test_what_an_algorithm_says(self):
        self.needs_executor()
        source = self.write("in.csv", b"a,1\nb,9\nc,4\n")
        for name in "scatter", "ballots":
            code, out, err = self.call(source, "--column", 2, "--keep", ">= 4", "--algorithm", name,
                                       "--verify", "--time")
            self.assertEqual((code, out), (DONE, b"b,9\nc,4\n"), err)
            self.assertIn("a plain loop computes the same", err)
            self.assertIn("kept 2 items (66.67 %), by " + name + ", on ", err)
            self.fails(USAGE, "expected --engine cuda, executor or auto", source, *self.options,
                       "--algorithm", name, "--engine", "cpu")
        self.fails(USAGE, "expected one of single-pass, scatter, ballots", source, *self.options,
                   "--algorithm", "best")

    def test_an_array_of_two_dimensions_is_taken_row_by_row(self):
        array = samples("int16", 600).reshape(20, 30)
        self.succeeds(self.save("in.npy", array), "-o", self.path("at.npy"), "--keep", "> 9",
                      "--indices")
        self.assertSame(self.load("at.npy", "int64"), np.flatnonzero(array > 9))

    def test_integers_beyond_2_to_53_are_exact(self):
        array = np.array([2**53, 2**53 + 1, 2**63 - 1, -2**63], "int64")
        self.succeeds(self.save("in.npy", array), "-o", self.path("o.txt"), "--keep",
                      "> 9007199254740992")
        self.assertEqual(content_of(self.path("o.txt")),
                         b"9007199254740993\n9223372036854775807\n")
        out = self.succeeds("-", "--keep", "== 18446744073709551615",
                            data=b"18446744073709551615\n18446744073709551614\n")
        self.assertEqual(out, b"18446744073709551615\n")

    def test_a_column_of_a_table(self):
        table = self.write("t.csv", b"# note\nname,height\nA,1.5\nB,nan\nC,7\n#D,-3\n")
        keep = ["--column", "2", "--keep", "not nan and > -1"]
        out = self.finds_header(table, *keep)
        self.assertEqual(out, b"name,height\nA,1.5\nC,7\n")
        self.assertEqual(self.finds_header(table, *keep, "--only"), b"1.5\n7\n")
        self.finds_header(table, *keep, "-o", self.path("o.npy"))
        self.assertSame(self.load("o.npy", "float64"), np.array([1.5, 7]))
        out = self.finds_header(table, "--column", "2", "--keep", "nan", "--indices")
        self.assertEqual(out, b"1\n")

    def test_rows_of_text_stay_byte_for_byte(self):
        rng = np.random.default_rng(5)
        numbers = rng.integers(-50, 50, 5000)
        shapes = [b"x,%d,y", b"x,+%d", b' "a, ""b""" , %d ', b"\xc3\xa9,%d\r", b",%d,,,\t", b"z,%d.0",
                  b'"two\nlines",%d']
        lines = [(shapes[k % len(shapes)] % abs(n)).replace(b"%d" % abs(n), b"%d" % n
                                                           if k % len(shapes) != 1 else b"%d" % abs(n))
                 for k, n in enumerate(numbers)]
        values = [abs(n) if k % len(shapes) == 1 else n for k, n in enumerate(numbers)]
        text = b"\xef\xbb\xbf" + b"h,n\n" + b"\n".join(lines)
        source = self.write("t.csv", text)
        kept = [line for line, n in zip(lines, values) if n >= 10]
        rest = [line for line, n in zip(lines, values) if n < 10]
        ends = [line + b"\n" for line in kept], [line + b"\n" for line in rest]
        expected = [b"\xef\xbb\xbfh,n\n" + b"".join(part) for part in ends]
        for options in [["--column", "n"], ["--column", "2", "--header", "yes"]]:
            keep = [*options, "--keep", ">= 10"]
            self.assertEqual(self.succeeds(source, *keep), expected[0])
            self.assertEqual(self.succeeds("-", *keep, data=text), expected[0])
            self.succeeds(source, *keep, "-o", self.path("k.csv.gz"), "--split",
                          self.path("r.txt"))
            self.assertEqual(content_of(self.path("k.csv.gz")), expected[0])
            self.assertEqual(content_of(self.path("r.txt")), expected[1])
            self.succeeds(source, *keep, "-o", self.path("k.npy"), "--split", self.path("r.txt"))
            self.assertSame(self.load("r.txt", "float64"),
                            np.array([n for n in values if n < 10], "float64"))
        _, _, err = self.call(source, "--column", "n", "--keep", ">= 10", "--time")
        self.assertRegex(err, r"read .* 5000 items of \w+; line 1 is a header\n")
        self.assertIn("kept %d items" % len(kept), err)
        mask = self.write("m.txt", b"".join(b"%d\n" % (n >= 10) for n in values))
        self.assertEqual(self.succeeds(source, "--column", "n", "--mask", mask), expected[0])
        code, out, _ = self.call(source, "--column", "n", "--keep", ">= 10", "--verify",
                                 program=self.faulty)
        self.assertEqual((code, out), (1, b""))

    def test_a_single_row_without_a_column_is_a_sequence(self):
        row = b"3 1 7 0\n"
        self.assertEqual(self.succeeds("-", "--keep", "> 2", data=row), b"3\n7\n")
        self.assertEqual(self.succeeds("-", "--column", "3", "--keep", "> 2", data=row), row)

    def test_missing_values_of_text(self):
        data = b"a;1\nb;NA\nc;\nd;4\n"
        keep = ["-", "--column", "2", "--keep", ">= 0"]
        self.fails(BAD_FILE, "<stdin>:2: 'NA' means a missing value", *keep, data=data)
        self.assertEqual(self.succeeds(*keep, "--missing", "skip", data=data), b"a;1\nd;4\n")
        self.assertEqual(self.succeeds(*keep, "--missing", "0", data=data), data)
        self.assertEqual(self.succeeds(*keep, "--missing", "nan", data=data), b"a;1\nd;4\n")
        self.fails(USAGE, "--missing first is for sorts", *keep, "--missing", "first", data=data)

    def test_the_real_data(self):
        heights = np.load(os.path.join(DATA, "elevation.npy"))
        self.succeeds(os.path.join(DATA, "elevation.npy"), "-o", self.path("o.npy"), "--keep",
                      ">= 4000")
        self.assertSame(self.load("o.npy", "int16"), heights[heights >= 4000])
        self.assertEqual(np.count_nonzero(heights >= 4000), 4136)

    def test_the_number_of_threads_changes_nothing(self):
        source = self.save("in.npy", samples("float32", 300000))
        outputs = {self.succeeds(source, "--keep", "> 10", "--threads", n) for n in [0, 1, 2, 7]}
        self.assertEqual(len(outputs), 1)

    def test_little_address_space_is_enough_for_little_to_keep(self):
        array = np.zeros(40_000_000, "uint8")
        array[[5, 39_999_999]] = 1
        source = self.write("in.raw", array.tobytes())
        # The positions of all items would take 320 MB.
        out = self.succeeds(source, "--dtype", "u8", "--threads", "1", "--keep", "== 1",
                            "--indices", "--format", "raw", **little_memory(200 << 20))
        self.assertEqual(np.frombuffer(out, "int64").tolist(), [5, 39_999_999])


class Files(FilterCase):
    def test_halves_and_truth_values_are_data(self):
        half = (np.arange(-20, 20) / 4).astype("float16").reshape(4, 10)
        for form in [half, half.T, half.astype(">f2")]:
            for flags in [[], ["--dtype", "float16"]]:
                self.succeeds(self.save("h.npy", form), "-o", self.path("o.npy"), "--keep",
                              ">= 0.5", *flags)
                self.assertSame(self.load("o.npy", "float32"), form[form >= 0.5].astype("float32"))
        truth = np.arange(40) % 3 == 0
        out = self.succeeds(self.save("b.npy", truth), "--keep", "== 1", "--count-only")
        self.assertEqual(out, b"14\n")
        brain = self.write("b.raw", np.array([0x3f80, 0xc000, 0x4040], "uint16").tobytes())
        self.assertEqual(self.succeeds(brain, "--dtype", "bfloat16", "--keep", "> 0", "-o",
                                       "-", "--count-only"), b"2\n")

    def test_numbers_beyond_a_float_are_infinite(self):
        array = np.array([np.inf, 3e38, -np.inf, np.nan], "float32")
        source = self.save("in.npy", array)
        for text, kept in [("<= 1e40", [0, 1, 2]), ("< 1e40", [1, 2]), ("> 1e40", []),
                           (">= 1e40", [0]), ("== -1e39", [2]), (">= -1e400", [0, 1, 2]),
                           ("<= 3.4e38", [1, 2])]:
            self.succeeds(source, "-o", self.path("at.npy"), "--keep", text, "--indices")
            self.assertEqual(self.load("at.npy", "int64").tolist(), kept, text)

    def test_closed_streams(self):
        source = self.save("u8.npy", np.array([1, 0, 1], "uint8"))
        self.fails(BAD_FILE, "<stdin>: cannot read: Bad file descriptor", source, "--mask", "-",
                   "--indices", preexec_fn=lambda: os.close(0))
        code, _, _ = self.call(source, "--keep", "> 0", "-o", self.path("o.npy"), "--verify",
                               preexec_fn=lambda: os.close(2))
        self.assertEqual((code, self.load("o.npy", "uint8").tolist()), (DONE, [1, 1]))

    def test_more_is_kept_than_fits(self):
        with open(self.path("in.raw"), "wb") as file:
            file.truncate(1 << 24)
        source = [self.path("in.raw"), "--dtype", "u64", "--memory", "10M"]
        # In one piece, which is what --verify needs, it does not fit.
        self.fails(FAILURE, "in.raw takes at least 16.0 MiB of memory, more than the 10.0 MiB",
                   *source, "-o", self.path("o.raw"), "--keep", "== 0", "--verify")
        self.fails(FAILURE, "in.raw takes at least ", *source, "-o", self.path("o.raw"), "--keep",
                   "> 0", "--split", self.path("r.raw"), "--verify")
        for more in [["--count-only"], ["-o", self.path("o.raw")]]:
            code, out, err = self.call(*source, "--keep", "> 0", "--verify", *more)
            self.assertEqual((code, err), (DONE, "scan-filter: verified: a plain loop computes the "
                                                 "same\n"))
        self.succeeds(*source, "--keep", "> 0", "-o", self.path("o.raw"), "--split",
                      self.path("r.raw"))
        self.assertEqual([os.path.getsize(self.path(name)) for name in ["o.raw", "r.raw"]],
                         [0, 1 << 24])

    def test_other_endings(self):
        source = self.write("in.txt", b"1\n5\n")
        self.fails(USAGE, "the ending .zst", source, "--keep", "> 1", "-o", self.path("o.csv.zst"))
        self.fails(USAGE, "the ending .BZ2", source, "--keep", "> 1", "--split",
                   self.path("r.txt.BZ2"))


class Masks(FilterCase):
    def test_truth_values_by_any_header(self):
        source = self.save("in.npy", np.arange(4))
        for descr in [b"'b1'", b"'?'", b'"|b1"', b"'bool'", b"'<b1'"]:
            for before in [b"", b" " * 400]:
                header = (b"{'shape': (2, 2), 'fortran_order': True, " + before + b"'descr': " +
                          descr + b"}")
                mask = self.write("m.npy", b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") +
                                  header + bytes([1, 0, 1, 0]))
                self.assertEqual(self.succeeds(source, "--mask", mask, "--count-only"), b"2\n")
                self.succeeds(source, "--mask", mask, "-o", self.path("o.txt"))
                self.assertEqual(content_of(self.path("o.txt")), b"0\n1\n")

    def forms(self, mask):
        """The files that mean a mask, by name."""
        packed = np.packbits(mask, bitorder="little")
        words = np.zeros((len(mask) + 31) // 32 * 4, "uint8")
        words[:len(packed)] = packed
        flags = mask.astype("uint8") * np.uint8(5)
        yield self.save("bool.npy", mask)
        yield self.save("flags.npy", flags)
        yield self.save("packed.npy", packed)
        yield self.save("words.npy", words.view("<u4"))
        yield self.write("flags.raw", flags.tobytes())
        yield self.write("flags.txt", lines_of(flags))
        yield self.compress("bool.npy")
        if len(packed) != len(mask):
            yield self.write("packed.bin", packed.tobytes())
        if len(words) != len(mask):
            yield self.write("words.raw", words.tobytes())

    def test_every_form_of_mask_against_numpy(self):
        rng = np.random.default_rng(3)
        for turn, (n, share) in enumerate(some_of(2, [(0, .5), (1, 1), (5, .5), (32, .5), (33, .5),
                                                      (3001, .01), (3001, .5), (70001, .99)], 1)):
            array = samples("float32", n)
            source = self.save("in.npy", array)
            mask = rng.random(n) < share
            for file in some_of(2, list(self.forms(mask)), turn):
                if n == 0 and file.endswith(".txt"):
                    continue
                with self.subTest(n=n, share=share, file=os.path.basename(file)):
                    out = self.path("out.npy")
                    self.succeeds(source, "-o", out, "--mask", file)
                    self.assertSame(self.load("out.npy", "float32"), array[mask])
                    self.succeeds(source, "-o", self.path("at.npy"), "--mask", file, "--indices")
                    self.assertSame(self.load("at.npy", "int64"), np.flatnonzero(mask))
                    count = self.succeeds(source, "--mask", file, "--count-only")
                    self.assertEqual(count, b"%d\n" % np.count_nonzero(mask))
                    self.succeeds(source, "-o", out, "--mask", file, "--split",
                                  self.path("rest.npy"))
                    self.assertSame(self.load("out.npy", "float32"), array[mask])
                    self.assertSame(self.load("rest.npy", "float32"), array[~mask])

    def test_every_type_is_split(self):
        for dtype in DTYPES:
            array = samples(dtype, 3001)
            for target in ["rest.npy", "rest.raw", "rest.txt.gz"]:
                with self.subTest(dtype=dtype, target=target):
                    self.succeeds(self.save("in.npy", array), "-o", self.path("out.npy"),
                                  "--keep", "> 3", "--split", self.path(target))
                    self.assertSame(self.load("out.npy", dtype), array[array > 3])
                    self.assertSame(self.load(target, dtype), array[~(array > 3)])

    def test_a_mask_and_a_rejected_part_through_pipes(self):
        array = samples("int32", 1000)
        mask = array > 20
        source = self.save("in.npy", array)
        packed = content_of(self.save("mask.npy", np.packbits(mask, bitorder="little")))
        out = self.succeeds(source, "-o", self.path("out.npy"), "--mask", "-", "--split", "-",
                            data=packed)
        self.assertSame(self.load("out.npy", "int32"), array[mask])
        self.write("rest.npy", out)
        self.assertSame(self.load("rest.npy", "int32"), array[~mask])

    def test_bits_behind_the_last_item_mean_nothing(self):
        source = self.save("in.npy", np.arange(3))
        out = self.succeeds(source, "--mask", self.save("m.npy", np.array([0xff], "uint8")),
                            "--count-only")
        self.assertEqual(out, b"3\n")

    def test_a_mask_that_does_not_fit(self):
        source = self.save("in.npy", np.arange(100))
        for mask in [np.ones(99, bool), np.ones(101, "uint8"), np.ones(12, "uint8"),
                     np.ones(3, "uint32"), np.ones(100, "uint32"), np.ones(100, "int32"),
                     np.ones(100)]:
            file = self.save("m.npy", mask)
            with self.subTest(dtype=mask.dtype, n=len(mask)):
                self.fails(BAD_FILE, "m.npy: holds %d items of " % len(mask), source, "-o",
                           self.path("o.npy"), "--mask", file)
        self.fails(BAD_FILE, "expected a mask of the input's 100 items: 100 bools or uint8, "
                   "or bits packed into 13 uint8 or 4 uint32", source, "--mask", file)
        self.fails(BAD_FILE, "none.npy: ", source, "--mask", self.path("none.npy"))
        whole = content_of(self.save("m.npy", np.ones(100, bool)))
        self.fails(BAD_FILE, "m.npy: byte ", source, "--mask", self.write("m.npy", whole[:-1]))
        self.fails(BAD_FILE, "m.txt:2: ", source, "--mask", self.write("m.txt", b"1\nx\n"))
        self.fails(BAD_FILE, r"(tr '\r' '\n' makes them)", source, "--mask",
                   self.write("m.txt", b"1\r0\r" * 50))

    def test_truth_values_and_text_are_never_packed_bits(self):
        source = self.save("in.npy", np.arange(800))
        target = self.path("o.npy")
        for n in 100, 25, 4:
            mask = self.save("m.npy", np.ones(n, bool))
            self.fails(BAD_FILE, f"m.npy: holds {n} items of bool, expected 800: one for each",
                       source, "-o", target, "--mask", mask)
            mask = self.write("m.txt", b"1\n" * n)
            self.fails(BAD_FILE, f"m.txt: holds {n} items of uint8, expected 800: one for each",
                       source, "-o", target, "--mask", mask)
        self.succeeds(source, "-o", target, "--mask", self.save("m.npy", np.ones(100, "uint8")))

    def test_arguments_that_do_not_go_together(self):
        source = self.save("in.npy", np.arange(5))
        mask = self.save("m.npy", np.ones(5, bool))
        rest = self.path("rest.npy")
        self.fails(USAGE, "excludes", source, "--keep", "> 1", "--mask", mask)
        self.fails(USAGE, "excludes", source, "--keep", "> 1", "--split", rest, "--indices")
        self.fails(USAGE, "excludes", source, "--keep", "> 1", "--split", rest, "--count-only")
        self.fails(USAGE, "standard input", "-", "--mask", "-")
        self.fails(USAGE, "both name", source, "--keep", "> 1", "--split", "-")
        self.fails(USAGE, "both name", source, "--keep", "> 1", "--split", rest, "-o", rest)
        os.symlink("rest.npy", self.path("link.npy"))
        for other in "./rest.npy", self.path("rest.npy"), "link.npy":
            self.fails(USAGE, "both name rest.npy, once as " + other, source, "--keep", "> 1",
                       "--split", other, "-o", "rest.npy", cwd=self.dir)
        self.fails(USAGE, "excludes", source, "--keep", "> 1", "--indices", "--count-only")
        self.fails(USAGE, "--keep or --mask is required", source)

    def test_verify_of_masks_and_splits(self):
        source = self.save("in.npy", np.arange(5, dtype="int32"))
        mask = self.save("m.npy", np.array([1, 0, 1, 0, 0], bool))
        out, rest = self.path("o.npy"), self.path("r.npy")
        fewer = "1 items are kept, expected 2"
        for arguments, words in [(["--mask", mask], fewer),
                                 (["--mask", mask, "--indices"], fewer),
                                 (["--mask", mask, "--count-only"], fewer),
                                 (["--mask", mask, "--split", rest],
                                  "of the rejected: item 0 is 2, expected 1"),
                                 (["--keep", "> 2", "--split", rest], fewer)]:
            with self.subTest(arguments=arguments):
                code, _, err = self.call(source, "-o", out, "--verify", *arguments)
                self.assertEqual(code, DONE)
                self.assertIn("verified: a plain loop computes the same", err)
                for made in [out, rest]:
                    if os.path.exists(made):
                        os.remove(made)
                self.finds(words, source, "-o", out, *arguments)

    def test_a_rejected_part_that_cannot_be_written(self):
        source = self.save("in.npy", np.arange(100000))
        self.fails(BAD_FILE, "missing/r.npy: ", source, "-o", self.path("o.npy"), "--keep", "> 1",
                   "--split", self.path("missing/r.npy"))
        for n in 10, 100000:
            source = self.save("in.npy", np.arange(n))
            for outputs in [("o.npy", "/dev/full"), ("/dev/full", "r.npy")]:
                one, other = (os.path.join(self.dir, name) for name in outputs)
                self.fails(BAD_FILE, "/dev/full: cannot write: No space left on device", source,
                           "-o", one, "--keep", f"> {n // 2}", "--split", other)


class Messages(FilterCase):
    def test_talk_goes_to_standard_error(self):
        source = self.save("in.npy", np.arange(1000, dtype="int32"))
        out = self.talks("a plain loop computes the same",
                         {"read": "1000 items of int32", "filter": "kept 10 items (1.00 %), on c",
                          "write": "168 bytes"}, source, "--keep", "< 10")
        self.write("o.npy", out)
        self.assertSame(self.load("o.npy", "int32"), np.arange(10, dtype="int32"))

    def test_read_counts_the_bytes_of_files(self):
        source = self.write("in.txt", b"%040d\n" % 5 * 100000)
        mask = self.write("m.txt", b"1\n" * 100000)
        for arguments, size in ([source, "--keep", "> 1"], 4.1e6), ([source, "--mask", mask], 4.3e6):
            _, _, err = self.call(*arguments, "-o", "/dev/null", "--time")
            seconds, rate = map(float, re.search(r"read +(\S+) s +(\S+) GB/s", err).groups())
            # The rate has two decimals.
            self.assertLess((rate - 0.005) * seconds * 1e9, size * 1.01)
            self.assertGreater((rate + 0.005) * seconds * 1e9, size * 0.99)

    def test_wrong_predicates(self):
        source = self.save("in.npy", np.arange(5.0))
        target = self.path("o.npy")
        for text, words in [
                (">= and < 9", 'column 4: expected a number after ">=", found "and"'),
                ("(> 3", 'column 5: expected ")" for the "(" of column 1, found the end'),
                ("bits 4", 'column 1: "bits" is for integers'),
                (" ", "column 2: expected a comparison")]:
            self.fails(USAGE, words, source, "-o", target, "--keep", text)
        # Refused before the input is even opened.
        self.fails(USAGE, "column 1", "/no/such/file", "-o", target, "--keep", "x")

    def test_verify_finds_a_planted_error_and_leaves_no_output(self):
        source = self.save("in.npy", np.arange(5, dtype="int32"))
        arguments = [source, "-o", self.path("o.npy"), "--keep", "> 1"]
        for flags in [[], ["--indices"], ["--count-only"]]:
            self.finds("2 items are kept, expected 3", *arguments, *flags)
        self.succeeds(*arguments, program=FAULTY)  # so the error is real
        self.assertEqual(len(self.load("o.npy", "int32")), 2)


if __name__ == "__main__":
    unittest.main()
