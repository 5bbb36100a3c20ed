#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scan-spmv seen from outside, with SciPy and dense NumPy as the oracles: fields, symmetries,
semirings, vectors in files, descriptions, pictures, messages.
Run as: cli_test.py path/to/scan-spmv path/to/scan-spmv-faulty path/to/pagerank"""
import bz2
import gzip
import io
import lzma
import os
import struct
import sys
import tarfile
import unittest
import xml.etree.ElementTree
import zlib

import numpy as np

try:
    import scipy.io
    import scipy.sparse
except ImportError:
    scipy = None

from spmv_program import Listed, SpmvCase
from array_program import content_of
from program_case import BAD_FILE, DONE, EveryProgram, FAILURE, USAGE

needs_scipy = unittest.skipIf(scipy is None, "python3-scipy is missing: script/bootstrap has it")


class AsEveryProgram(EveryProgram, SpmvCase):
    words_of_help = EveryProgram.words_of_help + [
        "--engine", "--threads", "--dtype", "--column", "--format", "--progress", "--verify",
        "--time", "--x", "--transpose", "--semiring", "--algorithm", "csr-scalar", "--repeat", "--stats", "--spy", "min-plus",
        "type of the product: float32, float64, int64;", "column of X", "format of X",
        "first line of X", "Examples:", "Exit codes:"]


class Products(SpmvCase):
    def test_every_field_and_symmetry(self):
        for field in ["real", "integer", "pattern"]:
            for symmetry in ["general", "symmetric", "skew-symmetric"]:
                for rows, columns, n in [(40, 40, 300), (60, 60, 20), (7, 7, 500)]:
                    with self.subTest(field=field, symmetry=symmetry, n=n):
                        listed = Listed(n, rows, columns, n, field, symmetry)
                        if field == "pattern" and symmetry == "skew-symmetric":
                            self.refused(self.file(listed), "m.mtx:1: a skew-symmetric pattern")
                            continue
                        dtype = "int64" if field == "integer" else "float64"
                        x = np.random.default_rng(5).integers(-9, 9, columns)
                        y = self.product(self.file(listed), "--x", self.save("x.npy", x), "--threads",
                                         "2", dtype=dtype)
                        self.assertNear(listed, y, listed.dense(), x, dtype)

    def test_types_rectangles_and_the_transpose(self):
        for rows, columns, n in [(30, 50, 400), (500, 3, 900), (1, 80, 60), (80, 1, 60)]:
            listed = Listed(1, rows, columns, n)
            source = self.file(listed)
            for dtype in ["float32", "float64"]:
                with self.subTest(rows=rows, columns=columns, dtype=dtype):
                    self.transposed = False
                    y = self.product(source, "--dtype", dtype, dtype=dtype)
                    self.assertNear(listed, y, listed.dense(), np.ones(columns), dtype)
                    self.transposed = True
                    y = self.product(source, "--dtype", dtype, "--transpose", dtype=dtype)
                    self.assertNear(listed, y, listed.dense().T, np.ones(rows), dtype)

    def test_the_transpose_of_skew_symmetric_is_its_negative(self):
        listed = Listed(3, 40, 40, 200, "integer", "skew-symmetric")
        source = self.file(listed)
        x = self.save("x.npy", np.arange(40))
        there = self.product(source, "--x", x, dtype="int64")
        back = self.product(source, "--x", x, "--transpose", dtype="int64")
        np.testing.assert_array_equal(there, -back)

    def test_other_semirings(self):
        for field in ["real", "integer", "pattern"]:
            listed = Listed(8, 50, 40, 120, field)
            # One entry in each place: then there is no rounding.
            _, first = np.unique(listed.i * 40 + listed.j, return_index=True)
            listed.i, listed.j, listed.values = (v[first] for v in
                                                 (listed.i, listed.j, listed.values))
            source, a, stored = self.file(listed), listed.dense(), listed.stored()
            integer = field == "integer"
            dtype = "int64" if integer else "float64"
            x = np.random.default_rng(2).integers(-5, 5, 40).astype(dtype)
            top = np.iinfo("int64").max if integer else np.inf
            low = np.iinfo("int64").min if integer else -np.inf
            weight = np.zeros_like(a) if field == "pattern" else a
            expected = {
                "min-plus": np.where(stored, weight + x, top).min(axis=1),
                "max-times": np.where(stored, a * x, low).max(axis=1),
                "or-and": (stored & (a != 0) & (x != 0)).any(axis=1),
            }
            for semiring, y in expected.items():
                with self.subTest(field=field, semiring=semiring):
                    found = self.product(source, "--x", self.save("x.npy", x), "--semiring",
                                         semiring, dtype=dtype)
                    np.testing.assert_array_equal(found, y.astype(dtype))

    def test_compressed_through_a_pipe_and_in_every_format(self):
        listed = Listed(4, 300, 200, 900, "integer")
        expected = listed.dense() @ np.arange(200)
        source = self.file(listed)
        x = self.save("x.npy", np.arange(200))
        for matrix in [source, self.compress("m.mtx")]:
            for target in ["o.txt", "o.raw", "o.npy", "o.npy.gz", "o.txt.gz"]:
                self.succeeds(matrix, "--x", x, "-o", self.path(target))
                np.testing.assert_array_equal(self.load(target, "int64"), expected)
        for data in [listed.text(), gzip.compress(listed.text())]:
            out = self.succeeds("-", "--x", x, data=data)
            np.testing.assert_array_equal(np.array(out.split(), "int64"), expected)
        text = self.write("x.txt", b"".join(b"%d\n" % i for i in range(200)))
        raw = self.write("x.raw", np.arange(200).tobytes())
        for given in [[text], [raw, "--dtype", "int64"]]:
            np.testing.assert_array_equal(self.product(source, "--x", *given, dtype="int64"),
                                          expected)

    def test_random_vectors_repeat_and_differ(self):
        source = self.file(Listed(4, 50, 50, 900))
        a, b, c = (self.product(source, "--x", "random:%d" % s) for s in (1, 1, 2))
        np.testing.assert_array_equal(a, b)
        self.assertTrue((a != c).any())
        identity = self.write("i.mtx", b"%%MatrixMarket matrix coordinate real general\n9 9 9\n" +
                              b"".join(b"%d %d 1\n" % (k, k) for k in range(1, 10)))
        x = self.product(identity, "--x", "random:7")
        self.assertTrue(((-1 <= x) & (x < 1)).all() and len(set(x)) == 9)
        x = self.product(identity, "--x", "random:7", "--dtype", "float32", dtype="float32")
        self.assertTrue(((-1 <= x) & (x < 1)).all())

    def test_the_number_of_threads_changes_nothing(self):
        source = self.file(Listed(4, 3000, 3000, 60000))
        one = self.product(source, "--x", "random:1", "--threads", "1")
        for threads in [2, 5]:
            more = self.product(source, "--x", "random:1", "--threads", threads, "--repeat", "3")
            self.assertSame(more, one)

    def test_matrices_without_entries_rows_or_columns(self):
        for sizes, y in [("0 0 0", []), ("3 0 0", [0.0] * 3), ("0 3 0", []), ("2 2 0", [0.0] * 2)]:
            source = self.write("e.mtx", b"%%MatrixMarket matrix coordinate real general\n" +
                                sizes.encode() + b"\n")
            self.assertEqual(self.product(source).tolist(), y)
            self.assertIn(b"nonzeros              0", self.succeeds(source, "--stats"))
            self.succeeds(source, "--spy", self.path("e.svg"))
            self.succeeds(source, "--spy", self.path("e.png"))


class Algorithms(SpmvCase):
    names = ["balanced", "segmented", "scalar", "vector"]

    def setUp(self):
        super().setUp()
        self.needs_executor()

    def test_each_is_the_product(self):
        for field, dtype in [("integer", "int64"), ("real", "float64"), ("pattern", "float32")]:
            listed = Listed(5, 150, 70, 1500, field)
            source, a, x = self.file(listed), listed.dense(), np.arange(-35, 35).astype(dtype)
            given = [source, "--x", self.save("x.npy", x), "--dtype", dtype]
            for name in self.names + ["csr-vector"]:
                with self.subTest(field=field, algorithm=name):
                    y = self.product(*given, "--algorithm", name, dtype=dtype)
                    self.assertNear(listed, y, a, x, dtype)

    def test_semirings_and_empty_rows(self):
        source = self.write("m.mtx", b"%%MatrixMarket matrix coordinate integer general\n"
                            b"5 3 4\n1 1 7\n1 3 2\n4 2 -3\n4 3 9\n")
        for name in self.names:
            for semiring, y in [("plus-times", [9, 0, 0, 6, 0]), ("or-and", [1, 0, 0, 1, 0])]:
                found = self.product(source, "--algorithm", name, "--semiring", semiring,
                                     dtype="int64")
                self.assertEqual(found.tolist(), y)
        empty = self.write("e.mtx", b"%%MatrixMarket matrix coordinate real general\n2 2 0\n")
        for name in self.names:
            self.assertEqual(self.product(empty, "--algorithm", name).tolist(), [0, 0])

    def test_what_is_said_and_refused(self):
        source = self.file(Listed(5, 30, 30, 200))
        code, _, err = self.call(source, "--algorithm", "scalar", "--verify", "--time", "--repeat",
                                 "2", "-o", self.path("y.npy"))
        self.assertEqual(code, DONE, err)
        self.assertIn("a plain loop computes the same", err)
        self.assertIn("plus-times, scalar, the fastest of 2", err)
        os.remove(self.path("y.npy"))
        self.refuses_algorithms(source, self.names)


@needs_scipy
class AgainstScipy(SpmvCase):
    def test_files_that_scipy_writes(self):
        rng = np.random.default_rng(1)
        for rows, columns in [(200, 300), (400, 400)]:
            matrix = scipy.sparse.random(rows, columns, 0.02, "coo", random_state=rng)
            matrices = [matrix, matrix.astype(np.float32), (matrix * 1000).astype(np.int64)]
            if rows == columns:
                matrices += [matrix + matrix.T, matrix - matrix.T]
            for k, m in enumerate(matrices):
                with self.subTest(rows=rows, matrix=k):
                    scipy.io.mmwrite(self.path("s.mtx"), m)
                    read = scipy.io.mmread(self.path("s.mtx")).tocsr()
                    x = rng.standard_normal(columns)
                    y = self.product(self.path("s.mtx"), "--x", self.save("x.npy", x), "--dtype",
                                     "float64")
                    bound = 2.0**-52 * 300 * (abs(read) @ np.abs(x))
                    self.assertTrue((np.abs(y - read @ x) <= bound).all())

    def test_patterns_with_repeated_places(self):
        for symmetry in ["general", "symmetric"]:
            for n in [30, 900]:
                source = self.file(Listed(n, 40, 40, n, "pattern", symmetry))
                read = scipy.io.mmread(source).tocsr().astype(np.float64)
                x = np.arange(-20.0, 20)
                for arguments, a in [([], read), (["--transpose"], read.T)]:
                    with self.subTest(symmetry=symmetry, n=n, arguments=arguments):
                        y = self.product(source, "--x", self.save("x.npy", x), *arguments)
                        np.testing.assert_array_equal(y, a @ x)
                        code, _, err = self.call(source, "--verify", "-o", self.path("y.npy"))
                        self.assertEqual(code, DONE, err)

    def test_larger_lists_with_repeated_places(self):
        for symmetry in ["general", "symmetric", "skew-symmetric"]:
            listed = Listed(9, 5000, 5000, 200000, "integer", symmetry)
            source = self.file(listed)
            read = scipy.io.mmread(source).tocsr()
            y = self.product(source, "--x", self.save("x.npy", np.arange(5000)), dtype="int64")
            np.testing.assert_array_equal(y, read.astype(np.int64) @ np.arange(5000))


class Talk(SpmvCase):
    def test_verify_and_time(self):
        listed = Listed(2, 300, 300, 3000)
        source = self.file(listed)
        for semiring in ["plus-times", "min-plus", "max-times", "or-and"]:
            for dtype in ["float32", "float64"]:
                self.talks("a plain loop computes the same",
                           {"read": "3000 entries of 300 x 300", "build": " nonzeros by rows, on ",
                            "prepare": "checked", "product": semiring + ", the fastest of 2",
                            "write": " bytes"},
                           source, "--x", "random:5", "--semiring", semiring, "--dtype", dtype,
                           "--repeat", "2")
        self.talks("a plain loop computes the same", {"read": "", "build": "", "prepare": "",
                                                      "product": "", "write": ""},
                   self.file(Listed(2, 30, 30, 200, "integer", "skew-symmetric")), "--x",
                   "random:5")

    def test_verify_by_other_libraries(self):
        no_gpu = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1"}
        listed = Listed(5, 40, 30, 300, "real", "general")
        source = self.file(listed)
        for semiring in "plus-times", "min-plus", "max-times", "or-and":
            for name in "std", "all":
                code, _, err = self.call(source, "--x", "random:5", "--semiring", semiring, "-o",
                                         self.path("y.npy"), f"--verify={name}", env=no_gpu)
                self.assertEqual(code, DONE, err)
                self.assertIn("a plain loop computes the same; so does the standard library", err)
        for name in "cub", "thrust", "cusparse":
            self.fails(FAILURE, f"--verify={name} needs a GPU: ", source, f"--verify={name}",
                       env=no_gpu)
        self.fails(USAGE, "or some of loop, std, cub, thrust, cusparse, all", source,
                   "--verify=foo")

    def test_verify_by_libraries_of_a_gpu(self):
        source = self.file(Listed(5, 40, 30, 300, "real", "general"))
        code, _, err = self.call(source, "-o", self.path("y.npy"), "--verify=cub,thrust")
        if code == FAILURE:
            self.skipTest(err)
        self.assertIn("; so do CUB and Thrust", err)
        code, _, err = self.call(source, "-o", self.path("y.npy"), "--verify=cusparse")
        if code == FAILURE:
            self.skipTest(err)
        self.assertIn("; so does cuSPARSE", err)
        self.fails(USAGE, "--verify=cusparse is for float32 and float64 in plus-times", source,
                   "--verify=cusparse", "--semiring", "min-plus")

    def test_verify_finds_faults(self):
        source = self.write("m.mtx", b"%%MatrixMarket matrix coordinate real general\n"
                            b"2 2 2\n1 1 2\n2 2 3\n")
        self.finds("item 1 is 4, expected 3", source)
        self.finds("item 1 is 4, expected 3", source, "-o", self.path("y.npy"))

    def test_statistics(self):
        source = self.write("m.mtx", b"%%MatrixMarket matrix coordinate pattern general\n"
                            b"6 4 7\n1 1\n3 1\n3 2\n3 3\n3 4\n4 4\n1 1\n")
        out = self.succeeds(source, "--stats").decode()
        self.assertEqual(out, """\
