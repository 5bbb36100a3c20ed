#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pagerank seen from outside, with dense NumPy as the oracle.
Run as: pagerank_test.py path/to/scan-spmv path/to/scan-spmv-faulty path/to/pagerank"""
import bz2
import gzip
import os
import unittest

import numpy as np

from spmv_program import Listed, PAGERANK, SpmvCase
from array_program import content_of
from program_case import BAD_FILE, DONE, EveryProgram, USAGE


class PageRank(EveryProgram, SpmvCase):
    name, program = "pagerank", PAGERANK
    words_of_help = EveryProgram.words_of_help + ["GRAPH", "NAMES", "TOP", "docs/text.md"]

    def test_ranks_against_dense_numpy(self):
        listed = Listed(6, 60, 60, 150, "pattern")
        listed.i[listed.i == 5] = 6  # one that points to no one
        names = self.write("names.txt", b"".join(b"node %d\n" % k for k in range(60)))
        code, out, err = self.call(self.file(listed), names, 60)
        self.assertEqual(code, DONE)
        self.assertIn("rounds on ", err)
        a = np.minimum(listed.dense(), 1)
        degree = a.sum(axis=1)
        moves = np.where(degree[:, None] > 0, a / np.maximum(degree, 1)[:, None], 1 / 60)
        rank = np.full(60, 1 / 60)
        for _ in range(500):
            rank = 0.15 / 60 + 0.85 * rank @ moves
        found = {}
        for line in out.decode().splitlines():
            _, value, _, node = line.split()
            found[int(node)] = float(value)
        np.testing.assert_allclose([found[k] for k in range(60)], rank, atol=1e-6)
        self.assertEqual(sorted(found.values(), reverse=True), list(found.values()))

    def test_names_are_read_as_all_text_is(self):
        graph = self.write("g.mtx", b"%%MatrixMarket matrix coordinate pattern general\n"
                           b"2 2 2\n1 2\n2 1\n")
        expected = b"  1  0.500000  one\n  2  0.500000  \xc3\xa9t\xc3\xa9 two\n"
        plain = b"one\n\xc3\xa9t\xc3\xa9 two\n"
        for content in [plain, plain[:-1], plain.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + plain,
                        gzip.compress(plain)]:
            names = self.write("names", content)
            for source, data in [(names, None), ("-", content)]:
                code, out, err = self.call(graph, source, data=data)
                self.assertEqual((code, out), (DONE, expected), err)
        self.assertEqual(self.call("-", names, "010", data=content_of(graph))[1], expected)
        self.fails(BAD_FILE, self.dir + ": is a directory", graph, self.dir)
        self.fails(BAD_FILE, "/proc/self/mem: cannot read: ", graph, "/proc/self/mem")
        self.fails(BAD_FILE, "bzip2", graph, self.write("names", bz2.compress(plain)))
        self.fails(BAD_FILE, "a CR within the line", graph, self.write("names", b"one\rtwo\r"))
        self.fails(BAD_FILE, "no gzip data", graph, self.write("names.txt.gz", plain))
        self.fails(USAGE, "cannot both be standard input", "-", "-", data=b"")
        self.fails(BAD_FILE, "<stdin>: cannot read", graph, "-", preexec_fn=lambda: os.close(0))
        for name in [b"a\0x", b"a\x1b[31m", b"caf\xe9", b"a\xc2\x9bm"]:
            self.fails(BAD_FILE, "<stdin>:2: ", graph, "-", data=b"one\n" + name + b"\n")
        self.fails(BAD_FILE, "names:1: '\\x93NUMPY' begins npy data, expected text", graph,
                   self.write("names", content_of(self.save("x.npy", np.zeros(3)))))
        # An empty line is a name, too.
        code, out, _ = self.call(graph, "-", data=b"\n#two\n")
        self.assertEqual(out, b"  1  0.500000  \n  2  0.500000  #two\n")

    def test_refusals(self):
        names = self.write("names.txt", b"one\n")
        graph = self.file(Listed(6, 60, 60, 150, "pattern"))
        self.fails(BAD_FILE, "1 names, expected 60", graph, names)
        self.fails(BAD_FILE, "none.txt: ", graph, self.path("none.txt"))
        self.fails(BAD_FILE, "no graph", self.file(Listed(6, 6, 7, 9), "r.mtx"), names)
        self.fails(BAD_FILE, "6 rows and 7 columns", self.file(Listed(6, 6, 7, 9), "r.mtx"), names)
        empty = self.write("e.mtx", b"%%MatrixMarket matrix coordinate real general\n0 0 0\n")
        self.fails(BAD_FILE, "0 rows and 0 columns, expected as many of both, at least one", empty,
                   self.write("none", b""))
        self.fails(USAGE, "NAMES is required", graph)
        for top in ["0", "five", "5x", "0x5", "+5", ""]:
            self.fails(USAGE, "TOP: '%s'" % top, graph, names, top)

    def test_standard_output_that_is_lost(self):
        names = self.write("names.txt", b"n\n" * 60)
        graph = self.file(Listed(6, 60, 60, 150, "pattern"))
        with open("/dev/full", "wb") as full:
            self.fails(BAD_FILE, "<stdout>: cannot write: No space left", graph, names, stdout=full)
        self.fails(BAD_FILE, "<stdout>: cannot write: Bad file descriptor", graph, names,
                   stdout=None, preexec_fn=lambda: os.close(1))


if __name__ == "__main__":
    unittest.main()
