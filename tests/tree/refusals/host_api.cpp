// SPDX-License-Identifier: Apache-2.0
// What the host APIs refuse when they are compiled, since it is not in the libraries to be linked.
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include <libscan/device_calls.hpp>
#include <libscan/filter.hpp>
#include <libscan/filter_device_calls.hpp>
#include <libscan/histogram.hpp>
#include <libscan/histogram_device_calls.hpp>
#include <libscan/libscan.hpp>
#include <libscan/predicate_parser.hpp>
#include <libscan/radix_sort.hpp>
#include <libscan/segmented.hpp>
#include <libscan/segmented_sort.hpp>
#include <libscan/selection.hpp>
#include <libscan/sort_device_calls.hpp>
#include <libscan/split_by_key.hpp>
#include <libscan/spmv.hpp>

using namespace libscan;
engine const on = engine::cpu(1);
struct point {
  float x, y;
};
std::vector<index_t> offsets(3);

// taken
auto call(coo_matrix<std::int64_t> const& list) { return to_rows(on, list); }

// refused: spmv.hpp is compiled for float, double and std::int64_t
auto call(coo_matrix<std::complex<float>> const& list) { return to_rows(on, list); }

// refused: spmv.hpp is compiled for float, double and std::int64_t
auto call(coo_matrix<int> const& list) { return to_rows(on, list); }

// refused: spmv.hpp is compiled for float, double and std::int64_t
auto call(sparse_matrix<int> const& matrix) { return prepared_matrix<int>(on, matrix); }

// refused: predicates, filter.hpp and selection.hpp are compiled for
auto call() { return parse_predicate<long long>("> 3"); }

// refused: predicates, filter.hpp and selection.hpp are compiled for
auto call() { return parse_predicate<char>("> 3"); }

// refused: predicates, filter.hpp and selection.hpp are compiled for
auto call(std::vector<long double>& x) { return unique<long double>(on, x, x); }

// taken
auto call(std::vector<long long>& x, item_mask const& mask) { return filter(on, x, x, mask); }

// refused: for others that are trivially copyable and aligned to their size
auto call(std::vector<point>& x, item_mask const& mask) { return filter(on, x, x, mask); }

// refused: for others that are trivially copyable and aligned to their size
void call(device_queue const& queue, point* x, item_mask const& mask, index_t* d_count) {
  filter(queue, device_span<point>{x, 3}, x, mask, d_count);
}

// refused: predicates, filter.hpp and selection.hpp are compiled for
auto call(std::vector<char>& x) { return split_by_bit<char>(on, x, x, 1); }

// refused: radix_sort.hpp is compiled for
void call(std::vector<std::complex<float>>& x) { sort_keys(on, x, x); }

// refused: radix_sort.hpp is compiled for
void call(std::vector<long double>& x) { argsort(on, x, offsets); }

// refused: radix_sort.hpp is compiled for
void call(std::vector<std::complex<float>>& x) { segmented_sort_keys(on, x, x, offsets); }

// taken
void call(std::vector<float>& x, std::vector<int> const& few) {
  segmented_sort_keys(on, x, x, few);
  segmented_argsort(on, x, offsets, segmentation::of_length(3));
}

// refused: For anything else include libscan/scan.cuh
void call(device_queue const& queue, int* x) {
  inclusive_scan(queue, device_span<int>{x, 3}, x, [](int a, int b) { return a * b; });
}

// refused: For anything else include libscan/scan.cuh
void call(device_queue const& queue, int* x) {
  reduce(queue, device_span<int>{x, 3}, x, std::multiplies<int>{});
}

// refused: For anything else include libscan/scan.cuh
void call(device_queue const& queue, int* x) {
  segmented_reduce(queue, device_span<int>{x, 3}, x, segmentation::of_length(3),
                   [](int a, int b) { return a < b ? b : a; });
}

// taken
void call(device_queue const& queue, int* x, long* y) {
  segmented_reduce(queue, device_span<int>{x, 3}, x, segmentation::of_length(3), std::plus<>{});
  inclusive_scan(queue, device_span<int>{x, 3}, y, plus<long>{}, nullptr, 3);
  inclusive_scan(queue, device_span<int>{x, 3}, x, std::plus<>{}, nullptr, 3);
}

