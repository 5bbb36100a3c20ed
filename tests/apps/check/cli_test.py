#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scan-check seen from outside: exit codes, summaries, the same cases for the same seed, and a
planted fault, which has to be found, made small and shown with a command that finds it again; and
planted crashes: each must leave such a command.
Run as: cli_test.py path/to/scan-check path/to/scan-check-faulty path/to/scan-check-crashing"""
import json
import os
import re
import shlex
import signal
import sys
import unittest

sys.path.insert(0, os.path.abspath(__file__ + "/../../common"))
from program_case import BAD_FILE, DIFFERENCE, DONE, EveryProgram, ProgramCase, USAGE

PROGRAM, FAULTY, CRASHING = [os.path.abspath(sys.argv.pop(1)) for _ in range(3)]
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
            for wrong in ["-1", "+1", "0x1", "x", "1.5", "99999999999999999999"] + ["0"] * least:
                with self.subTest(option=option, wrong=wrong):
                    self.fails(USAGE, f"{option}: '{wrong}', {whole % least}", f"{option}={wrong}")
        for wrong in ["0", "nan", "-1", "x"]:
            self.fails(USAGE, f"--seconds: '{wrong}', expected a number above 0",
                       f"--seconds={wrong}")
        self.assertIn("seed 18446744073709551615,",
                      self.succeeds("--cases", 1, "--seed", 2**64 - 1).decode())
        for name in ["x.json.gz", "x.txt", "x.xz"]:
            self.fails(USAGE, "the ending .", "--cases", 1, "--json", self.path(name))
        self.assertEqual(self.call("--cases", 10**9, "--json", "/nowhere/at/all.json")[0], BAD_FILE)


class Fault(CheckCase):
    def test_a_fault_is_found_made_small_and_found_again(self):
        for seed in range(3):
            out = self.fault("--engine", "cpu", "--what", "scan", "--seed", seed, "--seconds", 60)
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

    def test_a_fault_of_the_host_api_names_it(self):
        out = self.fault("--engine", "cpu", "--host-api", "--what", "scan", "--seed", 1)
        command = shlex.split(re.search(r"again: (.*)", out).group(1))
        self.assertIn("--host-api", command)
        self.assertEqual(self.fault(*command[1:]).splitlines()[:3], out.splitlines()[:3])

    def test_what_is_not_at_fault_is_not_blamed(self):
        for what in FAMILIES[1:]:
            if what != "filter":  # whose runs with positions are scanned by the function at fault
                self.succeeds("--what", what, "--engine", "cpu", "--cases", 40, program=FAULTY)


class Crash(CheckCase):
    def crash(self, *arguments):
        """How the crashing program ends, and the first three lines of what it says then."""
        code, out, err = self.call(*arguments, program=CRASHING)
        if code == DIFFERENCE:
            self.assertRegex(err, r"\A.*looking for a smaller one\n\Z")
            return code, out.decode().splitlines()[:3]
        self.assertEqual(out, b"")
        return code, err.splitlines()

    def crash_of(self, item_type, *arguments):
        """The same for the first seed whose first crash is a scan of this type."""
        for seed in range(200):
            code, said = self.crash("--what", "scan", "--engine", "cpu", "--seed", seed,
                                    "--cases", 50, *arguments)
            if said and re.match(r"\w+: scan of \d+ %s," % item_type, said[0]):
                return code, said
        self.fail("no crash of " + item_type)

    def test_a_signal_shows_the_command(self):
        for item_type, number in (("uint8", signal.SIGSEGV), ("int16", signal.SIGABRT),
                                  ("float64", signal.SIGSEGV)):
            code, said = self.crash_of(item_type)
            self.assertEqual(code, -number)
            self.assertEqual([line.split(":")[0] for line in said[:2]], ["CRASHED", "  again"])
            self.assertEqual(said[2:], ["  (not made smaller; --n, --values, --aligned and --plain "
                                        "may do that by hand)"])
            command = shlex.split(said[1].split(": ", 1)[1])
            self.assertEqual(self.crash(*command[1:]), (code, said))
            self.succeeds(*command[1:])

    def test_the_command_has_what_was_wished(self):
        code, said = self.crash_of("uint8", "--plain", "--values", "constant", "--aligned")
        self.assertEqual(code, -signal.SIGSEGV)
        self.assertTrue(said[1].endswith(" --values constant --aligned --plain"), said)

    def test_whatever_is_thrown_is_a_failure_made_small(self):
        for item_type, words in (("int32", "  threw: much too long"),
                                 ("int64", "  threw what is no std::exception")):
            code, said = self.crash_of(item_type)
            self.assertEqual((code, said[1]), (DIFFERENCE, words))
            self.assertRegex(said[0], r"\AFAILED: scan of 100 ")
            command = shlex.split(said[2].split(": ", 1)[1])
            self.assertEqual(self.crash(*command[1:]), (code, said))
            self.succeeds(*command[1:])


if __name__ == "__main__":
    unittest.main()
