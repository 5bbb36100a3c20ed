# SPDX-License-Identifier: Apache-2.0
"""Headers compile: headers.py ROOT --cxx COMPILER... [--by-module] [--nvcc NVCC --arch sm_80...]

Each header by itself, by the first C++ compiler named (.cuh files are the executor's then, except those
of CUDA only), all of a layer together by the others; by nvcc those of CUDA only each by itself, and all .cuh
files at once for each architecture, and with each of the C++ compilers. With --by-module no header is compiled
by itself, but those of the applications together, of the core, and all .cuh files by nvcc, if it works.
Examples of host APIs and of device calls, which README.md quotes, are headers too. Where headers are compiled
together by the C++ compiler, macros of other libraries come first. strict_calls.hpp and strict_calls.cuh
instantiate what headers only declare.
"""
import argparse
import concurrent.futures
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

import tree

CXX_FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror",
             "-Wno-sign-conversion", "-Wno-unknown-pragmas"]
# What strict projects also ask of headers without kernels; those mix signed and unsigned indices, as CUDA's are.
STRICT_FLAGS = ["-Wsign-conversion", "-Wold-style-cast"]
# Names that other libraries' headers define: Qt's, Windows' and Xlib's.
MACROS = {"slots": "", "signals": "public", "emit": "", "foreach": "for", "forever": "for (;;)", "near": "",
          "far": "", "small": "char", "interface": "struct", "None": "0L", "Bool": "int", "Status": "int",
          "Success": "0", "True": "1", "False": "0", "Always": "2",
          # Of Windows, complex.h, and projects with kernels of their own.
          "ERROR": "0", "IN": "", "OUT": "", "OPTIONAL": "", "CONST": "const", "VOID": "void", "TRUE": "1", "FALSE": "0",
          "complex": "_Complex", "I": "1i", "K": "4", "DIM": "3", "TILE": "16", "BLOCK_SIZE": "256", "WARP_SIZE": "32",
          "THREADS": "128", "STREAM": "0", "DEBUG": "1", "INFO": "1",
          # Of any project, Arduino, termios.h, R, and C23; and what gnu++20 calls the system.
          "N": "1000", "M": "10", "PI": "3.14159", "HIGH": "1", "LOW": "0", "INPUT": "0", "OUTPUT": "1", "DEFAULT": "1",
          "B0": "0", "B1": "1", "B50": "1", "OK": "0", "FAIL": "1", "NEAR": "", "FAR": "", "DELETE": "1", "ABSOLUTE": "1",
          "RELATIVE": "2", "INFINITE": "-1", "cdecl": "", "pascal": "", "boolean": "char", "hyper": "double",
          "unix": "1", "linux": "1", "nil": "0", "YES": "1", "NO": "0", "KeyPress": "2", "Above": "0", "Complex": "0",
          "CursorShape": "0", "Unsorted": "0", "restrict": "__restrict__", "environ": "(*_environ())"}
# Macros with parameters, of curses and of older macOS, after which the standard library's own headers do not compile:
# they come first. `min` and `max` are not among them: libscan refuses them in words. Nor is `clear`, which containers have.
FUNCTION_MACROS = {"refresh()": "wrefresh(stdscr)", "erase()": "werase(stdscr)", "box(win, v, h)": "wborder(win, v, h)",
                   "scroll(win)": "wscrl(win, 1)", "timeout(delay)": "wtimeout(stdscr, delay)",
                   "verify(assertion)": "((void)0)", "require(assertion, label)": "((void)0)",
                   "CHECK(x)": "(x)", "REQUIRE(x)": "(x)", "ASSERT(x)": "(x)", "MIN(a, b)": "(a)", "MAX(a, b)": "(a)",
                   "CEIL_DIV(a, b)": "(a)",
                   # Of macOS (check), curses (move), Arduino, sys/sysmacros.h, sys/param.h and R.
                   "check(assertion)": "((void)0)", "move(y, x)": "wmove(stdscr, y, x)", "F(text)": "(text)",
                   "round(x)": "((long)(x))", "bit(b)": "(1UL << (b))", "sq(x)": "((x) * (x))", "constrain(x, lo, hi)": "(x)",
                   "major(dev)": "((dev) >> 8)", "minor(dev)": "((dev) & 255)", "makedev(a, b)": "(a)",
                   "howmany(x, y)": "(x)", "roundup(x, y)": "(x)", "setbit(a, i)": "(a)", "isset(a, i)": "(a)",
                   "likely(x)": "__builtin_expect(!!(x), 1)", "unlikely(x)": "__builtin_expect(!!(x), 0)"}
NVCC_FLAGS = ["-std=c++20", "-ptx", "-Werror=all-warnings", "-o", os.devnull]


def of_cuda_alone(header):
    name = header.as_posix()
    return name.startswith("libscan/simt/cuda/") or name.endswith("_cuda.cuh")


def folder_of(header):
    return header.parent


def module_of(header):
    # Programs on their own may have names of another application.
    alone = header.parts[0] == "apps" and header.parts[1] in ("check", "explain")
    return pathlib.Path(*header.parts[:2 if alone else 1])


