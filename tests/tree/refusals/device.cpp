// SPDX-License-Identifier: Apache-2.0
// What device calls refuse when they are compiled: here for the executor.
#include <functional>

#include <libscan/adjacent_difference.cuh>
#include <libscan/binary_scan.cuh>
#include <libscan/filter.cuh>
#include <libscan/reduce.cuh>
#include <libscan/runs.cuh>
#include <libscan/scan.cuh>
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_sort.cuh>
#include <libscan/sorted_histogram.cuh>
#include <libscan/split.cuh>
#include <libscan/split_by_key.cuh>

using namespace libscan;

struct no_default {
  explicit no_default(int number) : value(number) {}
  int value;
};
struct join {
  using value_type = no_default;
  no_default identity() const { return no_default(0); }
  no_default operator()(no_default a, no_default) const { return a; }
};
struct plain {
  int value;
};
template <int Size>
struct bytes {
  char at[Size] = {};
  bytes() = default;
  bytes(int) {}
};
template <int Size>
struct join_bytes {
  using value_type = bytes<Size>;
  static constexpr bytes<Size> identity() { return {}; }
  bytes<Size> operator()(bytes<Size> const&, bytes<Size> const& b) const { return b; }
};
struct holds_memory {
  holds_memory() = default;
  holds_memory(holds_memory const&);
};
struct any {
  template <class T>
  bool operator()(T const&) const {
    return true;
  }
};
auto const smaller = [](int a, int b) { return a < b ? a : b; };

// refused: d_result points to another type than the operator accumulates in
void sum(workspace& ws, int const* in, long* out) { reduce(ws, in, out, 4, smaller, 0); }

// refused: device calls accumulate in values of up to 2 KiB
void sum(workspace& ws, int const* in, bytes<2049>* out) {
  reduce(ws, in, out, 4, join_bytes<2049>{});
}

// refused: device calls take items of up to 2 KiB
void keep(workspace& ws, bytes<4096> const* in, bytes<4096>* out, std::uint8_t const* flags) {
  filter(ws, in, out, 4, byte_mask{flags}, nullptr);
}

// refused: device calls take items of up to 2 KiB
void sort(workspace& ws, int const* in, int* out, bytes<4096> const* values, bytes<4096>* moved) {
  sort_pairs(ws, in, out, values, moved, 4);
}

// taken
void keep(workspace& ws, bytes<2048> const* in, bytes<2048>* out, std::uint8_t const* flags) {
  filter(ws, in, out, 4, byte_mask{flags}, nullptr);
}

// refused: this call needs an init: the identity of the operator is not known
void sum(workspace& ws, int const* in, int* out) { exclusive_scan(ws, in, out, 4, smaller); }

// refused: neighbors cannot be combined as op(earlier, later)
void differences(workspace& ws, plain const* in, int* out) { adjacent_difference(ws, in, out, 4); }

// refused: the items are volatile
void scan(workspace& ws, int const* in, int volatile* out) {
  inclusive_scan(ws, in, out, 4, plus<int>{});
}

// refused: the items are volatile
void keep(workspace& ws, int const* in, int volatile* out, std::uint8_t const* flags) {
  filter(ws, in, out, 4, byte_mask{flags}, nullptr);
}

// refused: the items are volatile
void sum(workspace& ws, int const volatile* in, int* out) { reduce(ws, in, out, 4, plus<int>{}); }

// refused: their type needs a default constructor
void sum(workspace& ws, no_default const* in, no_default* out) { reduce(ws, in, out, 4, join{}); }

// refused: their type needs a default constructor
void keep(workspace& ws, no_default const* in, no_default* out, std::uint8_t const* flags) {
  filter(ws, in, out, 4, byte_mask{flags}, nullptr);
}

// refused: their type needs a default constructor
void sort(workspace& ws, int const* in, int* out, no_default const* values, no_default* moved) {
  sort_pairs(ws, in, out, values, moved, 4);
}

// refused: this call needs an init: the identity of the operator is not known
void sum(workspace& ws, int const* in, int* out) {
  segmented_reduce(ws, in, out, equal_segments{2}, 4, smaller);
}

