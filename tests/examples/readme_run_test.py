# SPDX-License-Identifier: Apache-2.0
"""README.md's programs do what it shows: readme_run_test.py ROOT FIRST PROGRAM...

What FIRST prints is the block after `<!-- printed by: examples/first -->`. In each `console` block the
lines after `$ ` are commands; each prints the lines up to the next command, on standard output or error.
They run one after another in one directory, which holds `data`, and find the PROGRAMs by their names.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PRINTED = re.compile(r"^<!-- printed by: examples/first -->\n```\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def printed(command, folder, path):
    """What a shell command prints, and how it ended if it failed."""
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, "PATH": path})
    return done.stdout + (f"exit code {done.returncode}\n" if done.returncode else "")


def check(root, page, first, programs):
    """Complaints about what the page shows."""
    path = os.pathsep.join([*(str(pathlib.Path(p).resolve().parent) for p in programs), os.environ["PATH"]])
    shown = PRINTED.search(page)
    if not shown or printed(str(first), root, path) != shown[1]:
        yield f"{first} prints:\n{printed(str(first), root, path)}"
    blocks = CONSOLE.findall(page)
    if not blocks:
        yield "no session"
    for block in blocks:
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(pathlib.Path(root, "data").resolve(), pathlib.Path(folder, "data"))
            for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, expected = step.split("\n", 1)
                got = printed(command, folder, path)
                if got != expected:
                    yield f"$ {command}\n{got}\nis shown as:\n{expected}"


def self_test(root):
    """Each planted difference is found; the page without them is silent."""
    page = ("<!-- printed by: examples/first -->\n```\none\n```\n\n"
            "```console\n$ echo a > b; echo c\nc\n$ cat b\na\n```\n")
    assert list(check(root, page, "echo one", [])) == []
    for old, new in (("one", "two"), ("$ cat b\na", "$ cat b\nx"), ("console", "sh"),
                     ("cat b", "cat b >&2; false")):
        assert len(list(check(root, page.replace(old, new, 1), "echo one", []))) == 1, new


def main():
    root, first, *programs = sys.argv[1:]
    self_test(root)
    page = pathlib.Path(root, "README.md").read_text()
    complaints = list(check(root, page, pathlib.Path(first).resolve(), programs))
    print(*complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
