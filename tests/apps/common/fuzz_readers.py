#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutates valid data files, has fuzz-readers read them, and compares whatever it accepts, bit for
bit, with independent readers: NumPy for npy and raw, Python's csv, int and float for text (strtof
for float32), Python's gzip for compressed ones. A crash, a batch of more than 5 seconds, a value
that differs, or an input that we accept and the independent reader does not, is a failure.

Our readers may be stricter than the independent ones, and are (docstring of read_array).
"""
import argparse
import collections
import csv
import ctypes
import gzip
import io
import math
import random
import re
import struct
import subprocess
import sys
import tempfile
import unicodedata
import warnings
import zlib

import numpy as np

DTYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
NAMES = ["input", "input.gz", "<stdin>"]
FORMATS = ["auto", "npy", "raw", "text"]
NONE = 255
SECONDS_PER_BATCH = 5

csv.field_size_limit(1 << 30)
Input = collections.namedtuple("Input", "name format dtype column data")


# ---- valid files to start from

def sample(rng, dtype, n):
    dt = np.dtype(dtype)
    if dt.kind == "f":
        return np.array([rng.choice([0.0, -0.0, math.inf, -math.inf, math.nan, 1.5, -2.25e-7,
                                     rng.uniform(-1e6, 1e6),
                                     rng.gauss(0, 1) * 10.0 ** rng.randint(-30, 30)])
                         for _ in range(n)], dtype=dt)
    info = np.iinfo(dt)
    return np.array([rng.choice([info.min, info.max, 0, 1, rng.randint(info.min, info.max)])
                     for _ in range(n)], dtype=dt)


def npy(array, version):
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.lib.format.write_array(out, array, version=version)
    return out.getvalue()


def text_cells(rng, dtype, n):
    return [repr(v) for v in sample(rng, dtype, n).tolist()]


def table(rng, dtype, columns, n):
    """A table with quirks that are allowed: header, comments, quotes, blanks, CRLF, a BOM, rows that
    begin with '#'."""
    delimiter = rng.choice([",", ";", "\t", " ", ", ", "   "])
    end = rng.choice(["\n", "\n", "\r\n"])
    wanted = rng.randint(1, columns)
    lines = []
    comment = "# a comment, with; delimiters"
    if rng.random() < 0.3:
        lines.append(comment)
    if n > 0 and rng.random() < 0.4:
        titles = ["value", '"time"', '"a ""b"""', "x_1", "\u00e9t\u00e9"]
        lines.append(delimiter.join(rng.choice(titles) for _ in range(columns)))
    for _ in range(n):
        below = lines and lines[-1] != comment
        words = ["word", '"quoted, text"', '"a ""b"""', 'a"b', "#more" if below else "x"]
        if not delimiter.isspace() or delimiter == "\t":
            words.append('"two%slines"' % end)
        cells = [rng.choice(text_cells(rng, dtype, 1) + words) for _ in range(columns)]
        cells[wanted - 1] = text_cells(rng, dtype, 1)[0]
        if rng.random() < 0.2:
            cells[wanted - 1] = '"%s"' % cells[wanted - 1]
        lines.append(delimiter.join(cells))
        if rng.random() < 0.05:
            lines.append(rng.choice(["", "  "]))
    text = end.join(lines) + rng.choice([end, ""])
    return (b"\xef\xbb\xbf" if rng.random() < 0.15 else b"") + text.encode(), wanted


def seeds(rng):
    found = []
    for code, dtype in enumerate(DTYPES):
        for array in [sample(rng, dtype, 6).reshape(2, 3).T,
                      sample(rng, dtype, 5).astype(np.dtype(dtype).newbyteorder(">")),
                      sample(rng, dtype, 5) > 0, np.arange(5, dtype="f2")]:
            found.append(Input(0, rng.choice([0, 1]), NONE, 1, npy(array, (1, 0))))
        for version in [(1, 0), (2, 0), (3, 0)]:
            for shape in [(0,), (1,), (7,), (2, 3), ()]:
                array = sample(rng, dtype, int(np.prod(shape))).reshape(shape)
                data = npy(array, version)
                found.append(Input(0, rng.choice([0, 1]), rng.choice([NONE, NONE, code]), 1, data))
        found.append(Input(2, 2, code, 1, sample(rng, dtype, rng.randint(0, 20)).tobytes()))
        found.append(Input(0, 2, code, 1, sample(rng, dtype, rng.randint(1, 20)).tobytes()))
        for _ in range(8):
            cells = text_cells(rng, dtype, rng.randint(0, 12))
            found.append(Input(0, rng.choice([0, 3]), rng.choice([NONE, code]), 1,
                               "".join(c + "\n" for c in cells).encode()))
            data, column = table(rng, dtype, rng.randint(1, 4), rng.randint(0, 8))
            found.append(Input(0, rng.choice([0, 3]), rng.choice([NONE, code]), column, data))
    return found


