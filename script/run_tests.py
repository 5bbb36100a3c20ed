# SPDX-License-Identifier: Apache-2.0
"""script/test: installs what is missing, builds, and runs the tests."""
import argparse
import datetime
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time

from affected_tests import build_tree, changed_since, mirror, passed_tests

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / "build/logs"
LAST_FULL_RUN = ROOT / "tests/last-full-run"
RECORDS = ROOT / "bench/records"
CORES = os.cpu_count()

USAGE = """script/test [--all | --changed | FILE...] [--again] [--times]
  Installs what is missing, builds, and runs tests. build/logs keeps what each step printed.
  (nothing)   the quick set: every operation on the CPU and in the executor, all programs; tests that
              have passed in this folder, and that nothing has changed for since then, do not run again
  --again     runs those, too
  --changed   the quick set, then the full suites of what changed since the commit that
              tests/last-full-run names, nearest first, until 22 minutes are over; CI runs this
  --all       every preset, type and size; when all pass, it writes tests/last-full-run
  FILE...     only the small tests beside these files that include them: the verdict after an edit
  --times     writes a record of the times to bench/records/
CONTRIBUTING.md says what each set holds."""

# The minutes after which --changed begins nothing more and stops what it is at, except the quick set;
# of these, the last ones are for tests: nothing is built in them. How many programs --changed builds
# before it runs their tests and turns to the next preset.
CHANGED_MINUTES = 22
CHANGED_TEST_MINUTES = 2
CHANGED_PROGRAMS = 12

# Presets of the full run, and what each builds. A build that counts or instruments needs only the tests.
# Those first which differ most from the quick set, for --changed, whose time may be over before the last.
FULL = {"racecheck": "checked_tests", "release": "all", "tsan": "checked_tests",
        "asan": "checked_tests"}
QUICK = {"quick": "all", "quick-racecheck": "checked_tests"}


class failed(Exception):
    """A step failed, and what was wrong is on the screen."""


class stopped(Exception):
    """The time for a step was over before it was done; `args[0]` is its log."""


