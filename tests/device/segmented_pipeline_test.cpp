// SPDX-License-Identifier: Apache-2.0
// Pipelined segmented scans against a sequential loop: the smallest pipeline and those the library
// tunes, shapes of segments, descriptors, operators, schedules, places.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <libscan/device/staged_segments.cuh>
#include <tests/device/segmented_scan_cases.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using namespace libscan::test;

using smallest_cases = types_to_test<
    std::tuple<tested<plus<std::uint8_t>, descriptors<descriptor::bits>>,
               tested<tripwire, descriptors<descriptor::offsets>>>,
    std::tuple<tested<compose, descriptors<descriptor::flags>>,
               tested<tripwire, descriptors<descriptor::keys>>>,
    std::tuple<tested<compose, descriptors<descriptor::bits>>,
               tested<plus<std::uint8_t>, descriptors<descriptor::flags>>,
               tested<plus<std::uint8_t>, offsets_and_keys>, tested<compose, offsets_and_keys>,
               tested<tripwire, marks>, tested<plus<std::int32_t>, marks>,
               tested<plus<std::int32_t>, offsets_and_keys>, tested<keep_last, marks>,
               tested<keep_last, offsets_and_keys>>>;
TEMPLATE_LIST_TEST_CASE("the smallest pipeline agrees with a loop, whatever the operator", "",
                        smallest_cases) {
  using op = typename TestType::operation;
  using T = typename TestType::type;
  typename TestType::forms const forms;
  each_schedule(scaled(3, 1), [&](std::string const& schedule) {
    INFO(schedule);
    for (segment_shape const shape : all_segment_shapes()) {
      for (index_t const n : {1, 2, 31, 33, 127, 128, 129, 255, 256, 257, 513, 1537}) {
        require_scans<tiny_pipeline_tuning, T>(shape, n, op{}, TestType::init(), forms);
      }
      require_scans<tiny_pipeline_tuning, T>(shape, scaled(9000, 3000), op{}, TestType::init(),
                                             forms);
    }
  });
  for (int offset = 1; offset < 17; offset += scaled(1, 4)) {
    place const where{offset, 17 - offset, false};
    for (index_t const n : {5, 131, 700}) {
      require_scans<tiny_pipeline_tuning, T>(segment_shape::power_law, n, op{}, TestType::init(),
                                             forms, where);
    }
  }
}

namespace {

template <class Op, int Bits>
using tuned = segmented_pipeline_tuning<typename Op::value_type, typename Op::value_type,
                                        typename Op::value_type, Bits>;
template <class Op>
using by_marks = tried<tuned<Op, 8>, tested<Op, marks>>;
template <class Op>
using by_keys = tried<tuned<Op, 32>, tested<Op, descriptors<descriptor::keys>>>;

}  // namespace

using tuned_cases = types_to_test<
    std::tuple<by_marks<plus<std::int16_t>>>, std::tuple<by_keys<tripwire>>,
    std::tuple<by_keys<plus<std::int16_t>>, by_marks<tripwire>, by_marks<plus<std::int32_t>>,
               by_keys<plus<std::int32_t>>, by_marks<compose>, by_keys<compose>>>;
TEMPLATE_LIST_TEST_CASE("the pipeline as it is tuned agrees with a loop", "", tuned_cases) {
  using given = typename TestType::with;
  using op = typename given::operation;
  using flags_tuning = tuned<op, 8>;
  constexpr index_t tile = index_t{flags_tuning::group_threads} * flags_tuning::vector_items *
                           flags_tuning::lane_vectors * flags_tuning::batches;
  for (segment_shape const shape : all_segment_shapes()) {
    for (index_t const n : {tile - 1, 2 * tile + 129, on_gpu ? 700 * tile + 1 : 7 * tile + 1}) {
      if (reduced() && n > 3 * tile) continue;
      require_scans<typename TestType::way, typename given::type>(shape, n, op{}, op::identity(),
                                                                  typename given::forms{});
    }
  }
}

namespace {

constexpr int staged = 64, width = 4;

/// Bit i % 4 of out[i / 4]: whether item i of the tile at `base` begins a segment.
struct equal_heads_kernel {
  using heads = device::staged_heads<equal_segments, staged>;
  using shared_storage = heads;
  __device__ void operator()(shared_storage& stage, equal_segments rows, index_t base,
                             unsigned* out) const {
    auto const reader = stage.reader(rows, base, staged);
    int const i = static_cast<int>(threadIdx.x) * width;
    out[threadIdx.x] = reader.template bits<width>(i, width);
  }
};

/// The same of keys. A copy has brought those from `begin` to `end`.
struct key_heads_kernel {
  using equal = decltype(segment_keys<int*>::equal);
  using heads = device::staged_heads<segment_keys<int*, equal>, staged>;
  __device__ void operator()(int const* copied, int const* memory, int begin, int end,
                             unsigned* out) const {
    heads::reader_type const reader{equal{}, copied, memory, end, begin, true};
    int const i = static_cast<int>(threadIdx.x) * width;
    out[threadIdx.x] = reader.template bits<width>(i, width);
  }
};

}  // namespace

TEST_CASE("a tile finds where segments of one length begin, wherever the tile is") {
  for (index_t const length : {1, 2, 3, 4, 5, 31, 63, 64, 65, 66, 100, 1000}) {
    for (index_t const from : {index_t{0}, index_t{1} << 32, (index_t{1} << 40) + 7}) {
      for (index_t base = from; base < from + (from == 0 ? 130 : 10); ++base) {
        device_image<unsigned> out(staged / width);
        simt::launch<equal_heads_kernel>({.blocks = 1, .threads = staged / width},
                                         equal_segments{length}, base, out.data());
        std::vector<unsigned> expected(staged / width);
        for (int i = 0; i < staged; ++i) {
          if ((base + i) % length == 0)
            expected[static_cast<std::size_t>(i / width)] |= 1u << i % width;
        }
        INFO("length " << length << ", tile at " << base);
        REQUIRE(out.read() == expected);
      }
    }
  }
}

TEST_CASE("the key before a row is read where a copy brought it, or else in memory") {
  // All keys differ, and none that was not copied does from the key after it.
  std::vector<int> keys, copied;
  for (int i = 0; i < staged; ++i) keys.push_back(i);
  for (int const begin : {0, 4, 8, 60}) {
    for (int const end : {begin + 4, 32, staged}) {
      copied = keys;
      for (int i = 0; i < staged; ++i) {
        bool const brought = begin <= i && i < end;
        if (!brought && i % width == width - 1) copied[static_cast<std::size_t>(i)] = i + 1;
      }
      device_image<int> const from(copied), memory(keys);
      device_image<unsigned> out(staged / width);
      simt::launch<key_heads_kernel>(
          {.blocks = 1, .threads = staged / width}, static_cast<int const*>(from.data()),
          static_cast<int const*>(memory.data()), begin, end, out.data());
      INFO("keys " << begin << " to " << end << " were copied");
      REQUIRE(out.read() == std::vector<unsigned>(staged / width, 15));
    }
  }
}
