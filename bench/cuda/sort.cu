// SPDX-License-Identifier: Apache-2.0
// Sorts on the GPU: keys, keys with values, positions of keys. The bytes of a sort are the least
// for 8 bits per pass: all keys read once to count them, then read and written once per 8 bits.
#include <numeric>

#include <bench/cuda/workloads.cuh>

namespace libscan::bench::cuda {

namespace {

template <class Key>
void sort_keys(session const& now, std::string const& values, index_t n) {
  key_at<Key> const at(values, n);
  auto const keys = made_on_device<Key>(n, at);
  auto expected = spoilt<Key>(n);
  sort_problem problem{type_name<Key>(), keys.data(), expected.data(), n};
  solve_by_cub(problem);
  if (n <= max_std_items) {
    auto const host = generated<Key>(n, at);
    std::sort(host.begin(), host.end());
    require_same(expected, std::vector<Key>(host.begin(), host.end()));
  }
  checked_output<Key> const out(std::move(expected));
  problem.out = out.data();
  double const bytes = static_cast<double>(n) * sizeof(Key) * (1 + 2 * sizeof(Key));
  workload work{"cuda", "sort keys, " + values, problem.type, n, bytes, {copy_of(bytes)}};
  add_offers(work, problem, [&] { return out.right(); });
  now.run(std::move(work));
}

using word = std::uint32_t;

/// Throws unless CUB's results are those of std::stable_sort of the positions.
template <class ValueAt>
void require_sorted(key_at<word> at, ValueAt value_at, index_t n, device::buffer<word> const& keys,
                    device::buffer<word> const& values) {
  std::vector<index_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), index_t{0});
  std::stable_sort(order.begin(), order.end(), [&](index_t a, index_t b) { return at(a) < at(b); });
  std::vector<word> by_key, by_value;
  for (index_t const i : order) {
    by_key.push_back(at(i));
    by_value.push_back(value_at(i));
  }
  require_same(keys, by_key);
  require_same(values, by_value);
}

template <class ValueAt>
void sort_pairs(session const& now, bool indices, std::string const& values, index_t n,
                ValueAt value_at) {
  key_at<word> const at(values, n);
  auto const keys = made_on_device<word>(n, at);
  auto const payload = made_on_device<word>(n, value_at);
  auto sorted = spoilt<word>(n), moved = spoilt<word>(n);
  pair_sort_problem problem{indices, keys.data(), sorted.data(), payload.data(), moved.data(), n};
  solve_by_cub(problem);
  if (n <= max_std_items) require_sorted(at, value_at, n, sorted, moved);
  checked_output<word> const keys_out(std::move(sorted)), values_out(std::move(moved));
  problem.keys_out = keys_out.data();
  problem.values_out = values_out.data();
  // Positions are read by all passes except the first, and the last writes no keys.
  double const bytes = static_cast<double>(n) * (indices ? 60 : 68);
  workload work{"cuda",
                (indices ? "argsort, " : "sort pairs, ") + values,
                indices ? "u32" : "u32+u32",
                n,
                bytes,
                {copy_of(bytes)}};
  add_offers(work, problem, [&] {
    bool const right = values_out.right();
    return (indices || keys_out.right()) && right;
  });
  now.run(std::move(work));
}

void sort(session const& now, std::string const& what, std::string const& type,
          std::string const& values, index_t n) {
  if (what == "keys" && type == "u16") return sort_keys<std::uint16_t>(now, values, n);
  if (what == "keys" && type == "u32") return sort_keys<std::uint32_t>(now, values, n);
  if (what == "keys" && type == "u64") return sort_keys<std::uint64_t>(now, values, n);
  if (what == "pairs" && type == "u32") return sort_pairs(now, false, values, n, value_at{});
  if (what == "argsort" && type == "u32") return sort_pairs(now, true, values, n, position_at{});
  throw invalid_argument("scan-bench has no sort of " + what + " of " + type +
                         " on the GPU; expected keys of u16, u32, u64, or pairs or argsort of u32");
}

}  // namespace

void run_sorts(session const& now) {
  options const& wanted = now.wanted;
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24, 1 << 28})) {
    for (std::string const& what : or_standard<std::string>(wanted.sorts, {"keys"})) {
      for (std::string const& type : or_standard<std::string>(wanted.types, {"u32"})) {
        for (std::string const& values : or_standard<std::string>(wanted.keys, {"uniform"})) {
          sort(now, what, type, values, n);
        }
      }
    }
  }
}

}  // namespace libscan::bench::cuda
