#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every program refuses an empty value of every argument that its --help names, and says whose. Every program
starts, or ends in words, if the system gives it little.
Run as: arguments_test.py path/to/program..."""
import os
import re
import resource
import signal
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from program_case import BAD_FILE, DONE, FAILURE, ProgramCase, USAGE, limited, some_of

PROGRAMS = [os.path.abspath(path) for path in sys.argv[1:]]
del sys.argv[1:]
NOWHERE = "/no/such/file"  # an argument that is refused is refused before any file is opened
# Some of what --help must show, so that a help that is read wrongly does not pass.
COMMON = {"--engine", "--threads", "--memory", "--dtype", "--column", "--format", "--header",
          "--comments", "--delimiter", "--missing", "--json", "-o", "--output"}
KNOWN = {"array-copy": ({"input"}, COMMON),
         "scan-filter": ({"INPUT"}, COMMON | {"--keep", "--mask", "--split"}),
         "scan-histogram": ({"INPUT"}, COMMON | {"--bins", "--edges", "--weights", "--svg", "--png"}),
         "scan-prefix": ({"INPUT"}, COMMON | {"--op", "--init", "--heads", "--keys", "--algorithm"}),
         "scan-sort": ({"INPUT"}, COMMON | {"--values", "--values-output", "--values-dtype", "--bits"}),
         "scan-spmv": ({"MATRIX"}, COMMON | {"--x", "--semiring", "--repeat", "--spy"}),
         "scan-check": (set(), {"--what", "--n", "--values", "--engine", "--cases", "--json"}),
         "scan-explain": ({"NUMBERS"}, {"--algorithm", "--block", "--seed", "--svg", "--width"}),
         "pagerank": ({"GRAPH", "NAMES", "TOP"}, set())}


class Arguments(ProgramCase):
    def arguments_of(self, program):
        """The positional arguments, the options that take a value and the flags, by --help."""
        self.name, self.program = os.path.basename(program), program
        text = self.succeeds("--help").decode()
        sections = dict(re.findall(r"^(Positionals|Options|Text and CSV|Running):\n((?:  .*\n)+)",
                                   text, re.MULTILINE))
        positionals = re.findall(r"^  ([\w-]+) ", sections.get("Positionals", ""), re.MULTILINE)
        options, flags = [], []
        for names, value in re.findall(r"^  (-\S+)(?: (?!\w+: )(\S+))?(?: .*)?$", 
                                       "".join(sections.values()), re.MULTILINE):
            (options if value else flags).extend(names.split(","))
        return positionals, options, flags

    def test_empty_values_are_refused_by_name(self):
        for program in PROGRAMS:
            positionals, options, flags = self.arguments_of(program)
            min_positionals, min_options = KNOWN[self.name]
            self.assertLessEqual(min_positionals, set(positionals))
            self.assertLessEqual(min_options, set(options))
            self.assertLessEqual({"--help", "--version"}, set(flags))
            whole = [NOWHERE] * len(positionals)
            for place, name in enumerate(positionals):
                with self.subTest(program=self.name, argument=name):
                    self.refuses(name, *whole[:place], "", *whole[place + 1:])
            for option in options:
                with self.subTest(program=self.name, argument=option):
                    self.refuses(r"(-\w,)?" + option if option.startswith("--") else "--output",
                                 option, "", *whole)
            # CLI11 would take the next word as the value.
            for option in some_of(2, options + flags):
                if option.startswith("--"):
                    with self.subTest(program=self.name, argument=option + "="):
                        self.refuses(option, option + "=", *whole)

    def refuses(self, name, *arguments):
        error = self.fails(USAGE, "'', expected a value", *arguments)
        self.assertRegex(error, r"\A%s: '', expected a value" % name)

    def test_libraries_never_come_from_the_current_folder(self):
        self.write("libz.so.1", b"no library")
        for program in PROGRAMS:
            with self.subTest(program=program):
                self.name, self.program = os.path.basename(program), program
                self.succeeds("--version", cwd=self.dir)

    def test_options_that_are_given_twice(self):
        for program in PROGRAMS:
            positionals, options, _ = self.arguments_of(program)
            if "--engine" in options:
                self.fails_with(USAGE, "--engine is given 2 times, expected once (see %s --help)" %
                                self.name, "--engine", "cpu", *[NOWHERE] * len(positionals),
                                "--engine=auto")

    def test_options_that_do_not_exist(self):
        for program in PROGRAMS:
            options = self.arguments_of(program)[1]
            self.fails_with(USAGE, "--nonsense is no option (see %s --help)" % self.name,
                            "--nonsense")
            known = max((word for word in options if word.startswith("--")), key=len, default=None)
            for typed in [known + "s", known[:-1], known[:3] + known[4:]] if known else []:
                if typed in options:
                    continue
                for words in [[typed], [typed + "=1", NOWHERE], [NOWHERE, typed, "1"]]:
                    self.fails_with(USAGE, "%s is no option: did you mean %s? (see %s --help)" %
                                    (typed, known, self.name), *words)

    def test_short_help_is_shorter(self):
        for program in PROGRAMS:
            options = self.arguments_of(program)[1]
            short = self.succeeds("-h").decode()
            for word in options:
                self.assertIn(word, short)
            self.assertLess(len(short), len(self.succeeds("--help")))
            self.assertEqual(self.succeeds("-V"), self.succeeds("--version"))

    def test_values_that_look_empty_are_none(self):
        program = next(path for path in PROGRAMS if os.path.basename(path) == "array-copy")
        self.name, self.program = "array-copy", program
        source = self.write("x.txt", b"1\n")
        self.succeeds("--output=" + self.path("a="), source)
        self.assertHolds("a=", "x.txt")
        self.fails(BAD_FILE, "--column=: cannot open for reading", "--", "--column=")

    def test_messages_about_other_files_name_no_option_of_the_input(self):
        items = self.write("items.raw", b"1234")
        calls = [("scan-prefix", option) for option in ["--keys", "--heads", "--offsets"]]
        calls += [("scan-filter", "--mask"), ("scan-sort", "--values"),
                  ("scan-histogram", "--weights"), ("scan-histogram", "--edges")]
        texts = {b"7m\n1\n2\n": "x.txt:1: '7m' is no number, expected",
                 b"1\n#2\n3\n": "x.txt:2: '#2' is no number, expected",
                 b"NA\n1\n": "x.txt:1: 'NA' means a missing value, expected",
                 b"1\n2\n\x013\n": "x.txt:3: '\\x013' is no number, expected",
                 b"v w\n1 2\n": "note: x.txt:1: 'v w' is read as a header\n"}
        for program in PROGRAMS:
            name = os.path.basename(program)
            for option in [option for of, option in calls if of == name]:
                for text, words in texts.items():
                    if option == "--offsets" and text.startswith(b"v"):
                        continue  # refused as an offset
                    self.write("x.txt", text)
                    more = ["--values-output", "y.txt"] if option == "--values" else []
                    code, _, err = self.call(items, "--dtype", "uint8", option, "x.txt", *more,
                                             "-o", "o.txt", program=program, cwd=self.dir)
                    with self.subTest(program=name, option=option, text=text):
                        self.assertEqual(code, BAD_FILE, err)
                        self.assertIn(words, err)
                        self.assertNotRegex(err, "--(header|column|comments|format)")


KIB = 1 << 10


@unittest.skipIf("LIBSCAN_SANITIZED" in os.environ, "a sanitizer needs more")
class LittleToStartWith(ProgramCase):
    def each_program(self):
        for program in PROGRAMS:
            self.name, self.program = os.path.basename(program), program
            with self.subTest(program=self.name):
                yield

    def starts(self, what, most):
        """The exit code and error of --version under this limit."""
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        code, _, err = self.call("--version", **limited(what, most))
        return code, err

    def test_address_space(self):
        for _ in self.each_program():
            low, high = 1 << 20, 1 << 30
            while high - low > 16 * KIB:
                middle = (low + high) // 2
                low, high = ((low, middle) if self.starts(resource.RLIMIT_AS, middle)[0] == DONE
                             else (middle, high))
            # With less than that the program has no memory; with still less its loader says so (127). The CUDA
            # runtime ends in a fault if it has no memory before `main`.
            with open(self.program, "rb") as file:
                expected = [DONE, FAILURE, 127] + [-signal.SIGSEGV] * (b"libcuda.so" in file.read())
            seen = set()
            for less in some_of(2, range(0, 400, 12)):
                code, err = self.starts(resource.RLIMIT_AS, high - less * KIB)
                seen.add(code)
                self.assertIn(code, expected, (less, err))
                if code == FAILURE:
                    self.assertEqual(err, self.name + ": error: out of memory\n")
            self.assertIn(FAILURE, seen)

    def test_stack(self):
        for _ in self.each_program():
            for kib in [64, 100, 127]:
                self.fails(FAILURE, "the stack is limited to less than 128 KiB (see ulimit -s)",
                           "--version", **limited(resource.RLIMIT_STACK, kib * KIB))
            self.assertEqual(self.starts(resource.RLIMIT_STACK, 128 * KIB), (DONE, ""))


if __name__ == "__main__":
    unittest.main()
