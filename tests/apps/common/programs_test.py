#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What every program inherits from apps/common, seen from outside through array-copy: files to and
from NumPy, exit codes and messages, and outputs that are complete or absent however the program
ends. Run as: programs_test.py path/to/array-copy"""
import bz2
import fcntl
import gzip
import io
import lzma
import os
import pickle
import pty
import resource
import shutil
import signal
import subprocess
import sys
import tarfile
import termios
import time
import unittest
import zlib

import numpy as np

from array_program import (ArrayProgramCase, DTYPES, EveryArrayProgram, content_of, little_memory,
                           needs_little_memory, samples)
from program_case import BAD_FILE, DIFFERENCE, DONE, FAILURE, USAGE, combinations, read_terminal

PROGRAM = os.path.abspath(sys.argv.pop(1))


def waiting_bytes(pipe):
    """How many bytes of a pipe have not been read yet."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


class CopyCase(ArrayProgramCase):
    name, program = "array-copy", PROGRAM


class AsEveryProgram(EveryArrayProgram, CopyCase):
    input_name = "input"
    # It computes nothing.
    test_cuda_without_a_gpu = test_the_executor_refuses_large_files = None
    test_verify_by_other_libraries = test_verify_by_libraries_of_a_gpu = None

    def expected(self, array):
        return array


