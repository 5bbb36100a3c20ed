// SPDX-License-Identifier: Apache-2.0
// The filters of c_api.h in terms of filter_device.hpp.
#include <cstddef>
#include <span>
#include <type_traits>

#include <apps/filter/host/filter_device.hpp>
#include <libscan/host/c_call.hpp>
#include <libscan/host/input_types.hpp>
#include <libscan/predicate_parser.hpp>

namespace {

using libscan::index_t;
using libscan::invalid_argument;
using libscan::detail::c_status_of;
using libscan::detail::filter_call;
using libscan::detail::filter_kind;
using libscan::detail::input_type;

/// A call without outputs.
filter_call call_of(libscan_items const& items, filter_kind kind, index_t* d_count) {
  return {.kind = kind,
          .type = libscan::detail::c_input_type(items.type),
          .in = items.data,
          .n = items.n,
          .d_n = items.d_n,
          .d_count = d_count};
}

/// What outputs a filter has.
filter_kind kind_of(void const* out, void const* rejected, void const* positions) {
  bool const items = out != nullptr, others = rejected != nullptr, places = positions != nullptr;
  if (items && others && !places) return filter_kind::split;
  if (items && !others) return places ? filter_kind::with_indices : filter_kind::items;
  if (!items && !others) return places ? filter_kind::positions : filter_kind::count;
  throw invalid_argument(
      "libscan_filter: expected out, positions or both, or out and rejected, or none");
}

/// The unsigned integers of the same size: a split by a bit reads their bits.
input_type without_sign(input_type type) {
  return libscan::detail::visit_input_type(type, []<class T>(std::type_identity<T>) -> input_type {
    if constexpr (std::is_integral_v<T>) {
      return libscan::detail::input_type_of<std::make_unsigned_t<T>>::value;
    } else {
      throw invalid_argument("libscan_split_by_bit: keys are floating-point; expected integers");
    }
  });
}

/// Puts the call in the queue with its rule.
void enqueue_by(libscan_queue const* queue, libscan_rule const& rule, filter_call call) {
  if ((rule.expression != nullptr) + (rule.flags != nullptr) + (rule.bits != nullptr) != 1) {
    throw invalid_argument("libscan_rule: expected one of expression, flags and bits");
  }
  auto const to = libscan::detail::c_queue(queue);
  if (rule.expression == nullptr) {
    call.mask = libscan::detail::c_mask(rule, call.n);
    return libscan::detail::enqueue_filter(to, call);
  }
  libscan::detail::visit_input_type(call.type, [&]<class T>(std::type_identity<T>) {
    auto const keep = libscan::parse_predicate<T>(rule.expression);
    call.keep = &keep;
    libscan::detail::enqueue_filter(to, call);
  });
}

}  // namespace

libscan_status libscan_filter(libscan_queue const* queue, libscan_items items,
                              libscan_rule const* rule, void* out, void* rejected,
                              int64_t* positions, int64_t* d_count) {
  return c_status_of([&] {
    filter_call call = call_of(items, kind_of(out, rejected, positions), d_count);
    call.out = out;
    call.rejected = rejected == out ? nullptr : rejected;
    call.positions = positions;
    enqueue_by(queue, libscan::detail::required(rule, "rule"), call);
  });
}

libscan_status libscan_split_by_bit(libscan_queue const* queue, libscan_items keys, void* out,
                                    int32_t bit, int64_t* d_zeros) {
  return c_status_of([&] {
    filter_call call = call_of(keys, filter_kind::split_bit, d_zeros);
    call.type = without_sign(call.type);
    call.out = out;
    call.bit = bit;
    libscan::detail::enqueue_filter(libscan::detail::c_queue(queue), call);
  });
}

libscan_status libscan_unique(libscan_queue const* queue, libscan_items items, void* out,
                              int64_t* lengths, int64_t* d_runs) {
  return c_status_of([&] {
    auto const kind = lengths == nullptr ? filter_kind::unique : filter_kind::run_lengths;
    filter_call call = call_of(items, kind, d_runs);
    call.out = out;
    call.positions = lengths;
    libscan::detail::enqueue_filter(libscan::detail::c_queue(queue), call);
  });
}

libscan_status libscan_run_length_encode(libscan_queue const* queue, libscan_items items, void* out,
                                         int64_t* lengths, int64_t* offsets, int64_t* d_runs) {
  return libscan_long_runs(queue, items, out, lengths, offsets, 1, d_runs);
}

libscan_status libscan_long_runs(libscan_queue const* queue, libscan_items items, void* out,
                                 int64_t* lengths, int64_t* offsets, int64_t min_length,
                                 int64_t* d_runs) {
  return c_status_of([&] {
    filter_call call = call_of(items, filter_kind::run_lengths, d_runs);
    call.out = out;
    call.positions = &libscan::detail::required(lengths, "lengths");
    call.offsets = offsets;
    call.min_length = min_length;
    libscan::detail::enqueue_filter(libscan::detail::c_queue(queue), call);
  });
}

libscan_status libscan_long_runs_workspace_bytes(libscan_queue const* queue, libscan_items items,
                                                 int64_t min_length, size_t* bytes) {
  return c_status_of([&] {
    libscan::detail::required(bytes, "bytes") = libscan::detail::enqueued_run_bytes(
        libscan::detail::c_queue(queue).on, libscan::detail::c_input_type(items.type), items.n,
        min_length);
  });
}

libscan_status libscan_filter_workspace_bytes(libscan_queue const* queue, libscan_items items,
                                              size_t* bytes) {
  return c_status_of([&] {
    libscan::detail::required(bytes, "bytes") = libscan::detail::enqueued_filter_bytes(
        libscan::detail::c_queue(queue).on, libscan::detail::c_input_type(items.type), items.n);
  });
}
