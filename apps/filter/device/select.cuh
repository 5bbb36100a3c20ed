// SPDX-License-Identifier: Apache-2.0
// Chooses the algorithm of a filter: by the number of items, and by what the input, the rule, the
// outputs and the GPU permit.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include <apps/filter/device/filter_tile.cuh>
#include <apps/filter/device/outputs.cuh>
#include <apps/filter/device/pipelined_filter.cuh>
#include <apps/filter/device/pipelined_mask_filter.cuh>
#include <apps/filter/device/rules.cuh>
#include <libscan/core/error.hpp>
#include <libscan/core/tuning.hpp>
#include <libscan/core/types.hpp>
#include <libscan/device/arguments.cuh>
#include <libscan/device/run.cuh>
#include <libscan/warp/reverse_iterator.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

// Checks of filters before they launch anything, where the host knows the memory: outputs must not
// begin within what is read. Only the device knows where an output ends, but the host knows where
// it begins; of iterators other than pointers it knows nothing.

/// The memory that a rule reads in addition to n items.
template <class Rule>
memory_span memory_of_rule(Rule const&, index_t) {
  return {};
}
inline memory_span memory_of_rule(keep_marked<byte_mask> const& rule, index_t n) {
  return memory_of(rule.mask, n);
}
inline memory_span memory_of_rule(keep_marked<bit_mask> const& rule, index_t n) {
  return memory_of(rule.mask, n);
}

/// The first byte of an output, if it is written; 0: unknown.
template <class Out>
std::uintptr_t first_byte_of(Out const&) {
  return 0;
}
template <class T>
std::uintptr_t first_byte_of(T* const& out) {
  libscan::detail::require_aligned(out);
  return reinterpret_cast<std::uintptr_t>(out);
}
template <class T>
std::uintptr_t first_byte_of(reverse_iterator<T*> const& out) {
  return reinterpret_cast<std::uintptr_t>(out.end) - sizeof(T);
}

/// Throws `invalid_argument` if an output begins within the n items that are read, or within what
/// the rule reads. `in_place`: an output's begin that may be equal to the items'; null if none may.
template <class In, class Rule>
void require_no_overlap(char const* call, In const& in, Rule const& rule, index_t n,
                        std::initializer_list<std::uintptr_t> outputs,
                        std::optional<std::uintptr_t> in_place = {}) {
  auto const items = device::memory_of(in, n);
  auto const mask = device::memory_of_rule(rule, n);
  for (std::uintptr_t const first : outputs) {
    bool const input = items.has(first) && !(first == in_place && first == items.begin);
    if (!input && !mask.has(first)) continue;
    throw invalid_argument(std::string(call) + ": an output begins within the " +
                           (input ? "input" : "mask") + "; expected memory separate from it" +
                           (input && in_place ? ", or exactly at its start" : ""));
  }
}

/// The same for an output of n items, whose whole range is known.
template <class In, class Rule, class Out>
void require_no_output_overlap(char const* call, In const& in, Rule const& rule, Out const& out,
                               index_t n) {
  auto const written = device::memory_of(out, n);
  bool const input = written.overlaps(device::memory_of(in, n));
  if (!input && !written.overlaps(device::memory_of_rule(rule, n))) return;
  throw invalid_argument(std::string(call) + ": the output overlaps the " +
                         (input ? "input" : "mask") + "; expected memory separate from it");
}

