// SPDX-License-Identifier: Apache-2.0
// Sorts on the cpu engine beside the standard library's, Boost.Sort's, and VQSort, which uses one
// thread. As for the GPU, the bytes are the least that eight bits a pass permit.
#include <hwy/contrib/sort/vqsort.h>

#if __has_include(<boost/sort/sort.hpp>)
#define LIBSCAN_BENCH_BOOST
#include <boost/sort/sort.hpp>
#endif

#include <cmath>
#include <numeric>

#include <apps/radix_sort/radix_sort_cpu.hpp>
#include <bench/cpu/contenders.hpp>

namespace libscan::bench::cpu {

namespace {

/// Moves as many bytes as passes over these items do, items of this size at a time.
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
  auto const by = [&](auto sort) {
    return [&, sort] {
      std::copy(in.begin(), in.end(), out.begin());
      sort(out.begin(), out.end());
    };
  };
  double const bytes = static_cast<double>(n) * sizeof(Key) * (1 + 2 * sizeof(Key));
  std::vector<contender> all{
      copies(n, sizeof(Key), bytes),
      {"libscan", [&] { libscan::cpu::sort_keys(on.threads(), in.begin(), out.begin(), n); },
       right},
      {"std", by([](Key* begin, Key* end) { std::sort(begin, end); }), right},
      {"vqsort", by([](Key* begin, Key* end) {
         hwy::Sorter{}(begin, static_cast<std::size_t>(end - begin), hwy::SortAscending{});
       }),
       right},
      {"std par_unseq",
       by([](Key* begin, Key* end) { std::sort(std::execution::par_unseq, begin, end); }), right}};
#ifdef LIBSCAN_BENCH_BOOST
  auto const threads = static_cast<std::uint32_t>(on.threads());
  all.push_back(
      {"boost spreadsort",
       by([](Key* begin, Key* end) { boost::sort::spreadsort::integer_sort(begin, end); }), right});
  all.push_back({"boost block_indirect", by([threads](Key* begin, Key* end) {
                   boost::sort::block_indirect_sort(begin, end, threads);
                 }),
                 right});
#endif
  for (library const& other : other_libraries()) {
    void (*sort)(Key*, index_t) = nullptr;
    if constexpr (sizeof(Key) == 4) sort = other.sort_u32;
    if constexpr (sizeof(Key) == 8) sort = other.sort_u64;
    if (sort == nullptr) continue;
    all.push_back(
        {other.name, by([sort](Key* begin, Key* end) { sort(begin, end - begin); }), right});
  }
  now.run({"cpu", "sort keys, " + values, type_name<Key>(), n, bytes, std::move(all)});
}

using word = std::uint32_t;

/// As people who sort them by the standard library hold them.
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
  auto const right = [&] { return std::equal(out.begin(), out.end(), expected.begin()); };
  auto const by = [&](auto sort) {
    return [&, sort] {
      std::copy(in.begin(), in.end(), out.begin());
      sort(out.begin(), out.end());
    };
  };
  double const bytes = 68.0 * static_cast<double>(n);
  std::vector<contender> all{
      copies(n, sizeof(pair), bytes),
      {"libscan",
       [&] {
         libscan::cpu::sort_pairs(on.threads(), keys.begin(), keys_out.begin(), payload.begin(),
                                  values_out.begin(), n);
       },
       sorted},
      {"std stable", by([](pair* begin, pair* end) { std::stable_sort(begin, end, by_key); }),
       right},
      {"std par_unseq", by([](pair* begin, pair* end) {
         std::stable_sort(std::execution::par_unseq, begin, end, by_key);
       }),
       right}};
#ifdef LIBSCAN_BENCH_BOOST
  auto const threads = static_cast<std::uint32_t>(on.threads());
  all.push_back({"boost parallel_stable", by([threads](pair* begin, pair* end) {
                   boost::sort::parallel_stable_sort(begin, end, by_key, threads);
                 }),
                 right});
#endif
  for (library const& other : other_libraries()) {
    auto const sort = other.sort_pairs;
    if (sort == nullptr) continue;
    all.push_back(
        {other.name, by([sort](pair* begin, pair* end) { sort(begin, end - begin); }), right});
  }
  now.run({"cpu", "sort pairs, " + values, "u32+u32", n, bytes, std::move(all)});
}

/// The positions that would sort keys. Other libraries sort pairs of a key and its position.
void argsort(engine const& on, session const& now, std::string const& values, index_t n) {
  auto const keys = generated<word>(n, key_at<word>(values, n));
  auto const numbered = generated<pair>(n, [&](index_t i) {
    return pair{keys[i], static_cast<word>(i)};
  });
  host_array<index_t> const out(n), expected(n);
  host_array<pair> const pairs(n);
  auto const earlier = [&](index_t a, index_t b) { return keys[a] < keys[b]; };
  auto const in_order = [&](auto sort) {
    return [&, sort] {
      std::iota(out.begin(), out.end(), index_t{0});
      sort(out.begin(), out.end());
    };
  };
  in_order([&](auto begin, auto end) { std::stable_sort(begin, end, earlier); })();
  std::copy(out.begin(), out.end(), expected.begin());
  std::fill(out.begin(), out.end(), index_t{-1});
  std::fill(pairs.begin(), pairs.end(), pair{});
  auto const right = [&] {
    bool const equal = std::equal(out.begin(), out.end(), expected.begin());
    std::fill(out.begin(), out.end(), index_t{-1});
    return equal;
  };
  auto const paired = [&] {
    return std::equal(pairs.begin(), pairs.end(), expected.begin(),
                      [](pair const& a, index_t b) { return a.value == b; });
  };
  // As of pairs, but no positions come in, and those that go out are of 64 bits.
  double const bytes = 64.0 * static_cast<double>(n);
  std::vector<contender> all{
      copies(n, sizeof(pair), bytes),
      {"libscan", [&] { libscan::cpu::argsort(on.threads(), keys.begin(), out.begin(), n); },
       right},
      {"std stable", in_order([&](auto begin, auto end) { std::stable_sort(begin, end, earlier); }),
       right},
      {"std par_unseq", in_order([&](auto begin, auto end) {
         std::stable_sort(std::execution::par_unseq, begin, end, earlier);
       }),
       right}};
  for (library const& other : other_libraries()) {
    auto const sort = other.sort_pairs;
    if (sort == nullptr) continue;
    all.push_back({other.name,
                   [&, sort] {
                     std::copy(numbered.begin(), numbered.end(), pairs.begin());
                     sort(pairs.begin(), n);
                   },
                   paired});
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
