// SPDX-License-Identifier: Apache-2.0
// The steps of scan-prefix-mpi: each rank reads a part of the items and converts them to the
// accumulator, all ranks scan them, each rank writes its part of the result.
#include <apps/prefix/prefix_on_ranks.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include <apps/common/lazy_buffer.hpp>
#include <apps/common/steps.hpp>
#include <apps/prefix/rank_segments.hpp>
#include <libscan/core/operator_list.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/scan.hpp>
#include <libscan/distributed/segmented_scan.hpp>

namespace libscan::apps {
namespace {

/// The items in the type of the accumulator.
template <class A>
void convert(array const& items, std::span<A> to) {
  visit_item_type(items.type, [&]<class T>(std::type_identity<T>) {
    std::ranges::transform(items.values<T>(), to.begin(), [](T x) { return static_cast<A>(x); });
  });
}

template <class A, class Op>
void scan_by(ranks const& on, prefix_arguments const& arguments, any_value const& first,
             std::span<A> items, Op op) {
  A init;
  std::memcpy(&init, first.bytes, sizeof init);
  if (arguments.kind == scan_kind::inclusive) {
    inclusive_scan(on, items, items, op, init, arguments.direction);
  } else {
    exclusive_scan(on, items, items, op, init, arguments.direction);
  }
}

/// Each segment by itself.
template <class A>
void scan_segments(ranks const& on, prefix_arguments const& arguments, any_value const& first,
                   std::span<A> items, std::vector<std::uint8_t> const& heads) {
  A init;
  std::memcpy(&init, first.bytes, sizeof init);
  libscan::detail::any_operator<A> const op{arguments.op};
  if (arguments.kind == scan_kind::inclusive) {
    inclusive_segmented_scan(on, items, heads, items, op, init, arguments.direction);
  } else {
    exclusive_segmented_scan(on, items, heads, items, op, init, arguments.direction);
  }
}

/// Sums run in vector instructions, other operators by a switch.
template <class A>
void scan(ranks const& on, prefix_arguments const& arguments, any_value const& first,
          std::span<A> items) {
  if (arguments.op == operator_kind::plus) {
    return scan_by(on, arguments, first, items, plus<A>{});
  }
  scan_by(on, arguments, first, items, libscan::detail::any_operator<A>{arguments.op});
}

}  // namespace

void prefix_on_ranks(ranks const& on, prefix_arguments const& arguments) {
  double read_seconds = 0, scan_seconds = 0, write_seconds = 0;
  rank_output output(on.comm(), arguments.output, arguments.common.access);
  rank_input input(on.comm(), arguments.input, arguments.common.reading(), arguments.common.access);
  dtype const accumulator = accumulator_for(arguments, input.type(), input.truth_values());
  any_value const init = make_init(accumulator, arguments.op, arguments.init);
  index_t const first = input.parts().begin(on.rank());
  bool const segmented = arguments.segments != segmentation::form::none;
  std::vector<std::uint8_t> heads;
  array items = timed(read_seconds, [&] {
    if (segmented) heads = heads_on_ranks(on, arguments, input.parts());
    // Segments take a flag, and two values with flags.
    std::size_t const value = size_of(accumulator);
    return input.read(size_of(input.type()) + value + (segmented ? 1 + 4 * value : 0));
  });
  visit_item_type(accumulator, [&]<class A>(std::type_identity<A>) {
    lazy_buffer<A> results(items.count());
    timed(scan_seconds, [&] {
      libscan::detail::collective(on.comm(), "scan", [&](auto& call) {
        call.agree("items", [&] {
          check_convertible(input.type(), items.bytes, first, accumulator, arguments.input);
          convert(items, results.items());
        });
      });
      items = {};
      if (segmented) {
        scan_segments(on, arguments, init, results.items(), heads);
      } else {
        scan(on, arguments, init, results.items());
      }
    });
    timed(write_seconds, [&] {
      output.write(accumulator, input.parts().total(), first, std::as_bytes(results.items()),
                   input.format());
    });
  });
  if (arguments.common.time) {
    report_on_ranks(on.comm(),
                    std::vector<step_time>{
                        {"read", read_seconds}, {"scan", scan_seconds}, {"write", write_seconds}});
  }
}

}  // namespace libscan::apps
