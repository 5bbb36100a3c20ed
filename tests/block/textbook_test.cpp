// SPDX-License-Identifier: Apache-2.0
// The textbook scans against their definition, at every block size, and against the worked examples
// of their sources. Then the slips of those sources: each is planted, one at a time, and noticed.
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <libscan/block/textbook/catalogue.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace libscan::test;
using namespace libscan::block::textbook;

namespace {

template <class... Algorithms>
struct algorithm_list {};

using all_algorithms =
    algorithm_list<sequential, quadratic, hillis_steele, kogge_stone, kogge_stone_double_buffered,
                   blelloch<dense>, blelloch<padded<16>>, blelloch<padded<32>>,
                   blelloch<fully_padded<16>>, blelloch<fully_padded<32>>, brent_kung>;

/// Calls body(name, Algorithm{}) for each of the list.
template <class Body, class... Algorithms>
void each_algorithm(algorithm_list<Algorithms...>, Body body) {
  static char const* const names[] = {"sequential",
                                      "quadratic",
                                      "Hillis-Steele",
                                      "Kogge-Stone",
                                      "Kogge-Stone, double-buffered",
                                      "Blelloch",
                                      "Blelloch, padded for 16 banks",
                                      "Blelloch, padded for 32 banks",
                                      "Blelloch, fully padded for 16 banks",
                                      "Blelloch, fully padded for 32 banks",
                                      "Brent-Kung"};
  static_assert(sizeof...(Algorithms) == std::size(names));
  auto const* name = names;
  (body(*name++, Algorithms{}), ...);
}

/// Scans three times n items with one storage, which must be reusable at once: the rounds are
/// inclusive, exclusive, inclusive. What lies behind a round's n items is the identity.
template <class Algorithm, class Op, int MostThreads>
struct scan_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = MostThreads;
  static constexpr int rounds = 3;
  using shared_storage = typename Algorithm::template storage<T, MostThreads>;

  __device__ void operator()(shared_storage& shared, T const* in, int n, T* out, T* totals) const {
    int const threads = static_cast<int>(blockDim.x);
    int const thread = static_cast<int>(threadIdx.x);
    constexpr int per_thread = Algorithm::items_per_thread;
    for (int round = 0; round < rounds; ++round) {
      T items[per_thread];
      for (int k = 0; k < per_thread; ++k) {
        int const i = k * threads + thread;
        items[k] = i < n ? in[round * n + i] : Op::identity();
      }
      T const total = round == 1 ? scan_tile<scan_kind::exclusive, Algorithm>(shared, items, Op{})
                                 : scan_tile<scan_kind::inclusive, Algorithm>(shared, items, Op{});
      totals[round * threads + thread] = total;
      for (int k = 0; k < per_thread; ++k) {
        int const i = k * threads + thread;
        if (i < n) out[round * n + i] = items[k];
      }
    }
  }
};

