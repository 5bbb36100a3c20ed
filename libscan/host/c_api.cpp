// SPDX-License-Identifier: Apache-2.0
// c_api.h in terms of device_call.hpp: enumerators become those of C++, exceptions a status.
#include <libscan/c_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string>

#include <libscan/core/error.hpp>
#include <libscan/host/c_call.hpp>
#include <libscan/host/device_call.hpp>

namespace {

using libscan::index_t;
using libscan::invalid_argument;
using libscan::segmentation;
using libscan::detail::device_call;

// The enumerators of C are those of C++, by number.
#define LIBSCAN_SAME(c, cpp) static_assert(static_cast<int>(c) == static_cast<int>(libscan::cpp))
LIBSCAN_SAME(LIBSCAN_I8, item_type::i8);
LIBSCAN_SAME(LIBSCAN_U8, item_type::u8);
LIBSCAN_SAME(LIBSCAN_I16, item_type::i16);
LIBSCAN_SAME(LIBSCAN_U16, item_type::u16);
LIBSCAN_SAME(LIBSCAN_I32, item_type::i32);
LIBSCAN_SAME(LIBSCAN_U32, item_type::u32);
LIBSCAN_SAME(LIBSCAN_I64, item_type::i64);
LIBSCAN_SAME(LIBSCAN_U64, item_type::u64);
LIBSCAN_SAME(LIBSCAN_F32, item_type::f32);
LIBSCAN_SAME(LIBSCAN_F64, item_type::f64);
static_assert(std::size(libscan::all_item_types) == 10,
              "a new type needs an enumerator in c_api.h");
LIBSCAN_SAME(LIBSCAN_PLUS, operator_kind::plus);
LIBSCAN_SAME(LIBSCAN_MINIMUM, operator_kind::minimum);
LIBSCAN_SAME(LIBSCAN_MAXIMUM, operator_kind::maximum);
LIBSCAN_SAME(LIBSCAN_BIT_AND, operator_kind::bit_and);
LIBSCAN_SAME(LIBSCAN_BIT_OR, operator_kind::bit_or);
LIBSCAN_SAME(LIBSCAN_BIT_XOR, operator_kind::bit_xor);
static_assert(std::size(libscan::all_operators) == 6,
              "a new operator needs an enumerator in c_api.h");
LIBSCAN_SAME(LIBSCAN_INCLUSIVE, scan_kind::inclusive);
LIBSCAN_SAME(LIBSCAN_EXCLUSIVE, scan_kind::exclusive);
#undef LIBSCAN_SAME

segmentation keys_of(libscan_type type, void const* keys, index_t n) {
  auto const count = static_cast<std::size_t>(n < 0 ? 0 : n);
  return libscan::detail::visit_input_type(
      libscan::detail::c_input_type(type), [&]<class Key>(std::type_identity<Key>) {
        return segmentation::of_keys(std::span(static_cast<Key const*>(keys), count));
      });
}

/// Returns body(bound) with the type of offsets and ranges; zero, which is LIBSCAN_I8, is int64_t.
template <class Body>
segmentation with_bounds(libscan_type type, Body const& body) {
  switch (type) {
    case LIBSCAN_I32:
      return body(std::int32_t{0});
    case LIBSCAN_U32:
      return body(std::uint32_t{0});
    case LIBSCAN_I8:
    case LIBSCAN_I64:
    case LIBSCAN_U64:
      return body(index_t{0});
    default:
      throw invalid_argument("offsets of type " + std::to_string(type) +
                             "; expected integers of 32 or 64 bits");
  }
}

/// Storage for an init of any type.
union any_init {
  std::uint64_t word;
  float f32[2];
  double f64[2];
};

/// Sets the kind and the direction of a scan.
void set_kind(device_call& call, libscan_scan_kind kind) {
  if (static_cast<unsigned>(kind) > LIBSCAN_REVERSE_EXCLUSIVE) {
    throw invalid_argument("kind " + std::to_string(kind) + " of scan: there is none");
  }
  bool const exclusive = kind == LIBSCAN_EXCLUSIVE || kind == LIBSCAN_REVERSE_EXCLUSIVE;
  call.kind = exclusive ? libscan::scan_kind::exclusive : libscan::scan_kind::inclusive;
  call.reverse = kind >= LIBSCAN_REVERSE_INCLUSIVE;
  if (call.reverse && call.segments.how() != segmentation::form::none) {
    throw invalid_argument("a reverse scan within segments; expected no segments");
  }
}

/// The operator of the list that `op` names. Throws `invalid_argument` if there is none.
libscan::operator_kind operator_of(libscan_operator op) {
  if (static_cast<unsigned>(op) >= std::size(libscan::all_operators)) {
    throw invalid_argument("operator " + std::to_string(static_cast<int>(op)) + ": there is none");
  }
  return static_cast<libscan::operator_kind>(op);
}

/// The call without outputs, and with the init on the host, if there is one. Refuses complex
/// numbers unless they are summed.
device_call call_of(libscan_items const& items, segmentation const& segments, libscan_operator op,
                    void const* init) {
  bool const complex =
      (items.type == LIBSCAN_C64 || items.type == LIBSCAN_C128) && op == LIBSCAN_PLUS;
  libscan_type const part = items.type == LIBSCAN_C64 ? LIBSCAN_F32 : LIBSCAN_F64;
  return {.type = libscan::detail::c_type(complex ? part : items.type),
          .op = operator_of(op),
          .in = items.data,
          .n = items.n,
          .d_n = items.d_n,
          .segments = segments,
          .init = init,
          .of_complex = complex};
}

/// The same for results of other types, after *d_init, if that is not null.
device_call call_as(libscan_items const& items, libscan_results const& results,
                    segmentation const& segments, libscan_operator op, void const* init,
                    void const* d_init) {
  device_call call{.type = libscan::detail::c_type(results.accumulator),
                   .op = operator_of(op),
                   .in = items.data,
                   .n = items.n,
                   .d_n = items.d_n,
                   .segments = segments,
                   .init = init,
                   .d_init = d_init,
                   .converts = true,
                   .in_type = libscan::detail::c_input_type(items.type),
                   .out_type = libscan::detail::c_input_type(results.type)};
  auto const value = libscan::detail::as_input(call.type);
  bool const halves = results.type == LIBSCAN_F16 || results.type == LIBSCAN_BF16;
  if (call.out_type != value && !(halves && results.accumulator == LIBSCAN_F32)) {
    throw invalid_argument(
        "libscan_results: expected results of the accumulator's type, or 16-bit floats of "
        "LIBSCAN_F32");
  }
  call.converts = call.in_type != value || call.out_type != value;
  return call;
}

/// Refuses totals of segments that are no accumulators.
void check_totals(libscan_results const& totals) {
  if (totals.type == totals.accumulator) return;
  throw invalid_argument("libscan_results: expected totals of the accumulator's type");
}

/// Calls run(queue, call) with the operator's identity, unless there is an init.
template <class Run>
void enqueue(libscan_queue const* where, device_call call, Run const& run) {
  libscan::device_queue const to = libscan::detail::c_queue(where);
  any_init identity{};
  libscan::visit_item_type(call.type, [&]<class T>(std::type_identity<T>) {
    libscan::visit_operator<T>(call.op, [&](auto known) {
      T const first[] = {known.identity(), known.identity()};
      std::memcpy(&identity, &first, call.of_complex ? sizeof(first) : sizeof(T));
    });
  });
  if (call.init == nullptr) call.init = &identity;
  run(to, call);
}

void scan(libscan_queue const* queue, device_call call, void* out, libscan_scan_kind kind,
          void* d_total) {
  set_kind(call, kind);
  if (d_total != nullptr && call.segments.how() != segmentation::form::none) {
    throw invalid_argument("d_total of a scan within segments; expected NULL, or no segments");
  }
  call.out = out;
  call.d_total = d_total;
  enqueue(queue, call, libscan::detail::enqueue_scan);
}

void reduce(libscan_queue const* queue, device_call call, void* totals, int64_t* d_segments) {
  if (d_segments != nullptr && call.segments.how() == segmentation::form::none) {
    throw invalid_argument("d_segments of a reduction without segments; expected NULL");
  }
  call.out = totals;
  call.d_total = d_segments;
  enqueue(queue, call, libscan::detail::enqueue_reduce);
}

}  // namespace

