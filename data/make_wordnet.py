#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""WordNet as a graph: make_wordnet.py DIRECTORY MATRIX.mtx[.gz] NAMES.txt

DIRECTORY holds data.noun, data.verb, data.adj and data.adv as the Debian package wordnet-base has
them. The matrix has an entry in row i, column j where synonym set i points to set j, by whatever
relation; line i of NAMES.txt (from 1) says which words set i holds."""
import gzip
import os
import sys

FILES = {"n": "data.noun", "v": "data.verb", "a": "data.adj", "r": "data.adv"}


def synonym_sets(directory):
    """Yields (part of speech, offset, words, pointers) of each set, as wndb(5WN) lays them out."""
    for part, name in FILES.items():
        with open(os.path.join(directory, name), encoding="latin-1") as file:
            for line in file:
                if line.startswith("  "):
                    continue  # the licence
                fields = line.split("|")[0].split()
                count = int(fields[3], 16)
                words = [word.replace("_", " ") for word in fields[4:4 + 2 * count:2]]
                at = 4 + 2 * count
                pointers = [(fields[k + 2].replace("s", "a"), int(fields[k + 1]))
                            for k in range(at + 1, at + 1 + 4 * int(fields[at]), 4)]
                yield part, int(fields[0]), words, pointers


def main(directory, matrix, names):
    sets = list(synonym_sets(directory))
    number = {(part, offset): i for i, (part, offset, _, _) in enumerate(sets, 1)}
    entries = sorted({(i, number[target]) for i, (_, _, _, pointers) in enumerate(sets, 1)
                      for target in pointers})
    lines = ["%%MatrixMarket matrix coordinate pattern general",
             "% WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved.",
             "%d %d %d" % (len(sets), len(sets), len(entries))]
    text = "\n".join(lines + ["%d %d" % entry for entry in entries]) + "\n"
    content = text.encode()
    with open(matrix, "wb") as file:
        file.write(gzip.compress(content, mtime=0) if matrix.endswith(".gz") else content)
    with open(names, "w", encoding="utf-8") as file:
        for part, _, words, _ in sets:
            file.write("%s (%s)\n" % (", ".join(words), part))
    print("%d sets, %d pointers" % (len(sets), len(entries)))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
