// SPDX-License-Identifier: Apache-2.0
// Raw binary: the items' bytes and nothing else.
#pragma once

#include <cstdint>
#include <string>

#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>

namespace libscan::apps {

/// Throws `file_error` unless `size` bytes are a whole number of items of `type`.
void check_raw_size(std::string const& name, dtype type, std::uint64_t size);

/// All of the input as little-endian items of `type`. Throws `file_error` if that is no whole
/// number of items.
array read_raw(byte_reader& in, dtype type, read_options const& options = {});

}  // namespace libscan::apps
