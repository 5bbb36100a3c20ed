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
import stat
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

PROGRAM = os.path.abspath(sys.argv.pop(1))
DTYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32",
          "float64"]
SANITIZED = "LIBSCAN_SANITIZED" in os.environ  # reserves more address space than limits below
DONE, DIFFERENCE, USAGE, BAD_FILE, FAILURE = range(5)


def run(*arguments, data=None, **more):
    """Runs the program; returns its exit code, standard output and standard error."""
    more.setdefault("stdout", subprocess.PIPE)
    more.setdefault("stderr", subprocess.PIPE)
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=data, timeout=30, **more)
    return done.returncode, done.stdout, (done.stderr or b"").decode()


def samples(dtype, n):
    dt = np.dtype(dtype)
    raw = np.random.default_rng(7).bytes(n * dt.itemsize)
    array = np.frombuffer(raw, dtype=dt).copy()
    if dt.kind == "f":
        array[np.isnan(array)] = np.nan  # text knows only one
        array[:6] = [np.nan, np.inf, -np.inf, -0.0, 0.1, np.finfo(dt).tiny]
    else:
        array[:2] = [np.iinfo(dt).min, np.iinfo(dt).max]
    return array


class InDirectory(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.dir = self.scratch.name

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as f:
            f.write(content)
        return self.path(name)

    def refused(self, code, message, *arguments, **more):
        """The program must end with this code and just this line."""
        result, out, err = run(*arguments, **more)
        self.assertEqual((result, out or b"", err),
                         (code, b"", "array-copy: error: %s\n" % message))


class Numpy(InDirectory):
    def test_files_of_numpy_are_read_and_ours_are_read_by_numpy(self):
        for dtype, version, n in itertools.product(DTYPES, [(1, 0), (2, 0), (3, 0)], [0, 9, 5000]):
            array = samples(dtype, max(n, 6))[:n]
            with self.subTest(dtype=dtype, version=version, n=n):
                with open(self.path("in.npy"), "wb") as f, np.testing.suppress_warnings() as quiet:
                    quiet.filter(UserWarning)
                    np.lib.format.write_array(f, array, version=version)
                for name in ["out.npy", "out.npy.gz", "out.raw", "out.txt", "out.txt.gz"]:
                    code, _, err = run(self.path("in.npy"), "-o", self.path(name))
                    self.assertEqual((code, err), (DONE, ""))
                    with (gzip.open if name.endswith(".gz") else open)(self.path(name), "rb") as f:
                        content = f.read()
                    if ".npy" in name:
                        with open(self.path("plain"), "wb") as f:
                            f.write(content)
                        found = np.load(self.path("plain"))
                        np.save(self.path("same.npy"), array)
                        with open(self.path("same.npy"), "rb") as f:
                            self.assertEqual(content, f.read())
                    elif ".raw" in name:
                        found = np.frombuffer(content, dtype)
                    else:
                        words = content.decode().split()
                        kind = float if array.dtype.kind == "f" else int
                        found = np.array([kind(w) for w in words], dtype=dtype)
                    self.assertEqual((found.dtype, found.tobytes()), (array.dtype, array.tobytes()))

    def test_what_numpy_saves_and_we_do_not_read(self):
        array = np.arange(6, dtype="f8").reshape(2, 3)
        for other, word in [(array.T, "Fortran order"), (array.astype(">f8"), "big-endian"),
                            (array > 1, "truth values"), (array.astype("f2"), "16-bit floats"),
                            (array + 1j, "complex"), (array.astype("U"), "strings"),
                            (np.zeros(2, "i4,f8"), "structured"),
                            (np.zeros(2, "M8[s]"), "dates")]:
            np.save(self.path("x.npy"), other)
            code, _, err = run(self.path("x.npy"))
            self.assertEqual(code, BAD_FILE)
            self.assertIn("x.npy: byte ", err)
            self.assertIn(word, err)

    def test_through_pipes(self):
        array = samples("float32", 100000)
        np.save(self.path("x.npy"), array)
        with open(self.path("x.npy"), "rb") as f:
            content = f.read()
        self.assertEqual(run("-", data=content), (DONE, content, ""))
        self.assertEqual(run("-", data=gzip.compress(content)), (DONE, content, ""))
        with open(self.path("x.npy"), "rb") as f:
            self.assertEqual(run("-", stdin=f), (DONE, content, ""))
        self.assertEqual(run("-", data=b""), (DONE, b"", ""))
        self.assertEqual(run("-", "--dtype", "i16", "--format", "raw", data=b"abcd"),
                         (DONE, b"abcd", ""))
        self.assertEqual(run("-", "-o", "-", "--column", "2", data=b"a,b\n1,2.50\n"),
                         (DONE, b"2.5\n", ""))

    def test_a_file_whose_beginning_was_read_before(self):
        with open(self.write("x.txt", b"1\n2\n3\n"), "rb", buffering=0) as f:
            f.read(2)
            self.assertEqual(run("-", stdin=f), (DONE, b"2\n3\n", ""))

    def test_files_that_say_they_are_empty(self):
        self.assertEqual(run("/proc/sys/kernel/pid_max")[0], DONE)
        self.assertNotEqual(run("/proc/sys/kernel/pid_max")[1], b"")


class Inputs(InDirectory):
    def test_inputs_that_are_none(self):
        self.refused(BAD_FILE, "%s: cannot open for reading: No such file or directory" %
                     self.path("none"), self.path("none"))
        self.refused(BAD_FILE, self.dir + ": is a directory, expected a data file", self.dir)
        self.refused(BAD_FILE, self.path("x.npy") + ": the file is empty, expected an npy header",
                     self.write("x.npy", b""))
        self.refused(BAD_FILE, "<stdin>:2: 'x' is no number, expected a number", "-",
                     data=b"1\nx\n")

    def test_an_input_without_permission(self):
        path = self.write("x.txt", b"1\n")
        os.chmod(path, 0)
        os.chmod(self.dir, 0o755)
        other = {"user": 65534} if os.geteuid() == 0 else {}
        try:
            result = run(path, **other)
        except PermissionError:
            self.skipTest("the program is out of reach for another user")
        self.assertEqual(result, (BAD_FILE, b"", "array-copy: error: %s: cannot open for reading: "
                                  "Permission denied\n" % path))

    def test_a_claim_of_2_to_the_60_items_fails_at_once_without_allocating(self):
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28))
        text = b"{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % (1 << 60)
        content = b"\x93NUMPY\x01\x00" + bytes([len(text), 0]) + text + b"only this"
        message = ("byte %d: the file ends after 9 items, expected the %d that the header claims" %
                   (len(content), 1 << 60))
        limits = {} if SANITIZED else {"preexec_fn": little_memory}
        start = time.monotonic()
        path = self.write("x.npy", content)
        self.refused(BAD_FILE, path + ": " + message, path, **limits)
        self.refused(BAD_FILE, "<stdin>: " + message, "-", data=content, **limits)
        path = self.write("x.npy.gz", gzip.compress(content))
        self.refused(BAD_FILE, path + ": " + message, path, **limits)
        self.assertLess(time.monotonic() - start, 5)

    def test_memory_that_does_not_suffice(self):
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 26, 1 << 26))
        if SANITIZED:
            self.skipTest("needs a limit on memory")
        self.refused(FAILURE, "out of memory", "-", "--format", "raw", "--dtype", "u8",
                     data=bytes(1 << 27), preexec_fn=little_memory)

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


