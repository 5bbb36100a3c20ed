// SPDX-License-Identifier: Apache-2.0
// Small inputs on the CPU engine: a call for a thousand items allocates nothing, whatever number of
// threads it may have.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <tuple>
#include <utility>
#include <vector>

#include <apps/histogram/core/even_bins.hpp>
#include <libscan/core/half.hpp>
#include <libscan/cpu/binary_scan.hpp>
#include <libscan/cpu/filter.hpp>
#include <libscan/cpu/histogram.hpp>
#include <libscan/cpu/radix_sort.hpp>
#include <libscan/cpu/reduce.hpp>
#include <libscan/cpu/runs.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/cpu/segmented_reduce.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <libscan/cpu/segmented_sort.hpp>
#include <libscan/cpu/split_by_key.hpp>
#include <libscan/cpu/spmv.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/inputs.hpp>

namespace {

std::atomic<long> allocations{0};

void* counted(std::size_t alignment, std::size_t bytes) noexcept {
  ++allocations;
  void* memory = nullptr;
  return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

void* counted_or_thrown(std::size_t alignment, std::size_t bytes) {
  if (void* const memory = counted(alignment, bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return counted_or_thrown(alignof(std::max_align_t), bytes);
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted_or_thrown(static_cast<std::size_t>(alignment), bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace libscan::test {
namespace {

constexpr int threads = 16;
constexpr index_t n = 1000;

/// How many allocations a call makes.
template <class Call>
long allocated(Call&& call) {
  long const before = allocations;
  call();
  return allocations - before;
}

template <class T>
std::vector<T> some_items() {
  return make_input<T>(pattern::random, n, 1);
}

/// A bit for each item, in words of 32; and a byte, which is 0 or 1.
std::vector<std::uint32_t> const bits = make_input<std::uint32_t>(pattern::random, n / 32 + 1, 2);
std::vector<std::uint8_t> const bytes = [] {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = bits[i / 32] >> i % 32 & 1;
  return flags;
}();

/// The offsets of segments of ten items.
std::vector<index_t> const tens = [] {
  std::vector<index_t> offsets;
  for (index_t at = 0; at <= n; at += 10) offsets.push_back(at);
  return offsets;
}();
segment_offsets const in_tens{tens.data(), n / 10};

/// A key for each of the same segments.
template <class T>
std::vector<T> keys_of_tens() {
  std::vector<T> keys;
  for (index_t i = 0; i < n; ++i) keys.push_back(static_cast<T>(i / 10));
  return keys;
}

/// Calls `body(heads)` with segments described in each way.
template <class T, class Body>
void for_descriptors(Body body) {
  auto const keys = keys_of_tens<T>();
  body(head_flags{bytes.data()});
  body(head_bits{bits.data()});
  body(in_tens);
  body(segment_keys{keys.data()});
}

/// An operator that there is no vector code for.
template <class T>
struct own_plus : plus<T> {};

}  // namespace

TEST_CASE("allocations are counted") {
  CHECK(allocated([] { std::vector<int> const one(1); }) == 1);
  CHECK(allocated([] { cpu::detail::sort_memory<int> const some(1); }) == 1);
}

using scan_types =
    types_to_test<std::tuple<std::uint32_t>, std::tuple<float, std::int64_t, double>>;
TEMPLATE_LIST_TEST_CASE("small scans and sums allocate nothing", "", scan_types) {
  using T = TestType;
  auto const in = some_items<T>();
  auto out = in;
  auto const scan_all = [&](auto op) {
    using A = typename decltype(op)::value_type;
    A const init = op.identity();
    CHECK(allocated([&] { cpu::inclusive_scan(threads, in.data(), out.data(), n, op, init); }) ==
          0);
    CHECK(allocated([&] { cpu::exclusive_scan(threads, in.data(), out.data(), n, op, init); }) ==
          0);
    CHECK(allocated([&] { cpu::reduce(threads, in.data(), n, op); }) == 0);
    for_descriptors<T>([&](auto const& heads) {
      for (auto const direction : {scan_direction::forward, scan_direction::reverse}) {
        CHECK(allocated([&] {
                cpu::segmented_scan<scan_kind::inclusive>(threads, direction, in.data(), out.data(),
                                                          heads, n, op, init);
              }) == 0);
        CHECK(allocated([&] {
                cpu::segmented_scan<scan_kind::exclusive>(threads, direction, in.data(), out.data(),
                                                          heads, n, op, init);
              }) == 0);
      }
      CHECK(allocated([&] {
              cpu::segmented_reduce(threads, in.data(), out.data(), heads, n, op, init);
            }) == 0);
    });
    auto const keys = keys_of_tens<T>();
    auto unique = keys;
    CHECK(allocated([&] {
            cpu::reduce_by_key(threads, keys.data(), in.data(), unique.data(), out.data(), n, op);
          }) == 0);
    auto const source = [&](index_t begin, index_t end, T* to) {
      std::copy(in.begin() + begin, in.begin() + end, to);
    };
    CHECK(allocated([&] {
            cpu::staged_scan<scan_kind::inclusive>(threads, scan_direction::reverse, source,
                                                   out.data(), n, op, init);
          }) == 0);
  };
  scan_all(plus<T>{});
  scan_all(own_plus<T>{});
}

using half_types = types_to_test<std::tuple<bfloat16>, std::tuple<float16>>;
TEMPLATE_LIST_TEST_CASE("small scans and sums of floats of 16 bits allocate nothing", "",
                        half_types) {
  std::vector<TestType> in(static_cast<std::size_t>(n)), out = in;
  std::vector<float> sums(in.size());
  plus<float> const op;
  CHECK(allocated([&] { cpu::inclusive_scan(threads, in.data(), out.data(), n, op, 0.0F); }) == 0);
  CHECK(allocated([&] { cpu::exclusive_scan(threads, in.data(), sums.data(), n, op, 0.0F); }) == 0);
  CHECK(allocated([&] { cpu::reduce(threads, in.data(), n, op); }) == 0);
  CHECK(allocated([&] {
          cpu::segmented_scan<scan_kind::inclusive>(threads, scan_direction::reverse, in.data(),
                                                    out.data(), in_tens, n, op, 0.0F);
        }) == 0);
  CHECK(allocated([&] { cpu::segmented_reduce(threads, in.data(), out.data(), in_tens, n, op); }) ==
        0);
}

using rank_types = types_to_test<std::tuple<std::uint32_t>, std::tuple<std::int64_t>>;
TEMPLATE_LIST_TEST_CASE("small binary scans allocate nothing", "", rank_types) {
  std::vector<TestType> ranks(static_cast<std::size_t>(n));
  auto const rank_all = [&](auto const& mask) {
    CHECK(allocated([&] { cpu::exclusive_binary_scan(threads, mask, ranks.data(), n); }) == 0);
    CHECK(allocated([&] { cpu::inclusive_binary_scan(threads, mask, ranks.data(), n); }) == 0);
  };
  rank_all(byte_mask{bytes.data()});
  rank_all(bit_mask{bits.data()});
}

using filter_types = types_to_test<std::tuple<std::uint32_t>, std::tuple<double>>;
TEMPLATE_LIST_TEST_CASE("small filters, splits and runs allocate nothing", "", filter_types) {
  using T = TestType;
  auto const in = keys_of_tens<T>();
  auto kept = in, rejected = in;
  std::vector<index_t> numbers(static_cast<std::size_t>(n));
  auto const select_by = [&](auto const& rule) {
    CHECK(allocated([&] { cpu::filter_by(threads, in.data(), kept.data(), n, rule); }) == 0);
    CHECK(allocated([&] { cpu::indices_by(threads, numbers.data(), n, rule); }) == 0);
    CHECK(allocated([&] { cpu::count_by(threads, n, rule); }) == 0);
    CHECK(allocated([&] {
            cpu::split_outputs<T*> const to{kept.data(), n, rejected.data(), n};
            cpu::split_by(threads, in.data(), to, n, rule);
          }) == 0);
  };
  auto const keep = [](T item) { return item < T(30); };
  select_by(cpu::keep_where<T const*, decltype(keep)>{in.data(), keep});
  select_by(cpu::keep_flagged{bytes.data()});
  select_by(cpu::keep_masked{bits.data()});
  select_by(cpu::keep_heads{in.data()});  // unique
  CHECK(allocated([&] { cpu::count_if(threads, in.data(), n, keep); }) == 0);
  CHECK(allocated([&] {
          cpu::run_outputs const to{kept.data(), n, numbers.data(), n};
          cpu::run_length_encode(threads, in.data(), to, n);
        }) == 0);
}

using sort_types = types_to_test<std::tuple<std::uint32_t>, std::tuple<std::uint64_t>>;
TEMPLATE_LIST_TEST_CASE("small sorts and splits by key allocate nothing", "", sort_types) {
  using T = TestType;
  auto const in = some_items<T>();
  auto out = in, values_out = in;
  std::vector<index_t> offsets(257);
  cpu::sort_keys(threads, in.data(), out.data(), n);  // Highway's sort allocates once in a thread
  CHECK(allocated([&] { cpu::sort_keys(threads, in.data(), out.data(), n); }) == 0);
  out = in;
  CHECK(allocated([&] { cpu::sort_keys(threads, out.data(), out.data(), n); }) == 0);
  CHECK(allocated([&] {
          index_t const pairs = std::min<index_t>(n, 8192 / (2 * sizeof(T)));
          cpu::sort_pairs(threads, in.data(), out.data(), in.data(), values_out.data(), pairs);
        }) == 0);
  for (int const buckets : {1, 8, 256}) {
    auto const bucket = [buckets](T key) { return static_cast<int>(key % T(buckets)); };
    CHECK(allocated([&] {
            cpu::split_by_key(threads, in.data(), out.data(), offsets.data(), n, buckets, bucket);
          }) == 0);
    CHECK(allocated([&] {
            cpu::split_by_key(threads, in.data(), out.data(), in.data(), values_out.data(),
                              offsets.data(), n, buckets, bucket);
          }) == 0);
  }
}

using segmented_sort_types =
    types_to_test<std::tuple<std::uint32_t>, std::tuple<std::int16_t, std::uint64_t, double>>;
TEMPLATE_LIST_TEST_CASE("small sorts within segments allocate nothing", "", segmented_sort_types) {
  auto const in = keys_of_tens<TestType>();
  auto out = in;
  std::vector<std::uint64_t> const values(in.size());
  auto values_out = values;
  CHECK(allocated([&] {
          cpu::sort_keys_in_segments(threads, in.data(), out.data(), n, tens.data(), n / 10);
        }) == 0);
  CHECK(allocated([&] {
          cpu::sort_pairs_in_segments(threads, in.data(), out.data(), values.data(),
                                      values_out.data(), n, tens.data(), n / 10);
        }) == 0);
}

using histogram_types =
    types_to_test<std::tuple<std::uint32_t>, std::tuple<std::uint8_t, float, double>>;
TEMPLATE_LIST_TEST_CASE("small histograms allocate nothing", "", histogram_types) {
  auto const in = some_items<TestType>();
  for (int const bins : {1, 256, 1000}) {
    even_bins<TestType> const rule(0.0, 100.0, bins);
    std::vector<std::uint32_t> counts(static_cast<std::size_t>(bins));
    std::vector<double> sums(static_cast<std::size_t>(bins));
    CHECK(allocated([&] { cpu::histogram(threads, in.data(), counts.data(), rule, n); }) == 0);
    CHECK(allocated([&] {
            cpu::weighted_histogram(threads, in.data(), in.data(), sums.data(), rule, n);
          }) == 0);
  }
}

using product_types = types_to_test<std::tuple<double>, std::tuple<float>>;
TEMPLATE_LIST_TEST_CASE("small products allocate nothing", "", product_types) {
  auto const values = some_items<TestType>();
  auto const x = some_items<TestType>();
  std::vector<std::int32_t> columns;
  for (index_t k = 0; k < n; ++k) columns.push_back(static_cast<std::int32_t>(k * 7 % n));
  csr_matrix<TestType> const matrix{n / 10, n, n, tens.data(), columns.data(), values.data()};
  std::vector<TestType> y(static_cast<std::size_t>(matrix.rows));
  CHECK(allocated([&] { cpu::spmv(threads, matrix, x.data(), y.data()); }) == 0);
}

}  // namespace libscan::test