// refused: the items do not convert to the type that the operator accumulates in
void sum(workspace& ws, plain const* in, int* out) {
  inclusive_scan(ws, in, out, 4, plus<int>{}, nullptr, 0);
}

// refused: the output cannot be written
void sum(workspace& ws, int const* in, int const* out) {
  inclusive_scan(ws, in, out, 4, plus<int>{}, nullptr, 0);
}

// refused: the output cannot be written
void sum(workspace& ws, int const* in, holds_memory* out) {
  inclusive_scan(ws, in, out, 4, plus<int>{}, nullptr, 0);
}

// refused: the items do not convert to the type that the operator accumulates in
void sum(workspace& ws, plain const* in, int* out) {
  reverse_exclusive_scan(ws, in, out, 4, plus<int>{}, nullptr, 0);
}

// refused: the output cannot be written
void sum(workspace& ws, int const* in, int const* out) {
  reverse_exclusive_scan(ws, in, out, 4, plus<int>{}, nullptr, 0);
}

// refused: the output cannot be written
void sum(workspace& ws, int const* in, holds_memory* out) {
  reverse_exclusive_scan(ws, in, out, 4, plus<int>{}, nullptr, 0);
}

// refused: the items do not convert to the type that the operator accumulates in
void sum(workspace& ws, plain const* in, int* out) {
  inclusive_segmented_scan(ws, in, out, equal_segments{2}, 4, plus<int>{}, 0);
}

// refused: the output cannot be written
void sum(workspace& ws, int const* in, int const* out) {
  inclusive_segmented_scan(ws, in, out, equal_segments{2}, 4, plus<int>{}, 0);
}

// refused: the output cannot be written
void sum(workspace& ws, int const* in, holds_memory* out) {
  inclusive_segmented_scan(ws, in, out, equal_segments{2}, 4, plus<int>{}, 0);
}

// refused: the items do not convert to the type that the operator accumulates in
void sum(workspace& ws, plain const* in, int* out) {
  segmented_reduce(ws, in, out, equal_segments{2}, 4, plus<int>{}, nullptr, 0);
}

// refused: the output cannot be written
void sum(workspace& ws, int const* in, int const* out) {
  segmented_reduce(ws, in, out, equal_segments{2}, 4, plus<int>{}, nullptr, 0);
}

// refused: the output cannot be written
void sum(workspace& ws, int const* in, holds_memory* out) {
  segmented_reduce(ws, in, out, equal_segments{2}, 4, plus<int>{}, nullptr, 0);
}

// refused: the items do not convert to the type that the operator accumulates in
void sum(workspace& ws, plain const* in, int* out) {
  segmented_reduce(ws, in, out, segment_ranges<int>{}, 4, plus<int>{}, nullptr, 0);
}

// refused: the output cannot be written
void sum(workspace& ws, int const* in, int const* out) {
  segmented_reduce(ws, in, out, segment_ranges<int>{}, 4, plus<int>{}, nullptr, 0);
}

// refused: the output cannot be written
void sum(workspace& ws, int const* in, holds_memory* out) {
  segmented_reduce(ws, in, out, segment_ranges<int>{}, 4, plus<int>{}, nullptr, 0);
}

// refused: the items do not convert to the type that the operator accumulates in
void sum(workspace& ws, plain const* in, int* out) {
  inclusive_segmented_scan(ws, in, out, segment_ranges<int>{}, 4, plus<int>{}, 0);
}

// refused: the output cannot be written
void sum(workspace& ws, int const* in, int const* out) {
  inclusive_segmented_scan(ws, in, out, segment_ranges<int>{}, 4, plus<int>{}, 0);
}

// refused: the output cannot be written
void sum(workspace& ws, int const* in, holds_memory* out) {
  inclusive_segmented_scan(ws, in, out, segment_ranges<int>{}, 4, plus<int>{}, 0);
}

// refused: the items do not convert to the type that the operator accumulates in
void sum(workspace& ws, plain const* in, int* out) { reduce(ws, in, out, 4, plus<int>{}, 0); }

// refused: the items do not convert to the type that the operator accumulates in
void sum(workspace& ws, int const* keys, plain const* in, int* out) {
  reduce_by_key(ws, keys, in, out, out, 4, plus<int>{}, nullptr, equal_values{}, 0);
}