/// Three rounds of n items each in a block that is just large enough.
template <class Algorithm, class Op, int MostThreads>
void require_scans(int n) {
  using T = typename Op::value_type;
  using kernel = scan_kernel<Algorithm, Op, MostThreads>;
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
    totals[thread] = scan_tile<Kind, Algorithm>(shared.scan, own, plus<int>{});
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

/// The inclusive or the exclusive scan of a few integers, by any algorithm.
template <class Algorithm>
std::vector<int> scan_few(scan_kind kind, std::vector<int> const& items) {
  using kernel = scan_kernel<Algorithm, plus<int>, 10>;
  int const n = static_cast<int>(items.size());
  int const threads = ceil_div(n, Algorithm::items_per_thread);
  std::vector<int> rounds;
  for (int round = 0; round < kernel::rounds; ++round) {
    rounds.insert(rounds.end(), items.begin(), items.end());
  }
  device_image<int> in(rounds), out(kernel::rounds * n), totals(kernel::rounds * threads);
  simt::launch<kernel>({.blocks = 1, .threads = static_cast<unsigned>(threads)},
                       static_cast<int const*>(in.data()), n, out.data(), totals.data());
  auto const got = out.read();
  int const first = kind == scan_kind::exclusive ? n : 0;
  return {got.begin() + first, got.begin() + first + n};
}

/// How item i of a block scan across blocks is loaded.
enum class loading { in_place, shifted, shifted_identity_per_block, shifted_by_thread };

template <loading How, class Op, class T>
__device__ T load(T const* in, int i, Op op) {
  if (How == loading::in_place) return in[i];
  if (How == loading::shifted_identity_per_block && threadIdx.x == 0) return op.identity();
  // Each thread's items shifted by as many as it has, not by one.
  if (How == loading::shifted_by_thread) return i < 2 ? op.identity() : in[i - 2];
  return load_shifted(in, i, op);
}

/// The first pass of the hierarchical scan: every block scans its piece and writes the piece's sum.
template <class Algorithm, class Op, loading How>
struct piece_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = 64;
  using shared_storage = typename Algorithm::template storage<T, block_threads>;

  __device__ void operator()(shared_storage& shared, T const* in, int n, T* pieces, T* sums) const {
    constexpr int per_thread = Algorithm::items_per_thread;
    int const threads = static_cast<int>(blockDim.x);
    int const base = static_cast<int>(blockIdx.x) * threads * per_thread +  //
                     static_cast<int>(threadIdx.x);
    T items[per_thread];
    for (int k = 0; k < per_thread; ++k) {
      int const i = base + k * threads;
      items[k] = i < n ? load<How>(in, i, Op{}) : Op::identity();
    }
    T const sum = scan_tile<scan_kind::inclusive, Algorithm>(shared, items, Op{});
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
    for (int k = 0; k < per_thread; ++k) {
      int const i = base + k * threads;
      if (i < n) pieces[i] = items[k];
    }
  }
};

template <class T>
struct pieces {
  std::vector<T> scanned;
  std::vector<T> sums;
};

template <class Algorithm, class Op, loading How>
pieces<typename Op::value_type> scan_pieces(std::vector<typename Op::value_type> const& items,
                                            int piece) {
  using T = typename Op::value_type;
  int const n = static_cast<int>(items.size());
  int const blocks = ceil_div(n, piece);
  device_image<T> in(items), out(n), sums(blocks);
  simt::launch<piece_kernel<Algorithm, Op, How>>(
      {.blocks = static_cast<unsigned>(blocks),
       .threads = static_cast<unsigned>(piece / Algorithm::items_per_thread)},
      static_cast<T const*>(in.data()), n, out.data(), sums.data());
  return {out.read(), sums.read()};
}

/// The last pass: what the pieces before sum up to comes before each item.
template <class Op, class T>
std::vector<T> add_sums(pieces<T> const& scanned, int piece, Op op) {
  auto const carries = scan_oracle(scan_kind::exclusive, scanned.sums, op, Op::identity()).out;
  auto result = scanned.scanned;
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = op(carries[i / static_cast<std::size_t>(piece)], result[i]);
  }
  return result;
}

template <class Op, int MostThreads>
struct shift_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = MostThreads;
  using shared_storage = shift_storage<T, MostThreads>;

  __device__ void operator()(shared_storage& shared, T const* inclusive, T* exclusive,
                             T* back) const {
    T const before = exclusive_from_inclusive(shared, inclusive[threadIdx.x], Op{});
    exclusive[threadIdx.x] = before;
    back[threadIdx.x] = inclusive_from_exclusive(shared, before, inclusive[blockDim.x - 1]);
    // The memory may serve anything else at once.
    shared.prefix.at(static_cast<int>(blockDim.x - 1 - threadIdx.x)) = Op::identity();
  }
};

}  // namespace

