// SPDX-License-Identifier: Apache-2.0
// What libscan throws. Every failure is an exception derived from `libscan::error`. Its message
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

/// A call's arguments violate its contract (a negative size, an output that is too short, ...).
class invalid_argument : public error {
 public:
  using error::error;
};

/// The requested engine cannot run here; the message gives the reason.
class engine_unavailable : public error {
 public:
  using error::error;
};

/// A device call or launch failed. The message contains the expression, its place and the driver's
/// message.
class device_error : public error {
 public:
  device_error(int code, std::string const& message) : error(message), code_(code) {}

  /// The driver's error number (a `cudaError_t`).
  int code() const { return code_; }

 private:
  int code_;
};

}  // namespace libscan::inline v1
