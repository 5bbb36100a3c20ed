# SPDX-License-Identifier: Apache-2.0
"""Every public name has a docstring, files keep their budgets: docstrings.py ROOT

Public: declared at namespace scope in a header of libscan/ or apps/ (not in `src` or `racecheck`),
in no namespace called detail or without a name. Declarations without a blank line between them
share the comment above the first. The words that both machines implement are described once, in
simt.cuh.
"""
import pathlib
import re
import sys

import tree

HEADER_LINES = 600
COLUMNS = 100
FOLDERS = ("libscan", "apps", "bench", "examples", "tests")
PRIVATE = {"src", "racecheck"}
LICENSE = "SPDX-License-Identifier: Apache-2.0"

# Comments, literals and whole preprocessor directives with their continued lines.
NOISE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^[ \t]*\#(?:\\\n|[^\n])*""",
    re.DOTALL | re.MULTILINE)
NAMESPACE = re.compile(r"\s*(?:inline\s+)?namespace\b([\w:\s]*)$")
# What needs no comment: other people's names, repeated names, and what has no name.
EXEMPT = re.compile(r"using\s|static_assert\b|extern\s+template\b|template\s+(?!<)|"
                    r"(?:template\s*<.*>\s*)?(?:class|struct|enum class)\s+\w+\s*;$", re.DOTALL)
NAME = re.compile(r"(?:class|struct|union|enum class|concept|using|namespace)\s+(\w+)|"
                  r"(operator[^\s(]+|\w+)\s*(?=[({=;\[])")
TEMPLATE_HEAD = re.compile(r"\s*template\s*<[^;{()]*?>(?=\s*[\w\[])")
ALIAS = re.compile(r"(?:template\s*<.*>\s*)?using\s+\w+\s*=", re.DOTALL)


def blank(match):
    """Spaces in place of what matched; literals keep a letter, so that they still are tokens."""
    text = re.sub(r"[^\n]", " ", match.group())
    return "x" + text[1:] if match.group()[0] in "\"'" else text


def public_declarations(text):
    """(line, text) of each declaration at the scope of a public namespace."""
    clean = NOISE.sub(blank, text)
    namespaces, depth, parentheses, start = [], 0, 0, 0
    for i, c in enumerate(clean):
        parentheses += (c in "([") - (c in ")]")
        if c not in "{};" or parentheses > 0:
            continue
        statement = clean[start:i]
        public = depth == 0 and namespaces and all(namespaces)
        if c == "{":
            space = NAMESPACE.match(statement) if depth == 0 else None
            if space:
                words = re.split(r"[\s:]+", space.group(1).strip())
                namespaces.append(words != [""] and "detail" not in words)
                start = i + 1
                continue
            if public and statement.strip():
                yield declaration(clean, start, statement + "{")
            depth += 1
        elif c == ";":
            if public and statement.strip():
                yield declaration(clean, start, statement + ";")
        elif depth > 0:
            depth -= 1
        elif namespaces:
            namespaces.pop()
        if depth == 0:
            start = i + 1
        else:
            start = len(clean)  # inside a body


def declaration(clean, start, statement):
    """Its first line (from 1) and its text."""
    lead = len(statement) - len(statement.lstrip())
    return clean.count("\n", 0, start + lead) + 1, statement.strip()


def name_of(what):
    """The name a declaration declares."""
    found = NAME.search(TEMPLATE_HEAD.sub("", what))
    return (found.group(1) or found.group(2)) if found else what


