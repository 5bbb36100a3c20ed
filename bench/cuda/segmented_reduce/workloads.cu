// SPDX-License-Identifier: Apache-2.0
// Totals of segments on the GPU: the same segments in each of four descriptions.
#include <numeric>

#include <bench/cuda/segmented_reduce/problem.hpp>
#include <bench/cuda/workloads.cuh>
#include <bench/segments.hpp>

namespace libscan::bench::cuda {

namespace {

using item = std::uint32_t;

void reduce(session const& now, std::string const& lengths, index_t n) {
  segment_forms const host(lengths, n);
  auto const items = items_of<item>("random", n);
  auto const segments = static_cast<index_t>(host.offsets.size()) - 1;
  host_array<item> const expected(segments);
  for (index_t s = 0; s < segments; ++s) {
    auto const at = static_cast<std::size_t>(s);
    expected[s] = 0;
    for (index_t i = host.offsets[at]; i < host.offsets[at + 1]; ++i) expected[s] += items[i];
  }
  auto const in = on_device(items.view());
  auto const flags = on_device(host.flags.view());
  auto const bits = on_device(std::span<item const>(host.bits.begin(), host.bits.end()));
  auto const keys = on_device(host.keys.view());
  auto const offsets = on_device(std::span<std::int32_t const>(host.offsets));
  host_array<item> const firsts(segments);
  std::iota(firsts.begin(), firsts.end(), item{0});  // keys are the numbers of their segments
  checked_output<item> const totals(expected.view()), unique(firsts.view());
  device_count const count;
  for (std::string const& heads : forms_to_measure(now.wanted.heads, lengths)) {
    totals_problem const problem{heads,          in.data(),    totals.data(),
                                 unique.data(),  count.data(), n,
                                 flags.data(),   bits.data(),  keys.data(),
                                 offsets.data(), segments,     lengths == "half-empty"};
    // Keys of runs are also an output.
    double const results = heads == "keys" ? 2 : 1;
    double const bytes =
        host.bytes(heads) +
        sizeof(item) * (static_cast<double>(n) + results * static_cast<double>(segments));
    workload work{"cuda", totals_name(heads, lengths), "u32", n, bytes, {copy_of(bytes)}};
    for (auto const& offers : {by_libscan::offers(problem), by_cub::offers(problem)}) {
      for (implementation const& each : offers) {
        bool const keys_too = heads == "keys";
        work.contenders.push_back({each.name, each.run, [&, keys_too] {
                                     bool const keys_right = !keys_too || unique.right();
                                     bool const counted = !keys_too || count.right(segments, true);
                                     return totals.right() && keys_right && counted;
                                   }});
      }
    }
    now.run(std::move(work));
  }
}

}  // namespace

void run_segmented_reductions(session const& now) {
  options const& wanted = now.wanted;
  for (std::string const& type : or_standard<std::string>(wanted.types, {"u32"})) {
    now.where_known([&] {
      if (type != "u32") throw invalid_argument("the cuda engine's totals of segments are of u32");
      for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 20, 1 << 24, 1 << 28})) {
        for (std::string const& lengths : or_standard(wanted.lengths, names_of(length_axis))) {
          reduce(now, lengths, n);
        }
      }
    });
  }
}

}  // namespace libscan::bench::cuda
