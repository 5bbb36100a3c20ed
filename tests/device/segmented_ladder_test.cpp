// SPDX-License-Identifier: Apache-2.0
// Segmented scans the way the library chooses, against a sequential loop: the ladder of sizes,
// types, pointers of any alignment.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <tests/device/segmented_scan_cases.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

template <class Op, class Forms>
using by_choice = tried<chosen, tested<Op, Forms>>;
template <class Op, class Forms>
using looking_back = tried<device::segmented_tuning<typename Op::value_type>, tested<Op, Forms>>;
using flags = descriptors<descriptor::flags>;
using bits = descriptors<descriptor::bits>;

}  // namespace

using ladder_cases = types_to_test<
    std::tuple<by_choice<plus<std::int32_t>, flags>>, std::tuple<looking_back<tripwire, bits>>,
    std::tuple<by_choice<plus<std::int32_t>, bits>, by_choice<tripwire, marks>,
               by_choice<plus<std::uint8_t>, marks>, by_choice<maximum<std::int16_t>, marks>,
               by_choice<plus<std::uint64_t>, marks>>>;
TEMPLATE_LIST_TEST_CASE("the size ladder agrees with a loop, in every type", "", ladder_cases) {
  using given = typename TestType::with;
  using op = typename given::operation;
  using T = typename given::type;
  using tuning = device::segmented_tuning<T>;
  index_t const tile = index_t{tuning::block_threads} * tuning::items_per_thread;
  each_schedule(scaled(1, 0), [&](std::string const& schedule) {
    INFO(schedule);
    index_t const limit = on_gpu ? 2000000 : reduced() ? 5000 : std::min<index_t>(70000, 34 * tile);
    for (index_t const n : size_ladder(tile, 256, limit)) {
      for (segment_shape const shape : all_segment_shapes()) {
        bool const tiny = shape == segment_shape::single || shape == segment_shape::some_empty;
        if (n > 20000 && !on_gpu && tiny) continue;
        require_scans<way_of<typename TestType::way>, T>(shape, n, op{}, op::identity(),
                                                         typename given::forms{});
      }
    }
  });
}

TEST_CASE("no pointer needs alignment beyond its type's, and nothing outside is touched") {
  for (int offset = 0; offset <= 16; ++offset) {
    INFO("offset " << offset);
    place const where{offset, 16 - offset, false};
    auto const require = [&]<class Way, class Forms>(tried<Way, Forms> const&) -> void {
      require_scans<way_of<Way>, std::int32_t>(segment_shape::power_law, 4700, plus<std::int32_t>{},
                                               0, Forms{}, where);
    };
    require(tried<chosen, flags>{});
    if constexpr (!few_types) {
      require(tried<chosen, bits>{});
      require(tried<chosen, offsets_and_keys>{});
    } else if constexpr (!quick_types) {
      require(tried<small_tuning, descriptors<descriptor::offsets>>{});
      require(tried<tiny_resident_segments, bits>{});
      require(tried<tiny_pipeline_tuning, descriptors<descriptor::keys>>{});
    }
    using of_bytes = automatic_or<device::segmented_tuning<std::uint8_t>>;
    require_scans<of_bytes, std::uint8_t>(segment_shape::some_empty, 4700, plus<std::uint8_t>{}, 0,
                                          marks{}, where);
  }
}