class Numpy(CopyCase):
    def test_files_of_numpy_are_read_and_ours_are_read_by_numpy(self):
        for dtype, version, n in combinations(3, DTYPES, [(1, 0), (2, 0), (3, 0)], [0, 9, 9999]):
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
        for other, word in [(array + 1j, "complex"), (array.astype("U"), "strings"),
                            (np.zeros(2, "i4,f8"), "structured"),
                            (np.zeros(2, "M8[s]"), "dates")]:
            error = self.fails(BAD_FILE, word, self.save("x.npy", other))
            self.assertIn("x.npy: byte ", error)

    def test_every_order_and_truth_values_and_halves(self):
        rng = np.random.default_rng(1)
        for dtype in DTYPES:
            array = samples(dtype, 24).reshape(2, 3, 4)
            for form in [array, array.T, np.asfortranarray(array), array.swapaxes(0, 1),
                         array[::-1], array.astype(np.dtype(dtype).newbyteorder(">")),
                         array.T.astype(np.dtype(dtype).newbyteorder(">"))]:
                for name in [self.save("in.npy", form), self.compress("in.npy")]:
                    with self.subTest(dtype=dtype, strides=form.strides, name=name):
                        self.succeeds(name, "-o", self.path("out.npy"))
                        self.assertSame(self.load("out.npy", dtype),
                                        form.ravel().astype(dtype))
        truth = rng.random((5, 7)) < 0.5
        for form in [truth, truth.T]:
            self.succeeds(self.save("in.npy", form), "-o", self.path("out.npy"))
            self.assertSame(self.load("out.npy", "uint8"), form.ravel().astype("uint8"))
        half = rng.normal(size=(5, 7)).astype("f2")
        for form in [half, half.T, half.astype(">f2"), half.T.astype(">f2")]:
            for flags in [[], ["--dtype", "float16"]]:
                self.succeeds(self.save("in.npy", form), "-o", self.path("out.npy"), *flags)
                self.assertSame(self.load("out.npy", "float32"), form.ravel().astype("float32"))
        self.fails(BAD_FILE, "holds float16 items, expected int16 as requested",
                   self.save("in.npy", half), "--dtype", "int16")

    def test_headers_that_numpy_reads_or_read_once(self):
        for header in [b"{'descr': '<i4', 'fortran_order': False, 'shape': (3L,), }",
                       b"{'descr': '<i4', 'fortran_order': True, 'shape': (3L, 1L), }",
                       b"{'shape': (1, 3), 'fortran_order': False, 'descr': \"<i4\"}",
                       b"{'descr': 'int32', 'fortran_order': False, 'shape': (%s3,), }" %
                       (b"1, " * 63)]:
            items = np.arange(3, dtype="<i4")
            content = (b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header +
                       items.tobytes())
            self.succeeds(self.write("x.npy", content), "-o", self.path("out.npy"))
            self.assertSame(self.load("out.npy", "int32"), items)

    def test_through_pipes(self):
        content = content_of(self.save("x.npy", samples("float32", 100000)))
        self.assertEqual(self.call("-", data=content), (DONE, content, ""))
        self.assertEqual(self.call("-", data=gzip.compress(content)), (DONE, content, ""))
        with open(self.path("x.npy"), "rb") as f:
            self.assertEqual(self.call("-", stdin=f), (DONE, content, ""))
        self.assertEqual(self.call("-", data=b""), (DONE, b"", ""))
        self.assertEqual(self.call("-", "--dtype", "i16", "--format", "raw", data=b"abcd"),
                         (DONE, b"abcd", ""))
        self.assertEqual(self.finds_header("-", "-o", "-", "--column", "2",
                                           data=b"a,b\n1,2.50\n"), b"2.5\n")

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
        path = self.write("x.raw", bytes(1 << 26))
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
            f.write(b"1\n")
            f.flush()
            time.sleep(0.05)
            f.write(b"2\n")
        self.assertEqual(reader.communicate(timeout=30)[0], b"1\n2\n")

    def test_a_pipe_that_does_not_block(self):
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        with subprocess.Popen([PROGRAM, "-"], stdin=reading, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as reader:
            os.close(reading)
            os.write(writing, b"1\n")
            while reader.poll() is None and waiting_bytes(writing) > 0:
                time.sleep(0.01)
            time.sleep(0.05)  # the reader finds the pipe empty
            if reader.poll() is None:
                os.write(writing, b"2\n")
            os.close(writing)
            self.assertEqual(reader.communicate(timeout=30), (b"1\n2\n", b""))
            self.assertEqual(reader.returncode, DONE)


class Outputs(CopyCase):
    def setUp(self):
        super().setUp()
        self.input = self.write("x.raw", bytes(1 << 20))
        self.arguments = [self.input, "--dtype", "u8"]

    def test_signals_remove_what_is_unfinished(self):
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR2]:
            for ignored in [False, True]:
                with self.subTest(signal=number, ignored=ignored):
                    prepare = (lambda: signal.signal(number, signal.SIG_IGN)) if ignored else (
                        lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
                    child = subprocess.Popen(
                        [PROGRAM, *self.arguments, "-o", self.path("out"),
                         "--stop-after", "700000"],
                        stderr=subprocess.PIPE, preexec_fn=prepare)
                    self.assertEqual(child.stderr.readline(), b"array-copy: waiting\n")
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


class ClosedStreams(CopyCase):
    """Files that are opened where a standard stream is closed must not get its number."""

    def close(self, *streams):
        return {"preexec_fn": lambda: [os.close(stream) for stream in streams]}

    def test_closed_standard_error_leaves_outputs_alone(self):
        source = self.write("x.txt", b"name\n1\n2\n")
        for closed in [(2,), (0, 2)]:
            code, _, _ = self.call(source, "-o", self.path("out.txt"), "--time", "--progress",
                                   **self.close(*closed))
            self.assertEqual((code, content_of(self.path("out.txt"))), (DONE, b"1\n2\n"))

    def test_closed_standard_input_is_no_input(self):
        for name in ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]:
            self.fails_with(BAD_FILE, ("<stdin>" if name == "-" else name) +
                            ": cannot read: Bad file descriptor", name, **self.close(0))
        source = self.write("x.txt", b"1\n")
        self.assertEqual(self.call(source, **self.close(0)), (DONE, b"1\n", ""))

    def test_a_closed_stream_is_of_no_use_in_the_other_direction(self):
        source = self.write("x.txt", b"1\n2\n")
        for name in ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]:
            self.fails_with(BAD_FILE, name + ": cannot write: Bad file descriptor", source, "-o", name,
                            **self.close(0))
        for number, name in [(1, "/dev/stdout"), (1, "/dev/fd/1"), (2, "/proc/self/fd/2")]:
            code, _, _ = self.call(name, "-o", self.path("out.txt"), **self.close(number))
            self.assertEqual(code, BAD_FILE)
            self.assertFalse(os.path.exists(self.path("out.txt")))

    def test_closed_standard_output_is_no_output(self):
        source = self.write("x.txt", b"1\n2\n")
        for name in ["-", "/dev/stdout", "/dev/fd/1"]:
            self.fails(BAD_FILE, ": cannot write: Bad file descriptor", source, "-o", name,
                       stdout=None, **self.close(1))
        self.assertEqual(content_of(source), b"1\n2\n")
        code, _, _ = self.call(source, "-o", self.path("out.txt"), **self.close(0, 1, 2))
        self.assertEqual((code, content_of(self.path("out.txt"))), (DONE, b"1\n2\n"))
        for flag in ["--help", "--version"]:
            self.fails(BAD_FILE, ": cannot write: Bad file descriptor", flag, stdout=None,
                       **self.close(1))


