# SPDX-License-Identifier: Apache-2.0
"""Prose is plain English: english.py ROOT [FOLDER...]

No page says anything in PHRASES, and no sentence of a page has more than SENTENCE_WORDS words. Code
blocks, `code`, quotations (>), link targets and what scripts write between <!-- ... --> and <!-- end -->
are not read.

Comments and string literals of C++, CUDA and Python, and comments of CMake and shell, say nothing in
PHRASES either, in the folders of CODE and in those that the command line adds. Their sentences are not
counted. This file, which lists the phrases, is not read.
"""
import io
import pathlib
import re
import sys
import tokenize

import tree

PAGES = ("*.md", "docs/**/*.md", "bench/*.md", "data/*.md", "tests/**/*.md", "libscan/**/*.md")
# Folders, or single files, whose comments and texts are checked, too.
CODE = ("apps", "bench", "examples", "libscan", "script", "tests")
# Their texts name rows of records that were made before.
NAMES_OF_RECORDS = {"bench/chapter_workloads.cu", "bench/cuda/reverse_scan.cu", "script/compile-cost"}
SENTENCE_WORDS = 25

# (what is not said, what is said instead). Words match whole and in any case; a space is any blank.
PHRASES = [
    # Constructions that put the verb last or hide who does what.
    (r"of (which|whom)", "which, whose"),
    (r"but for", "except"),
    (r"as far as", "if, where, up to"),
    (r"however many", "any number of"),
    (r"as many as (that|it|they|there)", "the number"),
    (r"(?-i:Who)(?![^.?]*\?)", "name the subject: the caller, a program"),
    (r"told|tells? apart", "says, shows, reports, distinguishes"),
    (r"asked|asks (it|them|about|for each)", "calls, reads, evaluates"),
    (r"wish(es|ed)?", "option, request"),
    (r"nobody('s)?", "no ..., unused"),
    (r"one's own", "your own"),
    (r"alone", "only, by itself"),
    (r"from behind", "in reverse"),
    (r"behind", "after, past"),
    (r"(is|are) heard", "disturbs, affects"),
    (r"by far", "much"),
    (r"goes? along", "moves with"),
    (r"the other way round", "the inverse"),
    # Words with a private meaning.
    (r"rooms?", "layer, module; space, buffer"),
    (r"houses?", "layers, source tree"),
    (r"floors?", "layer; lower bound"),
    (r"fa[cç]ades?", "host API"),
    (r"rivals?|rivalled", "competitor, baseline"),
    (r"heads(?!\.\w)", "head flags, head bits, segment starts"),
    (r"under way|on (its|their) way", "in flight"),
    (r"roads?", "algorithm, policy"),
    (r"truth values?", "bool"),
    # American spelling.
    (r"(colou|behaviou|neighbou|favou|honou|labou)r\w*", "-or"),
    (r"\w*(optimi|synchroni|initiali|summari|speciali|organi|recogni|seriali|vectori|normali|minimi|"
     r"maximi|paralleli|generali|reali)s(e|es|ed|er|ers|ing|ation|ations)", "-ize"),
    (r"(analy|cataly)s(e|ed|es|ing)", "-yze"),
    (r"licences?", "license"),
    (r"centres?|metres?", "-er"),
    (r"grey", "gray"),
    (r"catalogues?", "catalog"),
]
PHRASES = [(re.compile(r"(?<![\w-])(?:" + said.replace(" ", r"\s+") + r")(?![\w-])", re.IGNORECASE),
            instead)
           for said, instead in PHRASES]

# What of a page is no prose.
GENERATED = re.compile(r"<!-- (?:record|table2|chapter|programs)\b.*?<!-- end -->", re.DOTALL)
FENCED = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"(?<=\n\n)(?: {4}[^\n]*\n)+")
QUOTED = re.compile(r"^>[^\n]*", re.MULTILINE)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
INLINE = re.compile(r"`[^`\n]*(?:\n[^`\n]+)?`")
TARGET = re.compile(r"\]\([^)\s]*\)")
# Where a sentence must end: paragraphs, list items, headings, cells.
BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=#)|(?<=\|)|(?=\|)|(?<=\|)\n")
SENTENCE = re.compile(r"(?<=[.!?])[)\"*]*\s+(?=[^a-z]|libscan\b)")
WORD = re.compile(r"\S*\w\S*")

CPP = re.compile(r'(//[^\n]*|/\*.*?\*/)|(R"(\w*)\(.*?\)\3"|"(?:\\.|[^"\\\n])*")|\'(?:\\.|[^\'\\\n])+\'',
                 re.DOTALL)


def blanked(pattern, text, keep="x"):
    """The text with one word in place of each match, lines kept."""
    return pattern.sub(lambda found: keep + "\n" * found[0].count("\n"), text)


def prose_of_page(text):
    """A page without what is no prose."""
    for pattern in (GENERATED, FENCED, INDENTED, QUOTED, COMMENT):
        text = blanked(pattern, text, "")
    return blanked(TARGET, blanked(INLINE, text, "X"), "]")


def prose_of_cpp(text):
    """Comments and string literals, each on its line; of directives nothing."""
    text = re.sub(r"^[ \t]*#[ \t]*include[^\n]*", "", text, flags=re.MULTILINE)
    parts, at = [], 0
    for found in CPP.finditer(text):
        parts.append("\n" * text.count("\n", at, found.start()))
        parts.append(re.sub(r"(?m)^\s*//+", "", found[1] or found[2] or "") + " ")
        at = found.end()
    return blanked(INLINE, "".join(parts).replace("\\n", "  "))


