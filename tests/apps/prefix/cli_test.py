#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scan-prefix seen from outside, with NumPy as the oracle: every operator, type and option, pipes,
exit codes and messages, outputs that are complete or absent.
Run as: cli_test.py path/to/scan-prefix path/to/scan-prefix-faulty path/to/data"""
import errno
import gzip
import itertools
import os
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy as np

PROGRAM, FAULTY, DATA = [os.path.abspath(sys.argv.pop(1)) for _ in range(3)]
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float32", "float64"]
OPERATORS = {"sum": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and,
             "or": np.bitwise_or, "xor": np.bitwise_xor}
STRATEGIES = ["sequential", "one-block", "scan-then-fan", "scan-then-propagate",
              "reduce-then-scan", "chained-scan", "decoupled-look-back", "production"]
FORMS = ["--heads", "--head-bits", "--offsets", "--keys"]
DONE, DIFFERENCE, USAGE, BAD_FILE, FAILURE = range(5)


def run(*arguments, data=None, program=PROGRAM, **more):
    """Runs the program; returns its exit code, standard output and standard error."""
    more.setdefault("stdout", subprocess.PIPE)
    more.setdefault("stderr", subprocess.PIPE)
    done = subprocess.run([program, *map(str, arguments)], input=data, timeout=60, **more)
    return done.returncode, done.stdout, (done.stderr or b"").decode()


def samples(dtype, n, seed=1):
    """Any integers, the limits among them; floats whose sums are exact."""
    dt = np.dtype(dtype)
    rng = np.random.default_rng(seed)
    if dt.kind == "f":
        return rng.integers(-99, 99, n).astype(dt) / 4
    array = np.frombuffer(rng.bytes(n * dt.itemsize), dtype=dt).copy()
    special = [np.iinfo(dt).min, np.iinfo(dt).max, 0]
    array[:min(n, len(special))] = special[:n]
    return array


def widened(dtype):
    """The type of NumPy's cumsum."""
    return np.cumsum(np.zeros(1, dtype)).dtype


def identity(op, dtype):
    dt = np.dtype(dtype)
    least, most = (-np.inf, np.inf) if dt.kind == "f" else (np.iinfo(dt).min, np.iinfo(dt).max)
    if op == "and":
        return dt.type(0) if dt.kind == "f" else np.invert(dt.type(0))
    return dt.type({"sum": 0, "min": most, "max": least}.get(op, 0))


def scanned(array, op="sum", accumulator=None, exclusive=False, init=None, reverse=False,
            offsets=None):
    """What the program must write."""
    dt = np.dtype(accumulator or widened(array.dtype))
    array = array.ravel()
    first = identity(op, dt) if init is None else dt.type(init)
    offsets = [0, len(array)] if offsets is None else offsets
    parts = [np.empty(0, dt)]
    for begin, end in zip(offsets, offsets[1:]):
        items = array[begin:end].astype(dt)[::-1 if reverse else 1]
        with np.errstate(over="ignore"):
            part = OPERATORS[op].accumulate(np.concatenate([[first], items]).astype(dt), dtype=dt)
        part = part[:-1] if exclusive else part[1:]
        parts.append(part[::-1] if reverse else part)
    return np.concatenate(parts)