class Texts(CopyCase):
    """The rules of docs/text.md, seen from outside; each with inputs of its own."""

    def test_a_header_has_rows_and_is_told(self):
        for words in [b"Access denied\n", b"<html>\n", b"Not\tFound\n", b"error\n", b"value",
                      b"id,v\r\n"]:
            self.fails(BAD_FILE, "if this line is a header: --header yes", "-", data=words)
        self.assertEqual(self.finds_header("-", data=b"\xc3\xa9t\xc3\xa9\n1\n2\n"), b"1\n2\n")

    def test_the_first_value_is_as_any_other(self):
        for word in [b"None", b"NULL", b"n/a", b"<NA>", b"O", b"l", b"I2", b"true", b"No", b"e7",
                     b"nan%", b"Inf)", b"-", b"?", b"12a", "\u221e".encode(),
                     "\u00bd".encode(), "\u2163".encode(), "\u2460".encode(), b"0x1F", b"$5", b"(3)", b"caf\xe9"]:
            for text in [word + b"\n1\n2\n", b"1\n" + word + b"\n2\n"]:
                with self.subTest(text=text):
                    self.fails(BAD_FILE, ", expected a number", "-", data=text)
            self.fails(BAD_FILE, ", expected a number", "-", "--column", "2",
                       data=b"a," + word + b"\nb,2\n")

    @unittest.skipUnless(shutil.which("zstd"), "needs zstd")
    def test_zstd(self):
        def compress(content):
            return subprocess.run(["zstd", "-c", "--check"], input=content, check=True,
                                  capture_output=True).stdout

        text = b"1\n2\n3\n"
        code, _, err = self.call("-", data=compress(text))
        if code != DONE:
            self.fails(BAD_FILE, "holds zstd data, which this build cannot read: libzstd was not "
                       "found", "-", data=compress(text))
            self.skipTest("built without libzstd")
        array = np.arange(1 << 20)
        self.save("x.npy", array)
        npy = content_of(self.path("x.npy"))
        os.remove(self.path("x.npy"))
        self.succeeds(self.write("x.npy.zst", compress(npy)), "-o", self.path("o.npy"))
        self.assertSame(self.load("o.npy", "int64"), array)
        self.assertEqual(self.succeeds("-", data=compress(npy)), npy)
        skippable = b"\x5f\x2a\x4d\x18\x04\0\0\0abcd"
        for content in [compress(text), compress(text[:2]) + compress(text[2:]),
                        skippable + compress(text) + skippable, compress(b"") + compress(text)]:
            self.assertEqual(self.succeeds("-", data=content), text)
            self.assertEqual(self.succeeds(self.write("x.csv.zst", content)), text)
        whole = compress(text)
        for cut in range(4, len(whole)):
            self.fails(BAD_FILE, "the zstd data end too early", "-", data=whole[:cut])
        self.fails(BAD_FILE, "extra bytes after the zstd data", "-", data=whole + b"x")
        self.fails(BAD_FILE, "damaged zstd data", "-", data=whole[:-1] + bytes([whole[-1] ^ 1]))
        self.fails(BAD_FILE, "no zstd data", self.write("y.csv.zst", text))
        self.assertEqual(self.succeeds(self.write("x.raw", whole), "--dtype", "u8", "-o", "-"),
                         whole)
        self.assertEqual(self.succeeds(self.write("x.raw.zst", whole), "--dtype", "u8"), text)

    def test_other_formats_are_refused_by_name(self):
        text = b"1\n2\n" * 50
        for content, name in [(bz2.compress(text), "bzip2"), (lzma.compress(text), "xz"),
                              (zlib.compress(text), "zlib"),
                              (pickle.dumps([1, 2], 4), "pickle"),
                              (b"\x28\xb5\x2f\xfd\x24\x0a\x51\0\0", "zstd"),
                              (b"PK\3\4\x14\0\0\0\x08\0", "zip"),
                              (b"PAR1\x15\4\x15\x80", "Parquet"),
                              (b"\x89PNG\r\n\x1a\n\0\0", "PNG")]:
            self.fails(BAD_FILE, name, "-", data=content)
            self.fails(BAD_FILE, name, self.write("x.csv", content))
            self.fails(BAD_FILE, name, "-", data=gzip.compress(content))
            self.fails(BAD_FILE, name, self.write("x.npy", content))

    def test_a_tar_archive_of_any_name_is_no_text(self):
        for name in "a", "ab", "numbers.txt":  # zeros follow the name, as in UTF-16
            packed = io.BytesIO()
            with tarfile.open(fileobj=packed, mode="w",
                              format=tarfile.USTAR_FORMAT) as archive:
                archive.add(self.write("x", b"1\n2\n"), name)
            for content in packed.getvalue(), gzip.compress(packed.getvalue()):
                self.fails(BAD_FILE, "holds a tar archive", "-", data=content)

    def test_formats_that_are_read_in_another_place(self):
        twice = gzip.compress(gzip.compress(b"1\n2\n"))
        for name in "x.txt", "x.csv.gz", "x.npy.gz", "x.dat":
            self.fails(BAD_FILE, "holds gzip data within compressed data", self.write(name, twice))
        array = content_of(self.save("a.npy", np.arange(3)))
        for content in array, gzip.compress(array):
            self.fails(BAD_FILE, "begins npy data, expected text", self.write("x.tsv", content))
            self.fails(BAD_FILE, "begins npy data, expected text", "-", "--format", "text",
                       data=content)
            self.succeeds(self.write("x.tsv", content), "--format", "npy")
        matrix = b"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n"
        self.fails(BAD_FILE, "scan-spmv reads, expected text", "-", data=matrix)
        self.fails(BAD_FILE, "scan-spmv reads, expected npy", self.write("m.npy", matrix))

    def test_line_ends_of_cr_alone(self):
        for text in [b"x\r3\r1\r2\r", b"1\r2\r3", b"# c\r1\r2\r", b"\r\r1\r", b"a,b\r1,2\r3,4\r",
                     b"\xef\xbb\xbf1\r2\r"]:
            self.fails(BAD_FILE, "<stdin>:1: a CR within the line, expected lines that end with LF "
                       "or CR LF (tr", "-", data=text)

    def test_rows_that_begin_with_a_number_sign(self):
        data = b"# note\nid,v\n#1,5\n #2,3\n3,1\n"
        self.assertEqual(self.finds_header("-", "--column", "2", data=data), b"5\n3\n1\n")
        self.assertEqual(self.finds_header("-", "--column", "2", "--comments", "all", data=data),
                         b"1\n")
        self.fails(BAD_FILE, "--comments all", "-", data=b"1\n# the end\n")
        self.assertEqual(self.succeeds("-", "--comments", "all", data=b"1\n# the end\n"), b"1\n")
        self.assertEqual(self.succeeds("-", data=b"#1\n2\n"), b"2\n")
        for word in [b"#N/A", b"#DIV/0!", b"#REF!", b"#n/a"]:
            for text in [word + b"\n1\n", b"1\n" + word + b"\n", b"1\n" + word + b",2\n"]:
                for flags in [[], ["--comments", "all"]]:
                    self.fails(BAD_FILE, ", expected ", "-", *flags, data=text)
        self.fails(USAGE, "--comments is for text", self.write("x.raw", b"1"), "--dtype", "u8",
                   "--comments", "all")

    def test_no_line_is_a_comment_where_asked(self):
        data = b"#1,5\n #2,3\n#N/A,4\n3,1\n"
        none = ["--comments", "none"]
        self.assertEqual(self.succeeds("-", "--column", "2", *none, data=data), b"5\n3\n4\n1\n")
        many = b"#a 1\n" * 50000
        self.assertEqual(self.succeeds("-", "--column", "2", *none, data=many), b"1\n" * 50000)
        self.fails(BAD_FILE, "'#' is no number", "-", *none, data=b"#\n1\n")
        self.fails(USAGE, "expected leading, all or none", "-", "--comments", "some", data=data)

    def test_comments_that_may_be_rows_are_noted(self):
        self.assertEqual(self.notes("<stdin>:2: '#2,3' is skipped as a comment", "-", "--column",
                                    "2", data=b"#1,5\n#2,3\n\n3,1\n"), b"1\n")
        for data, out in [(b"#id,v\n3,1\n", b"1\n"), (b"# 5\n3,1\n", b"1\n"), (b"#1,5,6\n3,1\n", b"1\n"),
                          (b"#1,\"5\n3,1\n", b"1\n")]:
            self.assertEqual(self.succeeds("-", "--column", "2", data=data), out)
        self.assertEqual(self.finds_header("-", "--column", "2", data=b"#1,5\nid,v\n3,1\n"), b"1\n")
        self.assertEqual(self.notes("<stdin>:2: '#2 4' is skipped as a comment", "-", "--column",
                                    "2", data=b"#1 3\n#2 4\n"), b"")
        for data in [b"#1\n#2\n", b"\n# nothing", b"#1,5\r\n", b"\n\n"]:
            self.assertEqual(self.succeeds("-", data=data), b"")
        for data in [b"#1\n#2\n", b"\n# nothing", b"#1,v\r\n"]:
            self.assertEqual(self.succeeds("-", "--column", "2", data=data), b"")

    def test_one_row_is_a_sequence(self):
        for text in [b"3 1 7 0", b"3,1,7,0\n", b"3;1;7;0\r\n", b"3\t1\t7\t0\n", b"  3 1  7 0  \n\n"]:
            self.assertEqual(self.succeeds("-", data=text), b"3\n1\n7\n0\n")
            self.assertEqual(self.succeeds(self.write("x.txt", text), "--column", "3"), b"7\n")
        self.assertEqual(self.succeeds("-", "--dtype", "float32", data=b"1 2.5 nan"),
                         b"1\n2.5\nnan\n")
        self.assertEqual(self.notes("<stdin>:2: of 2 columns the first is read", "-",
                                    data=b"1 2\n3 4\n"), b"1\n3\n")
        self.assertEqual(self.succeeds("-", data=b"5 a\n6 b\n"), b"5\n6\n")

    def test_quotes_within_cells_are_no_quotes(self):
        for text in [b'12" pipe,3\n10" pipe,2\n', b"5'11\";3\n6';2\n", b'"12"" pipe",3\nx,2\n',
                     b'a "b c,3\nd,2\n', b'"a,b" 3\n"c" 2\n', b'a"\t3\nb\t2\n']:
            self.assertEqual(self.succeeds("-", "--column", "2", data=text), b"3\n2\n")