rows                  6
columns               4
nonzeros              6
rows without entries  3
entries in a row      mean 1.00, median 0
longest row           4 entries, row 3
entries in a row              rows
                    0            3 %s
                    1            2 %s
               2 to 3            0 
               4 to 7            1 %s
""" % ("#" * 50, "#" * 33, "#" * 16))
        both = self.succeeds(source, "--stats", "-o", self.path("y.txt")).decode()
        self.assertEqual(both, out)
        self.assertEqual(content_of(self.path("y.txt")), b"2\n0\n4\n1\n0\n0\n")

    def test_pictures(self):
        listed = Listed(2, 1500, 1000, 5000)
        source = self.file(listed)
        self.assertEqual(self.succeeds(source, "--spy", self.path("m.svg")), b"")
        root = xml.etree.ElementTree.parse(self.path("m.svg")).getroot()
        self.assertEqual(root.get("viewBox"), "-1 -1 336 502")  # cells of 3 x 3 places
        self.succeeds(source, "--spy", self.path("again.SVG"))
        self.assertEqual(content_of(self.path("again.SVG")), content_of(self.path("m.svg")))
        self.succeeds(source, "--spy", self.path("m.Png"))
        os.rename(self.path("m.Png"), self.path("m.png"))
        png = content_of(self.path("m.png"))
        self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
        chunks, at = {}, 8
        while at < len(png):
            size, kind = struct.unpack_from(">I4s", png, at)
            body = png[at + 8:at + 8 + size]
            self.assertEqual(struct.unpack_from(">I", png, at + 8 + size)[0],
                             zlib.crc32(kind + body))
            chunks[kind] = body
            at += 12 + size
        self.assertEqual(list(chunks), [b"IHDR", b"IDAT", b"IEND"])
        width, height = struct.unpack_from(">II", chunks[b"IHDR"])
        self.assertEqual((width, height), (334, 500))
        pixels = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, -1)
        drawn = np.zeros((height, width), bool)
        drawn[listed.i // 3, listed.j // 3] = True
        np.testing.assert_array_equal(pixels[:, 1:] < 255, drawn)


class Refusals(SpmvCase):
    def test_usage(self):
        source = self.file(Listed(1, 5, 5, 9))
        self.fails(USAGE, "MATRIX is required")
        self.fails(USAGE, "'plus' is no semiring", "/no/such/file", "--semiring", "plus")
        self.fails(USAGE, "random: and a whole number", "/no/such/file", "--x", "random:x")
        self.fails(USAGE, "--repeat: '0', expected a whole number from 1", "/no/such/file", "--repeat", "0")
        self.fails(USAGE, "no picture", "/no/such/file", "--spy", "m.jpg")
        self.fails(USAGE, "both write to standard output", source, "--stats", "-o", "-")
        self.fails(USAGE, "both name", source, "--spy", self.path("a.svg"), "-o",
                   self.path("a.svg"))
        self.fails(USAGE, "both write to standard output", source, "--stats", "-o", "/dev/stdout")
        os.symlink("a.svg", self.path("b"))
        for other in ["b", "./a.svg"]:
            self.fails(USAGE, "both name", source, "--spy", self.path("a.svg"), "-o",
                       self.path(other))
        self.fails(USAGE, "cannot both be standard input", "-", "--x", "-", data=b"")
        self.fails(USAGE, "float32, float64 or int64", source, "--dtype", "int8")
        self.fails(USAGE, "are real, expected float32 or float64", source, "--dtype", "int64")
        whole = self.file(Listed(1, 5, 5, 9, "integer"))
        self.fails(USAGE, "components for an int64 matrix", whole, "--x",
                   self.save("x.npy", np.ones(5)))
        self.fails(USAGE, "--engine", source, "--engine", "abacus")

    def test_the_executor_computes_the_same(self):
        source = self.file(Listed(1, 50, 40, 300, "integer"))
        outputs = []
        for engine in ("cpu", "executor"):
            code, out, err = self.call(source, "--engine", engine)
            if "built without the executor" in err:
                self.skipTest(err)
            self.assertEqual((code, err), (DONE, ""))
            outputs.append(out)
        self.assertEqual(*outputs)

    def test_cuda_without_a_gpu(self):
        source = self.file(Listed(1, 5, 5, 9))
        self.fails(FAILURE, "cuda", source, "--engine", "cuda",
                   env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"})

    def test_bad_files(self):
        good = Listed(1, 5, 5, 9).text()
        self.refused(self.path("none.mtx"), "none.mtx: ")
        self.refused(self.dir, "is a directory")
        self.refused(self.write("empty.mtx", b""), "empty.mtx: the file is empty")
        self.refused(self.write("word.mtx", good + b"1 1 one\n"), "word.mtx:13: ")
        self.refused(self.write("short.mtx", good[:good.rindex(b"\n", 0, -1) + 1]),
                     "ends after 8 entries")
        self.refused(self.write("range.mtx", good.replace(b"5 5 9", b"2 2 9")), "out of range")
        self.refused(self.write("array.mtx", good.replace(b"coordinate", b"array")),
                     "array.mtx:1: ")
        self.refused(self.write("cut.mtx.gz", gzip.compress(good)[:-9]), "cut.mtx.gz: ")
        self.refused(self.write("no.mtx.gz", good), "no gzip data")
        self.refused("-", "<stdin>:1: ", data=b"hello\n")
        tar = io.BytesIO()
        with tarfile.open(fileobj=tar, mode="w:gz") as archive:
            archive.add(self.write("m.mtx", good), "m.mtx")
        for content, words in [(bz2.compress(good), "holds bzip2 data, expected a Matrix Market"),
                               (lzma.compress(good), "holds xz data"),
                               (gzip.compress(lzma.compress(good)), "holds xz data"),
                               (gzip.compress(gzip.compress(good)), "gzip data within compressed"),
                               (tar.getvalue(), "holds a tar archive"),
                               (b"\x93NUMPY\1\0", "begins npy data")]:
            self.refused("-", words, data=content)
            self.refused(self.write("other.mtx", content), words)
        source = self.write("m.mtx", good)
        self.refused(source, "4 components, expected 5", "--x", self.save("x.npy", np.ones(4)))
        self.refused(source, "x.npy: the value 1e+300 is out of range", "--dtype", "float32", "--x",
                     self.save("x.npy", np.full(5, 1e300)))
        big = good.replace(b"5 5 9", b"5 5 10") + b"1 1 1e300\n"
        self.refused(self.write("big.mtx", big), "1e+300 is out of range", "--dtype", "float32")

    def test_a_header_that_claims_too_much_fails_at_once(self):
        source = self.write("m.mtx", b"%%MatrixMarket matrix coordinate real general\n"
                            b"9 9 1152921504606846976\n1 1 1\n")
        self.refused(source, "m.mtx:3: the file ends after 1 entries")

    def test_a_file_without_line_ends_fails_at_once(self):
        for begin in b"%" + bytes(70), bytes(100):
            self.refused("-", "<stdin>:1: no Matrix Market file", "--memory", "1M",
                         data=begin + bytes(4 << 20))

    def test_interrupted_it_leaves_nothing(self):
        entries = b"17 4 0.5\n" * 100000
        self.interrupted_leaves_nothing(
            "m.mtx", b"%%MatrixMarket matrix coordinate real general\n99 99 100001\n" + entries)

    def test_outputs_that_cannot_be_written(self):
        source = self.file(Listed(1, 5, 5, 9))
        self.fails(BAD_FILE, "missing", source, "-o", self.path("missing/y.npy"))
        self.fails(BAD_FILE, "missing", source, "--spy", self.path("missing/m.svg"))
        self.fails(BAD_FILE, "/dev/full", source, "-o", "/dev/full")
        with open("/dev/full", "wb") as full:
            for more in [[], ["--spy", self.path("m.svg")]]:
                self.fails(BAD_FILE, "<stdout>: cannot write: No space left", source, "-o",
                           self.path("y.npy"), "--stats", *more, stdout=full)
        self.fails(BAD_FILE, "/dev/full: cannot write", source, "-o", "/dev/full", "--spy",
                   self.path("m.svg"))
        os.symlink("/dev/full", self.path("full.svg"))
        self.fails(BAD_FILE, "full.svg: cannot write", source, "-o", self.path("y.npy"), "--spy",
                   self.path("full.svg"))


class AsSciPyReads(SpmvCase):
    BANNER = b"%%MatrixMarket matrix coordinate "

    def test_comments_behind_entries(self):
        source = self.write("m.mtx", self.BANNER + b"real general\n2 2 2 % sizes\n1 1 2 % c\n"
                            b" % single\n2 2 3\t%\n")
        self.assertEqual(self.succeeds(source), b"2\n3\n")
        source = self.write("m.mtx", self.BANNER + b"real general\n2 2 2% sizes\n1 1 2%c\n2 2 3%\n")
        self.assertEqual(self.succeeds(source), b"2\n3\n")
        source = self.write("m.mtx", self.BANNER + b"pattern general\n2 2 1%\n1 2%c\n")
        self.assertEqual(self.succeeds(source), b"1\n0\n")

    def test_either_triangle(self):
        for kind, y in [(b"symmetric", b"5\n6\n1\n"), (b"skew-symmetric", b"5\n-4\n-1\n")]:
            source = self.write("m.mtx", self.BANNER + b"integer " + kind +
                                b"\n3 3 2\n1 2 5\n3 2 %s\n" %
                                (b"1" if kind == b"symmetric" else b"-1"))
            self.assertEqual(self.notes("1 entries are above the diagonal of a %s matrix" %
                                        kind.decode(), source), y)
            code, out, err = self.call(source, "--verify")
            self.assertEqual((code, out), (DONE, y), err)

    def test_a_diagonal_of_zeros(self):
        source = self.write("m.mtx", self.BANNER + b"real skew-symmetric\n2 2 2\n1 1 0\n2 1 3\n")
        self.assertEqual(self.succeeds(source), b"-3\n3\n")
        self.fails(BAD_FILE, "m.mtx:3: row 1 has an entry on the diagonal", self.write(
            "m.mtx", self.BANNER + b"real skew-symmetric\n2 2 1\n1 1 2\n"))

    def test_what_is_refused(self):
        for words in [b"array real general", b"coordinate complex general",
                      b"coordinate complex hermitian"]:
            self.fails(BAD_FILE, "m.mtx:1: '", self.write(
                "m.mtx", b"%%MatrixMarket matrix " + words + b"\n1 1 1\n1 1 1\n"))
        self.fails(BAD_FILE, "m.mtx:1: the line ends, expected general", self.write(
            "m.mtx", self.BANNER + b"real\n1 1 1\n1 1 1\n"))
        self.fails(BAD_FILE, "m.mtx:1: a CR within the line, expected lines that end with LF",
                   self.write("m.mtx", self.BANNER + b"real general\r1 1 1\r1 1 1\r"))

    def test_vectors_of_other_kinds(self):
        source = self.write("m.mtx", self.BANNER + b"real general\n2 3 3\n1 1 1\n1 2 2\n2 3 3\n")
        for x in [np.array([1, 1.5, 2], "float16"), np.array([1, 1.5, 2], ">f8")]:
            self.assertEqual(self.succeeds(source, "--x", self.save("x.npy", x)), b"4\n6\n")
        self.assertEqual(self.succeeds(source, "--x", self.write("x.txt", b"1 1.5 2\n")),
                         b"4\n6\n")
        self.assertEqual(self.succeeds(source, "--x", self.save("x.npy", np.array([1, 0, 1], bool))),
                         b"1\n3\n")


if __name__ == "__main__":
    if scipy is None:
        print("python3-scipy is missing: the tests against it are skipped", file=sys.stderr)
    unittest.main()
