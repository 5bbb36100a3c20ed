#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""script/test on a small project: which tests a change reaches and in which order, and what
--changed runs, leaves and says when its time is over."""
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "script"))

import affected_tests  # noqa: E402
import run_tests  # noqa: E402

# Programs are shell scripts, C++ to those who read includes: sources that are "compiled" by copying
# them, after what a line "# building: " says has run. Each writes its name to build/plain/tests.log
# when it runs. The minutes that have passed are those in the file build/plain/clock, which programs
# write, and builds: nothing here depends on how fast the machine is.
LISTS = """cmake_minimum_required(VERSION 3.25)
project(small NONE)
enable_testing()
add_test(NAME left_out COMMAND false)  # by the preset's filter: other numbers must not follow from it
set_tests_properties(left_out PROPERTIES LABELS large)
add_subdirectory(tests/cpu)
add_subdirectory(tests/device)
"""
FOLDER_LISTS = """file(GLOB sources *.cpp)
foreach(source IN LISTS sources)
  get_filename_component(name ${source} NAME_WE)
  set(program ${CMAKE_CURRENT_BINARY_DIR}/${name})
  set(library)
  if(name MATCHES "links")
    set(together ${CMAKE_CURRENT_BINARY_DIR}/Unity/unity_0_cxx.cxx)
    file(CONFIGURE OUTPUT ${together} CONTENT "#include \\"${PROJECT_SOURCE_DIR}/libscan/more.cpp\\"\\n")
    set(library ${PROJECT_SOURCE_DIR}/libscan/all.cpp ${together})
  endif()
  add_custom_command(OUTPUT ${program} DEPENDS ${source} ${library}
    COMMENT "Linking CXX executable FOLDER/${name}"
    COMMAND sh -c "sed -n 's/^# building: //p' ${source} | sh; cp ${source} ${program}" VERBATIM)
  add_custom_target(${name}_target ALL DEPENDS ${program})
  add_test(NAME ${name} COMMAND sh ${program})
  set_tests_properties(${name} PROPERTIES LABELS cpu)
