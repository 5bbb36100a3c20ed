// SPDX-License-Identifier: Apache-2.0
// A kernel that does nothing but call one collective, on items from memory and back: what ptxas
// says of it, it says of the collective.
#pragma once

#include <cstdint>

#include <libscan/core/operators.hpp>
#include <libscan/simt/simt.cuh>
#include <tests/support/operators.hpp>
#include <tests/warp/odd_items.hpp>

namespace libscan::test {

struct no_storage {};

/// `Collective` has a `storage`, a type `item` and a static `run(storage&, item, bool flag)` that
/// gives an item; a block has `Threads` threads.
template <class Collective, int Threads = 1024>
struct one_call {
  using T = typename Collective::item;
  static constexpr int block_threads = Threads;
  using shared_storage = typename Collective::storage;
  __device__ void operator()(shared_storage& shared, T* data, bool const* flags) const {
    int const i = static_cast<int>(blockIdx.x) * Threads + simt::thread_rank();
    data[i] = Collective::run(shared, data[i], flags[i]);
  }
};

/// Compiles the kernels of these collectives.
template <int Threads, class... Collectives>
void compile_all() {
  (simt::launch<one_call<Collectives, Threads>>({.blocks = 1, .threads = Threads},
                                                static_cast<typename Collectives::item*>(nullptr),
                                                static_cast<bool const*>(nullptr)),
   ...);
}

/// Compiles `Collective` for the operators that a library of scans is used with. (`permute` looks
/// things up in its operands, and so keeps a stack for itself.)
template <template <class> class Collective, int Threads = 1024>
void compile_for_operators() {
  compile_all<Threads, Collective<plus<std::uint8_t>>, Collective<plus<std::int32_t>>,
              Collective<plus<std::int64_t>>, Collective<plus<float>>, Collective<plus<double>>,
              Collective<maximum<double>>, Collective<compose>, Collective<tripwire>,
              Collective<long_compose>>();
}

}  // namespace libscan::test
