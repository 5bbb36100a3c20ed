# SPDX-License-Identifier: Apache-2.0
"""Builds ragged_cumsum against an installed libscan, which was built with CUDA:
LIBSCAN_ROOT=~/libscan pip install --no-build-isolation ."""
import os
import pathlib
import sys

from setuptools import setup

try:
    from torch.utils.cpp_extension import BuildExtension, CUDAExtension
except ImportError as reason:
    sys.exit(f"ragged_cumsum needs PyTorch with CUDA, and pip's --no-build-isolation: {reason}")

if "LIBSCAN_ROOT" not in os.environ:
    sys.exit("ragged_cumsum: LIBSCAN_ROOT is not set; expected the folder where libscan is installed")
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
