// SPDX-License-Identifier: Apache-2.0
// A file without a name for what does not fit in memory. It vanishes with the program, however that
// ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <apps/common/block_file.hpp>

namespace libscan::apps {

/// Sets the directory of all temporary files. Default: TMPDIR, or else the one that each of them is
/// given.
void set_temporary_directory(std::string const& directory);

/// That directory.
std::string temporary_directory(std::string const& otherwise = "/var/tmp");

/// Opens a new file without a name in `directory`, for reading and writing. Returns its descriptor,
/// or -1 and errno.
int create_nameless(std::string const& directory);

/// Written from its beginning to its end, and then read.
class temporary_file {
 public:
  /// Creates the file in the directory of all temporary files, else in `otherwise`. Throws
  /// `file_error`.
  explicit temporary_file(std::string const& otherwise = "/var/tmp");

  /// How many bytes the file system has free; the largest number if it does not tell.
  std::uint64_t free_space() const;

  /// Throws `file_error` if the file system has fewer bytes free than will be written.
  void require_space(std::uint64_t bytes) const;

  /// Appends bytes, in another thread. Throws `file_error`.
  void write(std::span<std::byte const> bytes);

  /// Appends zeros up to the next multiple of 4096 bytes.
  void pad();

  /// Writes everything left. No `write` may follow.
  void finish();

  /// Bytes written so far.
  std::uint64_t size() const { return size_; }

  /// For readers, after `finish`.
  std::shared_ptr<descriptor const> file() const { return file_; }

  /// The name of the directory, for messages.
  std::string const& name() const { return directory_; }

 private:
  void check(int error) const;

  std::string directory_;
  std::shared_ptr<descriptor const> file_;
  std::optional<block_writer> writer_;
  std::uint64_t size_ = 0;
};

}  // namespace libscan::apps
