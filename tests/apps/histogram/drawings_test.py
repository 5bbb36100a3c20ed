#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plots in the terminal and pictures of scan-histogram, seen from outside.
Run as: drawings_test.py path/to/scan-histogram path/to/scan-histogram-faulty"""
import os
import shutil
import unittest
import xml.etree.ElementTree

import numpy as np

from histogram_program import HistogramCase
from array_program import content_of
from program_case import BAD_FILE, DONE, FAILURE, USAGE

GNUPLOT = shutil.which("gnuplot")


class Drawings(HistogramCase):
    def test_a_plot_in_the_terminal(self):
        source = self.save("in.npy", np.array([0, 0, 0, 0, 1, 1, 3]))
        text = self.succeeds(source, "--integers", "--plot").decode().splitlines()
        self.assertIn("7 samples, 4 bins", text[0])
        self.assertEqual([line.split()[-1] for line in text[2:6]], ["4", "2", "|0", "1"])
        self.assertAlmostEqual(text[2].count("█"), 2 * text[3].count("█"), delta=1)
        self.assertIn("samples", text[7])
        self.assertEqual(text[8], "0 below, 7 inside, 0 above, 0 nan")
        self.assertIn("logarithmic",
                      self.succeeds(source, "--integers", "--plot", "--log").decode())

    def test_one_sample_of_many_has_a_bar(self):
        source = self.save("in.npy", np.append(np.zeros(100000, "int32"), [1, 3]))
        lines = self.succeeds(source, "--integers", "--plot").decode().splitlines()[3:6]
        self.assertEqual([line.split("|")[1] for line in lines], ["▏ 1", "0", "▏ 1"])

    def test_many_bins_share_lines(self):
        source = self.save("in.npy", np.arange(1000))
        text = self.succeeds(source, "--bins", "1000", "--plot").decode().splitlines()
        self.assertEqual(len(text), 40 + 5)
        self.assertTrue(all(line.endswith(" 25") for line in text[2:42]))

    def test_counts_and_a_plot(self):
        source = self.save("in.npy", np.array([1, 2, 3]))
        code, out, err = self.call(source, "--integers", "--plot", "-o", "-")
        self.assertEqual(code, DONE)
        self.write("o.npy", out)
        self.assertSame(self.load("o.npy", "int64"), np.array([0, 1, 1, 1]))
        self.assertIn("3 samples", err)
        out = self.succeeds(source, "--integers", "--plot", "-o", self.path("o.txt"))
        self.assertEqual(content_of(self.path("o.txt")), b"0\n1\n1\n1\n")
        self.assertIn("3 samples", out.decode())

    def test_a_plot_that_cannot_be_written(self):
        with open("/dev/full", "wb") as full:
            for flags in [["-o", "-"], ["-o", "/dev/stdout"]]:
                code, _, _ = self.call("-", "--plot", *flags, data=b"1\n2\n", stderr=full)
                self.assertEqual(code, BAD_FILE)
            self.fails(BAD_FILE, "<stdout>: cannot write", "-", "--plot", data=b"1\n2\n",
                       stdout=full)

    def test_endings_of_other_formats(self):
        for option, name in [("--svg", "x.png"), ("--svg", "x.svg.gz"), ("--png", "x.SVG"),
                             ("--png", "x.jpg"), ("-o", "x.csv.xz"), ("-o", "x.svg")]:
            self.fails(USAGE, ": the ending .", "-", option, self.path(name), data=b"1\n")

    def test_nothing_to_draw(self):
        source = self.save("in.npy", np.array([], "float32"))
        self.assertIn("0 samples", self.succeeds(source, "--plot").decode())
        self.assertIn("0 samples", self.succeeds(source, "--plot", "--log").decode())

    def test_sums_that_are_not_finite_end_a_plot_all_the_same(self):
        source = self.save("in.npy", np.arange(4.0))
        weights = self.save("w.npy", np.array([1, np.inf, 2, np.nan]))
        for more in [], ["--log"]:
            text = self.succeeds(source, "--bins", 4, "--weights", weights, "--plot", *more)
            self.assertEqual([line.split()[-1] for line in text.decode().splitlines()[2:6]],
                             ["1", "inf", "2", "|nan"])

    def test_sums_below_0_have_bars_of_minus_signs(self):
        source = self.save("in.npy", np.arange(4.0))
        weights = self.save("w.npy", np.array([1, -2, -4, 0]))
        text = self.succeeds(source, "--bins", 4, "--weights", weights, "--plot")
        lines = text.decode().splitlines()[2:6]
        self.assertEqual([line.split()[-1] for line in lines], ["1", "-2", "-4", "|0"])
        bars = [line.split("|")[1].split()[0] for line in lines[:3]]
        self.assertEqual([set(bar) for bar in bars[1:]], [{"-"}, {"-"}])
        self.assertAlmostEqual(len(bars[2]), 2 * len(bars[1]), delta=1)
        self.assertAlmostEqual(len(bars[2]), 4 * len(bars[0]), delta=4)
        text = self.succeeds(source, "--bins", 4, "--weights", weights, "--plot", "--log")
        self.assertIn("|-4", text.decode())

    def test_edges_have_digits_enough_to_differ(self):
        source = self.save("in.npy", np.array([1e9, 1e9 + 1]))
        lines = self.succeeds(source, "--bins", 4, "--plot").decode().splitlines()[2:6]
        self.assertEqual([line.split(" |")[0].split("[")[1] for line in lines],
                         ["1000000000, 1000000000.25)", "1000000000.25, 1000000000.5)",
                          "1000000000.5, 1000000000.75)", "1000000000.75, 1000000001]"])

    def test_a_plot_leaves_standard_output_to_a_picture(self):
        if not GNUPLOT:
            self.skipTest("needs gnuplot")
        code, out, err = self.call(self.save("in.npy", np.arange(4)), "--plot", "--svg", "-")
        self.assertEqual(code, DONE)
        xml.etree.ElementTree.fromstring(out)
        self.assertIn("4 samples, 10 bins", err)

    @unittest.skipUnless(GNUPLOT, "needs gnuplot")
    def test_all_outputs_or_none(self):
        source = self.save("in.npy", np.arange(4))
        for flags in ["--svg", "--png"]:
            self.fails(BAD_FILE, "/dev/full: cannot write", source, "-o", self.path("c.npy"),
                       flags, "/dev/full")
        self.fails(BAD_FILE, "/dev/full: cannot write", source, "-o", "/dev/full", "--svg",
                   self.path("c.svg"))
        with open("/dev/full", "wb") as full:
            self.fails(BAD_FILE, "<stdout>: cannot write", source, "-o", self.path("c.npy"),
                       "--plot", "--svg", self.path("c.svg"), stdout=full)

    @unittest.skipUnless(GNUPLOT, "needs gnuplot")
    def test_what_is_not_finite_is_not_in_a_picture(self):
        source = self.save("in.npy", np.arange(4.0))
        for weights in [1, np.inf, 2, np.nan], [np.inf] * 4, [-1, -2, -3, -4]:
            weights = self.save("w.npy", np.array(weights))
            for more in [], ["--log"]:
                self.succeeds(source, "--weights", weights, "--svg", self.path("o.svg"), *more)
        for edges in [-np.inf, 1, 2, np.inf], [-np.inf, np.inf]:
            edges = self.save("e.npy", np.array(edges))
            self.succeeds(source, "--edges", edges, "--svg", self.path("o.svg"))
            self.succeeds(source, "--edges", edges, "--plot", "--log")

    @unittest.skipUnless(GNUPLOT, "needs gnuplot")
    def test_pictures(self):
        for array, more in [(np.arange(500) % 37, []), (np.arange(500) % 37, ["--log"]),
                            (np.array([]), []), (np.array([]), ["--log"])]:
            source = self.save("it's.npy", array)
            self.succeeds(source, "--svg", self.path("o.svg"), "--png", self.path("o.png"), *more)
            tree = xml.etree.ElementTree.parse(self.path("o.svg"))
            words = " ".join(text for text in tree.getroot().itertext())
            self.assertIn("it's.npy", words)
            self.assertIn("samples", words)
            self.assertEqual(content_of(self.path("o.png"))[:8], b"\x89PNG\r\n\x1a\n")
            self.assertHolds("it's.npy", "o.svg", "o.png")
            os.remove(self.path("o.svg"))
            os.remove(self.path("o.png"))

    def test_no_gnuplot(self):
        source = self.save("in.npy", np.array([1, 2]))
        self.fails(FAILURE, "need gnuplot", source, "--svg", self.path("o.svg"),
                   env={**os.environ, "PATH": self.dir})


if __name__ == "__main__":
    unittest.main()