def undocumented(text, described=frozenset()):
    """(line, name) of public declarations without a docstring and not `described` elsewhere."""
    lines = text.split("\n")
    covered_to = 0  # last line of a documented group so far
    for line, what in public_declarations(text):
        last = line + what.count("\n")
        above = line - 2
        while above >= 0 and lines[above].lstrip().startswith("#"):
            above -= 1
        documented = above >= 0 and lines[above].lstrip().startswith("///")
        in_group = 0 < covered_to and not any(not x.strip() for x in lines[covered_to:line - 1])
        trailing = "///<" in lines[line - 1]
        named = re.match(r"[\w\[:]", what) and (ALIAS.match(what) or not EXEMPT.match(what))
        if documented or in_group or trailing:
            covered_to = last
        elif named and name_of(what) not in described:
            yield line, name_of(what)


def check(root):
    """Complaints about the tree at `root`."""
    root = pathlib.Path(root)
    complaints = []
    machine = root / "libscan/simt/simt.cuh"
    vocabulary = set(re.findall(r"\w+", machine.read_text())) if machine.exists() else set()
    for path in tree.headers(root):
        text = (root / path).read_text()
        lines = text.split("\n")
        backend = path.parts[:2] == ("libscan", "simt")
        if not PRIVATE.intersection(path.parts):
            complaints += [f"{path}:{line}: no docstring above {name}" for line, name in
                           undocumented(text, vocabulary if backend else frozenset())]
        if len(lines) > HEADER_LINES + 1:
            complaints.append(f"{path}: more than {HEADER_LINES} lines")
    for path in tree.sources(root, *(f"{folder}/**/*.{ending}" for folder in FOLDERS
                                     for ending in ("[hc]pp", "cu", "cuh"))):
        lines = (root / path).read_text().split("\n")
        if not any(LICENSE in line for line in lines[:2]):
            complaints.append(f"{path}:1: no license line")
        complaints += [f"{path}:{i}: longer than {COLUMNS} columns"
                       for i, line in enumerate(lines, 1) if len(line) > COLUMNS]
    return complaints


def self_test():
    """Each planted gap is found, and the documented twin is silent."""
    head = f"// {LICENSE}\n#pragma once\nnamespace libscan::inline v1 {{\n"
    tail = "}  // namespace\n"
    documented = [
        "/// Text.\nclass a {\n  int undocumented_member;\n  void f() { }\n};\n",
        "/// Text.\ntemplate <class T>\nconcept c = requires(T t) {\n  t + t;\n};\n",
        "/// Text.\nint f(int x = int{}, char c = '{');\nint f(long);\n",
        "/// Text.\nusing b = int;\n",
        "/// Text.\n#ifdef X\nvoid g();\n#endif\n",
        "constexpr int k = 1;  ///< Text.\n",
        "namespace detail {\nint f();\n}\n",
        "namespace {\nint f();\n}\n",
        "class later;\nusing std::size_t;\nstatic_assert(true);\n",
        "/// Text.\ninline auto s = R{\"}\"};\n\n/// Text.\nenum class e { one };\n",
    ]
    planted = [
        "class a {\n  int undocumented_member;\n};\n",
        "// Text.\ntemplate <class T>\nconcept c = requires(T t) {\n  t + t;\n};\n",
        "/// Text.\nint f();\n\nint f(long);\n",
        "using b = int;\n",
        "template <class T>\nT f(T x) {\n  return x;\n}\n",
        "namespace simt {\nenum class e { one };\n}\n",
        "/// Text.\n\ninline constexpr int k = 1;\n",
        "/// Text.\nstruct a {\n  void f() {\n  }\n};\n\nstruct b { int x; };\n",
    ]
    path = "libscan/core/a.hpp"
    for text in documented:
        found = tree.found_in(check, {path: head + text + tail})
        assert found == [], (text, found)
    for text in planted:
        found = tree.found_in(check, {path: head + text + tail})
        assert len(found) == 1 and "no docstring" in found[0], (text, found)
    for text in ["#pragma once\n", head + tail + "\n" * HEADER_LINES,
                 head + "// " + "x" * COLUMNS + "\n" + tail]:
        assert len(tree.found_in(check, {path: text})) == 1, text


if __name__ == "__main__":
    sys.exit(tree.main(check, self_test))
