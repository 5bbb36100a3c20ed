# SPDX-License-Identifier: Apache-2.0
"""What the tests of scan-spmv and pagerank share.
Their arguments: path/to/scan-spmv path/to/scan-spmv-faulty path/to/pagerank"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.abspath(__file__ + "/../../common"))
from array_program import ArrayProgramCase

PROGRAM, FAULTY, PAGERANK = [os.path.abspath(sys.argv.pop(1)) for _ in range(3)]
EPSILON = {"float64": 2.0**-52, "float32": 2.0**-23, "int64": 0}


class Listed:
    """A random list of entries, as a file and as a dense matrix."""

    def __init__(self, seed, rows, columns, n, field="real", symmetry="general"):
        rng = np.random.default_rng(seed)
        self.rows, self.columns, self.field, self.symmetry = rows, columns, field, symmetry
        self.i = rng.integers(0, rows, n)
        self.j = rng.integers(0, columns, n)
        if symmetry != "general":
            self.i, self.j = np.maximum(self.i, self.j), np.minimum(self.i, self.j)
        if symmetry == "skew-symmetric":
            below = self.i > self.j
            self.i, self.j = self.i[below], self.j[below]
        n = len(self.i)
        self.values = {"real": rng.standard_normal(n), "integer": rng.integers(-99, 99, n),
                       "pattern": np.ones(n)}[field]

    def text(self):
        lines = ["%%%%MatrixMarket matrix coordinate %s %s" % (self.field, self.symmetry),
                 "%% made by a test", "%d %d %d" % (self.rows, self.columns, len(self.i))]
        for i, j, value in zip(self.i, self.j, self.values.tolist()):
            lines.append("%d %d" % (i + 1, j + 1) +
                         ("" if self.field == "pattern" else " " + repr(value)))
        return ("\n".join(lines) + "\n").encode()

    def dense(self, magnitudes=False):
        """The matrix; or the sums of the magnitudes of what adds up in each place."""
        exact = np.int64 if self.field == "integer" else np.float64
        a = np.zeros((self.rows, self.columns), exact)
        values = np.abs(self.values) if magnitudes else self.values
        np.add.at(a, (self.i, self.j), values.astype(exact))
        if self.symmetry != "general":
            off = self.i != self.j
            sign = -1 if self.symmetry == "skew-symmetric" and not magnitudes else 1
            np.add.at(a, (self.j[off], self.i[off]), sign * values[off].astype(exact))
        return a

    def stored(self):
        """Which places the list names."""
        s = np.zeros((self.rows, self.columns), bool)
        s[self.i, self.j] = True
        return s | s.T if self.symmetry != "general" else s


class SpmvCase(ArrayProgramCase):
    name, program, faulty = "scan-spmv", PROGRAM, FAULTY

    def file(self, listed, name="m.mtx"):
        return self.write(name, listed.text())

    def product(self, *arguments, dtype="float64"):
        self.succeeds(*arguments, "-o", self.path("y.npy"))
        return self.load("y.npy", dtype)

    def assertNear(self, listed, y, a, x, dtype="float64"):
        """Within n eps sum |a| |x| of a wider product, row by row."""
        wide = np.longdouble if dtype != "int64" else np.int64
        expected = a.astype(wide) @ x.astype(wide)
        if dtype == "int64":
            np.testing.assert_array_equal(y, expected)
            return
        magnitude = listed.dense(magnitudes=True)
        magnitude = magnitude.T if a.shape != magnitude.shape or self.transposed else magnitude
        bound = (len(listed.i) * 2 + 3) * EPSILON[dtype] * (magnitude @ np.abs(x))
        self.assertTrue((np.abs(y - expected) <= bound).all())

    transposed = False
