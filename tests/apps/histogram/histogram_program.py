# SPDX-License-Identifier: Apache-2.0
"""What the tests of scan-histogram share.
Their arguments: path/to/scan-histogram path/to/scan-histogram-faulty"""
import os
import sys

sys.path.insert(0, os.path.abspath(__file__ + "/../../common"))
from array_program import ArrayProgramCase

PROGRAM, FAULTY = [os.path.abspath(sys.argv.pop(1)) for _ in range(2)]


class HistogramCase(ArrayProgramCase):
    name, program, faulty = "scan-histogram", PROGRAM, FAULTY
    options = ["--bins", "7", "--range", "1:100"]

    def counts(self, *arguments, dtype="int64"):
        """The counts, or with another type sums, of a call that succeeds."""
        self.succeeds(*arguments, "-o", self.path("counts.npy"))
        return self.load("counts.npy", dtype)
