// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy format (NEP 1; versions 1.0 to 3.0): a magic string, a version, the length of a
// header, the header as a Python dictionary literal, the items.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>

namespace libscan::apps {

/// True if the input continues with NumPy's magic bytes.
bool starts_npy(byte_reader& in);

/// What a header says of its items.
struct npy_layout {
  dtype type = dtype::u8;     ///< as they are stored
  bool half = false;          ///< float16, whose bits `type` holds
  bool truth_values = false;  ///< whose bytes `type` holds
  bool big_endian = false;
  std::vector<index_t> shape = {};
  bool fortran = false;
  std::uint64_t bytes = 0;  ///< of all items

  /// Whether an item's place in the file is that in C order.
  bool in_c_order() const { return !fortran || shape.size() < 2; }
};

/// Reads everything before the items, and checks it against `options`. Throws `file_error` with the
/// byte.
npy_layout read_npy_header(byte_reader& in, read_options const& options);

/// Throws `file_error` if there are `size` bytes from byte `start` on, but not those of `layout`;
/// more are as good as one more.
void check_npy_size(std::string const& name, npy_layout const& layout, std::uint64_t start,
                    std::uint64_t size);

/// The items that follow a header, which must be all that is left.
array read_npy_items(byte_reader& in, npy_layout const& layout, read_options const& options);

/// Stored items, all or only some of them, in the machine's byte order; bools as 0 and 1,
/// halves as float32.
array in_usual_form(array data, npy_layout const& layout);

/// Reads an .npy file, without a copy if its items are aligned in memory, in the machine's byte
/// order and in C order. Bools become uint8, 0 and 1; float16 becomes float32.
/// `options.type` or `half`: the required type (uint8 for bools). Throws `file_error` with
/// the byte.
array read_npy(byte_reader& in, read_options const& options);

/// Everything before the items of a one-dimensional file of `count` items: version 1.0, a multiple
/// of 64 bytes.
std::string npy_header(dtype type, index_t count);

}  // namespace libscan::apps
