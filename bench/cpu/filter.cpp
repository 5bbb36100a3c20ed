// SPDX-License-Identifier: Apache-2.0
// Filters on the cpu engine beside the standard library's; by a mask, beside a loop.
#include <bench/cpu/contenders.hpp>
#include <bench/cpu/loops.hpp>
#include <libscan/filter.hpp>
#include <libscan/selection.hpp>

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
  std::vector<contender> all{
      {"memcpy", [&] { parallel_memcpy(out.begin(), in.begin(), bytes / 2); }, {}},
      {"libscan", [&] { filter(on, in.view(), results, interval); }, right},
      {"sequential branchless",
       [&] {
         steady_filter_loop(
             in, [&](index_t i) { return keep(in[i]); }, out.begin());
       },
       right},
      {"std", [&] { std::copy_if(in.begin(), in.end(), out.begin(), keep); }, right},
      {"std par_unseq",
       [&] { std::copy_if(std::execution::par_unseq, in.begin(), in.end(), out.begin(), keep); },
       right}};
  for (library const& other : other_libraries()) {
    auto const filter = other.filter;
    if (filter == nullptr) continue;
    all.push_back({other.name, [&, filter] { filter(in.begin(), n, out.begin(), limit); }, right});
  }
  now.run({"cpu", "filter " + std::to_string(per_mille / 10) + " %", "u32", n,
           static_cast<double>(bytes), std::move(all)});
}

void filter_by_mask(engine const& on, session const& now, std::string const& mask, int per_mille,
                    index_t n) {
  flag_at const flag{static_cast<std::uint32_t>(per_mille)};
  auto const in = generated<item>(n, word_at{});
  auto const flags = generated<std::uint8_t>(n, flag);
  auto const bits = generated<std::uint32_t>(ceil_div(n, index_t{32}), flags_at{flag});
  bool const packed = mask == "bits";
  item_mask const marks =
      packed ? item_mask::of_bits(bits.view(), n) : item_mask::of_flags(flags.view());
  std::vector<item> expected;
  for (index_t i = 0; i < n; ++i) {
    if (flag(i) != 0) expected.push_back(in[i]);
  }
  host_array<item> const out(n);
  std::fill(out.begin(), out.end(), item{0});
  auto const right = [&] {
    bool const equal = std::equal(expected.begin(), expected.end(), out.begin());
    std::fill(out.begin(), out.end(), item{0});
    return equal;
  };
  std::span<item> const results(out.begin(), out.end());
  double const bytes = masked_bytes(n, static_cast<index_t>(expected.size()), flag,
                                    packed ? 4 * bits.size : flags.size);
  auto const by_bytes = [&](index_t i) { return flags[i] != 0; };
  auto const by_bits = [&](index_t i) { return (bits[i / 32] >> i % 32 & 1u) != 0; };
  now.run({"cpu",
           "filter by " + mask + " " + std::to_string(per_mille / 10) + " %",
           "u32",
           n,
           bytes,
           {copy_of(bytes),
            {"libscan", [&] { filter<item>(on, in.view(), results, marks); }, right},
            {"sequential",
             [&, packed] {
               packed ? filter_loop(in, by_bits, out.begin())
                      : filter_loop(in, by_bytes, out.begin());
             },
             right},
            {"sequential branchless",
             [&, packed] {
               packed ? steady_filter_loop(in, by_bits, out.begin())
                      : steady_filter_loop(in, by_bytes, out.begin());
             },
             right}}});
}

}  // namespace

void run_filters(engine const& on, session const& now) {
  options const& wanted = now.wanted;
  if (wanted.in_place) return;
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24, 1 << 27})) {
    for (int const per_mille :
         or_standard<int>(wanted.per_mille, {keep_axis.begin(), keep_axis.end()})) {
      if (wanted.masks.empty()) filter_u32(on, now, per_mille, n);
      for (std::string const& mask : wanted.masks) filter_by_mask(on, now, mask, per_mille, n);
    }
  }
}

}  // namespace libscan::bench::cpu