# ---- mutations

NUMBERS = [b"0", b"1", b"2", b"7", b"8", b"-1", b"00", b"127", b"128", b"255", b"256", b"32768",
           b"65536", b"2147483648", b"4294967296", b"9007199254740993", b"9223372036854775807",
           b"9223372036854775808", b"-9223372036854775808", b"-9223372036854775809",
           b"18446744073709551615", b"18446744073709551616", b"1152921504606846976", b"1e5", b"1.",
           b".5", b"-0", b"+3", b"1_000", b"0x10", b"1e400", b"1e-400", b"4.9e-324", b"1e-45",
           b"nan", b"-inf", b"infinity", b"nan(1)", b"1L", b"9" * 40]
TOKENS = [b",", b";", b"\t", b" ", b"\n", b"\r\n", b"\r", b'"', b'""', b"'", b"#", b"\0", b"(",
          b")", b"()", b"{", b"}", b"[", b"True", b"False", b"'descr'", b"'<f8'", b"'>f8'", b"'|O'",
          b":", b"\\", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\x93NUMPY", b"\x1f\x8b\x08\x00",
          b"-", b"+", b"'fortran_order': True, ", b"\n\n", b"\x0b", b"\xa0"]


def mutate(rng, data, pool):
    data = bytearray(data)
    at = rng.randint(0, len(data))
    kind = rng.randrange(12)
    if kind == 0 and data:
        at = rng.randrange(len(data))
        data[at] ^= 1 << rng.randrange(8)
    elif kind == 1 and data:
        data[rng.randrange(len(data))] = rng.choice([0, 1, 9, 10, 32, 48, 57, 127, 128, 255,
                                                     rng.randrange(256)])
    elif kind == 2:
        del data[at:]
    elif kind == 3:
        data += rng.choice([b"\0", b"\n", b" ", rng.randbytes(rng.randint(1, 9)), bytes(data[:16])])
    elif kind == 4:
        other = rng.choice(pool).data
        data = data[:at] + other[rng.randint(0, len(other)):]
    elif kind == 5:
        data[at:at] = data[rng.randint(0, len(data)):][:rng.randint(1, 40)]
    elif kind == 6:
        del data[at:at + rng.randint(1, 8)]
    elif kind in (7, 8):
        spots = list(re.finditer(rb"[-+]?\d+", bytes(data[:400])))
        if spots:
            spot = rng.choice(spots)
            data[spot.start():spot.end()] = rng.choice(NUMBERS)
    elif kind == 9:
        data[at:at] = rng.choice(TOKENS)
    elif kind == 10:
        data[at:at + rng.randint(1, 3)] = rng.choice(TOKENS + NUMBERS)
    elif kind == 11 and data[:6] == b"\x93NUMPY" and len(data) > 12:
        at = rng.randint(6, 11)  # version and header length
        data[at] = rng.choice([0, 1, 2, 3, 4, 255, (data[at] + rng.choice([-1, 1, 16])) % 256])
    return bytes(data)


def compress(rng, data):
    if rng.random() < 0.2 and data:
        cut = rng.randrange(len(data))
        return gzip.compress(data[:cut], mtime=0) + gzip.compress(data[cut:], mtime=0)
    return gzip.compress(data, compresslevel=rng.choice([0, 1, 9]), mtime=0)


def mutants(rng, pool):
    while True:
        seed = rng.choice(pool)
        data = seed.data
        for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3, 5])):
            data = mutate(rng, data, pool)
        name = seed.name
        if rng.random() < 0.25:
            data = compress(rng, data)
            name = rng.choice([1, 1, 1, 0, 2])
            for _ in range(rng.choice([0, 0, 1, 2])):
                data = mutate(rng, data, pool)
        dtype = seed.dtype if rng.random() < 0.95 else rng.choice([NONE] + list(range(10)))
        format_ = seed.format if rng.random() < 0.97 else rng.randrange(4)
        column = seed.column if rng.random() < 0.97 else rng.randint(0, 5)
        yield Input(name, format_, dtype, column, data)


