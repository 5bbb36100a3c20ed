# SPDX-License-Identifier: Apache-2.0
"""What the tests of all programs share: running one in a directory of its own, how it ends, and
the case that every program has to pass."""
import itertools
import os
import re
import resource
import struct
import subprocess
import tempfile
import unittest

DONE, DIFFERENCE, USAGE, BAD_FILE, FAILURE = range(5)
QUICK = "LIBSCAN_TEST_REDUCED" in os.environ  # as in the build preset `quick`


def combinations(share, *factors):
    """All combinations of one value of each factor. In a quick run one of `share` of them, so chosen
    that any values of all factors but one meet, if that one has `share` values or more."""
    numbered = [list(enumerate(factor)) for factor in factors]
    for chosen in itertools.product(*numbered):
        if not QUICK or sum(number for number, _ in chosen) % share == 0:
            yield tuple(value for _, value in chosen)


def some_of(share, values, turn=0):
    """All values of a list. In a quick run one of `share` of them, in each turn others."""
    return values[turn % share::share] if QUICK else values


def grouped(combined):
    """Combinations by the value of the first factor: each of its values, and a list of the others."""
    for first, cases in itertools.groupby(combined, key=lambda chosen: chosen[0]):
        yield first, [rest for _, *rest in cases]


def limited(what, most):
    """Arguments of `call` that give the program no more than this of a resource."""
    return {"preexec_fn": lambda: resource.setrlimit(what, (most, most))}


def bytes_of_code(program):
    """What a program and its libraries take of the address space, by their ELF headers. Libraries may load more."""
    libraries = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    total = 0
    for path in [program, *re.findall(r"(/\S+) \(0x", libraries)]:
        with open(path, "rb") as file:
            (at,) = struct.unpack_from("<Q", file.read(64), 32)
            file.seek(54)
            size, count = struct.unpack("<HH", file.read(4))
            file.seek(at)
            for _ in range(count):
                part = file.read(size)
                if struct.unpack_from("<I", part)[0] == 1:  # it is loaded
                    total += struct.unpack_from("<Q", part, 40)[0]
    return total


def bound_by_addresses(program, most):
    """The default of --memory, in MiB, for an address space of so many bytes."""
    return min(0.6 * most, 0.8 * most - min(bytes_of_code(program), 0.6 * most)) / (1 << 20)


def text_of(path):
    with open(path) as file:
        return file.read()


def parents_of_groups():
    """Each folder of cgroups around this process in which there may be groups with limits on
    memory, and the names of its files of the limit, and of the most that was taken."""
    for line in text_of("/proc/self/cgroup").splitlines():
        _, controllers, group = line.split(":", 2)
        if not controllers:
            mounts, names = ["", "/unified"], ("memory.max", "memory.peak")
        elif "memory" in controllers.split(","):
            mounts, names = ["/memory"], ("memory.limit_in_bytes", "memory.max_usage_in_bytes")
        else:
            continue
        for mount in mounts:
            while True:
                yield "/sys/fs/cgroup" + mount + group.rstrip("/"), names
                if group in ("", "/"):
                    break
                group = os.path.dirname(group)


class cgroup:
    """A new cgroup of at most `most` bytes; OSError where there can be none."""

    def __init__(self, most):
        refusal = OSError("no cgroup with a limit on memory")
        for parent, (limit, peak) in parents_of_groups():
            try:
                self.folder = tempfile.mkdtemp(prefix="libscan-test-", dir=parent)
            except OSError as error:
                refusal = error
                continue
            try:
                self.write(limit, most)
                self.peak = os.path.join(self.folder, peak)
                return
            except OSError as error:  # a group without this controller
                refusal = error
                os.rmdir(self.folder)
        raise refusal

    def write(self, name, value):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(str(value))

    def enter(self):
        self.write("cgroup.procs", 0)

    def remove(self):
        os.rmdir(self.folder)

    def taken(self):
        """The most bytes that were ever taken, page cache included; 0 if the kernel cannot tell."""
        return int(text_of(self.peak)) if os.path.exists(self.peak) else 0