def prose_of_python(text):
    """Comments and string literals, each on its line."""
    lines = [""] * (text.count("\n") + 2)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            for i, line in enumerate(token.string.lstrip("# ").split("\n")):
                lines[token.start[0] - 1 + i] += line + " "
    return blanked(INLINE, "\n".join(lines))


def prose_of_script(text):
    """Comments of CMake and shell."""
    return blanked(INLINE, "\n".join(line[line.find("#") + 1:] if re.search(r"(^|\s)#", line) else ""
                                     for line in text.split("\n")))


def prose_of_code(path, text):
    if path.suffix in (".hpp", ".cpp", ".cu", ".cuh"):
        return prose_of_cpp(text)
    if path.suffix == ".py" or text.startswith("#!/usr/bin/env python3"):
        return prose_of_python(text)
    if path.suffix in (".cmake", ".txt", ".sh") or text.startswith("#!"):
        return prose_of_script(text)
    return ""


def banned_in(prose):
    """(line, phrase, what to say) of each banned phrase."""
    for pattern, instead in PHRASES:
        for found in pattern.finditer(prose):
            yield (prose.count("\n", 0, found.start()) + 1, " ".join(found[0].lower().split()),
                   instead)


def long_sentences(prose):
    """(line, words, beginning) of each sentence that is too long."""
    at = 0
    for block in BLOCK.split(prose):
        begin = prose.index(block, at)
        at = begin + len(block)
        start = begin
        for sentence in SENTENCE.split(block):
            start = prose.index(sentence, start)
            words = WORD.findall(sentence)
            if len(words) > SENTENCE_WORDS:
                yield prose.count("\n", 0, start) + 1, len(words), " ".join(words[:6])
            start += len(sentence)


def check(root, code=CODE):
    """Complaints about the pages, and about the folders or files of `code`, of the tree at `root`."""
    root = pathlib.Path(root)
    complaints = []
    for path in tree.sources(root, *PAGES):
        prose = prose_of_page((root / path).read_text())
        complaints += [f'{path}:{line}: "{said}": say {instead}'
                       for line, said, instead in banned_in(prose)]
        complaints += [f"{path}:{line}: a sentence of {words} words: {begin} ..."
                       for line, words, begin in long_sentences(prose)]
    listed = [path for place in code for path in tree.sources(root, place, f"{place}/**/*")]
    for path in listed:
        if path.name != "english.py" and path.as_posix() not in NAMES_OF_RECORDS:
            complaints += [f'{path}:{line}: "{said}": say {instead}' for line, said, instead in
                           banned_in(prose_of_code(path, (root / path).read_text()))]
    return complaints


def self_test():
    """Each planted phrase is found where it is prose, and only there."""
    page = ("# Title\n\nA sentence, with `told` and [a link](house.md).\n\n```cpp\n// facade\n```\n\n"
            "    script/rival\n\n> We told you.\n\n<!-- record: cuda -->\n| best rival |\n<!-- end -->\n\n"
            "- One item\n- Another.\n")
    code = '// A comment.\nint house;  // `told`\nchar const* told = "text";\n'
    script = "# A comment.\nset(house 1)  # another\n"
    good = {"docs/a.md": page, "README.md": page, "examples/first/a.cpp": code,
            "examples/first/CMakeLists.txt": script, "data/a.cpp": "// told\n",
            "script/records.py": '"""Text."""\nhouse = 1  # a comment\n'}
    assert tree.found_in(check, good) == [], tree.found_in(check, good)
    words = " ".join(["word"] * SENTENCE_WORDS)
    planted = [
        # what is found, file, text, and the text in its place
        ('docs/a.md:3: "told"', "docs/a.md", "A sentence", "A told sentence"),
        ('docs/a.md:3: "but for"', "docs/a.md", "with", "but\nfor"),
        ('docs/a.md:17: "rival"', "docs/a.md", "One item", "One rival"),
        ('README.md:17: "as far as"', "README.md", "One item", "As far as"),
        ('"licence"', "README.md", "One item", "One licence"),
        ('a.cpp:1: "behind"', "examples/first/a.cpp", "A comment", "Behind"),
        ('a.cpp:3: "room"', "examples/first/a.cpp", '"text"', '"a room"'),
        ('CMakeLists.txt:2: "but for"', "examples/first/CMakeLists.txt", "another", "but for"),
        ('records.py:1: "told"', "script/records.py", "Text", "Told"),
        ('records.py:2: "nobody"', "script/records.py", "a comment", "nobody"),
        ("docs/a.md:3: a sentence of 26 words", "docs/a.md", "A sentence", f"{words} one. One"),
        ("docs/a.md:17: a sentence of 26 words", "docs/a.md", "One item", f"{words} one"),
    ]
    for complaint, path, old, new in planted:
        assert old in good[path], old
        found = tree.found_in(check, good | {path: good[path].replace(old, new, 1)})
        assert len(found) == 1 and complaint in found[0], (complaint, found)
    fine = page.replace("One item", words)
    assert tree.found_in(check, good | {"docs/a.md": fine}) == []


if __name__ == "__main__":
    sys.exit(tree.main(lambda root: check(root, (*CODE, *sys.argv[2:])), self_test))
