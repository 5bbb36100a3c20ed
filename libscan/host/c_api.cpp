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

segmentation segments_of(libscan_segments const* segments, index_t n) {
  if (segments == nullptr) return {};
  if (segments->count < 0) {
    throw invalid_argument("number of segments is " + std::to_string(segments->count) +
                           "; expected >= 0");
  }
  auto const count = static_cast<std::size_t>(segments->count);
  auto const* const bounds = static_cast<index_t const*>(segments->data);
  switch (segments->form) {
    case LIBSCAN_ONE_SEGMENT:
      return {};
    case LIBSCAN_HEAD_BITS: {
      auto const words = static_cast<std::size_t>(libscan::ceil_div(n < 0 ? 0 : n, index_t{32}));
      return segmentation::of_bits({static_cast<std::uint32_t const*>(segments->data), words},
                                   n < 0 ? 0 : n);
    }
    case LIBSCAN_OFFSETS:
      return segmentation::of_offsets(std::span(bounds, count + 1));
    case LIBSCAN_RANGES:
      return segmentation::of_ranges(std::span(bounds, count),
                                     std::span(static_cast<index_t const*>(segments->ends), count));
  }
  throw invalid_argument("form " + std::to_string(segments->form) + " of segments: there is none");
}

/// Storage for an init of any type.
union any_init {
  std::uint64_t word;
  float f32;
  double f64;
};

/// Calls enqueue(queue, call).
template <class Enqueue>
void enqueue(libscan_queue const* where, libscan_items const& items, void* out,
             libscan_segments const* segments, libscan_operator op, libscan_scan_kind kind,
             void const* init, void* d_total, Enqueue const& run) {
  libscan::device_queue const to = libscan::detail::c_queue(where);
  auto const type = libscan::detail::c_type(items);
  auto const op_kind = static_cast<libscan::operator_kind>(op);
  if (kind != LIBSCAN_INCLUSIVE && kind != LIBSCAN_EXCLUSIVE) {
    throw invalid_argument("kind " + std::to_string(kind) + " of scan: there is none");
  }
  if (static_cast<unsigned>(op) > LIBSCAN_BIT_XOR) {
    throw invalid_argument("operator " + std::to_string(op) + ": there is none");
  }
  any_init identity{};
  libscan::visit_item_type(type, [&]<class T>(std::type_identity<T>) {
    libscan::visit_operator<T>(op_kind, [&](auto known) {
      T const first = known.identity();
      std::memcpy(&identity, &first, sizeof(T));
    });
  });
  run(to,
      libscan::detail::device_call{type, op_kind, static_cast<libscan::scan_kind>(kind), items.data,
                                   out, items.n, items.d_n, segments_of(segments, items.n),
                                   init == nullptr ? &identity : init, d_total});
}

}  // namespace

int libscan_c_api_version() { return LIBSCAN_C_API_VERSION; }

char const* libscan_last_error() { return libscan::detail::last_c_error().c_str(); }

libscan_status libscan_scan(libscan_queue const* queue, libscan_items items, void* out,
                            libscan_segments const* segments, libscan_operator op,
                            libscan_scan_kind kind, void const* init, void* d_total) {
  return libscan::detail::c_status_of([&] {
    enqueue(queue, items, out, segments, op, kind, init, d_total,
            [](auto const& to, auto const& call) { libscan::detail::enqueue_scan(to, call); });
  });
}

libscan_status libscan_scan_from(libscan_queue const* queue, libscan_items items, void* out,
                                 libscan_operator op, libscan_scan_kind kind, void const* d_init,
                                 void* d_total) {
  return libscan::detail::c_status_of([&] {
    libscan::detail::required(static_cast<char const*>(d_init), "d_init");
    enqueue(queue, items, out, nullptr, op, kind, nullptr, d_total, [&](auto const& to, auto call) {
      call.d_init = d_init;
      libscan::detail::enqueue_scan(to, call);
    });
  });
}

libscan_status libscan_reduce(libscan_queue const* queue, libscan_items items, void* totals,
                              libscan_segments const* segments, libscan_operator op,
                              void const* init, int64_t* d_segments) {
  return libscan::detail::c_status_of([&] {
    enqueue(queue, items, totals, segments, op, LIBSCAN_INCLUSIVE, init, d_segments,
            [](auto const& to, auto const& call) { libscan::detail::enqueue_reduce(to, call); });
  });
}

libscan_status libscan_workspace_bytes(libscan_queue const* queue, libscan_items items,
                                       libscan_segments const* segments, size_t* bytes) {
  return libscan::detail::c_status_of([&] {
    libscan::detail::required(bytes, "bytes");
    enqueue(queue, items, nullptr, segments, LIBSCAN_PLUS, LIBSCAN_INCLUSIVE, nullptr, nullptr,
            [&](auto const& to, auto const& call) {
              *bytes = libscan::detail::enqueued_bytes(to.on, call);
            });
  });
}
