// SPDX-License-Identifier: Apache-2.0
// One case of scan-check: the call, the number and type of its items, and its options. A pure
// function of the engine's kind, a seed and a number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <apps/common/dtype.hpp>
#include <apps/prefix/prefix_scan.hpp>
#include <libscan/core/types.hpp>
#include <libscan/spmv.hpp>

namespace libscan::apps {

/// The engine under test.
enum class engine_kind : std::uint8_t { cpu, cuda, executor };

/// The values of --what.
enum class family : std::uint8_t { scan, segmented, filter, split, sort, histogram, spmv };

/// The number of families.
inline constexpr int family_count = 7;

/// The most threads of a case of the cpu engine.
inline constexpr int max_case_threads = 7;

/// The call.
enum class task : std::uint8_t {
  scan,
  reverse_scan,
  reduce,
  difference,     ///< of neighbors
  ranks_flagged,  ///< binary scans
  ranks_masked,
  segmented_by_flags,
  segmented_by_bits,
  segmented_by_offsets,
  segmented_by_keys,
  segmented_by_length,
  segmented_by_ranges,
  sums_by_flags,  ///< of segments
  sums_by_bits,
  sums_by_offsets,
  sums_by_keys,  ///< with the first keys
  sums_by_length,
  sums_by_ranges,
  filter_if,
  filter_flagged,
  filter_masked,
  positions_if,
  positions_flagged,
  positions_masked,
  indexed_if,  ///< items with their positions
  indexed_flagged,
  indexed_masked,
  count_if,
  count_flagged,
  count_masked,
  unique,
  run_lengths,
  split_if,
  split_flagged,
  split_masked,
  split_into_one,
  split_by_bit,
  split_numbers,    ///< keys are numbers of buckets
  split_by_number,  ///< the same with values
  split_by_key,
  sort_keys,
  sort_pairs,
  argsort,
  sort_keys_in_segments,
  sort_pairs_in_segments,
  argsort_in_segments,
  histogram_of_integers,
  even_histogram,
  edge_histogram,
  weighted_histogram,  ///< in even-width bins
  sparse_histogram,    ///< in even-width bins, those that are not empty
  sorted_histogram,    ///< of integers, by a sort
  counted_histogram,   ///< of integers, by counting barriers
  product,             ///< of a sparse matrix of n entries and a vector
  segmented_product,   ///< the same by a segmented reduction
  rows_of_list         ///< a matrix by rows from a list of n entries
};

/// The meaning of items in sorts.
enum class key_kind : std::uint8_t {
  number,  ///< of the case's type
  half,    ///< `float16`; the type is u16
  bfloat,  ///< `bfloat16`; the type is u16
  record   ///< `key_record`, of three u32
};

/// The distribution of the items' values.
enum class distribution : std::uint8_t {
  uniform,   ///< any bits; floats evenly in [-1, 1)
  small,     ///< integers of a few units
  few,       ///< four different ones
  constant,  ///< all the same
  sorted,    ///< ascending
  reversed,  ///< descending
  skewed,    ///< most of them near 0
  special    ///< limits, and for floats infinities, NaNs and both zeros, among others
};

/// Their number.
inline constexpr int distribution_count = 8;

/// The distribution of the segments' lengths.
enum class segment_shape : std::uint8_t { one, single, some_empty, power_law, huge_among_tiny };

/// The type of the items that a scan or a sum reads.
enum class item_source : std::uint8_t {
  same,  ///< that of the results
  boolean,
  half,      ///< `float16`
  bfloat,    ///< `bfloat16`
  narrower,  ///< numbers of the same kind with half the bits
};

/// How segments are described, where a task leaves that open.
enum class description : std::uint8_t {
  usual,   ///< offsets or keys, as the task says
  narrow,  ///< offsets of 32 bits
  ranges,  ///< begins and ends
  flags,
  bits,
  keys,     ///< floating-point numbers
  own_keys  ///< of a type of the caller's, with the caller's equality
};

/// Which form of a call the host API runs. None changes the task; `call_form{}` is the first one.
struct call_form {
  item_source source = item_source::same;
  description segments = description::usual;
  bool complex_items = false;  ///< complex numbers of two words of the case's type
  bool half_results = false;   ///< rounded to the source's type
  bool narrow_places = false;  ///< positions, ranks and counts of 32 bits
  bool own_memory = false;     ///< results in memory of their own
  bool device_memory = false;  ///< the call on device memory
  bool callables = false;      ///< operators, predicates and equalities of the caller's
  bool by_operator = false;    ///< differences, in place of later - earlier
  bool no_values = false;      ///< matrices
  index_t min_length = 0;      ///< of runs, with their positions; 0: the call without positions
  friend bool operator==(call_form const&, call_form const&) = default;
};

/// All properties of a case.
struct check_case {
  engine_kind on = engine_kind::cpu;
  std::uint64_t seed = 0;
  std::uint64_t number = 0;
  task what = task::scan;
  dtype type = dtype::i32;
  index_t n = 0;
  distribution values = distribution::uniform;
  operator_kind op = operator_kind::plus;
  scan_kind kind = scan_kind::exclusive;
  bool host_api = true;  ///< the host API on host memory; else device calls
  call_form form = {};   ///< of the host API
  bool reverse = false;  ///< scans of the host API
  bool has_init = false;
  bool in_place = false;
  bool two_buffers = false;  ///< sorts on a device, in place, with an extra buffer for each array
  bool descending = false;
  int first_bit = 0;
  int end_bit = -1;  ///< < 0: all
  key_kind keys = key_kind::number;
  int value_bytes = 4;  ///< of the values that move with keys
  int keep_percent = 50;
  int buckets = 1;                                     ///< of `task::split_by_key`
  int bins = 1;                                        ///< of histograms
  semiring_kind semiring = semiring_kind::plus_times;  ///< of products
  index_t columns = 1;                                 ///< of matrices
  segment_shape shape = segment_shape::one;
  int in_offset = 0;   ///< items between a 256-byte boundary and the first item
  int out_offset = 0;  ///< the same for outputs
  int threads = 1;     ///< of the cpu engine, at most `max_case_threads`; 0: all
  bool count_on_device = false;
  index_t slack = 0;           ///< by how much the bound on n exceeds n on a device
  int tuning = 0;              ///< 0: the library's; the executor also has small ones
  std::uint64_t schedule = 0;  ///< of the executor; 0: the fixed one

