# SPDX-License-Identifier: Apache-2.0
"""What the tests of scan-prefix share: its samples, and NumPy's results as the oracle.
Their arguments: path/to/scan-prefix path/to/scan-prefix-faulty path/to/data"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.abspath(__file__ + "/../../common"))
import array_program
from array_program import ArrayProgramCase, FLOATS
from program_case import DONE

PROGRAM, FAULTY, DATA = [os.path.abspath(sys.argv.pop(1)) for _ in range(3)]
OPERATORS = {"sum": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and,
             "or": np.bitwise_or, "xor": np.bitwise_xor}
FORMS = ["--heads", "--head-bits", "--offsets", "--keys"]


def samples(dtype, n, seed=1):
    """Any integers, the limits among them; floats whose sums are exact."""
    if dtype in FLOATS:
        return np.random.default_rng(seed).integers(-99, 99, n).astype(dtype) / 4
    return array_program.samples(dtype, n, seed)


def widened(dtype):
    """The type of NumPy's cumsum."""
    return np.cumsum(np.zeros(1, dtype)).dtype


def identity(op, dtype):
    dt = np.dtype(dtype)
    least, most = (-np.inf, np.inf) if dt.kind == "f" else (np.iinfo(dt).min, np.iinfo(dt).max)
    if op == "and":
        return dt.type(0) if dt.kind == "f" else np.invert(dt.type(0))
    return dt.type({"sum": 0, "min": most, "max": least}.get(op, 0))


def scanned(array, op="sum", accumulator=None, exclusive=False, init=None, reverse=False,
            offsets=None):
    """What the program must write."""
    dt = np.dtype(accumulator or widened(array.dtype))
    array = array.ravel()
    first = identity(op, dt) if init is None else dt.type(init)
    offsets = [0, len(array)] if offsets is None else offsets
    parts = [np.empty(0, dt)]
    for begin, end in zip(offsets, offsets[1:]):
        items = array[begin:end].astype(dt)[::-1 if reverse else 1]
        with np.errstate(over="ignore"):
            part = OPERATORS[op].accumulate(np.concatenate([[first], items]).astype(dt), dtype=dt)
        part = part[:-1] if exclusive else part[1:]
        parts.append(part[::-1] if reverse else part)
    return np.concatenate(parts)


def some_offsets(n, empty=True, seed=1):
    """Segments of many lengths, some of them of none."""
    rng = np.random.default_rng(seed)
    inner = np.sort(rng.integers(0, n + 1, n // 7))
    if not empty:
        inner = np.unique(inner[(inner > 0) & (inner < n)])
    return np.concatenate([[0], inner, [n]]).astype("int64")


class PrefixCase(ArrayProgramCase):
    name, program, faulty = "scan-prefix", PROGRAM, FAULTY

    def segments(self, form, offsets):
        """Files that say, in this form, where the segments of these offsets begin."""
        n = offsets[-1]
        heads = np.zeros(n, bool)
        heads[offsets[:-1][offsets[:-1] < n]] = True
        if form == "--heads":
            return self.save("heads.npy", heads)
        if form == "--head-bits":
            return self.save("bits.npy", np.packbits(heads, bitorder="little"))
        if form == "--offsets":
            return self.save("offsets.npy", offsets)
        return self.save("keys.npy", np.cumsum(heads).astype("int16") % 3)

    def assertSame(self, found, expected):
        self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape))
        np.testing.assert_array_equal(found, expected)

    def writes(self, expected, *arguments, **more):
        """The program must write this array, and find it right."""
        code, _, err = self.call(*arguments, "-o", self.path("out.npy"), "--verify", **more)
        self.assertEqual(code, DONE, err)
        self.assertTrue(err.startswith("scan-prefix: verified: a plain loop computes the same"))
        self.assertSame(self.load("out.npy", expected.dtype), expected)