class Outputs(InDirectory):
    def setUp(self):
        super().setUp()
        self.input = self.write("x.raw", bytes(1 << 20))
        self.arguments = [self.input, "--dtype", "u8"]

    def only_input_left(self):
        self.assertEqual(os.listdir(self.dir), ["x.raw"])

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
                    self.only_input_left()

    def test_a_full_disk(self):
        def little_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
        for name in ["out.raw", "out.npy", "out.txt"]:
            self.refused(BAD_FILE, "%s: cannot write: File too large" % self.path(name),
                         *self.arguments, "-o", self.path(name), preexec_fn=little_room)
        self.only_input_left()
        self.refused(BAD_FILE, "/dev/full: cannot write: No space left on device",
                     *self.arguments, "-o", "/dev/full")
        with open("/dev/full", "wb") as full:
            self.refused(BAD_FILE, "<stdout>: cannot write: No space left on device",
                         *self.arguments, stdout=full)

    def test_a_full_file_system(self):
        mount = self.path("small")
        os.mkdir(mount)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", mount],
                          capture_output=True).returncode:
            self.skipTest("needs the right to mount")
        try:
            out = os.path.join(mount, "out.raw")
            self.refused(BAD_FILE, out + ": cannot write: No space left on device",
                         *self.arguments, "-o", out)
            self.assertEqual(os.listdir(mount), [])
        finally:
            subprocess.run(["umount", mount], check=True)

    def test_outputs_that_cannot_be_are_refused_before_the_input_is_read(self):
        os.mkdir(self.path("dir"))
        for out, why in [("dir", "is a directory, expected the name of a file to write"),
                         ("none/x", "cannot create a file in %s: No such file or directory" %
                          self.path("none/"))]:
            self.refused(BAD_FILE, "%s: %s" % (self.path(out), why), "/nowhere", "-o",
                         self.path(out))

    def test_a_directory_without_permission(self):
        if os.geteuid() != 0:
            self.skipTest("needs a second user")
        os.mkdir(self.path("dir"), 0o755)
        os.chmod(self.dir, 0o755)
        out = self.path("dir/out.raw")
        try:
            result = run(*self.arguments, "-o", out, user=65534)
        except PermissionError:
            self.skipTest("the program is out of reach for another user")
        self.assertEqual(result, (BAD_FILE, b"", "array-copy: error: %s: cannot create a file "
                                  "in %s: Permission denied\n" % (out, self.path("dir/"))))
        open(out, "wb").close()
        result = run(*self.arguments, "-o", out, user=65534)
        self.assertEqual(result, (BAD_FILE, b"", "array-copy: error: %s: cannot replace: "
                                  "Permission denied\n" % out))

    def test_the_input_itself_may_be_replaced(self):
        self.write("x.txt", b"# note\n1\n2\n")
        self.assertEqual(run(self.path("x.txt"), "-o", self.path("x.txt"))[0], DONE)
        with open(self.path("x.txt"), "rb") as f:
            self.assertEqual(f.read(), b"1\n2\n")

    def test_standard_output_by_its_device(self):
        self.assertEqual(run(*self.arguments, "-o", "/dev/stdout"), (DONE, bytes(1 << 20), ""))

    def test_a_reader_that_goes_away(self):
        for restore, expected in [(True, -signal.SIGPIPE), (False, BAD_FILE)]:
            child = subprocess.Popen([PROGRAM, *self.arguments], stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, restore_signals=restore)
            child.stdout.read(1)
            child.stdout.close()
            self.assertEqual(child.stderr.read(), b"")
            self.assertEqual(child.wait(timeout=30), expected)
            child.stderr.close()

    def test_standard_output_that_is_closed(self):
        self.refused(BAD_FILE, "<stdout>: cannot write: Bad file descriptor", *self.arguments,
                     stdout=None, preexec_fn=lambda: os.close(1))


