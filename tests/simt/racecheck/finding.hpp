// SPDX-License-Identifier: Apache-2.0
// What the race checker says of a launch under the fixed schedule and 20 seeded ones.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include <libscan/simt/simt.cuh>
#include <tests/support/catch.hpp>

namespace libscan::test {

/// What `launch` threw; empty if nothing.
template <class Launch>
std::string error_of(Launch launch, simt::executor::settings const& how) {
  simt::executor::scoped_settings const scope(how);
  try {
    launch();
    return "";
  } catch (simt::kernel_error const& error) {
    return error.what();
  }
}

inline std::vector<simt::executor::settings> schedules() {
  std::vector<simt::executor::settings> all(1);
  for (unsigned seed = 1; seed <= 20; ++seed) {
    all.push_back(simt::executor::seeded(seed));
    all.back().blocks_in_flight = static_cast<int>(1 + seed % 5);
  }
  return all;
}

/// Nothing is found under any schedule.
template <class Launch>
void silent(Launch launch) {
  for (auto const& how : schedules()) {
    INFO("seed " << how.seed);
    CHECK(error_of(launch, how) == "");
  }
}

/// Every schedule finds a mistake, and says all of this about it.
template <class Launch>
void found(Launch launch, std::vector<std::string> const& parts) {
  for (auto const& how : schedules()) {
    std::string const error = error_of(launch, how);
    for (std::string const& part : parts) {
      INFO("seed " << how.seed << ": " << error << "\nshould say: " << part);
      CHECK(error.find(part) != std::string::npos);
    }
  }
}

/// The number of the line of this source file that ends in the comment "//: mark".
inline int line_marked(char const* file, std::string const& mark) {
  std::ifstream source(file);
  int number = 1;
  for (std::string line; std::getline(source, line); ++number) {
    if (line.ends_with("//: " + mark)) return number;
  }
  FAIL("no line of " << file << " is marked " << mark);
  return 0;
}

/// That line as messages name it: "races_test.cpp:17".
inline std::string at(char const* file, std::string const& mark) {
  std::string const path = file;
  return path.substr(path.find_last_of('/') + 1) + ":" + std::to_string(line_marked(file, mark));
}

}  // namespace libscan::test
