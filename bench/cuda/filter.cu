// SPDX-License-Identifier: Apache-2.0
// Filters of 32-bit items on the GPU, by how many they keep.
#include <vector>

#include <bench/cuda/workloads.cuh>

namespace libscan::bench::cuda {

namespace {

void filter_u32(session const& now, int per_mille, index_t n) {
  using item = std::uint32_t;
  auto const host = generated<item>(n, per_mille_at);
  below const keep{static_cast<item>(per_mille)};
  std::vector<item> kept;
  std::copy_if(host.begin(), host.end(), std::back_inserter(kept), keep);
  auto const in = on_device(host.view());
  checked_output<item> const out{std::span<item const>(kept)};
  device::buffer<index_t> const count(1);
  simt::fill_async(count.data(), 0xff, sizeof(index_t));
  auto const right = [&] {
    index_t counted = 0;
    count.read_sync(&counted, 1);
    simt::fill_async(count.data(), 0xff, sizeof(index_t));
    bool const untold = counted == -1;  // some tell the number to the host
    return (untold || counted == static_cast<index_t>(kept.size())) && out.right();
  };
  double const bytes = static_cast<double>(sizeof(item)) * static_cast<double>(n + out.size());
  workload work{"cuda",          "filter " + std::to_string(per_mille / 10) + " %", "u32", n, bytes,
                {copy_of(bytes)}};
  add_offers(work, filter_problem{in.data(), out.data(), count.data(), keep.limit, n}, right);
  now.run(std::move(work));
}

}  // namespace

void run_filters(session const& now) {
  options const& wanted = now.wanted;
  std::vector<int> const kept(keep_axis.begin(), keep_axis.end());
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24, 1 << 28})) {
    for (int const per_mille : or_standard(wanted.per_mille, kept)) filter_u32(now, per_mille, n);
  }
}

}  // namespace libscan::bench::cuda
