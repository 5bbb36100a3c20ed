// SPDX-License-Identifier: Apache-2.0
// The sort of c_api.h in terms of sort_device.hpp.
#include <cstddef>
#include <string>
#include <type_traits>

#include <apps/radix_sort/host/sort_device.hpp>
#include <libscan/host/c_call.hpp>
#include <libscan/radix_sort.hpp>

namespace {

using libscan::invalid_argument;
using libscan::sort_direction;
using libscan::detail::c_status_of;
using libscan::detail::sort_call;
using libscan::detail::split_call;

template <class Call>
void set_values(Call& call, libscan_values const& values) {
  if (values.bytes <= 0) {
    throw invalid_argument("libscan_values: " + std::to_string(values.bytes) +
                           " bytes; expected at least one");
  }
  call.values = values.in;
  call.values_out = values.out;
  call.value_bytes = values.bytes;
}

/// Refuses positions of a size that they do not have, or that is too small.
void check_positions(libscan_values const* values, libscan::index_t n) {
  if (values == nullptr || values->in != nullptr || n == 0) return;
  if (values->bytes != 4 && values->bytes != 8) {
    throw invalid_argument("libscan_values: " + std::to_string(values->bytes) +
                           " bytes of positions; expected 4 or 8");
  }
  if (values->bytes == 4 && n > (libscan::index_t{1} << 32)) {
    throw invalid_argument("libscan_values: positions of 4 bytes of " + std::to_string(n) +
                           " keys; expected 8 bytes");
  }
}

void set_segments(sort_call& call, libscan_segments const& segments) {
  if (segments.form == LIBSCAN_ONE_SEGMENT) return;
  if (call.d_n != nullptr) {
    throw invalid_argument("libscan_sort: within segments, expected a number of keys on the host");
  }
  libscan::detail::set_described(call, libscan::detail::c_segments(&segments, call.n));
}

sort_call call_of(libscan_items const& keys, void* out, libscan_values const* values,
                  libscan_segments const* segments) {
  sort_call call;
  call.keys = keys.data;
  call.out = out;
  call.n = keys.n;
  call.d_n = keys.d_n;
  if (values != nullptr) set_values(call, *values);
  if (segments != nullptr) set_segments(call, *segments);
  return call;
}

split_call split_of(libscan_items const& keys, libscan_values const* values) {
  split_call call;
  libscan::visit_item_type(libscan::detail::c_type(keys), [&]<class T>(std::type_identity<T>) {
    if constexpr (!std::is_integral_v<T>) {
      throw invalid_argument("libscan_split_by_key: keys are floating-point; expected integers");
    }
    call.key_bytes = static_cast<int>(sizeof(T));
  });
  call.keys = keys.data;
  call.n = keys.n;
  call.d_n = keys.d_n;
  if (values != nullptr) set_values(call, *values);
  return call;
}

/// Returns body(std::type_identity<T>{}) for the type of keys.
template <class Body>
decltype(auto) visit_key_type(libscan_items const& keys, Body const& body) {
  return libscan::detail::visit_input_type(libscan::detail::c_input_type(keys.type), body);
}

/// Sets *bytes to the workspace of a call.
void required_bytes(libscan_queue const* queue, libscan_items const& keys, sort_call const& call,
                    size_t* bytes) {
  auto const to = libscan::detail::c_queue(queue);
  libscan::detail::required(bytes, "bytes") =
      visit_key_type(keys, [&]<class T>(std::type_identity<T>) {
        return libscan::detail::compiled_sort<T>::enqueued_bytes(to.on, call);
      });
}

}  // namespace

libscan_status libscan_sort(libscan_queue const* queue, libscan_items keys, void* out,
                            libscan_values const* values, libscan_segments const* segments,
                            libscan_order const* order) {
  return c_status_of([&] {
    auto const to = libscan::detail::c_queue(queue);
    sort_call const call = call_of(keys, out, values, segments);
    check_positions(values, keys.n);
    bool const positions = values != nullptr && values->in == nullptr;
    if (positions != (out == nullptr) && keys.n != 0) {
      throw invalid_argument("libscan_sort: expected out for sorted keys, or positions without it");
    }
    libscan::sort_options options;
    if (order != nullptr) {
      if (order->descending != 0) options.direction = sort_direction::descending;
      options.first_bit = order->first_bit;
      options.end_bit = order->end_bit == 0 ? -1 : order->end_bit;
    }
    visit_key_type(keys, [&]<class T>(std::type_identity<T>) {
      libscan::detail::compiled_sort<T>::enqueue(to, call, options);
    });
  });
}

libscan_status libscan_sort_workspace_bytes(libscan_queue const* queue, libscan_items keys,
                                            libscan_values const* values,
                                            libscan_segments const* segments, size_t* bytes) {
  return c_status_of(
      [&] { required_bytes(queue, keys, call_of(keys, nullptr, values, segments), bytes); });
}

libscan_status libscan_sort_in_place_workspace_bytes(libscan_queue const* queue, libscan_items keys,
                                                     libscan_values const* values,
                                                     libscan_segments const* segments,
                                                     size_t* bytes) {
  return c_status_of([&] {
    sort_call call = call_of(keys, nullptr, values, segments);
    std::byte places[2];
    call.keys = call.out = &places[0];
    if (values != nullptr) call.values = call.values_out = &places[1];
    required_bytes(queue, keys, call, bytes);
  });
}

libscan_status libscan_split_by_key(libscan_queue const* queue, libscan_items keys, void* out,
                                    libscan_values const* values, int32_t buckets,
                                    int64_t* offsets) {
  return c_status_of([&] {
    auto const to = libscan::detail::c_queue(queue);
    split_call call = split_of(keys, values);
    check_positions(values, keys.n);
    call.out = out;
    call.buckets = buckets;
    call.offsets = &libscan::detail::required(offsets, "offsets");
    libscan::detail::enqueue_split(to, call);
  });
}

libscan_status libscan_split_by_key_workspace_bytes(libscan_queue const* queue, libscan_items keys,
                                                    libscan_values const* values, size_t* bytes) {
  return c_status_of([&] {
    libscan::detail::required(bytes, "bytes") = libscan::detail::enqueued_split_bytes(
        libscan::detail::c_queue(queue).on, split_of(keys, values));
  });
}
