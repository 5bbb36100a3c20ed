#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rows that are sorted by where their lines begin, byte for byte, with Python's stable sort as the
oracle: in memory and in pieces. One test compares them with what sorts positions instead.
Run as: lines_test.py path/to/scan-sort"""
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.abspath(__file__ + "/../../../common"))
from program_case import DONE, ProgramCase, QUICK, combinations, some_of

PROGRAM = os.path.abspath(sys.argv.pop(1))
ROWS = 30_000 if QUICK else 100_000
WAYS = [["--threads", "1"], ["--threads", "2"], ["--threads", "3", "--memory", "12M"],
        ["from a pipe"]]


def cells_of(kind, random, n):
    """Numbers as text."""
    return {"few": lambda: [b"%d" % random.randrange(3) for _ in range(n)],
            "equal": lambda: [b"7"] * n,
            "sorted": lambda: [b"%d" % k for k in range(n)],
            "negative": lambda: [b"%d" % random.randrange(-10**6, 10**6) for _ in range(n)],
            "of 32 bits": lambda: [b"%d" % (5 + random.choice([0, 2**32 - 1, 2**31])) for _ in range(n)],
            "of 33 bits": lambda: [b"%d" % random.choice([-1, 2**32 - 1, 3]) for _ in range(n)],
            "large": lambda: [b"%d" % random.randrange(-2**63, 2**63) for _ in range(n)],
            "unsigned": lambda: [b"%d" % (2**64 - 1 - random.randrange(1000)) for _ in range(n)],
            "decimal": lambda: [b"%.2f" % random.uniform(-100, 100) for _ in range(n)],
            "late decimal": lambda: [b"%d" % random.randrange(-9, 9) for _ in range(n - 1)] + [b"0.5"],
            "any form": lambda: [random.choice([b"-0", b"007", b"+3", b"1e2", b"-5.", b"inf", b"2"])
                                 for _ in range(n)]}[kind]()


KINDS = ["few", "equal", "sorted", "negative", "of 32 bits", "of 33 bits", "large", "unsigned",
         "decimal", "late decimal", "any form"]


def in_order(rows, keys, descending=False):
    """Rows in the order of their keys, stable."""
    sign = -1 if descending else 1
    return [rows[k] for k in sorted(range(len(rows)), key=lambda k: sign * keys[k])]


def number_of(cell):
    return int(cell) if cell.lstrip(b"+-").isdigit() else float(cell)


class Lines(ProgramCase):
    name, program = "scan-sort", PROGRAM

    def setUp(self):
        super().setUp()
        self.turn = 0

    def sorts(self, data, expected, *arguments):
        """Every way must give these bytes; in a quick run half of them, in turns."""
        file = self.write("in.csv", data)
        for way in some_of(2, WAYS, self.turn):
            with self.subTest(arguments=arguments, way=way):
                if way == ["from a pipe"]:
                    out = self.succeeds("-", *arguments, "--threads", "2", data=data)
                else:
                    out = self.succeeds(file, *arguments, *way)
                self.assertEqual(out, expected)
        self.turn += 1

    def test_keys_of_every_kind(self):
        rng = random.Random(1)
        for kind, column, descending in combinations(6, KINDS, [1, 2, 3], [False, True]):
            cells = cells_of(kind, rng, ROWS)
            words = [b"w" * rng.randrange(60) for _ in range(50)]
            rows = []
            for k, cell in enumerate(cells):
                row = [b"%d" % k, rng.choice(words)]
                row.insert(column - 1, cell)
                rows.append(b",".join(row))
            expected = in_order(rows, [number_of(cell) for cell in cells], descending)
            self.sorts(b"".join(row + b"\n" for row in rows),
                       b"".join(row + b"\n" for row in expected), "--column", str(column),
                       *(["--descending"] if descending else []))

    def test_line_ends(self):
        rng = random.Random(2)
        for end, last in [(b"\n", b""), (b"\r\n", b"\r\n"), (b"\r\n", b""), (b"\n", b"\n\n \n")]:
            keys = [rng.randrange(1000) for _ in range(ROWS)]
            keys[-1] = rng.choice([-1, 500, 1000])
            rows = [b"%d;x%d" % (key, k) for k, key in enumerate(keys)]
            own = b"\r\n" if end == b"\r\n" else b"\n"
            self.sorts(end.join(rows) + last, b"".join(row + own for row in in_order(rows, keys)),
                       "--column", "1")

    def test_lines_that_are_no_rows_and_cells_with_blanks(self):
        rng = random.Random(3)
        keys, rows, data = [], [], b"# comment\nkey,what\n"
        for k in range(ROWS):
            keys.append(rng.randrange(-50, 50))
            around = rng.choice([b"", b"", b" "])
            rows.append(around + b"%d" % keys[-1] + around + b",%d" % k)
            data += rows[-1] + b"\n" + rng.choice([b"", b"", b"", b"\n", b"  \n"])
        self.sorts(data, b"key,what\n" + b"".join(row + b"\n" for row in in_order(rows, keys)),
                   "--column", "key", "--header", "yes")

    def test_rows_of_several_lines(self):
        rng = random.Random(4)
        for first in [3, ROWS // 2, ROWS - 1]:  # the first row that has several lines
            keys = [rng.randrange(1000) for _ in range(ROWS)]
            rows = [b'%d,"a\n%d,b",c' % (key, k) if k == first or (k > first and k % 100 == 0) else
                    b"%d,%d,c" % (key, k) for k, key in enumerate(keys)]
            self.sorts(b"".join(row + b"\n" for row in rows),
                       b"".join(row + b"\n" for row in in_order(rows, keys)), "--column", "1")

    def test_long_rows(self):
        rng = random.Random(5)
        keys = [rng.randrange(100) for _ in range(200)]
        rows = [b"%d," % key + b"x" * rng.choice([0, 10, 100_000, 300_000]) for key in keys]
        self.sorts(b"\n".join(rows), b"".join(row + b"\n" for row in in_order(rows, keys)),
                   "--column", "1")

    def test_missing_values(self):
        rng = random.Random(6)
        cells = [rng.choice([b"NA", b"", b"%d" % rng.randrange(9)]) for _ in range(ROWS)]
        rows = [b"%d,%s" % (k, cell) for k, cell in enumerate(cells)]
        for option, key_of_missing in [("first", -1), ("last", 99), ("4", 4), ("skip", None)]:
            kept = [k for k in range(ROWS) if cells[k].isdigit() or option != "skip"]
            keys = [int(cells[k]) if cells[k].isdigit() else key_of_missing for k in kept]
            expected = in_order([rows[k] for k in kept], keys)
            self.sorts(b"".join(row + b"\n" for row in rows),
                       b"".join(row + b"\n" for row in expected), "--column", "2", "--missing", option)

    def test_several_keys_words_and_dates(self):
        rng = random.Random(7)
        rows, by = [], []
        for k in range(ROWS):
            number, word, day = rng.randrange(5), rng.choice([b"a", b"B", b"ab", b""]), rng.randrange(1, 29)
            rows.append(b"%d,%s,2024-02-%02d,%d" % (number, word, day, k))
            by.append((number, word, day))
        data = b"".join(row + b"\n" for row in rows)
        for columns, key in [(["1", "2:text"], lambda k: by[k][:2]), (["3:date"], lambda k: by[k][2]),
                             (["2:text", "1:descending"], lambda k: (by[k][1], -by[k][0]))]:
            order = sorted(range(ROWS), key=key)
            self.sorts(data, b"".join(rows[k] + b"\n" for k in order),
                       *[word for column in columns for word in ["--column", column]])

    def test_engines_agree(self):
        self.needs_executor()
        rng = random.Random(8)
        rows = [b"%d,%d" % (rng.randrange(300), k) for k in range(2000)]
        file = self.write("in.csv", b"\r\n".join(rows))
        expected = self.succeeds(file, "--column", "1", "--engine", "cpu")
        code, out, _ = self.call(file, "--column", "1", "--engine", "executor")
        self.assertEqual((code, out), (DONE, expected))
        keys = [int(row.split(b",")[0]) for row in rows]
        firsts = [keys.index(key) for key in sorted(set(keys), reverse=True)]
        low_bits = sorted(range(len(rows)), key=lambda k: keys[k] % 16)
        for options, order in [(["--verify"], None), (["--unique", "--descending"], firsts),
                               (["--bits", "0:4"], low_bits), (["--dtype", "int32"], None),
                               (["--dtype", "int16", "--verify"], None)]:
            wanted = expected if order is None else b"".join(rows[k] + b"\r\n" for k in order)
            code, out, _ = self.call(file, "--column", "1", *options)
            self.assertEqual((code, out), (DONE, wanted))

    def test_skew_takes_no_other_path(self):
        """The same rows of two, three and many values, sorted and not, keep their lines."""
        for values in [1, 2, 3, 1000]:
            keys = [k * values // ROWS * (-1 if k % 2 else 1) for k in range(ROWS)]
            rows = [b"%d %d" % (key, k) for k, key in enumerate(keys)]
            self.sorts(b"".join(row + b"\n" for row in rows),
                       b"".join(row + b"\n" for row in in_order(rows, keys)), "--column", "1")


if __name__ == "__main__":
    unittest.main()