def some_offsets(n, empty=True, seed=1):
    """Segments of many lengths, some of them of none."""
    rng = np.random.default_rng(seed)
    inner = np.sort(rng.integers(0, n + 1, n // 7))
    if not empty:
        inner = np.unique(inner[(inner > 0) & (inner < n)])
    return np.concatenate([[0], inner, [n]]).astype("int64")


def content_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read()


class InDirectory(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.dir = scratch.name

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def save(self, name, array):
        np.save(self.path(name), array)
        return self.path(name)

    def load(self, name, dtype):
        """An output of any format as an array of `dtype`."""
        path = self.path(name)
        content = content_of(path)
        if ".npy" in name:
            found = np.load(self.write("plain.npy", content))
            self.assertEqual(found.dtype, np.dtype(dtype))
            return found
        if ".raw" in name:
            return np.frombuffer(content, dtype)
        kind = float if np.dtype(dtype).kind == "f" else int
        return np.array([kind(word) for word in content.decode().split()], dtype)

    def segments(self, form, offsets):
        """Files that say, in this form, where the segments of these offsets begin."""
        n = offsets[-1]
        heads = np.zeros(n, bool)
        heads[offsets[:-1][offsets[:-1] < n]] = True
        if form == "--heads":
            return self.save("heads.npy", heads)
        if form == "--head-bits":
            return self.save("bits.npy", np.packbits(heads, bitorder="little"))
        if form == "--offsets":
            return self.save("offsets.npy", offsets)
        return self.save("keys.npy", np.cumsum(heads).astype("int16") % 3)

    def succeeds(self, *arguments, **more):
        code, out, err = run(*arguments, **more)
        self.assertEqual((code, err), (DONE, ""))
        return out

    def fails(self, code, words, *arguments, **more):
        """The program must end with this code, one line of error with these words, no output."""
        result, out, err = run(*arguments, **more)
        self.assertEqual((result, out or b""), (code, b""), err)
        self.assertTrue(err.startswith("scan-prefix: error: "), err)
        self.assertEqual(err.count("\n"), 1, err)
        self.assertIn(words, err)

    def assertSame(self, found, expected):
        self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape))
        np.testing.assert_array_equal(found, expected)

    def writes(self, expected, *arguments, **more):
        """The program must write this array, and find it right."""
        code, _, err = run(*arguments, "-o", self.path("out.npy"), "--verify", **more)
        self.assertEqual(code, DONE, err)
        self.assertTrue(err.startswith("scan-prefix: verified: a plain loop computes the same"))
        self.assertSame(self.load("out.npy", expected.dtype), expected)


class Results(InDirectory):
    def test_every_type_operator_and_option_against_numpy(self):
        n = 501
        offsets = some_offsets(n, empty=False)
        files = {form: self.segments(form, offsets) for form in FORMS}
        for dtype in INTEGERS + FLOATS:
            array = samples(dtype, n)
            source = self.save("in.npy", array)
            for op, exclusive, reverse, form in itertools.product(
                    OPERATORS, [False, True], [False, True], [None] + FORMS):
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
        for dtype in INTEGERS + FLOATS:
            array = samples(dtype, 3001)
            if dtype in FLOATS:
                array = abs(array)  # NumPy does not say what uint64 makes of negative floats
            source = self.save("in.npy", array)
            for accumulator in {dtype, "int64", "uint64", "float32", "float64"}:
                with self.subTest(dtype=dtype, accumulator=accumulator):
                    op = "sum"
                    if accumulator in FLOATS and dtype in INTEGERS:
                        op = "max"  # of any size, so that sums round
                    self.writes(scanned(array, op, accumulator), source, "--op", op,
                                "--accumulator", accumulator)
            for accumulator in set(INTEGERS[:6]) - {dtype}:
                self.fails(USAGE, "--accumulator %s is not for items of %s, expected " %
                           (accumulator, dtype), source, "--accumulator", accumulator)

    def test_the_accumulator_is_that_of_cumsum(self):
        for dtype in INTEGERS + FLOATS:
            array = samples(dtype, 1000)
            self.writes(np.cumsum(array), self.save("in.npy", array))

    def test_float_sums_are_near_the_exact_ones(self):
        for dtype in FLOATS:
            array = np.random.default_rng(3).normal(size=200001).astype(dtype)
            source = self.save("in.npy", array)
            for flags in [[], ["--reverse"], ["--exclusive"], ["--offsets",
                          self.save("offsets.npy", np.array([0, 5, 5, 100000, 200001]))]]:
                code, _, err = run(source, "-o", self.path("o.npy"), "--verify", *flags)
                self.assertEqual((code, err), (DONE, "scan-prefix: verified: a plain loop computes "
                                               "the same, but for rounding within its bound\n"))
            self.succeeds(source, "-o", self.path("o.npy"))
            exact = np.cumsum(array.astype("longdouble"))
            self.assertLess(np.max(abs(self.load("o.npy", dtype) - exact)),
                            1e-9 if dtype == "float64" else 0.5)

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

    def test_init_comes_before_the_first_item_of_each_segment(self):
        array = samples("int16", 700)
        offsets = some_offsets(700)
        source = self.save("in.npy", array)
        flags = ["--offsets", self.segments("--offsets", offsets)]
        for op, init, exclusive, reverse in itertools.product(
                ["sum", "max", "xor"], [-5, 0, 12345678901], [False, True], [False, True]):
            options = ["--op", op, "--init", init]
            options += ["--exclusive"] * exclusive + ["--reverse"] * reverse
            self.writes(scanned(array, op, None, exclusive, init, reverse), source, *options)
            self.writes(scanned(array, op, None, exclusive, init, reverse, offsets), source,
                        *options, *flags)
        for init in ["0.5", "-1e300", "-inf", "nan", "+7"]:
            array = samples("float64", 5)
            self.writes(scanned(array, "min", init=float(init)), self.save("f.npy", array), "--op",
                        "min", "--init", init)

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
                                   (np.inf, "uint64"), (2.0**64, "uint64")]:
            source = self.save("in.npy", np.array([0, value]))
            self.fails(BAD_FILE, "in.npy: item 1 is ", source, "--accumulator", accumulator)
        self.writes(np.array([2**63], "uint64"), self.save("in.npy", np.array([2.0**63])),
                    "--accumulator", "uint64")

    def test_results_do_not_depend_on_the_number_of_threads(self):
        source = self.save("in.npy", np.random.default_rng(1).normal(size=300000))
        heads = self.segments("--heads", some_offsets(300000))
        for flags in [[], ["--reverse"], ["--heads", heads]]:
            outputs = {self.succeeds(source, "--threads", n, *flags) for n in [0, 1, 2, 7]}
            self.assertEqual(len(outputs), 1)

    def test_every_type_in_every_format(self):
        for dtype in ["int8", "uint64", "float32"]:
            array = samples(dtype, 2000)
            sums = np.cumsum(array)
            np.savetxt(self.path("in.txt"), array, fmt="%d" if dtype in INTEGERS else "%.17g")
            self.write("in.raw", array.tobytes())
            self.save("in.npy", array)
            for name in ["in.txt", "in.raw", "in.npy"]:
                self.write(name + ".gz", gzip.compress(content_of(self.path(name))))
                for source in [name, name + ".gz"]:
                    for target in ["o.txt", "o.raw", "o.npy", "o.npy.gz", "o.txt.gz"]:
                        with self.subTest(dtype=dtype, source=source, target=target):
                            self.succeeds(self.path(source), "--dtype", dtype, "-o",
                                          self.path(target))
                            self.assertSame(self.load(target, sums.dtype), sums)

    def test_the_real_data(self):
        heights = np.load(os.path.join(DATA, "elevation.npy"))
        source = os.path.join(DATA, "elevation.npy")
        self.writes(np.cumsum(heights), source)
        rows, columns = heights.shape
        offsets = self.save("rows.npy", np.arange(rows + 1) * columns)
        self.writes(np.maximum.accumulate(heights, axis=1).ravel(), source, "--op", "max",
                    "--accumulator", "int16", "--offsets", offsets)


