// SPDX-License-Identifier: Apache-2.0
// Has the linker compare the program's standard containers with those of the executor.
#pragma once

#include <libscan/core/containers.hpp>

extern "C" [[gnu::visibility("default")]] char const LIBSCAN_CONTAINERS(libscan_executor);

namespace libscan::inline v1_executor::simt::executor {
/// Keeps the symbol that it names.
[[gnu::used]] static char const* const compiled_with = &LIBSCAN_CONTAINERS(libscan_executor);
}  // namespace libscan::inline v1_executor::simt::executor
