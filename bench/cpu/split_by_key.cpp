// SPDX-License-Identifier: Apache-2.0
// Splits of keys and values into many buckets on the cpu engine, beside the loops that define them
// and stable sorts.
#include <bench/cpu/contenders.hpp>
#include <libscan/cpu/split_by_key.hpp>

namespace libscan::bench::cpu {

namespace {

using word = std::uint32_t;

/// The layout for sorting with the standard library.
using pair = key_and_value;

/// offsets[b] = the number of sorted keys below b.
void find_buckets(host_array<pair> const& sorted, std::vector<index_t>& offsets) {
  for (std::size_t b = 0; b < offsets.size(); ++b) {
    auto const below = [b](pair const& x) { return x.key < b; };
    offsets[b] = std::partition_point(sorted.begin(), sorted.end(), below) - sorted.begin();
  }
}

/// The loops that define the operation.
void split_by_loops(host_array<word> const& keys, host_array<word> const& values,
                    host_array<word> const& keys_out, host_array<word> const& values_out,
                    std::vector<index_t>& offsets) {
  std::fill(offsets.begin(), offsets.end(), index_t{0});
  for (word const key : keys) ++offsets[key + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<index_t> next(offsets.begin(), offsets.end() - 1);
  for (index_t i = 0; i < keys.size; ++i) {
    index_t const to = next[keys[i]]++;
    keys_out[to] = keys[i];
    values_out[to] = values[i];
  }
}

/// The most items that the standard library's stable sort sorts in acceptable time.
constexpr index_t max_std_items = index_t{1} << 20;

void split(engine const& on, session const& now, int buckets, index_t n) {
  auto const keys = generated<word>(n, bucket_at{buckets});
  auto const values = generated<word>(n, value_at{});
  auto const in = generated<pair>(n, [&](index_t i) { return pair{keys[i], values[i]}; });
  host_array<word> const keys_out(n), values_out(n);
  host_array<pair> const out(n);
  std::vector<index_t> offsets(static_cast<std::size_t>(buckets) + 1);

  std::vector<std::vector<pair>> by_bucket(static_cast<std::size_t>(buckets));
  for (pair const& x : in) by_bucket[x.key].push_back(x);
  std::vector<pair> expected;
  std::vector<index_t> begins{0};
  for (auto const& bucket : by_bucket) {
    expected.insert(expected.end(), bucket.begin(), bucket.end());
    begins.push_back(static_cast<index_t>(expected.size()));
  }
  auto const spoil = [&] {
    for (auto const* each : {&keys_out, &values_out}) {
      std::fill(each->begin(), each->end(), ~word{0});
    }
    std::fill(out.begin(), out.end(), pair{~word{0}, 0});
    std::fill(offsets.begin(), offsets.end(), index_t{-1});
  };
  auto const apart = [&] {
    bool equal = offsets == begins;
    for (index_t i = 0; i < n; ++i) {
      equal = equal && expected[static_cast<std::size_t>(i)] == pair{keys_out[i], values_out[i]};
    }
    spoil();
    return equal;
  };
  auto const together = [&] {
    bool const equal = offsets == begins && std::equal(out.begin(), out.end(), expected.begin());
    spoil();
    return equal;
  };
  spoil();

  auto const ours = [&, buckets] {
    libscan::cpu::split_by_key(on.threads(), keys.begin(), keys_out.begin(), values.begin(),
                               values_out.begin(), offsets.data(), n, buckets);
  };
  auto const by_std = [&](std::string name, auto... policy) {
    auto const sort = [&, policy...](pair* begin, pair* end) {
      std::stable_sort(policy..., begin, end,
                       [](pair const& a, pair const& b) { return a.key < b.key; });
      find_buckets(out, offsets);
    };
    return in_place(std::move(name), in, out, sort, together);
  };
  // Keys are read twice: once to count them, once to move them.
  double const bytes = 20.0 * static_cast<double>(n);
  std::vector<contender> all{
      copy_of(bytes),
      {"libscan", ours, apart},
      {"sequential", [&] { split_by_loops(keys, values, keys_out, values_out, offsets); }, apart}};
  if (n <= max_std_items) {
    all.push_back(by_std("std stable"));
    all.push_back(by_std("std par_unseq", std::execution::par_unseq));
  }
  for (library const& other : other_libraries()) {
    auto const split = other.split_by_key;
    if (split == nullptr) continue;
    all.push_back(
        {other.name,
         [&, split, buckets, n] { split(in.begin(), out.begin(), n, buckets, offsets.data()); },
         together});
  }
  now.run({"cpu", "split by key, " + std::to_string(buckets) + " buckets", "u32+u32", n, bytes,
           std::move(all)});
}

}  // namespace

void run_splits_by_key(engine const& on, session const& now) {
  options const& wanted = now.wanted;
  std::vector<int> const axis(bucket_axis.begin(), bucket_axis.end());
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24})) {
    for (int const buckets : or_standard(wanted.buckets, axis)) split(on, now, buckets, n);
  }
}

}  // namespace libscan::bench::cpu
