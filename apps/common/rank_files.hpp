// SPDX-License-Identifier: Apache-2.0
// Files that several ranks share: each rank reads its part of an input, and writes its part of an
// output, which appears when all parts are written. All functions are collective: all ranks call
// them in the same order, and if one rank fails, all throw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <apps/common/arguments.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/item_stream.hpp>
#include <apps/common/matrix_market.hpp>
#include <apps/common/output_file.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/communicator.hpp>
#include <libscan/distributed/distribution.hpp>

namespace libscan::apps {

/// An uncompressed .npy or raw file, whose items are spread over ranks as evenly as possible.
class rank_input {
 public:
  /// Opens the file on the ranks that access it. Throws: as `read_array`; `usage_error` for other
  /// formats and for what is no regular file; `file_error` if ranks see different files.
  rank_input(communicator const& comm, std::string const& path, read_options const& options,
             rank_access access = rank_access::all_ranks);

  dtype type() const { return header_.type; }
  file_format format() const { return header_.format; }
  bool truth_values() const { return header_.truth_values; }
  std::string const& name() const { return name_; }

  /// Which items each rank reads.
  distribution const& parts() const { return *parts_; }

  /// The items of this rank. `item_bytes`: the memory that the program takes per item, these
  /// included; more than `memory_bound()` is refused on all ranks before any item is read. If only
  /// rank 0 reads, it also takes the memory of the longest part.
  array read(std::size_t item_bytes);

  /// The same for items [first, end) of the file.
  array read(std::size_t item_bytes, index_t first, index_t end);

 private:
  struct header {
    index_t items = 0;
    dtype type = dtype::u8;
    file_format format = file_format::raw;
    bool truth_values = false;
  };

  array read_part(index_t first, index_t end);
  array send_parts(libscan::detail::collective_call& call, index_t first, index_t end);

  communicator comm_;
  rank_access access_;
  std::string name_;
  header header_;
  std::uint64_t bytes_read_ = 0;
  std::optional<item_stream> items_;
  std::optional<distribution> parts_;
};

/// A one-dimensional .npy or raw file that all ranks write.
class rank_output {
 public:
  /// Opens the output on rank 0, so that errors appear before any work is done. Throws: as
  /// `output_file`; `usage_error` for other formats and for what is no regular file.
  rank_output(communicator const& comm, std::string const& path,
              rank_access access = rank_access::all_ranks);
  ~rank_output();
  rank_output(rank_output const&) = delete;
  rank_output& operator=(rank_output const&) = delete;

  /// Writes the file, and puts it into place: `fill`, then `commit_together`.
  void write(dtype type, index_t total, index_t first, std::span<std::byte const> items,
             file_format otherwise);

  /// Writes the file without its name. It has `total` items; this rank's `items` begin at item
  /// `first`. The format is `output_format(path, otherwise)`. The whole length is reserved first.
  /// Throws `file_error`; then no file appears, and none is left.
  void fill(dtype type, index_t total, index_t first, std::span<std::byte const> items,
            file_format otherwise);

  /// Puts filled files into place, all or none. Throws `file_error`.
  static void commit_together(communicator const& comm, std::initializer_list<rank_output*> files);

 private:
  void receive_parts(libscan::detail::collective_call& call, std::uint64_t offset,
                     std::span<std::byte const> items);

  communicator comm_;
  rank_access access_;
  std::string path_;
  std::unique_ptr<output_file> file_;  // on rank 0
  struct part;
  std::unique_ptr<part> part_;  // on all others
};

/// The entries of an uncompressed Matrix Market file whose lines begin in this rank's part of the
/// file; sizes are those of the whole matrix. `threads` per rank. Throws: as `matrix_market_part`;
/// `file_error` if ranks see different files.
/// By `rank_access::rank_0`, rank 0 has all entries.
matrix_file read_rank_matrix(communicator const& comm, std::string const& path, int threads,
                             rank_access access = rank_access::all_ranks);

/// How long a step of a program took on this rank.
struct step_time {
  char const* step;
  double seconds;
};

/// Prints the lines of --time on rank 0: the seconds of the slowest rank in each step.
void report_on_ranks(communicator const& comm, std::span<step_time const> steps);

}  // namespace libscan::apps
