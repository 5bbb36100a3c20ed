// SPDX-License-Identifier: Apache-2.0
// How containers of the standard library are laid out here, as the end of a name. They cross the
// border to compiled code, so a library defines a symbol that names its own settings, and its
// headers refer to one that names the program's: with others than the library's it does not link.
#pragma once

#include <version>

#if defined(_LIBCPP_VERSION)
#define LIBSCAN_CONTAINERS(library) library##_compiled_with_libcxx
#elif defined(_GLIBCXX_DEBUG)
#define LIBSCAN_CONTAINERS(library) library##_compiled_with_GLIBCXX_DEBUG
#elif defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define LIBSCAN_CONTAINERS(library) library##_compiled_with_GLIBCXX_USE_CXX11_ABI_0
#else
#define LIBSCAN_CONTAINERS(library) library##_compiled_with_GLIBCXX_USE_CXX11_ABI_1
#endif
