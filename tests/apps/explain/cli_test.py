#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scan-explain seen from outside: its texts are those stored in golden/, its drawings are sound,
its errors have words and exit codes.
Run as: cli_test.py path/to/scan-explain path/to/golden; with --update to store the texts anew."""
import functools
import itertools
import os
import pathlib
import pty
import re
import resource
import subprocess
import sys
import unittest
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.abspath(__file__ + "/../../common"))
from program_case import (BAD_FILE, EveryProgram, FAILURE, ProgramCase, USAGE, combinations,
                          limited, read_terminal, some_of)

UPDATE = "--update" in sys.argv and not sys.argv.remove("--update")
PROGRAM = os.path.abspath(sys.argv.pop(1))
GOLDEN = pathlib.Path(sys.argv.pop(1))

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
    "walkthrough-as-printed": [PAPER, "--algorithm", "walkthrough"],
    "shifted-loading": [PAPER, "--algorithm", "walkthrough", "--exclusive"],
    "narrow": [PAPER, "--algorithm", "kogge-stone", "--width", "40"],
    "bank-conflicts": [" ".join(map(str, range(128))), "--algorithm", "blelloch",
                       "--width", "132"],
}
# Texts of --ranks, which needs a build with simulated ranks.
HAS_RANKS = b"no simulated ranks" not in subprocess.run(
    [PROGRAM, "--ranks", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE).stderr
RANKS = {"ranks-scan", "ranks-exclusive", "ranks-sort"}
TEXTS["ranks-scan"] = [PAPER, "--ranks", "4"]
TEXTS["ranks-exclusive"] = [PAPER, "--ranks", "3", "--exclusive"]
TEXTS["ranks-sort"] = [PAPER, "--ranks", "4", "--sort"]
BLOCK_SCANS = ("sequential", "quadratic", "hillis-steele", "kogge-stone",
               "kogge-stone-double-buffered", "blelloch", "blelloch-padded",
               "blelloch-fully-padded", "brent-kung")
STRATEGIES = ("scan-then-propagate", "reduce-then-scan", "chained-scan", "decoupled-look-back")
for name in BLOCK_SCANS:
    TEXTS[f"paper-{name}"] = [PAPER, "--algorithm", name]
    TEXTS[f"paper-{name}-exclusive"] = [PAPER, "--algorithm", name, "--exclusive"]
for name in STRATEGIES:
    TEXTS[f"paper-{name}"] = [PAPER, "--algorithm", name]


def shown_texts():
    """The texts that this build can make."""
    return {name: arguments for name, arguments in TEXTS.items()
            if HAS_RANKS or name not in RANKS}


def without_accesses(text):
    """A text as builds write it that hear no accesses of memory."""
    text = re.sub(r"; bank conflicts: .*", "", text.split("\n  Accesses")[0])
    kept = [line for line in text.splitlines()
            if not re.match(r"  (shared memory: acc|global memory: acc|  passes|  worst|  bytes)",
                            line)]
    return [re.sub(r" +", " ", line) for line in kept]


def points_along(path):
    """Points of an arrow: of a line "M1,2 L3,4", or of a curve "M1,2 C3,4 5,6 7,8"."""
    ends = [tuple(map(float, pair)) for pair in re.findall(r"(-?[0-9.]+),(-?[0-9.]+)", path)]
    if len(ends) == 2:
        ends = [ends[0], ends[0], ends[1], ends[1]]
    if len(ends) != 4:  # of the legend
        return
    for step in range(101):
        t = step / 100
        weights = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3
        yield tuple(sum(w * end[axis] for w, end in zip(weights, ends)) for axis in (0, 1))


class ExplainCase(ProgramCase):
    name, program = "scan-explain", PROGRAM

    def text(self, *arguments):
        return self.succeeds(*arguments).decode()


class AsEveryProgram(EveryProgram, ExplainCase):
    words_of_help = EveryProgram.words_of_help + [
        "--algorithm", "--block", "--exclusive", "--svg", "--width", "--seed",
        "--banks", "--ranks", "--sort", "decoupled-look-back", "Up to 2048 numbers; 64 with --svg", "Exit codes:"]


class Texts(ExplainCase):
    maxDiff = None

    def test_goldens(self):
        for name, arguments in shown_texts().items():
            with self.subTest(name):
                text = self.text(*arguments)
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
            text = self.text(PAPER, "--block", "4", "--width", width)
            self.assertLessEqual(max(map(len, text.splitlines())), max(width, 80))
        text = self.text(PAPER, "--width", "40", "--algorithm", "kogge-stone")
        rows = [line for line in text.splitlines()
                if line.lstrip().startswith(("index", "item before", "item after"))]
        self.assertLessEqual(max(map(len, rows)), 40)

    def test_defaults_are_the_walkthrough(self):
        self.assertEqual(self.text(), self.text(*TEXTS["walkthrough"]))

    def test_names_of_the_literature(self):
        for other, own in (("hierarchical", "scan-then-fan"), ("gpu-gems", "scan-then-fan"),
                           ("cudpp", "scan-then-propagate"), ("merrill", "reduce-then-scan"),
                           ("streamscan", "chained-scan"), ("look-back", "decoupled-look-back"),
                           ("merrill-garland", "decoupled-look-back"), ("naive", "hillis-steele"),
                           ("work-efficient", "blelloch")):
            self.assertEqual(self.text(PAPER, "--algorithm", other), self.text(PAPER, "--algorithm", own))

    def test_colors_only_on_a_terminal(self):
        self.assertNotIn("\x1b", self.text())
        for variables, colored in (({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False),
                                    ({"TERM": "xterm", "NO_COLOR": "1"}, False)):
            outer, inner = pty.openpty()
            subprocess.run([PROGRAM], stdout=inner, env=os.environ | variables, check=True)
            os.close(inner)
            self.assertEqual(b"\x1b[" in read_terminal(outer), colored, variables)

    def test_refused_threads_point_to_no_option(self):
        if os.geteuid() != 0:
            self.skipTest("needs a second user")
        try:
            error = self.fails(FAILURE, "the system refuses more threads", user=65534,
                               **limited(resource.RLIMIT_NPROC, 1))
        except PermissionError:
            self.skipTest("the program is out of reach for another user")
        self.assertNotIn("--threads", error)

    def test_many_items(self):
        text = self.text(" ".join(["1"] * 2048), "--algorithm", "brent-kung")
        self.assertIn("step 21: 1023 additions", text)
        text = self.text(" ".join(["1"] * 2048), "--algorithm", "brent-kung", "--block", "512")
        self.assertIn("Launch 1: scan each block (2 blocks of 512 threads)", text)
        self.assertIn("total 2048", re.sub(" +", " ", text))
        self.succeeds("1,2,3,4", "--algorithm", "kogge-stone", "--block", "1024")


class Blocks(ExplainCase):
    def test_any_size(self):
        items = [int(x) for x in SANDWICH.split()]
        sums = list(itertools.accumulate(items))
        names = BLOCK_SCANS + ("scan-then-fan", "walkthrough") + STRATEGIES
        for name, block, (options, right) in combinations(
                5, names, (2, 3, 5, 9, 33), (([], sums), (["--exclusive"], [0] + sums[:-1]))):
            with self.subTest(name, block=block, options=options):
                request = [SANDWICH, "--algorithm", name, "--block", block, *options]
                text = self.text(*request, "--width", "1000")
                rows = re.findall(r"^ +output(?: after)? +([-0-9 ]+)$", text, re.MULTILINE)
                self.assertEqual([int(x) for x in rows[-1].split()], right)
                svg = self.text(*request, "--svg", "-")
                written = [x.text for x in
                           xml.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
                if 'class="number"' in svg:
                    self.assertLessEqual({str(x) for x in right}, set(written))

    def test_blocks_of_strategies_run_any_block_scan(self):
        for name, scan in combinations(3, ("scan-then-fan", *STRATEGIES), BLOCK_SCANS):
            text = re.sub(" +", " ", self.text(PAPER, "--algorithm", name, "--block", 2,
                                               "--block-scan", scan))
            self.assertIn("output after 3 4 11 11 15 16 22 25" if "output after" in text
                          else "output 3 4 11 11 15 16 22 25", text)
        self.assertEqual(self.text(PAPER, "--algorithm", "scan-then-fan", "--block", 2,
                                   "--block-scan", "brent-kung").split("\n")[2:],
                         self.text(PAPER, "--algorithm", "brent-kung", "--block", 2).split("\n")[2:])
        self.fails(USAGE, "is a block scan itself", PAPER, "--algorithm", "brent-kung",
                   "--block-scan", "kogge-stone")
        for name in "walkthrough", "kogge-stone-one-barrier", "global-hillis-steele":
            self.fails(USAGE, "has a scan of its own", PAPER, "--algorithm", name, "--block-scan",
                       "kogge-stone")
        self.fails(USAGE, 'block scan "foo" is unknown', PAPER, "--block-scan", "foo")


class AsPrinted(ExplainCase):
    """What the documents print, and the library does otherwise."""

    def test_the_walkthrough(self):
        """Inclusive sums of blocks; block 0 adds nothing."""
        text = re.sub(" +", " ", self.text(PAPER, "--algorithm", "walkthrough"))
        self.assertIn("block sums before 11 14\n block sums after 11 25", text)
        self.assertIn("output[4] = block sums[0] + output[4] = 11 + 4 = 15", text)
        self.assertNotIn("+ output[0]", text)
        self.fails(USAGE, "--block 2 or more", PAPER, "--algorithm", "walkthrough", "--block", "1")

    def test_shifted_loading(self):
        """One identity enters; the second block begins with the last item of the first."""
        text = re.sub(" +", " ", self.text(PAPER, "--algorithm", "walkthrough", "--exclusive"))
        loaded = re.findall(r"load\n index 0 1 2 3\n item (.*)\n", text)
        self.assertEqual(loaded[:2], ["0 3 1 7", "0 4 1 6"])
        self.assertIn("output after 0 3 4 11 11 15 16 22", text)

    def test_the_incorrect_kernel(self):
        """It fails in the fixed order and in most others; where there is a checker, in all."""
        wrong, checked = 0, "are not counted" not in self.text(PAPER)
        for seed in range(20):
            text = self.text(PAPER, "--algorithm", "kogge-stone-one-barrier", "--seed", seed)
            output = [int(x) for x in re.findall(r"^ +output +(.*)$", text, re.MULTILINE)[-1].split()]
            right = list(itertools.accumulate(int(x) for x in PAPER.split()))
            first = next((i for i in range(8) if output[i] != right[i]), None)
            said = re.search(r"^Wrong: output\[(\d+)\] is (-?\d+), expected (\d+)$", text, re.MULTILINE)
            self.assertEqual(said and tuple(map(int, said.groups())),
                             None if first is None else (first, output[first], right[first]))
            wrong += first is not None
            if checked:
                self.assertIn("The race checker stops it: ", text)
        self.assertGreater(wrong, 10)
        self.assertIn("Wrong: ", self.text(PAPER, "--algorithm", "kogge-stone-one-barrier"))
        for name in BLOCK_SCANS:
            self.assertNotIn("Wrong", self.text(PAPER, "--algorithm", name))
        for options in (["--exclusive"], ["--block", "4"]):
            self.fails(USAGE, "one block's inclusive scan", PAPER, "--algorithm",
                       "kogge-stone-one-barrier", *options)


class Orders(ExplainCase):
    """Orders drawn from a seed: every one ends with the right sums."""

    def test_seeds(self):
        for seed in some_of(3, range(1, 25)):
            for name in ("chained-scan", "decoupled-look-back"):
                with self.subTest(name, seed=seed):
                    text = self.text(PAPER, "--algorithm", name, "--block", 2, "--seed", seed)
                    self.assertIn("output 3 4 11 11 15 16 22 25", re.sub(" +", " ", text))

    def test_flags(self):
        """A tile that waits saw no flag of the tile that it waits for, and each ends with a P."""
        waits = 0
        for seed in some_of(3, range(25)):
            text = self.text(PAPER, "--algorithm", "chained-scan", "--block", 2, "--seed", seed)
            before = re.findall(r"flag before +(.*)\n +flag after +(.*)\n(?: +waits for tiles? (.*)\n)?",
                                text)
            self.assertEqual(len(before), 4)
            for tile, (flags, after, awaited) in enumerate(before):
                self.assertEqual(after.split()[:tile + 1], ["P"] * (tile + 1))
                self.assertEqual("." in flags.split()[:tile][-1:], awaited != "")
                waits += awaited != ""
        self.assertGreater(waits, 0)


class Banks(ExplainCase):
    """Harris 2007: strides of 2, 4, 8, 16 conflict 2, 4, 8, 16-way, and not with padding."""

    def ways(self, algorithm, banks, count):
        text = self.text(" ".join(["1"] * count), "--algorithm", algorithm, "--exclusive",
                         "--banks", banks)
        return [int(ways or 1) for ways in
                re.findall(r"^  step \d+: (?:no conflict|(\d+)-way conflict)$", text, re.MULTILINE)]

    def test_ways(self):
        up = [2, 4, 8, 16, 16, 8, 4, 2, 1]  # 512 items: 256, 128, ... 1 threads
        self.assertEqual(self.ways("blelloch", 16, 512)[:9], up)
        up = [2, 4, 8, 16, 16, 8, 4, 2, 1]  # never more than 16 threads from the fifth step on
        self.assertEqual(self.ways("blelloch", 32, 512)[:9], up)
        self.assertEqual(set(self.ways("blelloch-padded", 32, 512)), {1})
        self.assertEqual(set(self.ways("blelloch-fully-padded", 32, 2048)), {1})
        self.assertGreater(max(self.ways("blelloch-padded", 32, 2048)), 1)

    def test_addresses(self):
        text = self.text(" ".join(["1"] * 128), "--algorithm", "blelloch-padded", "--banks", 32,
                         "--width", 1000)
        rows = re.search(r"step 1:.*\n +thread +(.*)\n +item +(.*)\n +word +(.*)\n +bank +(.*)\n", text)
        thread, item, word, bank = ([int(x) for x in row.split()] for row in rows.groups())
        self.assertEqual(thread, list(range(32)))
        self.assertEqual(item, [2 * t for t in thread])
        self.assertEqual(word, [i + i // 32 for i in item])  # Harris, Listing 3
        self.assertEqual(bank, [w % 32 for w in word])

    def test_drawing(self):
        for algorithm, conflicts in (("blelloch", True), ("blelloch-padded", False)):
            svg = self.text(" ".join(["1"] * 64), "--algorithm", algorithm, "--banks", 32, "--svg", "-")
            xml.fromstring(svg)
            self.assertEqual('class="conflict"' in svg, conflicts)


@unittest.skipUnless(HAS_RANKS, "this build has no simulated ranks")
class Ranks(ExplainCase):
    """Scans and sorts on several ranks: what each holds, and what they send."""

    def shown(self, items, ranks, *options):
        """The items and the results of each rank, and the messages."""
        text = self.text(" ".join(map(str, items)), "--ranks", ranks, *options)
        rows = [[int(x) for x in row.split()]
                for row in re.findall(r"^  rank \d+:((?: -?\d+)*) ?$", text, re.MULTILINE)]
        messages = [(int(a), int(b), [int(x) for x in sent.split()]) for a, b, sent in
                    re.findall(r"^  rank (\d+) to rank (\d+): (.*)$", text, re.MULTILINE)]
        self.assertEqual(len(rows), 2 * ranks, text)
        return rows[:ranks], rows[ranks:], messages

    def test_results(self):
        for items, ranks, options in combinations(
                4, [[5], [3, 1, 7, 0, 4, 1, 6, 3], [2] * 20, list(range(30, -30, -1))],
                [1, 2, 3, 4, 16], [[], ["--exclusive"], ["--sort"], ["--sort", "--seed", "7"]]):
            before, after, messages = self.shown(items, ranks, *options)
            self.assertEqual(sum(before, []), items)
            sums = list(itertools.accumulate(items))
            self.assertEqual(sum(after, []), sorted(items) if "--sort" in options else
                             ([0] + sums)[:len(items)] if options else sums)
            if "--sort" not in options:
                self.assertEqual(messages, [])
                continue
            for rank in range(ranks):  # what a rank keeps, sends and gets
                kept = list(before[rank])
                for a, b, sent in messages:
                    for x in sent if a == rank else []:
                        kept.remove(x)
                got = sum([sent for a, b, sent in messages if b == rank], [])
                self.assertEqual(sorted(kept + got), after[rank])

    def test_drawing(self):
        for options in [[], ["--sort"]]:
            root = xml.fromstring(self.text(PAPER, "--ranks", "4", *options, "--svg", "-"))
            svg = "{http://www.w3.org/2000/svg}"
            cells = [x for x in root.iter(svg + "rect") if x.get("class") in ("item", "result")]
            arrows = [x for x in root.iter(svg + "path") if x.get("class") == "message"]
            self.assertEqual((len(cells), len(arrows) > 0), (16, options != []))

    def test_usage(self):
        for option in [["--algorithm", "blelloch"], ["--block", "4"], ["--banks", "32"]]:
            self.fails(USAGE, "--ranks", PAPER, "--ranks", "4", *option)
        self.fails(USAGE, "--sort", PAPER, "--sort")
        self.fails(USAGE, "--ranks", PAPER, "--ranks", "17")
        self.fails(USAGE, "expected at most 2048", " ".join(["1"] * 2049), "--ranks", "2")


class Drawings(ExplainCase):
    @staticmethod
    @functools.cache
    def drawings():
        """(arguments, root element) of a drawing of each text that has one, and of more blocks."""
        more = [[PAPER, "--algorithm", name, "--block", "2", "--seed", str(seed)]
                for name in ("chained-scan", "decoupled-look-back") for seed in (1, 7)]
        more += [[PAPER, "--algorithm", "global-hillis-steele", "--block", "2"],
                 [" ".join(["1"] * 64), "--algorithm", "decoupled-look-back", "--seed", "1"]]
        return [(arguments, xml.fromstring(subprocess.run(
            [PROGRAM, *arguments, "--svg", "-"], check=True, capture_output=True).stdout))
            for arguments in [*shown_texts().values(), *more] if len(arguments[0].split()) <= 64]

    def test_no_arrow_crosses_words(self):
        """No arrow passes through a label, a heading, the name of a block or a note."""
        svg = "{http://www.w3.org/2000/svg}"
        for arguments, root in self.drawings():
            points = [point for path in root.iter(svg + "path")
                      if path.get("class") in ("arrow copy", "arrow earlier", "arrow later")
                      for point in points_along(path.get("d"))]
            for text in root.iter(svg + "text"):
                x, y = float(text.get("x")), float(text.get("y"))
                if text.get("class") not in ("words", "label", "heading") or y < 90:
                    continue
                right = x + 5.5 * len(text.text)
                crossing = [p for p in points if x < p[0] < right and y - 8 < p[1] < y]
                self.assertEqual(crossing, [], (arguments, text.text))

    def test_padding_is_dashed(self):
        """Of 3 items in a block of 4, the fourth cell is none; of 4 items all are."""
        for items, dashed in (("3 1 7", True), ("3 1 7 0", False)):
            svg = self.text(items, "--algorithm", "kogge-stone", "--block", 4, "--svg", "-")
            self.assertEqual('identity"/>' in svg, dashed)

    def test_many_items_are_dots(self):
        svg = self.text(" ".join(["1"] * 64), "--algorithm", "blelloch", "--svg", "-")
        self.assertNotIn('class="number"', svg)
        self.assertLess(float(re.search(r'viewBox="0 0 ([0-9.]+)', svg)[1]), 1200)

    def test_well_formed(self):
        for _, root in self.drawings():
            box = [float(x) for x in root.get("viewBox").split()]
            for text in root.iter("{http://www.w3.org/2000/svg}text"):
                self.assertTrue(text.text)
                self.assertTrue(0 <= float(text.get("x")) <= box[2])
                self.assertTrue(0 <= float(text.get("y")) <= box[3])

    def test_file_beside_the_text(self):
        path = self.path("drawing.svg")
        self.assertEqual(self.text(PAPER, "--svg", path), self.text(PAPER))
        self.assertEqual(pathlib.Path(path).read_text(), self.text(PAPER, "--svg", "-"))


class Errors(ExplainCase):
    def test_usage(self):
        self.fails(USAGE, "number 2, 'x', is none", "3 x")
        self.fails(USAGE, "'99999999999'", "99999999999")
        self.fails(USAGE, "expected 1 to 2048", " ")
        self.fails(USAGE, "hillis-steele, kogge-stone,", PAPER, "--algorithm", "none")
        self.fails(USAGE, "--block 2 or more", PAPER, "--block", "1")
        self.fails(USAGE, "--block", PAPER, "--block", "1025")
        self.fails(USAGE, "--block", PAPER, "--block", "0")
        for option in ["--block", "--width", "--seed"]:
            for wrong in ["0x40", "+64", "6e1", "64.0"]:
                self.fails(USAGE, "%s: '%s', expected a whole number" % (option, wrong), PAPER,
                           option + "=" + wrong)
        self.assertEqual(self.succeeds(PAPER, "--block", "010"),
                         self.succeeds(PAPER, "--block", "10"))
        for name in ["x.png", "x.svg.gz", "x.SVGZ", "x.pdf"]:
            self.fails(USAGE, "the ending .", PAPER, "--svg", self.path(name))
        self.fails(USAGE, "--svg: ''", PAPER, "--svg", "")
        self.fails(USAGE, "65 numbers are too many for a drawing", " ".join(["1"] * 65), "--svg",
                   "-")
        self.fails(USAGE, "--bolck", PAPER, "--bolck", "4")

    def test_files(self):
        self.fails(BAD_FILE, "/no/such/folder", PAPER, "--svg", "/no/such/folder/x.svg")


if __name__ == "__main__":
    unittest.main()
