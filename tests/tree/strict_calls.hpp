// SPDX-License-Identifier: Apache-2.0
// A user's program with every warning on: each call of the cpu engine and of the host API, for
// items of several types. headers.py compiles it; it is not run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <libscan/c_api.h>
#include <libscan/buffer.hpp>
#include <libscan/callables.hpp>
#include <libscan/cpu/adjacent_difference.hpp>
#include <libscan/cpu/binary_scan.hpp>
#include <libscan/cpu/coo_to_csr.hpp>
#include <libscan/cpu/filter.hpp>
#include <libscan/cpu/filter_with_indices.hpp>
#include <libscan/cpu/histogram.hpp>
#include <libscan/cpu/radix_sort.hpp>
#include <libscan/cpu/reduce.hpp>
#include <libscan/cpu/runs.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/cpu/segmented_reduce.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <libscan/cpu/segmented_sort.hpp>
#include <libscan/cpu/split_by_key.hpp>
#include <libscan/cpu/spmv.hpp>
#include <libscan/device_calls.hpp>
#include <libscan/filter.hpp>
#include <libscan/filter_callables.hpp>
#include <libscan/filter_device_calls.hpp>
#include <libscan/histogram.hpp>
#include <libscan/histogram_device_calls.hpp>
#include <libscan/predicate_parser.hpp>
#include <libscan/radix_sort.hpp>
#include <libscan/segmented.hpp>
#include <libscan/segmented_sort.hpp>
#include <libscan/selection.hpp>
#include <libscan/sort_device_calls.hpp>
#include <libscan/split_by_key.hpp>
#include <libscan/spmv.hpp>
#include <libscan/spmv_device_calls.hpp>

namespace strict {

using libscan::index_t;
namespace cpu = libscan::cpu;

/// Items, and where results go.
template <class T>
struct arrays {
  explicit arrays(std::size_t n) : items(n), out(n), other(n), places(n), flags(n), words(n) {}
  index_t n() const { return static_cast<index_t>(items.size()); }

