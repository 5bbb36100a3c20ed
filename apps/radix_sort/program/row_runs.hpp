// SPDX-License-Identifier: Apache-2.0
// Sorted runs of rows in a temporary file, and their merge: for texts that do not fit in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <apps/common/block_file.hpp>
#include <apps/common/temporary_file.hpp>

namespace libscan::apps {

/// A row by its key, as bytes that are compared like text, and what stands for the row.
struct keyed_row {
  std::string_view key;
  std::string_view row;
  bool comparable = true;  ///< false: its key equals no other
};

/// Writes runs of rows, which ascend, to a temporary file.
class run_writer {
 public:
  /// `directory`: as that of `temporary_file`.
  explicit run_writer(std::string const& directory) : file_(directory) {}

  /// As that of `temporary_file`.
  void require_space(std::uint64_t bytes) const { file_.require_space(bytes); }
  std::uint64_t free_space() const { return file_.free_space(); }

  /// Adds a row to the run.
  void add(keyed_row const& row);

  /// Ends the run.
  void end_run();

  /// Ends the file. No run may follow.
  void finish();

  std::vector<byte_range> const& runs() const { return runs_; }

  /// The bytes of all runs.
  std::uint64_t size() const { return file_.size(); }

  /// The file and its name, after `finish`.
  std::shared_ptr<descriptor const> file() const { return file_.file(); }
  std::string const& name() const { return file_.name(); }

 private:
  temporary_file file_;
  std::string buffer_;
  std::uint64_t begin_ = 0;  // of this run
  std::vector<byte_range> runs_;
};

/// How many runs are merged at once, and in which pieces they are read.
struct merge_plan {
  std::uint64_t bytes = 0;     ///< of memory
  std::size_t max_ways = 256;  ///< since each run has a descriptor

  /// The most runs that are merged at once, at least 2.
  std::size_t ways() const;

  /// How much of each of so many runs is read at once.
  std::size_t block_bytes(std::size_t runs) const;
};

/// Merges the runs of a file, with runs of longer and longer ones in other temporary files if there
/// are many, and calls `put` with each row in order. Rows with equal keys keep the order of their
/// runs; with `unique` only the first of them remains. Throws `file_error`.
void merge_runs(std::unique_ptr<run_writer> from, merge_plan const& plan, bool unique,
                std::string const& directory, std::function<void(std::string_view)> const& put);

/// Tells rows from earlier ones with the same key.
class first_rows {
 public:
  /// Whether the row has another key than the last one. Rows come in order.
  bool begins(keyed_row const& row);

 private:
  std::string last_;
  bool comparable_ = false;  // to the last one
};

}  // namespace libscan::apps