/// Throws `invalid_argument` if outputs of up to n items begin at the same address.
template <class A, class B>
void require_two_places(char const* call, A const& a, B const& b, index_t n) {
  auto const of_a = device::memory_of(a, n);
  if (of_a.end == 0 || of_a.begin != device::memory_of(b, n).begin) return;
  throw invalid_argument(std::string(call) + ": two outputs begin at one place; expected each in " +
                         "memory of its own");
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device

namespace libscan::inline LIBSCAN_MACHINE {

/// Whether a predicate takes many instructions. The pipeline applies it with a few warps of each
/// multiprocessor, which such a predicate would keep busy; so all warps apply it instead. May be
/// specialized for a custom predicate.
template <class Predicate>
inline constexpr bool expensive_predicate = false;

namespace device {

/// Whether a rule applies such a predicate.
template <class Rule>
inline constexpr bool expensive_rule = false;
/// The predicate says.
template <class Predicate>
inline constexpr bool expensive_rule<keep_where<Predicate>> = expensive_predicate<Predicate>;

/// How the pipeline filters.
enum class pipeline_input { none, items, mask };

/// Items go through the stages with what decides about them. With a mask, and without an output of
/// rejected items, only the mask does: always if it is of bits, since reading only kept items then
/// takes less traffic; if it is of bytes, where items are not in memory or not needed.
template <class In, class Rule, class Outputs>
constexpr pipeline_input pipeline_input_of() {
  constexpr bool rejects = wanted<typename Outputs::rejected_type>;
  constexpr bool reads = wanted<typename Outputs::items_type> || rejects;
  if (is_marked<Rule> && !rejects) {
    bool const bits = std::is_same_v<Rule, keep_marked<bit_mask>>;
    if (bits || !reads || !suits_bulk_copy<In>) return pipeline_input::mask;
  }
  return suits_bulk_copy<In> && !expensive_rule<Rule> ? pipeline_input::items
                                                      : pipeline_input::none;
}

/// The tunings of the resident kernel for a filter of Items, the best first.
template <class Item, bool Fits = resident_filter_tuning<Item>::fits>
struct resident_filter_tunings {
  using shortest = short_resident_filter_tuning<Item>;
  using half = half_resident_filter_tuning<Item>;
  using whole = resident_filter_tuning<Item>;
};
template <class Item>
struct resident_filter_tunings<Item, false> {
  using shortest = void;
  using half = void;
  using whole = void;
};

/// A filter, with pipelines of that form (see libscan/device/run.cuh).
template <pipeline_input Input, class In, class Rule, class Outputs>
struct filter_operation {
  using item = typename std::iterator_traits<In>::value_type;
  using resident = resident_filter_tunings<item>;
  using pipeline = std::conditional_t<Input == pipeline_input::mask,
                                      pipelined_mask_filter_tuning<Rule::bits_per_item>,
                                      pipelined_filter_tuning<item, Rule::bits_per_item>>;
  using tunings =
      tunings_to_try<typename resident::shortest, typename resident::half, typename resident::whole,
                     std::conditional_t<Input == pipeline_input::none, void, pipeline>,
                     filter_tuning<item>>;

  In in;
  Outputs out;
  Rule rule;
  index_t* count;

  template <class Tuning>
  auto work() const {
    if constexpr (!tunes_pipeline<Tuning>) {
      return filter_tile_work<In, Rule, Outputs, Tuning>{in, out, rule, count};
    } else if constexpr (Input == pipeline_input::mask) {
      return pipelined_mask_filter<In, Rule, Outputs, Tuning>{in, out, rule, count};
    } else {
      static_assert(Input == pipeline_input::items, "libscan: no pipeline filters this");
      return filter_work<item, Rule, Outputs, Tuning>{in, out, rule, count};
    }
  }
};

/// A split into one buffer, whose second half begins where only the resident kernel knows.
template <class In, class Rule, class Out>
struct resident_split_operation {
  using item = typename std::iterator_traits<In>::value_type;
  using resident = resident_filter_tunings<item>;
  using tunings = tunings_to_try<typename resident::shortest, typename resident::half,
                                 typename resident::whole>;
  using outputs = filter_outputs<Out, no_output, after_kept<Out>>;

  In in;
  Out out;
  Rule rule;
  index_t* count;

  template <class Tuning>
  auto work() const {
    return filter_tile_work<In, Rule, outputs, Tuning>{in, {out, {}, {out}}, rule, count};
  }
};

/// Filters the way `Tuning` says; void: chooses. In place, a mask has its items staged with it: the
/// other form of pipeline reads them when the tiles after them may be written already. `memory`: of
/// `filter_bytes`, in the workspace.
template <class Tuning, class In, class Outputs, class Rule>
void filter_into(workspace& ws, std::byte* memory, In in, Outputs out, item_count n, Rule rule,
                 index_t* d_count) {
  constexpr pipeline_input input = device::pipeline_input_of<In, Rule, Outputs>();
  if constexpr (input == pipeline_input::mask && can_overwrite<In, typename Outputs::items_type>) {
    constexpr pipeline_input staged =
        suits_bulk_copy<In> ? pipeline_input::items : pipeline_input::none;
    if (out.in_place) {
      if constexpr (tunes_pipeline<Tuning> && staged == pipeline_input::none) {
        throw invalid_argument(
            "filter: no pipeline filters items of this size by a mask in place; "
            "expected another tuning, or an output separate from the input");
      } else {
        filter_operation<staged, In, Rule, Outputs> const in_place{in, out, rule, d_count};
        return device::run<Tuning>(ws, memory, in_place, n);
      }
    }
  }
  filter_operation<input, In, Rule, Outputs> const operation{in, out, rule, d_count};
  device::run<Tuning>(ws, memory, operation, n);
}

/// Bytes of workspace for n Items and a call with `Tuning`, which may be void.
template <class Summary, class Tuning, class Item>
constexpr std::size_t filter_bytes(index_t n) {
  constexpr int resident = resident_filter_tuning<char>::block_threads;
  if constexpr (tunes_pipeline<Tuning>) {
    constexpr index_t tile = index_t{Tuning::group_threads} * Tuning::vector_items * Tuning::rows;
    return device::max_run_bytes<Summary>(n, {tile, tile, resident});
  } else {
    using look_back = std::conditional_t<std::is_void_v<Tuning>, filter_tuning<Item>, Tuning>;
    constexpr index_t tile = index_t{look_back::block_threads} * look_back::items_per_thread;
    return device::max_run_bytes<Summary>(n, {tile, min_filter_tile, resident});
  }
}

/// The workspace of a count, separate from the rest.
inline constexpr std::size_t count_bytes = 256;

/// Filters in the workspace.
template <class Tuning, class In, class Outputs, class Rule>
void filter(workspace& ws, In in, Outputs out, item_count n, Rule rule, index_t* d_count) {
  using item = typename std::iterator_traits<In>::value_type;
  device::refuse_items<In>();
  refused_rule<In, Rule>::refuse();
  device::refuse_results<item, typename Outputs::items_type>();
  device::refuse_results<item, typename Outputs::rejected_type>();
  device::refuse_results<index_t, typename Outputs::positions_type>();
  std::optional<std::uintptr_t> in_place;
  if constexpr (!wanted<typename Outputs::rejected_type> &&
                can_overwrite<In, typename Outputs::items_type>) {
    out.in_place = in == out.items;
    in_place = device::first_byte_of(out.items);
  }
  device::require_no_overlap(
      "filter", in, rule, n.at_most(),
      {device::first_byte_of(out.items), device::first_byte_of(out.positions),
       device::first_byte_of(out.rejected)},
      in_place);
  device::require_two_places("filter", out.items, out.positions, n.at_most());
  device::require_two_places("filter", out.items, out.rejected, n.at_most());
  std::byte* const memory =
      ws.reserve(device::filter_bytes<packed_count, Tuning, item>(n.at_most()));
  device::filter_into<Tuning>(ws, memory, in, out, n, rule, d_count);
}

}  // namespace device
}  // namespace libscan::inline LIBSCAN_MACHINE
