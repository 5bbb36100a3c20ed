#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every system call of the output path fails once, in every program that writes arrays: the message
says what failed, the exit code is 3, nothing is left, and a former output stays as it was.
Signals come before each of these calls, and calls that a file system does not have are done without.
Run as: output_failures_test.py path/to/failing_calls.so path/to/program..."""
import errno
import itertools
import os
import resource
import signal
import sys
import unittest

import numpy as np

from program_case import BAD_FILE, DONE, ProgramCase, combinations

LIBRARY, *PROGRAMS = [os.path.abspath(path) for path in sys.argv[1:]]
del sys.argv[1:]

OPTIONS = {
    "array-copy": [],
    "scan-prefix": [],
    "scan-filter": ["--keep", ">= 0"],
    "scan-sort": [],
    "scan-histogram": ["--bins", "7", "--range", "1:100"],
}
# Calls with two outputs, {0} and {1}, by program, and the names of these.
PAIRS = {
    "scan-filter": (["{input}", "--keep", "> 50", "-o", "{0}", "--split", "{1}"], ["a", "b"]),
    "scan-sort": (["{input}", "--values", "{input}", "-o", "{0}", "--values-output", "{1}"],
                  ["a", "b"]),
    "scan-spmv": (["{matrix}", "-o", "{0}", "--spy", "{1}"], ["a", "b.svg"]),
}
MATRIX = b"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 2 2.5\n"

NAMELESS = "tmpfile:%d:0" % errno.EOPNOTSUPP  # a file system without O_TMPFILE
OF_EVERY_OUTPUT = [("write", "cannot write"), ("dup", "cannot complete"),
                   ("close", "cannot complete")]
CREATED = "cannot create a file in {directory}"
REPLACING = [("faccessat", "cannot replace"), ("fchown", "cannot set the owner"),
             ("fchmod", "cannot set permissions"), ("fsync", "cannot complete"),
             ("rename", "cannot put into place")]
# By what is there before, and what fails besides: the calls, and what the message says they were for.
CALLS = {
    ("nothing", ""): [("tmpfile", CREATED), *OF_EVERY_OUTPUT, ("linkat", "cannot put into place")],
    ("file", ""): [("tmpfile", CREATED), *OF_EVERY_OUTPUT, *REPLACING,
                   ("linkat", "cannot put into place")],
    ("nothing", NAMELESS): [("open", CREATED), *OF_EVERY_OUTPUT,
                            ("rename", "cannot put into place")],
    ("file", NAMELESS): [("open", CREATED), *OF_EVERY_OUTPUT, *REPLACING],
    ("links", ""): [("tmpfile", CREATED), *OF_EVERY_OUTPUT, ("faccessat", "cannot replace"),
                    ("open", "cannot overwrite"), ("fallocate", "cannot overwrite")],
    ("links", NAMELESS): [("open", CREATED), *OF_EVERY_OUTPUT, ("fallocate", "cannot overwrite")],
}
# What a file system, a kernel or a user may lack: what is there before, and what fails.
LACKS = [("nothing", "tmpfile:%d:0" % errno.EOPNOTSUPP), ("nothing", "tmpfile:%d:0" % errno.EISDIR),
         ("file", "tmpfile:%d:0" % errno.EISDIR), ("file", "fchown:%d:0" % errno.EPERM),
         ("file", "rename:%d:0" % errno.EBUSY), ("links", "fallocate:%d:0" % errno.EOPNOTSUPP),
         *[(before, "linkat:%d:0" % error) for before in ["nothing", "file"]
           for error in [errno.ENOENT, errno.EXDEV, errno.EPERM]]]
# Signals whose default ends a process, except SIGKILL; the programs ignore two of them.
IGNORED = {signal.SIGPIPE, signal.SIGXFSZ}
ENDING = sorted(signal.valid_signals() - {
    signal.SIGKILL, signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGCHLD,
    signal.SIGCONT, signal.SIGURG, signal.SIGWINCH})


def options_of(program):
    return OPTIONS[os.path.basename(program)]


class FailuresCase(ProgramCase):
    def setUp(self):
        super().setUp()
        self.source = self.path("in.npy")
        np.save(self.source, np.arange(100, dtype="int32"))
        self.write("matrix.mtx", MATRIX)
        os.mkdir(self.path("out"))
        self.mark = self.path("failed")

    def run_with(self, failures, program, *arguments, reached=True, **more):
        """Runs a program in which calls fail; returns its exit code, output and error."""
        environment = dict(os.environ, LD_PRELOAD=LIBRARY, LIBSCAN_FAILED=self.mark,
                           LIBSCAN_FAIL=failures)
        result = self.call(*arguments, program=program, env=environment,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
                           **more)
        if reached:
            self.assertTrue(os.path.exists(self.mark), "no such call was made: %s" % (result,))
            os.remove(self.mark)
        return result

    def outputs(self):
        return sorted(os.listdir(self.path("out")))

    def out(self, name):
        return os.path.join(self.path("out"), name)

    def content(self, path):
        with open(path, "rb") as file:
            return file.read()

    def prepare(self, *targets):
        """Each target: its path, and what is there before it is written."""
        for name in self.outputs():
            os.remove(self.out(name))
        for target, before in targets:
            if before != "nothing":
                with open(target, "wb") as file:
                    file.write(b"precious")
                os.chmod(target, 0o640)
            if before == "links":
                os.link(target, target + "-2")
        self.before = {name: os.stat(self.out(name)) for name in self.outputs()}

    def assert_untouched(self):
        self.assertEqual(self.outputs(), sorted(self.before))
        for name, before in self.before.items():
            now = os.stat(self.out(name))
            self.assertEqual(self.content(self.out(name)), b"precious")
            self.assertEqual([now.st_mode, now.st_ino, now.st_nlink],
                             [before.st_mode, before.st_ino, before.st_nlink])

    def assert_whole(self, target, before, expected):
        """The output is there, and what it passes on from what was there before."""
        self.assertEqual(self.content(target), expected)
        self.assertEqual(self.outputs(), sorted({os.path.basename(target), *self.before}))
        if before != "nothing":
            self.assertEqual(os.stat(target).st_mode & 0o777, 0o640)
        if before == "links":
            self.assertTrue(os.path.samefile(target, target + "-2"))


class OneOutput(FailuresCase):
    def programs(self):
        return [program for program in PROGRAMS if os.path.basename(program) in OPTIONS]

    def each_target(self):
        for program in self.programs():
            for name in ["x.npy", "x.txt", "x.npy.gz"]:
                if name == "x.npy" or program.endswith("array-copy"):
                    yield program, self.out(name)

    def test_any_call_that_fails_leaves_everything_as_it_was(self):
        for (program, target), (before, lacks, call, doing) in combinations(
                2, self.each_target(), [(before, lacks, call, doing)
                                        for (before, lacks), calls in CALLS.items()
                                        for call, doing in calls]):
            with self.subTest(program=os.path.basename(program), target=target, before=before,
                              lacks=lacks, call=call):
                self.prepare((target, before))
                failures = "%s:%d:1" % (call, errno.EIO) + ("," + lacks if lacks else "")
                code, out, err = self.run_with(failures, program, self.source, "-o", target,
                                               *options_of(program))
                doing = doing.format(directory=self.path("out/"))
                self.assertEqual((code, out, err), (BAD_FILE, b"", "%s: error: %s: %s: %s\n" % (
                    os.path.basename(program), target, doing, os.strerror(errno.EIO))))
                self.assert_untouched()

    def test_what_a_file_system_lacks_is_done_without(self):
        for program, target in self.each_target():
            self.prepare()
            self.call(self.source, "-o", target, *options_of(program), program=program)
            expected = self.content(target)
            for before, lacks in LACKS:
                with self.subTest(program=os.path.basename(program), before=before, lacks=lacks):
                    self.prepare((target, before))
                    self.assertEqual(self.run_with(lacks, program, self.source, "-o", target,
                                                   *options_of(program)), (DONE, b"", ""))
                    self.assert_whole(target, before, expected)

    def test_a_later_write_that_fails(self):
        # An output of several buffers: 1.2 MB.
        np.save(self.source, np.arange(300000, dtype="int32"))
        target = self.out("x.txt")
        for which in [1, 2]:
            for before in ["nothing", "file", "links"]:
                with self.subTest(which=which, before=before):
                    self.prepare((target, before))
                    code, _, err = self.run_with("write:%d:%d" % (errno.ENOSPC, which), PROGRAMS[0],
                                                 self.source, "-o", target)
                    self.assertEqual((code, err),
                                     (BAD_FILE, "array-copy: error: %s: cannot write: "
                                      "No space left on device\n" % target))
                    self.assert_untouched()

    def test_an_overwritten_file_that_fails_in_the_middle_is_said_to(self):
        target = self.out("x.txt")
        for call, which, doing in [("write", 2, "cannot write"), ("close", 2, "cannot complete"),
                                   ("ftruncate", 1, "cannot set its length")]:
            self.prepare((target, "links"))
            code, _, err = self.run_with("%s:%d:%d" % (call, errno.EIO, which), PROGRAMS[0],
                                         self.source, "-o", target)
            self.assertEqual((code, err), (
                BAD_FILE, "array-copy: error: %s: %s: Input/output error; its old content is "
                "overwritten in part\n" % (target, doing)))
            self.assertEqual(self.outputs(), ["x.txt", "x.txt-2"])

    def test_calls_that_only_have_to_be_made_again(self):
        for program, target in self.each_target():
            self.prepare()
            self.call(self.source, "-o", target, *options_of(program), program=program)
            expected = self.content(target)
            for before, failures in [("file", "write:%d:1" % errno.EINTR),
                                     ("nothing", "write:%d:1" % errno.EAGAIN),
                                     ("links", "write:-1:1"),
                                     ("nothing", "linkat:%d:1" % errno.EEXIST),
                                     ("file", "linkat:%d:1" % errno.EEXIST),
                                     ("file", "%s,open:%d:1" % (NAMELESS, errno.EEXIST))]:
                with self.subTest(program=os.path.basename(program), failures=failures):
                    self.prepare((target, before))
                    self.assertEqual(self.run_with(failures, program, self.source, "-o", target,
                                                   *options_of(program)), (DONE, b"", ""))
                    self.assert_whole(target, before, expected)

    def test_standard_output(self):
        for program in self.programs():
            for call, doing in [("dup", "cannot write"), ("write", "cannot write"),
                                ("close", "cannot complete")]:
                with self.subTest(program=os.path.basename(program), call=call):
                    code, out, err = self.run_with("%s:%d:1" % (call, errno.EIO), program,
                                                   self.source, *options_of(program))
                    self.assertEqual((code, err), (BAD_FILE, "%s: error: <stdout>: %s: %s\n" % (
                        os.path.basename(program), doing, os.strerror(errno.EIO))))
                    if call != "close":
                        self.assertEqual(out, b"")

    def test_help_that_cannot_be_written(self):
        for program in PROGRAMS:
            for call in ["write", "close"]:
                with self.subTest(program=os.path.basename(program), call=call):
                    code, _, err = self.run_with("%s:%d:1" % (call, errno.EIO), program, "--help")
                    self.assertEqual(code, BAD_FILE)
                    self.assertIn("error: <stdout>: cannot ", err)


class Signals(FailuresCase):
    def send(self, number, call, before, lacks=""):
        target = self.out("x.npy")
        self.prepare((target, before))
        code, _, err = self.run_with("%s:%d:1" % (call, 1000 + number) + lacks, PROGRAMS[0],
                                     self.source, "-o", target)
        if number in IGNORED:
            self.assertEqual((code, err), (DONE, ""))
        else:
            self.assertEqual((code, err), (-number, ""))

    def test_each_signal_leaves_nothing(self):
        places = [("write", "nothing", ""), ("linkat", "nothing", ""), ("rename", "file", ""),
                  ("fsync", "file", ""), ("write", "file", "," + NAMELESS),
                  ("rename", "nothing", "," + NAMELESS)]
        for number, (call, before, lacks) in combinations(3, ENDING, places):
            with self.subTest(signal=number, call=call, before=before, lacks=lacks):
                self.send(number, call, before, lacks)
                if number not in IGNORED:
                    self.assert_untouched()

    def test_sigkill_leaves_nothing_but_what_docs_tell(self):
        for before, calls in [("nothing", ["tmpfile", "write", "dup", "close", "linkat"]),
                              ("file", ["tmpfile", "fchown", "fchmod", "write", "dup", "close",
                                        "fsync", "linkat"]),
                              ("links", ["tmpfile", "write", "dup", "close", "open", "fallocate"])]:
            for call in calls:
                with self.subTest(before=before, call=call):
                    self.send(signal.SIGKILL, call, before)
                    self.assert_untouched()
        # Between two names: the new file has one beside the target.
        self.send(signal.SIGKILL, "rename", "file")
        left, target = self.outputs()
        self.assertRegex(left, r"\A\.libscan-\d+-[0-9a-f]{16}\Z")
        self.assertEqual((target, self.content(self.out(target))), ("x.npy", b"precious"))
        self.assertEqual(np.load(self.out(left)).tolist(), list(range(100)))


class TwoOutputs(FailuresCase):
    def each_pair(self):
        for program in PROGRAMS:
            words, names = PAIRS.get(os.path.basename(program), (None, None))
            if words:
                targets = [self.out(name) for name in names]
                words = [word.format(*targets, input=self.source, matrix=self.path("matrix.mtx"))
                         for word in words]
                yield program, words, targets

    def each_state(self, program, targets):
        states = ["nothing", "file", "links"]
        for first, second in itertools.product(states, states):
            if program.endswith("scan-filter") or (first, second) == ("file", "nothing"):
                self.prepare((targets[0], first), (targets[1], second))
                yield first, second

    def test_both_or_none(self):
        calls = ["tmpfile", "open", "write", "dup", "close", "fchown", "fchmod", "fsync", "linkat",
                 "link", "rename", "fallocate"]
        for (program, words, targets), lacks, call, which in combinations(
                3, self.each_pair(), ["", NAMELESS], calls, [1, 2]):
            if (call, which) == ("link", 2):
                continue
            for before in self.each_state(program, targets):
                with self.subTest(program=os.path.basename(program), lacks=lacks, call=call,
                                  which=which, before=before):
                    self.check(program, words, lacks, call, which)

    def check(self, program, words, lacks, call, which):
        """All as it was, if the call was made and failed; else all is new."""
        failures = "%s:%d:%d" % (call, errno.EIO, which) + ("," + lacks if lacks else "")
        code, _, err = self.run_with(failures, program, *words, reached=False)
        if code == DONE:
            self.assertEqual(err, "")
        else:
            self.assertEqual(code, BAD_FILE, err)
            self.assertIn(self.path("out/"), err)
            self.assert_untouched()

    def test_a_first_one_that_was_in_place_is_taken_back(self):
        for program, words, targets in self.each_pair():
            for first in ["nothing", "file"]:
                for second in ["nothing", "file", "links"]:
                    call = {"nothing": "linkat", "file": "rename", "links": "open"}[second]
                    which = {"nothing": 2, "file": 1 + (first == "file"), "links": 1}[second]
                    with self.subTest(program=os.path.basename(program), first=first, second=second):
                        self.prepare((targets[0], first), (targets[1], second))
                        code, _, err = self.run_with("%s:%d:%d" % (call, errno.EIO, which), program,
                                                     *words)
                        doing = "overwrite" if second == "links" else "put into place"
                        self.assertEqual((code, err), (
                            BAD_FILE, "%s: error: %s: cannot %s: Input/output error\n" %
                            (os.path.basename(program), targets[1], doing)))
                        self.assert_untouched()

    def test_what_cannot_be_taken_back_is_said(self):
        for program, words, targets in self.each_pair():
            begins = "%s: error: %s: cannot put into place: Input/output error" % (
                os.path.basename(program), targets[1])
            fails = ["%s:%d:%d" % (call, errno.EIO, which)
                     for call, which in [("rename", 2), ("rename", 3)]]
            self.prepare((targets[0], "file"), (targets[1], "file"))
            code, _, err = self.run_with(",".join(fails), program, *words)
            self.assertEqual(code, BAD_FILE)
            left = self.outputs()[0]
            self.assertEqual(err, "%s; %s is replaced, its old content is in %s\n" %
                             (begins, targets[0], self.out(left)))
            self.assertEqual(self.content(self.out(left)), b"precious")
            self.assertEqual(self.content(targets[1]), b"precious")
            # A file system that knows no links, and one output that is a stream.
            fails[1] = "link:%d:0" % errno.EPERM
            self.prepare((targets[0], "file"), (targets[1], "file"))
            code, _, err = self.run_with(",".join(fails), program, *words)
            self.assertEqual((code, err), (BAD_FILE, "%s; %s is written\n" % (begins, targets[0])))
            self.assertEqual(self.content(targets[1]), b"precious")
            words[words.index(targets[0])] = "-"
            self.prepare((targets[1], "nothing"))
            code, out, err = self.run_with("linkat:%d:1" % errno.EIO, program, *words)
            self.assertEqual((code, err), (BAD_FILE, "%s; <stdout> is written\n" % begins))
            self.assertNotEqual(out, b"")
            self.assertEqual(self.outputs(), [])


if __name__ == "__main__":
    unittest.main()
