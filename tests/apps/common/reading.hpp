// SPDX-License-Identifier: Apache-2.0
// Reading arrays from text and bytes in memory, for tests.
#pragma once

#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/exit_code.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace libscan::test {

inline apps::array read_memory(std::string const& bytes, apps::read_options const& options = {},
                               std::string const& name = "x") {
  auto const owner = std::make_shared<std::string const>(bytes);
  auto const span = std::as_bytes(std::span<char const>(*owner));
  return apps::read_array(apps::from_memory({span, owner}), name, options);
}

inline apps::read_options as(apps::file_format format, std::optional<apps::dtype> type = {},
                             int column = 1) {
  return {format, type, column};
}

/// The message with which the bytes are refused, or "accepted".
inline std::string refusal(std::string const& bytes, apps::read_options const& options = {},
                           std::string const& name = "x") {
  try {
    read_memory(bytes, options, name);
    return "accepted";
  } catch (apps::file_error const& e) {
    return e.what();
  } catch (apps::usage_error const& e) {
    return std::string("usage: ") + e.what();
  }
}

template <class T>
std::vector<T> read_values(std::string const& text, apps::read_options const& options = {}) {
  apps::array const data = read_memory(text, options);
  auto const values = data.values<T>();
  return {values.begin(), values.end()};
}

}  // namespace libscan::test
