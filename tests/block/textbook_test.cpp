// SPDX-License-Identifier: Apache-2.0
// The textbook scans against their definition: block sizes, operators that do not commute,
// items of any size, memory that is reusable at once; and inclusive made exclusive in each way.
#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <tests/block/textbook.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>
#include <tests/warp/odd_items.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// Three rounds of n items each in a block that is just large enough.
template <class Algorithm, class Op, int MaxThreads>
void require_scans(int n) {
  using T = typename Op::value_type;
  using kernel = textbook_kernel<Algorithm, Op, MaxThreads>;
  auto const items = make_items<T>(kernel::rounds * n);
  int const threads = ceil_div(n, Algorithm::items_per_thread);
  device_image<T> in(items), out(kernel::rounds * n), totals(kernel::rounds * threads);
  simt::launch<kernel>({.blocks = 1, .threads = static_cast<unsigned>(threads)},
                       static_cast<T const*>(in.data()), n, out.data(), totals.data());
  auto const got = out.read(), got_totals = totals.read();
  REQUIRE(out.damage() + totals.damage() == "");
  for (int round = 0; round < kernel::rounds; ++round) {
    INFO("round " << round);
    auto const part = [round](std::vector<T> const& all, int size) {
      return std::vector<T>(all.begin() + round * size, all.begin() + (round + 1) * size);
    };
    auto const kind = round == 1 ? scan_kind::exclusive : scan_kind::inclusive;
    auto const expected = scan_oracle(kind, part(items, n), Op{}, Op::identity());
    REQUIRE(difference(expected.out, part(got, n)) == "");
    REQUIRE(difference(std::vector<T>(static_cast<std::size_t>(threads), expected.total),
                       part(got_totals, threads)) == "");
  }
}

std::vector<int> block_sizes() {
  if (reduced()) return {1, 2, 3, 5, 31, 32, 33, 64, 70, 100, 257, 1024};
  std::vector<int> sizes(70);
  std::iota(sizes.begin(), sizes.end(), 1);
  for (int const size : {96, 128, 255, 256, 257, 512, 1000, 1023, 1024}) sizes.push_back(size);
  return sizes;
}

/// Scans, and has every thread overwrite shared memory of others as soon as it has its result.
template <scan_kind Kind, class Algorithm>
struct reuse_kernel {
  static constexpr int block_threads = 48;
  static constexpr int items = block_threads * Algorithm::items_per_thread;
  using storage = typename Algorithm::template storage<int, block_threads>;
  union shared_storage {
    storage scan;
    int words[sizeof(storage) / sizeof(int)];
  };

  __device__ void operator()(shared_storage& shared, int const* in, int* out, int* totals) const {
    int const thread = static_cast<int>(threadIdx.x);
    int own[Algorithm::items_per_thread];
    for (int k = 0; k < Algorithm::items_per_thread; ++k) own[k] = in[k * block_threads + thread];
    totals[thread] = textbook::scan_tile<Kind, Algorithm>(shared.scan, own, plus<int>{});
    for (unsigned i = block_threads - 1 - threadIdx.x; i < sizeof(storage) / sizeof(int);
         i += block_threads) {
      shared.words[i] = -1;
    }
    for (int k = 0; k < Algorithm::items_per_thread; ++k) out[k * block_threads + thread] = own[k];
  }
};

template <scan_kind Kind, class Algorithm>
void require_reusable() {
  using kernel = reuse_kernel<Kind, Algorithm>;
  auto const items = make_items<int>(kernel::items);
  device_image<int> in(items), out(kernel::items), totals(kernel::block_threads);
  simt::launch<kernel>({.blocks = 1, .threads = kernel::block_threads},
                       static_cast<int const*>(in.data()), out.data(), totals.data());
  auto const expected = scan_oracle(Kind, items, plus<int>{}, 0);
  REQUIRE(difference(expected.out, out.read()) == "");
  REQUIRE(totals.read() == std::vector<int>(kernel::block_threads, expected.total));
}

template <class Op, int MaxThreads>
struct shift_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = MaxThreads;
  using shared_storage = textbook::shift_storage<T, MaxThreads>;

  __device__ void operator()(shared_storage& shared, T const* inclusive, T* exclusive,
                             T* back) const {
    T const before = textbook::exclusive_from_inclusive(shared, inclusive[threadIdx.x], Op{});
    exclusive[threadIdx.x] = before;
    back[threadIdx.x] =
        textbook::inclusive_from_exclusive(shared, before, inclusive[blockDim.x - 1]);
    // The memory may serve anything else at once.
    shared.prefix.at(static_cast<int>(blockDim.x - 1 - threadIdx.x)) = Op::identity();
  }
};

/// The number of `One` in a list.
template <class One, template <class...> class List, class... All>
constexpr int number_in(List<All...>) {
  int number = 0;
  bool found = false;
  ((found = found || std::is_same_v<One, All>, number += found ? 0 : 1), ...);
  return number;
}

/// Whether builds of few types try `One` of `List` with `Algorithm`: they give each algorithm one,
/// in turn.
template <class One, class Algorithm, template <class...> class List, class... All>
constexpr bool in_turn(List<All...> list) {
  return number_in<Algorithm>(all_algorithms{}) % static_cast<int>(sizeof...(All)) ==
         number_in<One>(list);
}

}  // namespace

