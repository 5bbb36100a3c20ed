// SPDX-License-Identifier: Apache-2.0
// Cases of scans and sums for the calls on device memory: copied there, and back.
#include <complex>
#include <type_traits>

#include <apps/check/case_there.hpp>
#include <libscan/device_calls.hpp>

namespace libscan::apps {
namespace {

/// A case with its arrays in device memory.
template <class T>
struct span_case {
  host_case<T> const& one;
  device_queue queue{one.on};
  index_t n = one.c.n;
  bool inclusive = one.c.kind == scan_kind::inclusive;
  T init = first_of<T>(one.c);
  device_array<T> items{queue, n};
  std::span<T> here = one.out.where.has(slot::items) ? one.result() : std::span<T>();
  device_array<T> results{queue, static_cast<index_t>(here.size())};
  T* out = one.c.in_place ? items.data() : results.data();
  device_span<T const> in{items.data(), n};

  template <class Op>
  void scan(Op op) {
    device_array<T> const total(queue, 1);
    bool const reverse = one.c.what == task::reverse_scan;
    if (one.c.what == task::reduce) {
      libscan::reduce(queue, in, total.data(), op, init);
    } else if (reverse) {
      if (inclusive) {
        reverse_inclusive_scan(queue, in, out, op, total.data(), init);
      } else {
        reverse_exclusive_scan(queue, in, out, op, total.data(), init);
      }
    } else if (inclusive) {
      inclusive_scan(queue, in, out, op, total.data(), init);
    } else {
      exclusive_scan(queue, in, out, op, total.data(), init);
    }
    total.download({one.out.template at<T>(slot::total), 1});
  }

  template <class Op>
  void sum_segments(segments_there const& segments, Op op) {
    device_array<index_t> const count(queue, 1);
    index_t& found = *one.out.template at<index_t>(slot::count);
    segmentation const how = segments;
    if (one.c.what == task::sums_by_keys) {
      auto const firsts = one.template array<std::int32_t>(one.out, slot::keys);
      device_array<std::int32_t> const unique(queue, static_cast<index_t>(firsts.size()));
      unique.upload(firsts);
      libscan::reduce_by_key(queue, static_cast<std::int32_t const*>(how.data()), in, unique.data(),
                             out, op, count.data(), init);
      unique.download(firsts);
    } else {
      segmented_reduce(queue, in, out, how, op, count.data(), init);
    }
    found = how.count();
    if (!how.counts_segments()) count.download({&found, 1});
  }

  /// Ranks of the true items of a mask.
  void rank_items() const {
    mask_there const mask(queue, mask_of(one.c, one.in));
    device_array<index_t> const total(queue, 1);
    auto const places = one.template array<index_t>(one.out, slot::places);
    with_integers(one, places, [&](auto ranks) {
      copy_there<typename decltype(ranks)::value_type> const to(queue, ranks);
      if (inclusive) {
        inclusive_binary_scan(queue, mask, to.data(), total.data());
      } else {
        exclusive_binary_scan(queue, mask, to.data(), total.data());
      }
      to.take();
    });
    total.download({one.out.template at<index_t>(slot::count), 1});
  }

  template <class Op>
  void run(Op op) {
    if (one.c.what == task::difference) {
      if constexpr (!libscan::detail::complex_number<T>) {
        if (one.c.form.by_operator) return adjacent_difference(queue, in, out, op);
      }
      return adjacent_difference(queue, in, out);
    }
    if (family_of(one.c.what) == family::scan) return scan(op);
    described_segments const described(one.c, one.in);
    segments_there const segments(queue, described);
    if (sums_segments(one.c.what)) return sum_segments(segments, op);
    if (inclusive) return inclusive_segmented_scan(queue, in, out, segments, op, init);
    exclusive_segmented_scan(queue, in, out, segments, op, init);
  }
};

}  // namespace

template <class T>
void run_on_device_memory(host_case<T> const& one) {
  span_case<T> there{one};
  if (is_ranks(one.c.what)) return there.rank_items();
  there.items.upload(one.items());
  there.results.upload(there.here);  // what the call leaves as it was stays so
  if constexpr (libscan::detail::complex_number<T>) {
    there.run(plus<T>{});
  } else {
    libscan::visit_operator<T>(one.c.op, [&](auto op) { there.run(op); });
  }
  auto const& written = one.c.in_place ? there.items : there.results;
  written.download(there.here);
}

#define LIBSCAN_RUN(name, type) template void run_on_device_memory(host_case<type> const& one);
LIBSCAN_ITEM_TYPES(LIBSCAN_RUN)
#undef LIBSCAN_RUN
template void run_on_device_memory(host_case<std::complex<float>> const& one);
template void run_on_device_memory(host_case<std::complex<double>> const& one);

}  // namespace libscan::apps
