# SPDX-License-Identifier: Apache-2.0
"""Code for one machine has that machine's name: machine_names.py LIBRARY...

A program may have the same source compiled for a GPU and for the executor, and the linker keeps one of the
functions with the same name. So a function that the executor's objects of the static libraries share (an inline
function, or an instance of a template), and that refers to names of the executor, has `executor` in its own
name: as a template's argument, or by `inline namespace LIBSCAN_MACHINE`.
"""
import re
import subprocess
import sys

OWN = re.compile(r"\b_ZT?[A-Z]?\S*v1_executor\S*")
MEMBER = re.compile(r"^File: .*\((.*)\)$")
SECTION = re.compile(r"^Relocation section '\.rela?\.text\.(?:hot\.|unlikely\.)?(\S+)'")


def shared_functions(library):
    """(number of functions, {function: a name of the executor that it refers to})."""
    relocations = subprocess.run(["readelf", "-W", "--relocs", library], stdout=subprocess.PIPE, text=True, check=True)
    functions, wrong, member, function = set(), {}, "", None
    for line in relocations.stdout.splitlines():
        if found := MEMBER.match(line):
            member = found[1]
        elif line.startswith("Relocation section"):
            found = SECTION.match(line)
            function = found[1] if found and "executor" in member else None
            functions.add(function)
        elif function and "executor" not in function and (name := OWN.search(line)):
            wrong[function] = name[0]
    return len(functions - {None}), wrong


def readable(names):
    return subprocess.run(["c++filt"], input="\n".join(names), stdout=subprocess.PIPE, text=True,
                          check=True).stdout.splitlines()


def main():
    count, wrong = 0, {}
    for library in sys.argv[1:]:
        functions, found = shared_functions(library)
        count += functions
        wrong |= found
    for function, name in zip(readable(wrong), readable(wrong.values())):
        print(f"{function}\n  refers to {name}, and has the same name on a GPU")
    print(f"{count} functions, {len(wrong)} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
