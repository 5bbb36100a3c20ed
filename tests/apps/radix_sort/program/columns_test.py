#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rows sorted by named columns, several keys, text, dates and missing values, with Python's stable
sort as the oracle, and GNU sort's for bytes.
Run as: columns_test.py path/to/scan-sort path/to/scan-sort-faulty"""
import datetime
import os
import random
import re
import shutil
import subprocess
import sys
import unittest

import numpy

sys.path.insert(0, os.path.abspath(__file__ + "/../../../common"))
from program_case import BAD_FILE, DONE, ProgramCase, USAGE

PROGRAM, FAULTY = [os.path.abspath(sys.argv.pop(1)) for _ in range(2)]
VERIFIED = "scan-sort: verified: std::stable_sort gives the same\n"


def rows_of(lines):
    return b"".join(line + b"\n" for line in lines)


class SortCase(ProgramCase):
    name, program, faulty = "scan-sort", PROGRAM, FAULTY

    def verified(self, *arguments, **more):
        """The output of a run with --verify, which must find no difference."""
        code, out, err = self.call(*arguments, "--verify", **more)
        self.assertEqual((code, err), (DONE, VERIFIED))
        return out


class Columns(SortCase):
    TABLE = b'day,price,"a ""b"", c",2020\n1,3,x,7\n2,1,y,5\n3,2,z,6\n'

    def test_a_column_by_its_word_in_the_header(self):
        for word in ["price", '"price"', "2", '"a ""b"", c":text:descending'.replace('""', '"')]:
            out = self.succeeds("-", "--column", word, "--header", "yes", data=self.TABLE)
            order = {"2": [2, 3, 1], "price": [2, 3, 1]}.get(word.strip('"'), [3, 2, 1])
            lines = self.TABLE.splitlines()
            self.assertEqual(out, rows_of([lines[0]] + [lines[k] for k in order]), word)
        out = self.succeeds("-", "--column", '"2020"', "--argsort", data=self.TABLE)
        self.assertEqual(out, b"1\n2\n0\n")

    def test_names_that_do_not_exist(self):
        for word, error in [
                ("prize", "no column is called 'prize', expected 'price', perhaps"),
                ("nothing", "no column is called 'nothing', expected 'day', 'price', 'a \"b\", c', "
                            "'2020'")]:
            self.fails_with(BAD_FILE, "<stdin>:1: " + error, "-", "--column", word,
                            data=self.TABLE)
        self.fails_with(BAD_FILE, "<stdin>:1: several columns are called 'a', expected one "
                        "(--column takes a number)", "-", "--column", "a", data=b"a,a\n1,2\n")
        self.fails(USAGE, "a word of the header, but --header no", "-", "--column", "price",
                   "--header", "no", data=self.TABLE)
        for word in ["", "0", "0x3", "+2", "1e1", "-1", ":text", '"', '""']:
            self.fails(USAGE, "--column", "/no/such/file", "--column=" + word)

    def test_several_keys_with_directions(self):
        rng = random.Random(1)
        rows = [(rng.randrange(5), rng.choice([b"a", b"B", b"ab", b""]), rng.randrange(-3, 3), k)
                for k in range(3000)]
        lines = [b"%d,%s,%d,%d" % row for row in rows]
        path = self.write("t.csv", rows_of([b"a,b,c,d"] + lines))
        for keys, options, by in [
                (["a", "c"], [], lambda r: (r[0], r[2])),
                (["a", "c:descending"], [], lambda r: (r[0], -r[2])),
                (["c", "a:ascending"], ["--descending"], lambda r: (-r[2], r[0])),
                (["b:text", "c"], [], lambda r: (r[1], r[2])),
                (["3:descending", "b:text", "1"], [], lambda r: (-r[2], r[1], r[0]))]:
            arguments = [word for key in keys for word in ["--column", key]]
            order = sorted(range(len(rows)), key=lambda k: by(rows[k]))
            expected = rows_of([b"a,b,c,d"] + [lines[k] for k in order])
            header = ["--header", "yes"]
            self.assertEqual(self.verified(path, *arguments, *options, *header), expected, keys)
            firsts = [k for i, k in enumerate(order)
                      if i == 0 or by(rows[k]) != by(rows[order[i - 1]])]
            out = self.verified(path, *arguments, *options, *header, "--unique", "--argsort")
            self.assertEqual(out, b"".join(b"%d\n" % k for k in firsts), keys)

    def test_one_key_with_a_direction(self):
        data = b"a,2\nb,3\nc,1\nd,3\n"
        for key, options, expected in [("2:descending", [], b"bdac"),
                                       ("2:ascending", ["--descending"], b"cabd"),
                                       ("1:text:descending", [], b"dcba")]:
            out = self.verified("-", "--column", key, *options, data=data)
            self.assertEqual(bytes(line[0] for line in out.splitlines()), expected, key)
        self.succeeds("-", "--column", "2:descending", "-o", self.path("o.npy"), data=data)
        self.assertEqual(numpy.load(self.path("o.npy")).tolist(), [3, 3, 2, 1])

    def test_keys_of_text_need_text(self):
        path = self.path("x.npy")
        numpy.save(path, numpy.arange(3))
        for keys in [["--column", "1", "--column", "1"], ["--column", "1:text"],
                     ["--column", "1:date:descending"]]:
            self.fails(USAGE, "several keys, text and dates are for text, but " + path +
                       " is read as npy", path, *keys)

    def test_values_move_with_rows_by_columns(self):
        values = self.write("v.txt", b"10\n20\n30\n")
        self.succeeds("-", "--column", "1:text", "--column", "2", "--values", values,
                      "--values-output", self.path("w.txt"), "-o", self.path("o.csv"),
                      data=b"b,1\na,2\na,1\n")
        with open(self.path("w.txt"), "rb") as file:
            self.assertEqual(file.read(), b"30\n20\n10\n")

    def test_rows_of_any_length(self):
        out = self.notes("'total 8', which has too few columns, is read as a header", "-",
                         "--column", "3", data=b"total 8\na b 20 c d\nx y 3\nq r 10 s\n")
        self.assertEqual(out, b"total 8\nx y 3\nq r 10 s\na b 20 c d\n")
        self.fails_with(BAD_FILE, "<stdin>:2: the line has 2 cells, expected column 3", "-",
                        "--column", "3", data=b"1 2 3\n1 2\n")
        self.fails_with(BAD_FILE, "<stdin>:1: the line has 2 cells, expected column 3", "-",
                        "--column", "3", data=b"total 8\n1 2\n")
        self.fails_with(BAD_FILE, "<stdin>:3: a quote is not closed, expected '\"'",
                        "-", "--column", "1", data=b'1,a\n2,b\n3,"c\nd,4\n')

    def test_cells_of_several_lines(self):
        rng = random.Random(5)
        for end in [b"\n", b"\r\n"]:
            words = [b"x", b"", b"a\nb", b"\n\n", b'say ""no""\n# 1', b"1,2\n3,4", b"w" * 70000 + b"\n"]
            header = b'"a\nlong ""name""",b,c\n'.replace(b"\n", end)
            table = [(rng.randrange(9), rng.choice(words).replace(b"\n", end)) for _ in range(200)]
            rows = [b'%d,"%s",%d' % (key, word, k) + end for k, (key, word) in enumerate(table)]
            data = header + b"".join(rows)
            for by, key in [(lambda k: table[k][0], ["1"]), (lambda k: -k, ["c:descending"]),
                            (lambda k: (table[k][1].replace(b'""', b'"'), table[k][0]),
                             ["b:text", 'a%slong "name"' % end.decode()])]:
                arguments = [word for one in key for word in ["--column", one]]
                if key[-1] == "1":
                    arguments += ["--header", "yes"]
                order = sorted(range(len(rows)), key=by)
                out = self.verified("-", *arguments, data=data)
                self.assertEqual(out, header + b"".join(rows[k] for k in order), (end, key))
        for data in [b'"b\nb"\n"a\n,a"\na\n', b'"b";"\nb"\n"a;\na";c\n']:
            self.assertEqual(self.succeeds("-", "--column", "1:text", data=data),
                             rows_of(sorted(re.findall(rb'((?:"[^"]*"|[^"\n])+)\n', data),
                                            key=lambda row: row.replace(b'"', b""))))
        out = self.notes("'name,\"note\\x0awith unit\"' is read as a header", "-", "--column", "1",
                         data=b'name,"note\nwith unit"\n2,"b\nb"\n1,a\n')
        self.assertEqual(out, b'name,"note\nwith unit"\n1,a\n2,"b\nb"\n')

    def test_delimiters(self):
        for word, data in [("|", b"b|2\na|1\n"), ("pipe", b"b|2\na|1\n"), ("tab", b"b c\t2\na,;\t1\n"),
                           (":", b"b:2\na:1\n"), ("blanks", b"b,c  2\na;d 1\n"),
                           (" ", b"b,c  2\na;d 1\n"), ("comma", b"b;x,2\na;y,1\n")]:
            out = self.succeeds("-", "--column", "2", "--delimiter", word, data=data)
            self.assertEqual(out, rows_of(sorted(data.splitlines())), word)
        for word in ["", "\"", "5", ",,", "\n", "e"]:
            self.fails(USAGE, "--delimiter", "/no/such/file", "--delimiter", word)
        self.fails(USAGE, "--delimiter is for text", self.write("x.npy", b""), "--delimiter", ",",
                   "--format", "raw", "--dtype", "u8")

    def test_decimal_commas(self):
        data = b"a;1,5\nb;-0,25\nc;1e1\nd;2\n"
        out = self.succeeds("-", "--column", "2", "--decimal-comma", data=data)
        self.assertEqual(out, b"b;-0,25\na;1,5\nd;2\nc;1e1\n")
        out = self.succeeds("-", "--decimal-comma", data=b"10,5\n9,75\n")
        self.assertEqual(out, b"9,75\n10,5\n")
        self.fails(BAD_FILE, "<stdin>:2: '1.5' is no number", "-", "--decimal-comma",
                   data=b"1,5\n1.5\n")


