# SPDX-License-Identifier: Apache-2.0
"""Code for one machine has that machine's name: machine_names.py OBJECT...

A program may have the same source compiled for a GPU and for the executor, and the linker keeps one of the
functions with the same name. So a function that objects for the executor share with others (an inline function,
or an instance of a template), and that refers to names of the executor, has `executor` in its own name: as a
template's argument, or by `inline namespace LIBSCAN_MACHINE`.
"""
import re
import subprocess
import sys

OWN = "v1_executor"
SECTION = re.compile(r"^RELOCATION RECORDS FOR \[\.text\.(?:hot\.|unlikely\.)?(\S+)\]:")


def shared_functions(file):
    """(number of functions, {function: a name of the executor that it refers to})."""
    relocations = subprocess.run(["objdump", "-r", file], stdout=subprocess.PIPE, text=True, check=True)
    functions, wrong, function = 0, {}, None
    for line in relocations.stdout.splitlines():
        if line.startswith("RELOCATION RECORDS"):
            found = SECTION.match(line)
            function = found[1] if found else None
            functions += function is not None
        elif function and OWN in line and "executor" not in function:
            wrong[function] = line.split()[-1].split("-0x")[0]
    return functions, wrong


def readable(names):
    return subprocess.run(["c++filt"], input="\n".join(names), stdout=subprocess.PIPE, text=True,
                          check=True).stdout.splitlines()


def main():
    count, wrong = 0, {}
    for file in sys.argv[1:]:
        functions, found = shared_functions(file)
        count += functions
        wrong |= found
    for function, name in zip(readable(wrong), readable(wrong.values())):
        print(f"{function}\n  refers to {name}, and has the same name on a GPU")
    print(f"{count} functions, {len(wrong)} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
