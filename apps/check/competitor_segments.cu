// SPDX-License-Identifier: Apache-2.0
// Scans within segments, however they are described: by Thrust's scans by key, with the numbers of
// the segments as keys.
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/transform.h>

#include <apps/check/competitor_parts_cuda.cuh>
#include <apps/check/device_operators.cuh>
#include <libscan/buffer.cuh>
#include <libscan/device/segment_readers.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {
namespace {

/// Marks the first item of a segment, unless the segment and all after it are empty.
struct mark_head {
  std::int32_t* heads;
  index_t n;
  LIBSCAN_HOST_DEVICE void operator()(index_t offset) const {
    if (offset < n) heads[offset] = 1;
  }
};

/// 1 for a flag or a bit that is set.
struct one_if_set {
  LIBSCAN_HOST_DEVICE std::int32_t operator()(std::uint8_t flag) const { return flag != 0 ? 1 : 0; }
};
struct one_if_marked {
  is_marked marked;
  LIBSCAN_HOST_DEVICE std::int32_t operator()(index_t i) const { return marked(i) ? 1 : 0; }
};

/// The number of the segment of each item.
void number_segments(device_case const& one, std::int32_t* numbers) {
  check_case const& c = one.c;
  auto const policy = thrust_policy(one);
  if (c.what == task::segmented_by_flags) {
    auto const* const flags = one.in.at<std::uint8_t>(slot::flags);
    thrust::transform(policy, flags, flags + c.n, numbers, one_if_set{});
  } else if (c.what == task::segmented_by_bits) {
    thrust::counting_iterator<index_t> const places(0);
    thrust::transform(policy, places, places + c.n, numbers,
                      one_if_marked{is_marked{one.in.at<std::uint32_t>(slot::bits)}});
  } else {
    auto const* const offsets = one.in.at<index_t>(slot::places);
    thrust::fill(policy, numbers, numbers + c.n, 0);
    thrust::for_each(policy, offsets, offsets + one.in.size(slot::places), mark_head{numbers, c.n});
  }
  thrust::inclusive_scan(policy, numbers, numbers + c.n, numbers);
}

template <class T>
void scan_by_key(device_case const& one, std::int32_t const* keys) {
  check_case const& c = one.c;
  typename segment_operator<T>::type const op;
  equal_values const equal;
  if (c.kind == scan_kind::inclusive) {
    thrust::inclusive_scan_by_key(thrust_policy(one), keys, keys + c.n, one.items<T>(),
                                  one.result<T>(), equal, op);
  } else {
    thrust::exclusive_scan_by_key(thrust_policy(one), keys, keys + c.n, one.items<T>(),
                                  one.result<T>(), init_of<T>(c), equal, op);
  }
}

}  // namespace

void scan_segments_by_thrust(device_case const& one) {
  device::buffer<std::int32_t> const numbers(one.c.n);
  auto const* keys = one.in.at<std::int32_t>(slot::keys);
  if (one.c.what != task::segmented_by_keys) {
    number_segments(one, numbers.data());
    keys = numbers.data();
  }
  if (one.c.type == dtype::i16) {
    scan_by_key<std::int16_t>(one, keys);
  } else if (one.c.type == dtype::u64) {
    scan_by_key<std::uint64_t>(one, keys);
  } else {
    scan_by_key<float>(one, keys);
  }
  simt::synchronize(one.ws.stream());  // before the buffer is freed
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
