# SPDX-License-Identifier: Apache-2.0
"""The lists of planted mistakes, and a copy of libscan that holds all of them (script/mutants)."""
import os
import pathlib
import re
import subprocess
import tomllib
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
LISTS = ROOT / "tests/mutants"
WORK = ROOT / "build/mutants"
TREE = WORK / "tree"

LICENSE = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = "libscan/core/mistake.hpp"
HEADER_TEXT = """#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

// A byte of the file LIBSCAN_MISTAKE_REACHED. The system calls are bare, since a test lets open() fail.
inline char* const libscan_reached_mistake = [] {
  static char nowhere;
  char const* const path = std::getenv("LIBSCAN_MISTAKE_REACHED");
  if (path == nullptr) return &nowhere;
  int const file = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, O_RDWR));
  void* const page = ::mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::syscall(SYS_close, file);
  return page == MAP_FAILED ? &nowhere : static_cast<char*>(page);
}();
inline int libscan_planted_mistake = [] {
  char const* const number = std::getenv("LIBSCAN_MISTAKE");
  return number == nullptr ? 0 : std::atoi(number);
}();

// Racecheck hears what kernels read: not this. Constants are computed without mistakes.
#if defined(__SANITIZE_THREAD__)
[[gnu::noinline, gnu::no_sanitize("thread")]]
#endif
constexpr bool libscan_mistake(int number) {
  if (__builtin_is_constant_evaluated() || number != libscan_planted_mistake) return false;
  __atomic_store_n(libscan_reached_mistake, char{1}, __ATOMIC_RELAXED);
  return true;
}
"""

COMMENT = re.compile(r'[ \t]*//[^\n"]*$', re.MULTILINE)
WITHIN_BEFORE, WITHIN_AFTER = re.compile(r"(::|\.|->|\w)$"), re.compile(r"\w|::")
OF_LAST_OPERAND, BRACKETS = re.compile(r"\.|->|\[|\("), re.compile(r"\([^()]*\)|\[[^][]*\]")
PRECEDENCE = {operator: i for i, operators in enumerate(
    ("? :", "||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %"))
    for operator in operators.split()}
ASSOCIATIVE = {"?", ":", "||", "&&", "|", "^", "&", "+", "*"}
REQUIRED = {"id", "file", "what", "right", "wrong", "as", "tests"}
OPTIONAL = {"before", "after", "equivalent"}


class failed(Exception):
    pass


def read_mistakes():
    return [mistake for path in sorted(LISTS.glob("*.toml"))
            for mistake in tomllib.loads(path.read_text())["mistake"]]


def number_of(mistake):
    """Does not depend on the other mistakes, so that a new one changes one file of the copy."""
    return zlib.crc32(mistake["id"].encode()) & 0x7fffffff


def place_of(mistake, text):
    """Where the mistake's right text begins and ends in its file."""
    before, right = mistake.get("before", ""), mistake["right"]
    whole = before + right + mistake.get("after", "")
    times = text.count(whole)
    if times != 1:
        raise failed(f"its right text is {times} times in {mistake['file']}")
    begin = text.index(whole) + len(before)
    return begin, begin + len(right)


def switched(mistake):
    """Right and wrong, as one piece of code with the line breaks of the right text."""
    right, wrong = (COMMENT.sub("", mistake[field]) for field in ("right", "wrong"))
    wrong, number = " ".join(wrong.split()), number_of(mistake)
    if mistake["as"] == "expression":
        return f"(::libscan_mistake({number}) ? ({wrong}) : ({right}))"
    return f"if (::libscan_mistake({number})) {{ {wrong} }} else {{ {right} }}"


def planted(text, mistakes, patch=None):
    """A file's text with all its switches, and with at most one patch."""
    edits = []
    for mistake in mistakes:
        if mistake is patch:
            edits.append((*place_of(mistake, text), mistake["wrong"]))
        elif mistake["as"] != "patch":
            edits.append((*place_of(mistake, text), switched(mistake)))
    for begin, end, new in sorted(edits, reverse=True):
        text = text[:begin] + new + text[end:]
    return text.replace(LICENSE, f"#include <{HEADER}>\n", 1)


def by_file(mistakes):
    files = {}
    for mistake in mistakes:
        files.setdefault(mistake["file"], []).append(mistake)
    return files