// taken
void call(device_queue const& queue, bool const* x, index_t* y, float16 const* z, float16* halves) {
  exclusive_scan(queue, device_span<bool const>{x, 3}, y);
  reduce(queue, device_span<bool const>{x, 3}, y);
  inclusive_scan(queue, device_span<float16 const>{z, 3}, halves, plus<float>{});
}

// refused: writes results of the type in which the operator accumulates
void call(device_queue const& queue, int* x) {
  inclusive_scan(queue, device_span<int>{x, 3}, x, plus<long>{});
}

// refused: an init in device memory is of the type in which the operator accumulates
void call(device_queue const& queue, int* x, long* y) {
  inclusive_scan(queue, device_span<int>{x, 3}, y, plus<long>{}, nullptr, device_init<int>{x});
}

// taken
void call(device_queue const& queue, int* x, int* y, point* values, point* moved) {
  sort_pairs(queue, device_span<int>{x, 3}, y, values, moved);
  segmented_sort_keys(queue, device_span<int>{x, 3}, y, segmentation::of_length(3));
  segmented_sort_keys(queue, device_span<int>{x, 3}, y, std::span<int const>(x, 3));
}

// refused: sorts copy values by their bytes
void call(device_queue const& queue, int* x, int* y, std::string* values) {
  sort_pairs(queue, device_span<int>{x, 3}, y, values, values);
}

// refused: For an equality of your own include libscan/segmented_reduce.cuh
void call(device_queue const& queue, int* x, int* y) {
  reduce_by_key(queue, x, device_span<int>{x, 3}, y, y, plus<int>{}, nullptr, std::less<>{});
}

// refused: For a predicate of your own include libscan/filter.cuh or libscan/split.cuh in CUDA code
void call(device_queue const& queue, int* x) {
  filter(
      queue, device_span<int>{x, 3}, x, [](int a) { return a < 2; }, nullptr);
}

// refused: For a predicate of your own include libscan/filter.cuh or libscan/split.cuh in CUDA code
void call(device_queue const& queue, int* x, index_t* d_count) {
  count_if(
      queue, device_span<int>{x, 3}, [](int a) { return a < 2; }, d_count);
}

// refused: For a predicate of your own include libscan/filter.cuh or libscan/split.cuh in CUDA code
void call(device_queue const& queue, int* x, int* y) {
  split(
      queue, device_span<int>{x, 3}, y, [](int a) { return a < 2; }, nullptr);
}

// refused: For an equality of your own include libscan/runs.cuh in CUDA code
void call(device_queue const& queue, int* x) {
  unique(queue, device_span<int>{x, 3}, x, nullptr, std::equal_to<>{});
}

// refused: For an equality of your own include libscan/runs.cuh in CUDA code
void call(device_queue const& queue, int* x, int* y, index_t* z) {
  run_length_encode(queue, device_span<int>{x, 3}, y, z, z, std::equal_to<>{});
}

// refused: split_by_bit: keys are integers
void call(device_queue const& queue, float* x, float* y) {
  split_by_bit(queue, device_span<float>{x, 3}, y, 2, nullptr);
}

// refused: radix_sort.hpp is compiled for
void call(device_queue const& queue, point* x) { sort_keys(queue, device_span<point>{x, 3}, x); }

// refused: For a bucket of your own include libscan/split_by_key.cuh in CUDA code
void call(device_queue const& queue, float* x, float* y) {
  split_by_key(queue, device_span<float>{x, 3}, y, std::span<index_t>());
}

// refused: For other rules include libscan/histogram.cuh in CUDA code
void call(device_queue const& queue, float* x, std::uint64_t* counts) {
  histogram(
      queue, device_span<float>{x, 3}, counts, [](float) { return 0; }, nullptr);
}

// refused: For other items include libscan/scan.cuh in CUDA code
void call(engine const& here) { device_workspace_bytes<point>(here, 3); }

