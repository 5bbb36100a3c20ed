// SPDX-License-Identifier: Apache-2.0
// Has the linker compare the program's standard containers with those of libscan's compiled
// libraries. For headers whose code they compile too, or that pass containers to them.
#pragma once

#include <libscan/core/containers.hpp>

extern "C" [[gnu::visibility("default")]] char const LIBSCAN_CONTAINERS(libscan);

#ifndef __CUDA_ARCH__  // code of a GPU refers to nothing on the host
namespace libscan::inline v1::detail {
[[gnu::used]] static char const* const compiled_with = &LIBSCAN_CONTAINERS(libscan);
}  // namespace libscan::inline v1::detail
#endif
