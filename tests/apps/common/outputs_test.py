#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The contract of docs/outputs.md on real files: an input may be the output under any name, in all
options that name files; what a replaced file passes on; two outputs of one call; and what a signal
leaves. Run as: outputs_test.py path/to/program..."""
import functools
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

import numpy as np

from program_case import BAD_FILE, DONE, ProgramCase, QUICK, USAGE, combinations, grouped

PROGRAMS = {os.path.basename(path): os.path.abspath(path) for path in sys.argv[1:]}
del sys.argv[1:]

N = 150_000  # Of these, text and arrays are more than the 1 MiB that are read at once.
RNG = np.random.default_rng(36)
MATRIX = b"%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n" % (N, N, N) + b"".join(
    b"%d %d %d\n" % (k, N + 1 - k, k % 97) for k in range(1, N + 1))

# By the name of a case: the program, its arguments but the output, and the file that is also the
# output: {same}.
CASES = {
    "prefix": ("scan-prefix", ["{same}"], "items.npy"),
    "prefix of text": ("scan-prefix", ["{same}"], "items.txt"),
    "head flags": ("scan-prefix", ["items.npy", "--heads", "{same}"], "marks.npy"),
    "head bits": ("scan-prefix", ["items.npy", "--head-bits", "{same}"], "bits.npy"),
    "offsets": ("scan-prefix", ["items.npy", "--offsets", "{same}"], "offsets.npy"),
    "keys": ("scan-prefix", ["items.npy", "--keys", "{same}"], "items.txt"),
    "filter": ("scan-filter", ["{same}", "--keep", "> 9"], "items.txt"),
    "mask": ("scan-filter", ["items.npy", "--mask", "{same}"], "marks.npy"),
    "rest": ("scan-filter", ["{same}", "--keep", "> 9", "--split", "rest.npy"], "items.npy"),
    "rows": ("scan-sort", ["{same}"], "items.txt"),
    "keys to sort": ("scan-sort", ["{same}", "--argsort"], "items.npy"),
    "values": ("scan-sort", ["items.npy", "--values", "{same}", "--values-output", "v.npy"],
               "items.txt"),
    "samples": ("scan-histogram", ["{same}", "--bins", "100"], "items.txt"),
    "edges": ("scan-histogram", ["items.npy", "--edges", "{same}"], "offsets.npy"),
    "weights": ("scan-histogram", ["items.npy", "--bins", "9", "--weights", "{same}"], "items.txt"),
    "x": ("scan-spmv", ["m.mtx", "--x", "{same}"], "items.txt"),
}


class OutputsCase(ProgramCase):
    def setUp(self):
        super().setUp()
        os.chmod(self.dir, 0o777)
        items = RNG.integers(0, 1000, N)
        for name, array in [("items", items), ("marks", (items > 500).astype("uint8")),
                            ("bits", RNG.integers(0, 256, (N + 7) // 8).astype("uint8")),
                            ("offsets", np.unique(np.append(RNG.integers(1, N, 90000), [0, N])))]:
            np.save(self.path(name + ".npy"), array)
        self.write("items.txt", b"".join(b"%07d\n" % x for x in items))
        self.write("m.mtx", MATRIX)

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def start(self, name, *arguments, **more):
        return subprocess.Popen([PROGRAMS[name], *map(str, arguments)], cwd=self.dir,
                                stderr=subprocess.PIPE, **more)

    def run_in(self, name, *arguments, **more):
        """Runs a program in the directory; it must succeed. Returns its output."""
        code, out, err = self.call(*arguments, program=PROGRAMS[name], cwd=self.dir, **more)
        self.assertEqual((code, err), (DONE, ""))
        return out


class SameFile(OutputsCase):
    def each_case(self):
        """Of each case: the program, its arguments for a name of the file, and the file."""
        for case, (program, words, same) in CASES.items():
            if program in PROGRAMS:
                of = functools.partial(lambda words, name: [word.format(same=name) for word in words],
                                       words)
                yield case, program, of, same

    def test_by_name(self):
        kinds = ["itself", "path", "symbolic link", "hard link"]
        for (case, program, words, same), ways in grouped(combinations(
                4, self.each_case(), kinds, ["read as it is", "read by that name"])):
            before = self.content(same)
            ending = os.path.splitext(same)[1]
            self.run_in(program, *words(same), "-o", "expected" + ending)
            expected = self.content("expected" + ending)
            names = [same, self.path(same), "link" + ending, "hard" + ending]
            for kind, how in ways:
                output = names[kinds.index(kind)]
                source = same if how == "read as it is" else output
                if kind == "symbolic link":
                    os.symlink(same, self.path(output))
                if kind == "hard link":
                    os.link(self.path(same), self.path(output))
                with self.subTest(case=case, kind=kind, source=source):
                    self.write(same, before)
                    self.run_in(program, *words(source), "-o", output)
                    self.assertEqual(self.content(same), expected)
                    self.assertTrue(os.path.samefile(self.path(same), self.path(output)))
                    self.assertEqual(os.path.islink(self.path(output)), kind == "symbolic link")
                if kind.endswith("link"):
                    os.remove(self.path(output))
            self.write(same, before)

    def test_by_descriptor(self):
        for (case, program, words, same), outputs in grouped(combinations(
                4, self.each_case(), ["-", "/dev/stdout", "/dev/fd/{}", "/proc/self/fd/{}"])):
            before = self.content(same)
            expected = self.run_in(program, *words(same))
            whole = expected + before[len(expected):]
            for output, in outputs:
                with self.subTest(case=case, output=output):
                    with open(self.path(same), "r+b") as both:  # 1<> or N<>
                        stdout = subprocess.PIPE if "{}" in output else both
                        self.run_in(program, *words(same), "-o", output.format(both.fileno()),
                                    stdout=stdout, pass_fds=[both.fileno()])
                    self.assertEqual(self.content(same), whole)
                    self.write(same, before)
            with self.subTest(case=case, output=">>"):
                with open(self.path(same), "ab") as both:
                    self.run_in(program, *words(same), stdout=both)
                self.assertEqual(self.content(same), before + expected)
                self.write(same, before)

    def test_files_larger_than_all_buffers(self):
        """Results must not overtake the input, nor be read as if they were input."""
        ones = np.ones(1 << (22 if QUICK else 23), "int32")
        places = np.arange(ones.size)
        positions = ["--dtype", "int32", "--keep", "> 0", "--indices"]
        calls = [("scan-prefix", ["in.raw", "--dtype", "int32"], places + 1),
                 ("scan-prefix", ["-", "--format", "raw", "--dtype", "int32"], places + 1),
                 ("scan-filter", ["in.raw", *positions], places),
                 ("scan-filter", ["/dev/stdin", "--format", "raw", *positions], places),
                 ("scan-filter", ["in.raw", "--dtype", "int32", "--mask", "ones.raw", "--indices"],
                  places)]
        for (program, words, expected), outputs in grouped(combinations(
                2, calls, [("-", "r+b", False), ("/dev/fd/{}", "r+b", False), ("-", "ab", True)])):
            if program not in PROGRAMS:
                continue
            same = "ones.raw" if "ones.raw" in words else "in.raw"
            content = np.ones(ones.size, "uint8" if same == "ones.raw" else "int32").tobytes()
            self.write("in.raw", ones.tobytes())
            for (output, mode, appends), in outputs:
                with self.subTest(words=words, output=output, mode=mode):
                    self.write(same, content)
                    with open(self.path(same), mode) as both, open(self.path(same), "rb") as source:
                        number = 300  # more than most programs open
                        os.dup2(both.fileno(), number)
                        try:
                            self.run_in(program, *words, "-o", output.format(number), "--memory",
                                        "64M", stdin=source, pass_fds=[number],
                                        stdout=subprocess.PIPE if "{}" in output else both)
                        finally:
                            os.close(number)
                    result = np.fromfile(self.path(same), "int64",
                                         offset=len(content) if appends else 0)
                    self.assertTrue(np.array_equal(result, expected))

    def test_an_input_open_for_writing_whose_items_are_not_aligned(self):
        items = np.arange(N, dtype="float64")
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (%d,)}\n" % N
        self.assertNotEqual((10 + len(header)) % 8, 0)
        self.write("in.npy", b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header +
                   items.tobytes())
        for program, words, expected in [("scan-prefix", ["--reverse"], items[::-1].cumsum()[::-1]),
                                         ("scan-histogram", ["--bins", 1], [N]),
                                         ("scan-sort", ["--argsort"], items)]:
            if program not in PROGRAMS:
                continue
            with self.subTest(program=program), open(self.path("in.npy"), "r+b") as both:
                self.run_in(program, "-", *words, "-o", "out.npy", stdin=both)
                self.assertTrue(np.array_equal(np.load(self.path("out.npy")), expected))

    def test_by_standard_input(self):
        for case, program, words, same in self.each_case():
            if not same.endswith(".txt"):
                continue
            before = self.content(same)
            expected = self.run_in(program, *words(same))
            self.run_in(program, *words(same), "-o", "expected.txt")
            for output, result in [("-", expected + before[len(expected):]),
                                   (same, self.content("expected.txt"))]:
                with self.subTest(case=case, output=output):
                    with open(self.path(same), "r+b") as to, open(self.path(same), "r+b") as source:
                        self.run_in(program, *words("-"), "-o", output, stdin=source, stdout=to)
                    self.assertEqual(self.content(same), result)
                    self.write(same, before)

    def test_the_second_output(self):
        if "scan-filter" in PROGRAMS:
            self.run_in("scan-filter", "items.npy", "--keep", "> 9", "--split", "items.npy", "-o",
                        "kept.npy")
            self.assertTrue((np.load(self.path("items.npy")) <= 9).all())
        if "scan-sort" in PROGRAMS:
            values = np.arange(N)
            np.save(self.path("v.npy"), values)
            keys = np.loadtxt(self.path("items.txt"), dtype=int)
            self.run_in("scan-sort", "items.txt", "--values", "v.npy", "-o", "items.txt",
                        "--values-output", "v.npy")
            order = np.argsort(keys, kind="stable")
            self.assertTrue((np.load(self.path("v.npy")) == order).all())

    def test_ranks_into_the_names(self):
        if "pagerank" not in PROGRAMS:
            self.skipTest("no pagerank")
        names = b"".join(b"page %d\n" % k for k in range(N))
        self.write("names.txt", names)
        words = ["m.mtx", "names.txt", N]
        _, expected, _ = self.call(*words, program=PROGRAMS["pagerank"], cwd=self.dir)
        with open(self.path("names.txt"), "r+b") as both:
            self.call(*words, program=PROGRAMS["pagerank"], cwd=self.dir, stdout=both)
        self.assertEqual(self.content("names.txt"), expected + names[len(expected):])


class Replaced(OutputsCase):
    def copy(self, output, **more):
        return self.call("items.npy", "-o", output, program=PROGRAMS["array-copy"], cwd=self.dir,
                         **more)

    def test_owner_group_and_mode_stay(self):
        if os.geteuid() != 0:
            self.skipTest("needs a second user")
        for mode in [0o600, 0o640, 0o604, 0o777]:
            self.write("old.npy", b"old")
            os.chown(self.path("old.npy"), 1234, 2345)
            os.chmod(self.path("old.npy"), mode)
            before = os.stat(self.path("old.npy"))
            self.assertEqual(self.copy("old.npy"), (DONE, b"", ""))
            now = os.stat(self.path("old.npy"))
            self.assertEqual((now.st_uid, now.st_gid, now.st_mode & 0o777), (1234, 2345, mode))
            self.assertNotEqual(now.st_ino, before.st_ino)
            self.assertEqual(self.content("old.npy"), self.content("items.npy"))

    def test_a_file_of_another_owner_is_overwritten(self):
        if os.geteuid() != 0:
            self.skipTest("needs a second user")
        self.write("old.npy", b"old" * N * 8)  # longer than what replaces it
        os.chmod(self.path("old.npy"), 0o666)
        before = os.stat(self.path("old.npy"))
        try:
            self.assertEqual(self.copy("old.npy", user=65534), (DONE, b"", ""))
        except PermissionError:
            self.skipTest("the program is out of reach for another user")
        now = os.stat(self.path("old.npy"))
        self.assertEqual((now.st_uid, now.st_mode, now.st_ino),
                         (before.st_uid, before.st_mode, before.st_ino))
        self.assertEqual(self.content("old.npy"), self.content("items.npy"))

    def test_a_file_in_a_directory_that_takes_no_new_one(self):
        if os.geteuid() != 0:
            self.skipTest("needs a second user")
        os.mkdir(self.path("closed"))
        before = None
        for length in [0, 3, N * 9]:  # shorter and longer than what replaces it
            self.write("closed/old.npy", bytes(length))
            os.chown(self.path("closed/old.npy"), 65534, 65534)
            os.chmod(self.path("closed/old.npy"), 0o640)
            before = os.stat(self.path("closed/old.npy"))
            try:
                self.assertEqual(self.copy("closed/old.npy", user=65534), (DONE, b"", ""))
            except PermissionError:
                self.skipTest("the program is out of reach for another user")
            now = os.stat(self.path("closed/old.npy"))
            self.assertEqual((now.st_uid, now.st_mode, now.st_ino),
                             (before.st_uid, before.st_mode, before.st_ino))
            self.assertEqual(self.content("closed/old.npy"), self.content("items.npy"))
        for output, more in [("closed/new.npy", {}),
                             ("closed/old.npy", {"env": {"TMPDIR": self.path("none")}})]:
            code, _, err = self.copy(output, user=65534, **more)
            self.assertEqual((code, err), (
                BAD_FILE, "array-copy: error: %s: cannot create a file in closed/: "
                "Permission denied\n" % output))
        self.assertEqual(self.content("closed/old.npy"), self.content("items.npy"))
        self.assertEqual(os.listdir(self.path("closed")), ["old.npy"])

    def test_nobody_else_can_open_what_is_unfinished(self):
        for before, mask in [(None, 0o077), (0o600, 0), (0o640, 0), ("links", 0)]:
            if before:
                self.write("out.npy", b"old")
                os.chmod(self.path("out.npy"), 0o600 if before == "links" else before)
            if before == "links":
                os.link(self.path("out.npy"), self.path("out-2.npy"))
            child = self.start("array-copy", "items.npy", "-o", "out.npy", "--stop-after", 9,
                               preexec_fn=lambda: os.umask(mask))
            child.stderr.readline()
            files = "/proc/%d/fd/" % child.pid
            unfinished = [os.stat(files + number) for number in os.listdir(files)
                          if os.readlink(files + number).startswith(self.dir) and
                          not os.readlink(files + number).endswith("items.npy")]
            child.kill()
            child.communicate()
            self.assertEqual([status.st_mode & 0o777 for status in unfinished],
                             [0o640 if before == 0o640 else 0o600])

    def test_links_in_a_full_file_system(self):
        mount = self.path("small")
        os.mkdir(mount)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", mount],
                          capture_output=True).returncode:
            self.skipTest("needs the right to mount")
        try:
            out = os.path.join(mount, "out.raw")
            self.write("small/out.raw", b"old")
            os.link(out, out + "2")
            for size, doing in [(40_000, "cannot overwrite"), (100_000, "cannot write")]:
                self.write("x.raw", bytes(size))
                code, _, err = self.call("x.raw", "--dtype", "u8", "-o", out, cwd=self.dir,
                                         program=PROGRAMS["array-copy"])
                self.assertEqual((code, err), (BAD_FILE, "array-copy: error: %s: %s: No space left "
                                               "on device\n" % (out, doing)))
                self.assertEqual(self.content("small/out.raw2"), b"old")
                self.assertEqual(sorted(os.listdir(mount)), ["out.raw", "out.raw2"])
        finally:
            subprocess.run(["umount", mount], check=True)


class TwoOutputs(OutputsCase):
    def test_a_second_one_that_cannot_be_put_into_place(self):
        if "scan-filter" not in PROGRAMS:
            self.skipTest("no scan-filter")
        os.mkfifo(self.path("in.npy"))
        for before in [None, b"old"]:
            for names in [["kept.npy", "st/rest.npy"], ["st/kept.npy", "rest.npy"]]:
                os.mkdir(self.path("st"))
                for name in names if before else []:
                    self.write(name, before)
                child = self.start("scan-filter", "in.npy", "--keep", "> 9", "-o", names[0],
                                   "--split", names[1])
                with open(self.path("in.npy"), "wb") as feed:
                    shutil.rmtree(self.path("st"))  # it was there when the outputs were opened
                    feed.write(self.content("items.npy"))
                _, err = child.communicate(timeout=self.timeout)
                gone, other = (names if names[0].startswith("st") else names[::-1])
                self.assertEqual(child.returncode, BAD_FILE)
                self.assertRegex(err.decode(), r"\Ascan-filter: error: %s: cannot .*: No such file "
                                 r"or directory\n\Z" % gone)
                self.assertEqual(os.path.exists(self.path(other)), before is not None)
                if before:
                    self.assertEqual(self.content(other), before)
                    os.remove(self.path(other))
                self.assertFalse([name for name in os.listdir(self.dir) if name[0] == "."])


    # A program, and the option of its second output.
    SECOND = {"scan-filter": ("items.npy", "--keep", "> 9", "--split"),
              "scan-sort": ("items.npy", "--values", "marks.npy", "--values-output"),
              "scan-spmv": ("m.mtx", "--spy")}

    def test_a_report_that_is_also_the_second_output(self):
        for name, words in self.SECOND.items():
            if name not in PROGRAMS:
                continue
            for same in ["out.svg", "./out.svg"] if name == "scan-spmv" else ["out", "./out"]:
                with self.subTest(program=name, same=same):
                    code, _, err = self.call(*words, os.path.normpath(same), "--json", same,
                                             "-o", "k.txt", program=PROGRAMS[name], cwd=self.dir)
                    self.assertEqual((code, err), (USAGE, "%s: error: --json: %s is also the output "
                                                   "of %s (see %s --help)\n" % (
                                                       name, same, words[-1], name)))
                    self.assertFalse(os.path.exists(self.path("k.txt")))

    def test_a_report_that_cannot_be_written(self):
        for name in ["scan-prefix", "scan-sort"]:
            if name not in PROGRAMS:
                continue
            code, _, err = self.call("items.npy", "-o", "k.npy", "--json", "/dev/full",
                                     program=PROGRAMS[name], cwd=self.dir)
            self.assertEqual((code, err), (BAD_FILE, name + ": error: /dev/full: cannot write: No "
                                           "space left on device; the results are written\n"))
            self.assertEqual(len(np.load(self.path("k.npy"))), N)


class Killed(OutputsCase):
    """A signal, even one that cannot be caught, leaves no file."""

    def each_program(self):
        for program, words in [("array-copy", []), ("scan-prefix", []), ("scan-sort", []),
                               ("scan-filter", ["--keep", "> 9"]), ("scan-histogram", ["--bins", 9])]:
            if program in PROGRAMS:
                yield program, words

    def end(self, child, number):
        child.send_signal(number)
        child.communicate(timeout=self.timeout)
        self.assertEqual(child.returncode, -number)

    def test_while_reading(self):
        os.mkfifo(self.path("in.npy"))
        before = os.listdir(self.dir)
        for program, words in self.each_program():
            for number in [signal.SIGKILL, signal.SIGXCPU, signal.SIGUSR1]:
                child = self.start(program, "in.npy", "-o", "o.npy", *words,
                                   preexec_fn=without_cores)
                with open(self.path("in.npy"), "wb") as feed:
                    feed.write(self.content("items.npy")[:1000])
                    feed.flush()
                    self.end(child, number)
                self.assertHolds(*before)

    def test_while_writing(self):
        before = os.listdir(self.dir)
        for number in [signal.SIGKILL, signal.SIGVTALRM, signal.SIGALRM, signal.SIGRTMIN + 3]:
            child = self.start("array-copy", "items.npy", "-o", "o.npy", "--stop-after", N // 2,
                               preexec_fn=without_cores)
            child.stderr.readline()
            self.end(child, number)
            self.assertHolds(*before)

    def test_at_any_time(self):
        before = os.listdir(self.dir)
        for program, words in self.each_program():
            for milliseconds in [1, 3, 6, 10, 15, 25]:
                child = self.start(program, "items.txt", "-o", "o.npy", *words)
                time.sleep(milliseconds / 1000)
                child.kill()
                child.communicate(timeout=self.timeout)
                if os.path.exists(self.path("o.npy")):
                    np.load(self.path("o.npy"))  # it was whole already
                    os.remove(self.path("o.npy"))
                self.assertHolds(*before)


def without_cores():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    unittest.main()