def has_gpu():
    return subprocess.run(["bash", ROOT / "script/has-gpu"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def git(*arguments):
    """What git prints about this repository; nothing outside of one."""
    return subprocess.run(["git", "-C", ROOT, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout.strip()


def processor():
    """The name of this machine's processor, for the record."""
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].replace("(R)", "").split())
    except OSError:
        pass
    return "unknown processor"


class interruption:
    """Interrupts a process at a time, and with it all that it has started: a session of its own."""

    def __init__(self, process, until):
        self.process, self.until, self.rang = process, until, False

    def lines(self):
        """What the process prints, until it has ended."""
        if self.until is None:
            yield from self.process.stdout
            return
        timer = threading.Timer(max(0, self.until - time.monotonic()), self.ring)
        timer.start()
        try:
            yield from self.process.stdout
        except BaseException:
            self.send(signal.SIGINT)
            raise
        finally:
            timer.cancel()

    def ring(self):
        self.rang = True
        self.send(signal.SIGINT)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.send(signal.SIGKILL)

    def send(self, number):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass


class progress:
    """Runs the steps of one kind of run, says how long each took and how long is left."""

    def __init__(self, kind):
        self.kind, self.done, self.planned = kind, [], []
        self.begin = time.monotonic()
        self.commit = git("describe", "--always", "--dirty")
        self.load = os.getloadavg()[0]
        self.expected = self.times_on_record()
        self.shown = sys.stdout.isatty()

    def times_on_record(self):
        """Seconds of each step in the newest record of this kind of run; empty without one."""
        for path in sorted(RECORDS.glob(f"build-*-{self.kind}.json"), reverse=True):
            record = json.loads(path.read_text())
            return {step["name"]: step["seconds"] for step in record["steps"]}
        return {}

    def plan(self, *names):
        self.planned += names

    def left(self, name, elapsed, share):
        """Seconds until all planned steps are done, in words; nothing without times on record."""
        past = sum(self.expected.get(step["name"], 0) for step in self.done)
        took = sum(step["seconds"] for step in self.done if step["name"] in self.expected)
        pace = min(max(took / past, 0.2), 5) if past > 20 else 1
        here = max(self.expected.get(name, 0) * pace - elapsed, 0)
        if share > 0.1:
            here = elapsed * (1 - share) / share
        rest = sum(self.expected.get(later, 0) * pace for later in self.planned)
        if name not in self.expected and share <= 0.1:
            return ""
        return f", about {max(1, round((here + rest) / 60))} min left"

    def run(self, name, command, environment=None, until=None):
        """Runs one step; its output goes to a log. Raises `failed` after showing the first error,
        and `stopped` after interrupting a step that was not done at `until`, a time of
        time.monotonic()."""
        if name in self.planned:
            self.planned.remove(name)
        log_path = self.log_of(name)
        begin, last_said = time.monotonic(), time.monotonic()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        compiled, share = 0, 0.0
        status = re.compile(r"^\[(\d+)/(\d+)\]|^ *(\d+)/(\d+) Test ")
        self.say(name, "...")
        with open(log_path, "w") as log, subprocess.Popen(
                [str(word) for word in command], cwd=ROOT, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                env=os.environ | {"NINJA_STATUS": "[%f/%t] "} | (environment or {}),
                start_new_session=until is not None) as process:
            alarm = interruption(process, until)
            for line in alarm.lines():
                log.write(line)
                found = status.match(line)
                if found:
                    at, of = (int(number) for number in found.groups() if number)
                    share = at / of
                    compiled += "Building" in line
                    if time.monotonic() - last_said > (1 if self.shown else 60):
                        last_said = time.monotonic()
                        elapsed = last_said - begin
                        self.say(name, f"{at} of {of}, {elapsed:.0f} s"
                                       f"{self.left(name, elapsed, share)}")
            code = process.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = time.monotonic() - begin
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if code != 0 and alarm.rang:
            self.note(name, seconds, cpu, compiled)
            self.say(name, f"stopped after {seconds:.0f} s", end=True)
            raise stopped(log_path)
        if code != 0:
            self.say(name, "FAILED", end=True)
            log = log_path.read_text(errors="replace")
            print("\n".join([first_error(log), *failed_tests(log)]))
            print(f"script/test: '{name}' failed; all that it printed is in {log_path.relative_to(ROOT)}")
            raise failed
        self.note(name, seconds, cpu, compiled)
        summary = f"{seconds:4.0f} s, {cpu:4.0f} s of CPU time{self.left('', 0, 0)}"
        self.say(name, summary, end=True)
        return log_path

    def log_of(self, name):
        return LOGS / (name.replace(" ", "-") + ".log")

    def note(self, name, seconds, cpu, compiled):
        """Keeps the times of a step for the record."""
        step = {"name": name, "seconds": round(seconds, 1), "cpu_seconds": round(cpu, 1)}
        if compiled:
            step["compiled"] = compiled
        self.done.append(step)

    def say(self, name, words, end=False):
        if self.shown:
            print(f"\r{name:<26} {words:<52}", end="\n" if end else "", flush=True)
        elif words != "...":
            print(f"{name:<26} {words}", flush=True)

    def total(self):
        return time.monotonic() - self.begin

    def write_record(self):
        today = datetime.date.today().isoformat()
        record = {"what": f"script/test, {self.kind}", "commit": self.commit, "date": today,
                  "processor": processor(), "cores": CORES,
                  "load_before": round(self.load, 2), "ccache": bool(os.environ.get("CCACHE_DIR")),
                  "seconds": round(self.total(), 1),
                  "cpu_seconds": round(sum(step["cpu_seconds"] for step in self.done), 1),
                  "steps": self.done}
        path = RECORDS / f"build-{today}-{self.kind}.json"
        path.write_text(json.dumps(record, indent=1) + "\n")
        print(f"wrote {path.relative_to(ROOT)}")


def first_error(log):
    """The part of a log that shows what failed first, in at most 40 lines."""
    lines = log.splitlines()

    def part(begin, length=40):
        return "\n".join(lines[begin:begin + length])

    for number, line in enumerate(lines):
        if line.startswith("CMake Error"):
            return part(number, 15)
        if line.startswith("FAILED: "):  # ninja; the command after it is long, and in the log
            for later in range(number + 2, len(lines)):
                if re.search(r"\berror\b|undefined reference|fatal", lines[later], re.IGNORECASE):
                    return line + "\n" + part(later, 15)
            return part(number, 15)
        if re.match(r" *\d+/\d+ Test .*\*\*\*(?!Skipped)", line):  # ctest; the test's output follows
            end = next((later for later in range(number + 1, len(lines))
                        if re.match(r" *Start +\d+:| *\d+/\d+ Test ", lines[later])), len(lines))
            for later in range(number, end):
                if re.search(r"FAILED:|^FAIL:|^ERROR:|Error:|mistake|error:", lines[later]):
                    first = max(number + 1, later - 8)
                    return line + "\n" + part(first, min(40, end - first))
            return part(number, min(40, end - number))
    return part(max(0, len(lines) - 40))


def failed_tests(log):
    """The lines in which ctest names all tests that failed."""
    return re.findall(r"^\s+\d+ - \S+ \((?!Skipped).*\)$", log, re.MULTILINE)


def configure_options(preset):
    if preset == "release":
        return ["-D", f"LIBSCAN_CUDA_COMPILE_ONLY={'OFF' if has_gpu() else 'ON'}"]
    return []


def build_command(preset, targets):
    return ["cmake", "--build", "--preset", preset, "--parallel", CORES, "--target", *targets]


def test_command(preset, names=None):
    """Runs the tests of a preset, or only those with these names. Not by numbers: ctest counts only
    the tests that the preset's filter leaves."""
    if preset == "quick" and names is not None:
        preset = "quick-and-left-out"
    options = [] if names is None else ["-R", "^(%s)$" % "|".join(map(re.escape, names))]
    return ["ctest", "--preset", preset, "--parallel", CORES, "--output-on-failure",
            "--no-tests=error", *options]


def show_results(steps, log):
    for line in log.read_text(errors="replace").splitlines():
        if re.search(r"tests passed|tests failed", line):
            print(f"{'':<26} {line.strip()}")
        elif "(Skipped)" in line and steps.kind == "all":
            print(f"{'':<26} {' '.join(line.split()[2:])}")


def suite(steps, preset, selected):
    """Builds programs of a preset and runs tests; `selected` has the names of the tests, and the programs."""
    names, targets = selected
    if targets:
        steps.run(f"{preset} build", build_command(preset, targets))
    show_results(steps, steps.run(f"{preset} test", test_command(preset, names)))


def due_suite(steps, preset, target, again):
    """Builds a preset and runs its tests; unless `again`, only those that have not passed yet with what
    they are made from now."""
    steps.run(f"{preset} build", build_command(preset, [target]))
    passed, began = passed_tests(ROOT, ROOT / "build" / preset), time.time()
    tree = build_tree(ROOT, passed.folder)
    tests = [test for test in tree.tests if in_preset(preset, test)]
    due = tests if again else passed.due(tests, tree)
    step = f"{preset} test"
    if len(due) < len(tests):
        print(f"{'':<26} {len(tests) - len(due)} of {len(tests)} tests have passed before, and nothing "
              "changed for them; --again runs them, too")
    if not due:
        steps.planned = [planned for planned in steps.planned if planned != step]
        return
    names = [test["name"] for test in due] if len(due) < len(tests) else None
    try:
        show_results(steps, steps.run(step, test_command(preset, names)))
    finally:
        passed.add(steps.log_of(step).read_text(errors="replace"), began)


def configure(steps, preset):
    command = ["cmake", "--preset", preset, *configure_options(preset)]
    log = steps.run(f"{preset} configure", command)
    if "require your cache to be deleted" in log.read_text(errors="replace"):
        # The compiler has another path than before. CMake has begun anew, but without the preset's settings.
        steps.run(f"{preset} configure", [*command, "--fresh"])


def plan_suites(steps, presets):
    for preset in presets:
        steps.plan(*(f"{preset} {step}" for step in ("configure", "build", "test")))


def each_preset(steps, presets, run):
    """Calls run(preset) for each; a preset that fails does not keep the others from running. Returns
    those that failed."""
    lost = []
    for preset in presets:
        try:
            configure(steps, preset)
            run(preset)
        except failed:
            lost.append(preset)
            steps.planned = [step for step in steps.planned if step.split()[0] != preset]
    return lost


def fail_if_any(lost):
    if lost:
        print("failed: " + ", ".join(lost))
        raise failed


def run_suites(steps, presets, again):
    fail_if_any(each_preset(steps, presets,
                            lambda preset: due_suite(steps, preset, presets[preset], again)))


class changed_suite:
    """What --changed has yet to run of a preset: tests, the nearest to a change first."""

    def __init__(self, preset, tree, tests):
        self.preset, self.tree, self.left, self.rounds = preset, tree, tests, 0

    def next(self):
        """The next few tests: as many as a few programs have."""
        programs, taken = set(), []
        for test in self.left:
            programs |= set(self.tree.programs(test))
            if len(programs) > CHANGED_PROGRAMS and taken:
                break
            taken.append(test)
        return taken

    def run(self, steps, build_until, until):
        """Builds and runs the next few tests, those of them whose programs are built in time."""
        tests = self.next()
        self.rounds += 1
        names, programs = self.tree.selected(tests)
        if programs:
            try:
                steps.run(f"{self.preset} build {self.rounds}", build_command(self.preset, programs),
                          until=build_until)
            except stopped as stop:
                built = programs_built(stop.args[0].read_text(errors="replace"))
                tests = [test for test in tests if built.issuperset(self.tree.programs(test))]
                names, _ = self.tree.selected(tests)
        if not tests:
            return
        step = f"{self.preset} test {self.rounds}"
        try:
            show_results(steps, steps.run(step, test_command(self.preset, names), until=until))
        except stopped as stop:
            log = stop.args[0].read_text(errors="replace")
            passed, failures = test_results(log)
            if failures:
                print("\n".join([first_error(log), *failed_tests(log)]))
                raise failed from None
            tests = [test for test in tests if test["number"] in passed]
        self.left = [test for test in self.left if test not in tests]


def programs_built(log):
    """The programs that a build made, as ninja names them."""
    return set(re.findall(r"Linking \S+ executable (\S+)", log))


def test_results(log):
    """The numbers of the tests that ctest ran to their end: those that passed or were skipped, and
    those that failed."""
    found = re.findall(r"^ *\d+/\d+ Test +#(\d+): .*?(Passed|\*\*\*\w+)", log, re.MULTILINE)
    passed = {int(number) for number, result in found if result in ("Passed", "***Skipped")}
    return passed, {int(number) for number, _ in found} - passed


def run_changed(steps):
    """The full suites of what changed since the last full run, within the time allowed."""
    if not LAST_FULL_RUN.is_file():
        print("no tests/last-full-run: script/test --all, which writes it, has not passed yet; only "
              "the quick set ran")
        return
    commit = LAST_FULL_RUN.read_text().split()[0]
    changed = changed_since(ROOT, commit)
    if changed is None:
        print(f"{LAST_FULL_RUN.relative_to(ROOT)} names {commit}, which this clone does not have: "
              "everything counts as changed")
    else:
        print(f"{len(changed)} files changed since the last full run, {commit[:12]}")
        if not changed:
            return
    suites = []

    def find_tests(preset):
        tree = build_tree(ROOT, ROOT / "build" / preset)
        tests = tree.tests if changed is None else tree.affected(changed)
        tests = [test for test in tests if "tree" not in test["labels"] and in_preset(preset, test)]
        suites.append(changed_suite(preset, tree, tree.nearest_first(tests, changed or [])))
        if not tests:
            steps.say(preset, "nothing that it tests has changed", end=True)

    lost = each_preset(steps, FULL, find_tests)
    until = steps.begin + 60 * CHANGED_MINUTES
    lost += run_nearest(steps, suites, until)
    report_left([suite for suite in suites if suite.left])
    fail_if_any(lost)


def run_nearest(steps, suites, until):
    """Runs a few tests of each suite in turn until all have run or the time is over. Returns the
    presets that failed and ran no further."""
    lost, build_until = [], until - 60 * CHANGED_TEST_MINUTES
    while True:
        ready = [suite for suite in suites if suite.left and suite.preset not in lost]
        if not ready:
            return lost
        for suite in ready:
            if time.monotonic() >= build_until:
                return lost
            try:
                suite.run(steps, build_until, until)
            except failed:
                lost.append(suite.preset)


def report_left(suites):
    if not suites:
        return
    print(f"NOT RUN, left for script/test --all (--changed takes {CHANGED_MINUTES} min at most):")
    for suite in suites:
        names = ", ".join(test["name"] for test in suite.left)
        print(textwrap.fill(f"{suite.preset}, {len(suite.left)} tests: {names}", 100,
                            initial_indent="  ", subsequent_indent="    ",
                            break_on_hyphens=False))


def in_preset(preset, test, beside=False):
    """Whether the preset's CTest filter takes a test. Of the tests that the quick set leaves to full runs,
    those beside an edited file run."""
    labels = test["labels"]
    if preset.startswith("quick") and "full" in labels and not (beside and preset == "quick"):
        return False
    if preset in ("asan", "tsan"):
        return "executor" in labels or "threads" in labels
    if preset in ("racecheck", "quick-racecheck"):
        return "executor" in labels
    if preset == "cuda":
        return "cuda" in labels
    return "large" not in labels


def run_beside(steps, files):
    """The tests of the quick builds beside the files that include them."""
    names = []
    for file in files:
        path = pathlib.Path(file).resolve()
        if not path.is_file() or ROOT not in path.parents:
            print(f"script/test: {file}: no file of this repository", file=sys.stderr)
            raise SystemExit(2)
        names.append(str(path.relative_to(ROOT)))

    def run(preset):
        tree = build_tree(ROOT, ROOT / "build" / preset)
        folders = [mirror(ROOT, name) for name in names]
        tests = [test for test in tree.affected(names)
                 if "tree" not in test["labels"] and in_preset(preset, test, beside=True)]
        if None not in folders:
            tests = [test for test in tests
                     if any(str(ROOT / folder / "CMakeLists.txt") in test["defined_in"]
                            for folder in folders)]
        # A header's own tests include it; those that link a library which does come later.
        tests = [test for test in tests if tree.reached_itself(test, names)] or tests
        if not tests:
            steps.say(preset, "no test reaches these files", end=True)
            return
        print(f"{'':<26} {', '.join(test['name'] for test in tests)}")
        suite(steps, preset, tree.selected(tests))

    fail_if_any(each_preset(steps, QUICK, run))


def write_last_full_run():
    if git("status", "--porcelain"):
        print("the working tree has changes that are not committed: tests/last-full-run stays as it is")
        return
    commit = git("rev-parse", "HEAD")
    LAST_FULL_RUN.write_text(f"{commit}\n")
    print(f"wrote tests/last-full-run: {commit[:12]}; commit it")


def main():
    parser = argparse.ArgumentParser(prog="script/test", usage=USAGE, add_help=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    if arguments.help:
        print("usage: " + USAGE)
        return 0
    if arguments.all + arguments.changed + bool(arguments.files) > 1:
        parser.error("--all, --changed and files exclude each other")

    LOGS.mkdir(parents=True, exist_ok=True)
    kind = ("all" if arguments.all else "changed" if arguments.changed else
            "files" if arguments.files else "quick")
    steps = progress(kind)
    presets = FULL if arguments.all else QUICK
    if not arguments.all and has_gpu() and shutil.which("nvcc"):
        presets = presets | {"cuda": "cuda_tests"}
    try:
        if arguments.files:
            run_beside(steps, arguments.files)
        else:
            steps.plan("bootstrap")
            plan_suites(steps, presets)
            steps.run("bootstrap", ["script/bootstrap", "--tests"])
            run_suites(steps, presets, arguments.all or arguments.again)
            if arguments.changed:
                run_changed(steps)
    except failed:
        return 1
    except KeyboardInterrupt:
        print("\nscript/test: interrupted")
        return 130
    print(f"all passed: {steps.total() / 60:.1f} min")
    if not has_gpu():
        print("no GPU here: what only a GPU runs was skipped")
    if arguments.all:
        write_last_full_run()
    if arguments.times:
        steps.write_record()
    return 0


if __name__ == "__main__":
    sys.exit(main())
