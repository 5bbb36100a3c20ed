# SPDX-License-Identifier: Apache-2.0
"""ragged_cumsum against a loop of torch.cumsum; needs a GPU."""
import torch  # before the extension, which needs its libraries

import ragged_cumsum


def rows_of(lengths):
    """Offsets of rows of such lengths, on the GPU."""
    return torch.cat([torch.zeros(1, dtype=torch.int64), torch.tensor(lengths).cumsum(0)]).cuda()


def check(lengths):
    offsets = rows_of(lengths)
    values = torch.randint(-8, 8, (int(offsets[-1]),)).cuda()
    for dtype in (torch.float32, torch.float64, torch.int32, torch.int64):
        items = values.to(dtype)  # small whole numbers: their sums are exact in any order
        expected = torch.cat([row.cumsum(0, dtype=dtype) for row in items.split(lengths)])
        assert torch.equal(ragged_cumsum.ragged_cumsum(items, offsets), expected), (lengths[:5], dtype)


def test_ragged_cumsum():
    check([3, 0, 1000, 1, 70000])
    check([0, 0, 1])
    check(torch.randint(0, 40, (20000,)).tolist())
    with torch.cuda.stream(torch.cuda.Stream()):  # on PyTorch's current stream
        check([5, 1 << 20, 2])


def test_refusals():
    offsets = rows_of([2, 2])
    for values in (torch.ones(4), torch.ones(4, dtype=torch.float16).cuda(), torch.ones(8).cuda()[::2]):
        try:
            ragged_cumsum.ragged_cumsum(values, offsets)
        except RuntimeError as refused:
            assert "values: expected" in str(refused)
        else:
            raise AssertionError("values were not refused")


if __name__ == "__main__":
    test_ragged_cumsum()
    test_refusals()
    print("ragged_cumsum: right")
