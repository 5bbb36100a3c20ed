// SPDX-License-Identifier: Apache-2.0
// A progress bar on standard error: bytes done of the total, and the rate.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace libscan::apps {

/// Shows the progress of long work. On a terminal: one bar, redrawn at most ten times per second
/// and erased when the work ends; it appears only if the work takes longer than a third of a
/// second. Elsewhere (a pipe, a log) it is quiet, unless `forced` (--progress): then a plain line
/// appears each second and one at the end. Not for use by several threads at once.
class progress {
 public:
  explicit progress(bool forced = false);
  ~progress();
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;

  /// Begins a piece of work called `what` ("reading x.npy") of `total` bytes, 0 if unknown. Ends
  /// the previous piece, unless that has the same name: then it begins anew.
  void start(std::string what, std::uint64_t total);

  /// `bytes` more are done.
  void advance(std::uint64_t bytes);

  /// The work is done: erases the bar, or writes the last line.
  void finish();

 private:
  using clock = std::chrono::steady_clock;

  std::string state(clock::time_point now) const;
  void show(clock::time_point now);

  bool terminal_;
  bool forced_;
  bool active_ = false;
  bool drawn_ = false;
  std::string what_;
  std::uint64_t total_ = 0;
  std::uint64_t done_ = 0;
  clock::time_point begun_;
  clock::time_point shown_;
};

}  // namespace libscan::apps
