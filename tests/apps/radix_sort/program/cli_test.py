#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scan-sort seen from outside, with NumPy as the oracle: every type and format, rows of tables,
values, pipes, exit codes and messages, outputs that are complete or absent.
Run as: cli_test.py path/to/scan-sort path/to/scan-sort-faulty path/to/data"""
import errno
import gzip
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
DONE, DIFFERENCE, USAGE, BAD_FILE, FAILURE = range(5)


def run(*arguments, data=None, program=PROGRAM, **more):
    """Runs the program; returns its exit code, standard output and standard error."""
    more.setdefault("stdout", subprocess.PIPE)
    more.setdefault("stderr", subprocess.PIPE)
    done = subprocess.run([program, *map(str, arguments)], input=data, timeout=60, **more)
    return done.returncode, done.stdout, (done.stderr or b"").decode()


def samples(dtype, n, seed=1):
    """Few small numbers, often, among random bits, and of floats what orders stumble over."""
    dt = np.dtype(dtype)
    rng = np.random.default_rng(seed)
    array = np.frombuffer(rng.bytes(n * dt.itemsize), dtype=dt).copy()
    small = rng.random(n) < 0.6
    array[small] = rng.integers(0, 20, n).astype(dt)[small]
    if dt.kind == "f":
        special = [np.nan, -np.nan, np.inf, -np.inf, -0.0, 0.0, -0.0, np.finfo(dt).tiny]
    else:
        special = [np.iinfo(dt).min, np.iinfo(dt).max, 0]
    places = rng.permutation(n)[:len(special)]
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
        self.assertTrue(err.startswith("scan-sort: error: "), err)
        self.assertEqual(err.count("\n"), 1, err)
        self.assertIn(words, err)

    def assertSame(self, found, expected):
        self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape))
        self.assertEqual(found.tobytes(), expected.tobytes())


class Results(InDirectory):
    def test_every_type_and_option_against_a_stable_sort(self):
        for dtype in INTEGERS + FLOATS:
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

    def test_every_type_in_every_format(self):
        for dtype in INTEGERS + FLOATS:
            array = samples(dtype, 2000)
            array = array[array == array]
            expected = array[stable_order(array)]
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
                            self.assertSame(self.load(target, dtype), expected)

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
                code, _, err = run(self.save("in.npy", samples(dtype, 3000)), "--bits", bits,
                                   "--descending", "--verify", "-o", self.path("o.npy"))
                self.assertEqual(code, DONE, err)

    def test_the_real_data(self):
        heights = np.load(os.path.join(DATA, "elevation.npy")).ravel()
        code, _, err = run(os.path.join(DATA, "elevation.npy"), "-o", self.path("o.npy"),
                           "--argsort", "--verify")
        self.assertEqual((code, err),
                         (DONE, "scan-sort: verified: std::stable_sort gives the same\n"))
        self.assertSame(self.load("o.npy", "int64"), np.argsort(heights, kind="stable"))
        self.succeeds(os.path.join(DATA, "elevation.npy"), "-o", self.path("o.txt"), "--unique")
        self.assertSame(self.load("o.txt", "int16"), np.unique(heights))

    def test_the_input_may_be_the_output(self):
        array = samples("int32", 300000)
        both = self.save("x.npy", array)
        self.succeeds(both, "-o", both)
        self.assertSame(self.load("x.npy", "int32"), np.sort(array))


class Tables(InDirectory):
    TABLE = (b"# a comment\nname,height,note\nAlp,4478,\"x, y\"\n\nHill,20,\r\nPeak,-3,z\n"
             b"Twin,20,later\n  \nMount,1e3,last")

    def test_rows_stay_whole(self):
        table = self.write("t.csv", self.TABLE)
        out = self.succeeds(table, "--column", "2")
        self.assertEqual(out, b"name,height,note\nPeak,-3,z\nHill,20,\r\nTwin,20,later\n"
                              b"Mount,1e3,last\nAlp,4478,\"x, y\"\n")
        out = self.succeeds(table, "--column", "2", "--descending", "--unique")
        self.assertEqual(out, b"name,height,note\nAlp,4478,\"x, y\"\nMount,1e3,last\n"
                              b"Hill,20,\r\nPeak,-3,z\n")
        out = self.succeeds("-", "--column", "2", "--argsort", data=self.TABLE)
        self.assertEqual(out, b"2\n1\n3\n4\n0\n")

    def test_keys_alone_go_to_other_formats(self):
        self.succeeds(self.write("t.csv", self.TABLE), "--column", "2", "-o", self.path("o.npy"))
        self.assertSame(self.load("o.npy", "float64"), np.array([-3, 20, 20, 1000, 4478.0]))

    def test_values_move_with_rows(self):
        self.save("v.npy", np.arange(5, dtype="float32"))
        out = self.succeeds(self.write("t.txt", b"3 c\n1 a\n2 b\n1 d\n0 e\n"), "--values",
                            self.path("v.npy"), "--values-output", self.path("w.npy"))
        self.assertEqual(out, b"0 e\n1 a\n1 d\n2 b\n3 c\n")
        self.assertSame(self.load("w.npy", "float32"), np.array([4, 1, 3, 2, 0], "float32"))

    def test_a_mark_of_utf8_stays_first(self):
        self.assertEqual(self.succeeds("-", data=b"\xef\xbb\xbf3\n1\n"), b"\xef\xbb\xbf1\n3\n")
        self.assertEqual(self.succeeds("-", data=b"\xef\xbb\xbfn\n3\n1"), b"\xef\xbb\xbfn\n1\n3\n")

    def test_little_text(self):
        self.assertEqual(self.succeeds("-", data=b""), b"")
        self.assertEqual(self.succeeds("-", data=b"7"), b"7\n")
        self.assertEqual(self.succeeds("-", data=b"x\n"), b"x\n")
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


class Pipes(InDirectory):
    def test_every_format_through_a_pipe(self):
        array = samples("int32", 70000)
        npy = content_of(self.save("in.npy", array))
        for data in [npy, gzip.compress(npy)]:
            self.write("o.npy", self.succeeds("-", data=data))
            self.assertSame(self.load("o.npy", "int32"), np.sort(array))
        out = self.succeeds("-", "--format", "raw", "--dtype", "int32", data=array.tobytes())
        self.assertSame(np.frombuffer(out, "int32"), np.sort(array))
        out = self.succeeds("-", data=b"".join(b"%d\n" % x for x in array))
        self.assertEqual(out, b"".join(b"%d\n" % x for x in np.sort(array)))

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
        source = self.save("in.npy", np.arange(1000, dtype="int32")[::-1])
        code, out, err = run(source, "--time", "--verify", "--unique")
        self.assertEqual(code, DONE)
        self.write("o.npy", out)
        self.assertSame(self.load("o.npy", "int32"), np.arange(1000, dtype="int32"))
        lines = [line.split(": ", 1)[1] for line in err.splitlines()]
        self.assertEqual(lines[0], "verified: std::stable_sort gives the same")
        for line, step, words in zip(lines[1:], ["read", "sort", "write"],
                                     ["1000 items of int32", "kept 1000 items, on c",
                                      "4128 bytes"]):
            self.assertRegex(line, step + r" +\d+\.\d+ s +\d+\.\d+ GB/s  ")
            self.assertIn(words, line)


class Usage(InDirectory):
    def test_help_and_version(self):
        code, out, err = run("--help")
        self.assertEqual((code, err), (DONE, ""))
        for words in [b"--descending", b"--values", b"--values-output", b"--argsort", b"--bits",
                      b"--unique", b"--memory", b"--engine", b"--threads", b"--dtype", b"--column",
                      b"--progress", b"--verify", b"--time", b"--version", b"Examples:",
                      b"Exit codes:"]:
            self.assertIn(words, out)
        code, out, err = run("--version")
        self.assertEqual((code, err), (DONE, ""))
        self.assertRegex(out, rb"^scan-sort .*\d+\.\d+\.\d+\)?\n$")

    def test_wrong_command_lines(self):
        source = self.save("in.npy", np.arange(5))
        self.fails(USAGE, "INPUT is required")
        self.fails(USAGE, "--nonsense", source, "--nonsense")
        self.fails(USAGE, "--values-output", source, "--values", source)
        self.fails(USAGE, "--values", source, "--values-output", self.path("w.npy"))
        values = ["--values", source, "--values-output", self.path("w.npy")]
        self.fails(USAGE, "excludes", source, "--argsort", *values)
        self.fails(USAGE, "int7", source, "--values-dtype", "int7", *values)
        self.fails(USAGE, "two outputs", source, "-o", self.path("w.npy"), *values)
        self.fails(USAGE, "standard input", "-", "--values", "-", "--values-output",
                   self.path("w.npy"))
        self.fails(USAGE, "--unique", source, "--unique", "--bits", "0:8")
        for bits in ["8", "a:b", "-1:4", "5:4", "0:", "0:8x"]:
            self.fails(USAGE, "expected LO:HI", source, "--bits=" + bits)
        self.fails(USAGE, "[0, 65)", source, "--bits", "0:65")
        self.fails(USAGE, "--memory", source, "--memory", "much")
        self.fails(USAGE, "--column is for text", source, "--column", "2")
        self.fails(USAGE, "--dtype is needed", self.write("x.raw", b"1234"))
        self.assertEqual(sorted(os.listdir(self.dir)), ["in.npy", "x.raw"])

    def test_cuda_without_a_gpu(self):
        source = self.save("in.npy", np.arange(5))
        self.fails(FAILURE, "cuda", source, "-o", self.path("o.npy"), "--engine", "cuda",
                   env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"})
        self.assertEqual(os.listdir(self.dir), ["in.npy"])

    def test_verify_finds_a_planted_error_and_leaves_no_output(self):
        array = np.arange(5, dtype="int32")[::-1]
        self.save("in.npy", array)
        self.write("in.txt", b"4\n3\n2\n1\n0\n")
        self.save("v.npy", np.arange(5.0))
        before = sorted(os.listdir(self.dir))
        values = ["--values", self.path("v.npy"), "--values-output", self.path("w.npy")]
        for source, flags, words in [("in.npy", [], "item 0 is 2, expected 0"),
                                     ("in.npy", ["--argsort"], "position 0 is 2, expected 4"),
                                     ("in.txt", [], "position 0 is 2, expected 4"),
                                     ("in.npy", values, "item 0 is 2, expected 0")]:
            code, out, err = run(self.path(source), "-o", self.path("o"), "--verify", *flags,
                                 program=FAULTY)
            self.assertEqual((code, out), (DIFFERENCE, b""))
            self.assertEqual(err, "scan-sort: error: --verify: %s\n" % words)
            self.assertEqual(sorted(os.listdir(self.dir)), before)
        code, _, _ = run(self.path("in.npy"), "-o", self.path("o.npy"), program=FAULTY)
        self.assertEqual(code, DONE)  # so the error is real
        self.assertSame(self.load("o.npy", "int32"), np.array([2, 3, 4, 1, 0], "int32"))


class BadFiles(InDirectory):
    def refused(self, source, words, *arguments, code=BAD_FILE, **more):
        """No output appears, and an earlier one of that name stays as it was."""
        target = self.write("old.npy", b"old")
        self.fails(code, words, source, "-o", target, *arguments, **more)
        self.assertEqual(content_of(target), b"old")
        os.remove(target)
        before = sorted(os.listdir(self.dir))
        self.fails(code, words, source, "-o", target, *arguments, **more)
        self.fails(code, words, source, *arguments, **more)
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
        self.refused(self.write("ragged.csv", b"1,2\n3\n"), "ragged.csv:2: ")
        self.refused(self.write("narrow.csv", b"1,2\n3,4\n"), "column 3", "--column", "3")
        self.refused(self.write("bad.npy.gz", gzip.compress(whole)[:-10]), "bad.npy.gz: ")
        self.refused(self.write("bad.txt.gz", gzip.compress(b"1\n2\n")[:-3]), "bad.txt.gz: ")
        self.refused(self.write("no.txt.gz", b"1\n2\n"), "no gzip data")
        self.refused("-", "<stdin>:2: ", data=b"1\ny\n")

    def test_values_that_do_not_fit(self):
        source = self.save("in.npy", np.arange(100))
        short = self.save("v.npy", np.arange(99))
        values = ["--values-output", self.path("w.npy"), "--values"]
        self.refused(source, "v.npy: 99 values, expected 100", *values, short)
        self.refused(source, "none.npy: ", *values, self.path("none.npy"))
        self.refused(source, "missing/w.npy: ", "--values", short, "--values-output",
                     self.path("missing/w.npy"))

    def test_a_file_beyond_the_bound_on_memory(self):
        array = np.arange(100_000)
        source = self.save("in.npy", array)
        self.refused(source, "in.npy takes at least 781.4 KiB of memory, more than the 100.0 KiB "
                     "of --memory", "--memory", "100K", code=FAILURE)
        self.refused(source, "sorting ", "--memory", "1M", code=FAILURE)
        self.refused("-", "reading <stdin>", "--memory", "1000", code=FAILURE,
                     data=content_of(source))
        self.refused(self.write("in.npy.gz", gzip.compress(content_of(source))),
                     "in.npy.gz", "--memory", "300K", code=FAILURE)
        self.refused(self.write("in.txt", b"1\n" * 100_000), "sorting ", "--memory", "1M",
                     code=FAILURE)
        self.succeeds(source, "-o", self.path("o.npy"), "--memory", "2M")
        self.assertSame(self.load("o.npy", "int64"), array)

    def test_too_little_memory(self):
        limit = 100 << 20
        self.fails(FAILURE, "out of memory", "-", "--format", "raw", "--dtype", "u8", "--threads",
                   "1", "-o", self.path("o.raw"), data=bytes(150_000_000),
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual(os.listdir(self.dir), [])


class Outputs(InDirectory):
    def test_outputs_that_cannot_be_written(self):
        source = self.save("in.npy", np.arange(100000))
        os.mkdir(self.path("folder.npy"))
        self.fails(BAD_FILE, "folder.npy: is a directory", source, "-o", self.path("folder.npy"))
        self.fails(BAD_FILE, "missing/o.npy: ", "/no/such/file", "-o", self.path("missing/o.npy"))
        self.fails(BAD_FILE, "missing/o: ", "/no/such/file", "-o", self.path("missing/o"))
        self.fails(BAD_FILE, os.strerror(errno.ENOSPC), source, "-o", "/dev/full")
        self.assertEqual(sorted(os.listdir(self.dir)), ["folder.npy", "in.npy"])

    def test_a_full_disk_leaves_no_output_and_the_old_one_untouched(self):
        self.save("in.npy", np.arange(1_000_000))
        self.write("in.txt", b"12345678\n" * 100_000)
        self.write("old", b"old")
        limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                            (100_000, 100_000))}
        before = sorted(os.listdir(self.dir))
        for source in ["in.npy", "in.txt"]:
            for target in ["old", "new"]:
                self.fails(BAD_FILE, os.strerror(errno.EFBIG), self.path(source), "-o",
                           self.path(target), **limited)
        self.fails(BAD_FILE, os.strerror(errno.EFBIG), self.path("in.npy"), "-o", self.path("new"),
                   "--values", self.path("in.npy"), "--values-output", self.path("w"), **limited)
        self.assertEqual(sorted(os.listdir(self.dir)), before)
        self.assertEqual(content_of(self.path("old")), b"old")

    def test_interrupted_it_leaves_nothing(self):
        fifo = self.path("in.npy")
        os.mkfifo(fifo)
        with subprocess.Popen([PROGRAM, fifo, "-o", self.path("o.npy")],
                              stderr=subprocess.PIPE) as process:
            with open(fifo, "wb") as feed:
                np.lib.format.write_array_header_1_0(
                    feed, {"descr": "<i8", "fortran_order": False, "shape": (2**20,)})
                feed.write(bytes(1 << 20))
                feed.flush()
                self.assertGreater(len(os.listdir(self.dir)), 1)  # the unfinished output
                process.send_signal(signal.SIGTERM)
                process.wait(60)
            self.assertEqual((process.returncode, process.stderr.read()), (-signal.SIGTERM, b""))
        self.assertEqual(os.listdir(self.dir), ["in.npy"])


if __name__ == "__main__":
    unittest.main()
