# SPDX-License-Identifier: Apache-2.0
"""Which tests a change reaches: through includes, libraries, programs and scripts.

A test is affected if its command names a file that changed, or a program with a changed file among
its sources or the headers that these include. Includes are read from the text, so nothing has to be
built first. A change of a CMakeLists.txt affects the tests it defines and all that is built from
sources below it; a change of what all builds share (script/cmake, presets) affects every test.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
ADDED = re.compile(r"^add_test\(\[=\[(.*?)\]=\] (.*)\)$", re.MULTILINE)
CODE = {".hpp", ".cuh", ".cpp", ".cu", ".py", ".cmake", ".txt", ".json", ".toml", ""}
SHARED = ("CMakeLists.txt", "CMakePresets.json", "script/cmake/", "script/run_tests.py",
          "tests/CMakeLists.txt", "tests/support/CMakeLists.txt")
PROSE = (".md", ".html", ".svg", ".png")
# Kinds of files that `reached_by` follows to every test of programs of the build. Whatever else changes,
# data for example, may reach any test.
FOLLOWED = (".hpp", ".cuh", ".cpp", ".cu", "CMakeLists.txt", *PROSE)
# script/test --times adds one. Of the build's programs only those of bench/ read them.
RECORDS = "bench/records/"


def changed_since(root, commit):
    """Files of the working tree that differ from a commit, as paths from the root; None if the
    commit is unknown here."""
    def git(*arguments):
        return subprocess.run(["git", "-C", root, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    diff = git("diff", "--name-only", commit)
    if diff.returncode != 0:
        return None
    new = git("ls-files", "--others", "--exclude-standard")
    return sorted(set(diff.stdout.split("\n") + new.stdout.split("\n")) - {""})


def working_tree(root, index):
    """The name of a git tree with the files as they are now, ignored ones left out; None outside a git
    repository. `index` is a file that git may write to."""
    def git(*arguments):
        return subprocess.run(["git", "-C", root, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True,
                              env=os.environ | {"GIT_INDEX_FILE": str(index)})
    if git("add", "--all").returncode != 0:
        return None
    return git("write-tree").stdout.strip() or None


def changed_between(root, old, new):
    """Files that differ between two trees, as paths from the root; None if a tree is unknown here."""
    diff = subprocess.run(["git", "-C", root, "diff", "--name-only", "--no-renames", old, new],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return None if diff.returncode != 0 else diff.stdout.split("\n")[:-1]


def commands_added(folder):
    """The command of each test. ctest's own list lacks those whose program is not built yet."""
    return {name: shlex.split(command) for path in pathlib.Path(folder).rglob("CTestTestfile.cmake")
            for name, command in ADDED.findall(path.read_text())}


