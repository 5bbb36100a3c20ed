# SPDX-License-Identifier: Apache-2.0
"""Each header compiles alone: headers.py ROOT --cxx COMPILER... [--nvcc NVCC --arch sm_80]

By every C++ compiler named (.cuh files are the executor's then, but for those of CUDA alone), and
the .cuh files by nvcc, for an architecture that lacks Hopper's instructions.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

import tree

CXX_FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
NVCC_FLAGS = ["-std=c++20", "-ptx", "-Werror=all-warnings", "-o", os.devnull]


def jobs(arguments, work):
    """Pairs of header and command line."""
    for header in tree.headers(arguments.root):
        source = work / (str(header).replace("/", "_") + ".cu")
        source.write_text(f"#include <{header}>\n")
        name = header.as_posix()
        cuda_alone = name.startswith("libscan/simt/cuda/") or name.endswith("_cuda.cuh")
        if not cuda_alone:
            for compiler in arguments.cxx:
                yield header, [compiler, *CXX_FLAGS, "-I", arguments.root, "-x", "c++", source]
        if arguments.nvcc and header.suffix == ".cuh":
            yield header, [arguments.nvcc, *NVCC_FLAGS, f"-arch={arguments.arch}",
                           "-I", arguments.root, source]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--cxx", nargs="+", required=True)
    parser.add_argument("--nvcc")
    parser.add_argument("--arch", default="sm_80")
    arguments = parser.parse_args()

    def compile_alone(job):
        header, command = job
        result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)
        if result.returncode == 0:
            return None
        return f"{header} does not compile alone with {command[0]}:\n{result.stdout}"

    with tempfile.TemporaryDirectory() as folder:
        commands = list(jobs(arguments, pathlib.Path(folder)))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            failures = [text for text in pool.map(compile_alone, commands) if text]
    for text in failures:
        print(text)
    print(f"{len(commands)} compilations, {len(failures)} failed")
    return 1 if failures or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