def read_terminal(end):
    """All that was written to a terminal's other end, which is closed by now."""
    text = b""
    try:
        while piece := os.read(end, 65536):
            text += piece
    except OSError:  # how Linux reports the end of a terminal
        pass
    os.close(end)
    return text


class ProgramCase(unittest.TestCase):
    """A test with a directory. Subclasses say which program they test: its name, as its messages
    begin, and its file; and, where there is one, the file of its twin that has a fault."""
    name = program = faulty = None
    timeout = 60  # seconds

    def run(self, result=None):
        # script/mutants only needs to know that something fails.
        if result is not None and "LIBSCAN_TEST_FIRST_FAILURE" in os.environ:
            result.failfast = True
        return super().run(result)

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.dir = scratch.name

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def assertHolds(self, *names):
        """The directory must hold these files, and no others."""
        self.assertEqual(sorted(os.listdir(self.dir)), sorted(names))

    def call(self, *arguments, data=None, program=None, **more):
        """Runs the program; returns its exit code, standard output and standard error."""
        more.setdefault("stdout", subprocess.PIPE)
        more.setdefault("stderr", subprocess.PIPE)
        done = subprocess.run([program or self.program, *map(str, arguments)], input=data,
                              timeout=self.timeout, **more)
        return done.returncode, done.stdout, (done.stderr or b"").decode()

    def needs_executor(self):
        """Skips the test in a build whose programs have no executor."""
        _, _, err = self.call(self.path("none.npy"), "--engine", "executor")
        if "without the executor" in err:
            self.skipTest("built without the executor")

    def refuses_algorithms(self, source, names, *arguments):
        """--algorithm must name its choices, and refuse the cpu engine."""
        self.fails(USAGE, "expected one of " + ", ".join(names), source, *arguments, "--algorithm",
                   "best")
        for name in names:
            self.fails(USAGE, "expected --engine cuda, executor or auto", source, *arguments,
                       "--algorithm", name, "--engine", "cpu")

    def succeeds(self, *arguments, **more):
        """The program must have nothing to complain of; returns its output."""
        code, out, err = self.call(*arguments, **more)
        self.assertEqual((code, err), (DONE, ""))
        return out

    def notes(self, words, *arguments, **more):
        """As `succeeds`, but the program must say just one note, which contains these words."""
        code, out, err = self.call(*arguments, **more)
        self.assertEqual(code, DONE, err)
        self.assertRegex(err, r"\A%s: note: .*\n\Z" % self.name)
        self.assertIn(words, err)
        return out

    def finds_header(self, *arguments, **more):
        """As `succeeds`, but a header is guessed, and the program says so."""
        return self.notes("is read as a header", *arguments, **more)

    def fails(self, code, words, *arguments, **more):
        """The program must end with this code, one line of error that contains these words, no
        output, and no file more or less than before; returns the error."""
        before = os.listdir(self.dir)
        result, out, err = self.call(*arguments, **more)
        self.assertEqual((result, out or b""), (code, b""), err)
        self.assertRegex(err, r"\A%s: error: .*\n\Z" % self.name)
        self.assertIn(words, err)
        self.assertHolds(*before)
        return err.removeprefix(self.name + ": error: ").removesuffix("\n")

    def fails_with(self, code, error, *arguments, **more):
        """As `fails`, with just this error."""
        self.assertEqual(self.fails(code, error, *arguments, **more), error)


class EveryProgram:
    """To be mixed into a ProgramCase."""
    words_of_help = ["--help", "--version"]

    def test_help_and_version(self):
        text = self.succeeds("--help").decode()
        for word in self.words_of_help:
            self.assertIn(word, text)
        self.assertRegex(self.succeeds("--version").decode(),
                         r"\A%s \(libscan \d+\.\d+\.\d+\)\n\Z" % self.name)

    def test_closed_standard_output(self):
        for flag in ["--help", "--version"]:
            self.fails(BAD_FILE, "<stdout>: cannot write: Bad file descriptor", flag, stdout=None,
                       preexec_fn=lambda: os.close(1))
