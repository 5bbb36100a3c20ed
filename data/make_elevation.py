#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes data/elevation.npy from the etopo5 grid of the Debian package ferret-datasets.

    apt-get download ferret-datasets && dpkg -x ferret-datasets_*.deb extracted
    data/make_elevation.py extracted/usr/share/ferret-vis/data/etopo5.cdf data/elevation.npy

Takes every third row and column of the 5-minute grid (variable ROSE, metres) and stores it as
int16; with --full all of it as float32. Reads netCDF's classic format (version 1) with the standard library and NumPy only.
"""
import argparse
import struct

import numpy as np

STEP = 3
NC_TYPES = {1: ">i1", 2: "S1", 3: ">i2", 4: ">i4", 5: ">f4", 6: ">f8"}


class Header:
    """Walks the header of a classic netCDF file."""

    def __init__(self, content):
        self.content = content
        self.at = 0

    def integer(self):
        (value,) = struct.unpack_from(">i", self.content, self.at)
        self.at += 4
        return value

    def padded(self, size):
        piece = self.content[self.at:self.at + size]
        self.at += (size + 3) // 4 * 4
        return piece

    def name(self):
        return self.padded(self.integer()).decode("ascii")

    def items(self):
        """Number of items of the list that begins here."""
        self.integer()  # tag: dimensions, attributes, variables; 0 if absent
        return self.integer()

    def skip_attributes(self):
        for _ in range(self.items()):
            self.name()
            kind = self.integer()
            self.padded(self.integer() * np.dtype(NC_TYPES[kind]).itemsize)


def read_variable(path, wanted):
    """The array of variable `wanted`, big-endian as stored."""
    with open(path, "rb") as file:
        content = file.read()
    if content[:4] != b"CDF\x01":
        raise SystemExit(f"{path}: not a classic netCDF file")
    header = Header(content)
    header.at = 4
    header.integer()  # records
    dimensions = [(header.name(), header.integer()) for _ in range(header.items())]
    header.skip_attributes()
    for _ in range(header.items()):
        name = header.name()
        shape = tuple(dimensions[header.integer()][1] for _ in range(header.integer()))
        header.skip_attributes()
        kind, _, begin = header.integer(), header.integer(), header.integer()
        if name == wanted:
            count = int(np.prod(shape))
            return np.frombuffer(content, NC_TYPES[kind], count, begin).reshape(shape)
    raise SystemExit(f"{path}: no variable {wanted}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("netcdf", help="etopo5.cdf")
    parser.add_argument("output", help="elevation.npy")
    parser.add_argument("--full", action="store_true",
                        help="keep every row and column, as float32")
    arguments = parser.parse_args()

    metres = read_variable(arguments.netcdf, "ROSE")
    if metres.shape != (2161, 4320):
        raise SystemExit(f"{arguments.netcdf}: 2161 x 4320 values expected, found {metres.shape}")
    if arguments.full:
        exact = metres.astype("<f4")
    else:
        coarse = metres[::STEP, ::STEP]
        exact = coarse.astype("<i2")
        if not np.array_equal(exact, coarse):
            raise SystemExit(f"{arguments.netcdf}: heights are not whole metres within int16")
    np.save(arguments.output, exact)
    rows, columns = exact.shape
    print(f"{arguments.output}: {rows} x {columns}, {exact.min()}..{exact.max()} m")


if __name__ == "__main__":
    main()
