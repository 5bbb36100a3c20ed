// SPDX-License-Identifier: Apache-2.0
// The steps of scan-filter-mpi: each rank reads a part of the items, keeps some of them, learns how
// many earlier ranks keep, and writes its own there.
#include <apps/filter/program/filter_on_ranks.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

#include <apps/common/lazy_buffer.hpp>
#include <apps/common/rank_files.hpp>
#include <apps/common/steps.hpp>
#include <libscan/distributed/filter.hpp>
#include <libscan/predicate_parser.hpp>

namespace libscan::apps {

void filter_on_ranks(ranks const& on, filter_arguments const& arguments) {
  expression const tree(*arguments.keep);
  double read_seconds = 0, filter_seconds = 0, write_seconds = 0;
  rank_output output(on.comm(), arguments.output);
  rank_input input(on.comm(), arguments.input, arguments.common.reading());
  visit_item_type(input.type(), [&]<class T>(std::type_identity<T>) {
    predicate<T> const keep = bind_predicate<T>(tree);
    array items = timed(read_seconds, [&] { return input.read(2 * sizeof(T)); });
    lazy_buffer<T> space(items.count());
    kept_items const kept =
        timed(filter_seconds, [&] { return filter(on, items.values<T>(), space.items(), keep); });
    items = {};
    timed(write_seconds, [&] {
      auto const mine = space.items().first(static_cast<std::size_t>(kept.count));
      output.write(input.type(), kept.total, kept.begin, std::as_bytes(mine), input.format());
    });
  });
  if (arguments.common.time) {
    report_on_ranks(on.comm(), std::vector<step_time>{{"read", read_seconds},
                                                      {"filter", filter_seconds},
                                                      {"write", write_seconds}});
  }
}

}  // namespace libscan::apps
