// SPDX-License-Identifier: Apache-2.0
// Pipelined segmented scans against a sequential loop: the smallest pipeline and those the library
// tunes, shapes of segments, descriptors, operators, schedules, places.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

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
