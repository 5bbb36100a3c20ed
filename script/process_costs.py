# SPDX-License-Identifier: Apache-2.0
"""What a process costs, for script/real-data: wall and CPU seconds, bytes that it reads from and
writes to disks, and the most memory of its cgroup, page cache included.
"""
import dataclasses
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "tests/apps/common"))
from program_case import cgroup  # noqa: E402

MIB = 1 << 20
NO_LIMIT = 1 << 44
CODE_AND_STACKS = 304 * MIB  # address space that a program needs beside its data


@dataclasses.dataclass
class Costs:
    """Of one run. `ended`: '' if it succeeded, else how it ended."""
    wall: float
    cpu: float
    read: int
    written: int
    peak: int
    ended: str = ""
    words: str = ""


def has_cgroups():
    try:
        cgroup(NO_LIMIT).remove()
        return True
    except OSError:
        return False


def forget(*paths):
    """Drops files from the page cache, so that reading them reads the disk."""
    for path in paths:
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def recall(*paths):
    """Reads files, so that the page cache has them."""
    for path in paths:
        with open(path, "rb") as file:
            while file.read(16 * MIB):
                pass


def input_output(process):
    """(bytes read, bytes written) by a process that has ended, but was not waited for."""
    with open(f"/proc/{process}/io") as file:
        numbers = dict(line.split(": ") for line in file.read().splitlines())
    return int(numbers["read_bytes"]), int(numbers["write_bytes"])


def how_it_ended(code, words):
    if code == 0:
        return ""
    if code == -9:
        return "killed"
    last = words.strip().splitlines()
    return f"exit code {code}: {last[-1][:200] if last else ''}"


def run(command, memory=None, target=None, **more):
    """Runs a command in a cgroup of `memory` bytes, or where there are no cgroups, with that much
    address space. `target`: a file that the command writes, which is removed first."""
    if target is not None:
        pathlib.Path(target).unlink(missing_ok=True)
    group = cgroup(memory or NO_LIMIT) if has_cgroups() else None

    def enter():
        if group:
            group.enter()
        elif memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory + CODE_AND_STACKS,) * 2)

    begun = time.perf_counter()
    process = subprocess.Popen(list(map(str, command)), stdout=more.pop("stdout", subprocess.PIPE),
                               stderr=subprocess.PIPE, preexec_fn=enter, **more)
    out, error = process.stdout.read() if process.stdout else b"", process.stderr.read()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    wall = time.perf_counter() - begun
    read, written = input_output(process.pid)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    for stream in (process.stdout, process.stderr):
        if stream:
            stream.close()
    peak = usage.ru_maxrss * 1024
    if group:
        peak = group.taken()
        group.remove()
    return Costs(wall, usage.ru_utime + usage.ru_stime, read, written, peak,
                 how_it_ended(process.returncode, error.decode()), out.decode())


def run_competitor(words, memory=None, target=None):
    """Runs a job of script/competitors.py. It reports its own costs, without those of starting
    Python and importing libraries."""
    costs = run([sys.executable, root / "script/competitors.py", *words], memory, target)
    if costs.ended:
        return costs
    own = json.loads(costs.words.splitlines()[-1])
    return dataclasses.replace(costs, wall=own["wall"], cpu=own["cpu"], read=own["read"],
                               written=own["written"])
