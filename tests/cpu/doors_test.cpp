// SPDX-License-Identifier: Apache-2.0
// What the cpu engine's calls refuse at any size: items that are not aligned as their type demands;
// and what they take: values as large as a thread's stack allows for a few dozen.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <apps/filter/filter_cpu.hpp>
#include <apps/filter/filter_with_indices_cpu.hpp>
#include <apps/filter/runs_cpu.hpp>
#include <apps/histogram/histogram_cpu.hpp>
#include <apps/radix_sort/radix_sort_cpu.hpp>
#include <apps/radix_sort/segmented_sort_cpu.hpp>
#include <apps/radix_sort/split_by_key_cpu.hpp>
#include <apps/spmv/coo_to_csr_cpu.hpp>
#include <apps/spmv/spmv_cpu.hpp>
#include <libscan/cpu/binary_scan.hpp>
#include <libscan/cpu/reduce.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/cpu/segmented_reduce.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <tests/support/catch.hpp>

using namespace libscan;

namespace {

/// Items one byte beyond an aligned address, and such as are aligned.
template <class T>
struct crooked_items {
  std::vector<T> memory;
  std::vector<T> straight;

  explicit crooked_items(index_t n)
      : memory(static_cast<std::size_t>(n) + 1), straight(static_cast<std::size_t>(n)) {}
  T* data() { return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(memory.data()) + 1); }
};

/// Whether a call says that items are not aligned.
template <class Call>
bool refused(Call call) {
  try {
    call();
  } catch (invalid_argument const& error) {
    return std::string(error.what()).find("multiple of") != std::string::npos;
  }
  return false;
}

bool is_odd(double x) { return x == 1; }

}  // namespace

