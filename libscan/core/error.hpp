// SPDX-License-Identifier: Apache-2.0
// What libscan throws: exceptions derived from `libscan::error`, except std::bad_alloc and what
// callables of the caller throw. A message says what failed, where, and what was expected.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace libscan::inline v1 {

/// Base of the exceptions that libscan throws itself.
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

namespace detail {

/// The beginning of a text in UTF-8, such as a message that must fit a buffer, which has at most
/// `max_bytes` bytes and no part of a character.
constexpr std::string_view beginning(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  while (max_bytes > 0 && (static_cast<unsigned char>(text[max_bytes]) & 0xc0) == 0x80) --max_bytes;
  return text.substr(0, max_bytes);
}

}  // namespace detail

}  // namespace libscan::inline v1
