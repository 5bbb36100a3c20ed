// SPDX-License-Identifier: Apache-2.0
// Where the segments of scan-prefix-mpi begin: each rank reads what concerns its items.
#pragma once

#include <cstdint>
#include <vector>

#include <apps/common/rank_files.hpp>
#include <apps/prefix/prefix_arguments.hpp>
#include <libscan/distributed/distribution.hpp>
#include <libscan/distributed/ranks.hpp>

namespace libscan::apps {

/// One byte for each item of this rank: 1 where a segment begins, by the file of segments in
/// `arguments`. `parts`: which items each rank has. Collective. Throws: as `rank_input` and
/// `segment_file`.
std::vector<std::uint8_t> heads_on_ranks(ranks const& on, prefix_arguments const& arguments,
                                         distribution const& parts);

}  // namespace libscan::apps
