// SPDX-License-Identifier: Apache-2.0
// The executor's versions of CUDA's built-in words: function space specifiers, index types and
// variables, and the place of a call for error messages.
#pragma once

#include <cstdint>

// Kernels are ordinary functions here. (__noinline__ is not defined: libstdc++ uses that name.)
#define __host__
#define __device__
#define __forceinline__ inline

namespace libscan::inline v1_executor::simt {

/// Three unsigned coordinates, as CUDA's built-in `uint3`.
struct uint3 {
  unsigned x, y, z;
};

/// An extent in up to three dimensions, as CUDA's built-in `dim3`.
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  friend constexpr bool operator==(dim3 const&, dim3 const&) = default;
};

/// The value of `threadIdx` outside kernels.
inline constexpr uint3 no_thread{~0u, ~0u, ~0u};

// Set whenever a thread of a kernel goes on. Plain integers, so that `auto` and templates deduce
// the same types as under nvcc.
inline thread_local uint3 threadIdx = no_thread;
inline thread_local uint3 blockIdx{};
inline thread_local dim3 blockDim{};
inline thread_local dim3 gridDim{};

/// The place in a kernel's source that called an intrinsic. It is a defaulted last argument, so
/// messages name file and line without macros. Empty under CUDA.
struct call_site {
  char const* file = "";
  int line = 0;

  static constexpr call_site here(char const* file = __builtin_FILE(),
                                  int line = __builtin_LINE()) {
    return {file, line};
  }
  friend bool operator==(call_site const& a, call_site const& b) {
    return a.line == b.line && (a.file == b.file || same_text(a.file, b.file));
  }

 private:
  static bool same_text(char const* a, char const* b) {
    while (*a != 0 && *a == *b) ++a, ++b;
    return *a == *b;
  }
};

}  // namespace libscan::inline v1_executor::simt

// Kernels in any namespace use these names, as under nvcc.
using libscan::simt::blockDim;
using libscan::simt::blockIdx;
using libscan::simt::gridDim;
using libscan::simt::threadIdx;
