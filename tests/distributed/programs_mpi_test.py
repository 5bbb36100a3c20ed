#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs for several ranks, as mpirun starts them: the same bytes as the program for one
process, one message if a rank fails, is killed or hangs, and then no file.
Run as: programs_mpi_test.py [--quick] mpirun failing_calls.so scan-sort scan-sort-mpi ...
With --quick, each program runs once on several ranks, and one of them fails in a few ways."""
import errno
import os
import signal
import subprocess
import sys
import unittest

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../apps/common"))
from program_case import BAD_FILE, DONE, FAILURE, USAGE, ProgramCase  # noqa: E402

QUICK = "--quick" in sys.argv and not sys.argv.remove("--quick")
MPIRUN, LIBRARY, *PROGRAMS = [os.path.abspath(path) for path in sys.argv[1:]]
del sys.argv[1:]
PROGRAMS = {os.path.basename(path): path for path in PROGRAMS}

# The arguments of the tests of failures.
OPTIONS = {"sort": [], "prefix": [], "filter": ["--keep", "> 0"], "histogram": []}
if QUICK:
    OPTIONS = {"sort": []}
in_full = unittest.skipIf(QUICK, "not in the quick set")


class RankCase(ProgramCase):
    def setUp(self):
        super().setUp()
        items = np.random.default_rng(1).integers(-1000, 1000, 20011).astype("int32")
        np.save(self.path("in.npy"), items)

    def on_ranks(self, ranks, name, *arguments, faults=(), elsewhere=None):
        """Runs a program on ranks. `faults` gives some of them failing system calls; `elsewhere` is
        the directory of all but rank 0. Returns the exit code, standard output, and the lines of the program, without those of mpirun."""
        command = [MPIRUN, "-q", "--oversubscribe", "--allow-run-as-root"]
        faults = dict(faults)
        for rank in range(ranks):
            command += [":"] * (rank > 0) + ["-n", "1"]
            if elsewhere and rank > 0:
                command += ["-wdir", elsewhere]
            if rank in faults:
                command += ["env", "LD_PRELOAD=" + LIBRARY, "LIBSCAN_FAIL=" + faults[rank],
                            "LIBSCAN_FAILED=/dev/null"]
            command += [PROGRAMS[name], *map(str, arguments)]
        # Without the last, Open MPI opens lock files of its own, and is hit by failures meant for us.
        environment = dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1", TMPDIR="/tmp",
                           PMIX_MCA_gds="hash")
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=self.timeout, env=environment, cwd=self.dir)
        return done.returncode, done.stdout, done.stderr

    def fails_on_ranks(self, code, words, ranks, name, *arguments, faults=()):
        before = sorted(os.listdir(self.dir))
        result, out, err = self.on_ranks(ranks, name, *arguments, faults=faults)
        lines = [line for line in err.splitlines() if line.startswith(name)]
        self.assertEqual((result, out, len(lines)), (code, "", 1), err)
        self.assertRegex(lines[0], "%s: error: .*%s" % (name, words))
        self.assertHolds(*before)


class Results(RankCase):
    def check(self, name, *arguments, files=("in.npy",)):
        """The outputs of ranks must have the bytes of the output of one process."""
        for file in files:
            code, _, err = self.call(file, *arguments, "-o", "one.npy",
                                     program=PROGRAMS["scan-" + name], cwd=self.dir)
            self.assertEqual((code, err), (DONE, ""))
            several = file == files[0] and not arguments and not QUICK
            for ranks in [1, 2, 3, 4] if several else [3]:
                result = self.on_ranks(ranks, "scan-%s-mpi" % name, file, *arguments, "-o",
                                       "many.npy")
                self.assertEqual(result, (DONE, "", ""))
                with open(self.path("one.npy"), "rb") as one, open(self.path("many.npy"),
                                                                   "rb") as many:
                    self.assertEqual(one.read(), many.read(), (file, arguments, ranks))
                os.remove(self.path("many.npy"))

    def test_sort(self):
        np.save(self.path("floats.npy"), np.random.default_rng(2).standard_normal(10007))
        np.save(self.path("few.npy"), np.array([3, 1], "uint8"))
        self.check("sort", files=["in.npy", "floats.npy", "few.npy"])
        if QUICK:
            return
        self.check("sort", "--descending", "--argsort")
        self.check("sort", "--bits", "3:9")
        np.save(self.path("v.npy"), np.arange(20011, dtype="int16"))
        for ranks in [0, 1, 2, 3, 4]:
            arguments = ["in.npy", "-o", "k%d.npy" % ranks, "--values", "v.npy",
                         "--values-output", "v%d.npy" % ranks]
            if ranks == 0:
                self.call(*arguments, program=PROGRAMS["scan-sort"], cwd=self.dir)
            else:
                self.assertEqual(self.on_ranks(ranks, "scan-sort-mpi", *arguments), (DONE, "", ""))
            for name in ["k", "v"]:
                self.assertTrue(np.array_equal(np.load(self.path("%s%d.npy" % (name, ranks))),
                                               np.load(self.path(name + "0.npy"))))

    def test_prefix(self):
        np.save(self.path("bools.npy"), np.array([True, False, True]))
        self.check("prefix", files=["in.npy", "bools.npy"])
        if QUICK:
            return
        self.check("prefix", "--exclusive", "--init", "5", "--reverse", "--accumulator", "int32")
        self.check("prefix", "--op", "max", "--accumulator", "float64")
        items = np.random.default_rng(3).standard_normal(100003)
        np.save(self.path("floats.npy"), items)
        outputs = []
        for ranks in [1, 2, 3, 4]:
            result = self.on_ranks(ranks, "scan-prefix-mpi", "floats.npy", "-o", "sums.raw")
            self.assertEqual(result, (DONE, "", ""))
            outputs.append(np.fromfile(self.path("sums.raw")))
            self.assertEqual(outputs[0].tobytes(), outputs[-1].tobytes())
        self.assertLess(np.abs(outputs[0] - np.cumsum(items)).max(), 1e-9)

    @in_full
    def test_segments(self):
        random = np.random.default_rng(5)
        heads = random.integers(0, 300, 20011) == 0
        np.save(self.path("heads.npy"), heads)
        np.save(self.path("bits.npy"), np.packbits(heads, bitorder="little"))
        np.save(self.path("keys.npy"), np.repeat(random.integers(0, 4, 400), 51)[:20011])
        np.save(self.path("offsets.npy"),
                np.sort(np.append(random.integers(0, 20012, 50), [0, 0, 20011])).astype("uint32"))
        self.check("prefix", "--heads", "heads.npy")
        self.check("prefix", "--head-bits", "bits.npy", "--reverse", "--exclusive", "--init", "3")
        self.check("prefix", "--keys", "keys.npy", "--op", "max", "--accumulator", "int32")
        self.check("prefix", "--offsets", "offsets.npy", "--exclusive")

    def test_filter(self):
        self.check("filter", "--keep", "> 900 or < -990")
        if QUICK:
            return
        self.check("filter", "--keep", "> 9000")
        mask = np.random.default_rng(6).integers(0, 2, 20011) == 1
        np.save(self.path("mask.npy"), mask)
        np.save(self.path("bits.npy"), np.packbits(mask, bitorder="little"))
        self.check("filter", "--mask", "mask.npy")
        self.check("filter", "--mask", "bits.npy")

    def test_histogram(self):
        self.check("histogram", "--bins", "17")
        if QUICK:
            return
        self.check("histogram", "--integers", "--range=-100:100")

    def test_spmv(self):
        random = np.random.default_rng(4)
        entries = random.integers(1, 501, (7000, 2))
        lines = ["%d %d %d\n" % (row, column, row % 7 - column % 5) for row, column in entries]
        self.write("a.mtx", ("%%MatrixMarket matrix coordinate integer general\n500 500 7000\n" +
                             "".join(lines)).encode())
        np.save(self.path("x.npy"), random.integers(-99, 99, 500))
        self.check("spmv", files=["a.mtx"])
        if QUICK:
            return
        self.check("spmv", "--x", "x.npy", "--transpose", files=["a.mtx"])
        self.check("spmv", "--x", "random:3", "--semiring", "min-plus", files=["a.mtx"])
        outputs = []
        for ranks in [1, 2, 3, 4]:
            result = self.on_ranks(ranks, "scan-spmv-mpi", "a.mtx", "--x", "random:3", "--dtype",
                                   "float32", "-o", "y.raw")
            self.assertEqual(result, (DONE, "", ""))
            with open(self.path("y.raw"), "rb") as file:
                outputs.append(file.read())
        self.assertEqual(len(set(outputs)), 1)
        self.assertEqual(len(outputs[0]), 2000)

    @in_full
    def test_gather(self):
        """All but rank 0 are in a directory without files."""
        os.mkdir(self.path("elsewhere"))
        for name, options in OPTIONS.items():
            one, many = "one-%s.npy" % name, "many-%s.npy" % name
            self.assertEqual(self.call("in.npy", *options, "-o", one,
                                       program=PROGRAMS["scan-" + name], cwd=self.dir)[0], DONE)
            result = self.on_ranks(3, "scan-%s-mpi" % name, "in.npy", *options, "-o", many,
                                   "--gather", elsewhere=self.path("elsewhere"))
            self.assertEqual(result, (DONE, "", ""))
            with open(self.path(one), "rb") as a, open(self.path(many), "rb") as b:
                self.assertEqual(a.read(), b.read(), name)
        self.assertEqual(os.listdir(self.path("elsewhere")), [])
        os.rmdir(self.path("elsewhere"))

    @in_full
    def test_help_is_printed_once(self):
        for name in PROGRAMS:
            if name.endswith("-mpi"):
                code, out, err = self.on_ranks(3, name, "--help")
                self.assertEqual((code, err, out.count("Usage:")), (DONE, "", 1))

    @in_full
    def test_an_old_output_is_replaced_and_time_is_reported(self):
        self.write("out.npy", b"old")
        os.chmod(self.path("out.npy"), 0o640)
        code, _, err = self.on_ranks(3, "scan-sort-mpi", "in.npy", "-o", "out.npy", "--time")
        self.assertEqual(code, DONE)
        self.assertRegex(err, r"(?s)\Ascan-sort-mpi: read .* s  3 ranks\n.*sort .*write ")
        self.assertEqual(np.load(self.path("out.npy")).size, 20011)
        self.assertEqual(os.stat(self.path("out.npy")).st_mode & 0o777, 0o640)


class Failures(RankCase):
    """One message that names the rank, an exit code, no file."""

    def each_fails(self, code, words, *arguments):
        for name, options in OPTIONS.items():
            with self.subTest(name):
                self.fails_on_ranks(code, words, 3, "scan-%s-mpi" % name, *arguments, *options)

    def sort_fails(self, code, words, faults):
        self.fails_on_ranks(code, words, 3, "scan-sort-mpi", "in.npy", "-o", "o.npy",
                            faults=faults)

    def test_usage(self):
        self.each_fails(USAGE, "rank 0: .*--nothing", "in.npy", "-o", "o.npy", "--nothing")
        self.each_fails(USAGE, "rank 0: .*expected an uncompressed .npy or raw", "in.npy", "-o",
                        "o.txt")
        self.write("in.txt", b"1\n2\n")
        self.each_fails(USAGE, "rank 0: .*each rank reads a part", "in.txt", "-o", "o.npy")

    @in_full
    def test_files(self):
        self.each_fails(BAD_FILE, "rank 0: none.npy: .*No such file", "none.npy", "-o", "o.npy")
        self.each_fails(BAD_FILE, "rank 0: none/o.npy: .*No such file", "in.npy", "-o",
                        "none/o.npy")
        with open(self.path("in.npy"), "rb") as file:
            self.write("cut.npy", file.read()[:5000])
        self.each_fails(BAD_FILE, "rank 0: cut.npy: .*the file ends after 1218 items", "cut.npy",
                        "-o", "o.npy")

    @in_full
    def test_what_is_no_matrix(self):
        """The first bytes show it, also in a file of one endless line."""
        with open(self.path("in.npy"), "rb") as file:
            npy = file.read()
        for content, words in [
                (npy, "rank 0: in.mtx:1: .*NUMPY. begins npy data"),
                (b"PK\3\4" + bytes(500), "rank 0: in.mtx: holds a zip archive"),
                (b"%" + b"x" * (64 << 20), "rank 0: in.mtx:1: no Matrix Market file"),
                ("%%MatrixMarket matrix".encode("utf-16"), "rank 0: in.mtx:1: text in UTF-16")]:
            self.write("in.mtx", content)
            self.fails_on_ranks(BAD_FILE, words, 2, "scan-spmv-mpi", "in.mtx", "-o", "y.npy")

    @in_full
    def test_memory(self):
        self.each_fails(FAILURE, "rank 0: .*a rank's part of in.npy takes at least", "in.npy",
                        "-o", "o.npy", "--memory", "1K")
        self.write("in.mtx", b"%%MatrixMarket matrix coordinate integer general\n9 9 2000\n" +
                   b"1 1 1\n" * 2000)
        self.fails_on_ranks(FAILURE, "rank 0: .*a rank's part of in.mtx takes at least", 2,
                            "scan-spmv-mpi", "in.mtx", "-o", "y.npy", "--memory", "4K")

    @in_full
    def test_full_disk(self):
        full = errno.ENOSPC
        self.sort_fails(BAD_FILE, "rank 0: o.npy: cannot write: No space left",
                        {0: "fallocate:%d:1" % full})
        for rank in [0, 1, 2]:
            self.sort_fails(BAD_FILE, "rank %d: o.npy: cannot write: No space left" % rank,
                            {rank: "write:%d:0" % full})
        self.sort_fails(BAD_FILE, "rank 0: o.npy: cannot put into place",
                        {0: "linkat:%d:0" % full})

    @in_full
    def test_without_nameless_files(self):
        """Where the file system gives every file a name, ranks that are left remove it."""
        nameless = "tmpfile:%d:0" % errno.EOPNOTSUPP
        code, _, err = self.on_ranks(3, "scan-sort-mpi", "in.npy", "-o", "o.npy",
                                     faults={0: nameless})
        self.assertEqual((code, err), (DONE, ""))
        self.assertHolds("in.npy", "o.npy")
        os.remove(self.path("o.npy"))
        for rank in [0, 2]:
            both = lambda fault: {0: nameless, rank: ",".join([nameless] * (rank == 0) + [fault])}
            self.sort_fails(BAD_FILE, "rank %d: o.npy: cannot write" % rank,
                            both("write:%d:0" % errno.ENOSPC))
            self.killed(both("write:%d:1" % (1000 + signal.SIGKILL)))

    @in_full
    def test_another_machine(self):
        """A rank that cannot open the file of rank 0 through /proc opens it by a name."""
        elsewhere = "proc:%d:0" % errno.ENOENT
        for faults in [{2: elsewhere}, {1: elsewhere, 2: elsewhere}]:
            code, _, err = self.on_ranks(3, "scan-sort-mpi", "in.npy", "-o", "o.npy",
                                         faults=faults)
            self.assertEqual((code, err), (DONE, ""))
            self.assertHolds("in.npy", "o.npy")
            os.remove(self.path("o.npy"))
        self.sort_fails(BAD_FILE, "rank 2: o.npy: cannot open another rank's file",
                        {2: "proc:%d:0,open:%d:0" % (errno.ENOENT, errno.EACCES)})
        for rank in [0, 1, 2]:
            faults = {2: elsewhere}
            faults[rank] = ",".join([elsewhere] * (rank == 2) +
                                    ["write:%d:1" % (1000 + signal.SIGKILL)])
            self.killed(faults)

    def killed(self, faults):
        before = os.listdir(self.dir)
        code, out, err = self.on_ranks(3, "scan-sort-mpi", "in.npy", "-o", "o.npy", faults=faults)
        self.assertNotEqual(code, DONE)
        self.assertEqual(out, "")
        self.assertHolds(*before)

    def test_killed(self):
        for rank in [1] if QUICK else [0, 1, 2]:
            self.killed({rank: "write:%d:1" % (1000 + signal.SIGKILL)})

    def test_one_message_without_agreement(self):
        """A rank fails where the others do not hear of it, or while MPI still has memory of theirs."""
        for how, words in [("late", "rank 2: its disk is full"), ("one", "rank 2: its disk is full"),
                           ("several", "rank 1: its disk is full")]:
            with self.subTest(how):
                # On a busy machine the late message may come before the failure does; then again.
                for _ in range(3):
                    code, out, err = self.on_ranks(3, "failing_ranks", how)
                    if "touched" not in err:
                        break
                lines = [line for line in err.splitlines() if line.startswith("failing_ranks")]
                self.assertNotEqual(code, DONE)
                self.assertEqual((out, lines), ("", ["failing_ranks: error: " + words]), err)
                self.assertNotIn("touched", err)

    def test_hanging(self):
        self.fails_on_ranks(FAILURE, "rank [01]: .*no progress for 1000 ms; ranks that do not "
                            "answer: 2", 3, "scan-sort-mpi", "in.npy", "-o", "o.npy",
                            "--timeout", "1",
                            faults={2: "write:%d:1" % (1000 + signal.SIGSTOP)})
        self.fails_on_ranks(FAILURE, "rank [01]: .*no progress for 1000 ms; ranks that do not "
                            "answer: 2", 3, "failing_ranks", "hangs", "--timeout", "1")


if __name__ == "__main__":
    unittest.main()
