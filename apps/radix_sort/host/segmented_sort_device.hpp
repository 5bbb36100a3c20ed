// SPDX-License-Identifier: Apache-2.0
// The segmented sort of the host API on a machine with kernels, in plain C++;
// segmented_sort_device.cuh implements it. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <apps/radix_sort/core/key_order.hpp>
#include <apps/radix_sort/host/sort_call.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

/// `number_order` of keys given by their bits, so that one compiled sort serves all types of a
/// size.
template <class Word>
struct number_bits {
  bool is_signed = false;  // an integer
  Word infinity = 0;       // for a floating-point type; 0 for integers

  /// The order of keys of type Key.
  template <class Key>
  static constexpr number_bits of() {
    static_assert(sizeof(Key) == sizeof(Word));
    if constexpr (fraction_bits<Key> != 0) {
      return {false, static_cast<Word>(magnitude - ((Word{1} << fraction_bits<Key>)-1))};
    } else {
      return {std::is_signed_v<Key>, 0};
    }
  }

  LIBSCAN_HOST_DEVICE Word operator()(Word bits) const {
    if (infinity == 0) return static_cast<Word>(is_signed ? bits ^ sign : bits);
    if ((bits & magnitude) > infinity) return static_cast<Word>(~Word{0});
    if (bits == sign) bits = 0;
    return static_cast<Word>((bits & sign) != 0 ? ~bits : bits | sign);
  }

  /// The bits of a word's key; those of one key, if equal keys are not identical.
  LIBSCAN_HOST_DEVICE Word key(Word word) const {
    if (infinity == 0) return (*this)(word);
    return static_cast<Word>((word & sign) != 0 ? word ^ sign : ~word);
  }

 private:
  static constexpr auto sign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  static constexpr auto magnitude = static_cast<Word>(sign - 1);
};

/// Sorts n > 0 keys, as words, within segments on a `cuda_device` or an `executor_run`;
/// instantiated for unsigned words of all sizes.
///
/// `enqueue` is asynchronous, on device memory. Otherwise, all pointers are to host memory, and
/// checked. `out` may be `keys`, and null if the keys are not
/// wanted; `values_out` may be `values`. Values may be of any type of their size. Each function
/// returns when its outputs are complete, and leaves the thread's current device unchanged. Throws
/// `device_error`, or `engine_unavailable` if the device cannot be used.
template <class Machine, class Word>
struct device_segmented_sort {
  Machine on;
  Word const* keys;
  Word* out;
  index_t n;
  std::span<index_t const> offsets;
  sort_order<Word, number_bits<Word>> order;

  void alone() const;
  void with(std::uint32_t const* values, std::uint32_t* values_out) const;
  void with(std::uint64_t const* values, std::uint64_t* values_out) const;

  static void enqueue(Machine on, queue_place const& place, sort_call const& call,
                      sort_order<Word, number_bits<Word>> const& order);

  /// Bytes of workspace that it needs.
  static std::size_t workspace_bytes(sort_call const& call);
};

}  // namespace libscan::inline v1::detail
