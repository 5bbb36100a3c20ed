// SPDX-License-Identifier: Apache-2.0
// Formats that libscan does not support: recognized by their first bytes when read, and by the
// endings of names when written.
#pragma once

#include <string>
#include <string_view>

#include <apps/common/byte_source.hpp>

namespace libscan::apps {

/// Throws `file_error` if the decompressed input begins like a file of a format other than the
/// `expected` one: "text" (such a file might also be npy), "npy", or "a Matrix Market file".
/// Compressed, packed and binary formats have magic bytes.
void refuse_foreign_content(byte_reader& in, std::string_view expected);

/// Refuses an output whose name has the ending of another known format: plain data under that name
/// would mislead. `allowed`: the endings that are supported (".npy .txt"). Case does not matter;
/// unknown endings are accepted. Throws `usage_error`.
void refuse_foreign_ending(std::string_view path, std::string_view allowed,
                           std::string_view name = {});

}  // namespace libscan::apps
