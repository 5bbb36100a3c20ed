// SPDX-License-Identifier: Apache-2.0
// The output of a run: lines for people, and a record as JSON. All times are in microseconds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <bench/measure.hpp>

namespace libscan::bench {

/// Checks that standard output accepted all lines. Throws `apps::file_error`.
void flush_lines();

/// Prints the results of one workload: times, GB/s of the least traffic, share of memcpy's speed,
/// and the ratio of the best competitor to libscan. Throws as `flush_lines`.
void print(std::vector<result> const& results);

/// All results, and the machine they were measured on.
class record {
 public:
  explicit record(options const& wanted);
  ~record();

  /// The machine and the versions, as lines. Throws as `flush_lines`.
  void print_header() const;

  void add(std::vector<result> const& results);
  bool empty() const;

  /// The number of contenders with wrong results. The record names them, without times.
  int wrong() const;

  /// Throws `apps::file_error` if the file cannot be written; an earlier file is then unchanged.
  void write(std::string const& path) const;

 private:
  struct content;
  std::unique_ptr<content> content_;
};

/// The results of a record, also of old ones without noise. Throws `apps::file_error` if it cannot
/// be read or is no record.
std::vector<result> read_record(std::string const& path);

}  // namespace libscan::bench