// refused: the output cannot be written
void sum(workspace& ws, int const* in, int* out) {
  reduce_by_key(ws, in, in, in, out, 4, plus<int>{}, nullptr, equal_values{}, 0);
}

// refused: the output cannot be written
void sum(workspace& ws, int const* in, int* out) {
  reduce_by_key(ws, in, in, out, in, 4, plus<int>{}, nullptr, equal_values{}, 0);
}

// refused: neighbors cannot be compared by ==
void sum(workspace& ws, plain const* keys, plain* unique, int* out) {
  reduce_by_key(ws, keys, out, unique, out, 4, plus<int>{}, nullptr, equal_values{}, 0);
}

// refused: neighbors cannot be compared by ==
void sum(workspace& ws, plain const* keys, int* out) {
  inclusive_segmented_scan(ws, out, out, segment_keys{keys}, 4, plus<int>{}, 0);
}

// refused: neighbors cannot be compared as equal(earlier, later)
void sum(workspace& ws, int const* keys, int* out) {
  segmented_reduce(ws, keys, out, segment_keys{keys, any{}}, 4, plus<int>{}, nullptr, 0);
}

// refused: the predicate cannot be called as keep(item)
void keep(workspace& ws, int const* in, int* out) { filter(ws, in, out, 4, smaller, nullptr); }

// refused: the output cannot be written
void keep(workspace& ws, int const* in, int const* out) { filter(ws, in, out, 4, any{}, nullptr); }

// refused: the output cannot be written
void keep(workspace& ws, int const* in, index_t const* out) {
  filter_indices(ws, in, out, 4, any{}, nullptr);
}

// refused: the output cannot be written
void keep(workspace& ws, int const* in, int const* out) { split(ws, in, out, 4, any{}, nullptr); }

// refused: neighbors cannot be compared by ==
void keep(workspace& ws, plain const* in, plain* out) { unique(ws, in, out, 4, nullptr); }

// refused: this call moves items by their bytes
void sort(workspace& ws, int const* in, int* out, holds_memory const* values, holds_memory* moved) {
  sort_pairs(ws, in, out, values, moved, 4);
}

// refused: this call moves items by their bytes
void sort(workspace& ws, int const* in, int* out, holds_memory const* values, holds_memory* moved) {
  segmented_sort_pairs(ws, in, out, values, moved, 4, segment_ranges<int>{});
}

// refused: this call moves items by their bytes
void sort(workspace& ws, int const* in, int* out, holds_memory const* values, holds_memory* moved) {
  split_by_key(ws, in, out, values, moved, nullptr, 4, 2);
}

// refused: keys are sorted by a sort_order of their own type
void sort(workspace& ws, int const* in, int* out) { sort_keys(ws, in, out, 4, std::greater<>{}); }

// refused: keys are sorted by a sort_order of their own type
void sort(workspace& ws, int const* in, int* out, int const* offsets) {
  segmented_sort_keys(ws, in, out, 4, offsets, 2, std::greater<>{});
}

// refused: keys of a type of your own need a decomposition
void sort(workspace& ws, plain const* in, plain* out) { sort_keys(ws, in, out, 4); }

// refused: positions are integers of 32 or 64 bits
void sort(workspace& ws, int const* in, short* out) { argsort(ws, in, out, 4); }

// refused: offsets are integers
void sort(workspace& ws, int const* in, int* out, float const* offsets) {
  segmented_sort_keys(ws, in, out, 4, offsets, 2);
}

// refused: ranks are integers of 32 or 64 bits
void rank(workspace& ws, std::uint8_t const* flags, short* ranks) {
  exclusive_binary_scan(ws, byte_mask{flags}, ranks, 4);
}

// refused: counts are integers of 32 or 64 bits
void count(workspace& ws, int const* in, double* counts, sample_totals* totals) {
  sorted_histogram(ws, in, counts, integer_bins<int>(0, 3), 4, totals);
}

// refused: weights are floats or doubles, and so are their sums
void count(workspace& ws, int const* in, int* sums, sample_totals* totals) {
  weighted_histogram(ws, in, in, sums, integer_bins<int>(0, 3), 4, totals);
}