endforeach()
"""
PRESETS = {
    "version": 6,
    "configurePresets": [{"name": "plain", "generator": "Ninja",
                          "binaryDir": "${sourceDir}/build/${presetName}"}],
    "buildPresets": [{"name": "plain", "configurePreset": "plain"}],
    "testPresets": [{"name": "plain", "configurePreset": "plain",
                     "filter": {"exclude": {"label": "large"}}}]}


def program(name, *included, words="exit 0"):
    includes = "".join(f"#include <{header}>\n" for header in included)
    return f"{includes}echo {name} >> ../../tests.log\n{words}\n"


def exists(file):
    return f"[ -e {file} ]"


def has_run(test):
    return f"grep -q {test} ../../tests.log"


def pass_time(minutes, when):
    """What a program or a build does so that these minutes are over as soon as a condition of the shell
    holds; then it goes on for long."""
    return (f"for i in $(seq 600); do if {when}; then break; fi; sleep 0.1; done; "
            f"echo {minutes} > ../../clock; sleep 60")


class clock:
    """Of the modules `time` and `threading` what run_tests.py asks the time of."""

    def __init__(self, path):
        self.path = path

    def monotonic(self):
        try:
            return 60 * float(self.path.read_text() or 0)
        except OSError:
            return 0

    def time(self):
        return time.time()

    def Timer(self, seconds, call):
        return timer(self, self.monotonic() + seconds, call)


class timer(threading.Thread):
    """Makes a call when a clock shows a time."""

    def __init__(self, shown, until, call):
        super().__init__(daemon=True)
        self.shown, self.until, self.call, self.done = shown, until, call, threading.Event()

    def run(self):
        while not self.done.wait(0.02):
            if self.shown.monotonic() >= self.until:
                self.call()
                return

    def cancel(self):
        self.done.set()


class SmallProject(unittest.TestCase):
    """Changes the script's paths and constants to those of a project of its own."""

    FILES = {
        "libscan/core/types.hpp": "",
        "libscan/cpu/chunk.hpp": "#include <libscan/core/types.hpp>\n",
        "libscan/cpu/scan.hpp": "#include <libscan/cpu/chunk.hpp>\n",
        "libscan/device/scan.hpp": "#include <libscan/core/types.hpp>\n",
        "libscan/all.cpp": "#include <libscan/cpu/scan.hpp>\n",
        "libscan/more.cpp": "#include <libscan/device/more.hpp>\n",
        "libscan/device/more.hpp": "",
        "tests/cpu/a_links.cpp": program("a_links"),
        "tests/cpu/a_near.cpp": program("a_near", "libscan/cpu/chunk.hpp"),
        "tests/cpu/b_far.cpp": program("b_far", "libscan/cpu/scan.hpp"),
        "tests/device/c_other.cpp": program("c_other", "libscan/device/scan.hpp"),
        "tests/device/d_user.cpp": program("d_user", "libscan/cpu/chunk.hpp"),
    }

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.write({"CMakeLists.txt": LISTS, "CMakePresets.json": json.dumps(PRESETS), **self.FILES,
                    **{f"tests/{name}/CMakeLists.txt":
                       FOLDER_LISTS.replace("FOLDER", f"tests/{name}") for name in ("cpu", "device")}})
        for name, value in {"ROOT": self.root, "LOGS": self.root / "build/logs",
                            "RECORDS": self.root / "records", "FULL": {"plain": "all"}, "CORES": 3,
                            "LAST_FULL_RUN": self.root / "tests/last-full-run",
                            "CHANGED_MINUTES": 25, "CHANGED_TEST_MINUTES": 2, "CHANGED_PROGRAMS": 1,
                            "time": clock(self.root / "build/plain/clock"),
                            "threading": clock(self.root / "build/plain/clock")}.items():
            self.replace(name, value)
        run_tests.LOGS.mkdir(parents=True)

    def replace(self, name, value):
        self.addCleanup(setattr, run_tests, name, getattr(run_tests, name))
        setattr(run_tests, name, value)

    def write(self, files):
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def git(self, *arguments):
        return subprocess.run(["git", "-C", self.root, "-c", "user.name=n", "-c", "user.email=e",
                               *arguments], check=True, text=True, stdout=subprocess.PIPE).stdout

    def commit(self):
        """Records the files as they are as those of the last full run."""
        self.write({".gitignore": "/build/\n/tests/last-full-run\n"})
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "all")
        run_tests.LAST_FULL_RUN.write_text(self.git("rev-parse", "HEAD"))

    def tree(self):
        subprocess.run(["cmake", "--preset", "plain"], cwd=self.root, check=True,
                       stdout=subprocess.DEVNULL)
        return affected_tests.build_tree(self.root, self.root / "build/plain")

    def run_changed(self):
        """Whether run_changed passes, and what it prints."""
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            try:
                run_tests.run_changed(run_tests.progress("changed"))
                passed = True
            except run_tests.failed:
                passed = False
        return passed, shown.getvalue()

    def ran(self):
        """The tests that have run, in turn."""
        log = self.root / "build/plain/tests.log"
        return log.read_text().split() if log.exists() else []


class Affected(SmallProject):
    def names(self, *changed):
        tree = self.tree()
        return [test["name"] for test in tree.nearest_first(tree.affected(changed), changed)]

    def test_a_header_reaches_the_programs_that_include_it(self):
        self.assertEqual(self.names("libscan/device/scan.hpp"), ["c_other"])
        self.assertEqual(self.names("docs/words.md"), [])

    def test_a_source_of_a_unity_build_reaches_the_programs_that_link_it(self):
        self.assertEqual(self.names("libscan/more.cpp"), ["a_links"])
        self.assertEqual(self.names("libscan/device/more.hpp"), ["a_links"])

    def test_the_folder_that_mirrors_comes_first_and_then_few_includes(self):
        self.assertEqual(self.names("libscan/cpu/chunk.hpp"), ["a_near", "b_far", "a_links", "d_user"])
        self.assertEqual(self.names("libscan/core/types.hpp"), ["a_near", "c_other", "d_user", "b_far", "a_links"])
        self.assertEqual(self.names("tests/device/d_user.cpp", "libscan/cpu/scan.hpp"),
                         ["d_user", "b_far", "a_links"])

    def test_what_all_builds_share_reaches_every_test(self):
        self.assertEqual(len(self.names("CMakePresets.json")), 6)


