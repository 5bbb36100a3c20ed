// SPDX-License-Identifier: Apache-2.0
// What --spy and --stats of scan-spmv show of a matrix: a picture of where it has entries, as SVG
// or PNG, and the distribution of row lengths as text.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <libscan/core/types.hpp>

namespace libscan::apps {

/// Whether a picture of that name can be drawn: it ends in .svg or .png.
bool names_picture(std::string const& path);

/// The bytes of a picture, at most 600 cells wide and high; a cell is darker the more of its places
/// have entries. SVG if `path` ends in .svg, else PNG. offsets and indices are a matrix by rows.
std::string draw_matrix(std::string const& path, index_t rows, index_t columns,
                        std::int64_t const* offsets, std::int32_t const* indices);

/// Lines about the rows between these offsets: their number, their lengths, and a plot of the
/// number of rows by length, in powers of two.
std::string describe_rows(std::span<std::int64_t const> offsets, index_t columns);

}  // namespace libscan::apps
