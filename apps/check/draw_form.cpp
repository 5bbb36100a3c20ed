// SPDX-License-Identifier: Apache-2.0
// Drawing the form of a call of the host API: what its arguments are made of.
#include <apps/check/case_items.hpp>
#include <apps/check/check_case.hpp>

namespace libscan::apps {
namespace {

/// A type of items for results of the case's type.
item_source source_for(check_case const& c, std::uint64_t word) {
  bool const other = word % 2 == 0;
  if (c.type == dtype::i64 && other) return item_source::boolean;
  if (c.type == dtype::f32) return other ? item_source::half : item_source::bfloat;
  return size_of(c.type) > 1 ? item_source::narrower : item_source::same;
}

/// Sums of bfloat16 cannot overflow it, and those of float16 can.
bool may_round_results(check_case const& c) {
  bool const scans = !sums_segments(c.what) && c.what != task::reduce;
  if (c.form.source == item_source::half) return scans && c.op != operator_kind::plus;
  return c.form.source == item_source::bfloat && scans;
}

/// Cases in device memory have offsets of either width, and keys that are compared by ==.
bool may_be_on_device(check_case const& c) {
  bool const may_be_there =
      c.form.segments == description::usual || c.form.segments == description::narrow;
  return c.on != engine_kind::cpu && may_be_there;
}

/// Whether to draw the call on device memory, for cases that are no scans or sums.
bool draws_device(check_case const& c, std::uint64_t word) {
  if (c.on == engine_kind::cpu || c.form.callables || c.form.own_memory) return false;
  bool const over_ranges = c.in_place && c.form.segments == description::ranges;
  if (c.form.segments == description::own_keys || over_ranges) return false;
  return c.keys != key_kind::record && word % 3 == 0;
}

void draw_scan(check_case& c, std::uint64_t word) {
  bool const floats = is_float(c.type);
  switch (word % 8) {
    case 0:
      c.form.complex_items = floats;
      if (floats) c.op = operator_kind::plus;
      c.form.device_memory = floats && word / 8 % 2 == 0 && may_be_on_device(c);
      break;
    case 1:
    case 2:
      c.form.source = source_for(c, word / 8);
      c.form.half_results = may_round_results(c) && word / 16 % 2 == 0;
      if (c.form.source != item_source::same) c.in_place = false;
      break;
    case 3:
      c.form.callables = c.on == engine_kind::cpu;
      break;
    case 4:
      c.form.device_memory = may_be_on_device(c);
      break;
    default:
      break;
  }
  // Scans within segments from the end are scan-prefix's, for the types of files.
  bool const first_form = c.form == call_form{};
  if (family_of(c.what) == family::segmented && !first_form) c.reverse = false;
}

/// How the segments of a task are described, where it leaves that open.
description description_for(check_case const& c, std::uint64_t word) {
  switch (c.what) {
    case task::segmented_by_offsets:
    case task::segmented_by_ranges:
    case task::sums_by_offsets:
    case task::sums_by_ranges:
      return word % 2 == 0 ? description::usual : description::narrow;
    case task::segmented_by_keys:
    case task::sums_by_keys: {
      constexpr description all[] = {description::usual, description::keys, description::own_keys};
      return all[word % 3];
    }
    case task::sort_keys_in_segments:
    case task::sort_pairs_in_segments:
    case task::argsort_in_segments:
      return static_cast<description>(word % 7);
    default:
      return description::usual;
  }
}

bool writes_integers(task what) {
  return is_ranks(what) || what == task::argsort || what == task::argsort_in_segments ||
         (family_of(what) == family::histogram && what != task::weighted_histogram);
}

void draw_filter(check_case& c, std::uint64_t word) {
  bool const by_predicate = c.what == task::filter_if || c.what == task::positions_if ||
                            c.what == task::indexed_if || c.what == task::count_if ||
                            c.what == task::split_if;
  bool const finds_runs = c.what == task::unique || c.what == task::run_lengths;
  bool const filters =
      c.what == task::filter_if || c.what == task::filter_flagged || c.what == task::filter_masked;
  bool const on_cpu = c.on == engine_kind::cpu;
  c.form.callables = on_cpu && (by_predicate || finds_runs) && word % 4 == 0;
  bool const may_own = filters || (finds_runs && !c.form.callables);
  c.form.own_memory = may_own && word / 4 % 3 == 0;
  if (c.form.own_memory) c.in_place = false;
  if (c.what == task::run_lengths && !c.form.callables) {
    c.form.min_length = static_cast<index_t>(word / 16 % 4);
  }
}

}  // namespace

void draw_form(check_case& c, std::uint64_t word) {
  c.form.segments = description_for(c, word >> 32);
  c.form.narrow_places = writes_integers(c.what) && (word >> 40) % 2 == 0;
  c.form.no_values = family_of(c.what) == family::spmv && (word >> 40) % 4 == 0;
  bool const differs = c.what == task::difference;
  switch (family_of(c.what)) {
    case family::scan:
    case family::segmented:
      if (!differs && !is_ranks(c.what)) return draw_scan(c, word);
      c.form.by_operator = differs && word % 2 == 0;
      c.form.callables = c.form.by_operator && c.on == engine_kind::cpu && word / 2 % 2 == 0;
      break;
    case family::filter:
    case family::split:
      draw_filter(c, word);
      break;
    default:
      break;
  }
  c.form.device_memory = draws_device(c, word >> 48);
}

}  // namespace libscan::apps
