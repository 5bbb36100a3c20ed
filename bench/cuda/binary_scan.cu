// SPDX-License-Identifier: Apache-2.0
// Scans of masks on the GPU: a byte or a bit per item, ranks of 32 bits.
#include <bench/cuda/workloads.cuh>
#include <bench/oracles.hpp>

namespace libscan::bench::cuda {

namespace {

/// Ranks of items that are true `per_mille` times of 1000.
void binary_scan(session const& now, std::string const& mask, scan_kind kind, int per_mille,
                 index_t n) {
  auto const bytes = generated<std::uint8_t>(n, [=](index_t i) {
    return std::uint8_t(per_mille_at(i) < static_cast<unsigned>(per_mille));
  });
  auto const bits = generated<std::uint32_t>(ceil_div(n, index_t{32}), [&](index_t word) {
    std::uint32_t value = 0;
    for (index_t i = 32 * word; i < std::min(n, 32 * word + 32); ++i) {
      value |= std::uint32_t{bytes[i]} << i % 32;
    }
    return value;
  });
  auto const expected = scanned<std::int32_t>(bytes, kind, plus<std::int32_t>{});
  auto const d_bytes = on_device(bytes.view());
  auto const d_bits = on_device(bits.view());
  checked_output<std::int32_t> const ranks(expected.view());
  bool const packed = mask == "bits";
  double const written = 4.0 * static_cast<double>(n);
  double const moved = written + static_cast<double>(packed ? 4 * bits.size : n);
  std::string const name = kind == scan_kind::inclusive ? "inclusive" : "exclusive";
  workload work{"cuda",         name + "_binary_scan " + std::to_string(per_mille / 10) + " %",
                mask + "->i32", n,
                moved,          {copy_of(moved), fill_of(written)}};
  void const* const items = packed ? static_cast<void const*>(d_bits.data()) : d_bytes.data();
  add_offers(work, binary_problem{mask, kind, items, ranks.data(), n},
             [&] { return ranks.right(); });
  now.run(std::move(work));
}

}  // namespace

void run_binary_scans(session const& now) {
  options const& wanted = now.wanted;
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24, 1 << 28})) {
    for (std::string const& mask : or_standard(wanted.masks, names_of(mask_axis))) {
      for (scan_kind const kind : or_standard(wanted.kinds, {scan_kind::exclusive})) {
        for (int const per_mille : or_standard<int>(wanted.per_mille, {500})) {
          binary_scan(now, mask, kind, per_mille, n);
        }
      }
    }
  }
}

}  // namespace libscan::bench::cuda
