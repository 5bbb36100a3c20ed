#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every system call of the output path fails once, in every program that writes arrays: the message
says what failed, the exit code is 3, nothing is left behind, and a former output stays as it was.
Run as: output_failures_test.py path/to/failing_calls.so path/to/program..."""
import errno
import os
import sys
import unittest

import numpy as np

from program_case import BAD_FILE, DONE, ProgramCase

LIBRARY, *PROGRAMS = [os.path.abspath(path) for path in sys.argv[1:]]
del sys.argv[1:]

OPTIONS = {
    "array-copy": [],
    "scan-prefix": [],
    "scan-filter": ["--keep", ">= 0"],
    "scan-sort": [],
    "scan-histogram": ["--bins", "7", "--range", "1:100"],
}

# A call, what the message says that it was for, and whether it is made for new outputs too.
CALLS = [
    ("open", "cannot create a file in {directory}", True),
    ("fchmod", "cannot set permissions", False),
    ("faccessat", "cannot replace", False),
    ("write", "cannot write", True),
    ("close", "cannot complete", True),
    ("rename", "cannot put into place", True),
]


class OutputFailures(ProgramCase):
    def setUp(self):
        super().setUp()
        self.source = self.path("in.npy")
        np.save(self.source, np.arange(100, dtype="int32"))
        os.mkdir(self.path("out"))
        self.mark = self.path("failed")

    def run_with(self, program, call, error, which, *arguments, **more):
        """Runs a program in which a call fails; returns its exit code, output and error."""
        environment = dict(os.environ, LD_PRELOAD=LIBRARY, LIBSCAN_FAILED=self.mark,
                           LIBSCAN_FAIL="%s:%d:%d" % (call, error, which))
        result = self.call(*arguments, *OPTIONS[os.path.basename(program)], program=program,
                           env=environment, **more)
        self.assertTrue(os.path.exists(self.mark), "no such call was made: %s" % ((result[0], result[2]),))
        os.remove(self.mark)
        return result

    def outputs(self):
        return sorted(os.listdir(self.path("out")))

    def each_case(self):
        for program in PROGRAMS:
            for replaces in [False, True]:
                for name in ["x.npy", "x.txt", "x.npy.gz"]:
                    if name != "x.npy" and not program.endswith("array-copy"):
                        continue
                    yield program, os.path.join(self.path("out"), name), replaces

    def prepare(self, target, replaces):
        for name in self.outputs():
            os.remove(os.path.join(self.path("out"), name))
        if replaces:
            with open(target, "wb") as file:
                file.write(b"precious")
            os.chmod(target, 0o640)

    def assert_untouched(self, target, replaces):
        self.assertEqual(self.outputs(), [os.path.basename(target)] if replaces else [])
        if replaces:
            with open(target, "rb") as file:
                self.assertEqual(file.read(), b"precious")
            self.assertEqual(os.stat(target).st_mode & 0o777, 0o640)

    def test_any_call_that_fails_leaves_everything_as_it_was(self):
        for program, target, replaces in self.each_case():
            for call, doing, always in CALLS:
                if not replaces and not always:
                    continue
                error = {"faccessat": errno.EACCES, "rename": errno.EXDEV}.get(call, errno.EIO)
                with self.subTest(program=os.path.basename(program), target=target,
                                  replaces=replaces, call=call):
                    self.prepare(target, replaces)
                    code, out, err = self.run_with(program, call, error, 1, self.source, "-o",
                                                   target)
                    doing = doing.format(directory=os.path.dirname(target) + "/")
                    self.assertEqual((code, out, err), (BAD_FILE, b"", "%s: error: %s: %s: %s\n" % (
                        os.path.basename(program), target, doing, os.strerror(error))))
                    self.assert_untouched(target, replaces)

    def test_a_later_write_that_fails(self):
        # An output of several buffers: 1.2 MB.
        np.save(self.source, np.arange(300000, dtype="int32"))
        for which in [1, 2]:
            for replaces in [False, True]:
                with self.subTest(which=which, replaces=replaces):
                    target = os.path.join(self.path("out"), "x.txt")
                    self.prepare(target, replaces)
                    code, _, err = self.run_with(PROGRAMS[0], "write", errno.ENOSPC, which,
                                                 self.source, "-o", target)
                    self.assertEqual((code, err),
                                     (BAD_FILE, "array-copy: error: %s: cannot write: "
                                      "No space left on device\n" % target))
                    self.assert_untouched(target, replaces)

    def test_calls_that_only_have_to_be_made_again(self):
        for program, target, _ in self.each_case():
            for call, error in [("write", errno.EINTR), ("write", errno.EAGAIN), ("write", -1),
                                ("open", errno.EEXIST)]:
                with self.subTest(program=os.path.basename(program), target=target, call=call,
                                  error=error):
                    self.prepare(target, False)
                    self.call(self.source, "-o", target, *OPTIONS[os.path.basename(program)],
                              program=program)
                    with open(target, "rb") as file:
                        expected = file.read()
                    self.prepare(target, True)
                    self.assertEqual(self.run_with(program, call, error, 1, self.source, "-o",
                                                   target), (DONE, b"", ""))
                    with open(target, "rb") as file:
                        self.assertEqual(file.read(), expected)
                    self.assertEqual(self.outputs(), [os.path.basename(target)])

    def test_standard_output(self):
        for program in PROGRAMS:
            for call, doing in [("dup", "cannot write"), ("write", "cannot write"),
                                ("close", "cannot complete")]:
                with self.subTest(program=os.path.basename(program), call=call):
                    # scan-sort opens its output anew where it turns out not to write rows of text.
                    which = 2 if call == "close" and program.endswith("scan-sort") else 1
                    code, out, err = self.run_with(program, call, errno.EIO, which, self.source)
                    self.assertEqual((code, err), (BAD_FILE, "%s: error: <stdout>: %s: %s\n" % (
                        os.path.basename(program), doing, os.strerror(errno.EIO))))
                    if call != "close":
                        self.assertEqual(out, b"")

    def test_help_that_cannot_be_written(self):
        for program in PROGRAMS:
            for call in ["write", "close"]:
                with self.subTest(program=os.path.basename(program), call=call):
                    code, _, err = self.run_with(program, call, errno.EIO, 1, "--help")
                    self.assertEqual(code, BAD_FILE)
                    self.assertIn("error: <stdout>: cannot ", err)

    def test_of_two_outputs_neither_is_there_if_one_cannot_be_completed(self):
        program = next((p for p in PROGRAMS if p.endswith("scan-filter")), None)
        if program is None:
            self.skipTest("no scan-filter")
        targets = [os.path.join(self.path("out"), name) for name in ["kept.npy", "rejected.npy"]]
        for call, which in [("open", 1), ("open", 2), ("write", 1), ("write", 2), ("close", 1),
                            ("close", 2), ("rename", 1)]:
            with self.subTest(call=call, which=which):
                self.prepare(targets[0], False)
                code, _, err = self.run_with(program, call, errno.ENOSPC, which, self.source, "-o",
                                             targets[0], "--split", targets[1])
                self.assertEqual(code, BAD_FILE, err)
                self.assertEqual(self.outputs(), [])


if __name__ == "__main__":
    unittest.main()
