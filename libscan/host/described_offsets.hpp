// SPDX-License-Identifier: Apache-2.0
// A `segmentation` as offsets. Apart from host_heads.hpp, which takes long to compile: public
// headers include this. Internal.
#pragma once

#include <span>

#include <libscan/core/engine.hpp>
#include <libscan/core/function_ref.hpp>
#include <libscan/core/types.hpp>
#include <libscan/segmentation.hpp>

namespace libscan::inline v1::detail {

/// Calls body(offsets) with segments of n items as offsets of index_t, in whichever form they are
/// described; they are no ranges. Throws `invalid_argument` unless `segments` describes n items.
void with_described_offsets(char const* call, engine const& on, segmentation const& segments,
                            index_t n, function_ref<void(std::span<index_t const>)> body);

}  // namespace libscan::inline v1::detail
