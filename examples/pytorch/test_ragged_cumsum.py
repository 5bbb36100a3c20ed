# SPDX-License-Identifier: Apache-2.0
"""ragged_cumsum against a loop of torch.cumsum; needs a GPU."""
import ragged_cumsum
import torch


def test_ragged_cumsum():
    lengths = torch.tensor([3, 0, 1000, 1, 70000])
    offsets = torch.cat([torch.zeros(1, dtype=torch.int64), lengths.cumsum(0)]).cuda()
    values = torch.randint(-8, 8, (int(offsets[-1]),)).cuda()
    for dtype in (torch.float32, torch.float64, torch.int32, torch.int64):
        items = values.to(dtype)
        expected = torch.cat([row.cumsum(0, dtype=dtype) for row in items.split(lengths.tolist())])
        assert torch.equal(ragged_cumsum.ragged_cumsum(items, offsets), expected)


if __name__ == "__main__":
    test_ragged_cumsum()
    print("ragged_cumsum: right")
