# SPDX-License-Identifier: Apache-2.0
"""bench/gpus_torch.py --gpus N --total BYTES [--samples N] [--record FILE]

Times what users of PyTorch write for items that are spread over N GPUs of this machine: each process
gathers all items by NCCL, sorts or scans them, and keeps its part. script/bench-gpus --torch runs it
beside scan-bench-gpus, whose names of calls and whose record it uses.
"""
import argparse
import json
import os
import statistics
import time

import torch
import torch.distributed
import torch.multiprocessing


def items(total, dtype, rank, ranks):
    """This process's part of random items, and space for all."""
    count = total // torch.tensor([], dtype=dtype).element_size()
    torch.manual_seed(rank)
    if dtype.is_floating_point:
        own = torch.rand(count // ranks, dtype=dtype, device="cuda")
    else:
        bounds = torch.iinfo(dtype)
        own = torch.randint(bounds.min, bounds.max, (count // ranks,), dtype=dtype, device="cuda")
    return own, torch.empty(own.numel() * ranks, dtype=dtype, device="cuda")


def calls(total, rank, ranks):
    """(name, work) of each call. Keys and items have the bytes of those in scan-bench-gpus; not all of
    PyTorch's functions take unsigned ones."""
    def part(all_items):
        own = all_items.numel() // ranks
        return all_items[rank * own:(rank + 1) * own].clone()

    def scan(dtype):
        own, space = items(total, dtype, rank, ranks)

        def work():
            torch.distributed.all_gather_into_tensor(space, own)
            return part(torch.cumsum(space, 0, dtype=dtype))
        return work

    def sort(dtype):
        own, space = items(total, dtype, rank, ranks)

        def work():
            torch.distributed.all_gather_into_tensor(space, own)
            return part(torch.sort(space).values)
        return work

    def pairs():
        keys, all_keys = items(total // 2, torch.int32, rank, ranks)
        values, all_values = items(total // 2, torch.int32, rank, ranks)

        def work():
            torch.distributed.all_gather_into_tensor(all_keys, keys)
            torch.distributed.all_gather_into_tensor(all_values, values)
            sorted_keys, places = torch.sort(all_keys, stable=True)
            return part(sorted_keys), all_values[part(places)]
        return work

    yield "scan i32", lambda: scan(torch.int32)
    yield "scan f32", lambda: scan(torch.float32)
    yield "sort u32", lambda: sort(torch.int32)
    yield "sort u64", lambda: sort(torch.int64)
    yield "sort pairs u32", pairs


def one_process(rank, arguments):
    torch.cuda.set_device(rank)
    torch.distributed.init_process_group("nccl", rank=rank, world_size=arguments.gpus)
    lines = []
    for what, prepare in calls(arguments.total, rank, arguments.gpus):
        work = prepare()
        seconds = []
        for sample in range(arguments.samples + 2):  # the first two are not timed
            torch.distributed.barrier()
            torch.cuda.synchronize()
            begin = time.perf_counter()
            work()
            torch.cuda.synchronize()
            own = torch.tensor([time.perf_counter() - begin], dtype=torch.float64, device="cuda")
            torch.distributed.all_reduce(own, torch.distributed.ReduceOp.MAX)
            if sample > 1:
                seconds.append(own.item())
        del work
        torch.cuda.empty_cache()
        lines.append({"what": what, "scaling": "strong", "gpus": arguments.gpus,
                      "seconds": statistics.median(seconds)})
    torch.distributed.destroy_process_group()
    if rank != 0:
        return
    record = {"machine": "cuda, " + torch.cuda.get_device_name(0), "bytes": arguments.total // arguments.gpus,
              "total": arguments.total, "transport": "torch", "version": torch.__version__, "lines": lines}
    for line in lines:
        print("%-22s strong %2d GPUs %10.3f ms" % (line["what"], line["gpus"], line["seconds"] * 1e3))
    if arguments.record:
        with open(arguments.record, "w") as file:
            file.write(json.dumps(record, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", type=int, default=2)
    parser.add_argument("--total", type=int, default=1 << 31, help="bytes of all items together")
    parser.add_argument("--samples", type=int, default=7)
    parser.add_argument("--record", help="a JSON file for the results")
    arguments = parser.parse_args()
    if arguments.total % (8 * arguments.gpus) != 0:
        parser.error("--total is no multiple of 8 bytes for each GPU")
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29513")
    os.environ["NCCL_NVLS_ENABLE"] = "0"
    torch.multiprocessing.spawn(one_process, (arguments,), arguments.gpus)


if __name__ == "__main__":
    main()
