// SPDX-License-Identifier: Apache-2.0
// The compiled half of the host API of scans: checks a call and passes it to its engine.
#include <libscan/libscan.hpp>

#include <string>

#include <libscan/cpu/adjacent_difference.hpp>
#include <libscan/cpu/reduce.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/host/device_items.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::inline v1::detail {

namespace {

std::string name_of(scan_kind kind) {
  return kind == scan_kind::inclusive ? "inclusive_scan" : "exclusive_scan";
}

/// Checks the input and output of a scan or of differences.
template <class Call>
void check(std::string const& name, Call const& call, index_t out_items) {
  if (out_items < call.n) {
    throw invalid_argument(name + ": out holds " + std::to_string(out_items) +
                           " items, but in has " + std::to_string(call.n) +
                           "; out must be at least as long");
  }
  if (call.n == 0 || call.in == call.out) return;
  auto const in = reinterpret_cast<std::uintptr_t>(call.in);
  auto const out = reinterpret_cast<std::uintptr_t>(call.out);
  auto const bytes = static_cast<std::uintptr_t>(call.n) * libscan::size_of(call.type);
  std::uintptr_t const apart = in < out ? out - in : in - out;
  if (apart >= bytes) return;
  throw invalid_argument(name + ": out overlaps in, " + std::to_string(apart) + " bytes " +
                         (in < out ? "after" : "before") +
                         " its start; out must be in itself or separate from it");
}

template <class T>
void scan_items(int threads, scan_call const& call, cpu::detail::chosen_operator<T> op) {
  auto const in = static_cast<T const*>(call.in);
  auto const out = static_cast<T*>(call.out);
  T const init = *static_cast<T const*>(call.init);
  *static_cast<T*>(call.total) = call.kind == scan_kind::inclusive
                                     ? cpu::inclusive_scan(threads, in, out, call.n, op, init)
                                     : cpu::exclusive_scan(threads, in, out, call.n, op, init);
}

template <class T>
void reduce_items(int threads, reduce_call const& call, cpu::detail::chosen_operator<T> op) {
  *static_cast<T*>(call.result) = cpu::reduce(threads, static_cast<T const*>(call.in), call.n, op,
                                              *static_cast<T const*>(call.init));
}

// Compiled once per item type: the operator's code is only called from chunk to chunk.
void cpu_scan(int threads, scan_call const& call) {
  detail::visit_operator_of(call, [&]<class Op>(Op known) {
    using T = typename Op::value_type;
    scan_items(threads, call, cpu::detail::chosen_operator<T>(known));
  });
}

void cpu_reduce(int threads, reduce_call const& call) {
  detail::visit_operator_of(call, [&]<class Op>(Op known) {
    using T = typename Op::value_type;
    reduce_items(threads, call, cpu::detail::chosen_operator<T>(known));
  });
}

}  // namespace

void run_scan(engine const& on, scan_call const& call, index_t out_items) {
  check(name_of(call.kind), call, out_items);
  detail::on_engine(
      on, call.n,
      [&](auto machine) {
        libscan::visit_item_type(call.type, [&]<class T>(std::type_identity<T>) {
          device_items<decltype(machine), T>::scan(machine, call);
        });
      },
      [&](int threads) { cpu_scan(threads, call); });
}

void run_difference(engine const& on, difference_call const& call, index_t out_items) {
  check("adjacent_difference", call, out_items);
  libscan::visit_item_type(call.type, [&]<class T>(std::type_identity<T>) {
    detail::on_engine(
        on, call.n,
        [&](auto machine) { device_items<decltype(machine), T>::difference(machine, call); },
        [&](int threads) {
          using item = typename difference_of<T>::type;
          detail::visit_neighbor_operator<T>(call.combine, [&](auto op) {
            cpu::adjacent_difference(threads, static_cast<item const*>(call.in),
                                     static_cast<item*>(call.out), call.n, op);
          });
        });
  });
}

void run_reduce(engine const& on, reduce_call const& call) {
  detail::on_engine(
      on, call.n,
      [&](auto machine) {
        libscan::visit_item_type(call.type, [&]<class T>(std::type_identity<T>) {
          device_items<decltype(machine), T>::reduce(machine, call);
        });
      },
      [&](int threads) { cpu_reduce(threads, call); });
}

}  // namespace libscan::inline v1::detail
