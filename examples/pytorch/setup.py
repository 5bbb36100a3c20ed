# SPDX-License-Identifier: Apache-2.0
"""Builds ragged_cumsum. With an installed libscan, which was built with CUDA:
LIBSCAN_ROOT=~/libscan pip install --no-build-isolation .
With a build folder of this repository instead: LIBSCAN_BUILD=FOLDER, as the script `run` does."""
import os
import pathlib
import sys

from setuptools import setup

try:
    import torch
    from torch.utils.cpp_extension import BuildExtension, CUDAExtension
except ImportError as reason:
    sys.exit(f"ragged_cumsum needs PyTorch with CUDA, and pip's --no-build-isolation: {reason}")
if not torch.compiled_with_cxx11_abi():
    sys.exit("ragged_cumsum: this PyTorch has the old ABI of std::string; expected one with the new ABI")


def folders():
    """Where headers and libraries are."""
    if "LIBSCAN_ROOT" in os.environ:
        root = pathlib.Path(os.environ["LIBSCAN_ROOT"]).expanduser()
        return [root / "include/libscan"], [root / "lib"]
    if "LIBSCAN_BUILD" not in os.environ:
        sys.exit("ragged_cumsum: LIBSCAN_ROOT is not set; expected the folder where libscan is installed")
    sources = pathlib.Path(__file__).resolve().parent.parent.parent
    build = pathlib.Path(os.environ["LIBSCAN_BUILD"]).resolve() / "libscan"
    return [sources, *sources.glob("apps/*/include")], [build, build / "simt/executor"]


def library(name, places):
    """The path of a static library; None if it is nowhere."""
    return next((str(place / name) for place in places if (place / name).exists()), None)


headers, places = folders()
needed = [library(name, places) for name in ("libscan_segments.a", "libscan_cpu.a", "libscan.a")]
if None in needed:
    sys.exit(f"ragged_cumsum: no libscan_segments.a, libscan_cpu.a and libscan.a in {places[0]}")
executor = library("libscan_executor.a", places)  # in a libscan that was built with it
setup(
    name="ragged_cumsum",
    ext_modules=[CUDAExtension(
        "ragged_cumsum", ["ragged_cumsum.cpp"],
        include_dirs=[str(header) for header in headers],
        extra_compile_args={"cxx": ["-std=c++20"]},
        extra_link_args=["-Wl,--start-group", *needed, *([executor] if executor else []), "-Wl,--end-group",
                         "-lhwy", "-ltbb", *(["-lboost_context"] if executor else [])])],
    cmdclass={"build_ext": BuildExtension})
