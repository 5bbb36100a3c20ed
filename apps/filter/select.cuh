// SPDX-License-Identifier: Apache-2.0
// Chooses the algorithm of a filter: by the number of items, and by what the input, the rule, the
// outputs and the GPU permit.
#pragma once

#include <apps/filter/apart.cuh>
#include <apps/filter/look_back_filter.cuh>
#include <apps/filter/pipelined_filter.cuh>
#include <apps/filter/pipelined_mask_filter.cuh>
#include <apps/filter/resident_filter.cuh>
#include <libscan/core/tuning.hpp>
#include <libscan/device/values.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

/// Whether a predicate takes many instructions. The pipeline applies it with a few warps of each
/// multiprocessor, which such a predicate would keep busy; so all warps apply it instead. May be
/// specialized for a custom predicate.
template <class Predicate>
inline constexpr bool asks_long = false;

namespace device {

/// Whether a rule applies such a predicate.
template <class Rule>
inline constexpr bool decides_long = false;
/// The predicate says.
template <class Predicate>
inline constexpr bool decides_long<keep_where<Predicate>> = asks_long<Predicate>;

/// How the pipeline filters.
enum class pipeline_form { none, items, mask };

/// Items go through the stages with what decides about them. With a mask, and without an output of
/// rejected items, only the mask does: always if it is of bits, since reading only kept items then
/// takes less traffic; if it is of bytes, where items are not in memory or not needed.
template <class In, class Rule, class Outputs>
constexpr pipeline_form form_of() {
  constexpr bool rejects = wanted<typename Outputs::rejected_type>;
  constexpr bool reads = wanted<typename Outputs::items_type> || rejects;
  if (is_marked<Rule> && !rejects) {
    bool const bits = std::is_same_v<Rule, keep_marked<bit_mask>>;
    if (bits || !reads || !suits_bulk_copy<In>) return pipeline_form::mask;
  }
  return suits_bulk_copy<In> && !decides_long<Rule> ? pipeline_form::items : pipeline_form::none;
}

/// The work of each form.
template <pipeline_form Form, class In, class Rule, class Outputs, class Tuning>
struct work_of {
  using item = typename std::iterator_traits<In>::value_type;
  using type = filter_work<item, Rule, Outputs, Tuning>;
};
template <class In, class Rule, class Outputs, class Tuning>
struct work_of<pipeline_form::mask, In, Rule, Outputs, Tuning> {
  using type = mask_filter_work<In, Rule, Outputs, Tuning>;
};

/// How each form is tuned.
template <pipeline_form Form, class Item, class Rule>
struct tuning_of {
  using type = pipelined_filter_tuning<Item, Rule::bits_per_item>;
};
template <class Item, class Rule>
struct tuning_of<pipeline_form::mask, Item, Rule> {
  using type = pipelined_mask_filter_tuning<Rule::bits_per_item>;
};

/// Whether `Tuning` is that of a resident filter.
template <class Tuning>
concept tunes_resident_filter = requires {
  Tuning::resident;
};

/// Calls act(tuning) with the first of these tunings that holds n Items at once; returns whether
/// one does.
template <class Item, class... Tunings, class Act>
bool act_as_fits(index_t n, Act act) {
  return ((device::fits_resident_filter<Item, Tunings>(n) && (act(Tunings{}), true)) || ...);
}

/// Calls act(tuning) with the tuning of a resident filter and returns true, if that is the best way
/// to filter n items by a call with `Tuning`, which may be void.
template <class Tuning, class Item, class Act>
bool if_resident(index_t n, Act act) {
  if constexpr (tunes_resident_filter<Tuning>) {
    act(Tuning{});
    return true;
  } else if constexpr (std::is_void_v<Tuning> && resident_filter_tuning<Item>::fits) {
    return device::act_as_fits<Item, short_resident_filter_tuning<Item>,
                               half_resident_filter_tuning<Item>, resident_filter_tuning<Item>>(
        n, act);
  }
  return false;
}

/// Filters in the way of `Tuning`; void: chooses, with pipelines of that form. `memory`:
/// `filter_bytes`, in the workspace.
template <pipeline_form Form, class Tuning, class In, class Outputs, class Rule>
void filter_by_form(workspace& ws, std::byte* memory, In in, Outputs out, item_count n, Rule rule,
                    index_t* d_count) {
  using item = typename std::iterator_traits<In>::value_type;
  constexpr pipeline_form form = Form;
  [[maybe_unused]] auto* const total = reinterpret_cast<position*>(d_count);
  bool const done = device::if_resident<Tuning, item>(n.at_most(), [&](auto tuning) {
    device::resident_filter<decltype(tuning)>(ws, memory, in, out, n, rule, d_count);
  });
  if (done) return;
  if constexpr (tunes_pipeline<Tuning>) {
    static_assert(form != pipeline_form::none, "no pipeline filters this");
    using work = typename work_of<form, In, Rule, Outputs, Tuning>::type;
    device::run_pipeline<Tuning>(ws, memory, work{in, out, rule}, n, plus_position{}, position{0},
                                 total);
  } else if constexpr (!tunes_resident_filter<Tuning>) {
    if constexpr (std::is_void_v<Tuning> && form != pipeline_form::none) {
      using tuning = typename tuning_of<form, item, Rule>::type;
      using work = typename work_of<form, In, Rule, Outputs, tuning>::type;
      if (n.at_most() > tuning::look_back_items &&
          simt::device_can_pipeline<pipeline_kernel<work, tuning>>()) {
        return device::run_pipeline<tuning>(ws, memory, work{in, out, rule}, n, plus_position{},
                                            position{0}, total);
      }
    }
    using look_back = std::conditional_t<std::is_void_v<Tuning>, filter_tuning<item>, Tuning>;
    device::look_back_filter<look_back>(ws, memory, in, out, n, rule, d_count);
  }
}

/// The same with pipelines of the form that suits the call. In place, a mask's items are staged
/// with it: the other form reads them when later tiles may have been written already.
template <class Tuning, class In, class Outputs, class Rule>
void filter_into(workspace& ws, std::byte* memory, In in, Outputs out, item_count n, Rule rule,
                 index_t* d_count) {
  constexpr pipeline_form form = device::form_of<In, Rule, Outputs>();
  if constexpr (form == pipeline_form::mask && can_overwrite<In, typename Outputs::items_type>) {
    constexpr pipeline_form staged =
        suits_bulk_copy<In> ? pipeline_form::items : pipeline_form::none;
    if (out.in_place) {
      if constexpr (tunes_pipeline<Tuning> && staged == pipeline_form::none) {
        throw invalid_argument(
            "filter: no pipeline filters items of this size by a mask in place; "
            "expected another tuning, or an output apart from the input");
      } else {
        return device::filter_by_form<staged, Tuning>(ws, memory, in, out, n, rule, d_count);
      }
    }
  }
  device::filter_by_form<form, Tuning>(ws, memory, in, out, n, rule, d_count);
}

/// Bytes of workspace for n items, with either algorithm, in tiles of at least this many items.
template <class Summary>
constexpr std::size_t filter_bytes(index_t n, index_t look_back_items, index_t pipeline_items) {
  std::size_t const tiles = tile_state<Summary>::bytes(ceil_div(n, look_back_items));
  std::size_t const pipeline = device::pipeline_bytes<Summary>(ceil_div(n, pipeline_items));
  constexpr std::size_t resident = resident_filter_bytes<resident_filter_tuning<char>, Summary>;
  std::size_t const most = tiles > pipeline ? tiles : pipeline;
  return most > resident ? most : resident;
}

/// The same for a call with `Tuning`, which may be void.
template <class Summary, class Tuning, class Item>
constexpr std::size_t filter_bytes(index_t n) {
  if constexpr (tunes_pipeline<Tuning>) {
    constexpr index_t tile = index_t{Tuning::group_threads} * Tuning::vector_items * Tuning::rows;
    return device::filter_bytes<Summary>(n, tile, tile);
  } else {
    using look_back = std::conditional_t<std::is_void_v<Tuning>, filter_tuning<Item>, Tuning>;
    constexpr index_t tile = index_t{look_back::block_threads} * look_back::items_per_thread;
    // No tile of a pipeline that is chosen is smaller than this.
    return device::filter_bytes<Summary>(n, tile, least_filter_tile);
  }
}

/// The workspace of a count, separate from the rest.
inline constexpr std::size_t count_bytes = 256;

/// Filters in the workspace.
template <class Tuning, class In, class Outputs, class Rule>
void filter(workspace& ws, In in, Outputs out, item_count n, Rule rule, index_t* d_count) {
  using item = typename std::iterator_traits<In>::value_type;
  device::refuse_items<In>();
  refused_rule<In, Rule>::check();
  device::refuse_results<item, typename Outputs::items_type>();
  device::refuse_results<item, typename Outputs::rejected_type>();
  device::refuse_results<index_t, typename Outputs::positions_type>();
  std::optional<std::uintptr_t> in_place;
  if constexpr (!wanted<typename Outputs::rejected_type> &&
                can_overwrite<In, typename Outputs::items_type>) {
    out.in_place = in == out.items;
    in_place = device::first_byte_of(out.items);
  }
  device::require_apart("filter", in, rule, n.at_most(),
                        {device::first_byte_of(out.items), device::first_byte_of(out.positions),
                         device::first_byte_of(out.rejected)},
                        in_place);
  device::require_two_places("filter", out.items, out.positions, n.at_most());
  device::require_two_places("filter", out.items, out.rejected, n.at_most());
  std::byte* const memory = ws.reserve(device::filter_bytes<position, Tuning, item>(n.at_most()));
  device::filter_into<Tuning>(ws, memory, in, out, n, rule, d_count);
}

}  // namespace device
}  // namespace libscan::inline LIBSCAN_MACHINE