# ---- independent readers: return (dtype, bytes)

strtof = ctypes.CDLL(None).strtof
strtof.restype = ctypes.c_float
strtof.argtypes = [ctypes.c_char_p, ctypes.c_void_p]

INTEGER = re.compile(r"[+-]?[0-9]+\Z")
DECIMAL = re.compile(r"[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|inf|infinity|nan)\Z", re.I)


# Of UTF-8 that was decoded as Latin-1, as is all text here.
MISSING = re.compile(r"""-{0,3}|\.{1,3}|[?*]|\xe2\x80[\x93\x94\xa6]|\xe2\x88\x92|\\N|
                         -?1\.\#(QNAN|IND|INF)|-?NAN\(IND\)|ERR:.*|\#[^ ]+[!?]|
                         \#(N/[ABD]|I/T|N[ADV]|GETTING_DATA|\xd0\x9d/\xd0\x94)(\ .*)?""", re.I | re.X | re.S | re.A)
MISSING_WORD = re.compile(r"""N[AD]|NULL|NONE|NIL|NAT|MISSING(VALUE)?|NO(DATA|VALUE|TAVAILABLE|TAPPLICABLE|THING)|
                              UNDEF(INED)?|UNKNOWN|EMPTY|NA(INTEGER|REAL|CHARACTER)""", re.I | re.X | re.A)


def means_missing(cell):
    if len(cell) > 32:
        return False
    word = re.sub(r"\A(?:<(.+)>|\((.+)\)|\[(.+)\]|\{(.+)\})\Z",
                  lambda found: next(filter(None, found.groups())), cell, flags=re.S)
    return bool(MISSING.fullmatch(cell) or MISSING_WORD.fullmatch(re.sub(r"[./\\_ -]", "", word)))


def begins_with_letter(cell):
    """Of UTF-8 that was decoded as Latin-1."""
    c, second = ord(cell[0]), ord(cell[1:2] or "\0")
    if c < 0x80:
        return cell[0].isalpha() or c == ord("_")
    character = cell.encode("latin-1").decode("utf-8", "replace")[0]
    return not (c <= 0xc2 or c == 0xcc or (c == 0xcd and second < 0xb0) or
                (c == 0xe2 and 0x80 <= second < 0xb0) or (c == 0xe3 and second == 0x80) or
                (c == 0xef and second >= 0xb8) or (c == 0xf0 and second >= 0x9d) or
                unicodedata.category(character) == "Nd")


def nearly_number(cell):
    digits = cell.translate(str.maketrans("OoIl", "0011"))
    return bool(re.match(r"(nan|inf|infinity)(?![a-z_])", cell, re.I | re.A) or
                DECIMAL.match(digits) or DECIMAL.match("1" + cell))


def prints(line):
    """Whether a line that was decoded as Latin-1 is printable UTF-8."""
    try:
        text = re.sub("\r?\n", "", line).encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return False
    return not re.search("[\0-\x08\x0a-\x1f\x7f-\x9f]", text)


def looks_like_header(cells, wanted, quoted, line):
    if any(DECIMAL.match(cell) for cell in cells) or not prints(line):
        return False
    return is_name(wanted, quoted or len(cells) > 1)


def is_name(wanted, or_sign):
    if means_missing(wanted):
        return False
    if wanted.upper() in ("TRUE", "FALSE", "YES", "NO", "ON", "OFF") or nearly_number(wanted):
        return False
    if begins_with_letter(wanted):
        return True
    return or_sign and not re.match(r"[+.\0-\x20\x7f-]", wanted) and not any(
        unicodedata.category(c) == "Nd" for c in wanted.encode("latin-1").decode("utf-8", "replace"))


def is_quoted(line, delimiter, column):
    """Whether the cell stands in quotes."""
    blank = " " if delimiter == "\t" else " \t"
    quoted = re.compile(r'[%s]*("(?:[^"]|"")*")?' % blank)
    at = 0
    for _ in range(column - 1):
        at = line.index(delimiter, quoted.match(line, at).end()) + 1
    return quoted.match(line, at).group(1) is not None


def ends_in_quotes(line, delimiter):
    """Whether the last cell begins with a quote that is not closed."""
    blank = " " if delimiter == "\t" else " \t"
    quoted = r'[%s]*"(?:[^"]|"")*' % blank
    cell = r'(?:%s"[%s]*|[%s]*[^"%s%s][^%s]*|[%s]*)' % (quoted, blank, blank, blank, delimiter,
                                                        delimiter, blank)
    return re.fullmatch("(?:%s%s)*%s" % (cell, delimiter, quoted), line) is not None