TEMPLATE_TEST_CASE("textbook scans keep operand order at every block size, with reusable storage",
                   "", plus<std::int32_t>, compose, keep_last, tripwire) {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    each_algorithm(all_algorithms{}, [](char const* name, auto algorithm) {
      using algorithm_type = decltype(algorithm);
      for (int const threads : block_sizes()) {
        INFO(name << ", " << threads << " threads");
        require_scans<algorithm_type, TestType, 1024>(threads * algorithm_type::items_per_thread);
      }
    });
  });
}

TEST_CASE("textbook scans take items of any number and size") {
  each_algorithm(all_algorithms{}, [](char const* name, auto algorithm) {
    using algorithm_type = decltype(algorithm);
    INFO(name);
    // Storage for exactly as many threads, one item less than fits, and other sizes of items.
    require_scans<algorithm_type, tripwire, 33>(33 * algorithm_type::items_per_thread - 1);
    require_scans<algorithm_type, plus<std::uint8_t>, 48>(48);
    require_scans<algorithm_type, maximum<std::int64_t>, 64>(64);
  });
}

TEST_CASE("a textbook scan's memory may serve anything else at once") {
  each_schedule(scaled(8, 2), [](std::string const& schedule) {
    INFO(schedule);
    each_algorithm(all_algorithms{}, [](char const* name, auto algorithm) {
      INFO(name);
      require_reusable<scan_kind::inclusive, decltype(algorithm)>();
      require_reusable<scan_kind::exclusive, decltype(algorithm)>();
    });
  });
}

TEST_CASE("textbook scans give the results that their sources print") {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    each_algorithm(all_algorithms{}, [](char const* name, auto algorithm) {
      using algorithm_type = decltype(algorithm);
      INFO(name);
      auto const inclusive = [](std::vector<int> const& items) {
        return scan_few<algorithm_type>(scan_kind::inclusive, items);
      };
      auto const exclusive = [](std::vector<int> const& items) {
        return scan_few<algorithm_type>(scan_kind::exclusive, items);
      };
      // Harris, lecture. (Harris prints 14 for the inclusive 15.)
      std::vector<int> const eight{3, 1, 7, 0, 4, 1, 6, 3};
      CHECK(inclusive(eight) == std::vector<int>{3, 4, 11, 11, 15, 16, 22, 25});
      CHECK(exclusive(eight) == std::vector<int>{0, 3, 4, 11, 11, 15, 16, 22});
      // Verona
      std::vector<int> const five{3, 1, 7, 4, 6};
      CHECK(inclusive(five) == std::vector<int>{3, 4, 11, 15, 21});
      CHECK(exclusive(five) == std::vector<int>{0, 3, 4, 11, 15});
      // The lecture's sandwich of 100 inches
      auto const cuts = inclusive({3, 5, 2, 7, 28, 4, 3, 0, 8, 1});
      CHECK(cuts == std::vector<int>{3, 8, 10, 17, 45, 49, 52, 52, 60, 61});
      CHECK(100 - cuts.back() == 39);
    });
  });
}

TEST_CASE("two blocks of four do what the walkthrough draws") {
  std::vector<int> const eight{3, 1, 7, 0, 4, 1, 6, 3};
  each_algorithm(all_algorithms{}, [&](char const* name, auto algorithm) {
    using algorithm_type = decltype(algorithm);
    INFO(name);
    auto const inclusive = scan_pieces<algorithm_type, plus<int>, loading::in_place>(eight, 4);
    CHECK(inclusive.scanned == std::vector<int>{3, 4, 11, 11, 4, 5, 11, 14});
    CHECK(inclusive.sums == std::vector<int>{11, 14});
    CHECK(scan_few<algorithm_type>(scan_kind::inclusive, inclusive.sums) ==
          std::vector<int>{11, 25});
    CHECK(add_sums(inclusive, 4, plus<int>{}) == std::vector<int>{3, 4, 11, 11, 15, 16, 22, 25});

    auto const exclusive = scan_pieces<algorithm_type, plus<int>, loading::shifted>(eight, 4);
    CHECK(exclusive.scanned == std::vector<int>{0, 3, 4, 11, 0, 4, 5, 11});
    CHECK(add_sums(exclusive, 4, plus<int>{}) == std::vector<int>{0, 3, 4, 11, 11, 15, 16, 22});
  });
}

