#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scan-prefix seen from outside, with NumPy as the oracle: every operator, type and option,
strategies, messages, and all that array_program.py asks of every program.
Run as: cli_test.py path/to/scan-prefix path/to/scan-prefix-faulty path/to/data"""
import itertools
import os
import re
import resource
import unittest

import numpy as np

from prefix_program import (DATA, FAULTY, FORMS, OPERATORS, PrefixCase, samples, scanned,
                            some_offsets)
from array_program import (DTYPES, EveryArrayProgram, FLOATS, INTEGERS, content_of, little_memory,
                           needs_little_memory)
from program_case import (BAD_FILE, DONE, FAILURE, USAGE, bound_by_addresses, combinations, grouped,
                          limited)

STRATEGIES = ["sequential", "global-hillis-steele", "one-block", "scan-then-fan", "scan-then-propagate",
              "reduce-then-scan", "chained-scan", "decoupled-look-back", "production"]
BLOCK_SCANS = ["sequential", "quadratic", "hillis-steele", "kogge-stone",
               "kogge-stone-double-buffered", "blelloch", "blelloch-padded",
               "blelloch-fully-padded", "brent-kung"]


class AsEveryProgram(EveryArrayProgram, PrefixCase):
    streams = True
    words_of_help = EveryArrayProgram.words_of_help + FORMS + STRATEGIES + [
        "--op", "--exclusive", "--init", "--reverse", "--accumulator", "--algorithm", "--block",
        "wide as the items or wider", "column 1 counts", "row by row", "bools",
        "float64, float16, bfloat16", "from 0 to 255", "up to 2048 items", "Not for segments", "--block-scan",
        "Examples:", "Exit codes:"]
    samples = staticmethod(samples)

    def expected(self, array):
        return np.cumsum(array)


class Results(PrefixCase):
    def test_every_type_operator_and_option_against_numpy(self):
        n = 501
        offsets = some_offsets(n, empty=False)
        files = {form: self.segments(form, offsets) for form in FORMS}
        for dtype, cases in grouped(combinations(6, DTYPES, OPERATORS, [False, True],
                                                 [False, True], [None] + FORMS)):
            array = samples(dtype, n)
            source = self.save("in.npy", array)
            for op, exclusive, reverse, form in cases:
                if dtype in FLOATS and op in ["and", "or", "xor"]:
                    continue
                with self.subTest(dtype=dtype, op=op, exclusive=exclusive, reverse=reverse,
                                  form=form):
                    flags = ["--op", op] + ["--exclusive"] * exclusive + ["--reverse"] * reverse
                    if form:
                        flags += [form, files[form]]
                    self.writes(scanned(array, op, None, exclusive, None, reverse,
                                        offsets if form else None), source, *flags)

    def test_every_accumulator(self):
        for dtype in DTYPES:
            array = samples(dtype, 3001)
            if dtype in FLOATS:
                array = abs(array)  # NumPy does not say what uint64 makes of negative floats
            source = self.save("in.npy", array)
            wide = {other for other in DTYPES
                    if other in FLOATS or np.dtype(other).itemsize >= array.itemsize}
            for accumulator in wide:
                with self.subTest(dtype=dtype, accumulator=accumulator):
                    op = "sum"
                    if accumulator in FLOATS and dtype in INTEGERS:
                        op = "max"  # of any size, so that sums round
                    self.writes(scanned(array, op, accumulator), source, "--op", op,
                                "--accumulator", accumulator)
            for accumulator in set(DTYPES) - wide:
                self.fails(USAGE, "--accumulator %s is not for items of %s, expected " %
                           (accumulator, dtype), source, "--accumulator", accumulator)

    def test_the_accumulator_is_that_of_cumsum(self):
        for dtype in DTYPES:
            array = samples(dtype, 1000)
            self.writes(np.cumsum(array), self.save("in.npy", array))

    def test_floats_of_16_bits_are_read_as_float32(self):
        array = (np.random.default_rng(1).integers(-99, 99, 3001) / 4).astype("float16")
        array[:3] = [65504, -65504, -0.0]
        expected = np.cumsum(array.astype("float32"))
        source = self.save("in.npy", array)
        for name in [source, self.compress("in.npy")]:
            self.writes(expected, name)
            self.writes(expected, name, "--dtype", "float16")
        raw = self.write("in.raw", array.tobytes())
        for name in ["f16", "float16", "<f2"]:
            self.writes(expected, raw, "--dtype", name)
        special = np.array([-np.inf, -6e-8, -0.0, 6e-8, 6.1e-5, 65504, np.inf, np.nan], "float16")
        self.writes(np.maximum.accumulate(special.astype("float64")),
                    self.save("special.npy", special), "--op", "max", "--accumulator", "float64")
        self.writes(np.zeros(0, "float32"), self.save("none.npy", array[:0]))
        brain = samples("float32", 3001).view("uint32") & 0xffff0000
        raw = self.write("brain.raw", (brain >> 16).astype("uint16").tobytes())
        for name in ["bf16", "bfloat16"]:
            self.writes(np.cumsum(brain.view("float32")), raw, "--dtype", name)

    def test_floats_of_16_bits_are_refused_where_they_do_not_fit(self):
        half = self.save("half.npy", np.zeros(9, "float16"))
        single = self.save("single.npy", np.zeros(9, "float32"))
        self.fails(BAD_FILE, "holds float16 items, expected float32 as requested", half,
                   "--dtype", "float32")
        self.fails(BAD_FILE, "holds float16 items, expected bfloat16 as requested", half,
                   "--dtype", "bf16")
        self.fails(BAD_FILE, "holds float32 items, expected float16 as requested", single,
                   "--dtype", "f16")
        self.writes(np.cumsum(np.arange(9, dtype="float32")),
                    self.save("big.npy", np.arange(9).astype(">f2")))
        self.fails(USAGE, "--dtype float16 is for npy and raw", "-", "--dtype", "f16", data=b"1\n")
        self.fails(USAGE, "--accumulator: 'float16' is no item type", half, "--accumulator",
                   "float16")
        self.fails(BAD_FILE, "the file ends within an item", self.write("odd.raw", b"123"),
                   "--dtype", "f16")

    def test_float_sums_are_near_the_exact_ones(self):
        for dtype in FLOATS:
            array = np.random.default_rng(3).normal(size=200001).astype(dtype)
            source = self.save("in.npy", array)
            for flags in [[], ["--reverse"], ["--exclusive"], ["--offsets",
                          self.save("offsets.npy", np.array([0, 5, 5, 100000, 200001]))]]:
                code, _, err = self.call(source, "-o", self.path("o.npy"), "--verify", *flags)
                self.assertEqual((code, err), (DONE, "scan-prefix: verified: a plain loop computes "
                                               "the same, except for rounding within its bound\n"))
            self.succeeds(source, "-o", self.path("o.npy"))
            exact = np.cumsum(array.astype("longdouble"))
            self.assertLess(np.max(abs(self.load("o.npy", dtype) - exact)),
                            1e-9 if dtype == "float64" else 0.5)

    def test_float_sums_have_the_same_bits_in_pieces_as_at_once(self):
        n = 300001
        source = self.save("in.npy", np.random.default_rng(3).normal(size=n))
        lengths = np.random.default_rng(4).integers(1, 60, n)
        of_some = np.append(np.cumsum(lengths)[np.cumsum(lengths) < n], n)
        for form, reverse, inner in itertools.product(["--heads", "--offsets"], [False, True],
                                                      [of_some, range(3, n + 1, 2)]):
            flags = [form, self.segments(form, np.append(0, inner))] + ["--reverse"] * reverse
            self.succeeds(source, "-o", self.path("pieces.npy"), *flags)
            self.assertEqual(self.call(source, "-o", self.path("whole.npy"), "--verify", *flags)[0], DONE)
            self.assertSame(self.load("pieces.npy", "float64"), self.load("whole.npy", "float64"))

    def test_float_minima_and_maxima_with_nan_and_infinities(self):
        for dtype in FLOATS:
            array = samples(dtype, 5000)
            array[[700, 1500]] = [np.inf, -np.inf]
            array[4000] = np.nan
            source = self.save("in.npy", array)
            for op, reverse in itertools.product(["min", "max"], [False, True]):
                self.writes(scanned(array, op, reverse=reverse), source, "--op", op,
                            *["--reverse"] * reverse)

    def test_sizes(self):
        for n in [0, 1, 2, 31, 16383, 16384, 16385, 100003]:
            array = samples("int32", n)
            offsets = some_offsets(n)
            source = self.save("in.npy", array)
            for reverse in [False, True]:
                flags = ["--threads", "3"] + ["--reverse"] * reverse
                self.writes(scanned(array, reverse=reverse), source, *flags)
                self.writes(scanned(array, reverse=reverse, offsets=offsets), source, *flags,
                            "--offsets", self.segments("--offsets", offsets))

    def test_integers_never_pass_through_a_double(self):
        array = np.array([2**53, 1, 2**62], "int64")
        out = self.succeeds(self.save("in.npy", array), "--init", "-9223372036854775808", "-o",
                            self.path("o.txt"), "--op", "sum")
        self.assertEqual(out, b"")
        self.assertEqual(content_of(self.path("o.txt")), b"-9214364837600034816\n"
                         b"-9214364837600034815\n-4602678819172646911\n")
        out = self.succeeds("-", "--exclusive", "--init", "18446744073709551615", "--dtype",
                            "uint64", data=b"1\n18446744073709551615\n")
        self.assertEqual(out, b"18446744073709551615\n0\n")

    def test_floats_in_integer_accumulators(self):
        array = np.array([1.9, -1.9, 2.0**62, -7.5])
        self.writes(np.cumsum(array, dtype="int64"), self.save("in.npy", array), "--accumulator",
                    "i64")
        for value, accumulator in [(np.nan, "int64"), (2.0**63, "int64"), (-1.0, "uint64"),
                                   (np.inf, "uint64"), (2.0**64, "uint64"), (2.0**31, "int32"),
                                   (-2.0**31 - 256, "int32"), (2.0**32, "uint32"),
                                   (-1.0, "uint32"), (np.nan, "int32")]:
            source = self.save("in.npy", np.array([0, value],
                                                  "float32" if "32" in accumulator else "float64"))
            self.fails(BAD_FILE, "in.npy: item 1 is ", source, "--accumulator", accumulator)
        for values, accumulator in [([-2.0**31, 2.0**31 - 128, -0.9], "int32"),
                                    ([2.0**32 - 256, -0.9, 1.5], "uint32")]:
            array = np.array(values, "float32")
            self.writes(np.maximum.accumulate(array.astype("float64").astype("int64")).astype(
                accumulator), self.save("in.npy", array), "--op", "max", "--accumulator",
                accumulator)
        self.writes(np.array([2**63], "uint64"), self.save("in.npy", np.array([2.0**63])),
                    "--accumulator", "uint64")

    def test_results_do_not_depend_on_the_number_of_threads(self):
        source = self.save("in.npy", np.random.default_rng(1).normal(size=300000))
        heads = self.segments("--heads", some_offsets(300000))
        for flags in [[], ["--reverse"], ["--heads", heads]]:
            outputs = {self.succeeds(source, "--threads", n, *flags) for n in [0, 1, 2, 7]}
            self.assertEqual(len(outputs), 1)

    def test_a_column_of_a_table(self):
        table = self.write("t.csv", b"# note\nname,height\nA,1.5\nB,2\n#C,7\nD,-3\n")
        self.assertEqual(self.finds_header(table, "--column", "2"), b"1.5\n3.5\n10.5\n7.5\n")

    def test_one_row_is_a_sequence(self):
        for row in [b"3 1 7 0 4 1 6 3\n", b"3,1,7,0,4,1,6,3", b"3;1;7;0;4;1;6;3\r\n"]:
            self.assertEqual(self.succeeds("-", data=row), b"3\n4\n11\n11\n15\n16\n22\n25\n")
            self.assertEqual(self.succeeds("-", "--column", "1", data=row), b"3\n")
        heads = self.write("heads.txt", b"1 0 0 1\n")
        self.assertEqual(self.succeeds("-", "--heads", heads, data=b"1 2 3 4\n"),
                         b"1\n3\n6\n4\n")

    def test_truth_values_count_as_in_cumsum(self):
        truth = np.random.default_rng(1).random((30, 20)) < 0.5
        for form in [truth, truth.T]:
            source = self.save("b.npy", form)
            self.writes(np.cumsum(form), source)
            self.writes(np.cumsum(form), self.compress("b.npy"))
            self.writes(np.cumsum(form, dtype="uint8"), source, "--accumulator", "uint8")
        items = samples("int32", 5)
        source = self.save("in.npy", items)
        for descr in [b"'b1'", b"'?'", b'"|b1"', b"'bool'"]:
            header = (b"{'shape': (5,), 'fortran_order': False, " + b" " * 300 + b"'descr': " +
                      descr + b"}")
            keys = self.write("k.npy", b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") +
                              header + bytes([0, 1, 1, 0, 0]))
            self.writes(scanned(items, offsets=[0, 1, 3, 5]), source, "--keys", keys)
            self.writes(scanned(items, offsets=[0, 1, 2, 5]), source, "--heads", keys)
            self.writes(scanned(items, offsets=[0, 1, 3, 5]), "-", "--dtype", "int32",
                        "--format", "raw", "--keys", keys, data=items.tobytes())

    def test_the_real_data(self):
        heights = np.load(os.path.join(DATA, "elevation.npy"))
        source = os.path.join(DATA, "elevation.npy")
        self.writes(np.cumsum(heights), source)
        rows, columns = heights.shape
        offsets = self.save("rows.npy", np.arange(rows + 1) * columns)
        self.writes(np.maximum.accumulate(heights, axis=1).ravel(), source, "--op", "max",
                    "--accumulator", "int16", "--offsets", offsets)


class Algorithms(PrefixCase):
    def setUp(self):
        super().setUp()
        self.needs_executor()

    def test_every_strategy(self):
        inputs = [("int32", 0), ("int32", 1), ("uint8", 2000), ("float32", 1999), ("int64", 1025)]
        for (dtype, n), cases in grouped(combinations(3, inputs, STRATEGIES, [False, True],
                                                      [False, True])):
            array = samples(dtype, n)
            source = self.save("in.npy", array)
            for name, exclusive, reverse in cases:
                with self.subTest(dtype=dtype, n=n, algorithm=name):
                    flags = ["--exclusive"] * exclusive + ["--reverse"] * reverse
                    self.writes(scanned(array, "sum", None, exclusive, 3, reverse), source,
                                "--algorithm", name, "--init", "3", *flags)
        for op in OPERATORS:
            array = samples("int16", 1500)
            self.writes(scanned(array, op, "int16"), self.save("in.npy", array), "--op", op,
                        "--accumulator", "int16", "--algorithm", "decoupled-look-back")
        for dtype, accumulator in [("int8", "int32"), ("int8", "uint16"), ("uint16", "int32"),
                                   ("float32", "int32")]:
            array = samples(dtype, 1500)
            if dtype == "float32":
                array = abs(array)
            self.writes(scanned(array, "sum", accumulator), self.save("in.npy", array),
                        "--accumulator", accumulator, "--algorithm", "reduce-then-scan")

    def test_blocks_of_any_size(self):
        source = self.save("in.npy", np.arange(1100))
        for name, block in itertools.product(STRATEGIES[1:2] + STRATEGIES[3:8], [1, 3, 32, 1024]):
            self.writes(np.cumsum(np.arange(1100)), source, "--algorithm", name, "--block", block)
        self.fails(USAGE, "expected at most 62", source, "--algorithm", "one-block", "--block", 31)
        for given in [[], ["--algorithm", "sequential"], ["--algorithm", "production"]]:
            self.fails(USAGE, "--block is for the blocks of", source, "--block", 8, *given)

    def test_blocks_run_any_block_scan(self):
        source, sums = self.save("in.npy", np.arange(1100)), np.cumsum(np.arange(1100))
        for name, scan in combinations(3, STRATEGIES[3:8], BLOCK_SCANS):
            self.writes(sums, source, "--algorithm", name, "--block-scan", scan, "--block", 32)
        for scan in BLOCK_SCANS[1:] + ["naive", "work-efficient"]:
            self.writes(sums, source, "--algorithm", scan)
        code, _, err = self.call(source, "-o", "/dev/null", "--algorithm", "brent-kung", "--engine",
                                 "executor", "--time")
        self.assertEqual(code, DONE, err)
        self.assertIn("by scan-then-fan of brent-kung in the executor\n", err)
        for name in "sequential", "global-hillis-steele", "production":
            self.fails(USAGE, "--block-scan is for the blocks of", source, "--algorithm", name,
                       "--block-scan", "brent-kung")
        self.fails(USAGE, "--block-scan is for the blocks of", source, "--block-scan", "brent-kung")
        self.fails(USAGE, "is a block scan itself", source, "--algorithm", "brent-kung",
                   "--block-scan", "kogge-stone")
        self.fails(USAGE, 'block scan "foo" is unknown; expected one of ' + ", ".join(BLOCK_SCANS),
                   source, "--algorithm", "chained-scan", "--block-scan", "foo")

    def test_what_a_strategy_cannot_do(self):
        source = self.save("in.npy", np.arange(5))
        heads = self.save("heads.npy", np.ones(5, "u1"))
        self.refuses_algorithms(source, STRATEGIES)
        self.fails(USAGE, "scans without segments", source, "--verify=cub", "--heads", heads)
        self.fails(USAGE, "the strategies know no segments", source, "--algorithm", "sequential",
                   "--heads", heads)
        self.fails(USAGE, "expected at most 2048", self.save("in.npy", np.arange(2049)),
                   "--algorithm", "one-block")

    def test_where_it_ran(self):
        code, _, err = self.call(self.save("in.npy", np.arange(5)), "-o", "/dev/null",
                                 "--algorithm", "chained-scan", "--engine", "executor", "--time")
        self.assertEqual(code, DONE)
        self.assertIn("inclusive sum in int64, by chained-scan in the executor\n", err)


class Messages(PrefixCase):
    def test_talk_goes_to_standard_error(self):
        source = self.save("in.npy", np.arange(1000, dtype="int32"))
        out = self.talks("a plain loop computes the same",
                         {"read": "1000 items of int32",
                          "scan": "reverse exclusive max in int64, on c", "write": "8128 bytes"},
                         source, "--op", "max", "--reverse", "--exclusive")
        self.assertTrue(out.startswith(b"\x93NUMPY"))

    def test_read_counts_the_bytes_of_files(self):
        source = self.write("in.txt", b"%040d\n" % 5 * 100000)
        heads = self.write("h.txt", b"1\n" * 100000)
        for arguments, size in ([source], 4.1e6), ([source, "--heads", heads], 4.3e6):
            _, _, err = self.call(*arguments, "-o", "/dev/null", "--time")
            seconds, rate = map(float, re.search(r"read +(\S+) s +(\S+) GB/s", err).groups())
            # The rate has two decimals.
            self.assertLess((rate - 0.005) * seconds * 1e9, size * 1.01)
            self.assertGreater((rate + 0.005) * seconds * 1e9, size * 0.99)

    def test_wrong_command_lines(self):
        source = self.save("in.npy", np.arange(5))
        self.fails(USAGE, "--op", source, "--op", "product")
        self.fails(USAGE, "'f128' is no item type, expected one of int8 ", source, "--dtype", "f128")
        self.fails(USAGE, " float64 float16 bfloat16 ", source, "--dtype", "f128")
        self.fails(USAGE, "--accumulator: 'int7'", source, "--accumulator", "int7")
        self.fails(USAGE, "excludes", source, "--heads", "a", "--keys", "b")
        self.fails(USAGE, "--op and is for integers", source, "--op", "and",
                   "--accumulator", "f64")

    def test_switches_that_are_told_to_stay_off(self):
        out = self.succeeds("-", data=b"1\n2\n3\n")
        for switch in ["--exclusive", "--reverse"]:
            for off in ["false", "0"]:
                self.assertEqual(self.succeeds("-", f"{switch}={off}", data=b"1\n2\n3\n"), out)
            for on in [switch, switch + "=true"]:
                self.assertNotEqual(self.succeeds("-", on, data=b"1\n2\n3\n"), out)

    def test_wrong_inits(self):
        source = self.save("in.npy", np.arange(5, dtype="int8"))
        for init, accumulator, words in [
                ("9223372036854775808", "int64", "out of range"),
                ("-9223372036854775809", "int64", "out of range"),
                ("18446744073709551616", "uint64", "out of range"),
                ("-1", "uint64", "out of range"), ("128", "int8", "out of range"),
                ("1e39", "float32", "out of range"), ("1.5", "int64", "no such number"),
                ("x", "float64", "no such number")]:
            self.fails(USAGE, "--init: '%s' is %s, expected %s" % (init, words, accumulator),
                       source, "-o", self.path("o.npy"), "--init", init, "--accumulator",
                       accumulator)

    def test_verify_finds_a_planted_error_and_leaves_no_output(self):
        for dtype in ["int32", "float64"]:
            arguments = [self.save("in.npy", np.arange(5, dtype=dtype)), "-o", self.path("o.npy")]
            self.finds("item 3 is 7, expected 6", *arguments)
        self.succeeds(*arguments, program=FAULTY)  # so the error is real
        self.assertEqual(self.load("o.npy", "float64").tolist(), [0, 1, 3, 7, 11])
        self.needs_executor()
        for name in ["sequential", "decoupled-look-back"]:
            self.finds("item 3 is 7, expected 6", *arguments, "--algorithm", name)

    @needs_little_memory
    def test_too_little_memory_for_the_result(self):
        source = self.write("in.raw", bytes(15_000_000))
        # In one piece, which is what --verify needs, the result takes 120 MB.
        error = self.fails(FAILURE, "in.raw takes at least 114.4 MiB of memory, more than the ",
                           source, "--dtype", "u8", "--threads", "1", "--verify", "-o",
                           self.path("o.raw"), **little_memory(100 << 20))
        bound = float(re.search(r"more than the (\S+) MiB that may be taken here", error)[1])
        self.assertAlmostEqual(bound, bound_by_addresses(self.program, 100 << 20), delta=0.5)
        self.succeeds(source, "--dtype", "u8", "--threads", "1", "-o", self.path("o.raw"),
                      **little_memory(100 << 20))

    def test_closed_streams(self):
        code, _, _ = self.call("-", "-o", self.path("o.txt"), "--verify", "--time",
                               data=b"1\n2\n3\n", preexec_fn=lambda: os.close(2))
        self.assertEqual((code, content_of(self.path("o.txt"))), (DONE, b"1\n3\n6\n"))
        source = self.save("in.npy", np.arange(5, dtype="uint8"))
        self.fails(BAD_FILE, "<stdin>: cannot read: Bad file descriptor", source, "--heads", "-",
                   preexec_fn=lambda: os.close(0))

    def test_threads_that_cannot_be_created(self):
        if os.geteuid() != 0:
            self.skipTest("needs a second user")
        os.chmod(self.dir, 0o777)
        with open(self.path("in.raw"), "wb") as file:
            file.truncate(1 << 26)
        for threads in [1000, 64]:
            try:
                self.fails(FAILURE, "more threads (--threads takes fewer)", self.path("in.raw"),
                           "--dtype", "u8", "--threads", threads, "--accumulator", "uint8", "-o",
                           self.path("o.npy"), user=65534, **limited(resource.RLIMIT_NPROC, 8))
            except PermissionError:
                self.skipTest("the program is out of reach for another user")

    def test_a_result_that_does_not_fit_is_refused_before_the_input_is_read(self):
        with open(self.path("in.raw"), "wb") as file:
            file.truncate(1 << 33)  # reading it would take long
        self.refused(self.path("in.raw"), "in.raw takes at least 64.0 GiB of memory, more than the "
                     "400.0 MiB of --memory", "--dtype", "u8", "--memory", "400M", "--verify",
                     code=FAILURE)
        # Numbers that would be rounded to the same get more digits.
        for bound, words in [(2**36 - 2**20, "64.000 GiB of memory, more than the 63.999 GiB of "),
                             (2**36 - 1, "64.000000000 GiB of memory, more than the 63.999999999 ")]:
            self.refused(self.path("in.raw"), "takes at least " + words, "--dtype", "u8",
                         "--memory", bound, "--verify", code=FAILURE)


if __name__ == "__main__":
    unittest.main()
