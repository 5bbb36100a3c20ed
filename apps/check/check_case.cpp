// SPDX-License-Identifier: Apache-2.0
// Drawing cases: each property has a random word of its own, so that fixing one leaves the others.
#include <apps/check/check_case.hpp>

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

namespace libscan::apps {
namespace {

/// The purposes of the random words of a case; the numbers are part of the meaning of a seed.
enum purpose : std::uint64_t {
  for_family,
  for_task,
  for_type,
  for_size,
  for_size_too,
  for_distribution,
  for_operator,
  for_kind,
  for_init,
  for_place,
  for_direction,
  for_bits,
  for_keep,
  for_buckets,
  for_shape,
  for_in_offset,
  for_out_offset,
  for_threads,
  for_count,
  for_tuning,
  for_schedule,
  for_bins,
  for_semiring,
  for_column_count,
  for_value_size,
  for_buffers,
  for_form
};

template <class T>
T one_of(std::span<T const> choices, std::uint64_t word) {
  return choices[word % choices.size()];
}

// Tasks that only the host API draws come last.
constexpr task scans[] = {task::scan,   task::difference,    task::reverse_scan,
                          task::reduce, task::ranks_flagged, task::ranks_masked};
constexpr task segmented_scans[] = {
    task::segmented_by_flags, task::segmented_by_bits,   task::segmented_by_offsets,
    task::segmented_by_keys,  task::segmented_by_length, task::segmented_by_ranges,
    task::sums_by_flags,      task::sums_by_bits,        task::sums_by_offsets,
    task::sums_by_keys,       task::sums_by_length,      task::sums_by_ranges};
constexpr task filters[] = {
    task::filter_if,         task::filter_flagged,   task::filter_masked, task::positions_if,
    task::positions_flagged, task::positions_masked, task::indexed_if,    task::indexed_flagged,
    task::indexed_masked,    task::count_if,         task::unique,        task::run_lengths,
    task::count_flagged,     task::count_masked};
constexpr task splits[] = {task::split_if,        task::split_flagged, task::split_masked,
                           task::split_into_one,  task::split_by_key,  task::split_by_bit,
                           task::split_by_number, task::split_numbers};
constexpr task sorts[] = {task::sort_keys,
                          task::sort_pairs,
                          task::argsort,
                          task::sort_keys_in_segments,
                          task::sort_pairs_in_segments,
                          task::argsort_in_segments};
constexpr task histograms[] = {task::histogram_of_integers, task::even_histogram,
                               task::edge_histogram, task::weighted_histogram,
                               task::sparse_histogram};
constexpr task device_histograms[] = {task::histogram_of_integers, task::even_histogram,
                                      task::edge_histogram,        task::weighted_histogram,
                                      task::sorted_histogram,      task::counted_histogram};
// The last one only device calls have.
constexpr task products[] = {task::product, task::rows_of_list, task::segmented_product};

std::span<task const> tasks_of(family what, bool device) {
  switch (what) {
    case family::scan:
      return std::span(scans).first(device ? 2 : std::size(scans));
    case family::segmented:
      return std::span(segmented_scans).first(device ? 4 : std::size(segmented_scans));
    case family::filter:
      return std::span(filters).first(device ? 12 : std::size(filters));
    case family::split:
      return std::span(splits).first(device ? 6 : std::size(splits));
    case family::sort:
      return std::span(sorts).first(device ? 5 : std::size(sorts));
    case family::histogram:
      if (device) return device_histograms;
      return histograms;
    case family::spmv:
      break;
  }
  return std::span(products).first(device ? std::size(products) : 2);
}

// What is compiled: everything for the host API; of device calls, types of each size, and the
// operators below.
constexpr dtype scan_types[] = {dtype::u8,  dtype::i16, dtype::i32,
                                dtype::u64, dtype::f32, dtype::f64};
constexpr dtype segmented_types[] = {dtype::i16, dtype::u64, dtype::f32};
constexpr dtype filter_types[] = {dtype::u8, dtype::i32, dtype::f64};
constexpr dtype split_types[] = {dtype::i32, dtype::u64, dtype::i16};
constexpr dtype counted_types[] = {dtype::i32, dtype::u8};
constexpr dtype binned_types[] = {dtype::f32};
constexpr dtype entry_types[] = {dtype::f32, dtype::i64, dtype::f64};

std::span<dtype const> types_for(task what, bool device) {
  if (what == task::rows_of_list && device) return std::span(entry_types).first(1);
  if (family_of(what) == family::spmv) return std::span(entry_types).first(device ? 2 : 3);
  bool const integers =
      what == task::histogram_of_integers || by_buckets(what) || what == task::split_by_bit;
  if (!device) return std::span(all_item_types).first(integers ? 8 : 10);
  if (what == task::histogram_of_integers) return counted_types;
  if (what == task::split_by_key) return std::span(split_types).first(2);
  if (what == task::sorted_histogram || what == task::counted_histogram) {
    return std::span(counted_types).first(1);
  }
  switch (family_of(what)) {
    case family::scan:
      return scan_types;
    case family::segmented:
      return segmented_types;
    case family::filter:
      return filter_types;
    case family::split:
      return split_types;
    default:
      return binned_types;
  }
}

/// The keys of sorts.
struct key_choice {
  dtype type;
  key_kind keys = key_kind::number;
};

// Within segments, kernels are compiled only for the first two.
constexpr key_choice device_keys[] = {
    {dtype::i32}, {dtype::u16, key_kind::half},  {dtype::u8}, {dtype::u64}, {dtype::f32},
    {dtype::f64}, {dtype::u32, key_kind::record}};
// Records are sorted only by a header of the cpu engine, and not within segments.
constexpr key_choice host_keys[] = {{dtype::i8},
                                    {dtype::u8},
                                    {dtype::i16},
                                    {dtype::u16},
                                    {dtype::i32},
                                    {dtype::u32},
                                    {dtype::i64},
                                    {dtype::u64},
                                    {dtype::f32},
                                    {dtype::f64},
                                    {dtype::u16, key_kind::half},
                                    {dtype::u16, key_kind::bfloat},
                                    {dtype::u32, key_kind::record}};

std::span<key_choice const> keys_for(check_case const& c) {
  bool const segmented = in_segments(c.what);
  if (!c.host_api) return std::span(device_keys).first(segmented ? 2 : std::size(device_keys));
  bool const records = c.on == engine_kind::cpu && !segmented;
  return std::span(host_keys).first(records ? std::size(host_keys) : 12);
}

void draw_type(check_case& c) {
  if (family_of(c.what) == family::sort) {
    auto const [type, keys] = one_of(keys_for(c), c.word(for_type));
    c.type = type;
    c.keys = keys;
  } else {
    c.type = one_of(types_for(c.what, !c.host_api), c.word(for_type));
  }
  static constexpr int sizes[] = {1, 2, 4, 8, 16};
  if (!c.host_api) {
    c.value_bytes = value_bytes_on_device(c.type, c.keys);
  } else if (c.what != task::split_by_key) {
    c.value_bytes = one_of<int>(sizes, c.word(for_value_size));
  }
}

operator_kind operator_for(check_case const& c, std::uint64_t word) {
  if (c.host_api) {
    std::vector<operator_kind> known(std::begin(all_operators), std::end(all_operators));
    if (is_float(c.type)) std::erase_if(known, is_bitwise);
    return known[word % known.size()];
  }
  // device_operators.cuh has one operator per type.
  bool const segmented = family_of(c.what) == family::segmented;
  if (c.type == dtype::u64) return segmented ? operator_kind::maximum : operator_kind::bit_xor;
  return c.type == dtype::f64 ? operator_kind::minimum : operator_kind::plus;
}

/// One more, the same, or one less.
index_t near(index_t n, std::uint64_t word) {
  return std::max<index_t>(0, n + static_cast<index_t>(word % 3) - 1);
}

/// A number of items with about 2^power bits of range.
index_t any_size(int power, std::uint64_t word) {
  auto const least = index_t{1} << power;
  return least + static_cast<index_t>(word % static_cast<std::uint64_t>(least));
}

/// Tens of millions are rare, since checking them takes long.
index_t large_size(std::uint64_t word) {
  int const power = 20 + static_cast<int>(std::min({word % 6, word / 6 % 6, word / 36 % 6}));
  return word / 216 % 2 == 0 ? near(index_t{1} << power, word >> 16)
                             : any_size(std::min(power, 24), word >> 16);
}

/// Mostly few items, and the sizes at which tiles end.
index_t size_of_case(engine_kind on, std::uint64_t how, std::uint64_t word, bool large) {
  constexpr std::uint64_t large_per_ten_thousand = 130;
  if (large && on != engine_kind::executor && how % 10000 < large_per_ten_thousand) {
    return large_size(word);
  }
  index_t const most = on == engine_kind::executor ? 3000 : index_t{1} << 18;
  std::uint64_t const kind = (how / 10000) % 100;
  index_t n = 0;
  if (kind < 35) {
    n = static_cast<index_t>(word % 300);
  } else if (kind < 60) {
    static constexpr index_t tiles[] = {32, 64, 128, 256, 512, 1024, 2048, 4096, 6144};
    n = near(tiles[word % std::size(tiles)] * static_cast<index_t>(1 + word / 16 % 40), word >> 32);
  } else if (kind < 75) {
    n = near(index_t{1} << (word % 19), word >> 32);
  } else {
    n = any_size(static_cast<int>(word % 17), word >> 8);
  }
  return n <= most ? n : n % most;
}

int offset_of(std::uint64_t word) { return word % 2 == 0 ? 0 : static_cast<int>(word / 2 % 17); }

void draw_sort(check_case& c) {
  auto const word = c.word(for_bits);
  c.descending = c.word(for_direction) % 2 == 1;
  int const bits = 8 * static_cast<int>(size_of(c.type)) * words_of_item(c);
  if (word % 3 == 0) {
    c.first_bit = static_cast<int>(word / 3 % static_cast<std::uint64_t>(bits));
    c.end_bit = c.first_bit + static_cast<int>((word >> 32) % static_cast<std::uint64_t>(bits + 1));
    c.end_bit = std::min(c.end_bit, bits);
  }
}

/// Mostly few bins, and more than fit in a block.
int bins_for(check_case const& c, std::uint64_t word) {
  auto const up_to = [word](std::uint64_t most) {
    return static_cast<int>(1 + (word >> 8) % most);
  };
  if (c.what == task::counted_histogram) return up_to(32);
  bool const many = c.on != engine_kind::executor && c.n >= 10000;
  switch (word % 8) {
    case 0:
      return 256;
    case 1:
      return 2048;
    case 2:
      return up_to(5000);
    case 3:
      return many ? up_to(300000) : 33;
    default:
      return up_to(64);
  }
}

/// device_spmv.cu has one semiring per type.
semiring_kind semiring_for(check_case const& c, std::uint64_t word) {
  if (c.host_api) return static_cast<semiring_kind>(word % 4);
  return c.type == dtype::i64 ? semiring_kind::min_plus : semiring_kind::plus_times;
}

index_t columns_for(check_case const& c, std::uint64_t word) {
  index_t const choices[] = {1, 7, 300, c.n + 1, 3 * c.n + 1};
  return choices[word % std::size(choices)];
}

bool may_be_in_place(check_case const& c) {
  switch (c.what) {
    case task::scan:
    case task::reverse_scan:
    case task::difference:
    case task::sort_keys:
    case task::sort_pairs:
      return true;
    case task::filter_if:
    case task::filter_flagged:
    case task::filter_masked:
    case task::sort_keys_in_segments:
    case task::sort_pairs_in_segments:
      return c.host_api;
    default:
      return family_of(c.what) == family::segmented && !sums_segments(c.what);
  }
}

/// Draws what affects how the call is made, but not its result.
void draw_manner(check_case& c) {
  static constexpr int threads[] = {1, 2, 3, max_case_threads, 0};
  c.threads = one_of<int>(threads, c.word(for_threads));
  c.in_place = may_be_in_place(c) && c.word(for_place) % 3 == 0;
  if (!c.host_api) {
    c.count_on_device = c.word(for_count) % 4 == 0;
    c.slack = static_cast<index_t>(c.word(for_count) / 4 % 3) * 1000;
    bool const may_swap = c.what == task::sort_keys || c.what == task::sort_pairs;
    c.two_buffers = may_swap && c.word(for_buffers) % 4 == 0;
    c.in_place = c.in_place || c.two_buffers;
  }
  if (c.on != engine_kind::executor) return;
  if (!c.host_api) c.tuning = static_cast<int>(c.word(for_tuning) % 4);
  c.schedule = c.word(for_schedule) % 2 == 0 ? 0 : c.word(for_schedule);
}

}  // namespace

std::uint64_t check_case::word(std::uint64_t purpose) const {
  return random_word(random_word(random_word(0, seed), number), purpose);
}

check_case draw_case(engine_kind on, std::uint64_t seed, std::uint64_t number,
                     case_overrides const& overrides) {
  check_case c;
  c.on = on;
  c.seed = seed;
  c.number = number;
  c.host_api = overrides.host_api || on == engine_kind::cpu;
  bool const device = !c.host_api;
  auto const drawn = static_cast<family>(c.word(for_family) % family_count);
  c.what = one_of(tasks_of(overrides.what.value_or(drawn), device), c.word(for_task));
  // Buckets by a function are a header of each engine, and no call of the host API.
  if (overrides.host_api && c.what == task::split_by_key) c.what = task::split_by_number;
  draw_type(c);
  c.n = overrides.n.value_or(
      size_of_case(on, c.word(for_size), c.word(for_size_too), overrides.large));
  c.values = overrides.values.value_or(
      static_cast<distribution>(c.word(for_distribution) % distribution_count));
  c.op = operator_for(c, c.word(for_operator));
  c.kind = c.word(for_kind) % 2 == 0 ? scan_kind::inclusive : scan_kind::exclusive;
  c.has_init = c.word(for_init) % 2 == 0;
  bool const scans_segments = family_of(c.what) == family::segmented && !sums_segments(c.what);
  c.reverse =
      c.what == task::reverse_scan || (!device && scans_segments && c.word(for_direction) % 2 == 0);
  static constexpr int percents[] = {0, 1, 10, 50, 90, 99, 100};
  c.keep_percent = one_of<int>(percents, c.word(for_keep));
  c.buckets = static_cast<int>(1 + c.word(for_buckets) % 256);
  c.shape = static_cast<segment_shape>(c.word(for_shape) % 5);
  c.in_offset = offset_of(c.word(for_in_offset));
  c.out_offset = offset_of(c.word(for_out_offset));
  c.bins = bins_for(c, c.word(for_bins));
  c.semiring = semiring_for(c, c.word(for_semiring));
  c.columns = columns_for(c, c.word(for_column_count));
  if (family_of(c.what) == family::sort) draw_sort(c);
  draw_manner(c);
  if (c.host_api) draw_form(c, c.word(for_form));
  if (overrides.aligned) c.in_offset = c.out_offset = 0;
  if (overrides.plain) {
    c.threads = 1;
    c.tuning = 0;
    c.schedule = 0;
    c.slack = 0;
    c.count_on_device = c.in_place = c.two_buffers = c.has_init = false;
  }
  return c;
}

family family_of(task what) {
  if (what <= task::ranks_masked) return family::scan;
  if (what <= task::sums_by_ranges) return family::segmented;
  if (what <= task::run_lengths) return family::filter;
  if (what <= task::split_by_key) return family::split;
  if (what <= task::argsort_in_segments) return family::sort;
  return what <= task::counted_histogram ? family::histogram : family::spmv;
}

bool by_flags(task what) {
  return what == task::filter_flagged || what == task::positions_flagged ||
         what == task::indexed_flagged || what == task::split_flagged ||
         what == task::count_flagged || what == task::ranks_flagged;
}

bool by_bits(task what) {
  return what == task::filter_masked || what == task::positions_masked ||
         what == task::indexed_masked || what == task::split_masked || what == task::count_masked ||
         what == task::ranks_masked;
}

bool with_values(task what) {
  return what == task::sort_pairs || what == task::sort_pairs_in_segments ||
         what == task::split_by_number || what == task::split_by_key;
}

bool in_segments(task what) {
  return family_of(what) == family::segmented || what == task::sort_keys_in_segments ||
         what == task::sort_pairs_in_segments || what == task::argsort_in_segments ||
         what == task::product || what == task::segmented_product;
}

}  // namespace libscan::apps