def cells_of(data, column):
    text = data.decode("latin-1")
    if text.startswith("\xef\xbb\xbf"):
        text = text[3:]
    delimiter = None
    header = False
    lines = text.split("\n")[::-1]
    while lines:
        line = lines.pop()
        first = delimiter is None
        if first and "\r" in line[:-1]:
            raise ValueError("a CR within a line")
        bare = line.removesuffix("\r").strip(" " if delimiter == "\t" else " \t")
        if not bare or (first and bare[0] == "#" and
                        not means_missing(re.split('[;\t, "]', bare)[0])):
            continue
        if first:
            joined = False
            while lines and re.fullmatch(r' *"(?:[^"]|"")*', line):
                line += "\n" + lines.pop()
                joined = True
            unquoted = re.sub(r'(?:\A|(?<=[;\t, ]))"(?:[^"]|"")*"(?=[;\t, ]|\Z)', "",
                              line.removesuffix("\r"))
            delimiter = next((c for c in ";\t," if c in unquoted), "," if joined else " ")
        while delimiter != " " and lines and ends_in_quotes(line, delimiter):
            line += "\n" + lines.pop()
        line = line.removesuffix("\r")
        if delimiter == " ":
            cells = re.findall(r'"((?:[^"]|"")*)"|([^ \t]+)', line)
            quoted = len(cells) >= column and not cells[column - 1][1]
            cells = [a or b for a, b in cells]
        else:
            line = line.replace("\r", "?")  # csv refuses those in any cell
            if delimiter != "\t":
                line = line.replace("\t", " ")
            cells = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True))
            quoted = first and column <= len(cells) and is_quoted(line, delimiter, column)
        cells = [cell.strip(" \t") for cell in cells]
        if first and column > len(cells) and prints(line) and is_name(cells[0], True):
            header = True  # a title, as "total 48" above what ls -l lists
            continue
        if first and looks_like_header(cells, cells[column - 1], quoted, line):
            header = True
            continue
        header = False
        yield cells[column - 1]
    if header:
        raise ValueError("a header without rows")


def read_text(data, dtype, column):
    cells = list(cells_of(data, column))
    for cell in cells:
        if not DECIMAL.match(cell):
            raise ValueError("%r is no number" % cell)
    if dtype == "f4":
        values = [strtof(cell.encode(), None) for cell in cells]
        for cell, value in zip(cells, values):
            if math.isinf(value) and "inf" not in cell.lower():
                raise OverflowError(cell)
        return dtype, struct.pack("<%df" % len(values), *values)
    integers = [int(cell) for cell in cells if INTEGER.match(cell)]
    untyped = dtype is None
    if untyped:
        dtype = "f8"
        if len(integers) == len(cells):
            if all(-2**63 <= v < 2**63 for v in integers):
                dtype = "i8"
            elif all(0 <= v < 2**64 for v in integers):
                dtype = "u8"
    if dtype == "f8":
        if untyped and any(int(float(v)) != v for v in integers):
            raise ValueError("an integer is rounded")
        values = [float(cell) for cell in cells]
        for cell, value in zip(cells, values):
            if math.isinf(value) and "inf" not in cell.lower():
                raise OverflowError(cell)
        return dtype, struct.pack("<%dd" % len(values), *values)
    if len(integers) != len(cells):
        raise ValueError("not all integers")
    size = int(dtype[1])
    return dtype, b"".join(v.to_bytes(size, "little", signed=dtype[0] == "i") for v in integers)


