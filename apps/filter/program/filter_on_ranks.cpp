// SPDX-License-Identifier: Apache-2.0
// The steps of scan-filter-mpi: each rank reads a part of the items, keeps some of them, learns how
// many earlier ranks keep, and writes its own there.
#include <apps/filter/program/run_filter.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <apps/common/lazy_buffer.hpp>
#include <apps/common/rank_files.hpp>
#include <apps/common/steps.hpp>
#include <apps/filter/program/mask_file.hpp>
#include <libscan/distributed/filter.hpp>
#include <libscan/predicate_parser.hpp>

namespace libscan::apps {
namespace {

/// The mask of this rank's items, one byte each.
std::vector<std::uint8_t> flags_on_ranks(ranks const& on, std::string const& path,
                                         distribution const& parts, rank_access access) {
  read_options options;
  if (format_of_name(path) == file_format::raw) options.type = dtype::u8;
  rank_input file(on.comm(), path, options, access);
  bool const packed = is_packed_mask(file.name(), file.type(), file.truth_values(), file.format(),
                                     file.parts().total(), parts.total());
  index_t const begin = parts.begin(on.rank()), end = parts.end(on.rank());
  // Items of the file, and of the input in each.
  index_t const bits = packed ? static_cast<index_t>(8 * size_of(file.type())) : 1;
  index_t const first = begin / bits, last = begin == end ? first : ceil_div(end, bits);
  array const own = file.read(size_of(file.type()) + static_cast<std::size_t>(bits), first, last);
  std::vector<std::uint8_t> flags;
  for (index_t i = begin - first * bits; i < end - first * bits; ++i) {
    auto const byte =
        std::to_integer<unsigned>(own.bytes[static_cast<std::size_t>(packed ? i / 8 : i)]);
    flags.push_back(static_cast<std::uint8_t>(packed ? byte >> (i % 8) & 1U : byte));
  }
  return flags;
}

}  // namespace

void filter_on_ranks(ranks const& on, filter_arguments const& arguments) {
  if (!arguments.keep && !arguments.mask) throw usage_error("--keep or --mask is required");
  std::optional<expression> tree;
  if (arguments.keep) tree.emplace(*arguments.keep);
  std::vector<std::uint8_t> flags;
  double read_seconds = 0, filter_seconds = 0, write_seconds = 0;
  rank_access const access = arguments.common.access;
  rank_output output(on.comm(), arguments.output, access);
  rank_input input(on.comm(), arguments.input, arguments.common.reading(), access);
  visit_item_type(input.type(), [&]<class T>(std::type_identity<T>) {
    array items = timed(read_seconds, [&] {
      if (arguments.mask) flags = flags_on_ranks(on, *arguments.mask, input.parts(), access);
      return input.read(2 * sizeof(T) + (arguments.mask ? 1 : 0));
    });
    lazy_buffer<T> space(items.count());
    auto const run = [&](auto const& keep) {
      return timed(filter_seconds,
                   [&] { return filter(on, items.values<T>(), space.items(), keep); });
    };
    kept_items const kept =
        tree ? run(bind_predicate<T>(*tree)) : run(item_mask::of_flags(std::span(flags)));
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
