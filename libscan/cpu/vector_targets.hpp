// SPDX-License-Identifier: Apache-2.0
// The instruction sets that vector code is compiled for: x86 without any vectors asked for, and
// with those of the years 2008 (SSE4), 2013 (AVX2) and 2017 (AVX-512); NEON. Not for later ones of
// x86, which newer Highways know: they gain nothing here. Scalable vectors cannot be held in
// arrays. With LIBSCAN_FEW_VECTOR_TARGETS only the first and the last of x86, which take half as
// long to compile. To be included before anything of Highway, and behind a definition of
// LIBSCAN_VECTORS_UP_TO_AVX2 where AVX-512 gains nothing.
#pragma once

#ifdef LIBSCAN_VECTORS_UP_TO_AVX2
#define LIBSCAN_LAST_VECTOR_TARGET HWY_AVX2
#define LIBSCAN_UNUSED_VECTOR_TARGETS HWY_AVX3
#else
#define LIBSCAN_LAST_VECTOR_TARGET HWY_AVX3
#define LIBSCAN_UNUSED_VECTOR_TARGETS 0
#endif

#ifdef LIBSCAN_FEW_VECTOR_TARGETS
#define LIBSCAN_MIDDLE_VECTOR_TARGETS ((HWY_SSE4 | HWY_AVX2) & ~LIBSCAN_LAST_VECTOR_TARGET)
#else
#define LIBSCAN_MIDDLE_VECTOR_TARGETS 0
#endif

// Highway's bits of what is better than AVX3_DL, which have no names in all of its versions.
#if defined(__x86_64__) || defined(_M_X64)
#define LIBSCAN_LATER_VECTOR_TARGETS 0x7f
#else
#define LIBSCAN_LATER_VECTOR_TARGETS 0
#endif

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS                                                                   \
  (HWY_SSSE3 | HWY_AVX3_DL | LIBSCAN_LATER_VECTOR_TARGETS | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | \
   HWY_SVE2_128 | LIBSCAN_UNUSED_VECTOR_TARGETS | LIBSCAN_MIDDLE_VECTOR_TARGETS)
