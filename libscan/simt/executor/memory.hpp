// SPDX-License-Identifier: Apache-2.0
// Executor backend: device memory. The executor knows every buffer it hands out, so that checkers
// find accesses outside them.
#pragma once

#include <cstddef>

namespace libscan::inline v1_executor::simt::executor {

/// `bytes` of device memory, aligned to 256 bytes, between red zones that no kernel may touch.
void* allocate(std::size_t bytes);

/// Frees what `allocate` returned. Kernels may not touch it any more.
void deallocate(void* memory);

/// Makes `bytes` bytes of device memory out of bounds for kernels, as if they lay outside its
/// buffer: what lies between two forbidden ranges is a buffer of its own. The racecheck build
/// reports kernels that touch them, every build reports bulk copies that read them, and in an
/// AddressSanitizer build the host may not touch them either. Freeing the memory ends it.
void forbid(void const* begin, std::size_t bytes);

/// Takes back a `forbid` of exactly these bytes.
void allow(void const* begin, std::size_t bytes);

}  // namespace libscan::inline v1_executor::simt::executor
