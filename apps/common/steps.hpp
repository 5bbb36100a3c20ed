// SPDX-License-Identifier: Apache-2.0
// What programs do around their kernels: take the time of each step, write the result, say what
// --verify found.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <apps/common/array_writer.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/progress.hpp>

namespace libscan::apps {

/// Calls `work`, adds the seconds it takes to `seconds`, and returns what it returns.
template <class Work>
decltype(auto) timed(double& seconds, Work&& work) {
  struct watch {
    double& seconds;
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
    ~watch() {
      seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    }
  } const running{seconds};
  return work();
}

/// Says one line of --time: "read 0.012345 s 12.34 GB/s  words".
void report_step(char const* step, double seconds, std::uint64_t bytes, std::string const& words);

/// What --time says of an array that was read: "1000 items of int32", and which line of a text was
/// skipped as a header.
std::string items_read(array const& items);

/// Says what --verify found, and returns whether that is nothing: `difference` is empty.
/// `agreement` tells then what agrees.
bool report_verified(std::string const& difference,
                     char const* agreement = "a plain loop computes the same");

/// Writes all of an array with a progress bar and commits it. `path` is the writer's. See
/// `array_writer` for the format and the errors.
void write_whole(array_writer& output, std::string const& path, dtype type,
                 std::span<std::byte const> items, file_format otherwise, progress& meter);

/// The same, but only completes it: it is to be committed with the other outputs.
void write_completely(array_writer& output, std::string const& path, dtype type,
                      std::span<std::byte const> items, file_format otherwise, progress& meter);

}  // namespace libscan::apps
