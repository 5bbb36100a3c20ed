// SPDX-License-Identifier: Apache-2.0
// The settings of the standard library that libscan's compiled libraries are built with.
#include <libscan/core/compiled_with.hpp>

extern "C" {
char const LIBSCAN_CONTAINERS(libscan) = 1;
}