  /// A random word for one purpose of this case.
  std::uint64_t word(std::uint64_t purpose) const;
};

/// Draws the form of a call of the host API from a random word, once all else is drawn.
void draw_form(check_case& c, std::uint64_t word);

/// The properties that a user fixes.
struct case_overrides {
  std::optional<family> what;
  bool host_api = false;               ///< --host-api; implied by the cpu engine
  bool large = false;                  ///< some of tens of millions of items
  std::optional<index_t> n;            ///< --n
  std::optional<distribution> values;  ///< --values
  bool aligned = false;                ///< --aligned: no offsets
  bool plain = false;  ///< --plain: one thread, the library's tuning, the fixed schedule, counts
                       ///< from the host, no init, not in place
};

/// Case `number` of `seed` for an engine. Properties fixed by `overrides` do not affect the others.
check_case draw_case(engine_kind on, std::uint64_t seed, std::uint64_t number,
                     case_overrides const& overrides);

/// The case in one line, for people.
std::string describe(check_case const& c);

/// The name for --engine.
std::string_view name_of(engine_kind on);

/// The name for --what.
std::string_view name_of(family what);

/// The name for --values.
std::string_view name_of(distribution values);

/// The family of a task.
family family_of(task what);

/// Whether a task uses flags, a byte each.
bool by_flags(task what);

/// Whether it uses bits.
bool by_bits(task what);

/// Whether values move with keys.
bool with_values(task what);

/// Whether it uses the buckets of keys.
inline bool by_buckets(task what) {
  return what >= task::split_numbers && what <= task::split_by_key;
}

/// Whether it is a binary scan.
inline bool is_ranks(task what) {
  return what == task::ranks_flagged || what == task::ranks_masked;
}

/// Whether it sums segments.
inline bool sums_segments(task what) {
  return what >= task::sums_by_flags && what <= task::sums_by_ranges;
}

/// The length of segments of a case by one length.
inline index_t segment_length(check_case const& c) {
  return static_cast<index_t>(1 + c.word(203) % 500);
}

/// Whether offsets or head flags divide the items into segments, or into the rows of a matrix.
bool in_segments(task what);

/// The number of words of an item, in words of its type.
inline int words_of_item(check_case const& c) {
  if (c.form.complex_items) return 2;
  return c.keys == key_kind::record ? 3 : 1;
}

/// Bytes of the values that move with keys on a device: one size per type of key, since each is
/// compiled with every kernel.
constexpr int value_bytes_on_device(dtype type, key_kind keys) {
  if (keys == key_kind::record) return 16;
  if (type == dtype::f64) return 2;
  return type == dtype::u8 ? 1 : type == dtype::u64 ? 8 : 4;
}

/// Random word i of a stream (the finaliser of SplitMix64: Steele, Lea & Flood 2014).
constexpr std::uint64_t random_word(std::uint64_t stream, std::uint64_t i) {
  std::uint64_t x = stream + (i + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace libscan::apps