class SameFile(CopyCase):
    def test_an_output_that_is_the_input(self):
        lines = b"".join(b"%d\n" % k for k in range(300000))
        for name in ["-", "/dev/stdout"]:
            path = self.write("f.csv", lines)
            with open(path, "r+b") as both:
                self.succeeds(path, "-o", name, stdout=both)
            self.assertEqual(content_of(path), lines)
        with open(path, "r+b") as both, open(path, "rb") as source:
            self.succeeds("-", stdin=source, stdout=both)
        with open(path, "r+b") as both:
            self.succeeds(path, "-o", "/dev/fd/%d" % both.fileno(), pass_fds=[both.fileno()])
        self.assertEqual(content_of(path), lines)
        os.link(path, self.path("g.csv"))
        with open(self.path("g.csv"), "r+b") as both:
            self.succeeds(path, stdout=both)
        self.assertEqual(content_of(path), lines)
        with open(path, "ab") as both:
            self.succeeds(path, stdout=both)
        self.assertEqual(content_of(path), lines + lines)
        raw = self.write("f.raw", np.arange(400000).tobytes())
        with open(raw, "r+b") as both:
            self.succeeds(raw, "--dtype", "i64", stdout=both)
        self.assertEqual(content_of(raw), np.arange(400000).tobytes())


