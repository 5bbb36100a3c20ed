// SPDX-License-Identifier: Apache-2.0
// The instruction sets that vector code is compiled for: x86 without any vectors asked for, and
// with those of the years 2008 (SSE4), 2013 (AVX2) and 2017 (AVX-512); NEON. Scalable vectors
// cannot be held in arrays. To be included before anything of Highway.
#pragma once

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
