// SPDX-License-Identifier: Apache-2.0
// What the host APIs refuse when they are compiled, since it is not in the libraries to be linked.
#include <complex>
#include <string>
#include <vector>

#include <libscan/filter.hpp>
#include <libscan/histogram.hpp>
#include <libscan/libscan.hpp>
#include <libscan/predicate_parser.hpp>
#include <libscan/radix_sort.hpp>
#include <libscan/segmented.hpp>
#include <libscan/segmented_sort.hpp>
#include <libscan/selection.hpp>
#include <libscan/split_by_key.hpp>
#include <libscan/spmv.hpp>

using namespace libscan;
engine const on = engine::cpu(1);
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

// refused: predicates, filter.hpp and selection.hpp are compiled for
auto call(std::vector<long long>& x, item_mask const& mask) {
  return filter<long long>(on, x, x, mask);
}

// refused: predicates, filter.hpp and selection.hpp are compiled for
auto call(std::vector<char>& x) { return split_by_bit<char>(on, x, x, 1); }

// refused: radix_sort.hpp is compiled for
void call(std::vector<std::complex<float>>& x) { sort_keys(on, x, x); }

// refused: radix_sort.hpp is compiled for
void call(std::vector<long double>& x) { argsort(on, x, offsets); }

// refused: radix_sort.hpp is compiled for
void call(std::vector<std::complex<float>>& x) { segmented_sort_keys(on, x, x, offsets); }

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

// refused: offsets are integers of 32 or 64 bits
void call(std::vector<short> const& x) { segmentation::of_offsets(x); }

// refused: keys are integers of 8 to 64 bits
void call(std::vector<std::complex<float>> const& x) { segmentation::of_keys(x); }

// refused: ranks are integers of 32 or 64 bits
void call(std::vector<short>& x, item_mask const& mask) { exclusive_binary_scan(on, mask, x); }

// taken
void call(std::vector<short>& x, std::vector<long>& y) { inclusive_scan(on, x, y, plus<long>{}); }
