# SPDX-License-Identifier: Apache-2.0
"""Commands on pages print what the pages show: pages_test.py ROOT FOLDERS PAGE...

In each `console` block of a PAGE, the lines after `$ ` are commands, and each prints the lines up to
the next command. In a row of a table that ends with | `$ COMMAND` | `WORDS` |, what the command prints
contains the words, at any spacing. Commands run one after another in one directory, which holds links to `data`, `docs`,
`examples` and `libscan`, and find the programs in FOLDERS, which colons separate. A line `...` of a
page stands for any lines; `...` at the end of a line, for the rest of it.
"""
import os
import pathlib
import re
import sys
import tempfile

from readme_run_test import CONSOLE, printed

ROW = re.compile(r"^\|.*\| `\$ (.+)` \| `(.+)` \|$", re.MULTILINE)
LINKED = ("data", "docs", "examples", "libscan", "tests")


def agrees(got, shown):
    """Whether the lines are those shown, where `...` stands for any."""
    parts = (re.escape(line) if not line.endswith("...") else re.escape(line[:-3]) + r"[^\n]*"
             for line in shown.split("\n"))
    pattern = "\n".join(r"(?:[^\n]*\n)*?[^\n]*" if part == r"[^\n]*" else part for part in parts)
    return re.fullmatch(pattern, got) is not None


def complaints_of(root, page, path):
    """Commands whose output differs from what the page shows; and a page without any."""
    blocks, rows = CONSOLE.findall(page), ROW.findall(page)
    if not blocks and not rows:
        yield "no command"
    with tempfile.TemporaryDirectory() as folder:
        for name in LINKED:
            os.symlink(pathlib.Path(root, name).resolve(), pathlib.Path(folder, name))
        for block in blocks:
            for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, shown = step.split("\n", 1)
                while command.endswith("\\"):
                    more, shown = shown.split("\n", 1)
                    command = command[:-1] + more
                got = printed(command, folder, path)
                if not agrees(got, shown):
                    yield f"$ {command}\n{got}\nis shown as:\n{shown}"
        for command, words in rows:
            got = printed(command.replace("\\|", "|"), folder, path)
            if " ".join(words.split()) not in " ".join(got.split()):
                yield f"$ {command}\n{got}\ndoes not print:\n{words}"


def self_test(root):
    """Each planted difference is found; the page without them is silent."""
    page = "```console\n$ seq 4\n1\n...\n4\n$ echo one \\\n  two\none t...\n```\n"
    page += "| a | `$ echo 1 2 \\\\| cat` | `1  2` |\n"
    path = os.environ["PATH"]
    assert list(complaints_of(root, page, path)) == []
    for old, new in (("4\n$", "5\n$"), ("one t...", "one u..."), ("...\n4", "4"), ("\n1\n", "\n2\n"),
                     ("`1  2`", "`12`")):
        assert list(complaints_of(root, page.replace(old, new, 1), path)), new


def main():
    root, folders, *pages = sys.argv[1:]
    self_test(root)
    folders = [os.path.abspath(folder) for folder in folders.split(":")]
    path = os.pathsep.join([*folders, os.environ["PATH"]])
    failed = 0
    for name in pages:
        for complaint in complaints_of(root, pathlib.Path(root, name).read_text(), path):
            print(f"{name}:\n{complaint}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
