// SPDX-License-Identifier: Apache-2.0
// The message printed if the code under test ends the program.
#pragma once

#include <string_view>

namespace libscan::apps {

/// During its lifetime a crash of the program first writes a text to standard error, and then ends
/// the program as usual. A crash is a signal such as SIGSEGV, or SIGABRT (uncaught exceptions end
/// in it), on any thread; or a sanitizer's report that ends the program. There may be only one
/// crash_note at a time.
class crash_note {
 public:
  /// Stores `text`, up to 2047 bytes of it.
  explicit crash_note(std::string_view text);
  ~crash_note();
  crash_note(crash_note const&) = delete;
  crash_note& operator=(crash_note const&) = delete;
};

}  // namespace libscan::apps
