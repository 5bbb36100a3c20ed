#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of 16 times the memory that a program may have: it gives the right result, reads and writes
every byte once, and its memory with the page cache stays within --memory. Where a process may make
cgroups, one enforces that; elsewhere RLIMIT_AS limits the address space.
Run as: streams_test.py path/to/program..."""
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from program_case import DONE, ProgramCase, cgroup, limited

PROGRAMS = {os.path.basename(path): os.path.abspath(path) for path in sys.argv[1:]}
del sys.argv[1:]
QUICK = "LIBSCAN_TEST_REDUCED" in os.environ
MIB = 1 << 20
MEMORY = 16 * MIB
ADDRESSES = 320 * MIB  # of code, libraries, stacks of threads, and MEMORY


def has_cgroups():
    try:
        cgroup(MEMORY).remove()
        return True
    except OSError:
        return False


class StreamCase(ProgramCase):
    memory = MEMORY
    factor = 4 if QUICK else 16

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
        # Code that is read again, since the group has no room for it, is not the file's.
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
    memory = 40 * MIB
    factor = 2 if QUICK else 3

    def test_sort(self):
        size = os.path.getsize(self.source)
        self.runs("scan-sort", self.source, "-o", self.path("o.npy"), reads=size, writes=size,
                  passes=2)
        self.assertTrue(np.array_equal(self.loads("o.npy"), np.sort(self.array)))

    def test_skewed_keys(self):
        random = np.random.default_rng(11)
        for name, keys in [("zipf", random.zipf(1.1, self.items)),
                           ("two", random.integers(0, 2, self.items)),
                           ("equal", np.full(self.items, 7)), ("sorted", np.arange(self.items))]:
            with self.subTest(keys=name):
                file = self.path("keys.npy")
                np.save(file, keys.astype("uint64"))
                size = os.path.getsize(file)
                self.runs("scan-sort", file, "-o", self.path("o.npy"), reads=size, writes=size,
                          passes=2, beside=[file])
                self.assertTrue(np.array_equal(self.loads("o.npy"),
                                               np.sort(keys.astype("uint64"))))

    def test_killed_in_each_phase(self):
        before = os.listdir(self.dir)
        for delay in [0.02, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8]:
            process = subprocess.Popen([PROGRAMS["scan-sort"], self.source, "-o",
                                        self.path("o.npy"), "--memory", str(self.memory),
                                        "--temp", self.dir])
            time.sleep(delay)
            process.kill()
            if process.wait() == -signal.SIGKILL:
                self.assertHolds(*before)
            else:
                os.remove(self.path("o.npy"))


class Pipes(ProgramCase):
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
                        got.append(int(np.frombuffer(process.stdout.read(8), "int64")[0]))
                process.stdin.close()
                self.assertEqual((process.stdout.read(), process.wait()), (b"", DONE))
                process.stdout.close()
                self.assertEqual(got, expected)

    def test_half_an_item_waits_for_the_rest(self):
        item = np.int64(77).tobytes()
        process = subprocess.Popen([PROGRAMS["scan-filter"], "-", "--format", "raw", "--dtype",
                                    "int64", "--keep", "> 1"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, bufsize=0)
        process.stdin.write(item[:3])
        time.sleep(0.3)
        process.stdin.write(item[3:])
        self.assertEqual(process.stdout.read(8), item)
        process.stdin.close()
        self.assertEqual(process.wait(), DONE)
        process.stdout.close()


class Faults(ProgramCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(dir=os.getcwd())
        self.addCleanup(scratch.cleanup)
        self.dir = scratch.name

    def test_killed_while_it_streams(self):
        for name, options in [("scan-prefix", []), ("scan-prefix", ["--reverse"]),
                              ("scan-filter", ["--keep", ">= 0"])]:
            with open(self.path("in.raw"), "wb") as file:
                file.truncate(1 << 34)  # it would take long
            process = subprocess.Popen([PROGRAMS[name], self.path("in.raw"), "--dtype", "uint64",
                                        *options, "-o", self.path("o.raw")])
            time.sleep(0.3)
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGKILL)
            self.assertEqual(process.wait(), -signal.SIGKILL)
            self.assertHolds("in.raw")


if __name__ == "__main__":
    unittest.main()