class Arguments(InDirectory):
    def test_usage_errors(self):
        for arguments, part in [
                ([], "input is required"), (["x", "--nonsense"], "--nonsense"),
                (["x", "--engine", "tpu"], "--engine"), (["x", "--threads", "-1"], "--threads"),
                (["x", "--threads", "two"], "--threads"), (["x", "--column", "0"], "--column"),
                (["x", "--dtype", "f16"], "'f16' is no item type"),
                (["x", "--format", "xml"], "'xml' is no file format"),
                (["x", "--fail", "invalid"], "threads must not be negative"),
                ([self.write("y.raw", b"")], "--dtype is needed")]:
            with self.subTest(arguments=arguments):
                code, out, err = run(*arguments)
                self.assertEqual((code, out), (USAGE, b""))
                self.assertTrue(err.startswith("array-copy: error: "), err)
                self.assertEqual(err.count("\n"), 1)
                self.assertIn(part, err)

    def test_failures(self):
        for how, code, words in [("unavailable", FAILURE, "no usable CUDA device: no driver"),
                                 ("device", FAILURE, "a launch failed"),
                                 ("memory", FAILURE, "out of memory")]:
            self.refused(code, words, "x", "--fail", how)
        self.assertEqual(run("x", "--fail", "difference"), (DIFFERENCE, b"", ""))

    def test_help_and_version(self):
        code, out, err = run("--help")
        self.assertEqual((code, err), (DONE, ""))
        for flag in ["engine", "threads", "dtype", "column", "format", "progress", "verify", "time",
                     "help", "version"]:
            self.assertIn("--" + flag, out.decode())
        code, out, err = run("--version")
        self.assertEqual((code, err), (DONE, ""))
        self.assertRegex(out.decode(), r"^array-copy \(libscan \d+\.\d+\.\d+\)\n$")

    def test_names_with_line_ends_stay_on_one_line(self):
        self.refused(BAD_FILE, self.path("a?b") + ": cannot open for reading: No such file or "
                     "directory", self.path("a\nb"))


class Progress(InDirectory):
    def test_quiet_in_a_pipe_unless_asked_for(self):
        path = self.write("x.txt", b"1\n2\n")
        self.assertEqual(run(path), (DONE, b"1\n2\n", ""))
        code, out, err = run(path, "--progress")
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
        seen = b""
        try:
            while chunk := os.read(master, 4096):
                seen += chunk
        except OSError:  # how Linux reports the end of a terminal
            pass
        os.close(master)
        self.assertIn(b"reading <stdin> ", seen)
        self.assertTrue(seen.endswith(b"\r\x1b[K"), seen)


if __name__ == "__main__":
    unittest.main()
