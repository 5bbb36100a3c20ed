// SPDX-License-Identifier: Apache-2.0
// Executor backend: device memory. The executor tracks every buffer it hands out, so that checkers
// find accesses outside them.
#pragma once

#include <cstddef>

namespace libscan::inline v1_executor::simt::executor {

/// `bytes` of device memory, aligned to 256 bytes, between red zones that no kernel may touch.
void* allocate(std::size_t bytes);

/// Frees memory from `allocate`. Kernels may not touch it any more.
void deallocate(void* memory);

/// Makes `bytes` bytes of device memory out of bounds for kernels, as if they were outside its
/// buffer; the bytes between two forbidden ranges are then a buffer of their own. The racecheck
/// build reports kernels that touch them, every build reports bulk copies that read them, and in an
/// AddressSanitizer build the host may not touch them either. Freeing the memory ends this.
void forbid(void const* begin, std::size_t bytes);

/// Undoes a `forbid` of exactly these bytes.
void allow(void const* begin, std::size_t bytes);

}  // namespace libscan::inline v1_executor::simt::executor