def read_independently(case, format_):
    data = case.data
    compressed = len(data) > 3 and data[:3] == b"\x1f\x8b\x08" and data[3] < 32
    if NAMES[case.name] == "input.gz" or (compressed and not (format_ == "raw" and case.name == 0)):
        data = gzip.decompress(data)
    dtype = None if case.dtype == NONE else DTYPES[case.dtype % 10]
    if format_ == "npy":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            array = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
        if array.dtype == bool:
            array = (array.view("u1") != 0).astype("u1")
        if array.dtype.kind == "f" and array.itemsize == 2:
            array = array.astype("<f4")
        array = array.astype(array.dtype.newbyteorder("<"))
        return array.dtype.str[1:], array.shape, array.tobytes()
    if format_ == "raw":
        array = np.frombuffer(data, dtype="<" + dtype)
        return dtype, array.shape, array.tobytes()
    found, values = read_text(data, dtype, case.column)
    return found, (len(values) // int(found[1]),), values


# ---- running

def ask(program, cases):
    """The program's answers: a refusal (str) or (dtype, format, shape, bytes)."""
    frames = b"".join(struct.pack("<IBBBB", len(c.data), c.name, c.format, c.dtype, c.column) +
                      c.data for c in cases)
    run = subprocess.run([program], input=frames, capture_output=True, timeout=SECONDS_PER_BATCH)
    if run.returncode != 0:
        raise RuntimeError("status %d: %s" % (run.returncode, run.stderr.decode(errors="replace")))
    out, at, answers = run.stdout, 0, []
    for _ in cases:
        accepted = out[at]
        if not accepted:
            (size,) = struct.unpack_from("<I", out, at + 1)
            answers.append(out[at + 5:at + 5 + size].decode())
            at += 5 + size
            continue
        dtype, format_, rank = struct.unpack_from("<BBQ", out, at + 1)
        shape = struct.unpack_from("<%dq" % rank, out, at + 11)
        (size,) = struct.unpack_from("<Q", out, at + 11 + 8 * rank)
        at += 19 + 8 * rank
        answers.append((DTYPES[dtype], FORMATS[format_], shape, out[at:at + size]))
        at += size
    return answers


def complaint(case, answer):
    """None, or what is wrong with the answer."""
    if isinstance(answer, str):
        fine = answer.isprintable() and (
            answer.startswith(NAMES[case.name] + ":") or answer.startswith("--"))
        return None if fine else "an unfit message: %r" % answer
    dtype, format_, shape, values = answer
    try:
        expected = read_independently(case, format_)
    except Exception as e:  # whatever the independent reader throws, it does not accept
        return "accepted as %s %s, but the independent reader says %s: %s" % (
            dtype, format_, type(e).__name__, e)
    if (dtype, tuple(shape), values) == (expected[0], tuple(expected[1]), expected[2]):
        return None
    return "read %s %s %s, independently %s %s %s" % (
        dtype, shape, values[:64].hex(), expected[0], expected[1], expected[2][:64].hex())


def spoilt(answer):
    """The answer with one bit of the last item, the type or the shape wrong."""
    dtype, format_, shape, values = answer
    yield dtype, format_, shape, values[:-1] + bytes([values[-1] ^ 1]) if values else b"x"
    yield DTYPES[DTYPES.index(dtype) ^ 1], format_, shape, values
    yield dtype, format_, tuple(shape) + (1,), values


def check_the_check(program, pool):
    """Seeds are accepted, and a planted error in any answer is found."""
    cases = [case for case in pool if len(case.data) > 0]
    for case, answer in zip(cases, ask(program, cases)):
        if isinstance(answer, str):
            raise AssertionError("a valid file was refused: %s: %s" % (answer, case))
        for wrong in spoilt(answer):
            if complaint(case, wrong) is None:
                raise AssertionError("a planted error was not found: %s as %s" % (case, wrong))


def culprit(program, cases):
    """The first case that fails by itself."""
    for case in cases:
        try:
            ask(program, [case])
        except Exception as e:
            return case, e
    return None, None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="the built fuzz-readers")
    parser.add_argument("--count", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=1000)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    pool = seeds(rng)
    check_the_check(args.program, pool)
    source = mutants(rng, pool)
    tally = collections.Counter()
    done = 0
    while done < args.count:
        cases = [next(source) for _ in range(min(args.batch, args.count - done))]
        try:
            answers = ask(args.program, cases)
        except Exception as e:
            case, alone = culprit(args.program, cases)
            print("fuzz_readers: seed %d: %s" % (args.seed, alone or e), file=sys.stderr)
            print("input:", case, file=sys.stderr)
            return 1
        for case, answer in zip(cases, answers):
            wrong = complaint(case, answer)
            if wrong:
                print("fuzz_readers: seed %d: %s\ninput: %s" % (args.seed, wrong, case),
                      file=sys.stderr)
                return 1
            if isinstance(answer, str):
                tally["refused"] += 1
                continue
            gz = " gz" if case.data[:3] == b"\x1f\x8b\x08" and answer[1] != "raw" else ""
            tally["accepted " + answer[1] + gz] += 1
        done += len(cases)
    print("fuzz_readers: seed %d, %d inputs:" % (args.seed, done),
          ", ".join("%d %s" % (n, what) for what, n in sorted(tally.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
