// SPDX-License-Identifier: Apache-2.0
// Sorts on the cpu engine beside the standard library's, Boost.Sort's, and VQSort, which uses one
// thread. As for the GPU, the bytes are the least for 8 bits per pass.
#include <hwy/contrib/sort/vqsort.h>

#if __has_include(<boost/sort/sort.hpp>)
#define LIBSCAN_BENCH_BOOST
#include <boost/sort/sort.hpp>
#endif

#include <cmath>

#include <bench/cpu/contenders.hpp>
#include <libscan/cpu/radix_sort.hpp>

namespace libscan::bench::cpu {

namespace {

/// Moves the bytes that passes over these items move, items of this size at a time.
contender copies(index_t n, std::size_t item_bytes, double bytes) {
  double const once = 2.0 * static_cast<double>(n) * static_cast<double>(item_bytes);
  contender const pass = copy_of(once), rest = copy_of(std::fmod(bytes, once));
  auto const passes = static_cast<int>(bytes / once);
  return {"memcpy",
          [pass, rest, passes] {
            for (int k = 0; k < passes; ++k) pass.run();
            rest.run();
          },
          {}};
}

/// A library's sort from `in` to `out`, and in place.
template <class Item, class Right>
void add_both_ways(std::vector<contender>& all, std::string const& name, host_array<Item> const& in,
                   host_array<Item> const& out, void (*sort)(Item const*, Item*, index_t),
                   Right right) {
  all.push_back({name, [&in, &out, sort] { sort(in.begin(), out.begin(), in.size); }, right});
  all.push_back(in_place(
      name + " in place", in, out,
      [sort](Item* begin, Item* end) { sort(begin, begin, end - begin); }, right));
}

/// The most items that a comparison sort on one thread sorts in acceptable time.
constexpr index_t max_std_items = index_t{1} << 20;

template <class Key>
void sort_keys(engine const& on, session const& now, std::string const& values, index_t n) {
  auto const in = generated<Key>(n, key_at<Key>(values, n));
  host_array<Key> const out(n), expected(n);
  std::fill(out.begin(), out.end(), Key{});
  std::copy(in.begin(), in.end(), expected.begin());
  std::sort(expected.begin(), expected.end());
  auto const right = [&] {
    bool const equal = std::equal(out.begin(), out.end(), expected.begin());
    std::fill(out.begin(), out.end(), Key{});
    return equal;
  };
  double const bytes = static_cast<double>(n) * sizeof(Key) * (1 + 2 * sizeof(Key));
  std::vector<contender> all{
      copies(n, sizeof(Key), bytes),
      {"libscan", [&] { libscan::cpu::sort_keys(on.threads(), in.begin(), out.begin(), n); },
       right}};
  auto const add = [&](std::string name, auto sort) {
    all.push_back(in_place(std::move(name), in, out, sort, right));
  };
  add("libscan in place", [&](Key* begin, Key* end) {
    libscan::cpu::sort_keys(on.threads(), begin, begin, end - begin);
  });
  if (n <= max_std_items) add("std", [](Key* begin, Key* end) { std::sort(begin, end); });
  hwy::Sorter const sorter;  // it allocates memory
  add("vqsort", [&](Key* begin, Key* end) {
    sorter(begin, static_cast<std::size_t>(end - begin), hwy::SortAscending{});
  });
  add("std par_unseq",
      [](Key* begin, Key* end) { std::sort(std::execution::par_unseq, begin, end); });
#ifdef LIBSCAN_BENCH_BOOST
  auto const threads = static_cast<std::uint32_t>(on.threads());
  add("boost spreadsort",
      [](Key* begin, Key* end) { boost::sort::spreadsort::integer_sort(begin, end); });
  add("boost block_indirect",
      [threads](Key* begin, Key* end) { boost::sort::block_indirect_sort(begin, end, threads); });
#endif
  for (library const& other : other_libraries()) {
    void (*sort)(Key const*, Key*, index_t) = nullptr;
    if constexpr (sizeof(Key) == 4) sort = other.sort_u32;
    if constexpr (sizeof(Key) == 8) sort = other.sort_u64;
    if (sort != nullptr) add_both_ways(all, other.name, in, out, sort, right);
  }
  now.run({"cpu", "sort keys, " + values, type_name<Key>(), n, bytes, std::move(all)});
}

using word = std::uint32_t;

/// The layout for sorting with the standard library.
using pair = key_and_value;

bool by_key(pair const& a, pair const& b) { return a.key < b.key; }

void sort_pairs(engine const& on, session const& now, std::string const& values, index_t n) {
  auto const keys = generated<word>(n, key_at<word>(values, n));
  auto const payload = generated<word>(n, value_at{});
  auto const in = generated<pair>(n, [&](index_t i) { return pair{keys[i], payload[i]}; });
  host_array<word> const keys_out(n), values_out(n);
  host_array<pair> const out(n), expected(n);
  std::fill(out.begin(), out.end(), pair{});
  for (auto const* each : {&keys_out, &values_out}) std::fill(each->begin(), each->end(), word{});
  std::copy(in.begin(), in.end(), expected.begin());
  std::stable_sort(expected.begin(), expected.end(), by_key);
  auto const sorted = [&] {
    bool equal = true;
    for (index_t i = 0; i < n; ++i) {
      equal = equal && expected[i] == pair{keys_out[i], values_out[i]};
    }
    return equal;
  };
  auto const right = [&] {
    bool const equal = std::equal(out.begin(), out.end(), expected.begin());
    std::fill(out.begin(), out.end(), pair{});
    return equal;
  };
  double const bytes = 68.0 * static_cast<double>(n);
  std::vector<contender> all{copies(n, sizeof(pair), bytes),
                             {"libscan",
                              [&] {
                                libscan::cpu::sort_pairs(on.threads(), keys.begin(),
                                                         keys_out.begin(), payload.begin(),
                                                         values_out.begin(), n);
                              },
                              sorted}};
  auto const add = [&](std::string name, auto sort) {
    all.push_back(in_place(std::move(name), in, out, sort, right));
  };
  if (n <= max_std_items) {
    add("std stable", [](pair* begin, pair* end) { std::stable_sort(begin, end, by_key); });
  }
  add("std par_unseq", [](pair* begin, pair* end) {
    std::stable_sort(std::execution::par_unseq, begin, end, by_key);
  });
#ifdef LIBSCAN_BENCH_BOOST
  auto const threads = static_cast<std::uint32_t>(on.threads());
  add("boost parallel_stable", [threads](pair* begin, pair* end) {
    boost::sort::parallel_stable_sort(begin, end, by_key, threads);
  });
#endif
  for (library const& other : other_libraries()) {
    if (other.sort_pairs == nullptr) continue;
    add_both_ways(all, other.name, in, out, other.sort_pairs, right);
  }
  now.run({"cpu", "sort pairs, " + values, "u32+u32", n, bytes, std::move(all)});
}

/// The positions that would sort keys. Competitors get positions in order already; other libraries
/// sort pairs of a key and its position.
void argsort(engine const& on, session const& now, std::string const& values, index_t n) {
  auto const keys = generated<word>(n, key_at<word>(values, n));
  auto const numbered = generated<pair>(n, [&](index_t i) {
    return pair{keys[i], static_cast<word>(i)};
  });
  auto const positions = generated<index_t>(n, [](index_t i) { return i; });
  host_array<index_t> const out(n), expected(n);
  host_array<pair> const pairs(n);
  auto const earlier = [&](index_t a, index_t b) { return keys[a] < keys[b]; };
  std::copy(positions.begin(), positions.end(), expected.begin());
  std::stable_sort(expected.begin(), expected.end(), earlier);
  std::fill(out.begin(), out.end(), index_t{-1});
  std::fill(pairs.begin(), pairs.end(), pair{});
  auto const right = [&] {
    bool const equal = std::equal(out.begin(), out.end(), expected.begin());
    std::fill(out.begin(), out.end(), index_t{-1});
    return equal;
  };
  auto const paired = [&] {
    bool const equal = std::equal(pairs.begin(), pairs.end(), expected.begin(),
                                  [](pair const& a, index_t b) { return a.value == b; });
    std::fill(pairs.begin(), pairs.end(), pair{});
    return equal;
  };
  // As for pairs, except that no positions come in and the resulting ones have 64 bits.
  double const bytes = 64.0 * static_cast<double>(n);
  std::vector<contender> all{
      copies(n, sizeof(pair), bytes),
      {"libscan", [&] { libscan::cpu::argsort(on.threads(), keys.begin(), out.begin(), n); },
       right}};
  auto const add = [&](std::string name, auto sort) {
    all.push_back(in_place(std::move(name), positions, out, sort, right));
  };
  if (n <= max_std_items) {
    add("std stable", [&](index_t* begin, index_t* end) { std::stable_sort(begin, end, earlier); });
  }
  add("std par_unseq", [&](index_t* begin, index_t* end) {
    std::stable_sort(std::execution::par_unseq, begin, end, earlier);
  });
  for (library const& other : other_libraries()) {
    if (other.sort_pairs == nullptr) continue;
    add_both_ways(all, other.name, numbered, pairs, other.sort_pairs, paired);
  }
  now.run({"cpu", "argsort, " + values, "u32", n, bytes, std::move(all)});
}

void sort(engine const& on, session const& now, std::string const& what, std::string const& type,
          std::string const& values, index_t n) {
  if (what == "keys" && type == "u32") return sort_keys<std::uint32_t>(on, now, values, n);
  if (what == "keys" && type == "u64") return sort_keys<std::uint64_t>(on, now, values, n);
  if (what == "pairs" && type == "u32") return sort_pairs(on, now, values, n);
  if (what == "argsort" && type == "u32") return argsort(on, now, values, n);
  throw invalid_argument(
      "scan-bench has no sort of " + what + " of " + type +
      " on the cpu engine; expected keys of u32 or u64, pairs or argsort of u32");
}

}  // namespace

void run_sorts(engine const& on, session const& now) {
  options const& wanted = now.wanted;
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24})) {
    for (std::string const& what : or_standard<std::string>(wanted.sorts, {"keys"})) {
      for (std::string const& type : or_standard<std::string>(wanted.types, {"u32"})) {
        for (std::string const& values : or_standard<std::string>(wanted.keys, {"uniform"})) {
          now.where_known([&] { sort(on, now, what, type, values, n); });
        }
      }
    }
  }
}

}  // namespace libscan::bench::cpu
