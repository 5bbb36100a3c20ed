#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of 16 times the memory that a program may have: it gives the right result, reads and writes
every byte once, and its memory with the page cache stays within --memory. Where a process may make
cgroups, one enforces that; elsewhere RLIMIT_AS limits the address space.
Run as: streams_test.py path/to/program..."""
import os
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from array_program import needs_little_memory
from program_case import (BAD_FILE, DONE, ProgramCase, QUICK, cgroup, combinations, limited,
                          some_of)

PROGRAMS = {os.path.basename(path): os.path.abspath(path) for path in sys.argv[1:]}
del sys.argv[1:]
MIB = 1 << 20
MEMORY = (8 if QUICK else 16) * MIB
ADDRESSES = 320 * MIB  # of code, libraries, stacks of threads, and MEMORY


def has_cgroups():
    try:
        cgroup(MEMORY).remove()
        return True
    except OSError:
        return False


def goes_to(process, read, written):
    """Waits until a process has read and written so many bytes; False if it ends before that."""
    while process.poll() is None:
        with open("/proc/%d/io" % process.pid) as file:
            io = dict(line.split(": ") for line in file.read().splitlines())
        if int(io["rchar"]) >= read and int(io["wchar"]) >= written:
            return True
        time.sleep(0.001)
    return False


class StreamCase(ProgramCase):
    memory = MEMORY
    factor = 2 if QUICK else 16

    @classmethod
    def setUpClass(cls):
        # Here and not in /tmp, which may be memory itself.
        cls.scratch = tempfile.TemporaryDirectory(dir=os.getcwd())
        cls.items = cls.factor * cls.memory // 8
        random = np.random.default_rng(7)
        cls.array = random.integers(0, 1 << 40, cls.items, dtype="uint64")
        cls.source = os.path.join(cls.scratch.name, "in.npy")
        np.save(cls.source, cls.array)
        os.sync()
        for program in PROGRAMS.values():  # its code is in the page cache, and not charged
            subprocess.run([program, "--help"], stdout=subprocess.DEVNULL, check=True)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()
        del cls.array

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(dir=self.scratch.name)
        self.addCleanup(scratch.cleanup)
        self.dir = scratch.name

    def cold(self, *paths):
        """Drops files from the page cache, so that reading them counts."""
        for path in paths:
            with open(path, "rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    def runs(self, name, *arguments, reads, writes, passes=1, beside=()):
        """The program must succeed within its memory; reads and writes: the bytes of its files, in
        `passes` passes. `beside`: other inputs."""
        self.cold(self.source, *beside)
        group = cgroup(self.memory) if has_cgroups() else None
        limit = {"preexec_fn": group.enter} if group else limited(resource.RLIMIT_AS, ADDRESSES)
        command = [PROGRAMS[name], *map(str, arguments), "--memory", str(self.memory), "--threads",
                   "2"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, **limit)
        error = process.stderr.read().decode()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        with open("/proc/%d/io" % process.pid) as file:
            io = dict(line.split(": ") for line in file.read().splitlines())
        self.assertEqual((process.wait(), error), (DONE, ""))
        process.stderr.close()
        if group:
            peak = group.taken()
            group.remove()
            self.assertLessEqual(peak, self.memory)
        slack = 1.02 if passes == 1 else 1.025
        # Code that is read again, since the group has no space for it, is not the file's.
        self.assertLessEqual(int(io["read_bytes"]), passes * slack * reads + 4 * MIB)
        self.assertLessEqual(int(io["write_bytes"]), passes * slack * writes + MIB)

    def loads(self, name):
        return np.load(self.path(name), mmap_mode="r")


class Streams(StreamCase):
    def test_scan(self):
        size = os.path.getsize(self.source)
        for options in [[], ["--exclusive"], ["--reverse"]]:
            with self.subTest(options=options):
                self.runs("scan-prefix", self.source, "-o", self.path("o.npy"), *options,
                          reads=size, writes=size)
                expected = np.cumsum(self.array[::-1] if "--reverse" in options else self.array)
                if "--reverse" in options:
                    expected = expected[::-1]
                if "--exclusive" in options:
                    expected = expected - self.array
                self.assertTrue(np.array_equal(self.loads("o.npy"), expected))

    def test_segmented_scan(self):
        size = os.path.getsize(self.source)
        heads = np.zeros(self.items, "uint8")
        heads[::100_003] = 1
        file = self.write("heads.raw", heads.tobytes())
        starts = np.flatnonzero(heads)
        sums = np.cumsum(self.array)
        before = np.concatenate([np.zeros(1, "uint64"), sums[starts[1:] - 1]])
        lengths = np.diff(np.append(starts, self.items))
        expected = sums - np.repeat(before, lengths)
        self.runs("scan-prefix", self.source, "-o", self.path("o.npy"), "--heads", file,
                  reads=size + self.items, writes=size, beside=[file])
        self.assertTrue(np.array_equal(self.loads("o.npy"), expected))
        totals = np.repeat(expected[np.append(starts[1:], self.items) - 1], lengths)
        self.runs("scan-prefix", self.source, "-o", self.path("o.npy"), "--heads", file,
                  "--reverse", reads=size + self.items, writes=size, beside=[file])
        self.assertTrue(np.array_equal(self.loads("o.npy"), totals - expected + self.array))

    def test_filter(self):
        size = os.path.getsize(self.source)
        keep = self.array >= 1 << 39
        self.runs("scan-filter", self.source, "-o", self.path("o.npy"), "--keep",
                  ">= %d" % (1 << 39), "--split", self.path("r.npy"), reads=size, writes=size)
        self.assertTrue(np.array_equal(self.loads("o.npy"), self.array[keep]))
        self.assertTrue(np.array_equal(self.loads("r.npy"), self.array[~keep]))
        self.runs("scan-filter", self.source, "-o", self.path("o.npy"), "--keep",
                  ">= %d" % (1 << 39), "--indices", reads=size, writes=size)
        self.assertTrue(np.array_equal(self.loads("o.npy"), np.flatnonzero(keep)))

    def test_masked_filter(self):
        size = os.path.getsize(self.source)
        mask = np.random.default_rng(8).integers(0, 2, self.items, dtype="uint8")
        for name, content in [("mask.raw", mask),
                              ("bits.raw", np.packbits(mask, bitorder="little"))]:
            file = self.write(name, content.tobytes())
            self.runs("scan-filter", self.source, "-o", self.path("o.npy"), "--mask", file,
                      reads=size + content.size, writes=size, beside=[file])
            self.assertTrue(np.array_equal(self.loads("o.npy"), self.array[mask != 0]))

    def test_histogram(self):
        size = os.path.getsize(self.source)
        self.runs("scan-histogram", self.source, "-o", self.path("o.npy"), "--bins", "64",
                  "--range", "0:%d" % (1 << 40), reads=size, writes=0)
        expected = np.bincount((self.array >> 34).astype("int64"), minlength=64)
        self.assertEqual(self.loads("o.npy").tolist(), expected.tolist())


class Sorts(StreamCase):
    """Two passes need memory of the square root of 12 MiB times the file, or more."""
    memory = (26 if QUICK else 40) * MIB
    factor = 2 if QUICK else 3

    def test_skewed_keys(self):
        random = np.random.default_rng(11)
        for name, keys in [("zipf", np.resize(random.zipf(1.1, self.items // 16), self.items)),
                           ("two", random.integers(0, 2, self.items)),
                           ("equal", np.full(self.items, 7)),
                           ("sorted", np.arange(self.items))][:1 if QUICK else 4]:
            with self.subTest(keys=name):
                file = self.path("keys.npy")
                np.save(file, keys.astype("uint64"))
                size = os.path.getsize(file)
                self.runs("scan-sort", file, "-o", self.path("o.npy"), reads=size, writes=size,
                          passes=2, beside=[file])
                self.assertTrue(np.array_equal(self.loads("o.npy"),
                                               np.sort(keys.astype("uint64"))))

    @needs_little_memory
    def test_limited_addresses(self):
        """Threads take memory from one heap. Each of their own would reserve 64 MiB."""
        right = np.sort(self.array)
        for less in some_of(5, range(10)):
            with self.subTest(less=less):
                process = subprocess.Popen(
                    [PROGRAMS["scan-sort"], self.source, "-o", self.path("o.npy"), "--memory",
                     str(self.memory), "--threads", "2"], stderr=subprocess.PIPE, text=True,
                    **limited(resource.RLIMIT_AS, ADDRESSES - 8 * less * MIB))
                reserved = 0  # KiB
                while process.poll() is None:
                    with open("/proc/%d/status" % process.pid) as file:
                        peak = re.search(r"VmPeak:\s+(\d+)", file.read())  # none when it has ended
                    reserved = max(reserved, int(peak[1]) if peak else 0)
                    time.sleep(0.005)
                self.assertEqual((process.returncode, process.stderr.read()), (DONE, ""))
                process.stderr.close()
                self.assertLess(reserved, 220 << 10)
                self.assertTrue(np.array_equal(self.loads("o.npy"), right))

    def test_sorts_after_it_was_killed_in_each_phase(self):
        size = os.path.getsize(self.source)
        before = os.listdir(self.dir)
        # The sample, the first pass, between the passes, the second pass.
        for read, written in [(1, 0), (size // 2, size // 4), (size, size // 2),
                              (size * 3 // 2, size * 5 // 4)]:
            with self.subTest(read=read, written=written):
                process = subprocess.Popen([PROGRAMS["scan-sort"], self.source, "-o",
                                            self.path("o.npy"), "--memory", str(self.memory),
                                            "--temp", self.dir])
                if goes_to(process, read, written):
                    process.kill()
                if process.wait() == -signal.SIGKILL:
                    self.assertHolds(*before)
                else:
                    self.assertEqual(process.returncode, DONE)
                    os.remove(self.path("o.npy"))
        self.runs("scan-sort", self.source, "-o", self.path("o.npy"), reads=size, writes=size,
                  passes=2)
        self.assertTrue(np.array_equal(self.loads("o.npy"), np.sort(self.array)))


class Texts(StreamCase):
    """Text of 16 times the memory, whose rows stay whole. A sort of rows needs 16 MiB."""
    memory = 16 * MIB

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.text = os.path.join(cls.scratch.name, "in.txt")
        keys = np.random.default_rng(12).permutation(cls.factor * cls.memory // 64)
        cls.rows = keys.size
        with open(cls.text, "wb") as file:
            for key in keys:
                file.write(b"%015d,%047d\n" % (key, key))
        os.sync()

    def test_sort(self):
        size = os.path.getsize(self.text)
        self.runs("scan-sort", self.text, "--column", "1", "-o", self.path("o.txt"), reads=size,
                  writes=size, passes=2.2, beside=[self.text])  # keys are in the temporary file
        with open(self.path("o.txt"), "rb") as file:
            for key in range(self.rows):
                self.assertEqual(file.readline(), b"%015d,%047d\n" % (key, key))

    def test_filter(self):
        least, size = self.rows // 3, os.path.getsize(self.text)
        self.runs("scan-filter", self.text, "--column", "2", "--keep", ">= %d" % least, "-o",
                  self.path("o.txt"), "--split", self.path("r.txt"), reads=size, writes=size,
                  beside=[self.text])
        with open(self.text, "rb") as rows, open(self.path("o.txt"), "rb") as kept, \
                open(self.path("r.txt"), "rb") as rest:
            for row in rows:
                file = kept if int(row[:15]) >= least else rest
                self.assertEqual(file.readline(), row)
            self.assertEqual(kept.read() + rest.read(), b"")

    def test_numbers(self):
        """The numbers of a column: the text is read twice, unless --dtype says their type."""
        size = os.path.getsize(self.text)
        keys = np.loadtxt(self.text, "int64", delimiter=",", usecols=0)
        for (options, passes), (name, more, expected) in combinations(
                2, [([], 2), (["--dtype", "int64"], 1)],
                [("scan-prefix", [], np.cumsum(keys)),
                 ("scan-filter", ["--keep", "> 999"], keys[keys > 999]),
                 ("scan-histogram", ["--bins", "64", "--range", "0:%d" % self.rows],
                  np.histogram(keys, 64, (0, self.rows))[0])]):
            with self.subTest(program=name, options=options):
                self.runs(name, self.text, "-o", self.path("o.npy"), "--column", "2", *options,
                          *more, reads=passes * size, writes=size, beside=[self.text])
                self.assertTrue(np.array_equal(self.loads("o.npy"), expected))

    def test_the_last_number_decides_the_type(self):
        """Integers are floats if one number of the column is, and -0 keeps its sign."""
        size = os.path.getsize(self.text)
        file = self.path("in.csv")
        with open(self.text, "rb") as rows, open(file, "wb") as out:
            out.write(b"-0,0\n" + rows.read() + b"0.5,0\n")
        self.runs("scan-filter", file, "--column", "1", "--only", "--keep", "< 1", "-o",
                  self.path("o.npy"), reads=2 * size, writes=0, beside=[file])
        got = self.loads("o.npy")
        self.assertEqual((got.dtype, got.tolist(), np.signbit(got).tolist()),
                         (np.dtype("float64"), [0, 0, 0.5], [True, False, False]))

    def test_killed_in_each_phase(self):
        before = os.listdir(self.dir)
        for delay in [0.05, 0.2, 0.5, 1, 2][:3 if QUICK else 5]:
            process = subprocess.Popen([PROGRAMS["scan-sort"], self.text, "--column", "1", "-o",
                                        self.path("o.txt"), "--memory", str(self.memory),
                                        "--temp", self.dir])
            time.sleep(delay)
            process.kill()
            if process.wait() == -signal.SIGKILL:
                self.assertHolds(*before)
            else:
                os.remove(self.path("o.txt"))


class Matrices(StreamCase):
    """Matrix Market files of 16 times the memory, which hold the vectors only."""
    rows, columns = 1000, 800

    def matrix(self, name, field, symmetry, number):
        """A file of so many entries that they do not fit, repeating a block of them, and the sums
        of the values at each place of the dense matrix."""
        random = np.random.default_rng(13)
        block = 50_000
        row = random.integers(1, self.rows + 1, block)
        column = random.integers(1, self.columns + 1, block)
        if symmetry != "general":
            row, column = np.maximum(row, column) + 1, np.minimum(row, column)
        value = np.ones(block, "int64") if field == "pattern" else random.integers(-99, 100, block)
        text = "".join(number % entry + "\n" for entry in (
            zip(row, column) if field == "pattern" else zip(row, column, value))).encode()
        repeats = self.factor * self.memory // len(text) + 1
        size = self.rows + 1 if symmetry != "general" else self.rows
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(b"%%%%MatrixMarket matrix coordinate %s %s\n%% comment\n%d %d %d\n" % (
                field.encode(), symmetry.encode(), size,
                size if symmetry != "general" else self.columns, repeats * block))
            for _ in range(repeats):
                file.write(text)
        os.sync()
        dense = np.zeros((size, size if symmetry != "general" else self.columns), "int64")
        np.add.at(dense, (row - 1, column - 1), value * repeats)
        if symmetry == "symmetric":
            dense += np.tril(dense, -1).T
        elif symmetry == "skew-symmetric":
            dense -= np.tril(dense, -1).T
        return path, dense

    def test_products(self):
        for field, symmetry, number, options in some_of(2, [
                ("integer", "general", "%d %d %d", []),
                ("real", "skew-symmetric", "%d %d %d.0", ["--transpose"]),
                ("integer", "symmetric", "%d %d %d", []),
                ("pattern", "general", "%d %d", ["--transpose"])], 1):
            with self.subTest(field=field, symmetry=symmetry):
                path, dense = self.matrix("m.mtx", field, symmetry, number)
                dense = dense.T if options else dense
                x = np.arange(dense.shape[1]) % 7 - 3
                np.save(self.path("x.npy"), x)
                self.runs("scan-spmv", path, "--x", self.path("x.npy"), "-o", self.path("y.npy"),
                          *options, reads=os.path.getsize(path), writes=0, beside=[path])
                self.assertTrue(np.array_equal(self.loads("y.npy"), dense @ x))
                os.remove(path)

    def test_errors_name_the_line(self):
        path, _ = self.matrix("m.mtx", "integer", "general", "%d %d %d")
        with open(path, "rb") as file:
            lines = sum(piece.count(b"\n") for piece in iter(lambda: file.read(MIB), b""))
        little = ["--memory", str(self.memory), "-o", self.path("y.npy")]
        self.name, self.program = "scan-spmv", PROGRAMS["scan-spmv"]
        with open(path, "ab") as file:
            file.write(b"1 1 1\n")
        self.fails(BAD_FILE, "m.mtx:%d: more than the %d entries that the sizes promise" % (
            lines + 1, lines - 3), path, *little)
        with open(path, "r+b") as file:
            end = file.seek(-6, os.SEEK_END)
            file.seek(-64, os.SEEK_CUR)
            file.truncate(end - 64 + file.read(63).rfind(b"\n") + 1)
        self.fails(BAD_FILE, "m.mtx:%d: the file ends after %d entries, expected %d" % (
            lines - 1, lines - 4, lines - 3), path, *little)
        self.assertHolds("m.mtx")


class Pipes(ProgramCase):
    def output(self, process, count):
        """The next bytes of its output. The test fails if the program waits for more input instead."""
        got = b""
        while len(got) < count:
            if not select.select([process.stdout], [], [], 15)[0]:
                process.kill()
                process.communicate()
                self.fail("%r, and no more before the next input" % got)
            piece = process.stdout.read(count - len(got))
            if not piece:
                break
            got += piece
        return got

    def test_the_first_result_leaves_before_the_last_input_arrives(self):
        items = np.arange(1, 6, dtype="int64")
        for name, options, expected in [
                ("scan-filter", ["--keep", "> 1"], [2, 3, 4, 5]),
                ("scan-filter", ["--keep", "> 1", "--indices"], [1, 2, 3, 4]),
                ("scan-prefix", [], [1, 3, 6, 10, 15])]:
            with self.subTest(program=name, options=options):
                process = subprocess.Popen(
                    [PROGRAMS[name], "-", "--format", "raw", "--dtype", "int64", *options],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
                got = []
                for item in items:
                    process.stdin.write(item.tobytes())
                    if len(got) < len(expected) - 5 + item:
                        got.append(int(np.frombuffer(self.output(process, 8), "int64")[0]))
                process.stdin.close()
                self.assertEqual((process.stdout.read(), process.wait()), (b"", DONE))
                process.stdout.close()
                self.assertEqual(got, expected)

    def answers_at_once(self, command, *steps):
        """The program gives each of the results before it gets the next input."""
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        got = b""
        for sent, result in steps:
            process.stdin.write(sent)
            got += self.output(process, len(result))
            self.assertTrue(got.endswith(result), got)
        process.stdin.close()
        self.assertEqual((process.stdout.read(), process.wait()), (b"", DONE))
        process.stdout.close()

    def test_rows_of_text_leave_when_the_input_pauses(self):
        self.answers_at_once([PROGRAMS["scan-filter"], "-", "--column", "2", "--header", "yes",
                              "--keep", "> 1"],
                             (b"n,v\na,2\nb,1\n", b"n,v\na,2\n"), (b"c,1.5\n", b"c,1.5\n"),
                             (b"d,0\ne,4\n", b"e,4\n"))

    def test_numbers_of_text_leave_when_the_input_pauses(self):
        self.answers_at_once([PROGRAMS["scan-prefix"], "-", "--dtype", "int64"],
                             (b"10000\n2\n", b"10000\n10002\n"), (b"4\n", b"10006\n"),
                             (b"1\n-7\n", b"10007\n10000\n"))

    def test_a_sequence_may_pause_after_its_row(self):
        process = subprocess.Popen([PROGRAMS["scan-filter"], "-", "--keep", "> 1"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        process.stdin.write(b"3 1 7 0\n")
        time.sleep(0.3)
        process.stdin.close()
        self.assertEqual((process.stdout.read(), process.wait()), (b"3\n7\n", DONE))
        process.stdout.close()

    def test_half_an_item_waits_for_the_rest(self):
        item = np.int64(77).tobytes()
        process = subprocess.Popen([PROGRAMS["scan-filter"], "-", "--format", "raw", "--dtype",
                                    "int64", "--keep", "> 1"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, bufsize=0)
        process.stdin.write(item[:3])
        time.sleep(0.3)
        process.stdin.write(item[3:])
        self.assertEqual(self.output(process, 8), item)
        process.stdin.close()
        self.assertEqual(process.wait(), DONE)
        process.stdout.close()


class Faults(ProgramCase):
    """What interrupts a program that streams: no file may be left, and the next run must succeed."""
    words = {"scan-prefix": [], "scan-filter": ["--keep", ">= 0"],
             "scan-histogram": ["--bins", "4", "--range", "0:4"], "scan-sort": ["--memory", "40M"]}

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(dir=os.getcwd())
        self.addCleanup(scratch.cleanup)
        self.dir = scratch.name

    def zeros(self, size):
        """An input that takes no space."""
        with open(self.path("in.raw"), "wb") as file:
            file.truncate(size)
        return self.path("in.raw")

    def command(self, name, source, *options):
        return [PROGRAMS[name], source, "--dtype", "uint64", *self.words[name], *options]

    def start(self, name, source, *options):
        """The program, when it has read some of its input."""
        process = subprocess.Popen(self.command(name, source, *options), stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        self.assertTrue(goes_to(process, 8 * MIB, 0))
        return process

    def ends(self, process, code, words):
        """The program must end like this, and leave nothing."""
        error = process.stderr.read().decode()
        process.stderr.close()
        self.assertEqual(process.wait(), code, error)
        self.assertIn(words, error)
        self.assertHolds("in.raw")

    def assertWorks(self, name, *options):
        """The program must succeed now."""
        out = self.path("o.raw")
        subprocess.run(self.command(name, self.zeros(MIB), "-o", out, *options), check=True)
        os.remove(out)

    def test_killed_while_it_streams(self):
        for name, options in [("scan-prefix", []), ("scan-prefix", ["--reverse"]),
                              ("scan-filter", []), ("scan-histogram", [])]:
            with self.subTest(program=name, options=options):
                process = self.start(name, self.zeros(1 << 34), *options, "-o", self.path("o.raw"))
                process.kill()
                self.ends(process, -signal.SIGKILL, "")
                self.assertWorks(name, *options)

    def test_an_input_that_shrinks(self):
        for name in self.words:
            with self.subTest(program=name):
                process = self.start(name, self.zeros(1 << 34), "-o", self.path("o.raw"))
                os.truncate(self.path("in.raw"), MIB)
                self.ends(process, BAD_FILE, self.path("in.raw") + ": the file shrank while it was "
                          "read")
                self.assertWorks(name)

    def test_an_input_that_grows(self):
        """The result is that of the items that were there at first."""
        items = np.arange(1, (4 if QUICK else 8) * MIB, dtype="uint64")
        for name, expected in [("scan-prefix", np.cumsum(items)), ("scan-filter", items),
                               ("scan-sort", items)]:
            with self.subTest(program=name):
                self.write("in.raw", items.tobytes())
                process = self.start(name, self.path("in.raw"), "-o", self.path("o.raw"))
                process.send_signal(signal.SIGSTOP)
                with open(self.path("in.raw"), "ab") as file:
                    file.write(items.tobytes())
                process.send_signal(signal.SIGCONT)
                self.assertEqual((process.stderr.read(), process.wait()), (b"", DONE))
                process.stderr.close()
                self.assertTrue(np.array_equal(np.fromfile(self.path("o.raw"), "uint64"), expected))
                os.remove(self.path("o.raw"))

    def test_files_that_may_not_be_as_large(self):
        for name, words in [("scan-prefix", "o.raw: cannot write: File too large"),
                            ("scan-filter", "o.raw: cannot write: File too large"),
                            ("scan-sort", "cannot write a temporary file (see --temp and TMPDIR): "
                                          "File too large")]:
            with self.subTest(program=name):
                process = subprocess.Popen(self.command(name, self.zeros(1 << 28), "-o",
                                                        self.path("o.raw")), stderr=subprocess.PIPE,
                                           **limited(resource.RLIMIT_FSIZE, 32 * MIB))
                self.ends(process, BAD_FILE, words)
                self.assertWorks(name)

    def test_a_full_disk(self):
        mount = self.path("small")
        os.mkdir(mount)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "none", mount],
                          capture_output=True).returncode:
            self.skipTest("needs the right to mount")
        try:
            out = os.path.join(mount, "o.raw")
            full = "No space left on device"
            temporary = "%s: cannot hold a temporary file of %d bytes (see --temp and TMPDIR): "
            bytes_of = os.path.getsize(self.zeros(64 * MIB))
            # Rows of text; most are still to be read when the sort begins.
            with open(self.path("in.csv"), "wb") as file:
                file.write(b"%063d\n" % 7 * (64 * MIB // 64))
            rows = subprocess.run(
                self.command("scan-sort", self.path("in.csv"), "--column", "1", "-o",
                             self.path("o.csv"), "--temp", mount),
                stderr=subprocess.PIPE, check=False)
            self.assertEqual(rows.returncode, BAD_FILE)
            self.assertRegex(rows.stderr.decode(), "small: cannot hold a temporary file of 6[0-9]* bytes")
            self.assertEqual(os.listdir(mount), [])
            os.remove(self.path("in.csv"))
            for name, options, words in [
                    ("scan-prefix", ["-o", out], out + ": cannot write: " + full),
                    ("scan-filter", ["-o", out], out + ": cannot write: " + full),
                    ("scan-sort", ["-o", out, "--temp", self.dir], out + ": cannot write: " + full),
                    ("scan-sort", ["-o", out], temporary % (mount + "/", bytes_of)),
                    ("scan-sort", ["-o", self.path("o.raw"), "--temp", mount],
                     temporary % (mount, bytes_of)),
                    ("scan-sort", ["-o", self.path("o.raw"), "--temp", mount, "--argsort"],
                     temporary % (mount, 2 * bytes_of))]:
                with self.subTest(program=name, options=options):
                    done = subprocess.run(self.command(name, self.zeros(64 * MIB), *options),
                                          stderr=subprocess.PIPE, check=False)
                    self.assertEqual(done.returncode, BAD_FILE)
                    self.assertIn(words, done.stderr.decode())
                    self.assertEqual(os.listdir(mount), [])
                    self.assertHolds("in.raw", "small")
        finally:
            subprocess.run(["umount", mount], check=True)


if __name__ == "__main__":
    unittest.main()