def macros_before(group, inside):
    """Those that come before the headers of a group."""
    if group == pathlib.Path("apps/check"):  # a program's
        return {}
    macros = MACROS | FUNCTION_MACROS
    if any(header.name.endswith("-inl.hpp") for header in inside):  # they include Highway's headers
        del macros["N"], macros["M"]
    if any("program" in header.parts or header.parts[1] in ("common", "explain", "prefix") or
           header.parts[0] == "examples" for header in inside):  # not installed: they say std::move
        del macros["move(y, x)"], macros["check(assertion)"]
    return macros


def jobs(arguments, work):
    """Pairs of what is compiled, in words, and command line."""
    def source_of(name, headers, macros={}):
        source = work / (str(name).replace("/", "_") + ".cu")
        standard = ["bits/stdc++.h"] if macros else []
        source.write_text("".join(f"#include <{header}>\n" for header in standard) +
                          "".join(f"#define {name} {text}\n" for name, text in macros.items()) +
                          "".join(f"#include <{header}>\n" for header in headers))
        return source

    include = tree.include_options(arguments.root)
    headers = [*tree.headers(arguments.root),
               *tree.sources(arguments.root, "examples/host/*.hpp", "examples/device/*.cuh")]
    # mpi.h and nccl.h are not everywhere; the tests of MPI and NCCL include what includes them.
    hosted = [header for header in headers
              if not of_cuda_alone(header) and header.name not in ("mpi.hpp", "nccl.hpp")]
    for header in tree.sources(arguments.root, "tests/tree/strict_calls.*"):
        strict = STRICT_FLAGS if header.suffix == ".hpp" else []
        for compiler in arguments.cxx:
            yield f"the calls of {header}", [compiler, *CXX_FLAGS, *strict, *include, "-x", "c++",
                                            source_of(header, [header])]
    first, *others = arguments.cxx
    together = folder_of
    if arguments.by_module:
        first, others, together = None, arguments.cxx, module_of
    for header in hosted if first else []:
        yield f"{header} by itself", [first, *CXX_FLAGS, *include, "-x", "c++",
                                  source_of(header, [header])]
    device = [header for header in hosted if header.suffix == ".cuh"]
    nvcc = [arguments.nvcc, *NVCC_FLAGS, *include]
    by_nvcc = arguments.nvcc and not arguments.by_module
    for header in filter(of_cuda_alone, headers) if by_nvcc else []:
        yield f"{header} by itself", [*nvcc, f"-arch={arguments.arch[0]}", source_of(header, [header])]
    for group, inside in itertools.groupby(sorted(hosted, key=lambda header: (together(header), header)), key=together):
        inside = list(inside)
        macros = macros_before(group, inside)
        for compiler in others:
            yield f"the headers of {group}", [compiler, *CXX_FLAGS, *include, "-x", "c++",
                                              source_of(group, inside, macros)]
    for architecture in arguments.arch if by_nvcc else []:
        yield f"all .cuh files for {architecture}", [*nvcc, f"-arch={architecture}",
                                                     source_of("all.cuh", device)]
    if arguments.by_module:  # examples instantiate what takes nvcc half a minute
        device = [header for header in device if header.parts[0] != "examples"]
    for compiler in arguments.cxx if arguments.nvcc else []:
        yield f"all .cuh files by nvcc and {compiler}", [*through_nvcc(arguments, compiler), *include,
                                                         source_of("all.cuh", device)]


def through_nvcc(arguments, compiler):
    """Compiles what nvcc prints for the C++ compiler, which -ptx omits."""
    of_gpu = arguments.arch[0].replace("sm_", "compute_")  # its PTX only, without another one's
    return [arguments.nvcc, "-std=c++20", "-O0", "-c", f"-gencode=arch={of_gpu},code={of_gpu}",
            f"-ccbin={compiler}", "-Xcompiler=-w", "-o", os.devnull]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--cxx", nargs="+", required=True)
    parser.add_argument("--nvcc")
    parser.add_argument("--arch", nargs="+", default=["sm_80"])
    parser.add_argument("--by-module", action="store_true")
    arguments = parser.parse_args()

    def compile_alone(job):
        what, command = job
        result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)
        if result.returncode == 0:
            return None
        return f"{what}: {command[0]} does not compile\n{result.stdout}"

    with tempfile.TemporaryDirectory() as folder:
        if arguments.by_module and arguments.nvcc:
            empty = pathlib.Path(folder) / "empty.cu"
            empty.touch()
            if compile_alone(("nothing", [*through_nvcc(arguments, arguments.cxx[0]), empty])):
                print(f"not compiled by nvcc: {arguments.nvcc} and {arguments.cxx[0]} do not work together")
                arguments.nvcc = None
        commands = list(jobs(arguments, pathlib.Path(folder)))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            failures = [text for text in pool.map(compile_alone, commands) if text]
    for text in failures:
        print(text)
    print(f"{len(commands)} compilations, {len(failures)} failed")
    return 1 if failures or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