// refused: selection.hpp: inputs and outputs of a call must hold items of one type
void call(std::vector<int> const& x, std::vector<long>& y) { unique(on, x, y); }

// refused: offsets are integers of 32 or 64 bits
void call(std::vector<float>& x, std::vector<short> const& few) {
  segmented_sort_keys(on, x, x, few);
}

// refused: sorts copy values by their bytes
void call(std::vector<int>& x, std::vector<std::string>& values) {
  sort_pairs(on, x, x, values, values);
}

// refused: sorts copy values by their bytes
void call(std::vector<int>& x, std::vector<std::string>& values) {
  segmented_sort_pairs(on, x, x, values, values, offsets);
}

// refused: sorts copy values by their bytes
void call(std::vector<int>& x, std::vector<std::string>& values) {
  split_by_key(on, x, x, values, values, offsets);
}

// refused: split_by_key: keys must be integers
void call(std::vector<float>& x) { split_by_key(on, x, x, offsets); }

// refused: histogram.hpp is compiled for
void call(std::vector<long double>& x) { histogram(on, x, offsets, integer_bins<char>(0, 2)); }

// refused: libscan.hpp is compiled for
void call(std::vector<std::complex<float>>& x) {
  inclusive_scan(on, x, x, plus<std::complex<float>>{});
}

// taken
void call(device_queue const& queue, std::complex<float>* x) {
  inclusive_scan(queue, device_span<std::complex<float>>{x, 3}, x);
}

// refused: for complex numbers of floats or doubles, and plus. For anything else include
void call(device_queue const& queue, std::complex<float>* x) {
  inclusive_scan(queue, device_span<std::complex<float>>{x, 3}, x, std::plus<>{});
}

// refused: for complex numbers of floats or doubles, and plus. For anything else include
void call(device_queue const& queue, std::complex<long double>* x) {
  reduce(queue, device_span<std::complex<long double>>{x, 3}, x);
}

// refused: include libscan/callables.hpp, or in CUDA code
void call(std::vector<int>& x) {
  inclusive_scan(on, x, x, [](int a, int b) { return a * b; });
}

// refused: libscan.hpp is compiled for
void call(std::vector<int>& x, std::vector<float>& y) { inclusive_scan(on, x, y); }

// refused: libscan.hpp is compiled for
void call(std::vector<int>& x, std::vector<short>& y) {
  segmented_reduce(on, x, y, segmentation::of_length(3));
}

// taken
void call(std::vector<int>& x) { adjacent_difference(on, x, x, std::bit_xor<>{}); }

// refused: neighbors are combined in the items' type
void call(std::vector<int>& x) { adjacent_difference(on, x, x, plus<long>{}); }

// refused: adjacent_difference of device memory is compiled for integers
void call(device_queue const& queue, int* x) {
  adjacent_difference(queue, device_span<int>{x, 3}, x, [](int a, int b) { return a * b; });
}

// refused: offsets are integers of 32 or 64 bits
void call(std::vector<short> const& x) { segmentation::of_offsets(x); }

// taken
void call(std::vector<std::complex<float>> const& x) { segmentation::of_keys(x); }

// refused: neighbors cannot be compared by ==
void call(std::vector<point> const& x) { segmentation::of_keys(x); }

// taken
void call(std::vector<point> const& x, float const& step) {
  segmentation::of_keys(x, [&step](point a, point b) { return b.x - a.x < step; });
}

// refused: the comparison of keys is not trivially copyable, or larger
void call(std::vector<point> const& x, std::vector<float> const& steps) {
  segmentation::of_keys(x, [steps](point a, point b) { return b.x - a.x < steps[0]; });
}

// refused: reduce_by_key of device memory is compiled for keys that are integers
void call(device_queue const& queue, point const* keys, point* unique, int* x) {
  reduce_by_key(queue, keys, device_span<int>{x, 3}, unique, x);
}

// refused: ranks are integers of 32 or 64 bits
void call(std::vector<short>& x, item_mask const& mask) { exclusive_binary_scan(on, mask, x); }

// taken
void call(std::vector<short>& x, std::vector<long>& y) { inclusive_scan(on, x, y, plus<long>{}); }
