// SPDX-License-Identifier: Apache-2.0
// What a program does around its kernels, and says about it: it times each step, writes the result,
// and reports the result of --verify. --time prints steps on standard error; --json writes steps
// and numbers to a file.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <apps/common/array_writer.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/text_rows.hpp>
#include <apps/common/verifiers.hpp>

namespace libscan::apps {

/// From now on, steps are printed on standard error.
void report_on_standard_error();

/// From now on, steps and numbers go to a JSON object, which `finish_report` writes to `path`.
/// Opens the file: throws as `output_file`.
void report_as_json(std::string const& path);

/// Reports a step. On standard error: "read 0.012345 s 12.34 GB/s words". In JSON: a member of
/// "steps" with "step", "seconds", "bytes" and "words".
void report_step(char const* step, double seconds, std::uint64_t bytes, std::string const& words);

/// Reports a number, for JSON only: a member `name` of the object.
void report_number(char const* name, std::uint64_t value);

/// Writes the JSON object, if one was requested, with the member "program". Throws as
/// `output_file`; a `file_error` then says that the results are written.
void finish_report(std::string_view program);

/// `text` in JSON's quotes. Bytes that are no printable UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

/// Calls `work`, adds the seconds it takes to `seconds`, and returns its result.
template <class Work>
decltype(auto) timed(double& seconds, Work&& work) {
  struct watch {
    double& seconds;
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
    ~watch() {
      seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    }
  } const running{seconds};
  return work();
}

/// The words of --time for items that were read: "1000 items of int32", and the line of a text
/// that was skipped as a header, if any.
std::string items_read(std::size_t count, dtype type, std::uint64_t header_line);
std::string items_read(array const& items);

/// Prints the result of --verify, and returns whether `difference` is empty. If so, `agreement`
/// says what agrees, and so do `others`.
bool report_verified(std::string const& difference, verifier_set others = {},
                     std::string const& agreement = "a plain loop computes the same");

/// Writes all of an array with a progress bar and commits it. `path` is the writer's. See
/// `array_writer` for the format and the errors.
void write_whole(array_writer& output, std::string const& path, dtype type,
                 std::span<std::byte const> items, file_format otherwise, progress& meter);

/// The same, but only completes it: it will be committed with the other outputs.
void write_completely(array_writer& output, std::string const& path, dtype type,
                      std::span<std::byte const> items, file_format otherwise, progress& meter);

/// Begins a text of rows: their byte order mark and header. They may be a piece of all rows.
void begin_rows(array_writer& output, text_rows const& rows);

/// Appends the rows at these positions, and advances `meter`, if any, by their bytes. Collects rows
/// on that many threads, 0: one for each core.
void append_rows(array_writer& output, text_rows const& rows, std::span<index_t const> positions,
                 int threads, progress* meter = nullptr);

/// Completes a text of the rows at these positions, with a progress bar. `path` is the writer's.
void write_rows(array_writer& output, std::string const& path, text_rows const& rows,
                std::span<index_t const> positions, int threads, progress& meter);

/// The same for lines by where they begin in `rows.rows.text()`. Requires `rows.rows.are_lines()`.
void write_lines(array_writer& output, std::string const& path, text_rows const& rows,
                 std::span<std::uint32_t const> begins, int threads, progress& meter);

}  // namespace libscan::apps
