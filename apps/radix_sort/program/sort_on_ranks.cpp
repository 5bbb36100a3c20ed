// SPDX-License-Identifier: Apache-2.0
// The steps of scan-sort-mpi: each rank reads a part of the keys, all ranks sort them, each rank
// writes its part of the result.
#include <apps/radix_sort/program/sort_on_ranks.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

#include <apps/common/lazy_buffer.hpp>
#include <apps/common/steps.hpp>
#include <libscan/distributed/radix_sort.hpp>

namespace libscan::apps {

void sort_on_ranks(ranks const& on, sort_arguments const& arguments) {
  sort_options const options = checked_options(arguments);
  double read_seconds = 0, sort_seconds = 0, write_seconds = 0;
  rank_output output(on.comm(), arguments.output);
  rank_input input(on.comm(), arguments.input, arguments.common.reading());
  auto const mine = static_cast<std::size_t>(input.parts().size(on.rank()));
  // A sort takes a copy of the keys and twice the result. Positions travel with their keys.
  std::size_t const key = size_of(input.type());
  std::size_t const item = arguments.positions ? 8 + 3 * 2 * sizeof(index_t) : 4 * key;
  array keys = timed(read_seconds, [&] { return input.read(key + item); });
  auto const sort_and_write = [&]<class T>(std::type_identity<T>, auto const& sort) {
    lazy_buffer<T> sorted(mine);
    timed(sort_seconds, [&] { sort(sorted.items()); });
    keys = {};
    timed(write_seconds, [&] {
      output.write(dtype_of<T>(), input.parts().total(), input.parts().begin(on.rank()),
                   std::as_bytes(sorted.items()), input.format());
    });
  };
  visit_item_type(input.type(), [&]<class T>(std::type_identity<T> type) {
    auto const in = keys.values<T>();
    if (arguments.positions) {
      sort_and_write(std::type_identity<index_t>(),
                     [&](auto out) { argsort(on, in, out, options); });
    } else {
      sort_and_write(type, [&](auto out) { sort_keys(on, in, out, options); });
    }
  });
  if (arguments.common.time) {
    report_on_ranks(on.comm(),
                    std::vector<step_time>{
                        {"read", read_seconds}, {"sort", sort_seconds}, {"write", write_seconds}});
  }
}

}  // namespace libscan::apps
