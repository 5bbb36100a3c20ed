// SPDX-License-Identifier: Apache-2.0
// ParlayLib (Blelloch, Anderson & Dhulipala, "ParlayLib: A Toolkit for Parallel Algorithms on
// Shared-Memory Multicore Machines", SPAA 2020). Its calls return sequences of their own, whose
// memory it keeps from call to call.
#include <parlay/primitives.h>

#include <algorithm>
#include <bit>

#include <bench/cpu/libraries.hpp>

namespace libscan::bench::cpu {

namespace {

template <class T>
auto items(T* first, index_t n) {
  return parlay::make_slice(first, first + n);
}

template <class T>
void scan(scan_kind kind, T const* in, T* out, index_t n) {
  // The call that its own scans make, into existing memory.
  parlay::internal::scan_(
      items(in, n), items(out, n), parlay::plus<T>(),
      kind == scan_kind::inclusive ? parlay::internal::fl_scan_inclusive : parlay::no_flag);
}

template <class T>
T reduce(T const* in, index_t n) {
  return parlay::reduce(items(in, n), parlay::plus<T>());
}

index_t filter(std::uint32_t const* in, index_t n, std::uint32_t* out, std::uint32_t limit) {
  return static_cast<index_t>(parlay::filter_into_uninitialized(
      items(in, n), items(out, n), [=](std::uint32_t x) { return x < limit; }));
}

/// Whether item i begins a run.
auto run_heads(std::uint32_t const* in, index_t n) {
  return parlay::delayed_tabulate(static_cast<std::size_t>(n),
                                  [in](std::size_t i) { return i == 0 || in[i] != in[i - 1]; });
}

index_t unique(std::uint32_t const* in, index_t n, std::uint32_t* out) {
  return static_cast<index_t>(
      parlay::pack_into_uninitialized(items(in, n), run_heads(in, n), items(out, n)));
}

index_t run_length_encode(std::uint32_t const* in, index_t n, std::uint32_t* out,
                          index_t* lengths) {
  auto const begins = parlay::pack_index<index_t>(run_heads(in, n));
  parlay::parallel_for(0, begins.size(), [&](std::size_t r) {
    out[r] = in[begins[r]];
    lengths[r] = (r + 1 < begins.size() ? begins[r + 1] : n) - begins[r];
  });
  return static_cast<index_t>(begins.size());
}

/// By its counting sort, which takes a third of the time of two filters. With two outputs the
/// others are copied.
index_t split(split_call const& call) {
  auto const n = static_cast<std::size_t>(call.n);
  auto const by = [&](auto rejected) {
    auto const parts = parlay::delayed_tabulate(n, rejected);
    auto const begins = parlay::internal::count_sort<parlay::uninitialized_copy_tag>(
        items(call.in, call.n), items(call.out, call.n), parlay::make_slice(parts), 2);
    auto const kept = static_cast<index_t>(begins.first[1]);
    if (call.rejected != nullptr) {
      parlay::copy(items(call.out + kept, call.n - kept), items(call.rejected, call.n - kept));
    }
    return kept;
  };
  if (call.flags != nullptr) {
    return by([flags = call.flags](std::size_t i) -> std::size_t { return flags[i] == 0; });
  }
  return by(
      [in = call.in, limit = call.limit](std::size_t i) -> std::size_t { return in[i] >= limit; });
}

/// Stable. The calls that its own sorts make, into existing memory.
template <class Item, class Key>
void sort_by(Item const* in, Item* out, index_t n, Key key) {
  if (in == out) return parlay::internal::integer_sort_inplace(items(out, n), key);
  auto space = parlay::internal::uninitialized_sequence<Item>(static_cast<std::size_t>(n));
  parlay::internal::integer_sort_<std::false_type, parlay::uninitialized_copy_tag>(
      items(in, n), items(out, n), parlay::make_slice(space), key, 0, 0);
}

template <class Key>
void sort(Key const* in, Key* out, index_t n) {
  sort_by(in, out, n, [](Key key) { return key; });
}

void sort_pairs(key_and_value const* in, key_and_value* out, index_t n) {
  sort_by(in, out, n, [](key_and_value const& pair) { return pair.key; });
}

void split_by_key(key_and_value const* in, key_and_value* out, index_t n, int buckets,
                  index_t* offsets) {
  auto const keys = parlay::delayed_tabulate(
      static_cast<std::size_t>(n), [in](std::size_t i) { return std::size_t{in[i].key}; });
  auto const begins = parlay::internal::count_sort<parlay::uninitialized_copy_tag>(
      items(in, n), items(out, n), parlay::make_slice(keys), static_cast<std::size_t>(buckets));
  std::copy_n(begins.first.begin(), buckets, offsets);
  offsets[buckets] = n;
}

/// Sorts entries by row and column, and reduces those at the same place.
void to_rows(list_entry const* list, index_t n, sparse_matrix<float>& matrix) {
  int const column_bits = std::bit_width(static_cast<std::uint64_t>(matrix.columns - 1));
  auto const place = [column_bits](list_entry const& entry) {
    return static_cast<std::uint64_t>(entry.row()) << column_bits |
           static_cast<std::uint64_t>(entry.col());
  };
  auto const sorted = parlay::stable_integer_sort(items(list, n), place);
  auto const begins =
      parlay::pack_index<index_t>(parlay::delayed_tabulate(sorted.size(), [&](std::size_t k) {
        return k == 0 || place(sorted[k]) != place(sorted[k - 1]);
      }));
  auto const row_before = [&](std::size_t s) {
    return s == 0 ? -1 : sorted[static_cast<std::size_t>(begins[s - 1])].row();
  };
  matrix.indices.resize(begins.size());
  matrix.values.resize(begins.size());
  matrix.offsets.resize(static_cast<std::size_t>(matrix.rows) + 1);
  parlay::parallel_for(0, begins.size(), [&](std::size_t s) {
    auto const first = static_cast<std::size_t>(begins[s]);
    auto const end =
        s + 1 < begins.size() ? static_cast<std::size_t>(begins[s + 1]) : sorted.size();
    float sum = 0;
    for (std::size_t k = first; k < end; ++k) sum += sorted[k].value();
    matrix.indices[s] = sorted[first].col();
    matrix.values[s] = sum;
    for (index_t r = row_before(s) + 1; r <= sorted[first].row(); ++r) {
      matrix.offsets[static_cast<std::size_t>(r)] = static_cast<std::int64_t>(s);
    }
  });
  auto const rest = static_cast<std::ptrdiff_t>(row_before(begins.size()) + 1);
  std::fill(matrix.offsets.begin() + rest, matrix.offsets.end(),
            static_cast<std::int64_t>(begins.size()));
}

template <class T>
std::uint32_t const* histogram(T const* in, index_t n, index_t bins) {
  static parlay::sequence<std::uint32_t> counts;
  // Its helpers require a writable range; they do not write.
  counts = parlay::histogram_by_index<std::uint32_t>(items(const_cast<T*>(in), n),
                                                     static_cast<std::uint32_t>(bins));
  return counts.begin();
}

}  // namespace

library parlaylib() {
  library all;
  all.name = "parlaylib";
  all.scan_i32 = scan<std::int32_t>;
  all.scan_i64 = scan<std::int64_t>;
  all.scan_f32 = scan<float>;
  all.scan_f64 = scan<double>;
  all.reduce_i32 = reduce<std::int32_t>;
  all.reduce_f64 = reduce<double>;
  all.filter = filter;
  all.split = split;
  all.unique = unique;
  all.run_length_encode = run_length_encode;
  all.sort_u32 = sort<std::uint32_t>;
  all.sort_u64 = sort<std::uint64_t>;
  all.sort_pairs = sort_pairs;
  all.split_by_key = split_by_key;
  all.to_rows = to_rows;
  all.histogram_u8 = histogram<std::uint8_t>;
  all.histogram_u32 = histogram<std::uint32_t>;
  return all;
}

}  // namespace libscan::bench::cpu
