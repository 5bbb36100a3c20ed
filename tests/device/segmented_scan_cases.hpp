// SPDX-License-Identifier: Apache-2.0
// Calls of scans within segments between canaries, compared with a sequential loop.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <libscan/segmented_scan.cuh>
#include <tests/device/segmented_cases.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/segments.hpp>

namespace libscan::test {

/// No tuning: the library chooses.
using automatic = void;

inline constexpr scan_kind both_kinds[] = {scan_kind::exclusive, scan_kind::inclusive};

/// Items by which input and output begin after an aligned address.
struct place {
  int in_offset = 0;
  int out_offset = 0;
  bool in_place = false;
};

/// Has items scanned between canaries, and looks at what must not change. Not compiled once for
/// each way and descriptor.
template <class T, class Item>
std::vector<T> between_canaries(std::vector<Item> const& items, place where,
                                std::function<void(workspace&, Item* in, T* out)> const& scan) {
  auto const n = static_cast<index_t>(items.size());
  workspace ws;
  device_image<Item> in(items, where.in_offset);
  device_image<T> apart(where.in_place ? 0 : n, where.out_offset);
  T* out = apart.data();
  if constexpr (std::is_same_v<T, Item>) out = where.in_place ? in.data() : apart.data();
  scan(ws, in.data(), out);
  auto const input_after = in.read();
  auto result = apart.read();
  if constexpr (std::is_same_v<T, Item>) {
    if (where.in_place) result = input_after;
  }
  REQUIRE(in.damage() + apart.damage() == "");
  if (!where.in_place) REQUIRE(bit_difference(items, input_after) == "");
  return result;
}

template <class Tuning, class Heads, class Op, class Item>
std::vector<typename Op::value_type> scan_on_device(scan_kind kind, std::vector<Item> const& items,
                                                    Heads heads, Op op,
                                                    typename Op::value_type init,
                                                    place where = {}) {
  using T = typename Op::value_type;
  auto const n = static_cast<index_t>(items.size());
  return between_canaries<T, Item>(items, where, [&](workspace& ws, Item* in, T* out) {
    if (kind == scan_kind::exclusive) {
      exclusive_segmented_scan<Tuning>(ws, in, out, heads, n, op, init);
    } else {
      inclusive_segmented_scan<Tuning>(ws, in, out, heads, n, op, init);
    }
  });
}

using every_form = descriptors<descriptor::flags, descriptor::bits, descriptor::offsets,
                               descriptor::narrow_offsets, descriptor::keys>;
using marks = descriptors<descriptor::flags, descriptor::bits>;
using offsets_and_keys = descriptors<descriptor::offsets, descriptor::keys>;

/// An operator and descriptors to test it with.
template <class Op, class Descriptors>
struct tested {
  using operation = Op;
  using forms = Descriptors;
  using type = typename Op::value_type;

  static type init() {
    if constexpr (std::is_same_v<Op, compose>) return {3, 5};
    if constexpr (std::is_same_v<Op, keep_last>) return {42, 1};
    if constexpr (std::is_same_v<Op, plus<std::uint8_t>>) return 7;
    return Op::identity();
  }
};

/// All kinds and the descriptors given, for one shape and size.
template <class Tuning, class Item, class Op, descriptor... Which>
void require_scans(segment_shape shape, index_t n, Op op, typename Op::value_type init,
                   descriptors<Which...>, place where = {}) {
  auto const items = make_items<Item>(n);
  segments_on_device const segments(make_offsets(shape, n), where.in_offset);
  for (scan_kind const kind : both_kinds) {
    auto const expected = segmented_oracle(kind, items, segments.host_flags, op, init);
    auto const require = [&](descriptor form, auto const& scan) {
      INFO("n = " << n << ", " << to_string(shape) << ", descriptor " << static_cast<int>(form)
                  << (kind == scan_kind::inclusive ? ", inclusive" : ", exclusive"));
      REQUIRE(difference(expected, scan()) == "");
    };
    using result = std::vector<typename Op::value_type>;
    (require(Which, std::function<result()>([&] {
               return scan_on_device<Tuning>(kind, items, segments.template as<Which>(), op, init,
                                             where);
             })),
     ...);
  }
}

}  // namespace libscan::test