class Segments(InDirectory):
    def test_empty_segments_and_other_types_of_offsets(self):
        array = samples("int32", 100)
        source = self.save("in.npy", array)
        for offsets in [[0, 100], [0, 0, 0, 100, 100], [0, 1, 1, 50, 99, 100, 100]]:
            for dtype in INTEGERS:
                name = self.save("offsets.npy", np.array(offsets, dtype))
                self.writes(scanned(array, offsets=offsets), source, "--offsets", name)
            text = self.write("offsets.txt", b"".join(b"%d\n" % x for x in offsets))
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
        text = self.write("heads.txt", b"".join(b"%d\n" % x for x in flags))
        self.writes(expected, source, "--heads", text)
        packed = self.write("heads.npy.gz", gzip.compress(content_of(self.path("heads.npy"))))
        self.writes(expected, source, "--heads", packed)

    def test_keys_of_every_type(self):
        array = samples("int32", 1000)
        source = self.save("in.npy", array)
        rng = np.random.default_rng(1)
        for dtype in INTEGERS + FLOATS:
            keys = np.repeat(rng.integers(0, 5, 100), 10).astype(dtype)
            if dtype in FLOATS:
                keys[::77] = np.nan
                keys[5:200:10] = -0.0
                keys[6:200:10] = 0.0
            heads = np.flatnonzero(~(keys[1:] == keys[:-1])) + 1
            self.writes(scanned(array, offsets=np.concatenate([[0], heads, [1000]])), source,
                        "--keys", self.save("keys.npy", keys))

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
            before = sorted(os.listdir(self.dir))
            self.fails(BAD_FILE, "s.npy: " + words, source, "-o", self.path("o.npy"), form, name)
            self.assertEqual(sorted(os.listdir(self.dir)), before)

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


