#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the manual page of a program, and its completions for bash, zsh and fish, from its --help.
Run as: manuals.py path/to/program FOLDER
Writes FOLDER/man1/NAME.1, FOLDER/bash/NAME, FOLDER/zsh/_NAME and FOLDER/fish/NAME.fish."""
import os
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass, field

# Values of these kinds are names of files.
FILES = {"FILE", "INPUT", "OUTPUT", "REJECTED", "MASK", "COUNTS", "MATRIX", "GRAPH", "NAMES", "X"}
HEADINGS = ("Positionals", "Options", "Text and CSV", "Running")


@dataclass
class Argument:
    """An option or a positional argument."""
    names: list
    value: str = ""     # its kind, such as FILE; empty for a flag
    words: list = field(default_factory=list)  # the only values, if there are few
    says: str = ""

    @property
    def is_file(self):
        return self.value in FILES

    @property
    def is_folder(self):
        return self.value == "DIR"

    @property
    def signature(self):
        takes_value = self.value and self.names[0].startswith("-")
        return ", ".join(self.names) + (" " + self.value if takes_value else "")


@dataclass
class Help:
    """What --help says."""
    name: str
    version: str
    summary: str
    usage: str
    groups: dict    # heading -> arguments
    rest: list      # paragraphs below the options

    @property
    def options(self):
        return [argument for heading, arguments in self.groups.items()
                if heading != "Positionals" for argument in arguments]


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout


def parse_argument(head, says):
    """`head` is as in "-o,--output OUTPUT=- Excludes: --plot"."""
    head = re.sub(r" (Needs|Excludes): .*| REQUIRED\b.*", "", head)
    names, _, value = head.partition(" ")
    words = re.search(r"\{([^}]*)\}", value)
    value = re.sub(r":\{.*|=.*| .*", "", value)
    found = words[1].split(",") if words else value.split("|") if "|" in value else []
    return Argument(names.split(","), value, found, says)


def parse_arguments(lines):
    arguments = []
    for line in lines:
        if re.match(r"  \S", line):
            head, _, says = line.strip().partition("  ")
            arguments.append(parse_argument(head, says.strip()))
        else:
            arguments[-1].says = (arguments[-1].says + " " + line.strip()).strip()
    return arguments


def read_help(program):
    name = os.path.basename(program)
    text = output_of(program, "--help")
    summary, _, body = text.partition("\nUsage: ")
    usage, _, body = body.partition("\n")
    groups, rest = {}, []
    for paragraph in re.split(r"\n\n+", body.strip("\n")):
        heading, _, content = paragraph.partition("\n")
        if heading.rstrip(":") in HEADINGS:
            groups[heading.rstrip(":")] = parse_arguments(content.splitlines())
        else:
            rest.append(paragraph)
    version = output_of(program, "--version").split()[-1].rstrip(")")
    return Help(name, version, summary.strip(), usage, groups, rest)


# ---- the manual page

def roff(text):
    """Text for a manual page, none of whose lines is a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    text = text.replace("~", "\\(ti").replace("^", "\\(ha")
    return re.sub(r"^\.", r"\\&.", text, flags=re.MULTILINE)


def roff_paragraph(paragraph):
    """Lines that are indented, or lists, stay as they are."""
    heading, _, content = paragraph.partition("\n")
    if heading == "Examples:":
        return ".SH EXAMPLES\n.nf\n" + roff("\n".join(line.strip() for line in
                                                     content.splitlines())) + "\n.fi\n"
    if heading.startswith("Exit codes:"):
        see = ".SH SEE ALSO\n.nf\n" + roff(content) + "\n.fi\n" if content else ""
        return ".SH EXIT STATUS\n" + roff(heading.removeprefix("Exit codes: ")) + "\n" + see
    if re.search(r"^( |--)", paragraph, re.MULTILINE):
        return ".PP\n.nf\n" + roff(paragraph) + "\n.fi\n"
    return ".PP\n" + roff(paragraph) + "\n"


