// SPDX-License-Identifier: Apache-2.0
// Scans from the last item to the first on the GPU: exclusive sums of i32.
#include <bench/cuda/workloads.cuh>

namespace libscan::bench::cuda {

namespace {

void reverse_scan(session const& now, index_t n) {
  using item = std::int32_t;
  auto const host = items_of<item>("random", n);
  host_array<item> const expected(n);
  std::uint32_t past = 0;
  for (index_t i = n - 1; i >= 0; --i) {
    expected[i] = static_cast<item>(past);
    past += static_cast<std::uint32_t>(host[i]);
  }
  auto const in = on_device(host.view());
  checked_output<item> const out(expected.view());
  double const bytes = 2.0 * static_cast<double>(n) * sizeof(item);
  workload work{"cuda", "exclusive_scan from behind", "i32", n, bytes, {copy_of(bytes)}};
  add_offers(work, reverse_scan_problem{in.data(), out.data(), n}, [&] { return out.right(); });
  now.run(std::move(work));
}

}  // namespace

void run_reverse_scans(session const& now) {
  auto const sizes = or_standard<index_t>(now.wanted.sizes, {1 << 16, 1 << 20, 1 << 24, 1 << 28});
  for (index_t const n : sizes) reverse_scan(now, n);
}

}  // namespace libscan::bench::cuda
