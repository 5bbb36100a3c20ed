// SPDX-License-Identifier: Apache-2.0
// What libscan throws. Every failure is an exception derived from `libscan::error` whose message
// says what failed, where, and what was expected.
#pragma once

#include <stdexcept>
#include <string>

namespace libscan::inline v1 {

/// Base of all exceptions thrown by libscan.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A call's arguments break its contract (a negative size, output shorter than required, ...).
class invalid_argument : public error {
 public:
  using error::error;
};

/// The engine asked for cannot run here; the message names the reason.
class engine_unavailable : public error {
 public:
  using error::error;
};

/// A device call or launch failed. The message holds the expression, its place and the driver's
/// words.
class device_error : public error {
 public:
  device_error(int code, std::string const& message) : error(message), code_(code) {}

  /// The driver's error number (a `cudaError_t`).
  int code() const { return code_; }

 private:
  int code_;
};

}  // namespace libscan::inline v1