using operators = std::tuple<plus<std::int32_t>, compose, keep_last, tripwire>;
TEMPLATE_LIST_TEST_CASE(
    "textbook scans keep operand order under many schedules, with reusable storage", "",
    operators) {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    each_algorithm(all_algorithms{}, [](char const* name, auto algorithm) {
      using algorithm_type = decltype(algorithm);
      constexpr bool few = std::is_same_v<TestType, tripwire> ||
                           (!quick_types && in_turn<TestType, algorithm_type>(operators{}));
      if constexpr (few || !few_types) {
        for (int const threads : block_sizes()) {
          INFO(name << ", " << threads << " threads");
          require_scans<algorithm_type, TestType, 1024>(threads * algorithm_type::items_per_thread);
        }
      }
    });
  });
}

#ifndef LIBSCAN_TEST_ALWAYS_REDUCED
TEST_CASE("textbook scans take blocks of 1 to 1024 threads") {
  if (reduced()) return;
  each_algorithm(all_algorithms{}, [](char const* name, auto algorithm) {
    using algorithm_type = decltype(algorithm);
    // Beyond several warps in the executor: sizes around whole warps, and others in between.
    for (int threads = 1; threads <= 1024; ++threads) {
      if (!on_gpu && threads > 160 && (threads + 1) % 32 > 2 && threads % 37 != 0) continue;
      INFO(name << ", " << threads << " threads");
      // An odd number of items leaves half of the last thread of two without one.
      int const n = threads * algorithm_type::items_per_thread;
      require_scans<algorithm_type, tripwire, 1024>(n % 3 == 0 && n > 2 ? n - 1 : n);
    }
  });
}

#endif

using items_of_any_size =
    std::tuple<plus<std::uint8_t>, maximum<std::int64_t>, permute, long_compose>;
TEMPLATE_LIST_TEST_CASE("textbook scans take items of any size", "", items_of_any_size) {
  each_algorithm(all_algorithms{}, [](char const* name, auto algorithm) {
    using algorithm_type = decltype(algorithm);
    if constexpr (!few_types || in_turn<TestType, algorithm_type>(items_of_any_size{})) {
      // Storage for exactly as many threads as there are, and for more.
      for (int const n : {1, 2, 33, 48, 63, 64}) {
        INFO(name << ", " << n << " items");
        require_scans<algorithm_type, TestType, 64>(n);
      }
    }
  });
}

TEST_CASE("a textbook scan's storage may be just large enough") {
  each_algorithm(all_algorithms{}, [](char const* name, auto algorithm) {
    using algorithm_type = decltype(algorithm);
    INFO(name);
    if constexpr (!quick_types || number_in<algorithm_type>(all_algorithms{}) % 3 == 0) {
      require_scans<algorithm_type, tripwire, 33>(33 * algorithm_type::items_per_thread);
      require_scans<algorithm_type, tripwire, 33>(33 * algorithm_type::items_per_thread - 1);
    }
  });
}

TEST_CASE("a textbook scan's memory may serve anything else at once") {
  each_schedule(scaled(8, 2), [](std::string const& schedule) {
    INFO(schedule);
    each_algorithm(all_algorithms{}, [](char const* name, auto algorithm) {
      INFO(name);
      constexpr int number = number_in<decltype(algorithm)>(all_algorithms{});
      if constexpr (!quick_types || number % 2 == 0) {
        require_reusable<scan_kind::inclusive, decltype(algorithm)>();
      }
      if constexpr (!quick_types || number % 2 == 1) {
        require_reusable<scan_kind::exclusive, decltype(algorithm)>();
      }
    });
  });
}

TEMPLATE_TEST_CASE("loading shifted by one makes an inclusive scan of many blocks exclusive", "",
                   textbook::kogge_stone, textbook::brent_kung) {
  auto const scan = [](auto how, std::vector<affine> const& items) {
    auto const scanned = scan_pieces<TestType, compose, decltype(how)::value>(items, 64);
    return add_sums(scanned, 64, compose{});
  };
  using std::integral_constant;
  each_schedule(scaled(4, 1), [&](std::string const& schedule) {
    INFO(schedule);
    for (int const n : {1, 2, 63, 64, 65, 128, 129, 640, 777}) {
      INFO(n << " items");
      auto const items = make_items<affine>(n);
      auto const expected = scan_oracle(scan_kind::exclusive, items, compose{}, {1, 0}).out;
      CHECK(difference(expected, scan(integral_constant<loading, loading::shifted>{}, items)) ==
            "");
      if (n <= 64) continue;
      // The lecture's warnings: only one identity enters, and items move by one position only.
      CHECK(scan(integral_constant<loading, loading::shifted_identity_per_block>{}, items) !=
            expected);
      CHECK(scan(integral_constant<loading, loading::shifted_by_thread>{}, items) != expected);
    }
  });
}

TEST_CASE("inclusive prefixes become exclusive ones by a shift, and back") {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (int const threads : block_sizes()) {
      INFO(threads << " threads");
      auto const items = make_items<affine>(threads);
      auto const inclusive = scan_oracle(scan_kind::inclusive, items, compose{}, {1, 0}).out;
      auto const exclusive = scan_oracle(scan_kind::exclusive, items, compose{}, {1, 0}).out;
      device_image<affine> in(inclusive), out(threads), back(threads);
      simt::launch<shift_kernel<compose, 1024>>(
          {.blocks = 1, .threads = static_cast<unsigned>(threads)},
          static_cast<affine const*>(in.data()), out.data(), back.data());
      REQUIRE(difference(exclusive, out.read()) == "");
      REQUIRE(difference(inclusive, back.read()) == "");
    }
  });
}
