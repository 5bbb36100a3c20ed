// SPDX-License-Identifier: Apache-2.0
// The instruction sets that vector code is compiled for: x86 baseline, SSE4 (2008), AVX2 (2013) and
// AVX-512 (2017); NEON. Later x86 sets gain nothing here; scalable vectors cannot be stored in
// arrays. With LIBSCAN_FEW_VECTOR_TARGETS only x86 baseline and AVX2, which halves the compile
// time: most CPUs have AVX2, and no code is for AVX-512 only. Include it before any Highway header,
// and after defining LIBSCAN_VECTORS_UP_TO_AVX2 if AVX-512 gains nothing.
#pragma once

#ifdef LIBSCAN_FEW_VECTOR_TARGETS
#define LIBSCAN_UNUSED_VECTOR_TARGETS (HWY_SSE4 | HWY_AVX3)
#elif defined(LIBSCAN_VECTORS_UP_TO_AVX2)
#define LIBSCAN_UNUSED_VECTOR_TARGETS HWY_AVX3
#else
#define LIBSCAN_UNUSED_VECTOR_TARGETS 0
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
   HWY_SVE2_128 | LIBSCAN_UNUSED_VECTOR_TARGETS)
