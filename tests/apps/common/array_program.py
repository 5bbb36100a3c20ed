# SPDX-License-Identifier: Apache-2.0
"""What the tests of programs share that make an array of an array, with NumPy as the oracle: files
of every format, and the cases that every such program has to pass."""
import gzip
import io
import json
import os
import re
import resource
import signal
import stat
import subprocess
import time
import unittest

import numpy as np

from program_case import (BAD_FILE, DIFFERENCE, DONE, EveryProgram, FAILURE, ProgramCase, QUICK,
                          USAGE, combinations, grouped, limited, read_terminal)

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float32", "float64"]
DTYPES = INTEGERS + FLOATS
SANITIZED = "LIBSCAN_SANITIZED" in os.environ  # reserves more address space than limits allow
needs_little_memory = unittest.skipIf(SANITIZED, "needs a limit on memory")


def little_memory(most):
    """Arguments of `call` that give the program no more bytes than this, if that can be."""
    return {} if SANITIZED else limited(resource.RLIMIT_AS, most)


def mixture(dtype, n, below, seed):
    """Random bits, and numbers below `below` among them, more than half."""
    dt = np.dtype(dtype)
    rng = np.random.default_rng(seed)
    array = np.frombuffer(rng.bytes(n * dt.itemsize), dtype=dt).copy()
    small = rng.random(n) < 0.6
    array[small] = rng.integers(0, below, n).astype(dt)[small]
    return array


def samples(dtype, n, seed=1):
    """Small numbers among random bits, and first the limits of the type."""
    array = mixture(dtype, n, 120, seed)
    dt = array.dtype
    if dt.kind == "f":
        array[np.isnan(array)] = np.nan  # text knows only one
        special = [np.nan, np.inf, -np.inf, -0.0, 0.0, 0.1, np.finfo(dt).max, np.finfo(dt).tiny]
    else:
        special = [np.iinfo(dt).min, np.iinfo(dt).max, 0]
    array[:len(special)] = special[:n]
    return array


def content_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read()


def lines_of(array):
    """Integers as text."""
    return b"".join(b"%d\n" % x for x in array)


class ArrayProgramCase(ProgramCase):
    """A test with arrays in its directory."""
    options = []  # what the simplest call needs besides an input

    def save(self, name, array):
        np.save(self.path(name), array)
        return self.path(name)

    def compress(self, name):
        """A copy of a file, compressed."""
        return self.write(name + ".gz", gzip.compress(content_of(self.path(name)), 1))

    def load(self, name, dtype):
        """An output of any format as an array of `dtype`."""
        content = content_of(self.path(name))
        if ".npy" in name:
            found = np.load(io.BytesIO(content))
            self.assertEqual(found.dtype, np.dtype(dtype))
            return found
        if ".raw" in name:
            return np.frombuffer(content, dtype)
        kind = float if np.dtype(dtype).kind == "f" else int
        return np.array([kind(word) for word in content.decode().split()], dtype)

    def assertSame(self, found, expected):
        self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape))
        self.assertEqual(found.tobytes(), expected.tobytes())

    def refused(self, source, words, *arguments, code=BAD_FILE, **more):
        """No output appears, and an earlier one of that name stays as it was; returns the error."""
        arguments = [source, *self.options, *arguments]
        target = self.write("old.npy", b"old")
        self.fails(code, words, *arguments, "-o", target, **more)
        self.assertEqual(content_of(target), b"old")
        os.remove(target)
        self.fails(code, words, *arguments, "-o", target, **more)
        return self.fails(code, words, *arguments, **more)

    def finds(self, words, *arguments):
        """--verify must find the fault of the faulty program, and leave no output."""
        self.fails_with(DIFFERENCE, "--verify: " + words, *arguments, "--verify",
                        program=self.faulty)

    def interrupted_leaves_nothing(self, name, beginning):
        """Interrupted while it waits for the rest of an input of this name, which begins so."""
        fifo = self.path(name)
        os.mkfifo(fifo)
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]:
            with subprocess.Popen([self.program, fifo, "-o", self.path("o.npy"), *self.options],
                                  stderr=subprocess.PIPE) as process:
                with open(fifo, "wb") as feed:
                    feed.write(beginning)
                    feed.flush()
                    process.send_signal(number)
                    process.wait(self.timeout)
                self.assertEqual((process.returncode, process.stderr.read()), (-number, b""))
            self.assertHolds(name)

    def talks(self, verified, steps, *arguments):
        """--verify and --time must say this on standard error, the latter of each step by name;
        returns the output."""
        code, out, err = self.call(*arguments, "--time", "--verify")
        self.assertEqual(code, DONE)
        first, *lines = [line.removeprefix(self.name + ": ") for line in err.splitlines()]
        self.assertEqual(first, "verified: " + verified)
        self.assertEqual(len(lines), len(steps), err)
        for line, (step, words) in zip(lines, steps.items()):
            self.assertRegex(line, step + r" +\d+\.\d+ s +\d+\.\d+ GB/s  ")
            self.assertIn(words, line)
        return out