def outside_brackets(text):
    while (shorter := BRACKETS.sub("", text)) != text:
        text = shorter
    return text


def is_operand(right, before, after):
    """Whether parentheses around the right text would leave an expression as it is."""
    right = outside_brackets(COMMENT.sub("", right))
    if OF_LAST_OPERAND.match(after):
        return " " not in right
    weakest = min((PRECEDENCE[word] for word in right.split() if word in PRECEDENCE),
                  default=len(PRECEDENCE))
    last = before.split()[-1] if before[-1:].isspace() else ""
    following = after.split(maxsplit=1)[0] if after[:1].isspace() else ""
    of_last = PRECEDENCE.get(last, -1)
    return PRECEDENCE.get(following, -1) <= weakest and \
        (of_last < weakest or of_last == weakest and last in ASSOCIATIVE)


def problems_of(mistake):
    fields = set(mistake)
    if not REQUIRED <= fields or not fields <= REQUIRED | OPTIONAL:
        yield f"fields: {', '.join(sorted(REQUIRED - fields | fields - REQUIRED - OPTIONAL))}"
        return
    if mistake["as"] not in ("expression", "statement", "patch"):
        yield f"as = {mistake['as']!r}"
    if mistake["right"] == mistake["wrong"]:
        yield "right and wrong are the same"
    try:
        re.compile(mistake["tests"])
    except re.error as error:
        yield f"tests: {error}"
    try:
        text = (ROOT / mistake["file"]).read_text()
        if mistake["as"] != "patch" and not text.startswith(LICENSE):
            yield f"{mistake['file']} does not begin with the license line, where a switch needs it"
        begin, end = place_of(mistake, text)
        if mistake["as"] != "patch" and (WITHIN_BEFORE.search(text[:begin]) or
                                         WITHIN_AFTER.match(text[end:])):
            yield f"its right text is a part of a name or of a member's, no {mistake['as']} by itself"
        if mistake["as"] == "expression" and not is_operand(mistake["right"], text[:begin], text[end:]):
            yield "its right text is not an operand of what stands before or after it"
    except (OSError, failed) as error:
        yield str(error)


def overlaps(mistakes):
    """Pairs of switches that would change the same text."""
    for name, of_file in by_file(mistakes).items():
        text = (ROOT / name).read_text()
        places = sorted((*place_of(mistake, text), mistake["id"]) for mistake in of_file
                        if mistake["as"] != "patch")
        for (_, end, one), (begin, _, other) in zip(places, places[1:]):
            if begin < end:
                yield one, other


def check(mistakes):
    problems = [f"{mistake.get('id', '?')}: {problem}"
                for mistake in mistakes for problem in problems_of(mistake)]
    if not problems:
        problems = [f"{one} and {other} overlap: make one a patch" for one, other in overlaps(mistakes)]
        numbers = {}
        for mistake in mistakes:
            other = numbers.setdefault(number_of(mistake), mistake)
            if other is not mistake:
                problems.append(f"{mistake['id']}: another has this id or its number, {other['id']}")
    for problem in problems:
        print(problem)
    print(f"{len(mistakes)} mistakes, {len(problems)} problems")
    return 1 if problems else 0


def write_if_new(path, content, mode=0o644):
    """Keeps the time of a file that stays the same, so that nothing is built again for it."""
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(mode)


def copy_tree(mistakes):
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others",
                             "--exclude-standard"], check=True, stdout=subprocess.PIPE, text=True)
    names = [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    files = by_file(mistakes)
    for name in names:
        content = (ROOT / name).read_bytes()
        if name in files:
            content = planted(content.decode(), files[name]).encode()
        write_if_new(TREE / name, content, (ROOT / name).stat().st_mode & 0o777)
    write_if_new(TREE / HEADER, (LICENSE + HEADER_TEXT).encode())
    kept = {*names, HEADER}
    for folder, folders, found in os.walk(TREE):
        if pathlib.Path(folder) == TREE:
            folders[:] = [inner for inner in folders if inner != "build"]
        for name in found:
            path = pathlib.Path(folder, name)
            if str(path.relative_to(TREE)) not in kept and "__pycache__" not in path.parts:
                path.unlink()