class Text(SortCase):
    def check(self, words, *options):
        """Sorts lines by their only cell."""
        lines = [b'"%s",%d' % (word.replace(b'"', b'""'), k) for k, word in enumerate(words)]
        order = sorted(range(len(words)), key=lambda k: words[k], reverse="--descending" in options)
        if "--descending" in options:  # reversed(sorted) would reverse equal words
            order = sorted(range(len(words)), key=lambda k: words[k])
            groups = {}
            for k in order:
                groups.setdefault(words[k], []).append(k)
            order = [k for word in sorted(groups, reverse=True) for k in groups[word]]
        for threads in [1, 3]:
            out = self.verified("-", "--column", "1:text", "--threads", threads, "--header", "no",
                                *options, data=rows_of(lines))
            self.assertEqual(out, rows_of([lines[k] for k in order]))

    def test_words_against_python(self):
        rng = random.Random(2)
        alphabet = bytes(b for b in range(256) if b not in b"\r\n")
        kinds = [[rng.randbytes(rng.randrange(4)).translate(None, b"\r\n") for _ in range(2000)],
                 [b"a" * rng.randrange(40) for _ in range(2000)],
                 [b"http://www.example.org/" + b"%d" % rng.randrange(500) for _ in range(2000)],
                 [bytes(rng.choices(b"ab\0", k=rng.randrange(20))) for _ in range(2000)],
                 [bytes(rng.choices(alphabet, k=rng.randrange(12))) for _ in range(2000)],
                 [b"same words"] * 300, [b"x"], []]
        for words in kinds:
            words = [word for word in words if not (word.startswith(b"\xff\xfe") or
                                                    word.startswith(b"\xfe\xff"))]
            for options in [[], ["--descending"]]:
                with self.subTest(words=words[:3], options=options):
                    if words:
                        self.check(words, *options)

    @unittest.skipUnless(shutil.which("sort"), "needs GNU sort")
    def test_lines_against_gnu_sort(self):
        rng = random.Random(3)
        lines = [b" ".join(b"%x" % rng.randrange(1 << rng.randrange(1, 40))
                           for _ in range(rng.randrange(1, 4))) for _ in range(20000)]
        path = self.write("x.txt", rows_of(lines))
        out = self.verified(path, "--column", "1:text", "--delimiter", "tab")
        expected = subprocess.run(["sort", "-s", path], env={"LC_ALL": "C"}, check=True,
                                  capture_output=True).stdout
        self.assertEqual(out, expected)

    def test_a_column_of_words_has_no_header_by_guess(self):
        self.assertEqual(self.succeeds("-", "--column", "1:text", data=b"name\nb\na\n"),
                         b"a\nb\nname\n")
        self.assertEqual(self.succeeds("-", "--column", "name:text", data=b"name\nb\na\n"),
                         b"name\na\nb\n")

    def test_words_are_no_array(self):
        self.fails(USAGE, "expected text as the output, or --argsort", "-", "--column", "1:text",
                   "-o", self.path("o.npy"), data=b"b\na\n")
        self.fails(USAGE, "--bits is for keys of one column of numbers", "-", "--column", "1:text",
                   "--bits", "0:8", data=b"b\na\n")

    def test_verify_finds_a_wrong_order(self):
        data = rows_of(b"%05d x" % (k * 7919 % 10007) for k in range(10007))
        code, out, err = self.call("-", "--column", "1:text", "--verify", data=data,
                                   program=self.faulty)
        self.assertEqual((code, out), (1, b""))
        self.assertIn("error: --verify: ", err)


