# SPDX-License-Identifier: Apache-2.0
"""No kernel spills registers or keeps a stack: spills.py ROOT --nvcc NVCC --arch ARCH... SOURCE...

Compiles sources of tests/tree/spills/ for each architecture and reads what ptxas says of every
kernel. First proves, on planted kernels, that it would notice. Exit code 77 without a compiler.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import tree

import tree

FLAGS = ["-std=c++20", "-O3", "-DNDEBUG", "-Xptxas", "-v", "-cubin", "-o", os.devnull]
SKIPPED = 77

PROPERTIES = re.compile(
    r"Function properties for (\S+)\s+(\d+) bytes stack frame, (\d+) bytes spill stores, "
    r"(\d+) bytes spill loads")
INCLUDE = re.compile(r"^#include <((?:libscan|tests)/[^>]+)>", re.MULTILINE)

# What two kernels still keep on a stack, and the bytes that they store and load there: (architecture, words of the
# kernel's name, bytes). Other orders of the first one's steps made it slower. A kernel that keeps less must be changed
# or left out here, too.
EXCEPTIONS = [
    ("sm_90a", ("pipelined_segmented_scan", "scan_kindE1EiPi", "segment_keysIPKj"), ("24", "20", "20")),
    ("sm_90a", ("shared_histogram_kernelIj", "even_binsIj"), ("8", "8", "8")),
]

# The first needs more registers than 2 blocks of 1024 threads leave it, the second an address.
PLANTED = """
__global__ __launch_bounds__(1024, 2) void spills(double const* in, double* out) {
  double x[40];
#pragma unroll
  for (int k = 0; k < 40; ++k) x[k] = in[k * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 40; ++k) out[k * 1024 + threadIdx.x] = x[39 - k] * x[k];
}
__global__ void keeps_a_stack(int const* in, int* out) {
  int x[64];
  for (int k = 0; k < 64; ++k) x[in[k] & 63] = k;
  for (int k = 0; k < 64; ++k) out[k] = x[in[64 + k] & 63];
}
__global__ void is_clean(int const* in, int* out) { out[threadIdx.x] = in[threadIdx.x] + 1; }
"""


def compile_for(nvcc, root, source, arch):
    """What ptxas says of a source's kernels. Exits if it does not compile."""
    command = [nvcc, *FLAGS, f"-arch={arch}", *tree.include_options(root), source]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        sys.exit(f"{source} does not compile for {arch}:\n{result.stdout}")
    return result.stdout


def demangled(nvcc, text):
    """The text with readable names, where a program is found that knows them."""
    beside = pathlib.Path(nvcc).resolve().parent / "cu++filt"
    for program in (beside, "cu++filt", "c++filt"):
        if shutil.which(program):
            return subprocess.run([program], input=text, stdout=subprocess.PIPE, text=True,
                                  check=True).stdout
    return text


def findings(report, arch):
    """(number of functions, {name: what is wrong with it}) in a report of ptxas."""
    functions = PROPERTIES.findall(report)
    wrong = {}
    for name, *found in functions:
        expected = next((bytes for at, words, bytes in EXCEPTIONS
                         if at == arch and all(word in name for word in words)), ("0", "0", "0"))
        if tuple(found) != expected:
            stack, stores, loads = found
            wrong[name] = (f"{stack} bytes of stack, {stores} of spill stores, {loads} of spill loads "
                           f"(expected {', '.join(expected)})")
    return len(functions), wrong


def self_test(nvcc, arch):
    """The planted kernels must be noticed, and no other."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "planted.cu")
        source.write_text(PLANTED)
        functions, wrong = findings(compile_for(nvcc, folder, source, arch), arch)
    names = [next((kernel for kernel in ("spills", "keeps_a_stack") if kernel in name), name)
             for name in wrong]
    if functions != 3 or sorted(names) != ["keeps_a_stack", "spills"]:
        sys.exit(f"self-test: of 3 planted kernels 2 are wrong, noticed {names} of {functions}")


def included(root, source, seen=None):
    """All files of the repository that a source includes, directly or not."""
    seen = set() if seen is None else seen
    for name in INCLUDE.findall(pathlib.Path(root, source).read_text()):
        if name not in seen:
            seen.add(name)
            path = tree.included(root, name)
            if path is None:
                sys.exit(f"{source} includes <{name}>, which the repository does not have")
            included(root, path, seen)
    return seen


def left_out(root, modules):
    """Headers of these modules that no source of tests/tree/spills/ includes."""
    covered = set()
    for source in tree.sources(root, "tests/tree/spills/*.cu"):
        covered |= included(root, source)
    headers = tree.sources(root, *(f"libscan/{module}/**/*.cuh" for module in modules))
    return [header for header in headers if header.as_posix() not in covered]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--nvcc", default="")
    parser.add_argument("--arch", nargs="+", required=True)
    parser.add_argument("--source", nargs="+", required=True, help="in tests/tree/spills/")
    arguments = parser.parse_args()
    missing = left_out(arguments.root, ["warp", "block"])
    for header in missing:
        print(f"{header}: no source of tests/tree/spills/ has a kernel of it")
    if not shutil.which(arguments.nvcc):
        print("skipped: no nvcc")
        return 1 if missing else SKIPPED

    self_test(arguments.nvcc, arguments.arch[0])
    jobs = [(source, arch) for source in arguments.source for arch in arguments.arch]

    def examine(job):
        source = pathlib.Path(arguments.root, "tests/tree/spills", job[0])
        return findings(compile_for(arguments.nvcc, arguments.root, source, job[1]), job[1])

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(zip(jobs, pool.map(examine, jobs)))
    failures = len(missing)
    for (source, arch), (functions, wrong) in results:
        for name, what in wrong.items():
            print(f"{source} for {arch}: {what} in {demangled(arguments.nvcc, name).strip()}")
        print(f"{source} for {arch}: {functions} functions, {len(wrong)} spill or keep a stack as they should not")
        failures += len(wrong) + (functions == 0)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
