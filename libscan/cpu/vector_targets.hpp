// SPDX-License-Identifier: Apache-2.0
// The instruction sets that vector code is compiled for: x86 baseline, SSE4 (2008), AVX2 (2013) and
// AVX-512 (2017); NEON. Later x86 sets, which newer Highways know, gain nothing here; scalable
// vectors cannot be stored in arrays. With LIBSCAN_FEW_VECTOR_TARGETS only the first and the last
// of x86, which halves the compile time. Include it before any Highway header, and after defining
// LIBSCAN_VECTORS_UP_TO_AVX2 if AVX-512 gains nothing.
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

// Highway's bits of everything better than AVX3_DL, which have no names in some of its versions.
#if defined(__x86_64__) || defined(_M_X64)
#define LIBSCAN_LATER_VECTOR_TARGETS 0x7f
#else
#define LIBSCAN_LATER_VECTOR_TARGETS 0
#endif

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS                                                                   \
  (HWY_SSSE3 | HWY_AVX3_DL | LIBSCAN_LATER_VECTOR_TARGETS | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | \
   HWY_SVE2_128 | LIBSCAN_UNUSED_VECTOR_TARGETS | LIBSCAN_MIDDLE_VECTOR_TARGETS)
