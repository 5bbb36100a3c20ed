// SPDX-License-Identifier: Apache-2.0
// What a program says about its work besides its result: the steps of --time on standard error, and
// steps and numbers as JSON in a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace libscan::apps