namespace libscan::inline v1::detail {

segmentation c_segments(libscan_segments const* segments, index_t n) {
  if (segments == nullptr) return {};
  if (segments->count < 0) {
    throw invalid_argument("number of segments is " + std::to_string(segments->count) +
                           "; expected >= 0");
  }
  auto const count = static_cast<std::size_t>(segments->count);
  switch (segments->form) {
    case LIBSCAN_ONE_SEGMENT:
      return {};
    case LIBSCAN_HEAD_BITS: {
      auto const words = static_cast<std::size_t>(ceil_div(n < 0 ? 0 : n, index_t{32}));
      return segmentation::of_bits({static_cast<std::uint32_t const*>(segments->data), words},
                                   n < 0 ? 0 : n);
    }
    case LIBSCAN_OFFSETS:
      return with_bounds(segments->keys, [&]<class Bound>(Bound) {
        return segmentation::of_offsets(
            std::span(static_cast<Bound const*>(segments->data), count + 1));
      });
    case LIBSCAN_RANGES:
      return with_bounds(segments->keys, [&]<class Bound>(Bound) {
        return segmentation::of_ranges(std::span(static_cast<Bound const*>(segments->data), count),
                                       std::span(static_cast<Bound const*>(segments->ends), count));
      });
    case LIBSCAN_HEAD_FLAGS:
      return segmentation::of_flags(std::span(static_cast<std::uint8_t const*>(segments->data),
                                              static_cast<std::size_t>(n < 0 ? 0 : n)));
    case LIBSCAN_KEYS:
      return keys_of(segments->keys, segments->data, n);
    case LIBSCAN_LENGTH:
      return segmentation::of_length(segments->count);
  }
  throw invalid_argument("form " + std::to_string(segments->form) + " of segments: there is none");
}

}  // namespace libscan::inline v1::detail

