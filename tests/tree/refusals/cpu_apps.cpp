// SPDX-License-Identifier: Apache-2.0
// What calls of the cpu engine's applications refuse when they are compiled, and what they take.
#include <complex>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <libscan/cpu/coo_to_csr.hpp>
#include <libscan/cpu/filter.hpp>
#include <libscan/cpu/filter_with_indices.hpp>
#include <libscan/cpu/histogram.hpp>
#include <libscan/cpu/radix_sort.hpp>
#include <libscan/cpu/runs.hpp>
#include <libscan/cpu/segmented_sort.hpp>
#include <libscan/cpu/split_by_key.hpp>
#include <libscan/cpu/spmv.hpp>

using namespace libscan;

std::deque<std::string> const names(3);
std::deque<std::string> out(3);
std::vector<bool> bits(3);
index_t places[3];
int numbers[3];
auto const any = [](std::string const&) { return true; };
struct first_word {
  unsigned operator()(std::string const&) const { return 0; }
};
using name_order = sort_order<std::string, first_word>;
struct plain {
  int value;
};
struct frozen {
  int const value;
};

// taken
index_t call() { return cpu::filter_indices(1, names.begin(), places, 3, any); }

// taken
index_t call() { return cpu::count_if(1, names.begin(), 3, any); }

// taken
index_t call() {
  cpu::run_outputs const runs{out.begin(), 3, places, 3};
  return cpu::run_length_encode(1, names.begin(), runs, 3);
}

// taken
void call(std::string const* keys) { cpu::argsort(1, keys, places, 3, name_order{}); }

// refused: this call copies items by their bytes
index_t call() { return cpu::filter(1, names.begin(), out.begin(), 3, any); }

// refused: this call copies items by their bytes
index_t call() { return cpu::unique(1, names.begin(), out.begin(), 3); }

// refused: this call copies items by their bytes
index_t call(std::string* to) {
  return cpu::split(1, names.begin(), cpu::split_outputs<std::string*>{to, 3, to, 3}, 3, any);
}

// refused: this call copies items by their bytes
index_t call(std::string const* from, std::string* to) {
  cpu::indexed_outputs<std::string*> const both{to, 3, places, 3};
  return cpu::filter_with_indices_by(1, from, both, 3,
                                     cpu::keep_where<std::string const*, decltype(any)>{from, any});
}

// refused: this call copies items by their bytes
void call(std::string* keys) { cpu::sort_keys(1, keys, keys, 3, name_order{}); }

// refused: this call copies items by their bytes
void call(std::string* values) { cpu::sort_pairs(1, numbers, numbers, values, values, 3); }

// refused: this call copies items by their bytes
void call(std::string* keys) {
  cpu::sort_keys_in_segments(1, keys, keys, 3, numbers, 2, name_order{});
}

// refused: this call copies items by their bytes
void call(std::string* values) {
  cpu::sort_pairs_in_segments(1, numbers, numbers, values, values, 3, numbers, 2);
}

// refused: this call copies items by their bytes
void call(std::string* values) {
  cpu::split_by_key(1, numbers, numbers, values, values, places, 3, 2);
}

// refused: the items are volatile
index_t call(int const volatile* from) {
  return cpu::filter(1, from, numbers, 3, [](int) { return true; });
}

// refused: the items are volatile
index_t call(int volatile* to) { return cpu::unique(1, numbers, to, 3); }

// refused: the items are volatile
void call(int volatile* keys) { cpu::sort_keys(1, keys, keys, 3); }

// refused: the items are volatile
void call(std::uint64_t volatile* counts) {
  cpu::histogram(1, numbers, counts, integer_bins<int>(0, 3), 3);
}

// refused: the predicate cannot be called as keep(item)
index_t call() {
  return cpu::filter(1, numbers, numbers, 3, [](std::string const&) { return true; });
}

// refused: neighbors cannot be compared as equal(earlier, later)
index_t call() {
  return cpu::unique(1, numbers, numbers, 3, [](int) { return true; });
}

// refused: the output cannot be written
index_t call(int const* to) {
  return cpu::filter(1, numbers, to, 3, [](int) { return true; });
}

// refused: positions are integers of 32 or 64 bits
void call(short* positions) { cpu::argsort(1, numbers, positions, 3); }

// refused: counts are integers of 32 or 64 bits
void call(double* counts) { cpu::histogram(1, numbers, counts, integer_bins<int>(0, 3), 3); }

// refused: entries of a matrix are numbers
void call(csr_matrix<std::complex<float>, int> const& matrix, float* y) {
  cpu::spmv(1, matrix, y, y);
}

// refused: neighbors cannot be compared by ==
index_t call(plain const* from, plain* to) { return cpu::unique(1, from, to, 3); }