class EveryArrayProgram(EveryProgram):
    """To be mixed into an ArrayProgramCase, which says by `expected` what the simplest call makes
    of an array."""
    words_of_help = EveryProgram.words_of_help + [
        "--engine", "--threads", "--memory", "--dtype", "--column", "--format", "--header",
        "--comments", "--delimiter", "--missing", "--decimal-comma", "--progress", "--verify",
        "--time", "docs/text.md", "docs/outputs.md"]
    input_name = "INPUT"
    samples = staticmethod(samples)
    streams = False  # whether a binary input may be larger than memory
    libraries = ("cub", "thrust")  # that --verify=NAME compares with, beside "std"

    # ---- results

    def test_every_type_in_every_format(self):
        sources = ["in.txt", "in.raw", "in.npy", "in.txt.gz", "in.raw.gz", "in.npy.gz"]
        targets = ["o.txt", "o.raw", "o.npy", "o.npy.gz", "o.txt.gz"]
        for dtype, formats in grouped(combinations(5, DTYPES, sources, targets)):
            array = self.samples(dtype, 2000)
            expected = self.expected(array)
            np.savetxt(self.path("in.txt"), array, fmt="%d" if dtype in INTEGERS else "%.17g")
            self.write("in.raw", array.tobytes())
            self.save("in.npy", array)
            for name in ["in.txt", "in.raw", "in.npy"]:
                self.compress(name)
            for source, target in formats:
                with self.subTest(dtype=dtype, source=source, target=target):
                    self.succeeds(self.path(source), "--dtype", dtype, "-o", self.path(target),
                                  *self.options)
                    self.assertSame(self.load(target, expected.dtype), expected)

    def test_every_format_through_a_pipe(self):
        array = samples("int32", 70000)
        expected = self.expected(array)
        npy = content_of(self.save("in.npy", array))
        for data in [npy, gzip.compress(npy, 1)]:
            self.write("o.npy", self.succeeds("-", *self.options, data=data))
            self.assertSame(self.load("o.npy", expected.dtype), expected)
        out = self.succeeds("-", "--format", "raw", "--dtype", "int32", "-o", "-", *self.options,
                            data=array.tobytes())
        self.assertSame(np.frombuffer(out, expected.dtype), expected)
        out = self.succeeds("-", *self.options, data=lines_of(array))
        self.assertEqual(out, lines_of(expected))

    def test_the_input_may_be_the_output(self):
        array = samples("int32", 100000)
        expected = self.expected(array)
        for both in [self.save("x.npy", array), self.write("x.txt", b"# note\n" + lines_of(array))]:
            before = os.listdir(self.dir)
            self.succeeds(both, "-o", both, *self.options)
            self.assertSame(self.load(os.path.basename(both), expected.dtype), expected)
            self.assertHolds(*before)

    # ---- arguments

    def test_usage_errors(self):
        self.fails(USAGE, self.input_name + " is required", *self.options)
        # Refused before the input is even opened.
        for flag, value, words in [
                ("--nonsense", "1", "--nonsense"), ("--engine", "abacus", "--engine"),
                ("--threads", "-1", "--threads"), ("--threads", "two", "--threads"),
                ("--column", "0", "--column"), ("--column", "0x3", "--column: '0x3'"),
                ("--column", "+2", "--column: '+2'"), ("--column", "1e1", "--column: '1e1'"),
                ("--threads", "0b1", "--threads: '0b1'"),
                ("--threads", " 1", "--threads: ' 1'"), ("--threads", "1025", "from 0 to 1024"),
                ("--memory", "0x10", "--memory: '0x10'"), ("--memory", "4.5G", "--memory: '4.5G'"),
                ("--comments", "some", "'some' is no such rule"),
                ("--dtype", "f128", "'f128' is no item type"),
                ("--dtype", "int7", "'int7' is no item type"),
                ("--format", "xml", "'xml' is no file format")]:
            with self.subTest(flag=flag, value=value):
                self.fails(USAGE, words, "/no/such/file", *self.options, flag, value)
        source = self.save("in.npy", np.arange(5))
        self.fails(USAGE, "--column is for text", source, *self.options, "--column", "2")
        self.fails(USAGE, "--dtype is needed", self.write("x.raw", b"1234"), *self.options)

    def test_cuda_without_a_gpu(self):
        source = self.save("in.npy", np.arange(5))
        self.fails(FAILURE, "cuda", source, "-o", self.path("o.npy"), *self.options, "--engine",
                   "cuda", env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"})

    def test_verify_by_other_libraries(self):
        source, target = self.save("in.npy", np.arange(300) * 7 % 19), self.path("o.npy")
        given = [source, "-o", target, *self.options]
        offered = ", ".join(["loop", "std", *self.libraries])
        for name in "foo", "loop,foo", "cusparse":
            self.fails(USAGE, f"expected no value, or some of {offered}, all", *given,
                       f"--verify={name}")
        no_gpu = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1"}
        for name in self.libraries:
            self.fails(FAILURE, f"--verify={name} needs a GPU: ", *given, f"--verify={name}",
                       env=no_gpu)
        alone = self.verified(*given, "--verify")
        self.assertNotIn("; so do", alone)
        self.assertEqual(self.verified(*given, "--verify=loop"), alone)
        by_std = alone if "std::" in alone else alone + "; so does the standard library"
        for name in "std", "loop,std", "all":
            self.assertEqual(self.verified(*given, f"--verify={name}", env=no_gpu), by_std)

    def test_a_gpu_takes_pieces(self):
        source = self.save("in.npy", (np.arange(200000) * 7 % 19).astype(np.int32))  # 13 blocks
        outputs = []
        for engine in "cpu", "cuda":
            to = self.path(f"{engine}.npy")
            code, _, err = self.call(source, "-o", to, *self.options, "--memory", "4M", "--engine",
                                     engine)
            if engine == "cuda" and code == FAILURE:
                self.skipTest(err)
            self.assertEqual((code, err), (DONE, ""))
            outputs.append(content_of(to))
        self.assertEqual(*outputs)

    def test_verify_by_libraries_of_a_gpu(self):
        source = self.save("in.npy", np.arange(300) * 7 % 19)
        for name, words in ("cub", "so does CUB"), ("all", " CUB and Thrust"):
            code, _, err = self.call(source, "-o", self.path("o.npy"), *self.options,
                                     "--verify=" + name, "--engine", "cuda")
            if code == FAILURE:
                self.skipTest(err)
            self.assertEqual(code, DONE, err)
            self.assertRegex(err, "verified: .*" + words)

    def verified(self, *arguments, **more):
        """What the program says about a result that --verify finds right."""
        code, _, err = self.call(*arguments, **more)
        self.assertEqual(code, DONE, err)
        return re.search("verified: (.*)", err)[1]

    def test_the_executor_computes_the_same(self):
        source = self.save("in.npy", np.arange(300) * 7 % 19)
        outputs = []
        for engine in ("cpu", "executor"):
            to = self.path(f"{engine}.npy")
            code, _, err = self.call(source, "-o", to, *self.options, "--engine", engine)
            if "built without the executor" in err:
                self.skipTest(err)
            self.assertEqual((code, err), (DONE, ""))
            outputs.append(content_of(to))
        self.assertEqual(*outputs)

    def test_the_executor_refuses_large_files(self):
        source = self.write("large.raw", bytes((1 << 24) + 1))
        code, _, err = self.call(source, "--dtype", "uint8", "-o", self.path("o.npy"),
                                 *self.options, "--engine", "executor")
        if "built without the executor" in err:
            self.skipTest(err)
        self.assertEqual(code, USAGE)
        self.assertIn("the executor takes up to 16777216 items", err)
        self.assertHolds("large.raw")

    # ---- bad files

    def test_messages_name_the_file_and_the_place(self):
        whole = content_of(self.save("in.npy", np.arange(100)))
        text = gzip.compress(b"1\n2\n")
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
        self.refused(self.write("bad.txt.gz", text[:-3]), "bad.txt.gz: ")
        self.refused(self.write("no.txt.gz", b"1\n2\n"), "no gzip data")
        self.refused("-", "<stdin>:2: ", data=b"1\ny\n")

    def test_a_header_that_claims_too_much_fails_at_once(self):
        header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % 2**60
        content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"only this"
        error = ("byte %d: the file ends after 9 items, expected the %d that the header claims" %
                 (len(content), 2**60))
        path = self.write("x.npy", content)
        packed = self.compress("x.npy")
        began = time.monotonic()
        for source, name, data in [(path, path, None), ("-", "<stdin>", content),
                                   (packed, packed, None)]:
            said = self.refused(source, error, "--threads", "1", data=data,
                                **little_memory(1 << 28))
            self.assertEqual(said, name + ": " + error)
        self.assertLess(time.monotonic() - began, 5)

    def test_an_input_without_permission(self):
        path = self.write("x.txt", b"1\n")
        os.chmod(path, 0)
        error = path + ": cannot open for reading: Permission denied"
        if os.geteuid() != 0:
            self.refused(path, error)
            return
        os.chmod(self.dir, 0o755)
        try:
            self.fails_with(BAD_FILE, error, path, *self.options, user=65534)
        except PermissionError:
            self.skipTest("the program is out of reach for another user")

    @needs_little_memory
    def test_too_little_memory(self):
        most = 100  # MiB
        arguments = ["-", "--format", "raw", "--dtype", "u64", "--threads", "1", "-o",
                     self.path("o.raw"), *self.options]
        size = most * (1_100_000 if QUICK else 1_500_000)
        more = {"data": bytes(size), **little_memory(most << 20)}
        if self.streams:
            self.succeeds(*arguments, **more)
            return
        self.fails(FAILURE, "MiB of memory, more than the %.1f MiB that may be taken here (see "
                   "--memory)" % (0.6 * most), *arguments, **more)

    # ---- outputs

    def test_outputs_that_cannot_be_written(self):
        os.mkdir(self.path("folder.npy"))
        # Refused before the input is even opened.
        self.fails_with(BAD_FILE, self.path("folder.npy") + ": is a directory, expected the name "
                        "of a file to write", "/no/such/file", "-o", self.path("folder.npy"),
                        *self.options)
        for name in ["missing/o.npy", "missing/o"]:
            self.fails_with(BAD_FILE, "%s: cannot create a file in %s: No such file or directory" %
                            (self.path(name), self.path("missing/")), "/no/such/file", "-o",
                            self.path(name), *self.options)
        source = self.save("in.npy", np.arange(100000))
        self.fails_with(BAD_FILE, "/dev/full: cannot write: No space left on device", source, "-o",
                        "/dev/full", *self.options)
        with open("/dev/full", "wb") as full:
            self.fails_with(BAD_FILE, "<stdout>: cannot write: No space left on device", source,
                            *self.options, stdout=full)

    def test_a_full_disk_leaves_no_output_and_the_old_one_untouched(self):
        self.write("old", b"old")
        for source in [self.save("in.npy", np.arange(1_000_000)),
                       self.write("in.txt", b"12345678\n" * 100_000)]:
            for target in ["old", "new", "new.npy", "new.raw", "new.txt"]:
                self.fails_with(BAD_FILE, self.path(target) + ": cannot write: File too large",
                                source, "-o", self.path(target), *self.options,
                                **limited(resource.RLIMIT_FSIZE, 1 << 16))
        self.assertEqual(content_of(self.path("old")), b"old")

    def test_interrupted_it_leaves_nothing(self):
        beginning = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            beginning, {"descr": "<i8", "fortran_order": False, "shape": (2**20,)})
        self.interrupted_leaves_nothing("in.npy", beginning.getvalue() + bytes(1 << 20))

    def test_a_reader_that_has_gone_ends_the_program_quietly(self):
        source = self.save("in.npy", np.arange(3_000_000))
        words = b"%s: error: <stdout>: its reader has closed it\n" % self.name.encode()
        for restore, expected, said in [(True, -signal.SIGPIPE, b""), (False, BAD_FILE, words)]:
            with subprocess.Popen([self.program, source, *self.options], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, restore_signals=restore) as process:
                process.stdout.read(100)
                process.stdout.close()
                err = process.stderr.read()
                process.wait(self.timeout)
            self.assertEqual((process.returncode, err), (expected, said))

    def test_a_report_in_json(self):
        source = self.save("in.npy", np.arange(1000))
        report = self.path("report.json")
        self.succeeds(source, "-o", self.path("o.npy"), *self.options, "--json", report)
        with open(report, encoding="utf-8") as file:
            told = json.load(file)
        self.assertEqual((told["program"], told["items"]), (self.name, 1000))
        self.assertEqual([step["step"] for step in told["steps"]][::2], ["read", "write"])
        for step in told["steps"]:
            self.assertGreaterEqual(step["seconds"], 0)
            self.assertEqual(set(step), {"step", "seconds", "bytes", "words"})
        self.assertEqual(told["steps"][-1]["bytes"], os.path.getsize(self.path("o.npy")))
        os.remove(report)
        for same in [["-o", report], ["-o", self.path("../%s/report.json" %
                                                      os.path.basename(self.dir))]]:
            self.fails(USAGE, "--json: %s is also the output" % report, source, *same,
                       *self.options, "--json", report)
        self.fails(USAGE, "--json: - is also the output", source, *self.options, "--json", "-")
        self.fails(BAD_FILE, "no/such", source, *self.options, "--json", self.path("no/such/r"))
        self.fails(BAD_FILE, "none.npy", self.path("none.npy"), *self.options, "--json", report)

    def test_binary_data_never_go_to_a_terminal(self):
        source = self.save("in.npy", np.arange(5))
        said = "binary data would go to a terminal"
        for target in [[], ["-o", "-"], ["-o", "/dev/stdout"]]:
            end, terminal = os.openpty()
            with os.fdopen(terminal, "wb") as out:
                self.fails(USAGE, said, source, *self.options, *target, stdout=out)
            self.assertEqual(read_terminal(end), b"")
        end, terminal = os.openpty()
        with os.fdopen(terminal, "wb") as out:
            text = self.write("in.txt", b"1\n2\n3\n100\n")
            code, _, err = self.call(text, *self.options, stdout=out)
        self.assertEqual((code, err), (DONE, ""))
        self.assertNotEqual(read_terminal(end), b"")

    def test_a_device_stays_a_device(self):
        self.succeeds(self.save("in.npy", np.arange(1000)), "-o", "/dev/null", *self.options)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