int libscan_c_api_version() { return LIBSCAN_C_API_VERSION; }

char const* libscan_last_error() { return libscan::detail::last_c_error().c_str(); }

libscan_status libscan_scan(libscan_queue const* queue, libscan_items items, void* out,
                            libscan_segments const* segments, libscan_operator op,
                            libscan_scan_kind kind, void const* init, void* d_total) {
  return libscan::detail::c_status_of([&] {
    scan(queue, call_of(items, libscan::detail::c_segments(segments, items.n), op, init), out, kind,
         d_total);
  });
}

libscan_status libscan_scan_from(libscan_queue const* queue, libscan_items items, void* out,
                                 libscan_segments const* segments, libscan_operator op,
                                 libscan_scan_kind kind, void const* d_init, void* d_total) {
  return libscan::detail::c_status_of([&] {
    device_call call = call_of(items, libscan::detail::c_segments(segments, items.n), op, nullptr);
    call.d_init = &libscan::detail::required(static_cast<char const*>(d_init), "d_init");
    scan(queue, call, out, kind, d_total);
  });
}

libscan_status libscan_adjacent_difference(libscan_queue const* queue, libscan_items items,
                                           void* out) {
  return libscan::detail::c_status_of([&] {
    bool const halves = items.type == LIBSCAN_F16 || items.type == LIBSCAN_BF16;
    device_call call =
        halves ? call_as(items, {LIBSCAN_F32, items.type, out}, {}, LIBSCAN_PLUS, nullptr, nullptr)
               : call_of(items, {}, LIBSCAN_PLUS, nullptr);
    call.out = out;
    enqueue(queue, call, libscan::detail::enqueue_difference);
  });
}

libscan_status libscan_combine_neighbors(libscan_queue const* queue, libscan_items items, void* out,
                                         libscan_operator op) {
  return libscan::detail::c_status_of([&] {
    device_call call = call_of(items, {}, op, nullptr);
    call.out = out;
    call.combine = {.subtracts = false, .op = call.op};
    enqueue(queue, call, libscan::detail::enqueue_difference);
  });
}

libscan_status libscan_reduce(libscan_queue const* queue, libscan_items items, void* totals,
                              libscan_segments const* segments, libscan_operator op,
                              void const* init, int64_t* d_segments) {
  return libscan::detail::c_status_of([&] {
    reduce(queue, call_of(items, libscan::detail::c_segments(segments, items.n), op, init), totals,
           d_segments);
  });
}

libscan_status libscan_reduce_from(libscan_queue const* queue, libscan_items items, void* totals,
                                   libscan_segments const* segments, libscan_operator op,
                                   void const* d_init, int64_t* d_segments) {
  return libscan::detail::c_status_of([&] {
    device_call call = call_of(items, libscan::detail::c_segments(segments, items.n), op, nullptr);
    call.d_init = &libscan::detail::required(static_cast<char const*>(d_init), "d_init");
    reduce(queue, call, totals, d_segments);
  });
}

