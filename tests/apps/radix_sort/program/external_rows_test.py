#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rows of texts that do not fit in memory, with Python's stable sort and GNU sort as the oracles, and
scan-sort itself with more memory.
Run as: external_rows_test.py path/to/scan-sort"""
import gzip
import os
import random
import resource
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.abspath(__file__ + "/../../../common"))
from program_case import BAD_FILE, DONE, FAILURE, ProgramCase, QUICK, limited, some_of

PROGRAM = os.path.abspath(sys.argv.pop(1))
ROWS = 45_000 if QUICK else 100_000  # less than 20 000 of them are sorted at once


class ExternalRows(ProgramCase):
    name, program = "scan-sort", PROGRAM

    def setUp(self):
        super().setUp()
        self.temp = self.path("temp")
        os.mkdir(self.temp)
        self.little = ["--memory", "12M", "--threads", "2", "--temp", self.temp]

    def external(self, *arguments, **more):
        """The output of a sort that must be external, and leave no temporary file."""
        code, out, err = self.call(*arguments, "--time", *self.little, **more)
        self.assertEqual(code, DONE, err)
        self.assertIn("rows, through a temporary file, on cpu", err)
        self.assertEqual(os.listdir(self.temp), [])
        return out

    def test_keys_of_every_kind(self):
        rng = random.Random(1)
        words = [b"", b"a", b"b\0", b"b", b"b\0\0c", b"x" * 20, b'say ""no""', "\u00e9t\u00e9".encode()]
        rows = []
        for k in range(ROWS):
            number = rng.choice([rng.randrange(-50, 50), rng.randrange(-10**12, 10**12) / 8])
            word, day = rng.choice(words), rng.randrange(1, 29)
            rows.append((number, word.replace(b'""', b'"'), day,
                         b'%s,"%s",2024-02-%02d,%d' % (repr(number).encode(), word, day, k)))
        header = b"n,w,d,k\n"
        file = self.write("in.csv", header + b"".join(row[3] + b"\n" for row in rows))
        for keys, by in some_of(2, [(["n"], lambda r: r[0]), (["n:descending"], lambda r: -r[0]),
                         (["w:text", "n"], lambda r: (r[1], r[0])),
                         (["d:date:descending", "w:text"], lambda r: (-r[2], r[1])),
                         (["d:date", "n:descending"], lambda r: (r[2], -r[0]))]):
            with self.subTest(keys=keys):
                arguments = [word for key in keys for word in ["--column", key]]
                order = sorted(range(ROWS), key=lambda k: by(rows[k]))
                expected = header + b"".join(rows[k][3] + b"\n" for k in order)
                self.assertEqual(self.external(file, *arguments), expected)
                self.assertEqual(self.succeeds(file, *arguments), expected)
                firsts = [k for i, k in enumerate(order)
                          if i == 0 or by(rows[k]) != by(rows[order[i - 1]])]
                out = self.external(file, *arguments, "--unique")
                self.assertEqual(out, header + b"".join(rows[k][3] + b"\n" for k in firsts))
        descending = sorted(range(ROWS), key=lambda k: rows[k][1], reverse=True)  # stable, too
        out = self.external(file, "--column", "w:text:descending")
        self.assertEqual(out, header + b"".join(rows[k][3] + b"\n" for k in descending))
        out = self.external(file, "--column", "w:text:descending", "--argsort")
        self.assertEqual(out, b"".join(b"%d\n" % k for k in descending))

    def test_bytes_around_rows_and_every_source(self):
        rng = random.Random(2)
        cells = [b"1", b"2.5", b"NA", b"-0", b"0", b"nan", b"inf", b"9007199254740992", b'"3"']
        for number, (end, last) in enumerate([(b"\n", b"\n"), (b"\r\n", b""), (b"\r\n", b"\r\n")]):
            data = b"\xef\xbb\xbf# comment" + end + b"key,b" + end + end.join(
                b"%s,%d" % (rng.choice(cells), k) + (end if k % 1000 == 0 else b"")
                for k in range(ROWS)) + last
            file = self.write("in.csv", data)
            packed = self.write("in.csv.gz", gzip.compress(data, 1))
            for options in some_of(3, [["--missing", "first"], ["--missing", "last", "--descending"],
                            ["--missing", "skip", "--unique"], ["--missing", "7"],
                            ["--missing", "last", "--unique"]], number):
                with self.subTest(end=end, last=last, options=options):
                    options = ["--column", "key", *options]
                    expected = self.succeeds(file, *options, "--threads", "2")
                    self.assertTrue(expected.startswith(b"\xef\xbb\xbfkey,b" + end))
                    self.assertEqual(self.external(file, *options), expected)
            self.assertEqual(self.external(packed, *options), expected)
            self.assertEqual(self.external("-", *options, data=data), expected)

    def test_types_that_change_after_the_first_piece(self):
        small = [b"%d" % (k * 7919 % 10007 - 5000) for k in range(ROWS)]
        for late in [[b"0.5", b"-0.25"], [b"1e300", b"-inf"], [b"4611686018427387904", b"-1"],
                     [b"nan", b"12"]]:
            rows = small + late + small[:10]
            order = sorted(range(len(rows)),
                           key=lambda k: float("inf") if rows[k] == b"nan" else float(rows[k]))
            out = self.external("-", data=b"\n".join(rows))
            self.assertEqual(out, b"".join(rows[k] + b"\n" for k in order), late)
        large = [b"%d" % (2**63 - k * 7919 % 10007) for k in range(ROWS)] + [b"%d" % 2**63]
        out = self.external("-", data=b"\n".join(large + [b"%d" % (2**64 - 1)]))
        self.assertEqual(out, b"".join(word + b"\n" for word in sorted(large, key=int)) +
                         b"%d\n" % (2**64 - 1))

    def test_errors_are_those_of_a_sort_in_memory(self):
        small = [b"%d" % k for k in range(ROWS)]
        for late, words in [
                ([b"12x"], "in.txt:%d: '12x' is no number" % (ROWS + 1)),
                ([b"9007199254740993", b"0.5"],
                 "in.txt:%d: the integer '9007199254740993' is not exact in float64, which the "
                 "column is for '0.5' in line %d" % (ROWS + 1, ROWS + 2)),
                ([b"1 2"], "in.txt:%d: the line has 2 cells, expected 1" % (ROWS + 1))]:
            file = self.write("in.txt", b"\n".join(small + late))
            for memory in [[], self.little]:
                self.fails(BAD_FILE, words, file, "-o", self.path("o.txt"), *memory)
                self.assertHolds("in.txt", "temp")
        self.fails(BAD_FILE, "none: cannot write a temporary file (see --temp and TMPDIR)",
                   self.write("in.txt", b"\n".join(small)), "--memory", "12M", "--temp",
                   self.path("none"))
        self.fails(BAD_FILE, "cannot write a temporary file (see --temp and TMPDIR): File too large",
                   self.path("in.txt"), *self.little, **limited(resource.RLIMIT_FSIZE, 1 << 19))

    def test_lines_that_are_no_rows_need_no_space_on_the_disk(self):
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", self.temp],
                          capture_output=True).returncode:
            self.skipTest("needs the right to mount")
        try:
            rows = [b"%06d,%s\n" % (k * 7919 % ROWS, b"x" * 20) for k in range(ROWS)]
            expected = b"".join(sorted(rows))
            first, last = b"".join(rows[:30_000]), b"".join(rows[30_000:])
            for others, options in [(b"# " + b"c" * 97 + b"\n", ["--comments", "all"]),
                                    (b" " * 98 + b"\r\n", []), (b"\n" * 100, []),
                                    (b"NA," + b"c" * 96 + b"\n", ["--missing", "skip"])]:
                with self.subTest(options=options):
                    file = self.write("in.csv", first + others * 50_000 + last)
                    self.assertEqual(self.external(file, "--column", "1", *options), expected)
            file = self.write("in.csv", (first + last) * 4)
            self.fails(BAD_FILE, "temp: cannot hold a temporary file of", file, "--column", "1",
                       *self.little)
        finally:
            subprocess.run(["umount", self.temp], check=True)

    def test_lines_that_are_no_rows_take_no_memory(self):
        million = 500_000 if QUICK else 1_000_000
        in_memory = ["--bits", "0:64", "--memory", "%d" % (40 * million)]
        for data, options in [(b"5\n3\n" + b"\n" * 6 * million, []),
                              (b"#\n" * 3 * million + b"5\n3\n", []),
                              (b"5\n" + b"#\n" * 3 * million + b"3\n", ["--comments", "all"]),
                              (b"5\n" + b"NA\n" * 2 * million + b"3\n", ["--missing", "skip"])]:
            file = self.write("in.txt", data)
            self.assertEqual(self.succeeds(file, *options, *in_memory), b"3\n5\n")
        self.fails(FAILURE, "reading %s takes at least %.1f MiB" % (file, 48 * million / (1 << 20)),
                   self.write("in.txt", b"5\n" * 6 * million), *in_memory)

    def test_long_rows(self):
        rng = random.Random(4)
        rows = [b"%d,%s" % (rng.randrange(1000), b"x" * rng.choice([1, 1000, 50_000, 1_000_000]))
                for _ in range(60)]
        order = sorted(range(len(rows)), key=lambda k: int(rows[k].split(b",")[0]))
        file = self.write("in.csv", b"".join(row + b"\n" for row in rows))
        self.assertEqual(self.external(file, "--column", "1"),
                         b"".join(rows[k] + b"\n" for k in order))
        words = sorted(range(len(rows)), key=lambda k: (rows[k].split(b",")[1], k))
        self.assertEqual(self.external(file, "--column", "2:text"),
                         b"".join(rows[k] + b"\n" for k in words))

    @unittest.skipUnless(shutil.which("sort"), "needs GNU sort")
    def test_against_gnu_sort(self):
        rng = random.Random(3)
        file = self.write("in.txt", b"".join(
            b"%d %x %d\n" % (rng.randrange(-10**6, 10**6), rng.randrange(1 << 16), k)
            for k in range(ROWS)))
        for keys, theirs in [(["1"], ["-k1,1n"]), (["1:descending"], ["-k1,1nr"]),
                             (["2:text", "1"], ["-k2,2", "-k1,1n"]),
                             (["2:text:descending", "3:descending"], ["-k2,2r", "-k3,3nr"])]:
            arguments = [word for key in keys for word in ["--column", key]]
            expected = subprocess.run(["sort", "-s", "-t", " ", *theirs, file], check=True,
                                      env={"LC_ALL": "C"}, capture_output=True).stdout
            self.assertEqual(self.external(file, *arguments), expected, keys)


if __name__ == "__main__":
    unittest.main()
