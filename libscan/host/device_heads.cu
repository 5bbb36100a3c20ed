// SPDX-License-Identifier: Apache-2.0
// Head bits of segments that are described by flags, keys or one length, on a machine with kernels.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <libscan/device/head_bits.cuh>
#include <libscan/host/host_call.hpp>
#include <libscan/host/this_machine.cuh>

namespace libscan::inline v1::detail {

namespace {

/// What `==` compares: integers of a size share a kernel.
template <class Key>
struct compared {
  using type = Key;
};
template <class Key>
requires std::is_integral_v<Key>
struct compared<Key> {
  using type = std::make_unsigned_t<Key>;
};

/// Calls body(descriptor) with the segments of a call.
template <class Body>
void with_heads(segmentation const& segments, Body const& body) {
  using form = segmentation::form;
  if (segments.how() == form::flags) {
    return body(head_flags{static_cast<std::uint8_t const*>(segments.data())});
  }
  if (segments.how() == form::length) return body(equal_segments{segments.count()});
  detail::visit_input_type(segments.type(), [&]<class Key>(std::type_identity<Key>) {
    using key = typename compared<Key>::type;
    body(segment_keys<key const*>{static_cast<key const*>(segments.data())});
  });
}

}  // namespace

template <class Machine>
void device_head_bits<Machine>::pack(Machine on, queue_place const& place, device_call const& call,
                                     std::uint32_t* words) {
  device::on_machine const here(on);
  item_count const n =
      call.d_n == nullptr ? item_count(call.n) : item_count::on_device(call.d_n, call.n);
  with_heads(call.segments, [&](auto const& heads) {
    device::pack_heads(heads, reinterpret_cast<std::byte*>(words), n, device::stream_of(place));
  });
}

template <class Machine>
std::size_t device_head_bits<Machine>::bytes(index_t n) {
  return device::packed_heads_bytes(n);
}

template struct device_head_bits<device::this_machine>;

}  // namespace libscan::inline v1::detail
