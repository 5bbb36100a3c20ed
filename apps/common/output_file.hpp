// SPDX-License-Identifier: Apache-2.0
// Output that is complete or absent: written to a file without a name, which gets its name when it
// is complete. See docs/outputs.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>

namespace libscan::apps {

class block_writer;
class doomed_file;

/// A file being written. Nothing appears under its name before `commit`.
///
/// A new file has the permissions of the umask. A replacement keeps the old file's owner, group and
/// permissions. A file with several links, whose owner cannot be kept, or whose directory takes no
/// new file, is overwritten by `commit` instead. If the name is a symbolic link, its target is
/// replaced. An existing path that is no regular file (/dev/null, a FIFO) is written directly. So
/// is an open descriptor: standard output, named "-", and the targets of /dev/stdout, /dev/stderr,
/// /dev/fd/N and /proc/self/fd/N, where writing continues at the current position.
class output_file {
 public:
  /// Opens the output, so that errors appear before any work is done.
  /// Throws: `file_error` if `path` is a directory, its directory is missing or not writable, or it
  /// exists and is not writable.
  explicit output_file(std::string const& path);

  /// Discards the file unless `commit` succeeded.
  ~output_file();
  output_file(output_file const&) = delete;
  output_file& operator=(output_file const&) = delete;

  /// Appends `bytes`. Large files are written in another thread, past the page cache
  /// (block_file.hpp). Throws `file_error` (disk full, ...) or `output_closed`, perhaps late.
  void write(std::span<std::byte const> bytes);

  /// Writes what is buffered, if the output is written directly: its reader may be waiting.
  void flush();

  /// Whether the output has bytes that can be written again: not a pipe, for example.
  bool may_seek() const { return begin_ >= 0; }

  /// Lets each `write` put its bytes before those of the last one; the first ends at offset `end`.
  /// Requires an output that is not written directly, and no `write` before.
  void write_from_end(std::uint64_t end);

  /// Whether `write_from_end` is possible.
  bool may_write_from_end() const { return !target_.empty(); }

  /// Writes `bytes` at `offset` of what this object has written or left out, after the last
  /// `write`. Requires `may_seek`.
  void write_at(std::uint64_t offset, std::span<std::byte const> bytes);

  /// Gives the file its length before it is written: a full disk shows now. Requires an output that
  /// is not written directly. Throws `file_error`.
  void reserve(std::uint64_t bytes);

  /// Whether the file gets its name at `commit`: it is not written directly.
  bool appears_at_commit() const { return !target_.empty(); }

  /// A path by which other processes of this machine open the unfinished file; with `named`, one of
  /// its directory, which all machines that share it can open. Requires `appears_at_commit`.
  std::string unfinished_path(bool named);

  /// The unfinished file of another process, for `write_at` and `complete` only. `name` stands for
  /// it in messages; `path` is its `unfinished_path`. It stays that process's file.
  static std::unique_ptr<output_file> shared(std::string const& name, std::string const& path);

  /// What distinguishes the file from others on this machine.
  struct identity {
    std::uint64_t device, number;
    bool operator==(identity const&) const = default;
  };
  identity id() const;

  /// Writes everything left, after the last `write`. Throws `file_error`, or `output_closed`.
  void complete();

  /// Completes the file, unless done already, and puts it into place. Call it once, last. Throws as
  /// `complete`.
  void commit() { commit_together({this}); }

  /// Completes all files, and then puts them into place. If that fails for one, the earlier ones
  /// are taken back, and the error names those that could not be. Throws as `complete`.
  static void commit_together(std::span<output_file* const> files);
  static void commit_together(std::initializer_list<output_file*> files) {
    commit_together(std::span<output_file* const>(files.begin(), files.size()));
  }

  /// The name for messages: the path as given, or "<stdout>".
  std::string const& name() const { return name_; }

 private:
  output_file(std::string name, int descriptor);
  void open_descriptor(int descriptor);
  void open_unfinished();
  void create_named(unsigned mode);
  void take_over(unsigned owner, unsigned group, unsigned mode);
  void write_out(std::span<std::byte const> bytes);
  void write_rest();
  void copy_to(output_file& other);
  void copy_beside();
  int link_to(char const* name) const;
  void give_name();
  void put_into_place(bool may_be_taken_back);
  void open_old();
  void overwrite();
  std::string take_back();
  [[noreturn]] void fail(std::string const& doing, int error_number) const;

  std::string name_;
  std::string target_;  // resolved path; empty if written directly
  bool replaces_ = false;
  bool overwrites_ = false;
  bool complete_ = false;
  std::unique_ptr<doomed_file> temporary_;  // the file's name while it is not in place, if any
  std::unique_ptr<doomed_file> replaced_;   // a second name of the old file, to restore it
  std::unique_ptr<output_file> old_;        // the old file, if it will be overwritten
  int descriptor_ = -1;
  std::int64_t begin_ = -1;  // of this object's bytes in the file; -1: it cannot seek
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t buffered_ = 0;
  std::unique_ptr<block_writer> other_outside_;  // takes over from the buffer
};

/// The open descriptor that `path` names, like /dev/stdin, /dev/fd/N or a link to one; -1 if it
/// names none. Throws `file_error` for circular links.
int named_descriptor(std::string const& path);

/// Whether two names of outputs, as `output_file` takes them, mean the same file or pipe, so that
/// one output would be lost or both would mix. Throws `file_error` for circular links.
bool same_output(std::string const& a, std::string const& b);

}  // namespace libscan::apps
