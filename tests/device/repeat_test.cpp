// SPDX-License-Identifier: Apache-2.0
// Floating-point sums repeat bit for bit while tiles stall: in the executor under many seeded
// schedules, which also change the number of blocks; on a GPU through an operator that, now here
// and now there, takes its time.
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/reduce.cuh>
#include <libscan/scan.cuh>
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/segments.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// No tuning: the library chooses.
using automatic = void;

#ifdef __CUDACC__
/// The sum, at which some operands make a thread of a GPU wait for microseconds; which ones depends
/// on the round.
template <class T>
struct hesitant_plus {
  using value_type = T;
  std::uint32_t round = 0;

  LIBSCAN_HOST_DEVICE static constexpr T identity() { return T(-0.0); }
  LIBSCAN_HOST_DEVICE T operator()(T earlier, T later) const {
#ifdef __CUDA_ARCH__
    unsigned const bits = __float_as_uint(static_cast<float>(later));
    if ((bits * 0x9e3779b1u + round * 0x85ebca6bu) >> 20 == 0) {
      long long const start = clock64();
      while (clock64() - start < 20000) {
      }
    }
#endif
    return earlier + later;
  }
};

template <class T>
hesitant_plus<T> sum_of_round(std::uint32_t round) {
  return {round};
}
#else
template <class T>
plus<T> sum_of_round(std::uint32_t) {
  return {};
}
#endif

}  // namespace

#ifdef __CUDACC__
namespace libscan::inline v1 {
template <class T>
inline constexpr bool commutative<hesitant_plus<T>> = true;
}
#endif

namespace {

/// Requires all rounds of body(op) to return the same bits, on machines of as many multiprocessors
/// as `each_schedule` is called.
template <class T, class Body>
void require_repeats(Body body, int multiprocessors = 0) {
  std::vector<T> first;
  std::uint32_t const rounds = on_gpu ? 30 : 1;
  each_schedule(
      scaled(30, 4),
      [&](std::string const& schedule) {
        INFO(schedule);
        if (first.empty()) first = body(sum_of_round<T>(0));
        for (std::uint32_t round = 1; round <= rounds; ++round) {
          INFO("round " << round);
          REQUIRE(bit_difference(first, body(sum_of_round<T>(round))) == "");
        }
      },
      multiprocessors);
}

/// For the resident scan, and for one with several tiles for each multiprocessor.
index_t small_size() { return on_gpu ? 100003 : 999; }
index_t large_size() { return on_gpu ? 3000017 : scaled(30011, 17001); }

/// Inclusive, and then exclusive over the result, so that both kinds are compared.
template <class Tuning, class T, class Op>
std::vector<T> scan_twice(std::vector<T> const& items, Op op) {
  auto const n = static_cast<index_t>(items.size());
  device_image<T> in(items), out(n);
  workspace ws;
  inclusive_scan<Tuning>(ws, static_cast<T const*>(in.data()), out.data(), n, op, nullptr, T(0.5));
  auto result = out.read();
  exclusive_scan<Tuning>(ws, in.data(), in.data(), n, op, out.data(), T(0.25));
  auto const more = in.read();
  result.insert(result.end(), more.begin(), more.end());
  result.push_back(out.read()[0]);
  return result;
}

}  // namespace

TEMPLATE_TEST_CASE("scans repeat bit for bit, whatever stalls", "", float, double) {
  for (index_t const n : {small_size(), large_size()}) {
    INFO("n = " << n);
    auto const items = make_input<TestType>(pattern::random, n);
    require_repeats<TestType>([&](auto op) { return scan_twice<automatic>(items, op); });
  }
}

TEMPLATE_TEST_CASE("the look-back scan repeats bit for bit, also in reverse", "", float, double) {
  auto const items = make_input<TestType>(pattern::random, large_size());
  require_repeats<TestType>(
      [&](auto op) { return scan_twice<look_back_tuning<TestType>>(items, op); });
  require_repeats<TestType>([&](auto op) {
    device_image<TestType> in(items);
    workspace ws;
    reverse_inclusive_scan(ws, in.data(), in.data(), large_size(), op);
    return in.read();
  });
}

TEMPLATE_TEST_CASE("reductions repeat bit for bit, whatever stalls", "", float, double) {
  auto const items = make_input<TestType>(pattern::random, large_size());
  require_repeats<TestType>([&](auto op) {
    device_image<TestType> in(items), sum(1);
    workspace ws;
    reduce(ws, in.data(), sum.data(), large_size(), op, TestType(0.5));
    return sum.read();
  });
}

TEST_CASE("segmented scans and reductions repeat bit for bit, whatever stalls") {
  for (segment_shape const shape : {segment_shape::one, segment_shape::power_law}) {
    INFO(to_string(shape));
    auto const items = make_input<float>(pattern::random, large_size());
    auto const ends = make_offsets(shape, large_size());
    device_image<std::uint32_t> const bits(bits_of(flags_of(ends)));
    head_bits const heads{bits.data()};
    auto const scan = [&](auto op) {
      device_image<float> in(items), out(large_size());
      workspace ws;
      inclusive_segmented_scan(ws, in.data(), out.data(), heads, large_size(), op, 0.5f);
      return out.read();
    };
    auto const reduce = [&](auto op) {
      device_image<float> in(items), totals(static_cast<index_t>(ends.size()) - 1);
      workspace ws;
      segmented_reduce(ws, in.data(), totals.data(), heads, large_size(), op);
      return totals.read();
    };
    for (int const multiprocessors : {2, 64}) {  // too few for all items at once, and enough
      require_repeats<float>(scan, multiprocessors);
      require_repeats<float>(reduce, multiprocessors);
    }
  }
}