class Dates(SortCase):
    def test_against_python(self):
        rng = random.Random(4)
        utc = datetime.timezone.utc
        moments = []
        for _ in range(3000):
            moment = datetime.datetime(1, 1, 2, tzinfo=utc) + datetime.timedelta(
                days=rng.randrange(3652000), seconds=rng.randrange(86400),
                microseconds=rng.choice([0, 0, rng.randrange(1000000)]))
            zone = datetime.timezone(datetime.timedelta(minutes=rng.choice([0, 90, -330])))
            moments.append((moment, moment.astimezone(zone).isoformat().encode()))
        for part in [moments, moments[:50]]:
            order = sorted(range(len(part)), key=lambda k: part[k][0])
            out = self.verified("-", "--column", "1:date", data=rows_of(text for _, text in part))
            self.assertEqual(out, rows_of(part[k][1] for k in order))

    def test_forms(self):
        ascending = [b"0000-01-01", b"1969-12-31T24:00", b"1970-01-01T00:00:00.000000001Z",
                     b"1970-01-01T00:00:00,5", b"2024-02", b"2024-02-01T00:00:01",
                     b"2024-02-29T12:00+02", b"2024-02-29T12:00+0100", b"2024-02-29T12:00-00:30",
                     b"2024-02-29t13:00:60z", b"9999-12-31T23:59:59.999999999"]
        self.assertEqual(self.verified("-", "--column", "1:date", "--delimiter", "tab",
                                       data=rows_of(reversed(ascending))), rows_of(ascending))

    def test_what_is_no_date(self):
        for bad in [b"2023-02-29", b"2024-13-01", b"2024-00-10", b"24-01-01", b"2024-1-1",
                    b"2024-01-01T", b"2024-01-01T25:00", b"2024-01-01T24:01", b"2024-01-01T10",
                    b"2024-01-01T10:00:", b"2024-01-01T10:00:00.", b"2024-01-01T10:00:00.0123456789",
                    b"2024-01-01T10:00+", b"2024-01-01T10:00+1:00", b"2024-01-01T10:00Zx",
                    b"2024-02T10:00", b"20240101", b"today", b""]:
            self.fails(BAD_FILE, "<stdin>:2: ", "-", "--column", "2:date",
                       data=b"a;2024-01-01\nb;" + bad + b"\n")
        self.fails(BAD_FILE, "'today' is no date, expected a date as 2024-02-29 or ", "-",
                   "--column", "1:date", data=b"2024-01-01\ntoday\n")


