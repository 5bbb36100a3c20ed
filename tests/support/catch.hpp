// SPDX-License-Identifier: Apache-2.0
// Catch2 of either generation: 2.13 (Debian 12) is one header, 3 has a header for everything.
#pragma once

#if __has_include(<catch2/catch.hpp>)
#include <catch2/catch.hpp>
#else
#include <catch2/catch_all.hpp>
#endif
