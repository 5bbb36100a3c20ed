#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--gpus of the programs, in the executor: the same bytes as without, for any number of ranks, and
one message if something is wrong.
Run as: programs_gpus_test.py scan-sort scan-prefix scan-filter scan-histogram"""
import os
import sys
import unittest

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../apps/common"))
from program_case import BAD_FILE, DONE, USAGE, ProgramCase  # noqa: E402

PROGRAMS = {os.path.basename(path)[5:]: os.path.abspath(path) for path in sys.argv[1:]}
del sys.argv[1:]


class Gpus(ProgramCase):
    def setUp(self):
        super().setUp()
        items = np.random.default_rng(1).integers(-1000, 1000, 5011).astype("int32")
        np.save(self.path("in.npy"), items)

    def run_one(self, name, *arguments):
        return self.call(*arguments, program=PROGRAMS[name], cwd=self.dir)

    def check(self, name, *arguments):
        """The output has the bytes of one process on the cpu engine."""
        result = self.run_one(name, "in.npy", *arguments, "-o", "one.npy", "--engine", "cpu")
        self.assertEqual(result[::2], (DONE, ""))
        for gpus in ["1", "3", "5,5"]:
            result = self.run_one(name, "in.npy", *arguments, "-o", "many.npy", "--gpus", gpus,
                                  "--engine", "executor")
            self.assertEqual(result[::2], (DONE, ""))
            with open(self.path("one.npy"), "rb") as one, open(self.path("many.npy"), "rb") as many:
                self.assertEqual(one.read(), many.read(), (name, arguments, gpus))
            os.remove(self.path("many.npy"))

    def test_results(self):
        self.check("sort")
        self.check("sort", "--descending", "--argsort")
        self.check("prefix", "--exclusive", "--reverse")
        self.check("prefix", "--op", "max", "--init", "3")
        self.check("filter", "--keep", "> 900 or < -990")
        self.check("histogram", "--bins", "17")

    def test_time_names_the_ranks(self):
        code, _, err = self.run_one("sort", "in.npy", "-o", "out.npy", "--gpus", "2", "--engine",
                                    "executor", "--time")
        self.assertEqual(code, DONE)
        self.assertRegex(err, r"(?s)\Ascan-sort: read .* s  2 ranks\n.*sort .*write ")

    def test_what_does_not_go(self):
        for arguments, words in [
                (["--gpus", "0"], "--gpus: '0', expected at least one GPU"),
                (["--gpus", "1,x"], "--gpus: '1,x', expected all, a number of GPUs"),
                (["--gpus", "65"], "--gpus: '65', expected all"),
                (["--gpus", "all"], "--gpus all: the executor needs a number"),
                (["--gpus", "2", "--unique"], "--unique does not go with --gpus"),
                (["--gpus", "2", "--threads", "2"], "--threads does not go with --gpus"),
                (["--gpus", "2", "--verify"], "--verify does not go with --gpus")]:
            code, _, err = self.run_one("sort", "in.npy", "-o", "out.npy", "--engine", "executor",
                                        *arguments)
            self.assertEqual((code, err.count("\n")), (USAGE, 1), err)
            self.assertIn(words, err)
            self.assertHolds("in.npy")
        code, _, err = self.run_one("sort", "in.npy", "-o", "out.npy", "--gpus", "2", "--engine", "cpu")
        self.assertEqual(code, USAGE)
        self.assertIn("--gpus does not go with --engine cpu", err)

    def test_a_missing_file_is_one_message(self):
        code, _, err = self.run_one("sort", "none.npy", "-o", "out.npy", "--gpus", "3", "--engine",
                                    "executor")
        self.assertEqual((code, err.count("\n")), (BAD_FILE, 1), err)
        self.assertHolds("in.npy")


if __name__ == "__main__":
    unittest.main()