class Missing(SortCase):
    DATA = b"a,2\nb,NA\nc,1\nd,\ne,3\n"

    def test_each_rule(self):
        for rule, ascending, descending in [
                ("skip", b"cae", b"eac"), ("first", b"bdcae", b"bdeac"),
                ("last", b"caebd", b"eacbd"), ("1.5", b"cbdae", b"eabdc"),
                ("-inf", b"bdcae", b"eacbd")]:
            for order, options in [(ascending, []), (descending, ["--descending"])]:
                out = self.verified("-", "--column", "2", "--missing", rule, *options,
                                    data=self.DATA)
                self.assertEqual(bytes(line[0] for line in out.splitlines()), order, rule)
        for rule in [[], ["--missing", "fail"]]:
            self.fails(BAD_FILE, "<stdin>:2: 'NA' means a missing value", "-", "--column", "2",
                       *rule, data=self.DATA)
        self.fails(USAGE, "'some' is no such rule", "/no/such/file", "--missing", "some")
        # The number that does not fit is that of the option.
        for number, dtype, words in [
                ("300", ["--dtype", "uint8"], "'300', is out of range, expected uint8"),
                ("1.5", ["--dtype", "int64"], "'1.5', does not fit, expected int64"),
                ("1e400", [], "'1e400', is out of range, expected a float64"),
                ("-18446744073709551615", [], "'-18446744073709551615', is not exact in float64")]:
            self.fails(BAD_FILE, "'NA', which --missing reads as " + words, "-", "--missing",
                       number, *dtype, data=b"1\nNA\n")

    def test_several_keys_and_dates(self):
        data = b"b,2024-01-02\na,NA\na,2024-01-03\nb,\na,2024-01-01\n"
        out = self.verified("-", "--column", "1:text", "--column", "2:date", "--missing", "last",
                            data=data)
        self.assertEqual(out, b"a,2024-01-01\na,2024-01-03\na,NA\nb,2024-01-02\nb,\n")
        out = self.verified("-", "--column", "2:date", "--missing", "first", "--unique",
                            data=data)
        self.assertEqual(out, b"a,NA\na,2024-01-01\nb,2024-01-02\na,2024-01-03\n")


if __name__ == "__main__":
    unittest.main()
