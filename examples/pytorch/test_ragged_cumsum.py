# SPDX-License-Identifier: Apache-2.0
"""ragged_cumsum against a loop of torch.cumsum, on the CPU and, if there is one, on a GPU."""
import torch  # before the extension, which needs its libraries

import ragged_cumsum

DEVICES = ["cpu"] + ["cuda"] * torch.cuda.is_available()


def rows_of(lengths, device):
    """Offsets of rows of such lengths."""
    return torch.cat([torch.zeros(1, dtype=torch.int64), torch.tensor(lengths).cumsum(0)]).to(device)


def check(lengths, device):
    offsets = rows_of(lengths, device)
    values = torch.randint(-8, 8, (int(offsets[-1]),)).to(device)
    for dtype in (torch.float32, torch.float64, torch.int32, torch.int64):
        items = values.to(dtype)  # small whole numbers: their sums are exact in any order
        expected = torch.cat([row.cumsum(0, dtype=dtype) for row in items.split(lengths)])
        assert torch.equal(ragged_cumsum.ragged_cumsum(items, offsets), expected), (lengths[:5], dtype, device)


def refused(values, offsets, words):
    try:
        ragged_cumsum.ragged_cumsum(values, offsets)
    except (RuntimeError, ValueError) as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"expected: {words}")


def test_ragged_cumsum():
    for device in DEVICES:
        check([3, 0, 1000, 1, 70000], device)
        check([0, 0, 1], device)
        check(torch.randint(0, 40, (20000,)).tolist(), device)
    if "cuda" in DEVICES:
        with torch.cuda.stream(torch.cuda.Stream()):  # on PyTorch's current stream
            check([5, 1 << 20, 2], "cuda")


def test_refusals():
    for device in DEVICES:
        offsets = rows_of([2, 2], device)
        refused(torch.ones(4, dtype=torch.float16, device=device), offsets, "values: expected float32")
        refused(torch.ones(8, device=device)[::2], offsets, "values: expected contiguous memory")
        refused(torch.ones(4, device=device), offsets.to(torch.int32), "offsets: expected")
    refused(torch.ones(3), rows_of([2, 2], "cpu"), "expected offsets that ascend within 0 to 3")
    refused(torch.ones(4, device="meta"), rows_of([2, 2], "cpu"), "values: expected memory of a CPU or of CUDA")
    if "cuda" in DEVICES:
        refused(torch.ones(4), rows_of([2, 2], "cuda"), "offsets: expected")


if __name__ == "__main__":
    test_ragged_cumsum()
    test_refusals()
    print(f"ragged_cumsum: right on {' and '.join(DEVICES)}")
    if "cuda" not in DEVICES:
        print("PyTorch sees no GPU: CUDA tensors were not tested")
