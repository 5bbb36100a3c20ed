# SPDX-License-Identifier: Apache-2.0
"""Builds ragged_cumsum against an installed libscan: LIBSCAN_ROOT=~/libscan pip install ."""
import os
import pathlib

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

root = pathlib.Path(os.environ["LIBSCAN_ROOT"]).expanduser()
libraries = ["segments", "cpu", "libscan", "executor"]

setup(
    name="ragged_cumsum",
    ext_modules=[CUDAExtension(
        "ragged_cumsum", ["ragged_cumsum.cpp"],
        include_dirs=[str(root / "include/libscan")],
        extra_compile_args={"cxx": ["-std=c++20"]},
        extra_link_args=["-Wl,--start-group",
                         *(str(root / f"lib/libscan_{name}.a") for name in libraries if
                           (root / f"lib/libscan_{name}.a").exists()),
                         str(root / "lib/libscan.a"), "-Wl,--end-group",
                         "-lhwy", "-ltbb", "-lboost_context"])],
    cmdclass={"build_ext": BuildExtension})
