// SPDX-License-Identifier: Apache-2.0
// Arrays of a case in device memory, and what describes its segments there. Shared by the files of
// calls on device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <apps/check/host_case.hpp>
#include <libscan/host/device_memory.hpp>

namespace libscan::apps {

using libscan::detail::device_array;

/// A copy of an array of a case in device memory. `take` copies it back: what the call left as it
/// was stays so.
template <class T>
class copy_there : public device_array<std::remove_const_t<T>> {
 public:
  copy_there(device_queue const& queue, std::span<T> here)
      : device_array<std::remove_const_t<T>>(queue, static_cast<index_t>(here.size())),
        here_(here) {
    this->upload(here_);
  }

  void take() const { this->download(here_); }

 private:
  std::span<T> here_;
};

/// A description of segments in device memory, by keys of integers or doubles.
class segments_there {
 public:
  segments_there(device_queue const& queue, segmentation const& here)
      : here_(here),
        data_(queue, here.bytes()),
        ends_(queue, {static_cast<std::byte const*>(here.ends()),
                      here.ends() == nullptr ? 0 : here.bytes().size()}) {}

  operator segmentation() const {  // NOLINT: converts
    auto const count = static_cast<std::size_t>(here_.count());
    using form = segmentation::form;
    switch (here_.how()) {
      case form::flags:
        return segmentation::of_flags(std::span(at<std::uint8_t>(data_), count));
      case form::bits:
        return segmentation::of_bits({at<std::uint32_t>(data_), (count + 31) / 32}, here_.count());
      case form::offsets:
      case form::ranges:
        return here_.item_bytes() == sizeof(index_t) ? by_bounds<index_t>(count)
                                                     : by_bounds<std::int32_t>(count);
      case form::keys:
        return here_.item_bytes() == sizeof(double)
                   ? segmentation::of_keys(std::span(at<double>(data_), count))
                   : segmentation::of_keys(std::span(at<std::int32_t>(data_), count));
      default:
        return here_;
    }
  }

 private:
  using bytes_there = copy_there<std::byte const>;

  template <class T>
  static T const* at(bytes_there const& items) {
    return reinterpret_cast<T const*>(items.data());
  }

  template <class Offset>
  segmentation by_bounds(std::size_t count) const {
    if (here_.how() == segmentation::form::offsets) {
      return segmentation::of_offsets(std::span(at<Offset>(data_), count + 1));
    }
    return segmentation::of_ranges(std::span(at<Offset>(data_), count),
                                   std::span(at<Offset>(ends_), count));
  }

  segmentation here_;
  bytes_there data_;
  bytes_there ends_;
};

/// A mask in device memory.
class mask_there {
 public:
  mask_there(device_queue const& queue, item_mask const& here)
      : here_(here), data_(queue, here.bytes()) {}

  operator item_mask() const {  // NOLINT: converts
    auto const n = static_cast<std::size_t>(here_.size());
    if (here_.words() == nullptr) {
      return item_mask::of_flags({reinterpret_cast<std::uint8_t const*>(data_.data()), n});
    }
    return item_mask::of_bits({reinterpret_cast<std::uint32_t const*>(data_.data()), (n + 31) / 32},
                              here_.size());
  }

 private:
  item_mask here_;
  copy_there<std::byte const> data_;
};

}  // namespace libscan::apps
