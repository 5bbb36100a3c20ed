#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual page and the completions of every program are whole: they name every option that
--help names, groff formats the page without a warning, and bash, zsh and fish take the completions.
Run as: manuals_test.py path/to/manuals.py path/to/program..."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT, *PROGRAMS = [os.path.abspath(path) for path in sys.argv[1:]]
del sys.argv[1:]


def options_of(program):
    """The names of options at the beginnings of lines of --help."""
    text = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    groups = re.findall(r"^(?:Options|Text and CSV|Running):\n((?:  .*\n)+)", text, re.MULTILINE)
    found = re.findall(r"^  (-[\w,-]+)(?: .*)?$", "".join(groups), re.MULTILINE)
    return {name for names in found for name in names.split(",")}


class Manuals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.dir = scratch.name
        for program in PROGRAMS:
            subprocess.run([sys.executable, SCRIPT, program, cls.dir], check=True)

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def read(self, *parts):
        with open(self.path(*parts), encoding="utf-8") as file:
            return file.read()

    def complete(self, program, *words):
        """What bash offers for the last word."""
        name = os.path.basename(program)
        lines = subprocess.run(
            ["bash", "-c", 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "_${1//-/_}"; '
             'printf "%s\\n" "${COMPREPLY[@]}"', "bash", self.path("bash", name), name, *words],
            check=True, capture_output=True, text=True, cwd=self.dir)
        self.assertEqual(lines.stderr, "")
        return lines.stdout.split("\n")[:-1]

    def test_pages_name_every_option(self):
        for program in PROGRAMS:
            name = os.path.basename(program)
            page = self.read("man1", name + ".1")
            headed = {word for line in re.findall(r"^\.TP\n\.B (.*)$", page, re.MULTILINE)
                      for word in line.replace("\\-", "-").replace(",", "").split()}
            self.assertLessEqual(options_of(program), headed, name)
            self.assertIn(".SH NAME\n%s \\- " % name, page)

    @unittest.skipUnless(shutil.which("groff"), "needs groff")
    def test_groff_formats_pages_without_a_warning(self):
        for program in PROGRAMS:
            page = self.path("man1", os.path.basename(program) + ".1")
            done = subprocess.run(["groff", "-ww", "-man", "-Tutf8", "-P-cbou", page],
                                  capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "")
            self.assertIn("--version", done.stdout)

    def test_bash_completes(self):
        for program in PROGRAMS:
            self.assertEqual(set(self.complete(program, "-")), options_of(program))
            self.assertEqual(self.complete(program, "--vers"), ["--version"])
        copy = next(path for path in PROGRAMS if os.path.basename(path) == "array-copy")
        open(self.path("a b.txt"), "w").close()
        self.assertEqual(self.complete(copy, "a"), ["a b.txt"])
        self.assertEqual(self.complete(copy, "--format", "n"), ["npy"])
        for words in [["--format", "=", "n"], ["--format", "="]]:
            self.assertIn("npy", self.complete(copy, *words))
        self.assertEqual(self.complete(copy, "--column", "a"), [""])
        for sort in [path for path in PROGRAMS if os.path.basename(path) == "scan-sort"]:
            os.mkdir(self.path("a folder"))
            self.assertEqual(self.complete(sort, "--temp", "a"), ["a folder"])

    def test_other_shells_take_completions(self):
        for program in PROGRAMS:
            name = os.path.basename(program)
            zsh, fish = self.path("zsh", "_" + name), self.path("fish", name + ".fish")
            for shell, file in [("zsh", zsh), ("fish", fish), ("bash", self.path("bash", name))]:
                if shutil.which(shell):
                    subprocess.run([shell, "-n", file], check=True)
            options = options_of(program)
            text = self.read("fish", name + ".fish")
            offered = {"--" + word for word in re.findall(r" -l (\S+)", text)}
            offered |= {"-" + word for word in re.findall(r" -s (\S+)", text)}
            self.assertEqual(offered, options)
            text = self.read("zsh", "_" + name)
            self.assertEqual(set(re.findall(r"^  '\*(-[\w-]+)", text, re.MULTILINE)), options)


if __name__ == "__main__":
    unittest.main()
