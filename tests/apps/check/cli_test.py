#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scan-check seen from outside: exit codes, summaries, the same cases for the same seed, and a
planted fault, which has to be found, made small and shown with a command that finds it again.
Run as: cli_test.py path/to/scan-check path/to/scan-check-faulty"""
import json
import os
import re
import shlex
import sys
import unittest

sys.path.insert(0, os.path.abspath(__file__ + "/../../common"))
from program_case import BAD_FILE, DIFFERENCE, DONE, EveryProgram, ProgramCase, USAGE

PROGRAM, FAULTY = [os.path.abspath(sys.argv.pop(1)) for _ in range(2)]
FAMILIES = ["scan", "segmented", "filter", "split", "sort", "histogram", "spmv"]


class CheckCase(ProgramCase):
    name, program, faulty = "scan-check", PROGRAM, FAULTY
    timeout = 240

    def summary(self, *arguments):
        """What --json says of a run that finds nothing."""
        self.succeeds(*arguments, "--json", self.path("summary.json"))
        with open(self.path("summary.json"), encoding="utf-8") as file:
            return json.load(file)

    def fault(self, *arguments):
        """What the faulty program says that it has found."""
        code, out, _ = self.call(*arguments, program=FAULTY)
        self.assertEqual(code, DIFFERENCE)
        return out.decode()


class AsEveryProgram(EveryProgram, CheckCase):
    words_of_help = EveryProgram.words_of_help + ["--large", "Examples:", "Exit codes:"]


class Check(CheckCase):
    def test_every_family_is_checked(self):
        for what in FAMILIES:
            found = self.summary("--what", what, "--engine", "cpu", "--cases", 40, "--seed", 3)
            self.assertEqual(found["families"][what]["cases"], 40)
            self.assertEqual(found["cases"], 40)
            self.assertGreater(found["items"], 0)
            self.assertFalse(found["failed"])
        together = self.summary("--engine", "cpu", "--cases", 200)
        self.assertTrue(all(of["cases"] > 0 for of in together["families"].values()))

    def test_a_seed_names_the_cases(self):
        first, again, other = (self.summary("--engine", "cpu", "--cases", 100, "--seed", seed)
                               for seed in (5, 5, 6))
        self.assertEqual(first["families"], again["families"])
        self.assertNotEqual(first["items"], other["items"])

    def test_large_cases_come_when_asked_for(self):
        arguments = ("--what", "filter", "--engine", "cpu", "--seed", 1, "--cases", 150)
        self.assertEqual(self.summary(*arguments)["cases_beyond_1000000_items"], 0)
        self.assertGreater(self.summary(*arguments, "--large")["cases_beyond_1000000_items"], 0)

    def test_quiet_in_a_pipe(self):
        out = self.succeeds("--engine", "cpu", "--cases", 20, "--seed", 1).decode()
        self.assertRegex(out, r"^20 cases, \d+ items .* seed 1, cpu.*: scan \d+, .* spmv \d+\n$")

    def test_standard_output_that_is_lost(self):
        with open("/dev/full", "wb") as full:
            lost = "<stdout>: cannot write: No space left on device"
            self.fails(BAD_FILE, lost, "--engine", "cpu", "--cases", 5, stdout=full)
            code, _, err = self.call("--engine", "cpu", "--cases", 5, "--json", "-", stdout=full)
            self.assertEqual(code, BAD_FILE)
            self.assertTrue(err.endswith(lost + "\n"), err)
        self.fails(BAD_FILE, "<stdout>: cannot write: Bad file descriptor", "--cases", 10**9,
                   stdout=None, preexec_fn=lambda: os.close(1))

    def test_json_on_standard_output_has_it_for_itself(self):
        for name in "-", "/dev/stdout":
            code, out, err = self.call("--engine", "cpu", "--cases", 5, "--json", name)
            self.assertEqual((code, json.loads(out)["cases"]), (DONE, 5))
            self.assertRegex(err, r"^5 cases, ")

    def test_usage(self):
        for wrong in (["--what", "magic"], ["--engine", "abacus"], ["--case", 1, "--cases", 2],
                      ["--seconds", -1], ["--values", "blue"], ["--n", -1], ["x"]):
            with self.subTest(wrong=wrong):
                self.fails(USAGE, "", *wrong)
        whole = "expected a whole number from %d to 18446744073709551615"
        for option, least in ("--cases", 1), ("--case", 0), ("--seed", 0):
            for wrong in ["-1", "x", "1.5", "99999999999999999999"] + ["0"] * least:
                with self.subTest(option=option, wrong=wrong):
                    self.fails(USAGE, f"{option}: '{wrong}', {whole % least}", f"{option}={wrong}")
        for wrong in ["0", "nan", "-1", "x"]:
            self.fails(USAGE, f"--seconds: '{wrong}', expected a number above 0",
                       f"--seconds={wrong}")
        self.assertIn("seed 18446744073709551615,",
                      self.succeeds("--cases", 1, "--seed", 2**64 - 1).decode())
        self.assertEqual(self.call("--cases", 10**9, "--json", "/nowhere/at/all.json")[0], BAD_FILE)


class Fault(CheckCase):
    def test_a_fault_is_found_made_small_and_found_again(self):
        for seed in range(3):
            out = self.fault("--engine", "cpu", "--seed", seed, "--seconds", 60)
            self.assertRegex(out, r"FAILED: scan of 100 \w+, ")
            self.assertRegex(out, r"item 77: expected .*, got ")
            command = shlex.split(re.search(r"again: (.*)", out).group(1))
            self.assertEqual(command[0], "scan-check")
            for word in ("--what", "scan", "--engine", "cpu", "--n", "100", "--aligned", "--plain"):
                self.assertIn(word, command)
            again = self.fault(*command[1:])
            # All but the summary: the same case, the same difference, the same command.
            self.assertEqual(again.splitlines()[:3], out.splitlines()[:3])
            self.succeeds(*command[1:])

    def test_what_is_not_at_fault_is_not_blamed(self):
        for what in FAMILIES[1:]:
            self.succeeds("--what", what, "--engine", "cpu", "--cases", 40, program=FAULTY)


if __name__ == "__main__":
    unittest.main()
