// SPDX-License-Identifier: Apache-2.0
// Filters of 32-bit items on the GPU, by a predicate or by a mask, by the share of kept items.
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
  device_count const count;
  auto const right = [&](bool counts) {
    bool const counted = count.right(out.size(), counts);
    return out.right() && counted;
  };
  double const bytes = static_cast<double>(sizeof(item)) * static_cast<double>(n + out.size());
  workload work{"cuda",          "filter " + std::to_string(per_mille / 10) + " %", "u32", n, bytes,
                {copy_of(bytes)}};
  add_offers(work, filter_problem{in.data(), out.data(), count.data(), keep.limit, n}, right);
  now.run(std::move(work));
}

void filter_in_place(session const& now, int per_mille, index_t n) {
  using item = std::uint32_t;
  auto const host = generated<item>(n, per_mille_at);
  below const keep{static_cast<item>(per_mille)};
  std::vector<item> kept;
  std::copy_if(host.begin(), host.end(), std::back_inserter(kept), keep);
  auto const in = on_device(host.view());
  auto const expected = on_device(std::span<item const>(kept));
  device::buffer<item> const items(n);
  device::buffer<int> const different(1);
  device_count const count;
  double const bytes = static_cast<double>(sizeof(item)) * static_cast<double>(n + expected.size());
  workload work{"cuda", "filter in place " + std::to_string(per_mille / 10) + " %",
                "u32",  n,
                bytes,  {copy_of(bytes)}};
  add_offers(work, filter_problem{items.data(), items.data(), count.data(), keep.limit, n},
             [&](bool counts) {
               bool const counted = count.right(expected.size(), counts);
               return same_items(expected, items, different) && counted;
             });
  find_input_anew(work, in, items);
  now.run(std::move(work));
}

void filter_by_mask(session const& now, std::string const& mask, int per_mille, index_t n) {
  using item = std::uint32_t;
  flag_at const flag{static_cast<std::uint32_t>(per_mille)};
  auto const in = made_on_device<item>(n, word_at{});
  auto const flags = made_on_device<std::uint8_t>(n, flag);
  auto const bits = made_on_device<std::uint32_t>(ceil_div(n, index_t{32}), flags_at{flag});
  bool const packed = mask == "bits";
  void const* const marks = packed ? static_cast<void const*>(bits.data()) : flags.data();
  auto expected = spoilt<item>(n);
  device_count const count;
  mask_filter_problem problem{mask, marks, in.data(), expected.data(), count.data(), n};
  solve_by_cub(problem);
  index_t const kept = count.take();
  if (n <= max_std_items) {
    std::vector<item> by_std;
    for (index_t i = 0; i < n; ++i) {
      if (flag(i) != 0) by_std.push_back(word_at{}(i));
    }
    require_same(expected, by_std);
  }
  double const bytes = masked_bytes(n, kept, flag, packed ? 4 * bits.size() : n);
  std::string const how = mask + (now.wanted.in_place ? " in place " : " ");
  workload work{"cuda", "filter by " + how + std::to_string(per_mille / 10) + " %",
                "u32",  n,
                bytes,  {copy_of(bytes)}};
  if (now.wanted.in_place) {
    device::buffer<item> const items(n);
    device::buffer<int> const different(1);
    problem.in = problem.out = items.data();
    add_offers(work, problem, [&](bool counts) {
      bool const counted = count.right(kept, counts);
      return same_first_items(expected, items, kept, different) && counted;
    });
    find_input_anew(work, in, items);
    return now.run(std::move(work));
  }
  checked_output<item> const out(std::move(expected));
  problem.out = out.data();
  add_offers(work, problem, [&](bool counts) {
    bool const counted = count.right(kept, counts);
    return out.right() && counted;
  });
  now.run(std::move(work));
}

}  // namespace

void run_filters(session const& now) {
  options const& wanted = now.wanted;
  std::vector<int> const kept(keep_axis.begin(), keep_axis.end());
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24, 1 << 28})) {
    for (int const per_mille : or_standard(wanted.per_mille, kept)) {
      if (wanted.masks.empty()) {
        (wanted.in_place ? filter_in_place : filter_u32)(now, per_mille, n);
      }
      for (std::string const& mask : wanted.masks) filter_by_mask(now, mask, per_mille, n);
    }
  }
}

}  // namespace libscan::bench::cuda
