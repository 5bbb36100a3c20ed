#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that may have only 512 MiB (in a quick run 128), by a cgroup of their own or by RLIMIT_AS, and inputs that
must be in memory as a whole: text, pairs of passes, --verify. However large the input is, they do what is requested, or refuse it in words and leave nothing; no limit ever ends
them. Run as: memory_limits_test.py cgroup|address-space path/to/program...
(skipped, code 77, where a process may not make cgroups)"""
import gzip
import itertools
import os
import re
import resource
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from program_case import (DONE, FAILURE, ProgramCase, QUICK, bound_by_addresses, cgroup, limited,
                          some_of)

KIND = sys.argv[1]
PROGRAMS = {os.path.basename(path): os.path.abspath(path) for path in sys.argv[2:]}
del sys.argv[1:]
FACTOR = 4 if QUICK else 1  # by which a quick run divides the limit, and the sizes around it
MIB = (1 << 20) // FACTOR
MOST = 512 * MIB
REFUSED = "MiB that may be taken here (see --memory)"
UNREAD = 64 << 20  # of memory, page cache included: less than any input that is read


def some(sizes, quick):
    """All sizes; or, in a quick run, only this one: the largest that fits, where that is bounded."""
    return [quick] if QUICK else sizes


def in_turns(values, turn=0):
    """All values; in a quick run every other one, the rest with the other kind of limit."""
    return some_of(2, list(values), turn + (KIND == "cgroup"))


class MemoryCase(ProgramCase):
    limit = resource.RLIMIT_AS  # of KIND address-space

    def setUp(self):
        # Here and not in /tmp, which may be memory itself.
        scratch = tempfile.TemporaryDirectory(dir=os.getcwd())
        self.addCleanup(scratch.cleanup)
        self.dir = scratch.name

    def of(self, name):
        self.name, self.program = name, PROGRAMS[name]

    def zeros(self, name, size, begin=b""):
        """A file of zeros, after other bytes, that takes no space on the disk."""
        with open(self.path(name), "wb") as file:
            file.write(begin)
            file.truncate(len(begin) + size)
        return self.path(name)

    def repeated(self, name, begin, text, count):
        with open(self.path(name), "wb") as file:
            file.write(begin)
            for _ in range(count):
                file.write(text)
        return self.path(name)

    def npy_header(self, descr, count):
        header = (b"{'descr': '%s', 'fortran_order': False, 'shape': (%d,)}" %
                  (descr.encode(), count)).ljust(117) + b"\n"
        return b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header

    def npy(self, name, descr, size, item):
        return self.zeros(name, size, self.npy_header(descr, size // item))

    def call(self, *arguments, **more):
        """As ever, but with little memory; the most that was taken is in `self.taken`."""
        self.taken = 0
        if KIND == "address-space":
            return super().call(*arguments, **limited(self.limit, MOST), **more)
        group = cgroup(MOST)
        try:
            result = super().call(*arguments, preexec_fn=group.enter, **more)
            self.taken = group.taken()
            return result
        finally:
            group.remove()

    def assertBound(self, error):
        """A bound that an error names is the one of the limit."""
        if named := re.search(r"more than the (\S+) MiB that may be taken here", error):
            bound = 0.6 * MOST / (1 << 20)
            if KIND == "address-space" and self.limit == resource.RLIMIT_AS:
                bound = bound_by_addresses(self.program, MOST)
            self.assertAlmostEqual(float(named[1]), bound, delta=0.5)

    def fails(self, *arguments, **more):
        error = super().fails(*arguments, **more)
        self.assertBound(error)
        return error

    def refuses(self, *arguments, most=MOST, **more):
        self.fails(FAILURE, REFUSED, *arguments, "-o", self.path("o.npy"), **more)
        self.assertLessEqual(self.taken, most)

    def assertRefused(self, code, err):
        self.assertEqual(code, FAILURE, err)
        self.assertTrue(err.startswith(self.name + ": error: "), err)
        self.assertBound(err)
        if KIND == "cgroup":
            self.assertIn(REFUSED, err)
        else:  # address space is taken before memory is, also for threads
            self.assertRegex(err, re.escape(REFUSED) + "|out of memory|refuses more threads")

    def refuses_unread(self, *arguments, **more):
        self.refuses(*arguments, most=UNREAD, **more)

    def ends_in_words(self, *arguments, out="o.npy", **more):
        """Whether the program did what was requested; else it must refuse that for want of memory."""
        before = os.listdir(self.dir)
        out = self.path(out)
        code, _, err = self.call(*arguments, "-o", out, **more)
        if code == DONE:
            self.assertTrue(os.path.getsize(out) > 0)
            os.remove(out)
        else:
            self.assertRefused(code, err)
        self.assertHolds(*before)
        return code == DONE


class Refused(MemoryCase):
    """Inputs that cannot do, refused before their items are read where the file says how many."""

    def test_arrays(self):
        whole = self.zeros("x.raw", 2048 * MIB), "--dtype", "uint32", "--threads", "2"
        arrays = [self.npy("x.npy", "<f4", 2048 * MIB, 4), "--threads", "2"]
        for name, options in [("scan-prefix", ["--verify"]), ("scan-sort", ["--verify"]),
                              ("scan-sort", ["--argsort", "--verify"])]:
            self.of(name)
            for source in [whole, arrays]:
                with self.subTest(program=name, source=source, options=options):
                    self.refuses_unread(*source, *options)
        self.of("scan-histogram")
        self.refuses_unread(self.zeros("w.raw", 512 * MIB), "--dtype", "uint8", "--range", "0:1",
                            "--weights-dtype", "uint8", "--weights",
                            self.zeros("x8.raw", 512 * MIB), "--threads", "2")

    def test_arrays_of_which_all_is_kept(self):
        self.of("scan-filter")
        self.refuses(self.zeros("x.raw", 640 * MIB), "--dtype", "uint8", "--keep", ">= 0",
                     "--threads", "2", "--verify")

    @unittest.skipIf(KIND == "cgroup", "limits the address space")
    def test_arrays_where_data_are_limited(self):
        self.limit = resource.RLIMIT_DATA
        self.of("scan-sort")
        self.refuses_unread(self.npy("x.npy", "<f4", 2048 * MIB, 4), "--verify", "--threads", "2")

    def test_matrices(self):
        banner = b"%%%%MatrixMarket matrix coordinate %s general\n2 2 %d\n"
        count = 72
        for field, line in [(b"pattern", b"1 2\n"), (b"real", b"1 2 1\n")]:
            text = line * MIB
            whole = self.repeated("m.mtx", banner % (field, count * MIB), text, count)
            packed = self.write("m.mtx.gz", gzip.compress(banner % (field, count * MIB)) +
                                gzip.compress(text, 1) * count)
            self.of("scan-spmv")
            self.refuses_unread(whole, "--threads", "2", "--verify")
            self.refuses(packed, "--threads", "2", "--verify")
            self.of("pagerank")
            names = self.write("names.txt", b"one\ntwo\n")
            self.fails(FAILURE, REFUSED, whole, names)
            self.assertLessEqual(self.taken, UNREAD)
            self.fails(FAILURE, REFUSED, packed, names)

    def test_pipes(self):
        graph = self.write("g.mtx", b"%%MatrixMarket matrix coordinate pattern general\n1 1 0\n")
        for name, text, arguments in in_turns([
                ("scan-prefix", None, ["--verify"]), ("scan-sort", None, ["--verify"]),
                ("scan-filter", None, ["--keep", "> 0", "--verify"]),
                ("scan-histogram", None, ["--bins", "3"]),
                ("scan-sort", "1", ["--format", "text", "--verify"]),
                ("scan-spmv", "1 1 1", ["--verify"]),
                ("pagerank", "name", [])]):
            with self.subTest(program=name, text=text):
                self.of(name)
                command = ["yes", text] if text else ["cat", "/dev/zero"]
                if name == "scan-spmv":
                    command = ["sh", "-c", "echo '%s'; exec yes '%s'" % (
                        "%%MatrixMarket matrix coordinate real general\n1 1 1000000000", text)]
                first = [graph, "-"] if name == "pagerank" else ["-"]
                if not text:
                    arguments = arguments + ["--format", "raw", "--dtype", "uint8"]
                with subprocess.Popen(command, stdout=subprocess.PIPE) as source:
                    self.fails(FAILURE, REFUSED, *first, *arguments, stdin=source.stdout)
                    source.stdout.close()


class Sizes(MemoryCase):
    """Inputs around the largest that is accepted, as files and through gzip, which takes memory."""

    def sources(self, size):
        yield self.zeros("x.raw", size * MIB)
        yield self.write("x.raw.gz", gzip.compress(bytes(MIB), 1) * size)

    def test_no_limit_ends_a_program(self):
        for number, (name, options, sizes, quick) in enumerate([
                ("scan-prefix", [], [20, 33, 40, 60], 33),
                ("scan-sort", [], [60, 140, 200, 300], 140),
                ("scan-sort", ["--argsort"], [20, 33, 40, 60], 33),
                ("scan-filter", ["--keep", "== 0"], [100, 150, 200, 300], 150),
                ("scan-histogram", ["--bins", "3"], [100, 300, 320], 25)]):
            self.of(name)
            done = []
            for size in some(sizes, quick):
                for source in in_turns(self.sources(size), number):
                    with self.subTest(program=name, options=options, source=source, size=size):
                        done.append(self.ends_in_words(source, *options, "--dtype", "uint8",
                                                       "--threads", "2"))
            self.assertTrue(done[0], name)

    def test_streams_need_no_memory_for_the_file(self):
        for size in some([340, 430, 480, 500], 430):  # of 512, which a mapping would use up
            source = self.zeros("x.raw", size * MIB)
            for name, options in [("scan-prefix", []), ("scan-filter", ["--keep", "> 0"]),
                                  ("scan-histogram", ["--range", "0:1", "--bins", "3"])]:
                with self.subTest(program=name, size=size):
                    self.of(name)
                    out = self.path("o.npy")
                    self.succeeds(source, *options, "--dtype", "uint64", "--threads", "2", "-o", out)
                    os.remove(out)

    def test_texts(self):
        for count in some([10, 19, 30, 40], 5):
            texts = [self.repeated("x.txt", b"", b"1\n" * MIB, count),
                     self.write("x.txt.gz", gzip.compress(b"1\n" * MIB, 1) * count)]
            # Text out of text: rows stay whole, and are listed.
            calls = [("scan-sort", "o.txt", []), ("scan-prefix", "o.npy", []),
                     ("scan-sort", "o.npy", []), ("scan-sort", "o.npy", ["--argsort"]),
                     ("scan-filter", "o.npy", ["--keep", "== 1"]),
                     ("scan-histogram", "o.npy", ["--bins", "3"])]
            for source, (name, out, options) in itertools.product(
                    texts[-1:] if QUICK else texts, in_turns(calls[:2 if QUICK else None])):
                with self.subTest(program=name, out=out, options=options, source=source,
                                  count=count):
                    self.of(name)
                    done = self.ends_in_words(source, *options, "--threads", "2", out=out)
                    if KIND == "address-space" and name == "scan-filter" and count < 20:
                        self.assertTrue(done)  # growing takes no address space twice

    def test_two_inputs_that_fit_alone(self):
        for size in some([100, 150, 290, 300], 150):
            other = gzip.compress(bytes(MIB), 1) * size
            source, beside = self.write("x.raw.gz", other), self.write("y.raw.gz", other)
            keys = self.write("y.npy.gz", gzip.compress(self.npy_header("<u8", size * MIB // 8)) + other)
            weights = ["--range", "0:1", "--weights", beside, "--weights-dtype"]
            for name, options, data in some_of(2, [
                    ("scan-filter", ["--mask", beside], "uint8"),
                    ("scan-prefix", ["--heads", beside], "uint8"),
                    ("scan-prefix", ["--keys", keys], "uint64"),
                    ("scan-histogram", weights + ["uint8"], "uint8"),
                    ("scan-histogram", weights + ["uint64"], "uint64")]):
                with self.subTest(program=name, size=size, data=data):
                    self.of(name)
                    self.ends_in_words(source, *options, "--dtype", data, "--threads", "2")

    def test_matrices(self):
        banner = b"%%%%MatrixMarket matrix coordinate %s general\n%d %d %d\n"
        for field, line, counts in in_turns([(b"real", b"1 2 3.14159265358\n", [4, 8, 13, 18]),
                                             (b"pattern", b"1 2\n", [4, 8, 18, 36])]):
            for count in some(counts, 8):
                text = line * MIB
                head = banner % (field, 2, 2, count * MIB)
                sources = [self.repeated("m.mtx", head, text, count),
                           self.write("m.mtx.gz", gzip.compress(head) +
                                      gzip.compress(text, 1) * count)]
                for source in sources[-1:] if QUICK else sources:
                    with self.subTest(field=field, count=count, source=source):
                        self.of("scan-spmv")
                        self.ends_in_words(source, "--threads", "2")
                        self.of("pagerank")
                        code, _, err = self.call(source, self.write("names.txt", b"one\ntwo\n"))
                        if code != DONE:
                            self.assertRefused(code, err)


if __name__ == "__main__":
    if KIND == "cgroup":
        try:
            cgroup(MOST).remove()
        except OSError as error:
            print("skipped:", error)
            sys.exit(77)
    unittest.main()
