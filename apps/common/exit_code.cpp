// SPDX-License-Identifier: Apache-2.0
// Wording of file errors.
#include <apps/common/exit_code.hpp>

#include <system_error>

namespace libscan::apps {

file_error::file_error(std::string const& path, std::string const& reason)
    : error(path + ": " + reason) {}

file_error file_error::at_line(std::string const& path, std::uint64_t line,
                               std::string const& reason) {
  return file_error(path + ":" + std::to_string(line) + ": " + reason);
}

file_error file_error::at_byte(std::string const& path, std::uint64_t offset,
                               std::string const& reason) {
  return file_error(path + ": byte " + std::to_string(offset) + ": " + reason);
}

file_error file_error::from_errno(std::string const& path, std::string const& doing,
                                  int error_number) {
  return file_error(path + ": " + doing + ": " + std::generic_category().message(error_number));
}

}  // namespace libscan::apps
