#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scan-explain seen from outside: its texts are those stored in golden/, its drawings are sound, its
errors have words and exit codes.
Run as: cli_test.py path/to/scan-explain path/to/golden; with --update to store the texts anew."""
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

UPDATE = "--update" in sys.argv and not sys.argv.remove("--update")
PROGRAM = os.path.abspath(sys.argv.pop(1))
GOLDEN = pathlib.Path(sys.argv.pop(1))
DONE, _, USAGE, BAD_FILE, _ = range(5)

PAPER = "3 1 7 0 4 1 6 3"
SANDWICH = "3 5 2 7 28 4 3 0 8 1"
TEXTS = {
    "walkthrough": ["3 1 7 0 4 1 6 3", "--algorithm", "hierarchical", "--block", "4"],
    "verona-blelloch-exclusive": ["3 1 7 4 6", "--algorithm", "blelloch", "--exclusive"],
    "sandwich-kogge-stone": [SANDWICH, "--algorithm", "kogge-stone"],
    "sandwich-brent-kung": [SANDWICH, "--algorithm", "brent-kung"],
    "lecture-brent-kung-16": ["1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "--algorithm", "brent-kung"],
    "brent-kung-two-levels": [PAPER, "--algorithm", "brent-kung", "--block", "2", "--exclusive"],
    "fan-three-levels": ["3 1 7 0 4 1 6 3 2", "--algorithm", "scan-then-fan", "--block", "2"],
    "narrow": [PAPER, "--algorithm", "kogge-stone", "--width", "40"],
    "bank-conflicts": [" ".join(map(str, range(128))), "--algorithm", "blelloch",
                       "--width", "132"],
}
for name in ("sequential", "quadratic", "hillis-steele", "kogge-stone", "kogge-stone-double-buffered",
             "blelloch", "blelloch-padded", "blelloch-fully-padded", "brent-kung"):
    TEXTS[f"paper-{name}"] = [PAPER, "--algorithm", name]
    TEXTS[f"paper-{name}-exclusive"] = [PAPER, "--algorithm", name, "--exclusive"]
for name in ("scan-then-propagate", "reduce-then-scan", "chained-scan", "decoupled-look-back"):
    TEXTS[f"paper-{name}"] = [PAPER, "--algorithm", name]


def run(*arguments, **more):
    """Runs the program; returns its exit code, standard output and standard error."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60, **more)
    return done.returncode, done.stdout, done.stderr


def without_accesses(text):
    """A text as builds write it that hear no accesses of memory."""
    text = re.sub(r"; bank conflicts: .*", "", text.split("\n  Accesses")[0])
    kept = [line for line in text.splitlines()
            if not re.match(r"  (shared memory: acc|global memory: acc|  passes|  worst|  bytes)",
                            line)]
    return [re.sub(r" +", " ", line) for line in kept]


class Texts(unittest.TestCase):
    maxDiff = None

    def test_goldens(self):
        for name, arguments in TEXTS.items():
            with self.subTest(name):
                code, text, errors = run(*arguments)
                self.assertEqual((code, errors), (DONE, ""))
                path = GOLDEN / f"{name}.txt"
                if UPDATE:
                    path.write_text(text)
                stored = path.read_text()
                if "are not counted" in text:
                    self.assertEqual(without_accesses(text), without_accesses(stored))
                else:
                    self.assertEqual(text, stored)

    def test_nothing_else_is_stored(self):
        self.assertEqual({p.stem for p in GOLDEN.iterdir()}, set(TEXTS))

    def test_lines_fit(self):
        for width in (40, 60, 132):
            text = run(PAPER, "--block", "4", "--width", str(width))[1]
            self.assertLessEqual(max(map(len, text.splitlines())), max(width, 80))
        rows = [line for line in run(PAPER, "--width", "40", "--algorithm", "kogge-stone")[1]
                .splitlines() if line.lstrip().startswith(("index", "item before", "item after"))]
        self.assertLessEqual(max(map(len, rows)), 40)

    def test_defaults_are_the_walkthrough(self):
        self.assertEqual(run()[1], run(*TEXTS["walkthrough"])[1])

    def test_colours_only_on_a_terminal(self):
        self.assertNotIn("\x1b", run()[1])
        for variables, coloured in (({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False),
                                    ({"TERM": "xterm", "NO_COLOR": "1"}, False)):
            outer, inner = pty.openpty()
            subprocess.run([PROGRAM], stdout=inner, env=os.environ | variables, check=True)
            os.close(inner)
            text = b""
            try:
                while piece := os.read(outer, 65536):
                    text += piece
            except OSError:
                pass
            os.close(outer)
            self.assertEqual(b"\x1b[" in text, coloured, variables)

    def test_many_items(self):
        code, text, _ = run(" ".join(["1"] * 2048), "--algorithm", "brent-kung")
        self.assertEqual(code, DONE)
        self.assertIn("step 21: 1023 additions", text)
        code, text, _ = run("1,2,3,4", "--algorithm", "kogge-stone", "--block", "1024")
        self.assertEqual(code, DONE)

    def test_help(self):
        code, text, errors = run("--help")
        self.assertEqual((code, errors), (DONE, ""))
        for word in ("--algorithm", "--block", "--exclusive", "--svg", "--width", "--seed",
                     "decoupled-look-back", "Exit codes"):
            self.assertIn(word, text)
        self.assertIn("libscan", run("--version")[1])


class Drawings(unittest.TestCase):
    def test_well_formed(self):
        for arguments in TEXTS.values():
            if len(arguments[0].split()) > 64:
                continue
            code, text, errors = run(*arguments, "--svg", "-")
            self.assertEqual((code, errors), (DONE, ""))
            root = xml.fromstring(text)
            box = [float(x) for x in root.get("viewBox").split()]
            for text in root.iter("{http://www.w3.org/2000/svg}text"):
                self.assertTrue(text.text)
                self.assertTrue(0 <= float(text.get("x")) <= box[2])
                self.assertTrue(0 <= float(text.get("y")) <= box[3])

    def test_file_beside_the_text(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "drawing.svg"
            code, text, _ = run(PAPER, "--svg", str(path))
            self.assertEqual(code, DONE)
            self.assertEqual(text, run(PAPER)[1])
            self.assertEqual(path.read_text(), run(PAPER, "--svg", "-")[1])


class Errors(unittest.TestCase):
    def check(self, code, words, *arguments):
        got, text, errors = run(*arguments)
        self.assertEqual((got, text), (code, ""))
        self.assertIn(words, errors)
        self.assertTrue(errors.startswith("scan-explain: error: "))
        self.assertEqual(errors.count("\n"), 1)

    def test_usage(self):
        self.check(USAGE, "number 2, 'x', is none", "3 x")
        self.check(USAGE, "'99999999999'", "99999999999")
        self.check(USAGE, "expected 1 to 2048", "")
        self.check(USAGE, "hillis-steele, kogge-stone,", PAPER, "--algorithm", "none")
        self.check(USAGE, "2, 3, 4, 6, 8, 16, 32", PAPER, "--block", "5")
        self.check(USAGE, "--block", PAPER, "--block", "0")
        self.check(USAGE, "65 numbers are too many for a drawing", " ".join(["1"] * 65), "--svg", "-")
        self.check(USAGE, "--bolck", PAPER, "--bolck", "4")

    def test_files(self):
        self.check(BAD_FILE, "/no/such/folder", PAPER, "--svg", "/no/such/folder/x.svg")


if __name__ == "__main__":
    unittest.main()
