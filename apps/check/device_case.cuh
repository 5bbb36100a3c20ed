// SPDX-License-Identifier: Apache-2.0
// A case in device memory, in the form of the kernels' headers, and the files that run one. Each is
// compiled by nvcc and, for the executor, by the C++ compiler.
#pragma once

#include <type_traits>

#include <apps/check/case_data.hpp>
#include <libscan/device/item_count.cuh>
#include <libscan/workspace.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

/// A case whose inputs and outputs are in device memory.
struct device_case {
  check_case const& c;
  placed in;
  placed out;
  workspace& ws;

  /// The number of items, passed as the case requires.
  item_count count() const {
    if (!c.count_on_device) return c.n;
    return item_count::on_device(in.at<index_t>(slot::count), c.n + c.slack);
  }

  /// The items to read.
  template <class T>
  T const* items() const {
    return (c.in_place ? out : in).at<T>(slot::items);
  }

  /// The output for items.
  template <class T>
  T* result() const {
    return out.at<T>(slot::items);
  }

  /// The values to read.
  template <class Value>
  Value const* values() const {
    return (c.in_place ? out : in).at<Value>(slot::values);
  }
};

/// f(std::type_identity<Tuning>{}) for the tuning of a case: one of `Small`, which only the
/// executor has, or void, the library's.
template <class... Small, class F>
void with_tuning([[maybe_unused]] check_case const& c, F f) {
#ifndef __CUDACC__
  int next = 0;
  bool done = false;
  auto const attempt = [&]<class Tuning>(std::type_identity<Tuning> tuning) {
    if (c.tuning != ++next) return;
    done = true;
    f(tuning);
  };
  (attempt(std::type_identity<Small>{}), ...);
  if (done) return;
#endif
  f(std::type_identity<void>{});
}

/// Runs a case of `family::scan`.
void scan_on_device(device_case const& one);

/// Runs a case of `family::segmented`.
void segmented_scan_on_device(device_case const& one);

/// Runs a case of `family::filter`.
void filter_on_device(device_case const& one);

/// Runs a case of `family::split`, except `task::split_by_key`.
void split_on_device(device_case const& one);

/// Runs a case of `family::sort`, or `task::split_by_key`.
void sort_on_device(device_case const& one);

/// Runs a case of `family::histogram`.
void histogram_on_device(device_case const& one);

/// Runs a case of `family::spmv`.
void spmv_on_device(device_case const& one);

/// Runs a case of any family.
inline void run_on_device(device_case const& one) {
  switch (family_of(one.c.what)) {
    case family::scan:
      return scan_on_device(one);
    case family::segmented:
      return segmented_scan_on_device(one);
    case family::filter:
      return filter_on_device(one);
    case family::split:
      return one.c.what == task::split_by_key ? sort_on_device(one) : split_on_device(one);
    case family::sort:
      return sort_on_device(one);
    case family::histogram:
      return histogram_on_device(one);
    case family::spmv:
      return spmv_on_device(one);
  }
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