  std::vector<T> items, out, other;
  std::vector<std::int32_t> places;
  std::vector<std::uint8_t> flags;
  std::vector<std::uint32_t> words;
};

template <class T>
void scans(arrays<T>& all) {
  T const* const in = all.items.data();
  T* const out = all.out.data();
  index_t const n = all.n();
  libscan::plus<T> const op;
  auto const own = [](T a, T b) { return a < b ? b : a; };
  cpu::inclusive_scan(2, in, out, n, op, T{});
  cpu::exclusive_scan(2, all.items.begin(), all.out.begin(), n, own, T{});
  cpu::inclusive_scan(2, in, all.other.begin(), n, libscan::maximum<T>{});
  cpu::reduce(2, in, n, op, T{});
  cpu::reduce(2, in, n, own, T{});
  cpu::adjacent_difference(2, in, out, n);
  cpu::exclusive_binary_scan(2, libscan::byte_mask{all.flags.data()}, all.places.data(), n);
  cpu::inclusive_binary_scan(2, libscan::bit_mask{all.words.data()}, all.places.data(), n);
}

template <class T, class Heads>
void by_segments(arrays<T>& all, Heads const& heads) {
  auto const own = [](T a, T b) { return a < b ? b : a; };
  index_t const n = all.n();
  cpu::inclusive_segmented_scan(2, all.items.data(), all.out.data(), heads, n, libscan::plus<T>{},
                                T{});
  cpu::exclusive_segmented_scan(2, all.items.data(), all.out.data(), heads, n, own, T{});
  cpu::segmented_reduce(2, all.items.data(), all.out.data(), heads, n, libscan::minimum<T>{}, T{});
  cpu::segmented_reduce(2, all.items.data(), all.out.data(), heads, n, own, T{});
}

template <class T, class Offset>
void segments(arrays<T>& all, std::vector<Offset> const& offsets) {
  auto const m = static_cast<index_t>(offsets.size()) - 1;
  index_t const n = all.n();
  by_segments(all, libscan::segment_offsets{offsets.data(), m});
  by_segments(all, libscan::segment_ranges<Offset>::between(offsets.data(), m));
  by_segments(all, libscan::head_flags{all.flags.data()});
  by_segments(all, libscan::head_bits{all.words.data()});
  by_segments(all, libscan::segment_keys{all.items.data()});
  by_segments(all, libscan::equal_segments{3});
  cpu::reduce_by_key(2, all.items.data(), all.items.data(), all.out.data(), all.other.data(), n,
                     libscan::plus<T>{}, T{});
  cpu::sort_keys_in_segments(2, all.items.data(), all.out.data(), n, offsets.data(), m);
  cpu::sort_pairs_in_segments(2, all.items.data(), all.out.data(), all.flags.data(),
                              all.flags.data(), n, offsets.data(), m);
  cpu::argsort_in_segments(2, all.items.data(), all.places.data(), n, offsets.data(), m);
}

template <class T>
void filters(arrays<T>& all) {
  T const* const in = all.items.data();
  T* const out = all.out.data();
  index_t const n = all.n();
  auto const keep = [](T x) { return T{} < x; };
  cpu::filter(2, in, out, n, keep);
  cpu::filter_by(2, in, out, n, cpu::keep_flagged{all.flags.data()});
  cpu::filter_by(2, in, out, n, cpu::keep_masked{all.words.data()});
  cpu::filter_indices(2, in, all.places.data(), n, keep);
  cpu::count_if(2, in, n, keep);
  cpu::unique(2, in, out, n);
  cpu::split(2, in, cpu::split_outputs<T*>{out, n, all.other.data(), n}, n, keep);
  cpu::filter_with_indices_by(2, in,
                              cpu::indexed_outputs<T*, std::int32_t*>{out, n, all.places.data(), n},
                              n, cpu::keep_flagged{all.flags.data()});
  std::vector<index_t> lengths(all.items.size());
  cpu::run_length_encode(2, in, cpu::run_outputs{out, n, lengths.data(), n}, n);
}

template <class T>
void sorts_and_tables(arrays<T>& all) {
  T const* const in = all.items.data();
  T* const out = all.out.data();
  index_t const n = all.n();
  cpu::sort_keys(2, in, out, n);
  cpu::sort_pairs(2, in, out, in, all.other.data(), n,
                  {.direction = libscan::sort_direction::descending});
  cpu::argsort(2, in, all.places.data(), n);
  std::vector<index_t> begins(5);
  cpu::split_by_key(2, in, out, begins.data(), n, 4, [](T x) { return T{} < x ? 1 : 0; });
  std::vector<std::uint32_t> counts(10);
  std::vector<double> const edges{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  cpu::histogram(2, in, counts.data(), libscan::even_bins<T>(T{}, static_cast<T>(10), 10), n);
  cpu::histogram(2, in, counts.data(), libscan::edge_bins<T, double>(edges.data(), 10), n);
  std::vector<double> sums(10);
  cpu::weighted_histogram(2, in, in, sums.data(),
                          libscan::even_bins<T>(T{}, static_cast<T>(10), 10), n);
  if constexpr (std::is_integral_v<T>) {
    cpu::histogram(2, in, counts.data(), libscan::integer_bins<T>(T{}, 10), n);
  }
}

template <class T>
void products(arrays<T>& all) {
  std::vector<std::int32_t> offsets(all.items.size() + 1);
  libscan::coo_matrix<T> const list{
      3, 3, all.n(), all.places.data(), all.places.data(), all.items.data()};
  cpu::coo_to_csr(2, list, offsets.data(), all.places.data(), all.out.data());
  libscan::csr_matrix<T, std::int32_t> const matrix{
      3, 3, all.n(), offsets.data(), all.places.data(), all.items.data()};
  cpu::spmv(2, matrix, all.other.data(), all.out.data());
}

template <class T>
void of_cpu() {
  arrays<T> all(100);
  scans(all);
  segments(all, std::vector<std::int32_t>{0, 40, 100});
  segments(all, std::vector<std::uint64_t>{0, 40, 100});
  filters(all);
  sorts_and_tables(all);
  products(all);
}

template <class T>
void of_host_api(libscan::engine const& on) {
  arrays<T> all(100);
  std::vector<std::int64_t> const offsets{0, 40, 100};
  libscan::inclusive_scan(on, all.items, all.out);
  libscan::exclusive_scan(on, all.items, all.out, libscan::maximum<T>{}, T{});
  libscan::inclusive_scan(on, all.items, all.out, [](T a, T b) { return a < b ? b : a; });
  libscan::reduce(on, all.items);
  libscan::adjacent_difference(on, all.items, all.out);
  auto const by_offsets = libscan::segmentation::of_offsets(offsets);
  libscan::inclusive_segmented_scan(on, all.items, all.out, by_offsets);
  libscan::segmented_reduce(on, all.items, all.out, by_offsets);
  libscan::segmented_reduce(on, all.items, all.out, libscan::segmentation::of_keys(all.items));
  libscan::reduce_by_key(on, all.places, all.items, all.places, all.out);
  libscan::filter(on, all.items, all.out, libscan::parse_predicate<T>("> 1"));
  libscan::filter(on, all.items, [](T x) { return T{} < x; });
  libscan::count_if(on, all.items, libscan::parse_predicate<T>("> 1"));
  libscan::sort_keys(on, all.items, all.out);
  libscan::sort_pairs(on, all.items, all.out, all.flags, all.flags);
  libscan::argsort(on, all.items, all.places);
  std::vector<std::uint64_t> counts(10);
  libscan::histogram(on, all.items, counts, libscan::even_bins<T>(T{}, static_cast<T>(10), 10));
  libscan::buffer<T> const some(10);
}

inline void all() {
  of_cpu<std::int8_t>();
  of_cpu<std::uint16_t>();
  of_cpu<std::int64_t>();
  of_cpu<float>();
  of_cpu<double>();
  of_host_api<std::int32_t>(libscan::engine::cpu());
  of_host_api<std::uint64_t>(libscan::engine::cpu());
  of_host_api<float>(libscan::engine::cpu());
}

}  // namespace strict
