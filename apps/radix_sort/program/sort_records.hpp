// SPDX-License-Identifier: Apache-2.0
// The external sort with its types as values.
#pragma once

#include <cstddef>

#include <apps/common/dtype.hpp>
#include <apps/radix_sort/program/external_plan.hpp>
#include <apps/radix_sort/program/record_file.hpp>

namespace libscan::apps {

struct external_request;

/// Sorts records of keys of type `key` and values of `value_bytes` bytes (0, 1, 2, 4 or 8). Throws
/// `invalid_argument` for bits that the keys do not have, `file_error` or std::bad_alloc.
void sort_records(dtype key, std::size_t value_bytes, external_request const& request,
                  external_plan const& plan, record_list const& from);

}  // namespace libscan::apps