class build_tree:
    """A configured build folder, and what its tests are made from."""

    def __init__(self, root, folder):
        self.root, self.folder = pathlib.Path(root), pathlib.Path(folder)
        self.include_roots = [self.root, *sorted(self.root.glob("apps/*/include"))]
        self.direct, self.included, self.compiled, self.files = {}, {}, {}, {}
        shown = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], check=True,
                               stdout=subprocess.PIPE, text=True).stdout
        shown = json.loads(shown)
        graph, commands = shown["backtraceGraph"], commands_added(folder)
        self.tests = []
        for number, test in enumerate(shown["tests"], 1):
            defined_in, node = set(), test.get("backtrace")
            while node is not None:
                defined_in.add(graph["files"][graph["nodes"][node]["file"]])
                node = graph["nodes"][node].get("parent")
            labels = [value for entry in test.get("properties", []) if entry["name"] == "LABELS"
                      for value in entry["value"]]
            self.tests.append({"number": number, "name": test["name"], "labels": labels,
                               "command": test.get("command") or commands.get(test["name"], []),
                               "defined_in": defined_in})

    def includes(self, path):
        """The files of the repository that a file itself includes."""
        if path not in self.direct:
            try:
                text = path.read_text(errors="replace")
            except OSError:
                text = ""
            found = []
            for name in INCLUDE.findall(text):
                for candidate in (*(root / name for root in self.include_roots), path.parent / name):
                    if candidate.is_file():
                        found.append(candidate.resolve())
                        break
            self.direct[path] = found
        return self.direct[path]

    def closure(self, path):
        """The file and all files of the repository that it includes, directly or not."""
        if path not in self.included:
            self.included[path] = {path}  # an include of itself ends here
            self.included[path] = {path}.union(*map(self.closure, self.includes(path)))
        return self.included[path]

    def sources(self, output):
        """The sources that a program of the build folder is compiled from."""
        if output not in self.compiled:
            listed = subprocess.run(["ninja", "-C", self.folder, "-t", "inputs", output],
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            paths = {(self.folder / line.strip()).resolve() for line in listed.stdout.splitlines()}
            together = {path for path in paths if path.parent.name == "Unity"}
            paths = paths.union(*map(self.includes, together)) - together
            self.compiled[output] = {path for path in paths
                                     if path.suffix in (".cpp", ".cu") and path.is_file()}
        return self.compiled[output]

    def made_from(self, output):
        """All files that a program of the build folder is made from."""
        if output not in self.files:
            self.files[output] = set().union(*map(self.closure, self.sources(output)))
        return self.files[output]

    def outputs(self, test):
        """The programs of the build folder that a test runs, as ninja names them."""
        inside = self.folder.resolve()
        for word in test["command"]:
            path = pathlib.Path(word)
            if path.is_absolute() and inside in path.parents:
                yield str(path.relative_to(inside))

    def reached_by(self, test, changed):
        """Whether a change of these files, paths from the root, can change what the test says."""
        if any(name.startswith(SHARED) for name in changed):
            return True
        code = {name for name in changed if pathlib.Path(name).suffix in CODE}
        lists = [name for name in code if pathlib.Path(name).name == "CMakeLists.txt"]
        if any(str(self.root / name) in test["defined_in"] for name in changed):
            return True
        paths = {(self.root / name).resolve() for name in changed}
        folders = tuple(str((self.root / name).parent) + "/" for name in lists)
        for word in test["command"]:
            path = pathlib.Path(word)
            if not path.is_absolute():
                continue
            if path.resolve() == self.root.resolve():
                if code:
                    return True  # a check of the whole tree
            elif path.resolve() in paths:
                return True
            elif path.is_dir() and any(path.resolve() in file.parents for file in paths):
                return True
            elif path.suffix == ".py" and any(
                    file.suffix == ".py" and file.parent in (path.resolve().parent,
                                                             self.root / "tests/apps/common")
                    for file in paths):
                return True
        for output in self.outputs(test):
            sources = self.made_from(output)
            if sources & paths or any(str(file).startswith(folders) for file in sources if folders):
                return True
        return False

    def may_be_reached_by(self, test, changed):
        """The same, and True also where it is not known."""
        outputs = list(self.outputs(test))
        known = outputs and all(map(self.sources, outputs))
        if known and not any(output.startswith(("bench/", "tests/bench/")) for output in outputs):
            changed = [name for name in changed if not name.startswith(RECORDS)]
        known = known and all(name.endswith(FOLLOWED) for name in changed)
        return bool(changed) and (not known or self.reached_by(test, changed))

    def affected(self, changed):
        return [test for test in self.tests if self.reached_by(test, changed)]

    def own_sources(self, output):
        """Those of its sources that lie in its folder: they are no library's of the project."""
        return {source for source in self.sources(output)
                if source.parent == (self.root / output).parent}

    def reached_itself(self, test, changed):
        """Whether a change of these files reaches a test in another way than through libraries."""
        paths = {(self.root / name).resolve() for name in changed}
        programs = self.programs(test)
        return not programs or any(paths & self.closure(source) for program in programs
                                   for source in self.own_sources(program))

    def nearest_first(self, tests, changed):
        """Sorts tests: first those that a file reaches which their folder mirrors, then those that
        are reached through libraries only; each by the number of includes between the sources of
        their programs and the nearest changed file."""
        far = 1000  # reached otherwise
        for test in tests:
            for program in self.programs(test):
                self.made_from(program)
        steps = self.includes_between(changed)
        folders = {name: mirror(self.root, name) for name in changed}

        def distance(test):
            beside = any(folder and str(self.root / folder / "CMakeLists.txt") in test["defined_in"]
                         and self.reached_by(test, [name]) for name, folder in folders.items())
            itself = self.reached_itself(test, changed)
            includes = min((steps.get(source, far) for output in self.programs(test)
                            for source in (self.own_sources if itself else self.sources)(output)),
                           default=far)
            return not beside, not itself, includes

        return sorted(tests, key=distance)

    def includes_between(self, changed):
        """How many includes lead from each file that has been read to the nearest changed one."""
        includers = {}
        for path, included in self.direct.items():
            for target in included:
                includers.setdefault(target, []).append(path)
        steps = {(self.root / name).resolve(): 0 for name in changed}
        reached = list(steps)
        for path in reached:
            for includer in includers.get(path, []):
                if includer not in steps:
                    steps[includer] = steps[path] + 1
                    reached.append(includer)
        return steps

    def programs(self, test):
        """Those of its outputs that are compiled, so that a build can be requested them."""
        return [output for output in self.outputs(test) if self.sources(output)]

    def selected(self, tests):
        """The names of tests, and the programs that they run."""
        return ([test["name"] for test in tests],
                sorted({program for test in tests for program in self.programs(test)}))


class passed_tests:
    """Which tests of a preset have passed in this build folder, when, and with which files."""

    def __init__(self, root, folder):
        self.root, self.folder = pathlib.Path(root), pathlib.Path(folder)
        self.path = self.folder / "passed-tests.json"
        self.tree = working_tree(root, self.folder / "passed-tests-index")
        try:
            self.known = json.loads(self.path.read_text())
        except (OSError, ValueError):
            self.known = {}

    def due(self, tests, tree):
        """Those tests that have not passed yet with what they are made from now."""
        changed = {passed["tree"]: self.tree and changed_between(self.root, passed["tree"], self.tree)
                   for passed in self.known.values()}
        return [test for test in tests if self.is_due(test, tree, changed)]

    def is_due(self, test, tree, changed):
        passed = self.known.get(test["name"])
        if passed is None or not self.tree or changed[passed["tree"]] is None:
            return True
        programs = [self.folder / output for output in tree.outputs(test)]
        return (any(path.is_file() and path.stat().st_mtime > passed["time"] for path in programs)
                or tree.may_be_reached_by(test, changed[passed["tree"]]))

    def add(self, log, began):
        """Notes the tests that a log of ctest shows, begun at a time of time.time()."""
        for name, result in re.findall(r"^ *\d+/\d+ Test +#\d+: (\S+) .*?(Passed|\*\*\*\w+)", log,
                                       re.MULTILINE):
            self.known.pop(name, None)
            if result == "Passed" and self.tree:
                self.known[name] = {"tree": self.tree, "time": began}
        self.path.write_text(json.dumps(self.known, indent=0))


def mirror(root, name):
    """The folder of tests that stands for a file's folder: tests/device for libscan/device; None
    where there is none."""
    parts = pathlib.PurePath(name).parts
    if parts[0] == "tests":
        folder = pathlib.PurePath(*parts[:-1])
    elif parts[0] == "libscan" and len(parts) > 2:
        folder = pathlib.PurePath("tests", parts[1])
    elif parts[0] == "libscan" and name.endswith(".cuh"):
        folder = pathlib.PurePath("tests", "device")
    elif parts[0] == "apps" and len(parts) > 2:
        folder = pathlib.PurePath("tests", "apps", parts[1])
    else:
        return None
    return folder if (pathlib.Path(root) / folder / "CMakeLists.txt").is_file() else None