libscan_status libscan_reduce_by_key(libscan_queue const* queue, libscan_type key_type,
                                     void const* keys, libscan_items items, void* unique,
                                     void* totals, libscan_operator op, void const* init,
                                     int64_t* d_runs) {
  return libscan::detail::c_status_of([&] {
    device_call call = call_of(items, keys_of(key_type, keys, items.n), op, init);
    call.unique = &libscan::detail::required(static_cast<char*>(unique), "unique");
    reduce(queue, call, totals, d_runs);
  });
}

libscan_status libscan_workspace_bytes(libscan_queue const* queue, libscan_items items,
                                       libscan_segments const* segments, size_t* bytes) {
  return libscan::detail::c_status_of([&] {
    libscan::detail::required(bytes, "bytes") = libscan::detail::enqueued_bytes(
        libscan::detail::c_queue(queue).on,
        call_of(items, libscan::detail::c_segments(segments, items.n), LIBSCAN_PLUS, nullptr));
  });
}

libscan_status libscan_scan_as(libscan_queue const* queue, libscan_items items, libscan_results out,
                               libscan_segments const* segments, libscan_operator op,
                               libscan_scan_kind kind, void const* init, void const* d_init,
                               void* d_total) {
  return libscan::detail::c_status_of([&] {
    scan(queue,
         call_as(items, out, libscan::detail::c_segments(segments, items.n), op, init, d_init),
         out.data, kind, d_total);
  });
}

libscan_status libscan_reduce_as(libscan_queue const* queue, libscan_items items,
                                 libscan_results totals, libscan_segments const* segments,
                                 libscan_operator op, void const* init, void const* d_init,
                                 int64_t* d_segments) {
  return libscan::detail::c_status_of([&] {
    check_totals(totals);
    reduce(queue,
           call_as(items, totals, libscan::detail::c_segments(segments, items.n), op, init, d_init),
           totals.data, d_segments);
  });
}

libscan_status libscan_reduce_by_key_as(libscan_queue const* queue, libscan_type key_type,
                                        void const* keys, libscan_items items, void* unique,
                                        libscan_results totals, libscan_operator op,
                                        void const* init, void const* d_init, int64_t* d_runs) {
  return libscan::detail::c_status_of([&] {
    check_totals(totals);
    device_call call = call_as(items, totals, keys_of(key_type, keys, items.n), op, init, d_init);
    call.unique = &libscan::detail::required(static_cast<char*>(unique), "unique");
    reduce(queue, call, totals.data, d_runs);
  });
}

libscan_status libscan_workspace_bytes_as(libscan_queue const* queue, libscan_items items,
                                          libscan_results results, libscan_segments const* segments,
                                          size_t* bytes) {
  return libscan::detail::c_status_of([&] {
    libscan::detail::required(bytes, "bytes") = libscan::detail::enqueued_bytes(
        libscan::detail::c_queue(queue).on,
        call_as(items, results, libscan::detail::c_segments(segments, items.n), LIBSCAN_PLUS,
                nullptr, nullptr));
  });
}

libscan_status libscan_binary_scan(libscan_queue const* queue, libscan_rule const* mask, int64_t n,
                                   void* ranks, int32_t rank_bytes, libscan_scan_kind kind,
                                   int64_t* d_total) {
  return libscan::detail::c_status_of([&] {
    auto const to = libscan::detail::c_queue(queue);
    if (rank_bytes != 4 && rank_bytes != 8) {
      throw invalid_argument("ranks of " + std::to_string(rank_bytes) + " bytes; expected 4 or 8");
    }
    if (kind != LIBSCAN_INCLUSIVE && kind != LIBSCAN_EXCLUSIVE) {
      throw invalid_argument("kind " + std::to_string(kind) +
                             " of binary scan; expected inclusive or exclusive");
    }
    if (n < 0) {
      throw invalid_argument("number of items is " + std::to_string(n) + "; expected >= 0");
    }
    libscan::detail::enqueue_binary_scan(
        to, {libscan::detail::c_mask(libscan::detail::required(mask, "mask"), n),
             static_cast<libscan::scan_kind>(kind), ranks, static_cast<std::size_t>(rank_bytes),
             d_total});
  });
}

libscan_status libscan_binary_scan_workspace_bytes(libscan_queue const* queue, int64_t n,
                                                   size_t* bytes) {
  return libscan::detail::c_status_of([&] {
    libscan::detail::required(bytes, "bytes") =
        libscan::detail::enqueued_rank_bytes(libscan::detail::c_queue(queue).on, n);
  });
}
