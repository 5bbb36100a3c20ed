// SPDX-License-Identifier: Apache-2.0
// The instruction sets that vector code is compiled for: x86 without any vectors asked for, and
// with those of the years 2008 (SSE4), 2013 (AVX2) and 2017 (AVX-512); NEON. Scalable vectors
// cannot be held in arrays. With LIBSCAN_FEW_VECTOR_TARGETS only the first and the last of x86,
// which take half as long to compile. To be included before anything of Highway.
#pragma once

#ifdef LIBSCAN_FEW_VECTOR_TARGETS
#define LIBSCAN_DISABLED_VECTOR_TARGETS (HWY_SSE4 | HWY_AVX2)
#else
#define LIBSCAN_DISABLED_VECTOR_TARGETS 0
#endif

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS                                                   \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | \
   LIBSCAN_DISABLED_VECTOR_TARGETS)
