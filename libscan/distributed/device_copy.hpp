// SPDX-License-Identifier: Apache-2.0
// Host items of a distributed call on the machines of the ranks' engines.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include <libscan/core/types.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/host/device_memory.hpp>

namespace libscan::inline v1::detail {

/// A rank's items in memory of its engine's machine. All functions but the last are collective: if
/// one rank has no memory for its copy, all throw.
template <class T>
class device_copy {
 public:
  device_copy(ranks const& on, char const* name, std::span<T const> items)
      : device_copy(on, name, items.size(), items) {}

  /// Space for n items.
  device_copy(ranks const& on, char const* name, std::size_t n)
      : device_copy(on, name, n, std::span<T const>{}) {}

  /// Copies the items to the host.
  void download(char const* name, std::span<T> to) const {
    detail::collective(on_.comm(), name, [&](collective_call& call) {
      call.agree("copy from the device", [&] { items_->download(to); });
    });
  }

  T* data() const { return items_->data(); }
  index_t size() const { return items_->size(); }

 private:
  device_copy(ranks const& on, char const* name, std::size_t n, std::span<T const> items)
      : on_(on) {
    detail::collective(on.comm(), name, [&](collective_call& call) {
      call.agree("copy to the device", [&] {
        items_.emplace(on.queue(), static_cast<index_t>(n));
        items_->upload(items);
      });
    });
  }

  ranks const& on_;
  std::optional<device_array<T>> items_;
};

}  // namespace libscan::inline v1::detail
