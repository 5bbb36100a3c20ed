#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What every program inherits from apps/common, seen from outside through array-copy: files to and
from NumPy, exit codes and messages, and outputs that are complete or absent however the program
ends. Run as: programs_test.py path/to/array-copy"""
import gzip
import itertools
import os
import pty
import resource
import signal
import subprocess
import sys
import time
import unittest

import numpy as np

from array_program import ArrayProgramCase, DTYPES, EveryArrayProgram, content_of, samples
from program_case import BAD_FILE, DIFFERENCE, DONE, FAILURE, USAGE, read_terminal

PROGRAM = os.path.abspath(sys.argv.pop(1))


class CopyCase(ArrayProgramCase):
    name, program = "array-copy", PROGRAM


class AsEveryProgram(EveryArrayProgram, CopyCase):
    input_name = "input"
    test_cuda_without_a_gpu = None  # it computes nothing

    def expected(self, array):
        return array


class Numpy(CopyCase):
    def test_files_of_numpy_are_read_and_ours_are_read_by_numpy(self):
        for dtype, version, n in itertools.product(DTYPES, [(1, 0), (2, 0), (3, 0)], [0, 9, 9999]):
            array = samples(dtype, n)
            with self.subTest(dtype=dtype, version=version, n=n):
                with open(self.path("in.npy"), "wb") as f, np.testing.suppress_warnings() as quiet:
                    quiet.filter(UserWarning)
                    np.lib.format.write_array(f, array, version=version)
                same = content_of(self.save("same.npy", array))
                for name in ["out.npy", "out.npy.gz", "out.raw", "out.txt", "out.txt.gz"]:
                    self.succeeds(self.path("in.npy"), "-o", self.path(name))
                    self.assertSame(self.load(name, dtype), array)
                    if ".npy" in name:
                        self.assertEqual(content_of(self.path(name)), same)

    def test_what_numpy_saves_and_we_do_not_read(self):
        array = np.arange(6, dtype="f8").reshape(2, 3)
        for other, word in [(array.T, "Fortran order"), (array.astype(">f8"), "big-endian"),
                            (array > 1, "truth values"), (array.astype("f2"), "16-bit floats"),
                            (array + 1j, "complex"), (array.astype("U"), "strings"),
                            (np.zeros(2, "i4,f8"), "structured"),
                            (np.zeros(2, "M8[s]"), "dates")]:
            error = self.fails(BAD_FILE, word, self.save("x.npy", other))
            self.assertIn("x.npy: byte ", error)

    def test_through_pipes(self):
        content = content_of(self.save("x.npy", samples("float32", 100000)))
        self.assertEqual(self.call("-", data=content), (DONE, content, ""))
        self.assertEqual(self.call("-", data=gzip.compress(content)), (DONE, content, ""))
        with open(self.path("x.npy"), "rb") as f:
            self.assertEqual(self.call("-", stdin=f), (DONE, content, ""))
        self.assertEqual(self.call("-", data=b""), (DONE, b"", ""))
        self.assertEqual(self.call("-", "--dtype", "i16", "--format", "raw", data=b"abcd"),
                         (DONE, b"abcd", ""))
        self.assertEqual(self.call("-", "-o", "-", "--column", "2", data=b"a,b\n1,2.50\n"),
                         (DONE, b"2.5\n", ""))

    def test_a_file_whose_beginning_was_read_before(self):
        with open(self.write("x.txt", b"1\n2\n3\n"), "rb", buffering=0) as f:
            f.read(2)
            self.assertEqual(self.call("-", stdin=f), (DONE, b"2\n3\n", ""))

    def test_files_that_say_they_are_empty(self):
        self.assertEqual(self.call("/proc/sys/kernel/pid_max")[0], DONE)
        self.assertNotEqual(self.call("/proc/sys/kernel/pid_max")[1], b"")


class Inputs(CopyCase):
    def test_inputs_that_are_none(self):
        self.fails_with(BAD_FILE, self.path("none") + ": cannot open for reading: No such file or "
                        "directory", self.path("none"))
        self.fails_with(BAD_FILE, self.dir + ": is a directory, expected a data file", self.dir)
        self.fails_with(BAD_FILE, self.path("x.npy") + ": the file is empty, expected an npy "
                        "header", self.write("x.npy", b""))
        self.fails_with(BAD_FILE, "<stdin>:2: 'x' is no number, expected a number", "-",
                        data=b"1\nx\n")

    def test_an_input_that_shrinks(self):
        path = self.write("x.raw", bytes(1 << 22))
        os.mkfifo(self.path("fifo"))
        writer = subprocess.Popen([PROGRAM, path, "--dtype", "u8", "-o", self.path("fifo")],
                                  stderr=subprocess.PIPE)
        with open(self.path("fifo"), "rb") as fifo:
            fifo.read(1)  # the file is mapped, and the writer stuck in a full pipe
            os.truncate(path, 0)
            fifo.read()
        _, err = writer.communicate(timeout=30)
        # The kernel may meet the missing pages inside write(), which fails, or the program does.
        self.assertEqual(writer.returncode, BAD_FILE)
        self.assertRegex(err.decode(), r"array-copy: error: .*(shrank|Bad address)")

    def test_a_named_pipe(self):
        os.mkfifo(self.path("x.csv"))
        reader = subprocess.Popen([PROGRAM, self.path("x.csv")], stdout=subprocess.PIPE)
        with open(self.path("x.csv"), "wb") as f:
            f.write(b"v\n1\n")
            f.flush()
            time.sleep(0.05)
            f.write(b"2\n")
        self.assertEqual(reader.communicate(timeout=30)[0], b"1\n2\n")


class Outputs(CopyCase):
    def setUp(self):
        super().setUp()
        self.input = self.write("x.raw", bytes(1 << 20))
        self.arguments = [self.input, "--dtype", "u8"]

    def test_signals_remove_what_is_unfinished(self):
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]:
            for ignored in [False, True]:
                with self.subTest(signal=number, ignored=ignored):
                    prepare = (lambda: signal.signal(number, signal.SIG_IGN)) if ignored else (
                        lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
                    child = subprocess.Popen(
                        [PROGRAM, *self.arguments, "-o", self.path("out"),
                         "--stop-after", "700000"],
                        stderr=subprocess.PIPE, preexec_fn=prepare)
                    self.assertEqual(child.stderr.readline(), b"array-copy: waiting\n")
                    self.assertEqual(len(os.listdir(self.dir)), 2)
                    child.send_signal(number)
                    if ignored:
                        time.sleep(0.05)
                        self.assertIsNone(child.poll())
                        child.send_signal(signal.SIGTERM if number != signal.SIGTERM
                                          else signal.SIGINT)
                    child.communicate(timeout=30)
                    expected = number if not ignored else (
                        signal.SIGTERM if number != signal.SIGTERM else signal.SIGINT)
                    self.assertEqual(child.returncode, -expected)
                    self.assertHolds("x.raw")

    def test_a_full_file_system(self):
        mount = self.path("small")
        os.mkdir(mount)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", mount],
                          capture_output=True).returncode:
            self.skipTest("needs the right to mount")
        try:
            out = os.path.join(mount, "out.raw")
            self.fails_with(BAD_FILE, out + ": cannot write: No space left on device",
                            *self.arguments, "-o", out)
            self.assertEqual(os.listdir(mount), [])
        finally:
            subprocess.run(["umount", mount], check=True)

    def test_a_directory_without_permission(self):
        if os.geteuid() != 0:
            self.skipTest("needs a second user")
        os.mkdir(self.path("dir"), 0o755)
        os.chmod(self.dir, 0o755)
        out = self.path("dir/out.raw")
        try:
            self.fails_with(BAD_FILE, "%s: cannot create a file in %s: Permission denied" %
                            (out, self.path("dir/")), *self.arguments, "-o", out, user=65534)
        except PermissionError:
            self.skipTest("the program is out of reach for another user")
        self.write("dir/out.raw", b"")
        self.fails_with(BAD_FILE, out + ": cannot replace: Permission denied", *self.arguments,
                        "-o", out, user=65534)

    def test_standard_output_by_its_device(self):
        self.assertEqual(self.succeeds(*self.arguments, "-o", "/dev/stdout"), bytes(1 << 20))

    def test_what_is_in_an_open_file_stays_there(self):
        os.symlink("/dev/stdout", self.path("link"))
        small = self.write("small.txt", b"1\n2\n")
        for name in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", self.path("link")]:
            with self.subTest(name=name):
                for mode in ["ab", "r+b"]:
                    self.write("log", b"before\n")
                    with open(self.path("log"), mode) as log:
                        os.lseek(log.fileno(), 0, os.SEEK_END)
                        self.succeeds(small, "-o", name, stdout=log)
                        os.write(log.fileno(), b"after\n")
                    self.assertEqual(content_of(self.path("log")), b"before\n1\n2\nafter\n")
        with open(self.path("log"), "ab") as log:
            self.assertEqual(self.call(small, "-o", "/dev/stderr", stderr=log)[0], DONE)
        self.assertEqual(content_of(self.path("log")), b"before\n1\n2\nafter\n1\n2\n")
        self.assertHolds("link", "log", "small.txt", "x.raw")

    def test_standard_output_that_is_closed(self):
        self.fails_with(BAD_FILE, "<stdout>: cannot write: Bad file descriptor", *self.arguments,
                        stdout=None, preexec_fn=lambda: os.close(1))


class Arguments(CopyCase):
    def test_whether_the_first_line_is_a_header(self):
        years = b"2019\n1\n"
        self.assertEqual(self.succeeds("-", data=years), years)
        self.assertEqual(self.succeeds("-", "--header", "auto", data=years), years)
        self.assertEqual(self.succeeds("-", "--header", "yes", data=years), b"1\n")
        self.fails(BAD_FILE, "<stdin>:1: 'x' is no number", "-", "--header", "no", data=b"x\n1\n")
        self.fails(USAGE, "expected yes, no or auto", "-", "--header", "maybe", data=years)
        self.fails(USAGE, "--header is for text", self.write("x.raw", b"1"), "--dtype", "u8",
                   "--header", "no")

    def test_failures(self):
        for how, code, words in [("unavailable", FAILURE, "no usable CUDA device: no driver"),
                                 ("device", FAILURE, "a launch failed"),
                                 ("invalid", USAGE, "threads must not be negative"),
                                 ("memory", FAILURE, "out of memory")]:
            self.fails_with(code, words, "x", "--fail", how)
        self.assertEqual(self.call("x", "--fail", "difference"), (DIFFERENCE, b"", ""))

    def test_names_with_line_ends_stay_on_one_line(self):
        self.fails_with(BAD_FILE, self.path("a?b") + ": cannot open for reading: No such file or "
                        "directory", self.path("a\nb"))


class Progress(CopyCase):
    def test_quiet_in_a_pipe_unless_asked_for(self):
        path = self.write("x.txt", b"1\n2\n")
        self.assertEqual(self.call(path), (DONE, b"1\n2\n", ""))
        code, out, err = self.call(path, "--progress")
        self.assertEqual((code, out), (DONE, b"1\n2\n"))
        self.assertRegex(err, r"^reading .*x\.txt \[#{24}\] 100 %, 4 B of 4 B, .*/s\n$")

    def test_a_bar_on_a_terminal_that_is_wiped(self):
        master, slave = pty.openpty()
        child = subprocess.Popen([PROGRAM, "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                 stderr=slave)
        os.close(slave)
        for _ in range(8):
            child.stdin.write(b"1\n" * 100)
            child.stdin.flush()
            time.sleep(0.08)
        child.stdin.close()
        self.assertEqual(child.wait(timeout=30), DONE)
        seen = read_terminal(master)
        self.assertIn(b"reading <stdin> ", seen)
        self.assertTrue(seen.endswith(b"\r\x1b[K"), seen)


if __name__ == "__main__":
    unittest.main()