def manual_page(about):
    first = about.summary.splitlines()[0].rstrip(".")
    page = [f'.TH {about.name.upper()} 1 "" "libscan {about.version}" "User Commands"\n',
            f".SH NAME\n{about.name} \\- {roff(first[0].lower() + first[1:])}\n",
            f".SH SYNOPSIS\n.B {about.name}\n{roff(about.usage.removeprefix(about.name).strip())}\n",
            f".SH DESCRIPTION\n{roff(about.summary)}\n.SH OPTIONS\n"]
    for heading, arguments in about.groups.items():
        if heading not in ("Positionals", "Options"):
            page.append(f".SS {heading}\n")
        for one in arguments:
            page.append(f".TP\n.B {roff(one.signature)}\n{roff(one.says)}\n")
    page.append(".SH DETAILS\n")
    ends = [p for p in about.rest if p.startswith(("Examples:", "Exit codes:"))]
    page += [roff_paragraph(p) for p in about.rest if p not in ends]
    page += [roff_paragraph(p) for p in ends]
    return "".join(page)


# ---- completions

def bash_completion(about):
    function = "_" + about.name.replace("-", "_")
    cases = []
    for one in about.options:
        if not one.value:
            continue
        kind = (f'-W "{" ".join(one.words)}"' if one.words else "-d" if one.is_folder else
                "-f" if one.is_file else '-W ""')
        cases.append(f"    {'|'.join(one.names)}) kind=({kind}) ;;\n")
    names = " ".join(name for one in about.options for name in one.names)
    return (f"# bash completion for {about.name}\n{function}() {{\n"
            "  local word=${COMP_WORDS[COMP_CWORD]} at=$((COMP_CWORD - 1)) kind=(-f)\n"
            "  # Readline splits --option=value at the sign.\n"
            '  if [[ $word == "=" ]]; then word=; at=$((at + 1)); fi\n'
            '  if [[ ${COMP_WORDS[at]} == "=" ]]; then at=$((at - 1)); fi\n'
            f'  if [[ $word == -* ]]; then kind=(-W "{names}"); fi\n'
            '  case "${COMP_WORDS[at]}" in\n' + "".join(cases) + "  esac\n"
            '  mapfile -t COMPREPLY < <(compgen "${kind[@]}" -- "$word")\n'
            f"}}\ncomplete -o filenames -F {function} {about.name}\n")


def zsh_text(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def zsh_completion(about):
    lines = [f"#compdef {about.name}\n_arguments -S \\\n"]
    for one in about.options:
        action = (f"({' '.join(one.words)})" if one.words else "_files -/" if one.is_folder else
                  "_files" if one.is_file else " ")
        value = f":{zsh_text(one.value)}:{action}" if one.value else ""
        for name in one.names:
            end = "=" if one.value and name.startswith("--") else ""
            lines.append(f"  '*{name}{end}[{zsh_text(one.says)}]{value}' \\\n")
    return "".join(lines) + "  '*:file:_files'\n"


def fish_text(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_completion(about):
    lines = []
    for one in about.options:
        line = f"complete -c {about.name}"
        for name in one.names:
            line += f" -l {name[2:]}" if name.startswith("--") else f" -s {name[1:]}"
        if one.value:
            line += " -r" if one.is_file else " -x"
        offered = "(__fish_complete_directories)" if one.is_folder else " ".join(one.words)
        if offered:
            line += " -a " + fish_text(offered)
        lines.append(f"{line} -d {fish_text(one.says)}\n")
    return "".join(lines)


def main(program, folder):
    about = read_help(program)
    for path, content in [(f"man1/{about.name}.1", manual_page(about)),
                          (f"bash/{about.name}", bash_completion(about)),
                          (f"zsh/_{about.name}", zsh_completion(about)),
                          (f"fish/{about.name}.fish", fish_completion(about))]:
        file = pathlib.Path(folder, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
