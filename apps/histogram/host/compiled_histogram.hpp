// SPDX-License-Identifier: Apache-2.0
// The compiled half of the histogram's host API: passes a call to its engine. Included by the files
// that compile it for some types of sample each. Internal.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include <apps/histogram/host/histogram_device.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/cpu/histogram.hpp>
#include <libscan/histogram.hpp>
#include <libscan/host/host_call.hpp>
#include <libscan/host/on_queue.hpp>
#include <libscan/host/side_memory.hpp>

namespace libscan::inline v1::detail {

template <class Sample>
sample_totals compiled_histogram<Sample>::count(engine const& on, Sample const* samples, index_t n,
                                                any_bins<Sample> const& bins,
                                                std::uint32_t* counts) {
  return detail::on_engine(
      on, n,
      [&](auto device) {
        int const places = std::visit([](auto const& rule) { return rule.bins(); }, bins);
        std::vector<std::uint64_t> wide(static_cast<std::size_t>(places));
        auto const totals = device_histogram<decltype(device), Sample>::count(device, samples, n,
                                                                              bins, wide.data());
        check_counts(wide.data(), places, std::numeric_limits<std::uint32_t>::max());
        std::transform(wide.begin(), wide.end(), counts,
                       [](std::uint64_t count) { return static_cast<std::uint32_t>(count); });
        return totals;
      },
      [&](int threads) {
        return std::visit(
            [&](auto const& rule) { return cpu::histogram(threads, samples, counts, rule, n); },
            bins);
      });
}

template <class Sample>
sample_totals compiled_histogram<Sample>::count(engine const& on, Sample const* samples, index_t n,
                                                any_bins<Sample> const& bins,
                                                std::uint64_t* counts) {
  return detail::on_engine(
      on, n,
      [&](auto device) {
        return device_histogram<decltype(device), Sample>::count(device, samples, n, bins, counts);
      },
      [&](int threads) {
        return std::visit(
            [&](auto const& rule) { return cpu::histogram(threads, samples, counts, rule, n); },
            bins);
      });
}

template <class Sample>
sample_totals compiled_histogram<Sample>::sum(engine const& on, Sample const* samples,
                                              double const* weights, index_t n,
                                              any_bins<Sample> const& bins, double* sums) {
  return detail::on_engine(
      on, n,
      [&](auto device) {
        return device_histogram<decltype(device), Sample>::sum(device, samples, weights, n, bins,
                                                               sums);
      },
      [&](int threads) {
        return std::visit(
            [&](auto const& rule) {
              return cpu::weighted_histogram(threads, samples, weights, sums, rule, n);
            },
            bins);
      });
}

/// Bytes of the arrays that kernels read and write in place of those of other types.
inline std::size_t converted_histogram_bytes(histogram_types const& types, index_t n, int bins) {
  std::size_t const of_bins = side_memory::bytes_of(index_t{bins} + 1, sizeof(double));
  std::size_t bytes = 0;
  if (types.edges != input_type::f64) bytes += of_bins;
  if (types.weights != input_type::f64) bytes += side_memory::bytes_of(n, sizeof(double));
  if (types.counts != input_type::u64) bytes += of_bins;
  if (types.bins != input_type::i64) bytes += of_bins;
  return bytes == 0 ? 0 : bytes + side_memory::bytes_of(1, sizeof(index_t));
}

/// Throws `invalid_argument` for arrays of other types that are misaligned, or shared by bins and
/// counts.
template <class Sample>
void check_converted(histogram_call<Sample> const& call, histogram_types const& types) {
  auto const require = [](void const* array, input_type type) {
    detail::require_aligned_words(array, detail::size_of(type));
  };
  require(call.counts, types.counts);
  require(call.full, types.bins);
  require(call.weights, types.weights);
  auto const* const edges = std::get_if<edge_bins<Sample, double>>(&call.bins);
  if (edges != nullptr) require(edges->edges(), types.edges);
  if (call.full == nullptr) return;
  detail::require_no_overlap("sparse_histogram", "bins and counts",
                             {call.full, 1, detail::size_of(types.bins)},
                             {call.counts, 1, detail::size_of(types.counts)});
}

/// A histogram of other types than the kernels'.
template <class Sample>
void enqueue_converted(device_queue const& queue, histogram_call<Sample> call,
                       histogram_types const& types) {
  int const bins = std::visit([](auto const& rule) { return rule.bins(); }, call.bins);
  histogram_kind const kind = call.sums != nullptr   ? histogram_kind::weighted
                              : call.full != nullptr ? histogram_kind::sparse
                                                     : histogram_kind::counted;
  detail::check_converted(call, types);
  side_memory memory(
      queue, detail::converted_histogram_bytes(types, call.n, bins),
      compiled_histogram<Sample>::enqueued_bytes(queue.on, call.n, bins, kind, types));
  auto const to_doubles = [&](input_type type, void const* from, index_t n, index_t const* d_n) {
    auto* const doubles = memory.take<double>(n);
    detail::enqueue_conversion(queue, item_type::f64,
                               {type, from, input_type::f64, doubles, n, d_n});
    return doubles;
  };
  if (types.edges != input_type::f64) {
    auto const& rule = std::get<edge_bins<Sample, double>>(call.bins);
    call.bins = edge_bins<Sample, double>(
        to_doubles(types.edges, rule.edges(), index_t{bins} + 1, nullptr), bins);
  }
  if (types.weights != input_type::f64) {
    call.weights = to_doubles(types.weights, call.weights, call.n, call.d_n);
  }
  void* const counts = call.counts;
  void* const full = call.full;
  if (counts == nullptr && kind != histogram_kind::weighted) {
    throw invalid_argument("histogram: counts are null");
  }
  if (types.counts != input_type::u64) call.counts = memory.take<std::uint64_t>(bins);
  if (types.bins != input_type::i64) call.full = memory.take<index_t>(bins);
  if (call.full != nullptr && call.d_full == nullptr) call.d_full = memory.take<index_t>(1);
  compiled_histogram<Sample>::enqueue(memory.rest(), call);
  auto const write = [&](input_type from_type, void const* from, input_type type, void* to) {
    if (type == from_type) return;
    detail::enqueue_conversion(queue, static_cast<item_type>(type),
                               {from_type, from, type, to, bins, call.d_full});
  };
  write(input_type::u64, call.counts, types.counts, counts);
  write(input_type::i64, call.full, types.bins, full);
}

template <class Sample>
void compiled_histogram<Sample>::enqueue(device_queue const& queue,
                                         histogram_call<Sample> const& call,
                                         histogram_types const& types) {
  if (types != histogram_types{}) return detail::enqueue_converted(queue, call, types);
  queue_place const place = detail::place_of(queue);
  detail::on_machine_of(queue.on, call.n, [&]<class Machine>(Machine on) {
    device_histogram<Machine, Sample>::enqueue(on, place, call);
  });
}

template <class Sample>
std::size_t compiled_histogram<Sample>::enqueued_bytes(engine const& on, index_t n, int bins,
                                                       histogram_kind kind,
                                                       histogram_types const& types) {
  std::size_t const converted = n < 0 ? 0 : detail::converted_histogram_bytes(types, n, bins);
  return converted + detail::on_machine_of<std::size_t>(on, n, [&]<class Machine>(Machine) {
           return device_histogram<Machine, Sample>::workspace_bytes(n, bins, kind);
         });
}

}  // namespace libscan::inline v1::detail