class Algorithms(InDirectory):
    def setUp(self):
        super().setUp()
        _, _, err = run("-", "--algorithm", "sequential", "--engine", "cpu", data=b"1\n")
        if "which this build lacks" in err:
            self.skipTest("built without the executor")

    def test_every_strategy(self):
        for dtype, n in [("int32", 0), ("int32", 1), ("uint8", 2000), ("float32", 1999),
                         ("int64", 1025)]:
            array = samples(dtype, n)
            source = self.save("in.npy", array)
            for name, exclusive, reverse in itertools.product(STRATEGIES, [False, True],
                                                              [False, True]):
                with self.subTest(dtype=dtype, n=n, algorithm=name):
                    flags = ["--exclusive"] * exclusive + ["--reverse"] * reverse
                    self.writes(scanned(array, "sum", None, exclusive, 3, reverse), source,
                                "--algorithm", name, "--init", "3", *flags)
        for op in OPERATORS:
            array = samples("int16", 1500)
            self.writes(scanned(array, op, "int16"), self.save("in.npy", array), "--op", op,
                        "--accumulator", "int16", "--algorithm", "decoupled-look-back")

    def test_what_a_strategy_cannot_do(self):
        source = self.save("in.npy", np.arange(5))
        heads = self.save("heads.npy", np.ones(5, "u1"))
        self.fails(USAGE, "expected one of " + ", ".join(STRATEGIES), source, "--algorithm", "best")
        self.fails(USAGE, "the strategies know no segments", source, "--algorithm", "sequential",
                   "--heads", heads)
        self.fails(USAGE, "expected at most 2048", self.save("in.npy", np.arange(2049)),
                   "--algorithm", "one-block")

    def test_where_it_ran(self):
        code, _, err = run(self.save("in.npy", np.arange(5)), "-o", "/dev/null", "--algorithm",
                           "chained-scan", "--engine", "cpu", "--time")
        self.assertEqual(code, DONE)
        self.assertIn("inclusive sum in int64, by chained-scan in the executor\n", err)

    def test_the_executor_takes_only_so_many_items(self):
        source = self.write("in.raw", bytes(2**24 + 1))
        self.fails(USAGE, "takes up to 16777216 items; the input has 16777217", source, "--dtype",
                   "u8", "--algorithm", "sequential", "--engine", "cpu", "--accumulator", "u8")


