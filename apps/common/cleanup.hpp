// SPDX-License-Identifier: Apache-2.0
// What must happen when a signal ends the program: unfinished files are removed, and a mapped file
// that shrank is named. Only async-signal-safe calls are made then.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace libscan::apps {

/// A file that is removed when this object goes, or when a signal other than SIGKILL ends the
/// program (which then ends by that signal, as it would have without this). Signals that were
/// ignored stay ignored.
class doomed_file {
 public:
  /// Dooms `path`, which need not exist yet. Throws `error` if 16 files are doomed already.
  explicit doomed_file(std::string path);
  ~doomed_file();
  doomed_file(doomed_file const&) = delete;
  doomed_file& operator=(doomed_file const&) = delete;

  /// The file is no longer to be removed.
  void spare();

  std::string const& path() const { return path_; }

 private:
  std::string path_;
  int slot_;
};

/// While it lives, SIGBUS on an address in [base, base + size) ends the program with the message
/// that the file `name` shrank while it was read, and exit code 3. Beyond 16 such mappings the
/// signal acts as usual.
class watched_mapping {
 public:
  watched_mapping(void const* base, std::size_t size, std::string const& name);
  ~watched_mapping();
  watched_mapping(watched_mapping const&) = delete;
  watched_mapping& operator=(watched_mapping const&) = delete;

 private:
  int slot_;
};

/// Removes all files that are doomed: of a program that ends at once.
void remove_unfinished_files();

/// The program's name in the message about a file that shrank.
void name_for_signals(std::string_view program);

}  // namespace libscan::apps