class Beside(SmallProject):
    def run_beside(self, name):
        self.replace("QUICK", {"plain": "all"})
        with contextlib.redirect_stdout(io.StringIO()):
            run_tests.run_beside(run_tests.progress("files"), [str(self.root / name)])
        return sorted(self.ran())

    def test_a_header_runs_the_tests_in_the_folder_that_mirrors_its_own_that_include_it(self):
        self.assertEqual(self.run_beside("libscan/cpu/chunk.hpp"), ["a_near", "b_far"])

    def test_a_source_of_a_library_runs_the_tests_that_link_it(self):
        self.assertEqual(self.run_beside("libscan/all.cpp"), ["a_links"])

    def test_the_source_of_a_test_runs_it(self):
        self.assertEqual(self.run_beside("tests/cpu/a_links.cpp"), ["a_links"])


class Changed(SmallProject):
    def test_without_a_full_run_nothing_runs(self):
        passed, shown = self.run_changed()
        self.assertTrue(passed)
        self.assertIn("has not passed yet", shown)
        self.assertEqual(self.ran(), [])

    def test_what_changed_runs_nearest_first(self):
        self.commit()
        self.write({"libscan/cpu/chunk.hpp": "// new\n"})
        passed, shown = self.run_changed()
        self.assertTrue(passed)
        self.assertEqual(self.ran(), ["a_near", "b_far", "a_links", "d_user"])
        self.assertNotIn("NOT RUN", shown)

    def test_of_an_unknown_commit_everything_counts_as_changed(self):
        self.commit()
        run_tests.LAST_FULL_RUN.write_text("0" * 40 + "\n")
        passed, shown = self.run_changed()
        self.assertTrue(passed)
        self.assertEqual(sorted(self.ran()), ["a_links", "a_near", "b_far", "c_other", "d_user"])

    def test_a_build_is_stopped_in_time_and_what_is_left_is_named(self):
        self.commit()
        self.write({"tests/cpu/a_near.cpp": program("a_near"),
                    "tests/cpu/b_far.cpp":
                    "# building: " + pass_time(24, exists("a_near")) + "\n" + program("b_far")})
        self.replace("CHANGED_PROGRAMS", 2)
        passed, shown = self.run_changed()
        self.assertTrue(passed)
        self.assertEqual(self.ran(), ["a_near"])
        self.assertRegex(shown, "plain build 1 +stopped after")
        self.assertRegex(shown, r"NOT RUN(?s:.*)plain, 1 tests: b_far\n")
        self.assertFalse((self.root / "build/plain/tests/cpu/b_far").exists())

    def test_a_test_is_stopped_in_time_and_counts_as_not_run(self):
        self.commit()
        self.write({"tests/cpu/a_near.cpp": program("a_near", words=pass_time(26, has_run("b_far"))),
                    "tests/cpu/b_far.cpp": program("b_far"),
                    "tests/device/d_user.cpp": program("d_user")})
        self.replace("CHANGED_PROGRAMS", 2)
        passed, shown = self.run_changed()
        self.assertTrue(passed)
        self.assertEqual(sorted(self.ran()), ["a_near", "b_far"])
        self.assertRegex(shown, "plain test 1 +stopped after")
        self.assertRegex(shown, r"plain, [12] tests: a_near, (b_far, )?d_user\n")

    def test_a_failure_counts_also_when_the_time_is_over(self):
        self.commit()
        self.write({"tests/cpu/a_near.cpp": program("a_near", words=pass_time(26, exists("failed"))),
                    "tests/cpu/b_far.cpp": program("b_far", words="echo FAILED: b; exit 1"),
                    "tests/cpu/c_last.cpp": program("c_last", words="sleep 1; touch failed")})
        self.replace("CHANGED_PROGRAMS", 3)
        passed, shown = self.run_changed()
        self.assertFalse(passed)
        self.assertIn("FAILED: b", shown)
        self.assertIn("failed: plain", shown)

    def test_a_failure_within_the_time_fails(self):
        self.commit()
        self.write({"tests/cpu/b_far.cpp": program("b_far", words="exit 1")})
        passed, shown = self.run_changed()
        self.assertFalse(passed)
        self.assertRegex(shown, r"plain, 1 tests: b_far\n")

    def test_nothing_begins_when_the_time_is_over(self):
        self.commit()
        self.write({"libscan/cpu/chunk.hpp": "// new\n", "tests/device/c_other.cpp":
                    program("c_other", words="echo 23 > ../../clock")})
        passed, shown = self.run_changed()
        self.assertTrue(passed)
        self.assertEqual(self.ran(), ["c_other"])
        self.assertRegex(shown, r"plain, 4 tests: a_near, b_far, a_links, d_user\n")


