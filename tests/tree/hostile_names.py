# SPDX-License-Identifier: Apache-2.0
"""Writes a header with a greedy function template of the name of each free function that the
headers declare: hostile_names.py ROOT HEADER.

A type of that namespace finds them by argument-dependent lookup wherever a header calls a function
without saying whose it is; then the program does not compile.
"""
import pathlib
import re
import sys

import tree

NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
                   re.DOTALL | re.MULTILINE)
NAMESPACE = re.compile(r"^(?:inline\s+)?namespace\b|^extern\s*$")
CALLED = re.compile(r"(?<![\w:.~])([a-z]\w*)\s*\(")
WORDS = set("""catch alignas alignof asm const constexpr decltype defined explicit for if int bool char
long short unsigned signed float double auto void noexcept operator requires return sizeof
static_assert static_cast switch typeid while""".split())
BESIDE = {"memcpy"}  # of C, which headers call, too


def declarations(text):
    """What stands at namespace scope, up to each body or semicolon."""
    text = NOISE.sub(" ", text)
    depth, begin = 0, 0
    for at, char in enumerate(text):
        if char == "{":
            if depth == 0:
                declared = text[begin:at].strip()
                if NAMESPACE.match(declared):
                    begin = at + 1
                    continue
                yield declared
            depth += 1
        elif char == "}":
            depth = max(0, depth - 1)
            if depth == 0:
                begin = at + 1
        elif char == ";" and depth == 0:
            yield text[begin:at].strip()
            begin = at + 1


def names(text):
    """The names of functions among them, and perhaps some of other things."""
    for declared in declarations(text):
        yield from (name for name in CALLED.findall(declared) if name not in WORDS)


def main():
    root, header = sys.argv[1], pathlib.Path(sys.argv[2])
    found = BESIDE | {name for path in tree.headers(root)
             for name in names(pathlib.Path(root, path).read_text())}
    if len(found) < 300:
        sys.exit(f"only {len(found)} names of functions found")
    lines = ["// By tests/tree/hostile_names.py.", "namespace hostile {", *(
        f'template <class... P> auto {name}(P&&...) {{ static_assert(sizeof...(P) == 999, '
        f'"libscan calls {name} without saying whose it is"); }}' for name in sorted(found)),
        "}  // namespace hostile", ""]
    text = "\n".join(lines)
    if not header.exists() or header.read_text() != text:
        header.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
