// SPDX-License-Identifier: Apache-2.0
// Checks of filters before they launch anything, where the host knows the memory: outputs must not
// begin within what is read. Only the device knows where an output ends, but the host knows where
// it begins; of iterators other than pointers it knows nothing.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include <apps/filter/device/outputs.cuh>
#include <apps/filter/device/rules.cuh>
#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>
#include <libscan/device/memory_span.cuh>
#include <libscan/device/reverse_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The memory that a rule reads in addition to n items.
template <class Rule>
memory_span memory_of_rule(Rule const&, index_t) {
  return {};
}
inline memory_span memory_of_rule(keep_marked<byte_mask> const& rule, index_t n) {
  return memory_of(rule.mask, n);
}
inline memory_span memory_of_rule(keep_marked<bit_mask> const& rule, index_t n) {
  return memory_of(rule.mask, n);
}

/// The first byte of an output, if it is written; 0: unknown.
template <class Out>
std::uintptr_t first_byte_of(Out const&) {
  return 0;
}
template <class T>
std::uintptr_t first_byte_of(T* const& out) {
  return reinterpret_cast<std::uintptr_t>(out);
}
template <class T>
std::uintptr_t first_byte_of(reverse_iterator<T*> const& out) {
  return reinterpret_cast<std::uintptr_t>(out.end) - sizeof(T);
}

/// Throws `invalid_argument` if an output begins within the n items that are read, or within what
/// the rule reads. `in_place`: an output's begin that may be equal to the items'; null if none may.
template <class In, class Rule>
void require_no_overlap(char const* call, In const& in, Rule const& rule, index_t n,
                        std::initializer_list<std::uintptr_t> outputs,
                        std::optional<std::uintptr_t> in_place = {}) {
  auto const items = device::memory_of(in, n);
  auto const mask = device::memory_of_rule(rule, n);
  for (std::uintptr_t const first : outputs) {
    bool const input = items.has(first) && !(first == in_place && first == items.begin);
    if (!input && !mask.has(first)) continue;
    throw invalid_argument(std::string(call) + ": an output begins within the " +
                           (input ? "input" : "mask") + "; expected memory separate from it" +
                           (input && in_place ? ", or exactly at its start" : ""));
  }
}

/// The same for an output of n items, whose whole range is known.
template <class In, class Rule, class Out>
void require_no_output_overlap(char const* call, In const& in, Rule const& rule, Out const& out,
                               index_t n) {
  auto const written = device::memory_of(out, n);
  bool const input = written.overlaps(device::memory_of(in, n));
  if (!input && !written.overlaps(device::memory_of_rule(rule, n))) return;
  throw invalid_argument(std::string(call) + ": the output overlaps the " +
                         (input ? "input" : "mask") + "; expected memory separate from it");
}

/// Throws `invalid_argument` if outputs of up to n items begin at the same address.
template <class A, class B>
void require_two_places(char const* call, A const& a, B const& b, index_t n) {
  auto const of_a = device::memory_of(a, n);
  if (of_a.end == 0 || of_a.begin != device::memory_of(b, n).begin) return;
  throw invalid_argument(std::string(call) + ": two outputs begin at one place; expected each in " +
                         "memory of its own");
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