class Endings(CopyCase):
    def test_endings_that_mean_another_format(self):
        source = self.write("x.txt", b"1\n")
        for name in ["q.csv.bz2", "q.xz", "q.txt.zst", "q.lz4", "q.npz", "q.zip", "q.parquet",
                     "q.json", "q.XLSX", "q.h5", "q.tar.gz", "q.csv.bz2.gz", "q.gz.gz", "q.mtx", "q.png",
                     "q.txt.gzip", "q.DTA", "q.fits", "q.pt", "q.docx", "q.rds", "q.zlib",
                     "q.csv.snappy", "q.ZARR", "q.cpio"]:
            self.fails(USAGE, name + ": the ending .", source, "-o", self.path(name))
        for name in ["q.NPY", "q.Npy.GZ", "q.TXT.gz", "q.CSV", "q.RAW"]:
            self.succeeds(source, "-o", self.path(name))
            self.succeeds(self.path(name), "--dtype", "int64", "-o", self.path("again.txt"))
            self.assertEqual(content_of(self.path("again.txt")), b"1\n")
        self.succeeds(source, "-o", self.path("Q.NPY"))
        self.assertEqual(np.load(self.path("Q.NPY")).tolist(), [1])
        self.succeeds(source, "-o", self.path("Q.TXT.GZ"))
        self.assertEqual(gzip.decompress(content_of(self.path("Q.TXT.GZ"))), b"1\n")
        self.succeeds(source, "-o", self.path("q.dat"))
        for name in ["r.json.gz", "r.NPY", "r.csv", "r.zst", "r.svg", "r.txt"]:
            self.fails(USAGE, ": the ending .", source, "--json", self.path(name))
        for name in ["r.json", "r.JSON", "r", "r.report"]:
            self.succeeds(source, "--json", self.path(name))