// refused: neighbors cannot be compared by ==
index_t call(plain const* from, plain* to) {
  return cpu::run_length_encode(1, from, cpu::run_outputs{to, 3, places, 3}, 3);
}

// refused: the predicate cannot be called as keep(item)
index_t call() {
  return cpu::count_if(1, numbers, 3, [](std::string const&) { return true; });
}

// refused: the output cannot be written
index_t call(index_t const* to) {
  return cpu::filter_indices(1, numbers, to, 3, [](int) { return true; });
}

// refused: keys of a type of your own need a decomposition
void call(plain* keys) { cpu::sort_keys(1, keys, keys, 3); }

// refused: keys of a type of your own need a decomposition
void call(plain* keys) { cpu::argsort_in_segments(1, keys, places, 3, numbers, 2); }

// refused: this call copies items by their bytes
void call(std::string* keys) {
  cpu::sort_keys_in_segments(1, keys, keys, 3, segment_ranges{numbers, numbers, 2}, name_order{});
}

// refused: this call copies items by their bytes
void call(std::string* values) {
  segment_ranges const segments{numbers, numbers, 2};
  cpu::sort_pairs_in_segments(1, numbers, numbers, values, values, 3, segments);
}

// refused: positions are integers of 32 or 64 bits
void call(float* positions) {
  cpu::argsort_in_segments(1, numbers, positions, 3, segment_ranges{numbers, numbers, 2});
}

// refused: weights are numbers, and so are their sums
void call(std::string const* weights, double* sums) {
  cpu::weighted_histogram(1, numbers, weights, sums, integer_bins<int>(0, 3), 3);
}

// refused: weights are numbers, and so are their sums
void call(double const* sums) {
  cpu::weighted_histogram(1, numbers, sums, sums, integer_bins<int>(0, 3), 3);
}

// taken
index_t call() {
  return cpu::filter_indices(1, bits.begin(), places, 3, [](bool bit) { return bit; });
}

// refused: items of std::vector<bool> share bytes
index_t call() {
  return cpu::filter(1, bits.begin(), bits.begin(), 3, [](bool bit) { return bit; });
}

// refused: items of std::vector<bool> share bytes
index_t call() { return cpu::unique(1, bits.begin(), bits.begin(), 3); }

// refused: items of std::vector<bool> share bytes
index_t call() {
  using outputs = cpu::split_outputs<decltype(bits.begin()), decltype(bits.rbegin())>;
  return cpu::split(1, bits.begin(), outputs{bits.begin(), 3, bits.rbegin(), 3}, 3,
                    [](bool bit) { return bit; });
}

// refused: items of std::vector<bool> share bytes
index_t call() {
  return cpu::run_length_encode(1, bits.begin(), cpu::run_outputs{bits.begin(), 3, places, 3}, 3);
}

// refused: keys are sorted by a sort_order of their own type
void call(int const* keys, int* to) { cpu::sort_keys(1, keys, to, 3, std::greater<>{}); }

// refused: keys are sorted by a sort_order of their own type
void call(int const* keys, int* to) { cpu::sort_pairs(1, keys, to, keys, to, 3, std::less<int>{}); }

// refused: keys are sorted by a sort_order of their own type
void call(int const* keys) { cpu::argsort(1, keys, places, 3, sort_order<unsigned>{}); }

// refused: keys are sorted by a sort_order of their own type
void call(int const* keys, int* to) {
  cpu::sort_keys_in_segments(1, keys, to, 3, places, 2, std::greater<>{});
}

// refused: keys are sorted by a sort_order of their own type
void call(int const* keys, int* to, segment_ranges<int> const& ranges) {
  cpu::sort_keys_in_segments(1, keys, to, 3, ranges, std::greater<>{});
}

// refused: the predicate cannot be copied
index_t call() {
  return cpu::count_if(1, numbers, 3,
                       [owned = std::unique_ptr<int>()](int x) { return x == *owned; });
}

// refused: the comparison cannot be copied
index_t call(int* to) {
  return cpu::unique(1, numbers, to, 3,
                     [owned = std::unique_ptr<int>()](int, int) { return true; });
}

// refused: keys or values cannot be assigned
void call(unsigned const* keys, unsigned* to, frozen const* values, frozen* values_to) {
  cpu::split_by_key(1, keys, to, values, values_to, places, 3, 2);
}

// refused: offsets of a matrix are integers
void call(coo_matrix<float> const& list, double* offsets, int* indices, float* values) {
  cpu::coo_to_csr(1, list, offsets, indices, values);
}

// refused: offsets of a matrix are integers
void call(csr_matrix<float, double> const& matrix, float const* x, float* y) {
  cpu::spmv(1, matrix, x, y);
}
