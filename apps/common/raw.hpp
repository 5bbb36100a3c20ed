// SPDX-License-Identifier: Apache-2.0
// Raw binary: the items' bytes and nothing else.
#pragma once

#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>

namespace libscan::apps {

/// All of the input as little-endian items of `type`. Throws `file_error` if that is no whole
/// number of items.
array read_raw(byte_reader& in, dtype type, read_options const& options = {});

}  // namespace libscan::apps
