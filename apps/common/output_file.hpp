// SPDX-License-Identifier: Apache-2.0
// Output that is complete or absent: written to a temporary file beside the target, renamed into
// place when complete, removed on any failure and on SIGINT, SIGTERM, SIGHUP and SIGQUIT.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace libscan::apps {

class doomed_file;

/// A file being written. Nothing appears under its name before `commit`.
///
/// The target of a symbolic link is replaced, not the link. A replaced file passes its permissions
/// on; a new one has those the umask gives. What exists and is no regular file (/dev/null, a FIFO)
/// is written directly. So is an open descriptor: standard output, named "-", and what /dev/stdout,
/// /dev/stderr, /dev/fd/N and /proc/self/fd/N stand for, where writing goes on from where it is.
class output_file {
 public:
  /// Opens the output, so that it fails before any work is done: throws `file_error` if `path` is a
  /// directory, its directory is missing or not writable, or it exists and is not writable.
  explicit output_file(std::string const& path);

  /// Removes the temporary file unless `commit` succeeded.
  ~output_file();
  output_file(output_file const&) = delete;
  output_file& operator=(output_file const&) = delete;

  /// Appends `bytes`. Throws `file_error` (disk full, ...) or `output_closed`.
  void write(std::span<std::byte const> bytes);

  /// Writes all that is left, to be called after the last `write`. Of several outputs that belong
  /// together each is completed before any is committed, so that a full disk leaves none of them.
  /// Throws `file_error`, or `output_closed`.
  void complete();

  /// Completes the file, unless that is done, and puts it into place. Throws as `complete`. To be
  /// called once, last.
  void commit();

  /// The name for messages: the path as given, or "<stdout>".
  std::string const& name() const { return name_; }

 private:
  void open_descriptor(int descriptor);
  void open_temporary(unsigned mode, bool replaces);
  void write_out(std::span<std::byte const> bytes);
  [[noreturn]] void fail(char const* doing, int error_number) const;

  std::string name_;
  std::string target_;  // resolved path; empty if written directly
  std::unique_ptr<doomed_file> temporary_;
  int descriptor_ = -1;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t buffered_ = 0;
};

/// The open descriptor that `path` names, as /dev/stdin, /dev/fd/N or a link to one do; -1 if it
/// names none. Throws `file_error` for links that lead in a circle.
int named_descriptor(std::string const& path);

/// Whether two names of outputs, as `output_file` takes them, mean the same place, so that one
/// output would be lost or both would mix: the same file after all links, or descriptors of the
/// same file or pipe ("-" is /dev/stdout). Hard links are different outputs, as each name is
/// replaced. Throws `file_error` for links that lead in a circle.
bool same_output(std::string const& a, std::string const& b);

}  // namespace libscan::apps
