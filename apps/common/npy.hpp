// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy format (NEP 1; versions 1.0 to 3.0): a magic string, a version, the length of a
// header, the header as a Python dictionary literal, the items.
#pragma once

#include <string>

#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>

namespace libscan::apps {

/// True if the input continues with NumPy's magic bytes.
bool starts_npy(byte_reader& in);

/// Reads an .npy file, without a copy if its items are aligned in memory, in the machine's byte
/// order and in C order. Bools become uint8, 0 and 1; float16 becomes float32.
/// `options.type` or `half`: the required type (uint8 for bools). Throws `file_error` with
/// the byte.
array read_npy(byte_reader& in, read_options const& options);

/// Everything before the items of a one-dimensional file of `count` items: version 1.0, a multiple
/// of 64 bytes.
std::string npy_header(dtype type, index_t count);

}  // namespace libscan::apps
