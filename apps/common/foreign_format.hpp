// SPDX-License-Identifier: Apache-2.0
// Formats that others have and libscan does not: told by their first bytes, where they are read,
// and by the endings of names, where they would be written.
#pragma once

#include <string>
#include <string_view>

#include <apps/common/byte_source.hpp>

namespace libscan::apps {

/// Throws `file_error` if the input, which is about to be read as text, begins as a file of another
/// known format does. Compressed, packed and binary formats are known by their magic bytes.
void refuse_foreign_content(byte_reader& in);

/// Refuses an output whose name ends as those of another known format: plain data under it would
/// mislead. `allowed`: the endings that are fine (".npy .txt"). Endings are told in any case;
/// unknown ones are fine. Throws `usage_error`.
void refuse_foreign_ending(std::string_view path, std::string_view allowed);

}  // namespace libscan::apps
