// SPDX-License-Identifier: Apache-2.0
// Problems on device memory, and every implementation's way to solve them. Each implementation has
// a folder of its name here, and offers nothing if it has no such call. Types are passed by name,
// so that implementations compile separately (two versions of CUB must).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <bench/cuda/scan_types.hpp>
#include <libscan/core/types.hpp>

namespace libscan::bench {

/// out = scan of in[0 .. n-1]; types and operator as in scan_types.hpp.
struct scan_problem {
  std::string type, op;
  scan_kind kind;
  void const* in;
  void* out;
  index_t n;
};

/// out = exclusive sums of in[0 .. n-1] from the end.
struct reverse_scan_problem {
  std::int32_t const* in;
  std::int32_t* out;
  index_t n;
};

/// *out = in[0 .. n-1] reduced.
struct reduce_problem {
  std::string type, op;
  void const* in;
  void* out;
  index_t n;
};

/// out = scan of each segment of in[0 .. n-1], of type u32 or f32; the same segments in four forms.
struct segmented_problem {
  std::string heads;  ///< which of them to use
  std::string type;
  scan_kind kind;
  void const* in;
  void* out;
  index_t n;
  std::uint8_t const* flags;
  std::uint32_t const* bits;
  std::uint32_t const* keys;
  std::int32_t const* offsets;
  index_t segments;
};

/// ranks = scan of a mask.
struct binary_problem {
  std::string mask;  ///< "bytes" or "bits"
  scan_kind kind;
  void const* items;
  std::int32_t* ranks;
  index_t n;
};

/// out = the items of in[0 .. n-1] below `limit`, *count their number. `out` may be `in`.
struct filter_problem {
  std::uint32_t const* in;
  std::uint32_t* out;
  index_t* count;
  std::uint32_t limit;
  index_t n;
};

/// out = the items of in[0 .. n-1] that a mask marks, *count their number.
struct mask_filter_problem {
  std::string mask;  ///< "bytes" or "bits"
  void const* marks;
  std::uint32_t const* in;
  std::uint32_t* out;
  index_t* count;
  index_t n;
};

/// The items of in[0 .. n-1] below `limit`, or the flagged ones, and the others; *count = the
/// number of the former.
struct split_problem {
  std::string outputs;        ///< a name on `output_axis`: which of the outputs are written
  std::uint8_t const* flags;  ///< null: by `limit`
  std::uint32_t limit;
  std::uint32_t const* in;
  std::uint32_t* out;       ///< of n items: the former, then the others for "one"
  std::uint32_t* rejected;  ///< "two": the others
  std::uint32_t* reversed;  ///< of n items, "reversed": the former, then the others back to front.
                            ///< Implementations with " reversed" in their name write it always.
  index_t* count;
  index_t n;
};

/// values = the first of each run of equal items in in[0 .. n-1], *count their number; lengths of
/// the runs, unless null.
struct run_problem {
  std::uint32_t const* in;
  std::uint32_t* values;
  std::uint32_t* lengths;
  index_t* count;
  index_t n;
};

/// out = keys[0 .. n-1] in ascending order.
struct sort_problem {
  std::string type;  ///< "u16", "u32" or "u64"
  void const* keys;
  void* out;
  index_t n;
};

/// keys_out = keys[0 .. n-1] in ascending order, stably; values_out = their values.
struct pair_sort_problem {
  bool indices;  ///< values are 0, 1, 2 ..., and keys_out is not wanted
  std::uint32_t const* keys;
  std::uint32_t* keys_out;
  std::uint32_t const* values;
  std::uint32_t* values_out;
  index_t n;
};

/// The same for keys below `buckets`, a power of two, and offsets[b] = the number of keys below b,
/// for b up to `buckets`.
struct bucket_problem {
  int buckets;
  std::uint32_t const* keys;
  std::uint32_t* keys_out;
  std::uint32_t const* values;
  std::uint32_t* values_out;
  index_t* offsets;
  index_t n;
};

/// keys_out = each segment of keys[0 .. n-1] in ascending order, stably; values_out = their values.
struct segmented_sort_problem {
  std::uint32_t const* keys;
  std::uint32_t* keys_out;
  std::uint32_t const* values;  ///< null: keys only
  std::uint32_t* values_out;
  index_t n;
  std::int32_t const* offsets;
  index_t segments;
};

/// A way to solve a problem, with its temporary memory. Asynchronous on the default stream.
struct implementation {
  std::string name;
  std::function<void()> run;
  bool leaves_counts =
      true;  ///< whether it writes `count` or `offsets`; if not, they are unchanged
};
using implementations = std::vector<implementation>;

namespace by_libscan {
template <class List>
implementations scans(scan_problem const& problem);
implementations offers(reverse_scan_problem const& problem);
implementations offers(reduce_problem const& problem);
implementations offers(segmented_problem const& problem);
implementations offers(binary_problem const& problem);
implementations offers(filter_problem const& problem);
implementations offers(mask_filter_problem const& problem);
implementations offers(split_problem const& problem);
implementations offers(run_problem const& problem);
implementations offers(sort_problem const& problem);
implementations offers(pair_sort_problem const& problem);
implementations offers(bucket_problem const& problem);
implementations offers(segmented_sort_problem const& problem);
/// The textbook sort by one-bit splits, of 2^24 u32 keys.
implementations textbook_sorts(sort_problem const& problem);
}  // namespace by_libscan

/// The toolkit's CUB, with a 32-bit and, if it takes both, a 64-bit number of items.
namespace by_cub {
template <class List>
implementations scans(scan_problem const& problem);
implementations offers(reverse_scan_problem const& problem);
implementations offers(reduce_problem const& problem);
implementations offers(segmented_problem const& problem);
implementations offers(binary_problem const& problem);
implementations offers(filter_problem const& problem);
implementations offers(mask_filter_problem const& problem);
implementations offers(split_problem const& problem);
implementations offers(run_problem const& problem);
implementations offers(sort_problem const& problem);
implementations offers(pair_sort_problem const& problem);
implementations offers(bucket_problem const& problem);
implementations offers(segmented_sort_problem const& problem);
std::string version();
}  // namespace by_cub

/// The newest CUB, if script/bench has fetched it.
namespace by_newest_cub {
template <class List>
implementations scans(scan_problem const& problem);
implementations offers(reverse_scan_problem const& problem);
implementations offers(reduce_problem const& problem);
implementations offers(segmented_problem const& problem);
implementations offers(binary_problem const& problem);
implementations offers(filter_problem const& problem);
implementations offers(mask_filter_problem const& problem);
implementations offers(split_problem const& problem);
implementations offers(run_problem const& problem);
implementations offers(sort_problem const& problem);
implementations offers(pair_sort_problem const& problem);
implementations offers(bucket_problem const& problem);
implementations offers(segmented_sort_problem const& problem);
std::string version();
}  // namespace by_newest_cub

namespace by_thrust {
implementations offers(scan_problem const& problem);
implementations offers(segmented_problem const& problem);
implementations offers(filter_problem const& problem);
implementations offers(split_problem const& problem);
}  // namespace by_thrust

/// All implementations' offers for a problem.
implementations all_offers(scan_problem const& problem);
implementations all_offers(reverse_scan_problem const& problem);
implementations all_offers(reduce_problem const& problem);
implementations all_offers(segmented_problem const& problem);
implementations all_offers(binary_problem const& problem);
implementations all_offers(filter_problem const& problem);
implementations all_offers(mask_filter_problem const& problem);
implementations all_offers(split_problem const& problem);
implementations all_offers(run_problem const& problem);
implementations all_offers(sort_problem const& problem);
implementations all_offers(pair_sort_problem const& problem);
implementations all_offers(bucket_problem const& problem);
implementations all_offers(segmented_sort_problem const& problem);

}  // namespace libscan::bench
