// SPDX-License-Identifier: Apache-2.0
// What a unit of a program computes, to compare with another unit's; without any of libscan's
// inline functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace libscan::test {

/// Numbers with special ones among them, and numbers whose sum depends on the order.
template <class T>
struct unit_inputs {
  std::vector<T> items;
  std::vector<T> summands;
};

/// Results by the names of calls, bit for bit as integers.
using outcomes = std::map<std::string, std::vector<std::uint64_t>>;

/// By a unit compiled as usual, by one compiled with -ffast-math in the same program, and by one
/// compiled as usual in a shared library, whose functions no one shares.
outcomes clean_unit(unit_inputs<float> const& in);
outcomes clean_unit(unit_inputs<double> const& in);
outcomes fast_unit(unit_inputs<float> const& in);
outcomes fast_unit(unit_inputs<double> const& in);
[[gnu::visibility("default")]] outcomes lone_unit(unit_inputs<float> const& in);
[[gnu::visibility("default")]] outcomes lone_unit(unit_inputs<double> const& in);

}  // namespace libscan::test
