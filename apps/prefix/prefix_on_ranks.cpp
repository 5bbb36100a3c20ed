// SPDX-License-Identifier: Apache-2.0
// The steps of scan-prefix-mpi: each rank reads a part of the items and converts them to the
// accumulator, all ranks scan them, each rank writes its part of the result.
#include <apps/prefix/run_prefix.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <apps/common/lazy_buffer.hpp>
#include <apps/common/steps.hpp>
#include <apps/prefix/segment_file.hpp>
#include <libscan/core/floats.hpp>
#include <libscan/core/operator_list.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/distribution.hpp>
#include <libscan/distributed/exchange.hpp>
#include <libscan/distributed/scan.hpp>
#include <libscan/distributed/segmented_scan.hpp>

namespace libscan::apps {

namespace {

using form = segmentation::form;

/// What a rank tells others about its first and last item: whether it has any, and the last one.
struct border {
  bool has_items;
  alignas(8) std::byte last[8];
};

/// The borders of all ranks; `items` are this rank's.
std::vector<border> borders_of(ranks const& on, char const* what, array const& items) {
  return libscan::detail::collective(on.comm(), what, [&](auto& call) {
    return call.gather("borders", [&] {
      border mine{!items.bytes.empty(), {}};
      std::size_t const item = size_of(items.type);
      if (mine.has_items) std::memcpy(mine.last, items.bytes.last(item).data(), item);
      return mine;
    });
  });
}

/// The last item before this rank's; null if there is none.
border const* item_before(std::vector<border> const& all, int rank) {
  for (int r = rank; r-- > 0;) {
    if (all[static_cast<std::size_t>(r)].has_items) return &all[static_cast<std::size_t>(r)];
  }
  return nullptr;
}

std::vector<std::uint8_t> from_flags(array const& flags) {
  std::vector<std::uint8_t> heads;
  for (std::byte const flag : flags.bytes) heads.push_back(flag != std::byte{0} ? 1 : 0);
  return heads;
}

/// `skipped`: the bits before this rank's first one.
std::vector<std::uint8_t> from_bits(array const& bits, index_t skipped, index_t count) {
  std::vector<std::uint8_t> heads;
  for (index_t i = skipped; i < skipped + count; ++i) {
    auto const byte = std::to_integer<unsigned>(bits.bytes[static_cast<std::size_t>(i / 8)]);
    heads.push_back(static_cast<std::uint8_t>(byte >> (i % 8) & 1U));
  }
  return heads;
}

std::vector<std::uint8_t> from_keys(array const& keys, border const* before) {
  std::vector<std::uint8_t> heads;
  visit_item_type(keys.type, [&]<class T>(std::type_identity<T>) {
    auto const items = keys.values<T>();
    T last{};
    if (before != nullptr) std::memcpy(&last, before->last, sizeof(T));
    for (std::size_t i = 0; i < items.size(); ++i) {
      bool const first = i == 0 && before == nullptr;
      heads.push_back(first || !libscan::detail::equal(last, items[i]) ? 1 : 0);
      last = items[i];
    }
  });
  return heads;
}

/// Reads a part of the offsets, checks it, and sends each offset to the rank of its item.
std::vector<std::uint8_t> from_offsets(ranks const& on, rank_input& file,
                                       distribution const& parts) {
  array const own = file.read(size_of(file.type()) + 2 * sizeof(index_t));
  index_t const first = file.parts().begin(on.rank());
  // An offset that is not in order is one that index_t holds.
  array narrow = own;
  std::vector<index_t> offsets;
  libscan::detail::collective(on.comm(), "offsets", [&](auto& call) {
    call.agree("items", [&] { offsets = offsets_as_index(own, file.name()); });
  });
  narrow.type = dtype::i64;
  narrow.bytes = std::as_bytes(std::span<index_t const>(offsets));
  auto const all = borders_of(on, "offsets", narrow);
  index_t before = 0;
  if (border const* const last = item_before(all, on.rank())) {
    std::memcpy(&before, last->last, sizeof before);
  }
  libscan::detail::collective(on.comm(), "offsets", [&](auto& call) {
    call.agree("order", [&] {
      check_segment_offsets(file.name(), offsets.data(), std::ssize(offsets), first, before,
                            file.parts().total(), parts.total());
      // Those after the last item begin empty segments.
      std::erase_if(offsets, [&](index_t offset) { return offset >= parts.total(); });
    });
  });
  auto const named = exchange(on, offsets, [&](index_t offset) { return parts.rank_of(offset); });
  std::vector<std::uint8_t> heads(static_cast<std::size_t>(parts.size(on.rank())));
  for (index_t const offset : named) {
    heads[static_cast<std::size_t>(offset - parts.begin(on.rank()))] = 1;
  }
  return heads;
}

/// One byte for each item of this rank: 1 where a segment begins, by the file of segments in
/// `arguments`. `parts`: which items each rank has. Collective. Throws: as `rank_input` and
/// `segment_file`. Flags, bits and keys lie beside the items of a rank; offsets go to the ranks
/// whose items they name.
std::vector<std::uint8_t> heads_on_ranks(ranks const& on, prefix_arguments const& arguments,
                                         distribution const& parts) {
  form const how = arguments.segments;
  read_options options;
  options.type = type_of_segments(how, arguments.segment_file);
  rank_input file(on.comm(), arguments.segment_file, options, arguments.common.access);
  if (how == form::offsets) return from_offsets(on, file, parts);
  check_segment_count(how, file.name(), file.type(), file.parts().total(), parts.total());
  index_t const begin = parts.begin(on.rank()), end = parts.end(on.rank());
  std::size_t const bytes = size_of(file.type()) + 1;
  if (how == form::flags) return from_flags(file.read(bytes));
  if (how == form::bits) {
    auto const item_bits = static_cast<index_t>(8 * size_of(file.type()));
    index_t const first = begin / item_bits;
    index_t const last = begin == end ? first : ceil_div(end, item_bits);
    return from_bits(file.read(9 * size_of(file.type()), first, last), begin - first * item_bits,
                     end - begin);
  }
  array const keys = file.read(bytes);
  auto const all = borders_of(on, "keys", keys);
  return from_keys(keys, item_before(all, on.rank()));
}

/// The items in the type of the accumulator.
template <class A>
void convert(array const& items, std::span<A> to) {
  visit_item_type(items.type, [&]<class T>(std::type_identity<T>) {
    auto const from = items.values<T>();
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<A>(from[i]);
  });
}

template <class T, class A, class Op>
void scan_by(ranks const& on, prefix_arguments const& arguments, any_value const& first,
             std::span<T const> items, std::span<A> results, Op op) {
  A init;
  std::memcpy(&init, first.bytes, sizeof init);
  if (arguments.kind == scan_kind::inclusive) {
    inclusive_scan(on, items, results, op, init, arguments.direction);
  } else {
    exclusive_scan(on, items, results, op, init, arguments.direction);
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
  std::span<A const> const in(items);
  if (arguments.op == operator_kind::plus) {
    return scan_by(on, arguments, first, in, items, plus<A>{});
  }
  scan_by(on, arguments, first, in, items, libscan::detail::any_operator<A>{arguments.op});
}

/// Sums of integers in 64 bits on CPU threads, which widen items as they read them. False if this
/// is another call.
template <class A>
bool sum_integers(ranks const& on, prefix_arguments const& arguments, any_value const& first,
                  array const& items, std::span<A> results) {
  if (arguments.op != operator_kind::plus || on.local().runs_kernels()) return false;
  if constexpr (std::is_same_v<A, std::int64_t> || std::is_same_v<A, std::uint64_t>) {
    bool found = false;
    visit_item_type(items.type, [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_integral_v<T> && std::is_signed_v<T> == std::is_signed_v<A>) {
        found = true;
        scan_by(on, arguments, first, items.values<T>(), results, plus<A>{});
      }
    });
    return found;
  }
  return false;
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
      if (!segmented && sum_integers(on, arguments, init, items, results.items())) return;
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
    items = {};
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
