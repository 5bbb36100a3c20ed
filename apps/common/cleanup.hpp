// SPDX-License-Identifier: Apache-2.0
// What happens when a signal ends the program: unfinished files are removed, and a mapped file that
// shrank is named. Only async-signal-safe calls are made.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace libscan::apps {

/// A file that is removed when this object is destroyed, or when a signal other than SIGKILL ends
/// the program (which then ends by that signal, as it would without this object). Ignored signals
/// stay ignored.
class doomed_file {
 public:
  /// Registers `path`, which need not exist yet. Throws `error` if 16 files are registered already.
  explicit doomed_file(std::string path);
  ~doomed_file();
  doomed_file(doomed_file const&) = delete;
  doomed_file& operator=(doomed_file const&) = delete;

  /// Keeps the file.
  void spare();

  std::string const& path() const { return path_; }

 private:
  std::string path_;
  int slot_;
};

/// While this object lives, SIGBUS on an address in [base, base + size) ends the program with exit
/// code 3 and the message that the file `name` shrank while it was read. With more than 16 such
/// mappings the signal acts as usual.
class watched_mapping {
 public:
  watched_mapping(void const* base, std::size_t size, std::string const& name);
  ~watched_mapping();
  watched_mapping(watched_mapping const&) = delete;
  watched_mapping& operator=(watched_mapping const&) = delete;

 private:
  int slot_;
};

/// Removes all registered files: for a program that ends at once.
void remove_unfinished_files();

/// The program's name in the message about a file that shrank.
void name_for_signals(std::string_view program);

}  // namespace libscan::apps
