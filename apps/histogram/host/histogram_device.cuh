// SPDX-License-Identifier: Apache-2.0
// The implementation of histogram_device.hpp: host memory in, the kernels of histogram.cuh, host
// memory out. Included by the files that compile it for some types of sample each. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include <apps/histogram/host/histogram_device.hpp>
#include <libscan/host/convert_items.cuh>
#include <libscan/host/this_machine.cuh>
#include <libscan/host/transfer.cuh>
#include <libscan/sorted_histogram.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Adds n counters of a piece to those of all.
struct add_counts_kernel {
  static constexpr int block_threads = 256;
  __device__ void operator()(std::uint64_t* all, std::uint64_t const* of_piece, index_t n) const {
    device::each_item(n, [=](index_t i) { all[i] += of_piece[i]; });
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device

namespace libscan::inline v1::detail {

/// n items on the device.
template <class T>
device::transfer_buffer<T> histogram_input(T const* items, index_t n) {
  return device::transfer_buffer<T>(std::span<T const>(items, static_cast<std::size_t>(n)));
}

/// call(bins) with a rule whose edges are on the device.
template <class Sample, class Call>
void with_device_rule(any_bins<Sample> const& bins, Call call) {
  std::visit(
      [&](auto const& rule) {
        if constexpr (requires { rule.edges(); }) {
          auto const edges = histogram_input(rule.edges(), index_t{rule.bins()} + 1);
          call(any_bins<Sample>(std::remove_cvref_t<decltype(rule)>(edges.data(), rule.bins())));
        } else {
          call(bins);
        }
      },
      bins);
}

/// The histogram of n samples of host memory: fill(call) completes it with device memory for
/// results, puts it in its queue, and copies the results back.
template <class Sample, class Fill>
sample_totals copied_histogram(Sample const* samples, index_t n, any_bins<Sample> const& bins,
                               Fill fill) {
  auto const in = histogram_input(samples, n);
  device::transfer_buffer<sample_totals> const d_totals(1);
  with_device_rule<Sample>(bins, [&](any_bins<Sample> const& on_device) {
    fill(histogram_call<Sample>{in.data(), n, nullptr, on_device, nullptr, nullptr, nullptr,
                                d_totals.data()});
  });
  sample_totals totals;
  d_totals.read_sync(&totals, 1);
  return totals;
}

/// The number of bins of a rule.
template <class Rule>
int bins_of(Rule const& bins) {
  return std::visit([](auto const& rule) { return rule.bins(); }, bins);
}

/// Parts of the workspace of a sparse histogram: the counts of all bins, and the workspace of what
/// makes them and of what selects from them.
template <class Machine, class Sample>
struct sparse_layout {
  std::size_t rest, bytes;

  sparse_layout(index_t n, int bins)
      : rest(device::sort_layout::aligned(static_cast<std::size_t>(bins) * sizeof(std::uint64_t))),
        bytes(rest + std::max(histogram_workspace_bytes<Sample>(n, bins),
                              device_full_bins<Machine>::workspace_bytes(bins))) {}
};

/// Counts all bins, and selects those that are not empty.
template <class Machine, class Sample, class Rule>
void enqueue_sparse(Machine on, workspace& ws, queue_place const& place,
                    histogram_call<Sample> const& call, Rule const& rule, item_count n) {
  sparse_layout<Machine, Sample> const layout(n.at_most(), rule.bins());
  std::byte* const memory = ws.reserve(layout.bytes);
  auto* const all = reinterpret_cast<std::uint64_t*>(memory);
  workspace rest(memory + layout.rest, layout.bytes - layout.rest, ws.stream());
  libscan::histogram(rest, call.samples, all, rule, n, call.d_totals);
  queue_place const there{place.stream, {}, memory + layout.rest, layout.bytes - layout.rest};
  device_full_bins<Machine>::enqueue(on, there, all, rule.bins(), call.full, call.counts,
                                     call.d_full);
}

template <class Machine, class Sample>
void device_histogram<Machine, Sample>::enqueue(Machine on, queue_place const& place,
                                                histogram_call<Sample> const& call) {
  device::on_machine const here(on);
  workspace ws = device::workspace_of(place);
  item_count const n =
      call.d_n == nullptr ? item_count(call.n) : item_count::on_device(call.d_n, call.n);
  std::visit(
      [&](auto const& rule) {
        if (call.sums != nullptr) {
          libscan::weighted_histogram(ws, call.samples, call.weights, call.sums, rule, n,
                                      call.d_totals);
        } else if (call.full != nullptr) {
          enqueue_sparse(on, ws, place, call, rule, n);
        } else {
          libscan::histogram(ws, call.samples, call.counts, rule, n, call.d_totals);
        }
      },
      call.bins);
}

template <class Machine, class Sample>
std::size_t device_histogram<Machine, Sample>::workspace_bytes(index_t n, int bins,
                                                               histogram_kind kind) {
  switch (kind) {
    case histogram_kind::weighted:
      return weighted_histogram_workspace_bytes<double>(n, bins);
    case histogram_kind::sparse:
      return sparse_layout<Machine, Sample>(n, bins).bytes;
    default:
      return histogram_workspace_bytes<Sample>(n, bins);
  }
}

/// Most bins of a histogram in pieces, whose counts are added piece by piece.
inline constexpr int max_bins_in_pieces = 1 << 20;

/// Whether samples in host memory go through the machine in pieces.
template <class Sample, class Machine>
bool counts_in_pieces(Machine on, index_t n, int bins) {
  return bins <= max_bins_in_pieces &&
         static_cast<std::size_t>(n) * sizeof(Sample) >= detail::min_bytes_in_pieces(on);
}

/// The same as `count`, in pieces.
template <class Machine, class Sample>
sample_totals count_in_pieces(Machine on, Sample const* samples, index_t n,
                              any_bins<Sample> const& host_bins, std::uint64_t* counts) {
  int const bins = detail::bins_of(host_bins);
  item_pieces const pieces(n, sizeof(Sample), detail::max_piece_bytes(on));
  std::size_t const ws_bytes = device_histogram<Machine, Sample>::workspace_bytes(
      pieces.piece_items, bins, histogram_kind::counted);
  // Totals and counts of all pieces so far, and after them those of one piece.
  memory_layout shared;
  std::size_t const totals_bytes = sizeof(sample_totals);
  std::size_t const all_bytes = totals_bytes + static_cast<std::size_t>(bins) * sizeof(*counts);
  shared.add(2 * all_bytes);
  std::vector<std::byte> all(all_bytes);
  std::size_t const ws_at = shared.add(ws_bytes);
  auto const inputs = [&](index_t piece, std::vector<host_part>& parts) {
    parts.push_back({const_cast<Sample*>(samples) + pieces.begin(piece),
                     static_cast<std::size_t>(pieces.size(piece)) * sizeof(Sample), 0});
  };
  auto const outputs = [](index_t, index_t const*, std::vector<host_part>&) {};
  with_device_rule<Sample>(host_bins, [&](any_bins<Sample> const& on_device) {
    auto const kernels = [&](device_piece const& piece) {
      queue_place const place = place_of(piece, ws_at, ws_bytes);
      simt::stream const stream = device::stream_of(place);
      std::byte* const of_piece = piece.workspace + all_bytes;
      if (piece.number == 0) simt::fill_async(piece.workspace, 0, all_bytes, stream);
      device_histogram<Machine, Sample>::enqueue(
          on, place,
          {reinterpret_cast<Sample const*>(piece.memory), pieces.size(piece.number), nullptr,
           on_device, reinterpret_cast<std::uint64_t*>(of_piece + totals_bytes), nullptr, nullptr,
           reinterpret_cast<sample_totals*>(of_piece)});
      auto how = device::spread(bins);
      how.on = stream;
      simt::launch<device::add_counts_kernel>(
          how, reinterpret_cast<std::uint64_t*>(piece.workspace),
          reinterpret_cast<std::uint64_t const*>(of_piece),
          static_cast<index_t>(all_bytes / sizeof(std::uint64_t)));
    };
    transfer<Machine>::in_pieces(
        on, {.pieces = pieces.count(),
             .device_bytes = static_cast<std::size_t>(pieces.piece_items) * sizeof(Sample),
             .inputs = inputs,
             .enqueue = kernels,
             .outputs = outputs,
             .arrays = {samples},
             .workspace_bytes = shared.bytes(),
             .result = {all.data(), all_bytes, 0}});
  });
  sample_totals totals;
  std::memcpy(&totals, all.data(), totals_bytes);
  std::memcpy(counts, all.data() + totals_bytes, all_bytes - totals_bytes);
  return totals;
}

template <class Machine, class Sample>
sample_totals device_histogram<Machine, Sample>::count(Machine on, Sample const* samples, index_t n,
                                                       any_bins<Sample> const& bins,
                                                       std::uint64_t* counts) {
  device::on_machine const here(on);
  if (counts_in_pieces<Sample>(on, n, detail::bins_of(bins))) {
    return count_in_pieces(on, samples, n, bins, counts);
  }
  return copied_histogram(samples, n, bins, [&](histogram_call<Sample> call) {
    device::transfer_buffer<std::uint64_t> const out(bins_of(bins));
    call.counts = out.data();
    enqueue(on, {}, call);
    out.read_sync(counts, out.size());
  });
}

template <class Machine, class Sample>
sample_totals device_histogram<Machine, Sample>::sum(Machine on, Sample const* samples,
                                                     double const* weights, index_t n,
                                                     any_bins<Sample> const& bins, double* sums) {
  device::on_machine const here(on);
  auto const with = histogram_input(weights, n);
  return copied_histogram(samples, n, bins, [&](histogram_call<Sample> call) {
    device::transfer_buffer<double> const out(bins_of(bins));
    call.weights = with.data();
    call.sums = out.data();
    enqueue(on, {}, call);
    out.read_sync(sums, out.size());
  });
}

}  // namespace libscan::inline v1::detail