TEMPLATE_TEST_CASE("loading shifted by one makes an inclusive scan of many blocks exclusive", "",
                   kogge_stone, brent_kung) {
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

TEST_CASE("inclusive prefixes become exclusive ones by a shift, and the other way round") {
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

TEST_CASE("every size in Harris's Table 2 is a power of two, but for one misprint") {
  auto const is_power_of_two = [](std::int64_t n) { return (n & (n - 1)) == 0; };
  CHECK(tree_size(1024) == 1024);
  for (std::int64_t n = 32768; n <= 16777216; n *= 2) CHECK(is_power_of_two(n));
  CHECK_FALSE(is_power_of_two(8388688));
  CHECK(is_power_of_two(8388608));
}

TEST_CASE("Listing 3 as printed pads nothing") {
  // The macro's sum of two shifts, as the compiler reads it: + binds tighter than >>.
  auto const printed = [](std::int64_t n, int banks, int log_banks) {
    return (n >> (banks + n)) >> (2 * log_banks);
  };
  for (int n = 16; n <= 40; ++n) {
    CHECK(printed(n, 16, 4) == 0);
    CHECK(printed(n, 4, 4) == 0);  // with the logarithm, but still without the parentheses
    CHECK(n >> 16 == 0);           // with the parentheses, but still without the logarithm
    CHECK(fully_padded<16>::place(n) - n == n / 16);
  }
  CHECK(padded<16>::place(511) == 511 + 31);            // + n >> 4
  CHECK(fully_padded<16>::place(511) == 511 + 31 + 1);  // + n >> 4, + n >> 8
  CHECK(padded<32>::place(2047) == 2047 + 63);          // + n >> 5
  CHECK(fully_padded<32>::place(2047) == 2047 + 63 + 1);
}

namespace {

/// The tree's sweeps as Harris and Verona number their indices, one node after the other, with the
/// bounds checked.
struct printed_sweeps {
  std::vector<int> x;

  int& at(int i) { return x.at(static_cast<std::size_t>(i)); }
  int size() const { return static_cast<int>(x.size()); }

  void up() {
    for (int step = 1; step < size(); step *= 2) {
      for (int k = 0; k < size(); k += 2 * step) at(k + 2 * step - 1) += at(k + step - 1);
    }
  }
  /// Verona (III): i runs over every 2 step-th item, and is then multiplied once more.
  void up_of_verona() {
    for (int step = 1; step < size(); step *= 2) {
      for (int i = 0; i < size(); i += 2 * step) {
        int const right = (i + 1) * (2 * step) - 1;
        at(right) += at(right - step);
      }
    }
  }
  /// Harris, Algorithm 4, from level `first`.
  void down(int first) {
    at(size() - 1) = 0;
    for (int d = first; d >= 0; --d) {
      int const step = 1 << d;
      for (int k = 0; k < size(); k += 2 * step) swap_and_add(k + step - 1, k + 2 * step - 1);
    }
  }
  /// Verona (V): `right` is what should be `left`.
  void down_of_verona() {
    at(size() - 1) = 0;
    for (int step = size() / 2, limit = 1; step > 0; step /= 2, limit *= 2) {
      for (int thread = 0; thread < limit; ++thread) {
        int const right = (thread * 2 + 1) * step - 1;
        swap_and_add(right - step, right);
      }
    }
  }

 private:
  void swap_and_add(int left, int right) {
    int const sum = at(left);
    at(left) = at(right);
    at(right) += sum;
  }
};

}  // namespace

TEST_CASE("the printed index rules of the tree leave the array") {
  std::vector<int> const eight{3, 1, 7, 0, 4, 1, 6, 3};
  printed_sweeps tree{eight};
  tree.up();
  printed_sweeps const reduced_tree = tree;
  tree.down(2);  // log2 n - 1
  CHECK(tree.x == std::vector<int>{0, 3, 4, 11, 11, 15, 16, 22});
  tree = reduced_tree;
  CHECK_THROWS_AS(tree.down(3), std::out_of_range);  // log2 n
  tree = reduced_tree;
  CHECK_THROWS_AS(tree.down_of_verona(), std::out_of_range);  // item -1
  tree.x = eight;
  CHECK_THROWS_AS(tree.up_of_verona(), std::out_of_range);
}

// The slips of the printed kernels. Their results are undefined, so only the executor runs them.
#ifndef __CUDACC__

namespace {

/// What the kernels below do as printed; `none`: what libscan does.
enum class slip {
  none,
  one_barrier,
  distance_doubled,
  adds_to_wrong_buffer,
  omits_copy,
  later_operand_first,
  offset_of_other_item,
  stores_in_loop,
};

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LIBSCAN_TEST_TSAN 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define LIBSCAN_TEST_TSAN 1
#endif

// ThreadSanitizer ends the process; racecheck, for which the compiler says the same, throws.
#if defined(LIBSCAN_TEST_TSAN) && !defined(LIBSCAN_TEST_RACECHECK)
constexpr bool races_end_the_process = true;
#else
constexpr bool races_end_the_process = false;
#endif

template <slip Slip>
struct in_place_kernel {
  static constexpr int items = 64;
  struct shared_storage {
    unsigned sum[items];
  };
  /// Lecture, "(Incorrect) Implementation with Single Barrier". n items for 64 threads.
  __device__ void operator()(shared_storage& shared, unsigned const* in, unsigned* out,
                             int n) const {
    unsigned const i = threadIdx.x;
    bool const exists = static_cast<int>(i) < n;
    shared.sum[i] = exists ? in[i] : 0;
    for (unsigned stride = 1; stride < items; stride *= 2) {
      simt::sync_block();
      unsigned const earlier = i >= stride ? shared.sum[i - stride] : 0;
      if (Slip != slip::one_barrier) simt::sync_block();
      shared.sum[i] += earlier;
    }
    if (Slip == slip::one_barrier || exists) out[i] = shared.sum[i];
  }
};

template <slip Slip>
struct two_buffers_kernel {
  static constexpr int items = 64;
  struct shared_storage {
    unsigned buffer[2][items];
  };
  /// Harris, Listing 1 and Algorithm 2; lecture, "Double Buffering".
  __device__ void operator()(shared_storage& shared, unsigned const* in, unsigned* out,
                             int /*n*/) const {
    unsigned const k = threadIdx.x;
    int to = 0;
    shared.buffer[to][k] = in[k];
    for (unsigned distance = 1; distance < items; distance *= 2) {
      simt::sync_block();
      auto const& before = shared.buffer[to];
      to = 1 - to;
      auto& after = shared.buffer[to];
      if (k >= (Slip == slip::distance_doubled ? 2 * distance : distance)) {
        after[k] =
            before[k - distance] + (Slip == slip::adds_to_wrong_buffer ? after[k] : before[k]);
      } else if (Slip != slip::omits_copy) {
        after[k] = before[k];
      }
    }
    out[k] = shared.buffer[to][k];
  }
};

/// Harris, Listing 2 with blocks A to E, for any operator; also counts the stores of results.
template <slip Slip, class Op>
struct tree_kernel {
  using T = typename Op::value_type;
  static constexpr int items = 64;
  struct shared_storage {
    tile<T, items, padded<16>> item;
  };
  __device__ void operator()(shared_storage& shared, T const* in, T* out, int* stores) const {
    auto& item = shared.item;
    int const a = static_cast<int>(threadIdx.x), b = a + items / 2;
    int const padding_of_b = Slip == slip::offset_of_other_item ? a / 16 : b / 16;
    auto const store = [&] {
      out[a] = item.at(a);
      out[b] = item.word[b + padding_of_b];
      simt::block_atomic_ref<int>(*stores).fetch_add(2, std::memory_order_relaxed);
    };
    item.at(a) = in[a];
    item.word[b + padding_of_b] = in[b];
    up_sweep(item, items, Op{});
    if (a == 0) item.at(items - 1) = Op::identity();
    for (int stride = items / 2; stride > 0; stride /= 2) {
      simt::sync_block();
      if (a < items / (2 * stride)) {
        int const left = stride * (2 * a + 1) - 1, right = left + stride;
        T const sum = item.at(left), before = item.at(right);
        item.at(left) = before;
        item.at(right) = Slip == slip::later_operand_first ? Op{}(sum, before) : Op{}(before, sum);
      }
      simt::sync_block();
      if (Slip == slip::stores_in_loop) store();
    }
    if (Slip != slip::stores_in_loop) store();
  }
};

/// Whether 64 threads compute the inclusive scan of n items, and write nothing else.
template <class Kernel>
bool scans_rightly(int n = Kernel::items) {
  auto const items = make_items<std::uint32_t>(n);
  device_image<unsigned> in(items), out(n);
  try {
    simt::launch<Kernel>({.blocks = 1, .threads = 64}, static_cast<unsigned const*>(in.data()),
                         out.data(), n);
  } catch (simt::kernel_error const&) {
    return false;
  }
  auto const got = out.read();
  return out.damage().empty() &&
         got == scan_oracle(scan_kind::inclusive, items, plus<std::uint32_t>{}, 0).out;
}

struct tree_outcome {
  bool right = false;
  int stores = 0;
};

template <slip Slip, class Op>
tree_outcome scan_by_tree() {
  using T = typename Op::value_type;
  auto const items = make_items<T>(64);
  device_image<T> in(items), out(64);
  device_image<int> stores(std::vector<int>{0});
  try {
    simt::launch<tree_kernel<Slip, Op>>(
        {.blocks = 1, .threads = 32}, static_cast<T const*>(in.data()), out.data(), stores.data());
  } catch (simt::kernel_error const&) {
    return {};
  }
  return {out.read() == scan_oracle(scan_kind::exclusive, items, Op{}, Op::identity()).out,
          stores.read().front()};
}

}  // namespace

TEST_CASE("the slips of the printed kernels are noticed, and nothing without them") {
  each_schedule(scaled(20, 5), [](std::string const& schedule) {
    INFO(schedule);
    CHECK(scans_rightly<in_place_kernel<slip::none>>());
    if (!races_end_the_process) {
      CHECK_FALSE(scans_rightly<in_place_kernel<slip::one_barrier>>());
      CHECK_FALSE(scan_by_tree<slip::offset_of_other_item, compose>().right);  // two share a place
    }

    CHECK(scans_rightly<two_buffers_kernel<slip::none>>());
    CHECK_FALSE(scans_rightly<two_buffers_kernel<slip::distance_doubled>>());
    CHECK_FALSE(scans_rightly<two_buffers_kernel<slip::adds_to_wrong_buffer>>());
    CHECK_FALSE(scans_rightly<two_buffers_kernel<slip::omits_copy>>());

    CHECK(scan_by_tree<slip::none, compose>().right);
    CHECK_FALSE(scan_by_tree<slip::later_operand_first, compose>().right);
    CHECK_FALSE(scan_by_tree<slip::later_operand_first, tripwire>().right);
    CHECK(scan_by_tree<slip::later_operand_first, plus<std::int32_t>>().right);

    CHECK(scan_by_tree<slip::none, compose>().stores == 64);
    CHECK(scan_by_tree<slip::stores_in_loop, compose>().stores == 64 * 6);  // n log2 n
  });
}

TEST_CASE("the lecture's unguarded store is noticed") {
  CHECK(scans_rightly<in_place_kernel<slip::none>>(61));
  if (!races_end_the_process) CHECK_FALSE(scans_rightly<in_place_kernel<slip::one_barrier>>(61));
}

#endif
