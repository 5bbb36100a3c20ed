#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scan-check seen from outside: exit codes, summaries, the same cases for the same seed, and a
planted fault, which has to be found, made small and shown with a command that finds it again.
Run as: cli_test.py path/to/scan-check path/to/scan-check-faulty"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

PROGRAM, FAULTY = [os.path.abspath(sys.argv.pop(1)) for _ in range(2)]
DONE, DIFFERENCE, USAGE, BAD_FILE, FAILURE = range(5)
FAMILIES = ["scan", "segmented", "filter", "split", "sort"]


def run(*arguments, program=PROGRAM):
    """Runs the program; returns its exit code, standard output and standard error."""
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True,
                          timeout=240)
    return done.returncode, done.stdout, done.stderr


def summary(*arguments):
    """What --json says of a run that finds nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "summary.json")
        code, out, err = run(*arguments, "--json", path)
        assert code == DONE, out + err
        with open(path, encoding="utf-8") as file:
            return json.load(file)


class Check(unittest.TestCase):
    def test_every_family_is_checked(self):
        for what in FAMILIES:
            found = summary("--what", what, "--engine", "cpu", "--cases", 40, "--seed", 3)
            self.assertEqual(found["families"][what]["cases"], 40)
            self.assertEqual(found["cases"], 40)
            self.assertGreater(found["items"], 0)
            self.assertFalse(found["failed"])
        together = summary("--engine", "cpu", "--cases", 200)
        self.assertTrue(all(of["cases"] > 0 for of in together["families"].values()))

    def test_a_seed_names_the_cases(self):
        first, again, other = (summary("--engine", "cpu", "--cases", 100, "--seed", seed)
                               for seed in (5, 5, 6))
        self.assertEqual(first["families"], again["families"])
        self.assertNotEqual(first["items"], other["items"])

    def test_large_cases_come_when_asked_for(self):
        arguments = ("--what", "filter", "--engine", "cpu", "--seed", 1, "--cases", 150)
        self.assertEqual(summary(*arguments)["cases_beyond_1000000_items"], 0)
        self.assertGreater(summary(*arguments, "--large")["cases_beyond_1000000_items"], 0)

    def test_quiet_in_a_pipe(self):
        code, out, err = run("--engine", "cpu", "--cases", 20, "--seed", 1)
        self.assertEqual((code, err), (DONE, ""))
        self.assertRegex(out, r"^20 cases, \d+ items .* seed 1, cpu.*: scan \d+, .* sort \d+\n$")

    def test_usage(self):
        for wrong in (["--what", "magic"], ["--engine", "abacus"], ["--case", 1, "--cases", 2],
                      ["--seconds", -1], ["--values", "blue"], ["--n", -1], ["x"]):
            self.assertEqual(run(*wrong)[0], USAGE, wrong)
        code, out, _ = run("--help")
        self.assertEqual(code, DONE)
        self.assertIn("--large", out)
        self.assertEqual(run("--cases", 1, "--json", "/nowhere/at/all.json")[0], BAD_FILE)


class Fault(unittest.TestCase):
    def test_a_fault_is_found_made_small_and_found_again(self):
        for seed in range(3):
            code, out, _ = run("--engine", "cpu", "--seed", seed, "--seconds", 60, program=FAULTY)
            self.assertEqual(code, DIFFERENCE)
            self.assertRegex(out, r"FAILED: scan of 100 \w+, ")
            self.assertRegex(out, r"item 77: expected .*, got ")
            command = shlex.split(re.search(r"again: (.*)", out).group(1))
            self.assertEqual(command[0], "scan-check")
            for word in ("--what", "scan", "--engine", "cpu", "--n", "100", "--aligned", "--plain"):
                self.assertIn(word, command)
            code, again, _ = run(*command[1:], program=FAULTY)
            self.assertEqual(code, DIFFERENCE)
            # All but the summary: the same case, the same difference, the same command.
            self.assertEqual(again.splitlines()[:3], out.splitlines()[:3])
            self.assertEqual(run(*command[1:])[0], DONE)

    def test_what_is_not_at_fault_is_not_blamed(self):
        for what in FAMILIES[1:]:
            self.assertEqual(run("--what", what, "--engine", "cpu", "--cases", 40,
                                 program=FAULTY)[0], DONE)


if __name__ == "__main__":
    unittest.main()