class Again(SmallProject):
    """A second run in the same folder."""

    ALL = ["a_links", "a_near", "b_far", "c_other", "d_user"]

    def run_suites(self, again=False):
        """Whether the suite passes, which tests ran this time, and what it prints."""
        before = len(self.ran())
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            try:
                run_tests.run_suites(run_tests.progress("quick"), {"plain": "all"}, again)
                passed = True
            except run_tests.failed:
                passed = False
        return passed, sorted(self.ran()[before:]), shown.getvalue()

    def test_tests_run_again_only_if_what_they_are_made_from_has_changed(self):
        self.commit()
        self.assertEqual(self.run_suites()[:2], (True, self.ALL))
        passed, ran, shown = self.run_suites()
        self.assertEqual((passed, ran), (True, []))
        self.assertIn("5 of 5 tests have passed before", shown)
        self.write({"libscan/device/scan.hpp": "// new\n", "docs/words.md": "new\n"})
        self.assertEqual(self.run_suites()[:2], (True, ["c_other"]))
        self.write({"tests/cpu/b_far.cpp": program("b_far", "libscan/cpu/scan.hpp", words="true")})
        self.assertEqual(self.run_suites()[:2], (True, ["b_far"]))
        self.assertEqual(self.run_suites(again=True)[:2], (True, self.ALL))

    def test_data_and_lists_reach_all_tests(self):
        self.commit()
        self.run_suites()
        for name in ("data/items.txt", "script/tool.py", "CMakePresets.json"):
            self.write({name: json.dumps(PRESETS) + "\n"})
            self.assertEqual(self.run_suites()[:2], (True, self.ALL), name)

    def test_a_record_reaches_no_test_of_another_program(self):
        self.commit()
        self.run_suites()
        self.write({"bench/records/build-quick.json": "{}\n"})
        self.assertEqual(self.run_suites()[:2], (True, []))
        self.write({"bench/records/build-quick.json": "[]\n", "data/items.txt": "1\n"})
        self.assertEqual(self.run_suites()[:2], (True, self.ALL))

    def test_a_program_that_was_built_again_is_tested_again(self):
        self.commit()
        self.run_suites()
        (self.root / "build/plain/tests/cpu/a_near").touch()
        self.assertEqual(self.run_suites()[:2], (True, ["a_near"]))

    def test_what_failed_runs_until_it_passes(self):
        self.commit()
        self.write({"tests/cpu/a_near.cpp": program("a_near", words="exit 1")})
        self.assertEqual(self.run_suites()[:2], (False, self.ALL))
        self.assertEqual(self.run_suites()[:2], (False, ["a_near"]))
        self.write({"tests/cpu/a_near.cpp": program("a_near")})
        self.assertEqual(self.run_suites()[:2], (True, ["a_near"]))
        self.assertEqual(self.run_suites()[:2], (True, []))

    def test_all_that_failed_is_named_and_shown_first(self):
        self.write({"tests/cpu/a_near.cpp": program("a_near", words="exit 77"),
                    "tests/cpu/b_far.cpp": program("b_far", words="echo broken; exit 1"),
                    "tests/device/c_other.cpp": program("c_other", words="exit 1"),
                    # It would else run beside b_far.
                    "tests/device/CMakeLists.txt": FOLDER_LISTS + "set_tests_properties(c_other "
                                                   "PROPERTIES DEPENDS b_far)\n",
                    "tests/cpu/CMakeLists.txt": FOLDER_LISTS + "set_tests_properties(a_near "
                                                "PROPERTIES SKIP_RETURN_CODE 77)\n"})
        passed, _, shown = self.run_suites()
        self.assertFalse(passed)
        self.assertRegex(shown, r"Test #\d+: b_far .*\*\*\*Failed")
        self.assertIn("\nbroken", shown)
        self.assertRegex(shown, r"\d - b_far \(Failed\)\n.*\d - c_other \(Failed\)\n")
        self.assertNotIn("a_near", shown)

    def test_a_change_back_counts(self):
        self.commit()
        self.run_suites()
        text = self.FILES["tests/cpu/b_far.cpp"]
        self.write({"tests/cpu/b_far.cpp": text + "true\n"})
        self.run_suites()
        self.write({"tests/cpu/b_far.cpp": text})
        self.assertEqual(self.run_suites()[:2], (True, ["b_far"]))

    def test_outside_a_repository_all_tests_run(self):
        self.run_suites()
        self.assertEqual(self.run_suites()[:2], (True, self.ALL))


if __name__ == "__main__":
    unittest.main()
