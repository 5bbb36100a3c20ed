// SPDX-License-Identifier: Apache-2.0
// Example: a sort on several GPUs of one process, as docs/distributed.md shows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <libscan/distributed/distribution.hpp>
#include <libscan/distributed/radix_sort.hpp>
#include <libscan/distributed/threads.hpp>

namespace examples {

/// Sorts keys on all of these engines, such as libscan::all_gpus().
inline void sort_on_all(std::vector<libscan::engine> const& engines,
                        std::vector<std::uint32_t>& keys) {
  auto const parts =
      libscan::distribution::even(std::ssize(keys), static_cast<int>(engines.size()));

  libscan::thread_ranks gpus(engines);  // one thread for each, as libscan::all_gpus() lists them
  gpus.run([&](libscan::ranks const& on) {
    std::span mine(keys.data() + parts.begin(on.rank()),
                   static_cast<std::size_t>(parts.size(on.rank())));
    libscan::sort_keys(on, mine, mine);
  });
}

}  // namespace examples