TEMPLATE_TEST_CASE("Scans and reductions refuse misaligned items and results", "", std::int16_t,
                   float, double) {
  using T = TestType;
  for (index_t const n : {index_t{3}, index_t{100'000}}) {
    crooked_items<T> items(n);
    T* const bad = items.data();
    T* const good = items.straight.data();
    plus<T> const op;
    T const zero{};
    CHECK(refused([&] { cpu::reduce(1, bad, n, op, zero); }));
    CHECK(refused([&] { cpu::inclusive_scan(1, bad, good, n, op, zero); }));
    CHECK(refused([&] { cpu::inclusive_scan(1, bad, bad, n, op, zero); }));
    CHECK(refused([&] { cpu::exclusive_scan(1, good, bad, n, op, zero); }));
    cpu::equal_segments const threes{3};
    CHECK(refused([&] { cpu::inclusive_segmented_scan(1, bad, good, threes, n, op, zero); }));
    CHECK(refused([&] { cpu::exclusive_segmented_scan(1, good, bad, threes, n, op, zero); }));
    cpu::segment_keys<T*> const keys{bad};
    CHECK(refused([&] { cpu::inclusive_segmented_scan(1, good, good, keys, n, op, zero); }));
    CHECK(refused([&] { cpu::segmented_reduce(1, bad, good, threes, n, op, zero); }));
    CHECK(refused([&] { cpu::segmented_reduce(1, good, bad, threes, n, op, zero); }));
    std::vector<T> out(items.straight), totals(items.straight);
    CHECK(
        refused([&] { cpu::reduce_by_key(1, bad, good, out.data(), totals.data(), n, op, zero); }));
    auto const bring = [](index_t, index_t, T*) {};
    CHECK(refused([&] {
      cpu::staged_scan<scan_kind::inclusive>(1, scan_direction::forward, bring, bad, n, op, zero);
    }));
  }
}

TEST_CASE("Filters and binary scans refuse misaligned items and results") {
  for (index_t const n : {index_t{3}, index_t{100'000}}) {
    crooked_items<double> items(n);
    double* const bad = items.data();
    double* const good = items.straight.data();
    crooked_items<index_t> places(n);
    crooked_items<std::uint32_t> words(n);
    CHECK(refused([&] { cpu::filter(1, bad, good, n, is_odd); }));
    CHECK(refused([&] { cpu::filter(1, good, bad, n, is_odd); }));
    CHECK(refused([&] { cpu::filter_indices(1, bad, places.straight.data(), n, is_odd); }));
    CHECK(refused([&] { cpu::filter_indices(1, good, places.data(), n, is_odd); }));
    CHECK(refused([&] { cpu::filter_by(1, good, good, n, cpu::keep_masked{words.data()}); }));
    CHECK(refused([&] { cpu::count_if(1, bad, n, is_odd); }));
    CHECK(refused([&] { cpu::unique(1, bad, good, n); }));
    std::vector<double> others(items.straight);
    CHECK(refused([&] {
      cpu::split(1, good, cpu::split_outputs<double*>{bad, n, others.data(), n}, n, is_odd);
    }));
    CHECK(refused([&] {
      cpu::run_outputs const runs{others.data(), n, places.data(), n};
      cpu::run_length_encode(1, good, runs, n);
    }));
    cpu::bit_mask const mask{words.data()};
    CHECK(refused([&] { cpu::exclusive_binary_scan(1, mask, places.straight.data(), n); }));
    std::vector<std::uint8_t> const bytes(static_cast<std::size_t>(n));
    cpu::byte_mask const flags{bytes.data()};
    CHECK(refused([&] { cpu::inclusive_binary_scan(1, flags, places.data(), n); }));
  }
}

TEST_CASE("Sorts, histograms and products refuse misaligned items and results") {
  for (index_t const n : {index_t{3}, index_t{100'000}}) {
    crooked_items<float> items(n);
    float* const bad = items.data();
    float* const good = items.straight.data();
    std::vector<float> out(items.straight);
    crooked_items<std::int32_t> ints(n);
    std::vector<std::int32_t> const segments{0, static_cast<std::int32_t>(n)};
    CHECK(refused([&] { cpu::sort_keys(1, bad, good, n); }));
    CHECK(refused([&] { cpu::sort_keys(1, bad, bad, n); }));
    CHECK(refused([&] { cpu::sort_pairs(1, good, good, bad, out.data(), n); }));
    CHECK(refused([&] { cpu::argsort(1, good, ints.data(), n); }));
    CHECK(refused([&] { cpu::sort_keys_in_segments(1, good, bad, n, segments.data(), 1); }));
    CHECK(refused(
        [&] { cpu::argsort_in_segments(1, bad, ints.straight.data(), n, segments.data(), 1); }));
    index_t* const no_offsets = nullptr;
    CHECK(refused(
        [&] { cpu::split_by_key(1, ints.straight.data(), ints.data(), no_offsets, n, 1); }));
    even_bins<float> const rule(0, 1, 3);
    CHECK(refused([&] { cpu::histogram(1, bad, ints.straight.data(), rule, n); }));
    CHECK(refused([&] { cpu::histogram(1, good, ints.data(), rule, n); }));
    std::int32_t const offsets[]{0, 0};
    csr_matrix<float, std::int32_t> const row{1, n, 0, offsets, ints.straight.data(), good};
    CHECK(refused([&] { cpu::spmv(1, row, bad, out.data()); }));
    coo_matrix<float> const list{1, 1, n, ints.data(), ints.straight.data(), good};
    std::vector<std::int32_t> begins(2);
    CHECK(refused([&] {
      std::vector<std::int32_t> indices(ints.straight);
      cpu::coo_to_csr(1, list, begins.data(), indices.data(), out.data());
    }));
  }
}

namespace {

template <int Bytes>
struct large {
  std::uint64_t words[Bytes / 8];
};
/// Sums of the first and the last words.
template <int Bytes>
struct add_large {
  using value_type = large<Bytes>;
  static constexpr value_type identity() { return {}; }
  constexpr value_type operator()(value_type const& a, value_type const& b) const {
    value_type sum = a;
    sum.words[0] += b.words[0];
    sum.words[Bytes / 8 - 1] += b.words[Bytes / 8 - 1];
    return sum;
  }
};

template <int Bytes>
void require_large() {
  index_t const n = 300;
  std::vector<large<Bytes>> items(n), out(n);
  for (auto& item : items) item.words[0] = item.words[Bytes / 8 - 1] = 2;
  auto const all = [](large<Bytes> const&) { return true; };
  for (index_t const count : {index_t{10}, n}) {
    for (index_t const chunk : {index_t{1}, index_t{7}, index_t{1} << 15}) {
      CHECK(
          cpu::reduce(2, items.data(), count, add_large<Bytes>{}, {}, chunk).words[Bytes / 8 - 1] ==
          2u * static_cast<std::uint64_t>(count));
    }
    cpu::inclusive_scan(2, items.data(), out.data(), count, add_large<Bytes>{}, {}, 20);
    CHECK(out[9].words[0] == 20);
    cpu::equal_segments const fives{5};
    cpu::inclusive_segmented_scan(2, items.data(), out.data(), fives, count, add_large<Bytes>{}, {},
                                  20);
    CHECK(out[9].words[0] == 10);
    cpu::segmented_reduce(2, items.data(), out.data(), fives, count, add_large<Bytes>{}, {}, 20);
    CHECK(out[1].words[0] == 10);
    CHECK(cpu::filter(2, items.data(), out.data(), count, all, cpu::unlimited, 20) == count);
  }
}

}  // namespace

TEST_CASE("Values that are large need no room for many on the stack") {
  require_large<1 << 10>();
  require_large<1 << 15>();
}
