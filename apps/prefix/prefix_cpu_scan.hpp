// SPDX-License-Identifier: Apache-2.0
// The implementation of prefix_cpu.hpp. Scans are compiled for accumulator, operator and kind; the
// rest is looked up once a chunk: the items' type, where segments begin, the direction.
#pragma once

#include <type_traits>

#include <apps/common/dtype.hpp>
#include <apps/prefix/heads.hpp>
#include <apps/prefix/prefix_cpu.hpp>
#include <libscan/cpu/carried_scan.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <libscan/cpu/staged_scan.hpp>

namespace libscan::apps {

/// Items of a type known at run time, converted to T.
template <class T>
struct converted_items {
  dtype type;
  void const* items;

  void operator()(index_t begin, index_t end, T* to) const {
    libscan::visit_item_type(type, [&]<class Item>(std::type_identity<Item>) {
      Item const* const from = static_cast<Item const*>(items) + begin;
      for (index_t i = 0; i < end - begin; ++i) to[i] = static_cast<T>(from[i]);
    });
  }

  T const* direct(index_t begin) const {
    return type == apps::dtype_of<T>() ? static_cast<T const*>(items) + begin : nullptr;
  }
};

/// See prefix_cpu.hpp.
template <class T>
void prefix_on_cpu(int threads, prefix_call const& call) {
  converted_items<T> const source{call.type, call.in};
  T* const out = static_cast<T*>(call.out);
  T const init = *static_cast<T const*>(call.init);
  auto const scan = [&]<scan_kind Kind>(std::integral_constant<scan_kind, Kind>) {
    libscan::visit_operator<T>(call.op, [&](auto op) {
      bool const plain = call.segments.how == segmentation::form::none;
      T* const carry = static_cast<T*>(call.carry);
      if (plain && carry != nullptr) {
        cpu::carried_scan<Kind>(threads, call.direction, source, out, call.n, op, *carry);
      } else if (carry != nullptr) {
        cpu::carried_segmented_scan<Kind>(threads, call.direction, source, out,
                                          described_heads{call.segments}, call.n, op, init, *carry);
      } else if (plain) {
        cpu::staged_scan<Kind>(threads, call.direction, source, out, call.n, op, init);
      } else {
        cpu::staged_segmented_scan<Kind>(threads, call.direction, source, out,
                                         described_heads{call.segments}, call.n, op, init);
      }
    });
  };
  if (call.kind == scan_kind::inclusive) {
    scan(std::integral_constant<scan_kind, scan_kind::inclusive>{});
  } else {
    scan(std::integral_constant<scan_kind, scan_kind::exclusive>{});
  }
}

}  // namespace libscan::apps
