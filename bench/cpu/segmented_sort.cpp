// SPDX-License-Identifier: Apache-2.0
// Sorts within segments on the cpu engine, of keys and of keys with values, beside loops over the
// segments: the standard library's sort, on one thread and on all by oneTBB, or VQSort for segments
// that are long enough. As for the GPU, the bytes are those of a sort in one pass.
#include <hwy/contrib/sort/vqsort.h>

#include <bench/cpu/contenders.hpp>
#include <bench/segments.hpp>
#include <libscan/cpu/segmented_sort.hpp>

namespace libscan::bench::cpu {

namespace {

using word = std::uint32_t;

/// A call of VQSort takes as long as std::sort of a few dozen items.
constexpr index_t worth_vqsort = 64;

/// The layout for sorting with the standard library.
using pair = key_and_value;

/// Segments of one distribution. The cpu engine's offsets have 64 bits.
struct segments {
  std::vector<std::int32_t> narrow;
  std::vector<index_t> offsets;

  segments(std::string const& lengths, index_t n)
      : narrow(offsets_of(lengths, n)), offsets(narrow.begin(), narrow.end()) {}

  index_t count() const { return static_cast<index_t>(offsets.size()) - 1; }
  double bytes() const { return static_cast<double>(offsets.size() * sizeof(index_t)); }
};

/// Items, and their sorted order.
template <class Item>
struct sorted_items {
  segments const& within;
  host_array<Item> in, out, expected;

  template <class At, class Less>
  sorted_items(segments const& within, index_t n, At at, Less less)
      : within(within), in(generated<Item>(n, at)), out(n), expected(n) {
    std::copy(in.begin(), in.end(), expected.begin());
    sort_in_segments(expected, within.narrow, less);
    spoil();
  }

  /// Overwrites the output, so that the next contender must write it all.
  void spoil() const { std::fill(out.begin(), out.end(), Item{}); }

  bool right() const {
    bool const equal = std::equal(out.begin(), out.end(), expected.begin());
    spoil();
    return equal;
  }

  /// Sorts each of the segments [first, last).
  template <class Sort>
  void sort_segments(index_t first, index_t past, Sort const& sort) const {
    for (index_t s = first; s < past; ++s) {
      sort(out.begin() + within.offsets[s], out.begin() + within.offsets[s + 1]);
    }
  }

  /// The plain loop, and the same loop on all threads.
  template <class Sort>
  contender by_loop(std::string name, Sort sort) const {
    auto const all = [this, sort](Item*, Item*) { sort_segments(0, within.count(), sort); };
    return in_place(std::move(name), in, out, all, [this] { return right(); });
  }
  template <class Sort>
  contender by_threads(std::string name, Sort sort) const {
    auto const all = [this, sort](Item*, Item*) {
      tbb::parallel_for(tbb::blocked_range<index_t>(0, within.count()),
                        [&](auto const& part) { sort_segments(part.begin(), part.end(), sort); });
    };
    return in_place(std::move(name), in, out, all, [this] { return right(); });
  }
};

void sort_keys(engine const& on, session const& now, std::string const& operation,
               std::string const& values, segments const& within, index_t n) {
  sorted_items<word> const data(within, n, key_at<word>(values, n), std::less<word>{});
  auto const by_std = [](word* begin, word* end) { std::sort(begin, end); };
  auto const by_vqsort = [](word* begin, word* end) {
    if (end - begin < worth_vqsort) return std::sort(begin, end);
    thread_local hwy::Sorter const sorter;  // it allocates memory
    sorter(begin, static_cast<std::size_t>(end - begin), hwy::SortAscending{});
  };
  double const bytes = segmented_sort_bytes(n, sizeof(word), within.bytes());
  now.run({"cpu",
           operation,
           "u32",
           n,
           bytes,
           {copy_of(bytes),
            {"libscan",
             [&] {
               libscan::cpu::sort_keys_in_segments(on.threads(), data.in.begin(), data.out.begin(),
                                                   n, within.offsets.data(), within.count());
             },
             [&] { return data.right(); }},
            data.by_loop("std", by_std),
            data.by_threads("tbb", by_std),
            data.by_threads("vqsort tbb", by_vqsort)}});
}

void sort_pairs(engine const& on, session const& now, std::string const& operation,
                std::string const& values, segments const& within, index_t n) {
  key_at<word> const at(values, n);
  auto const keys = generated<word>(n, at);
  auto const payload = generated<word>(n, value_at{});
  host_array<word> const keys_out(n), values_out(n);
  auto const spoil = [&] {
    for (auto const* each : {&keys_out, &values_out}) std::fill(each->begin(), each->end(), word{});
  };
  spoil();
  auto const earlier = [](pair const& a, pair const& b) { return a.key < b.key; };
  sorted_items<pair> const data(
      within, n,
      [&](index_t i) {
        return pair{keys[i], payload[i]};
      },
      earlier);
  auto const sorted = [&] {
    bool equal = true;
    for (index_t i = 0; i < n; ++i) {
      equal = equal && data.expected[i] == pair{keys_out[i], values_out[i]};
    }
    spoil();
    return equal;
  };
  auto const by_std = [earlier](pair* begin, pair* end) { std::stable_sort(begin, end, earlier); };
  double const bytes = segmented_sort_bytes(n, sizeof(pair), within.bytes());
  now.run({"cpu",
           operation,
           "u32+u32",
           n,
           bytes,
           {copy_of(bytes),
            {"libscan",
             [&] {
               libscan::cpu::sort_pairs_in_segments(on.threads(), keys.begin(), keys_out.begin(),
                                                    payload.begin(), values_out.begin(), n,
                                                    within.offsets.data(), within.count());
             },
             sorted},
            data.by_loop("std stable", by_std),
            data.by_threads("tbb stable", by_std)}});
}

}  // namespace

void run_segmented_sorts(engine const& on, session const& now) {
  options const& wanted = now.wanted;
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24})) {
    for (std::string const& lengths : or_standard(wanted.lengths, names_of(sort_length_axis))) {
      segments const within(lengths, n);
      for (std::string const& what : or_standard<std::string>(wanted.sorts, {"keys"})) {
        for (std::string const& values : or_standard<std::string>(wanted.keys, {"uniform"})) {
          auto const sort = what == "pairs" ? sort_pairs : sort_keys;
          sort(on, now, segmented_sort_name(what, lengths, values), values, within, n);
        }
      }
    }
  }
}

}  // namespace libscan::bench::cpu