class Pipes(InDirectory):
    def test_every_format_through_a_pipe(self):
        array = samples("int32", 70000)
        sums = np.cumsum(array)
        npy = content_of(self.save("in.npy", array))
        for data in [npy, gzip.compress(npy)]:
            self.write("o.npy", self.succeeds("-", data=data))
            self.assertSame(self.load("o.npy", "int64"), sums)
        out = self.succeeds("-", "--format", "raw", "--dtype", "int32", "-o", "-",
                            data=array.tobytes())
        self.assertSame(np.frombuffer(out, "int64"), sums)
        out = self.succeeds("-", data=b"".join(b"%d\n" % x for x in array))
        self.assertEqual(out, b"".join(b"%d\n" % x for x in sums))

    def test_a_column_of_a_table(self):
        table = self.write("t.csv", b"name,height\nA,1.5\nB,2\n# note\nC,7\nD,-3\n")
        self.assertEqual(self.succeeds(table, "--column", "2"), b"1.5\n3.5\n10.5\n7.5\n")

    def test_a_reader_that_has_gone_ends_the_program_quietly(self):
        source = self.save("in.npy", np.arange(3_000_000))
        with subprocess.Popen([PROGRAM, source], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            process.stdout.read(100)
            process.stdout.close()
            err = process.stderr.read()
            process.wait(60)
        self.assertEqual((process.returncode, err), (-signal.SIGPIPE, b""))

    def test_talk_goes_to_standard_error(self):
        source = self.save("in.npy", np.arange(1000, dtype="int32"))
        code, out, err = run(source, "--time", "--verify", "--op", "max", "--reverse",
                             "--exclusive")
        self.assertEqual(code, DONE)
        self.assertTrue(out.startswith(b"\x93NUMPY"))
        lines = [line.split(": ", 1)[1] for line in err.splitlines()]
        self.assertEqual(lines[0], "verified: a plain loop computes the same")
        for line, step, words in zip(lines[1:], ["read", "scan", "write"],
                                     ["1000 items of int32", "reverse exclusive max in int64, on c",
                                      "8128 bytes"]):
            self.assertRegex(line, step + r" +\d+\.\d+ s +\d+\.\d+ GB/s  ")
            self.assertIn(words, line)


class Usage(InDirectory):
    def test_help_and_version(self):
        code, out, err = run("--help")
        self.assertEqual((code, err), (DONE, ""))
        for word in ["--op", "--exclusive", "--init", "--reverse", "--accumulator", "--heads",
                     "--head-bits", "--offsets", "--keys", "--algorithm", "--engine", "--threads",
                     "--dtype", "--column", "--progress", "--verify", "--time", "--version",
                     "Examples:", "Exit codes:", "int64, uint64, float32, float64"] + STRATEGIES:
            self.assertIn(word.encode(), out)
        code, out, err = run("--version")
        self.assertEqual((code, err), (DONE, ""))
        self.assertRegex(out, rb"^scan-prefix .*\d+\.\d+\.\d+\)?\n$")

    def test_wrong_command_lines(self):
        source = self.save("in.npy", np.arange(5))
        self.fails(USAGE, "INPUT is required", "--exclusive")
        self.fails(USAGE, "--nonsense", source, "--nonsense")
        self.fails(USAGE, "--op", source, "--op", "product")
        self.fails(USAGE, "--accumulator: 'int7'", source, "--accumulator", "int7")
        self.fails(USAGE, "excludes", source, "--heads", "a", "--keys", "b")
        self.fails(USAGE, "--engine", source, "--engine", "abacus")
        self.fails(USAGE, "--threads", source, "--threads", "-1")
        self.fails(USAGE, "--op and, or and xor are for integers", source, "--op", "and",
                   "--accumulator", "f64")
        self.assertEqual(os.listdir(self.dir), ["in.npy"])

    def test_wrong_inits(self):
        source = self.save("in.npy", np.arange(5, dtype="int8"))
        for init, accumulator, words in [
                ("9223372036854775808", "int64", "out of range"),
                ("-9223372036854775809", "int64", "out of range"),
                ("18446744073709551616", "uint64", "out of range"),
                ("-1", "uint64", "out of range"), ("128", "int8", "out of range"),
                ("1e39", "float32", "out of range"), ("1.5", "int64", "no such number"),
                ("x", "float64", "no such number"), ("", "int64", "no such number")]:
            self.fails(USAGE, "--init: '%s' is %s, expected %s" % (init, words, accumulator),
                       source, "-o", self.path("o.npy"), "--init", init, "--accumulator",
                       accumulator)
        self.assertEqual(os.listdir(self.dir), ["in.npy"])

    def test_cuda_without_a_gpu(self):
        source = self.save("in.npy", np.arange(5))
        self.fails(FAILURE, "cuda", source, "-o", self.path("o.npy"), "--engine", "cuda",
                   env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"})
        self.assertEqual(os.listdir(self.dir), ["in.npy"])

    def test_verify_finds_a_planted_error_and_leaves_no_output(self):
        for dtype, words in [("int32", "item 3 is 7, expected 6"), ("float64",
                                                                    "item 3 is 7, expected 6")]:
            source = self.save("in.npy", np.arange(5, dtype=dtype))
            code, out, err = run(source, "-o", self.path("o.npy"), "--verify", program=FAULTY)
            self.assertEqual((code, out), (DIFFERENCE, b""))
            self.assertEqual(err, "scan-prefix: error: --verify: %s\n" % words)
            self.assertEqual(os.listdir(self.dir), ["in.npy"])
        code, _, _ = run(source, "-o", self.path("o.npy"), program=FAULTY)
        self.assertEqual(code, DONE)  # so the error is real
        self.assertEqual(self.load("o.npy", "float64").tolist(), [0, 1, 3, 7, 11])


class BadFiles(InDirectory):
    def refused(self, source, words, *arguments, **more):
        """No output appears, and an earlier one of that name stays as it was."""
        target = self.write("old.npy", b"old")
        self.fails(BAD_FILE, words, source, "-o", target, *arguments, **more)
        self.assertEqual(content_of(target), b"old")
        os.remove(target)
        before = sorted(os.listdir(self.dir))
        self.fails(BAD_FILE, words, source, "-o", target, *arguments, **more)
        self.assertEqual(sorted(os.listdir(self.dir)), before)

    def test_messages_name_the_file_and_the_place(self):
        whole = content_of(self.save("in.npy", np.arange(100)))
        self.refused(self.path("none.npy"), "none.npy: ")
        self.refused(self.dir, "is a directory")
        self.refused(self.write("short.npy", whole[:-3]), "short.npy: byte ")
        self.refused(self.write("odd.raw", b"abcde"), "odd.raw: ", "--dtype", "int16")
        self.refused(self.write("word.txt", b"1\n2\nx\n"), "word.txt:3: ")
        self.refused("-", "<stdin>:2: ", data=b"1\ny\n")

    def test_too_little_memory(self):
        source = self.write("in.raw", bytes(50_000_000))
        limit = 200 << 20  # the result takes 400 MB
        self.fails(FAILURE, "out of memory", source, "--dtype", "u8", "--threads", "1", "-o",
                   self.path("o.raw"),
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual(os.listdir(self.dir), ["in.raw"])


class Outputs(InDirectory):
    def test_outputs_that_cannot_be_written(self):
        source = self.save("in.npy", np.arange(100000))
        os.mkdir(self.path("folder.npy"))
        self.fails(BAD_FILE, "folder.npy: is a directory", source, "-o", self.path("folder.npy"))
        self.fails(BAD_FILE, "missing/o.npy: ", source, "-o", self.path("missing/o.npy"))
        self.fails(BAD_FILE, os.strerror(errno.ENOSPC), source, "-o", "/dev/full")
        self.assertEqual(sorted(os.listdir(self.dir)), ["folder.npy", "in.npy"])

    def test_a_full_disk_leaves_no_output_and_the_old_one_untouched(self):
        source = self.save("in.npy", np.arange(1_000_000))
        limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                            (100_000, 100_000))}
        self.fails(BAD_FILE, os.strerror(errno.EFBIG), source, "-o", self.path("o.npy"), **limited)
        self.assertEqual(os.listdir(self.dir), ["in.npy"])
        self.write("o.npy", b"old")
        self.fails(BAD_FILE, os.strerror(errno.EFBIG), source, "-o", self.path("o.npy"), **limited)
        self.assertEqual(content_of(self.path("o.npy")), b"old")

    def test_interrupted_it_leaves_nothing(self):
        fifo = self.path("in.npy")
        os.mkfifo(fifo)
        with subprocess.Popen([PROGRAM, fifo, "-o", self.path("o.npy")],
                              stderr=subprocess.PIPE) as process:
            with open(fifo, "wb") as feed:
                np.lib.format.write_array_header_1_0(
                    feed, {"descr": "<i8", "fortran_order": False, "shape": (2**40,)})
                feed.write(bytes(1 << 20))
                feed.flush()
                self.assertGreater(len(os.listdir(self.dir)), 1)  # the unfinished output
                process.send_signal(signal.SIGTERM)
                process.wait(60)
            self.assertEqual((process.returncode, process.stderr.read()), (-signal.SIGTERM, b""))
        self.assertEqual(os.listdir(self.dir), ["in.npy"])

    def test_the_input_may_be_the_output(self):
        array = samples("int32", 100000)
        both = self.save("x.npy", array)
        self.succeeds(both, "-o", both)
        self.assertSame(self.load("x.npy", "int64"), np.cumsum(array))
        self.assertEqual(os.listdir(self.dir).count("x.npy"), 1)


if __name__ == "__main__":
    unittest.main()
