// SPDX-License-Identifier: Apache-2.0
// What device calls refuse when they are compiled: here for the executor.
#include <apps/filter/filter.cuh>
#include <apps/radix_sort/radix_sort.cuh>
#include <libscan/device/reduce.cuh>
#include <libscan/device/segmented_reduce.cuh>

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
auto const smaller = [](int a, int b) { return a < b ? a : b; };

// refused: d_result points to another type than the operator accumulates in
void sum(workspace& ws, int const* in, long* out) { reduce(ws, in, out, 4, smaller, 0); }

// refused: this call needs an init: the identity of the operator is not known
void sum(workspace& ws, int const* in, int* out) { exclusive_scan(ws, in, out, 4, smaller); }

// refused: the items are volatile
void sum(workspace& ws, int const volatile* in, int* out) { reduce(ws, in, out, 4, plus<int>{}); }

// refused: their type needs a default constructor
void sum(workspace& ws, no_default const* in, no_default* out) { reduce(ws, in, out, 4, join{}); }

// refused: their type needs a default constructor
void keep(workspace& ws, no_default const* in, no_default* out, std::uint8_t const* flags) {
  filter_flagged(ws, in, flags, out, 4, nullptr);
}

// refused: their type needs a default constructor
void sort(workspace& ws, int const* in, int* out, no_default const* values, no_default* moved) {
  sort_pairs(ws, in, out, values, moved, 4);
}

// refused: this call needs an init: the identity of the operator is not known
void sum(workspace& ws, int const* in, int* out) {
  segmented_reduce(ws, in, out, equal_segments{2}, 4, smaller);
}