class Memory(CopyCase):
    def test_the_bound_on_what_is_read(self):
        self.fails(FAILURE, "reading <stdin> takes at least ", "-", "--memory", "1M", "--format",
                   "raw", "--dtype", "u8", data=bytes(3 << 20))
        self.fails(FAILURE, "of --memory", "-", "--memory", "010K", data=b"1\n" * 10000)
        self.assertEqual(self.succeeds("-", "--memory", "2M", "--format", "raw", "--dtype", "u8",
                                       data=bytes(2 << 20)), bytes(2 << 20))

    @needs_little_memory
    def test_the_default_knows_limits(self):
        self.fails(FAILURE, "more than the 120.0 MiB that may be taken here (see --memory)", "-",
                   "--format", "raw", "--dtype", "u8", data=bytes(130 << 20),
                   **little_memory(200 << 20))


class Arguments(CopyCase):
    def test_numbers_are_decimal(self):
        row = b"%s\n" % b",".join(b"%d" % k for k in range(1, 21))
        for word, value in [("010", b"10\n"), ("08", b"8\n"), ("0000000000000000000007", b"7\n"),
                            ("12", b"12\n")]:
            self.assertEqual(self.succeeds("-", "--column", word, data=row), value)
        for word in ["0x3", "0b11", "0o7", "1e1", "3.0", "+3", " 3", "3 ", "1'0", "1_0", "", "-3",
                     "18446744073709551617"]:
            self.fails(USAGE, "--column", "-", "--column=" + word, data=row)

    def test_whether_the_first_line_is_a_header(self):
        years = b"2019\n1\n"
        self.assertEqual(self.succeeds("-", data=years), years)
        self.assertEqual(self.succeeds("-", "--header", "auto", data=years), years)
        self.assertEqual(self.succeeds("-", "--header", "yes", data=years), b"1\n")
        self.assertEqual(self.succeeds("-", "--header", "yes", data=b"x\n"), b"")
        self.assertEqual(self.notes("<stdin>:1: 'x' is read as a header (--header yes or no "
                                    "decides)", "-", data=b"x\n1\n"), b"1\n")
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

    def test_messages_show_what_prints(self):
        for word, shown in [(b"a\x1b[31m", "a?[31m"), ("\u00fc\u0661".encode(), "\u00fc\u0661"),
                            (b"caf\xe9", "caf?"), (b"a\xc2\x9bm", "a??m"), (b"\xd9", "?")]:
            self.fails(BAD_FILE, "/%s/" % shown, self.path("none"),
                       "-o", os.path.join(self.dir, os.fsdecode(word), "x"))
        for option in ["--dtype", "--format", "--header", "--column", "--memory", "--threads"]:
            error = self.fails(USAGE, "'", self.path("none"), option, "-\u0661" + "x" * 100)
            self.assertNotIn("x" * 41, error)


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
