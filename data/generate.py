#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a large synthetic array, a piece at a time: memory stays at a few MB whatever the count.

    data/generate.py big.npy --type float32 --count 2^28 --distribution normal --seed 1
    data/generate.py big.raw --type uint8 --count 10e9 --distribution zipf

The same arguments give the same file. Distributions:
  uniform   integers over the whole range of the type, floats in [0, 1)
  normal    floats of mean 0 and deviation 1; integers around the middle of the range, with a
            deviation of a sixteenth of it, cut off at its ends
  sorted    ascending evenly over the range of `uniform`
  constant  one draw of `uniform`, repeated
  zipf      0, 1, 2, ...: k about 1 / (k + 1) as often as 0, up to 2^20 (or what the type holds)
  steps     draws of `uniform`, each repeated 1 to 999 times
"""
import argparse
import os
import sys

import numpy as np

PIECE = 1 << 18  # items made at a time; part of what the seed means
TYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
         "float32", "float64"]


def uniform(rng, dtype, count):
    if dtype.kind == "f":
        return rng.random(count, dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, count, dtype, endpoint=True)


def normal(rng, dtype, count):
    if dtype.kind == "f":
        return rng.standard_normal(count, dtype)
    limits = np.iinfo(dtype)
    values = rng.standard_normal(count) / 16 * 2.0 ** limits.bits
    if dtype.kind == "u":
        values += 2.0 ** (limits.bits - 1)
    # The largest double below 2^63 or 2^64, so that the conversion cannot wrap.
    top = min(float(limits.max), np.nextafter(float(limits.max), 0)) if limits.bits == 64 \
        else limits.max
    return np.clip(values, limits.min, top).astype(dtype)


def ascending(first, count, total, dtype):
    places = np.arange(first, first + count, dtype=np.uint64)
    if dtype.kind == "f":
        return (places.astype(np.float64) / total).astype(dtype)
    limits = np.iinfo(dtype)
    span = int(limits.max) - int(limits.min)
    # place * span / total without passing 64 bits: whole part, then the rest in double.
    whole, rest = divmod(span, total)
    offsets = places * np.uint64(whole)
    offsets += (places.astype(np.float64) * (rest / total)).astype(np.uint64)
    return (offsets + np.uint64(int(limits.min) % 2**64)).astype(dtype)


def zipf(rng, dtype, count):
    most = 2**20 if dtype.kind == "f" else min(2**20, int(np.iinfo(dtype).max))
    return np.floor(np.exp(rng.random(count) * np.log(most)) - 1).astype(dtype)


def steps(rng, dtype, count):
    lengths = rng.integers(1, 1000, count // 400 + 2)
    while lengths.sum() < count:
        lengths = np.concatenate([lengths, rng.integers(1, 1000, count // 400 + 2)])
    return np.repeat(uniform(rng, dtype, len(lengths)), lengths)[:count]


def pieces(arguments, dtype):
    """The array's items, PIECE at a time."""
    one = uniform(np.random.default_rng(arguments.seed), dtype, 1)
    for index, first in enumerate(range(0, arguments.count, PIECE)):
        count = min(PIECE, arguments.count - first)
        rng = np.random.default_rng([arguments.seed, index])
        if arguments.distribution == "sorted":
            yield ascending(first, count, arguments.count, dtype)
        elif arguments.distribution == "constant":
            yield np.repeat(one, count)
        else:
            make = {"uniform": uniform, "normal": normal, "zipf": zipf, "steps": steps}
            yield make[arguments.distribution](rng, dtype, count)


def item_count(text):
    """268435456, 2^28, 1e9"""
    base, caret, exponent = text.partition("^")
    value = int(base) ** int(exponent) if caret else int(text) if text.isdigit() else float(text)
    if value != int(value) or not 0 <= value < 2**63:
        raise ValueError(text)
    return int(value)


def write(file, arguments, dtype):
    if arguments.output.endswith(".npy"):
        header = {"descr": dtype.str, "fortran_order": False, "shape": (arguments.count,)}
        np.lib.format.write_array_header_1_0(file, header)
    for piece in pieces(arguments, dtype):
        file.write(piece.tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", help="name ending in .npy, or in .raw or .bin for bare items")
    parser.add_argument("--type", choices=TYPES, default="int32")
    parser.add_argument("--count", type=item_count, default=2**20,
                        help="items: 1000000, 1e9 or 2^28 (default 2^20)")
    parser.add_argument("--distribution", default="uniform",
                        choices=["uniform", "normal", "sorted", "constant", "zipf", "steps"])
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if not arguments.output.endswith((".npy", ".raw", ".bin")):
        parser.error("the output's name must end in .npy, .raw or .bin")
    if arguments.seed < 0:
        parser.error("--seed must be at least 0")

    unfinished = f"{arguments.output}.{os.getpid()}"
    try:
        with open(unfinished, "wb") as file:
            write(file, arguments, np.dtype(arguments.type).newbyteorder("<"))
        os.replace(unfinished, arguments.output)
    except OSError as error:
        sys.exit(f"generate.py: {arguments.output}: {error.strerror}")
    finally:
        if os.path.exists(unfinished):
            os.remove(unfinished)


if __name__ == "__main__":
    main()
