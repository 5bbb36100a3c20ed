// SPDX-License-Identifier: Apache-2.0
// One call of the host API with its types converted into values, so that libscan.hpp reaches
// every engine through a single compiled function. Internal: users include libscan.hpp.
#pragma once

#include <concepts>
#include <type_traits>

#include <libscan/core/engine.hpp>
#include <libscan/core/item_types.hpp>
#include <libscan/core/operator_list.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

/// out[i] = scan of `kind` over *init and in[0..n-1], and *total = init and all items summed.
/// All pointers are to host memory holding items of `type`; `out` is `in`, or does not overlap it.
struct scan_call {
  item_type type;
  operator_kind op;
  scan_kind kind;
  void const* in;
  void* out;
  index_t n;
  void const* init;
  void* total;
};

/// *result = the sum of *init and in[0..n-1]. As `scan_call`.
struct reduce_call {
  item_type type;
  operator_kind op;
  void const* in;
  index_t n;
  void const* init;
  void* result;
};

/// How neighbors are combined: as later - earlier, or by an operator of the list.
struct neighbor_operator {
  bool subtracts = true;
  operator_kind op = operator_kind::plus;  ///< unless it subtracts
};

/// out[0] = in[0] and out[i] = in[i-1] and in[i] combined, for n items. As `scan_call`.
struct difference_call {
  item_type type;
  void const* in;
  void* out;
  index_t n;
  neighbor_operator combine = {};
};

/// Runs `call` on engine `on` after checking that `out`, `out_items` long, holds n items and is
/// either `in` or does not overlap it (else throws `invalid_argument`).
void run_scan(engine const& on, scan_call const& call, index_t out_items);

/// The same for differences.
void run_difference(engine const& on, difference_call const& call, index_t out_items);

/// Runs `call` on engine `on`.
void run_reduce(engine const& on, reduce_call const& call);

/// T, or the unsigned integer in which differences are the same bits.
template <class T>
struct difference_of {
  using type = T;
};
template <std::signed_integral T>
struct difference_of<T> {
  using type = std::make_unsigned_t<T>;
};

/// Calls f(op) with what combines neighbors of T: unsigned integers in place of signed ones.
template <class T, class F>
void visit_neighbor_operator(neighbor_operator how, F&& f) {
  if (how.subtracts) {
    f(later_minus_earlier{});
  } else {
    f(detail::operator_on_words<T>(how.op));
  }
}

/// Calls f(op) with the operator of that kind over T, or what does the same (`without_sign`).
template <class T, class F>
void visit_operator_of(operator_kind kind, F&& f) {
  libscan::visit_operator<T>(kind, [&]<class Op>(Op) { f(typename without_sign<Op>::type{}); });
}

/// The same for the operator and item type of a call.
template <class Call, class F>
void visit_operator_of(Call const& call, F&& f) {
  libscan::visit_item_type(
      call.type, [&]<class T>(std::type_identity<T>) { detail::visit_operator_of<T>(call.op, f); });
}

}  // namespace libscan::inline v1::detail
