// SPDX-License-Identifier: Apache-2.0
// Sorts on the cpu engine beside the standard library's and VQSort, which uses one thread. As for
// the GPU, the bytes are the least that eight bits a pass permit.
#include <hwy/contrib/sort/vqsort.h>

#include <apps/radix_sort/radix_sort_cpu.hpp>
#include <bench/cpu/contenders.hpp>

namespace libscan::bench::cpu {

namespace {

/// Moves as many bytes as passes over these items do. The arrays must outlive the contender.
template <class T>
contender copies(host_array<T> const& to, host_array<T> const& from, double bytes) {
  double const once = 2.0 * static_cast<double>(from.size) * sizeof(T);
  return {"memcpy",
          [&to, &from, times = bytes / once] {
            auto const all = static_cast<double>(from.view().size_bytes());
            for (double left = times; left > 0; left -= 1) {
              parallel_memcpy(to.begin(), from.begin(),
                              static_cast<std::size_t>(all * std::min(left, 1.0)));
            }
          },
          {}};
}

template <class Key>
void sort_keys(engine const& on, session const& now, std::string const& values, index_t n) {
  auto const in = generated<Key>(n, key_at<Key>(values, n));
  host_array<Key> const out(n), expected(n), copied(n);
  for (auto const* each : {&out, &copied}) std::fill(each->begin(), each->end(), Key{});
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
      copies(copied, in, bytes),
      {"libscan", [&] { libscan::cpu::sort_keys(on.threads(), in.begin(), out.begin(), n); },
       right},
      {"std", by([](Key* begin, Key* end) { std::sort(begin, end); }), right},
      {"vqsort", by([](Key* begin, Key* end) {
         hwy::Sorter{}(begin, static_cast<std::size_t>(end - begin), hwy::SortAscending{});
       }),
       right},
      {"std par_unseq",
       by([](Key* begin, Key* end) { std::sort(std::execution::par_unseq, begin, end); }), right}};
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
  host_array<pair> const out(n), expected(n), copied(n);
  for (auto const* each : {&out, &copied}) std::fill(each->begin(), each->end(), pair{});
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
      copies(copied, in, bytes),
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
  for (library const& other : other_libraries()) {
    auto const sort = other.sort_pairs;
    if (sort == nullptr) continue;
    all.push_back(
        {other.name, by([sort](pair* begin, pair* end) { sort(begin, end - begin); }), right});
  }
  now.run({"cpu", "sort pairs, " + values, "u32+u32", n, bytes, std::move(all)});
}

void sort(engine const& on, session const& now, std::string const& what, std::string const& type,
          std::string const& values, index_t n) {
  if (what == "keys" && type == "u32") return sort_keys<std::uint32_t>(on, now, values, n);
  if (what == "keys" && type == "u64") return sort_keys<std::uint64_t>(on, now, values, n);
  if (what == "pairs" && type == "u32") return sort_pairs(on, now, values, n);
  throw invalid_argument("scan-bench has no sort of " + what + " of " + type +
                         " on the cpu engine; expected keys of u32 or u64, or pairs of u32");
}

}  // namespace

void run_sorts(engine const& on, session const& now) {
  options const& wanted = now.wanted;
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24})) {
    for (std::string const& what : or_standard<std::string>(wanted.sorts, {"keys"})) {
      for (std::string const& type : or_standard<std::string>(wanted.types, {"u32"})) {
        for (std::string const& values : or_standard<std::string>(wanted.keys, {"uniform"})) {
          sort(on, now, what, type, values, n);
        }
      }
    }
  }
}

}  // namespace libscan::bench::cpu
