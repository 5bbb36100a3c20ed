// SPDX-License-Identifier: Apache-2.0
// What is said if the code under test ends the program: nobody is left then to say it.
#pragma once

#include <string_view>

namespace libscan::apps {

/// While it lives, a crash of the program writes a text to standard error first, and then ends it
/// as it would have without this. A crash is a signal like SIGSEGV, or SIGABRT, which exceptions
/// that nobody catches end in, on any thread; or a sanitizer's report after which it ends the
/// program. There may be one of them at a time.
class crash_note {
 public:
  /// Notes `text`, up to 2047 bytes of it.
  explicit crash_note(std::string_view text);
  ~crash_note();
  crash_note(crash_note const&) = delete;
  crash_note& operator=(crash_note const&) = delete;
};

}  // namespace libscan::apps
