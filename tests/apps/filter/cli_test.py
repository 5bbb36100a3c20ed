#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scan-filter seen from outside, with NumPy as the oracle: every type and format, pipes, exit codes
and messages, outputs that are complete or absent.
Run as: cli_test.py path/to/scan-filter path/to/scan-filter-faulty path/to/data"""
import errno
import gzip
import os
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

PROGRAM, FAULTY, DATA = [os.path.abspath(sys.argv.pop(1)) for _ in range(3)]
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float32", "float64"]
DONE, DIFFERENCE, USAGE, BAD_FILE, FAILURE = range(5)

# Predicates and what they mean to NumPy. `a` is an array, `c(x)` the number x of its type.
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


def run(*arguments, data=None, program=PROGRAM, **more):
    """Runs the program; returns its exit code, standard output and standard error."""
    more.setdefault("stdout", subprocess.PIPE)
    more.setdefault("stderr", subprocess.PIPE)
    done = subprocess.run([program, *map(str, arguments)], input=data, timeout=60, **more)
    return done.returncode, done.stdout, (done.stderr or b"").decode()


def samples(dtype, n, seed=1):
    """Small numbers among random bits and the limits of the type."""
    dt = np.dtype(dtype)
    rng = np.random.default_rng(seed)
    array = np.frombuffer(rng.bytes(n * dt.itemsize), dtype=dt).copy()
    small = rng.random(n) < 0.6
    array[small] = rng.integers(0, 120, n).astype(dt)[small]
    if dt.kind == "f":
        array[np.isnan(array)] = np.nan  # text knows only one
        special = [np.nan, np.inf, -np.inf, -0.0, 0.0, np.finfo(dt).max, np.finfo(dt).tiny]
    else:
        special = [np.iinfo(dt).min, np.iinfo(dt).max, 0]
    array[:min(n, len(special))] = special[:n]
    return array


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

    def succeeds(self, *arguments, **more):
        code, out, err = run(*arguments, **more)
        self.assertEqual((code, err), (DONE, ""))
        return out

    def fails(self, code, words, *arguments, **more):
        """The program must end with this code, one line of error with these words, no output."""
        result, out, err = run(*arguments, **more)
        self.assertEqual((result, out or b""), (code, b""), err)
        self.assertTrue(err.startswith("scan-filter: error: "), err)
        self.assertEqual(err.count("\n"), 1, err)
        self.assertIn(words, err)

    def assertSame(self, found, expected):
        self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape))
        self.assertEqual(found.tobytes(), expected.tobytes())


class Results(InDirectory):
    def test_every_type_and_predicate_against_numpy(self):
        for dtype in INTEGERS + FLOATS:
            array = samples(dtype, 3001)
            source = self.save("in.npy", array)
            for text, meaning in PREDICATES + (INTEGER_PREDICATES if dtype in INTEGERS else []):
                with self.subTest(dtype=dtype, predicate=text):
                    mask = meaning(array)
                    self.succeeds(source, "-o", self.path("out.npy"), "--keep", text)
                    self.assertSame(self.load("out.npy", dtype), array[mask])
                    self.succeeds(source, "-o", self.path("at.npy"), "--keep", text, "--indices")
                    self.assertSame(self.load("at.npy", "int64"), np.flatnonzero(mask))
                    count = self.succeeds(source, "--keep", text, "--count-only")
                    self.assertEqual(count, b"%d\n" % np.count_nonzero(mask))

    def test_every_type_in_every_format(self):
        for dtype in INTEGERS + FLOATS:
            array = samples(dtype, 2000)
            kept = array[array >= 3]
            np.savetxt(self.path("in.txt"), array, fmt="%d" if dtype in INTEGERS else "%.17g")
            self.write("in.raw", array.tobytes())
            self.save("in.npy", array)
            for name in ["in.txt", "in.raw", "in.npy"]:
                self.write(name + ".gz", gzip.compress(content_of(self.path(name))))
                for source in [name, name + ".gz"]:
                    for target in ["o.txt", "o.raw", "o.npy", "o.npy.gz", "o.txt.gz"]:
                        with self.subTest(dtype=dtype, source=source, target=target):
                            self.succeeds(self.path(source), "--dtype", dtype, "-o",
                                          self.path(target), "--keep", ">= 3")
                            self.assertSame(self.load(target, dtype), kept)

    def test_sizes(self):
        for n in [0, 1, 2, 31, 16383, 16384, 16385, 100003]:
            array = samples("int32", n)
            out = self.succeeds(self.save("in.npy", array), "--keep", "> 50", "--threads", "3")
            self.write("out.npy", out)
            self.assertSame(self.load("out.npy", "int32"), array[array > 50])

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
        table = self.write("t.csv", b"name,height\nA,1.5\nB,nan\nC,7\n# note\nD,-3\n")
        out = self.succeeds(table, "--column", "2", "--keep", "not nan and > -1")
        self.assertEqual(out, b"1.5\n7\n")
        out = self.succeeds(table, "--column", "2", "--keep", "nan", "--indices")
        self.assertEqual(out, b"1\n")

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
        limit = 200 << 20  # the positions of all items would take 320 MB
        out = self.succeeds(source, "--dtype", "u8", "--threads", "1", "--keep", "== 1",
                            "--indices", "--format", "raw",
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                                  (limit, limit)))
        self.assertEqual(np.frombuffer(out, "int64").tolist(), [5, 39_999_999])


class Masks(InDirectory):
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
        yield self.write("flags.txt", b"".join(b"%d\n" % flag for flag in flags))
        yield self.write("bool.npy.gz", gzip.compress(content_of(self.path("bool.npy"))))
        if len(packed) != len(mask):
            yield self.write("packed.bin", packed.tobytes())
        if len(words) != len(mask):
            yield self.write("words.raw", words.tobytes())

    def test_every_form_of_mask_against_numpy(self):
        rng = np.random.default_rng(3)
        for n, share in [(0, .5), (1, 1), (5, .5), (32, .5), (33, .5), (3001, .01), (3001, .5),
                         (70001, .99)]:
            array = samples("float32", n)
            source = self.save("in.npy", array)
            mask = rng.random(n) < share
            for file in self.forms(mask):
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
        for dtype in INTEGERS + FLOATS:
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
                self.assertEqual(sorted(os.listdir(self.dir)), ["in.npy", "m.npy"])
        self.fails(BAD_FILE, "expected a mask of the input's 100 items: 100 truth values or uint8, "
                   "or bits packed into 13 uint8 or 4 uint32", source, "--mask", file)
        self.fails(BAD_FILE, "none.npy: ", source, "--mask", self.path("none.npy"))
        whole = content_of(self.save("m.npy", np.ones(100, bool)))
        self.fails(BAD_FILE, "m.npy: byte ", source, "--mask", self.write("m.npy", whole[:-1]))
        self.fails(BAD_FILE, "m.txt:2: ", source, "--mask", self.write("m.txt", b"1\nx\n"))

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
        self.assertEqual(sorted(os.listdir(self.dir)), ["in.npy", "m.npy"])

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
                code, _, err = run(source, "-o", out, "--verify", *arguments)
                self.assertEqual(code, DONE)
                self.assertIn("verified: a plain loop computes the same", err)
                for made in [out, rest]:
                    if os.path.exists(made):
                        os.remove(made)
                code, _, err = run(source, "-o", out, "--verify", *arguments, program=FAULTY)
                self.assertEqual((code, err), (DIFFERENCE, "scan-filter: error: --verify: %s\n"
                                               % words))
                self.assertEqual(sorted(os.listdir(self.dir)), ["in.npy", "m.npy"])

    def test_a_rejected_part_that_cannot_be_written(self):
        source = self.save("in.npy", np.arange(100000))
        self.fails(BAD_FILE, "missing/r.npy: ", source, "-o", self.path("o.npy"), "--keep", "> 1",
                   "--split", self.path("missing/r.npy"))
        self.assertEqual(os.listdir(self.dir), ["in.npy"])


class Pipes(InDirectory):
    def test_every_format_through_a_pipe(self):
        array = samples("int32", 70000)
        kept = array[array < 40]
        npy = content_of(self.save("in.npy", array))
        for data in [npy, gzip.compress(npy)]:
            self.write("o.npy", self.succeeds("-", "--keep", "< 40", data=data))
            self.assertSame(self.load("o.npy", "int32"), kept)
        out = self.succeeds("-", "--format", "raw", "--dtype", "int32", "--keep", "< 40", "-o", "-",
                            data=array.tobytes())
        self.assertSame(np.frombuffer(out, "int32"), kept)
        out = self.succeeds("-", "--keep", "< 40", data=b"".join(b"%d\n" % x for x in array))
        self.assertEqual(out, b"".join(b"%d\n" % x for x in kept))

    def test_a_reader_that_has_gone_ends_the_program_quietly(self):
        source = self.save("in.npy", np.arange(3_000_000))
        with subprocess.Popen([PROGRAM, source, "--keep", ">= 0"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            process.stdout.read(100)
            process.stdout.close()
            err = process.stderr.read()
            process.wait(60)
        self.assertEqual((process.returncode, err), (-signal.SIGPIPE, b""))

    def test_talk_goes_to_standard_error(self):
        source = self.save("in.npy", np.arange(1000, dtype="int32"))
        code, out, err = run(source, "--keep", "< 10", "--time", "--verify")
        self.assertEqual(code, DONE)
        self.write("o.npy", out)
        self.assertSame(self.load("o.npy", "int32"), np.arange(10, dtype="int32"))
        lines = [line.split(": ", 1)[1] for line in err.splitlines()]
        self.assertEqual(lines[0], "verified: a plain loop computes the same")
        for line, step, words in zip(lines[1:], ["read", "filter", "write"],
                                     ["1000 items of int32", "kept 10 items (1.00 %), on c",
                                      "168 bytes"]):
            self.assertRegex(line, step + r" +\d+\.\d+ s +\d+\.\d+ GB/s  ")
            self.assertIn(words, line)


class Usage(InDirectory):
    def test_help_and_version(self):
        code, out, err = run("--help")
        self.assertEqual((code, err), (DONE, ""))
        for words in [b"--keep", b"--indices", b"--count-only", b"--engine", b"--threads",
                      b"--dtype", b"--column", b"--mask", b"--split", b"packbits",
                      b"--progress", b"--verify", b"--time", b"--version",
                      b"Examples:", b"bits MASK", b"Exit codes:"]:
            self.assertIn(words, out)
        code, out, err = run("--version")
        self.assertEqual((code, err), (DONE, ""))
        self.assertRegex(out, rb"^scan-filter .*\d+\.\d+\.\d+\)?\n$")

    def test_wrong_command_lines(self):
        source = self.save("in.npy", np.arange(5))
        self.fails(USAGE, "--keep or --mask is required", source)
        self.fails(USAGE, "INPUT is required", "--keep", "> 1")
        self.fails(USAGE, "--nonsense", source, "--keep", "> 1", "--nonsense")
        self.fails(USAGE, "excludes", source, "--keep", "> 1", "--indices", "--count-only")
        self.fails(USAGE, "--engine", source, "--keep", "> 1", "--engine", "abacus")
        self.fails(USAGE, "--threads", source, "--keep", "> 1", "--threads", "-1")
        self.fails(USAGE, "int7", source, "--keep", "> 1", "--dtype", "int7")

    def test_wrong_predicates(self):
        source = self.save("in.npy", np.arange(5.0))
        target = self.path("o.npy")
        for text, words in [
                (">= and < 9", 'column 4: expected a number after ">=", found "and"'),
                ("(> 3", 'column 5: expected ")" for the "(" of column 1, found the end'),
                ("bits 4", 'column 1: "bits" is for integers'),
                ("", "column 1: expected a comparison")]:
            self.fails(USAGE, words, source, "-o", target, "--keep", text)
        # Told before the input is even opened.
        self.fails(USAGE, "column 1", "/no/such/file", "-o", target, "--keep", "x")
        self.assertEqual(os.listdir(self.dir), ["in.npy"])

    def test_cuda_without_a_gpu(self):
        source = self.save("in.npy", np.arange(5))
        self.fails(FAILURE, "cuda", source, "-o", self.path("o.npy"), "--keep", "> 1", "--engine",
                   "cuda", env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"})
        self.assertEqual(os.listdir(self.dir), ["in.npy"])

    def test_verify_finds_a_planted_error_and_leaves_no_output(self):
        source = self.save("in.npy", np.arange(5, dtype="int32"))
        for flags, words in [([], "2 items are kept, expected 3"),
                             (["--indices"], "2 items are kept, expected 3"),
                             (["--count-only"], "2 items are kept, expected 3")]:
            code, out, err = run(source, "-o", self.path("o.npy"), "--keep", "> 1", "--verify",
                                 *flags, program=FAULTY)
            self.assertEqual((code, out), (DIFFERENCE, b""))
            self.assertEqual(err, "scan-filter: error: --verify: %s\n" % words)
            self.assertEqual(os.listdir(self.dir), ["in.npy"])
        code, _, _ = run(source, "-o", self.path("o.npy"), "--keep", "> 1", program=FAULTY)
        self.assertEqual(code, DONE)  # so the error is real
        self.assertEqual(len(self.load("o.npy", "int32")), 2)


class BadFiles(InDirectory):
    def refused(self, source, words, *arguments, **more):
        """No output appears, and an earlier one of that name stays as it was."""
        target = self.write("old.npy", b"old")
        self.fails(BAD_FILE, words, source, "-o", target, "--keep", "> 1", *arguments, **more)
        self.assertEqual(content_of(target), b"old")
        os.remove(target)
        before = sorted(os.listdir(self.dir))
        self.fails(BAD_FILE, words, source, "-o", target, "--keep", "> 1", *arguments, **more)
        self.assertEqual(sorted(os.listdir(self.dir)), before)

    def test_messages_name_the_file_and_the_place(self):
        whole = content_of(self.save("in.npy", np.arange(100)))
        self.refused(self.path("none.npy"), "none.npy: ")
        self.refused(self.dir, "is a directory")
        self.refused(self.write("short.npy", whole[:-3]), "short.npy: byte ")
        self.refused(self.write("long.npy", whole + b"x"), "long.npy: byte ")
        self.refused(self.write("odd.raw", b"abcde"), "odd.raw: ", "--dtype", "int16")
        self.refused(self.write("word.txt", b"1\n2\nx\n"), "word.txt:3: ")
        self.refused(self.write("big.txt", b"1\n300\n"), "big.txt:2: ", "--dtype", "uint8")
        self.refused(self.write("bad.npy.gz", gzip.compress(whole)[:-10]), "bad.npy.gz: ")
        self.refused("-", "<stdin>:2: ", data=b"1\ny\n")

    def test_a_header_that_claims_too_much_fails_at_once(self):
        text = "{'descr': '<i4', 'fortran_order': False, 'shape': (%d,), }" % 2**60
        header = text.encode().ljust(117) + b"\n"
        claim = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
        limit = 400 << 20
        more = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))}
        began = time.monotonic()
        self.refused(self.write("claim.npy", claim + bytes(1000)), "claim.npy: byte ",
                     "--threads", "1", **more)
        self.refused("-", "<stdin>: byte ", "--threads", "1", data=claim + bytes(1000), **more)
        self.assertLess(time.monotonic() - began, 10)

    def test_an_unreadable_input(self):
        source = self.save("in.npy", np.arange(5))
        os.chmod(source, 0)
        if os.access(source, os.R_OK):
            self.skipTest("root can read every file")
        self.refused(source, os.strerror(errno.EACCES))

    def test_too_little_memory(self):
        limit = 100 << 20
        self.fails(FAILURE, "out of memory", "-", "--format", "raw", "--dtype", "u8", "--threads",
                   "1", "-o", self.path("o.raw"), "--keep", "> 1", data=bytes(150_000_000),
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual(os.listdir(self.dir), [])


class Outputs(InDirectory):
    def test_outputs_that_cannot_be_written(self):
        source = self.save("in.npy", np.arange(100000))
        os.mkdir(self.path("folder.npy"))
        self.fails(BAD_FILE, "folder.npy: is a directory", source, "-o", self.path("folder.npy"),
                   "--keep", "> 1")
        self.fails(BAD_FILE, "missing/o.npy: ", source, "-o", self.path("missing/o.npy"), "--keep",
                   "> 1")
        self.fails(BAD_FILE, os.strerror(errno.ENOSPC), source, "-o", "/dev/full", "--keep", "> 1")
        with open("/dev/full", "wb") as full:
            self.fails(BAD_FILE, os.strerror(errno.ENOSPC), source, "--keep", "> 1", stdout=full)
        self.assertEqual(sorted(os.listdir(self.dir)), ["folder.npy", "in.npy"])

    def test_a_full_disk_leaves_no_output_and_the_old_one_untouched(self):
        source = self.save("in.npy", np.arange(1_000_000))
        limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                            (100_000, 100_000))}
        self.fails(BAD_FILE, os.strerror(errno.EFBIG), source, "-o", self.path("o.npy"), "--keep",
                   "> 1", **limited)
        self.assertEqual(os.listdir(self.dir), ["in.npy"])
        self.write("o.npy", b"old")
        self.fails(BAD_FILE, os.strerror(errno.EFBIG), source, "-o", self.path("o.npy"), "--keep",
                   "> 1", **limited)
        self.assertEqual(content_of(self.path("o.npy")), b"old")

    def test_interrupted_it_leaves_nothing(self):
        fifo = self.path("in.npy")
        os.mkfifo(fifo)
        for number in [signal.SIGINT, signal.SIGTERM]:
            with subprocess.Popen([PROGRAM, fifo, "-o", self.path("o.npy"), "--keep", "> 1"],
                                  stderr=subprocess.PIPE) as process:
                with open(fifo, "wb") as feed:
                    np.lib.format.write_array_header_1_0(
                        feed, {"descr": "<i8", "fortran_order": False, "shape": (2**40,)})
                    feed.write(bytes(1 << 20))
                    feed.flush()
                    self.assertGreater(len(os.listdir(self.dir)), 1)  # the unfinished output
                    process.send_signal(number)
                    process.wait(60)
                self.assertEqual((process.returncode, process.stderr.read()), (-number, b""))
            self.assertEqual(os.listdir(self.dir), ["in.npy"])

    def test_the_input_may_be_the_output(self):
        array = samples("int32", 100000)
        both = self.save("x.npy", array)
        self.succeeds(both, "-o", both, "--keep", "> 20")
        self.assertSame(self.load("x.npy", "int32"), array[array > 20])
        self.assertEqual(os.listdir(self.dir).count("x.npy"), 1)

    def test_a_device_stays_a_device(self):
        source = self.save("in.npy", np.arange(1000))
        self.succeeds(source, "-o", "/dev/null", "--keep", "> 1")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))


if __name__ == "__main__":
    unittest.main()
