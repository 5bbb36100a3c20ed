// SPDX-License-Identifier: Apache-2.0
// Filters on the cpu engine beside the standard library's.
#include <apps/filter/filter.hpp>
#include <bench/cpu/contenders.hpp>

namespace libscan::bench::cpu {

namespace {

using item = std::uint32_t;

void filter_u32(engine const& on, session const& now, int per_mille, index_t n) {
  auto const in = generated<item>(n, per_mille_at);
  host_array<item> const out(n);
  std::fill(out.begin(), out.end(), item{0});
  item const limit = static_cast<item>(per_mille);
  auto const keep = [=](item x) { return x < limit; };
  std::vector<item> expected;
  std::copy_if(in.begin(), in.end(), std::back_inserter(expected), keep);
  auto const right = [&] { return std::equal(expected.begin(), expected.end(), out.begin()); };
  predicate<item> const interval(in_interval<item>{0, limit - 1});
  auto const bytes = (static_cast<std::size_t>(n) + expected.size()) * sizeof(item);
  std::span<item> const results(out.begin(), out.end());
  now.run(
      {"cpu",
       "filter " + std::to_string(per_mille / 10) + " %",
       "u32",
       n,
       static_cast<double>(bytes),
       {{"memcpy", [&] { parallel_memcpy(out.begin(), in.begin(), bytes / 2); }, {}},
        {"libscan", [&] { filter(on, in.view(), results, interval); }, right},
        {"std", [&] { std::copy_if(in.begin(), in.end(), out.begin(), keep); }, right},
        {"std par_unseq",
         [&] { std::copy_if(std::execution::par_unseq, in.begin(), in.end(), out.begin(), keep); },
         right}}});
}

}  // namespace

void run_filters(engine const& on, session const& now) {
  options const& wanted = now.wanted;
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24, 1 << 27})) {
    for (int const per_mille :
         or_standard<int>(wanted.per_mille, {keep_axis.begin(), keep_axis.end()})) {
      filter_u32(on, now, per_mille, n);
    }
  }
}

}  // namespace libscan::bench::cpu
