// SPDX-License-Identifier: Apache-2.0
// What a run leaves: lines for people, and a record as JSON. All times are in microseconds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <bench/measure.hpp>

namespace libscan::bench {

/// Makes sure that standard output took all that was printed. Throws `apps::file_error`.
void flush_lines();

/// Prints the results of one workload: times, GB/s of the least traffic, share of memcpy's speed,
/// and the ratio of the best rival to libscan. Throws as `flush_lines`.
void print(std::vector<result> const& results);

/// Everything that was measured, and on what.
class record {
 public:
  explicit record(options const& wanted);
  ~record();

  /// The machine and the versions, as lines. Throws as `flush_lines`.
  void print_header() const;

  void add(std::vector<result> const& results);
  bool empty() const;

  /// How many contenders had wrong results. They are named in the record, without times.
  int wrong() const;

  /// Throws `apps::file_error` if the file cannot be written; an earlier one is then as it was.
  void write(std::string const& path) const;

 private:
  struct content;
  std::unique_ptr<content> content_;
};

/// The results of a record, also of those written before noise was. Throws `apps::file_error` if it
/// cannot be read or is no record.
std::vector<result> read_record(std::string const& path);

}  // namespace libscan::bench
