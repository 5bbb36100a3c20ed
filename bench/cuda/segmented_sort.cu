// SPDX-License-Identifier: Apache-2.0
// Sorts within segments on the GPU, of keys and of keys with values, by lengths of the segments.
// The bytes are those of a sort in one pass, which no sort of long segments achieves.
#include <bench/cuda/workloads.cuh>
#include <bench/oracles.hpp>
#include <bench/segments.hpp>

namespace libscan::bench::cuda {

namespace {

using word = std::uint32_t;

/// Segments of one distribution.
struct segments {
  std::vector<std::int32_t> host;
  device::buffer<std::int32_t> offsets;

  segments(std::string const& lengths, index_t n)
      : host(offsets_of(lengths, n)), offsets(on_device(std::span<std::int32_t const>(host))) {}
};

/// Throws unless CUB's results are those of std::stable_sort of each segment.
void require_sorted(key_at<word> at, index_t n, std::vector<std::int32_t> const& offsets,
                    device::buffer<word> const& keys, device::buffer<word> const& values) {
  struct pair {
    word key, value;
  };
  auto const pairs = generated<pair>(n, [&](index_t i) { return pair{at(i), value_at{}(i)}; });
  sort_in_segments(pairs, offsets, [](pair const& a, pair const& b) { return a.key < b.key; });
  std::vector<word> by_key, by_value;
  for (pair const& each : pairs) {
    by_key.push_back(each.key);
    by_value.push_back(each.value);
  }
  require_same(keys, by_key);
  if (values.size() > 0) require_same(values, by_value);
}

void sort(session const& now, std::string const& what, std::string const& lengths,
          std::string const& values, segments const& in, index_t n) {
  bool const pairs = what == "pairs";
  index_t const count = pairs ? n : 0;  // of values
  key_at<word> const at(values, n);
  auto const keys = made_on_device<word>(n, at);
  auto const payload = made_on_device<word>(count, value_at{});
  auto sorted = spoilt<word>(n), moved = spoilt<word>(count);
  segmented_sort_problem problem{
      keys.data(),       sorted.data(),        pairs ? payload.data() : nullptr, moved.data(), n,
      in.offsets.data(), in.offsets.size() - 1};
  solve_by_cub(problem);
  if (n <= max_std_items) require_sorted(at, n, in.host, sorted, moved);
  checked_output<word> const keys_out(std::move(sorted)), values_out(std::move(moved));
  problem.keys_out = keys_out.data();
  problem.values_out = values_out.data();
  double const bytes =
      segmented_sort_bytes(n, sizeof(word) * (pairs ? 2 : 1),
                           static_cast<double>(in.host.size()) * sizeof(in.host.front()));
  workload work{"cuda",
                segmented_sort_name(what, lengths, values),
                pairs ? "u32+u32" : "u32",
                n,
                bytes,
                {copy_of(bytes)}};
  add_offers(work, problem, [&] {
    bool const right = keys_out.right();
    return (!pairs || values_out.right()) && right;
  });
  now.run(std::move(work));
}

}  // namespace

void run_segmented_sorts(session const& now) {
  options const& wanted = now.wanted;
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 20, 1 << 24, 1 << 27})) {
    for (std::string const& lengths : or_standard(wanted.lengths, names_of(sort_length_axis))) {
      segments const in(lengths, n);
      for (std::string const& what : or_standard<std::string>(wanted.sorts, {"keys"})) {
        for (std::string const& values : or_standard<std::string>(wanted.keys, {"uniform"})) {
          sort(now, what, lengths, values, in, n);
        }
      }
    }
  }
}

}  // namespace libscan::bench::cuda
