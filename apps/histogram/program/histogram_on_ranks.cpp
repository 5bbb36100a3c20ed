// SPDX-License-Identifier: Apache-2.0
// The steps of scan-histogram-mpi: each rank reads a part of the items, all ranks agree on the bins
// and count, and rank 0 writes the counts.
#include <apps/histogram/program/run_histogram.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <apps/common/rank_files.hpp>
#include <apps/common/steps.hpp>
#include <apps/histogram/program/chosen_bins.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/histogram.hpp>

namespace libscan::apps {
namespace {

/// The smallest and the largest item of all ranks, if there are any.
template <class T>
std::optional<range_ends<T>> extent_on_ranks(communicator const& comm, std::span<T const> items) {
  struct extent {
    T ends[2];
    int count;  // of these
  };
  return libscan::detail::collective(comm, "extent", [&](auto& call) {
    auto const all = call.gather("items", [&] {
      std::optional<range_ends<T>> ends;
      apps::extend(ends, items);
      return ends ? extent{{ends->lo, ends->hi}, 2} : extent{};
    });
    std::optional<range_ends<T>> ends;
    for (extent const& one : all) {
      apps::extend(ends, std::span<T const>(one.ends).first(static_cast<std::size_t>(one.count)));
    }
    return ends;
  });
}

template <class T>
std::vector<index_t> counts_on_ranks(ranks const& on, histogram_arguments const& arguments,
                                     std::span<T const> items) {
  auto const ends = [&] { return extent_on_ranks(on.comm(), items); };
  auto const count = [&](auto const& bins) {
    std::vector<index_t> counts(static_cast<std::size_t>(bins.bins()));
    auto found = histogram(on, items, counts, bins.rule);
    correct(bins, counts, found);
    return counts;
  };
  if (!arguments.integers) return count(chosen_even_bins<T>::of(arguments, ends));
  if constexpr (std::is_integral_v<T>) {
    return count(chosen_integer_bins<T>::of(arguments, ends));
  } else {
    throw usage_error("--integers is for integers, the items are " +
                      std::string(name_of(dtype_of<T>())) + " (see --dtype)");
  }
}

}  // namespace

void histogram_on_ranks(ranks const& on, histogram_arguments const& arguments) {
  double read_seconds = 0, count_seconds = 0, write_seconds = 0;
  rank_output output(on.comm(), *checked(arguments).output, arguments.common.access);
  rank_input input(on.comm(), arguments.input, arguments.common.reading(), arguments.common.access);
  visit_item_type(input.type(), [&]<class T>(std::type_identity<T>) {
    array const items = timed(read_seconds, [&] { return input.read(sizeof(T)); });
    auto const counts =
        timed(count_seconds, [&] { return counts_on_ranks(on, arguments, items.values<T>()); });
    timed(write_seconds, [&] {
      auto const mine = std::span(counts).first(on.rank() == 0 ? counts.size() : 0);
      output.write(dtype_of<index_t>(), std::ssize(counts), 0, std::as_bytes(mine), input.format());
    });
  });
  if (arguments.common.time) {
    report_on_ranks(
        on.comm(), std::vector<step_time>{
                       {"read", read_seconds}, {"count", count_seconds}, {"write", write_seconds}});
  }
}

}  // namespace libscan::apps
