// SPDX-License-Identifier: Apache-2.0
// The executor's map of memory: its own allocations, the red zones around them, and forbidden
// ranges inside them. Memory that it did not allocate belongs to the host and is allowed.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include <libscan/simt/executor/observer.hpp>
#include <libscan/simt/executor/runtime.hpp>

namespace libscan::inline v1_executor::simt::executor {

enum class memory_kind : std::uint8_t { device, static_shared, dynamic_shared };

/// Allocates memory between red zones. Throws std::bad_alloc.
std::byte* take_memory(std::size_t bytes, std::size_t alignment, memory_kind kind);

/// Frees it and forgets its red zones.
void give_memory(std::byte* memory);

struct give_back_memory {
  void operator()(std::byte* memory) const { give_memory(memory); }
};
using shared_bytes = std::unique_ptr<std::byte[], give_back_memory>;

/// Calls visit(range) for every part of `where` that is out of bounds for kernels: red zones, freed
/// and forbidden bytes, and all shared memory, which a kernel reaches as that of its own block.
void each_forbidden(memory_range where, std::function<void(memory_range)> const& visit);

/// `body`, as `take_memory` returned it, and the red zones around it.
memory_range with_red_zones(memory_range body);

/// The first byte of [begin, begin + bytes) that is out of bounds; nullptr if there is none.
std::byte const* first_forbidden(void const* begin, std::size_t bytes);

/// The place of an address that is out of bounds: "4 bytes past the end of a buffer of 400 bytes".
std::string describe_place(void const* address);

}  // namespace libscan::inline v1_executor::simt::executor
