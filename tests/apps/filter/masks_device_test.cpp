// SPDX-License-Identifier: Apache-2.0
// Device filters by masks, with positions, against plain loops: sizes, selectivities, types,
// alignments, schedules.
#include <tests/apps/filter/selection_cases.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// No tuning: the library chooses.
using automatic = void;

/// Filters by a mask, in every way there is.
template <class Tuning, class T, class Mask>
void require_mask(masked_input<T> const& input, Mask mask, int offset) {
  auto const& expected = input.expected;
  index_t const n = input.size();
  dirty_workspace ws(n * 16 + 100000);
  T const* const in = input.in.data();
  {
    outputs<T> out(expected, offset);
    filter<Tuning>(ws, in, out.kept.data(), n, mask, out.count.data());
    require_same(expected.kept, out.kept);
    out.require_count(expected.count());
  }
  {
    outputs<T> out(expected, offset);
    filter_with_indices<Tuning>(ws, in, out.kept.data(), out.positions.data(), n, mask,
                                out.count.data());
    require_same(expected.kept, out.kept);
    require_same(expected.positions, out.positions);
    out.require_count(expected.count());
  }
  {
    outputs<T> out(expected, offset);
    mask_indices<Tuning>(ws, mask, out.positions.data(), n, out.count.data());
    require_same(expected.positions, out.positions);
    out.require_count(expected.count());
  }
  outputs<T> out(expected, offset);
  count_if<Tuning>(ws, in, n, mask, out.count.data());
  out.require_count(expected.count());
}

/// By both masks; in builds of few types by bits, large items by bytes.
template <class Tuning, class T>
void require_masks(index_t n, int per_mille, int offset = 0) {
  INFO("n = " << n << ", " << per_mille << " per mille, offset " << offset);
  masked_input<T> const input(n, per_mille, offset);
  if constexpr (!few_types || sizeof(T) <= 4) {
    require_mask<Tuning>(input, bit_mask{input.bits.data()}, offset);
  }
  if constexpr (!few_types || sizeof(T) > 4) {
    require_mask<Tuning>(input, byte_mask{input.flags.data()}, offset);
  }
}

}  // namespace

using smallest_ways =
    types_to_test<std::tuple<tiny_tuning, tiny_resident_filter_tuning, tiny_pipeline_tuning>,
                  std::tuple<odd_pipeline>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("with the smallest tiles, every n from 0 to 200 is filtered as by a loop",
                        "", smallest_ways) {
  constexpr bool by_bytes = !few_types || std::is_same_v<TestType, tiny_pipeline_tuning>;
  constexpr bool by_bits = !few_types || !by_bytes;
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : tiny_sizes()) {
      masked_input<std::uint32_t> const input(n, n % 3 == 0 ? 500 : n % 3 == 1 ? 0 : -1, 0);
      if constexpr (by_bytes) {
        if (n / 3 % 2 == 0 || !by_bits) {
          require_mask<TestType>(input, byte_mask{input.flags.data()}, 0);
        }
      }
      if constexpr (by_bits) {
        if (n / 3 % 2 == 1 || !by_bytes) {
          require_mask<TestType>(input, bit_mask{input.bits.data()}, 0);
        }
      }
    }
  });
}

TEST_CASE("a batch that is kept follows as many items as may wait for it, and one more") {
  using tuning = short_pipeline<std::uint8_t>;
  constexpr index_t batch = device::kept_rows<tuning::vector_items, tuning::rows_at_once>::items;
  static_assert(tuning::rows == 2 * tuning::rows_at_once);  // two batches in a part
  index_t const n = 9 * batch + 5;
  for (index_t const waiting : {3 * batch / 8, 3 * batch / 8 + 1}) {
    std::vector<std::uint8_t> chosen;
    for (index_t i = 0; i < n; ++i) {
      chosen.push_back(i % (2 * batch) < waiting || i % (2 * batch) >= batch ? 1 : 0);
    }
    masked_input<std::uint8_t> const input(numbered_items<std::uint8_t>(n), chosen, 0);
    require_mask<tuning>(input, bit_mask{input.bits.data()}, 0);
  }
}

using ways_of_many_tiles =
    types_to_test<std::tuple<tiny_tuning>, std::tuple<odd_pipeline>,
                  std::tuple<tiny_pipeline_tuning, short_pipeline<std::uint32_t>>>;
TEMPLATE_LIST_TEST_CASE("many small tiles are filtered as by a loop", "", ways_of_many_tiles) {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (int const per_mille : selectivities) {
      require_masks<TestType, std::uint32_t>(scaled(2999, 1111), per_mille);
    }
  });
}

namespace {

template <class T>
using tiles = tried<filter_tuning<T>, T>;
template <class T>
using pipelined = tried<short_pipeline<T>, T>;
/// Of masks only, in the largest tiles, by the most threads.
template <class T>
using of_mask = tried<pipelined_mask_filter_tuning<1>, T>;

}  // namespace

