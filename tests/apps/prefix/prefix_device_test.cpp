// SPDX-License-Identifier: Apache-2.0
// scan-prefix's way through a device: conversion, direction, strategies and segments, against the
// loop of --verify.
#include <apps/prefix/prefix_scan.hpp>
#include <apps/prefix/verify.hpp>
#include <libscan/host/host_heads.hpp>
#include <libscan/host/this_machine.cuh>
#include <tests/apps/prefix/calls.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::apps;
using namespace libscan::test;

namespace {

/// The machine of this test: GPU 0, or the executor with the settings of the schedule.
constexpr device::this_machine machine{0};

/// The scan of the host API.
template <class T>
void segmented_on_device(prefix_call const& call) {
  libscan::detail::device_segments<device::this_machine, T>::scan(machine, host_scan_of(call));
}

/// Every manner of scan of n items; "" if all are right.
template <class T, class Item>
std::string faults(operator_kind op, index_t n) {
  owned_call<T, Item> owned(make_input<Item>(pattern::small, n), T(3));
  std::string result;
  each_manner([&](scan_kind kind, scan_direction direction, segmentation::form how) {
    prefix_call const call = owned.call(op, kind, direction, how);
    std::fill(owned.out.begin(), owned.out.end(), T(77));
    if (how == segmentation::form::none) {
      device_strategies<device::this_machine, T>::run(machine, call, {scan_strategy::production});
    } else {
      segmented_on_device<T>(call);
    }
    verdict const found = verify_prefix(call, n);
    if (!found.difference.empty()) {
      result += "form " + std::to_string(static_cast<int>(how)) + ", n = " + std::to_string(n) +
                ": " + found.difference + "; ";
    }
  });
  return result;
}

}  // namespace

TEST_CASE("scan-prefix's device scans agree with a loop") {
  int const size = static_cast<int>(sized(scaled(20001, 3001), 1501));
  each_schedule(scaled(2, 1), [size](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : sized_list({0, 1, 2, 31, 33, 1000, size}, {0, 1, 33, size})) {
      CHECK(faults<std::int64_t, std::uint8_t>(operator_kind::plus, n) == "");
      CHECK(faults<std::int64_t, double>(operator_kind::bit_xor, n) == "");
      CHECK(faults<std::uint8_t, std::uint8_t>(operator_kind::maximum, n) == "");
      CHECK(faults<std::int8_t, std::int8_t>(operator_kind::minimum, n) == "");
      CHECK(faults<std::int8_t, std::int16_t>(operator_kind::maximum, n) == "");
      CHECK(faults<float, std::int32_t>(operator_kind::plus, n) == "");
      CHECK(faults<float, float>(operator_kind::minimum, n) == "");
    }
  });
}

TEST_CASE("scan-prefix runs every strategy in both directions") {
  owned_call<std::int64_t, std::int16_t> owned(make_input<std::int16_t>(pattern::random, 1500), 5);
  for (auto const which : all_scan_strategies) {
    for (auto const direction : {scan_direction::forward, scan_direction::reverse}) {
      auto const call = owned.call(operator_kind::plus, scan_kind::exclusive, direction,
                                   segmentation::form::none);
      device_strategies<device::this_machine, std::int64_t>::run(machine, call,
                                                                 {.strategy = which});
      CHECK(verify_prefix(call, call.n).difference == "");
    }
  }
}