// No bulk copy moves a triple.
using ladder_types =
    types_to_test<std::tuple<pipelined<std::uint8_t>, tiles<triple>>,
                  std::tuple<tiles<std::uint8_t>, of_mask<std::uint32_t>, pipelined<pair_of_words>>,
                  std::tuple<of_mask<std::uint8_t>, tiles<std::uint32_t>, pipelined<std::uint32_t>,
                             of_mask<triple>, tiles<pair_of_words>, of_mask<pair_of_words>>>;
TEMPLATE_LIST_TEST_CASE("the size ladder of masks at every selectivity, in several types", "",
                        ladder_types) {
  using T = typename TestType::with;
  using tuning = filter_tuning<T>;
  constexpr index_t tile = index_t{tuning::block_threads} * tuning::items_per_thread;
  index_t const limit = on_gpu ? 300000 : scaled(13000, 5000);
  each_schedule(1, [&](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : size_ladder(tile, tuning::block_threads, limit)) {
      for (int const per_mille : selectivities) {
        if (!is_tried(n, per_mille)) continue;
        if constexpr (std::is_same_v<TestType, of_mask<T>>) {
          if (n > 1 && n < 4000 && !on_gpu) continue;
          masked_input<T> const input(n, per_mille, 0);
          require_mask<typename TestType::way>(input, bit_mask{input.bits.data()}, 0);
        } else {
          require_masks<typename TestType::way, T>(n, per_mille);
        }
      }
    }
  });
}

TEST_CASE("no pointer of a mask needs alignment beyond its type's") {
  for (int offset = 0; offset <= 16; ++offset) {
    int const per_mille = offset % 2 == 0 ? 300 : 990;
    require_masks<tiny_tuning, std::uint32_t>(500, per_mille, offset);
    require_masks<short_pipeline<std::uint8_t>, std::uint8_t>(5000, per_mille, offset);
    if constexpr (!quick_types) {
      require_masks<filter_tuning<std::uint8_t>, std::uint8_t>(5000, per_mille, offset);
    }
    if constexpr (!few_types) {
      require_masks<tiny_pipeline_tuning, std::uint32_t>(700, per_mille, offset);
      require_masks<short_pipeline<std::uint32_t>, std::uint32_t>(2500, per_mille, offset);
    }
  }
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#ifdef __CUDACC__
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1444
#endif
TEST_CASE("the deprecated names of filters by flags and words keep what masks do") {
  masked_input<std::uint32_t> const input(3000, 300, 1);
  dirty_workspace ws(static_cast<index_t>(filter_workspace_bytes<std::uint32_t>(3000)));
  outputs<std::uint32_t> flagged(input.expected, 0), masked(input.expected, 0);
  filter_flagged(ws, input.in.data(), input.flags.data(), flagged.kept.data(), 3000,
                 flagged.count.data());
  filter_masked(ws, input.in.data(), input.bits.data(), masked.kept.data(), 3000, nullptr);
  require_same(input.expected.kept, flagged.kept);
  require_same(input.expected.kept, masked.kept);
  flagged.require_count(input.expected.count());
}
#ifdef __CUDACC__
#pragma nv_diagnostic pop
#endif
#pragma GCC diagnostic pop

#ifndef LIBSCAN_TEST_ALWAYS_REDUCED
TEST_CASE("many items are filtered by masks the way the library chooses") {
  if (reduced()) return;
  // Beyond where the pipeline takes over.
  require_masks<automatic, pair_of_words>(on_gpu ? 4500001 : 270001, 500);
#ifdef __CUDACC__
  require_masks<automatic, std::uint32_t>(4500001, 10);
#endif
}
#endif

#ifndef __CUDACC__
namespace {

/// An iterator over no item: counts who reads.
struct counting_reads {
  using value_type = std::uint32_t;
  using difference_type = std::ptrdiff_t;
  using pointer = std::uint32_t const*;
  using reference = std::uint32_t;
  using iterator_category = std::random_access_iterator_tag;
  std::uint32_t* reads;

  std::uint32_t operator[](index_t i) const {
    simt::atomic_ref<std::uint32_t>(*reads).fetch_add(1, simt::memory_order_relaxed);
    return static_cast<std::uint32_t>(i);
  }
};

}  // namespace

using ways_of_bit_masks = types_to_test<std::tuple<pipelined_mask_filter_tuning<1>>,
                                        std::tuple<tiny_pipeline_tuning>, std::tuple<tiny_tuning>>;
TEMPLATE_LIST_TEST_CASE("a bit mask has no item read but those kept", "", ways_of_bit_masks) {
  constexpr index_t n = 40000;
  auto const chosen = choices(n, 10);
  division<std::uint32_t> const expected(numbered_items<std::uint32_t>(n), chosen);
  device_image<std::uint32_t> bits(as_bits(chosen)), out(expected.count());
  device_image<std::uint32_t> reads(std::vector<std::uint32_t>{0});
  workspace ws;
  filter<TestType>(ws, counting_reads{reads.data()}, out.data(), n, bit_mask{bits.data()}, nullptr);
  require_same(expected.kept, out);
  REQUIRE(reads.read()[0] == static_cast<std::uint32_t>(expected.count()));
}
#endif
