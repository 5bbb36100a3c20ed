// SPDX-License-Identifier: Apache-2.0
// The names of cases and their properties.
#include <apps/check/check_case.hpp>

#include <iterator>

namespace libscan::apps {

std::string_view name_of(engine_kind on) {
  static constexpr std::string_view names[] = {"cpu", "cuda", "executor"};
  return names[static_cast<int>(on)];
}

std::string_view name_of(family what) {
  static constexpr std::string_view names[] = {"scan", "segmented", "filter", "split",
                                               "sort", "histogram", "spmv"};
  return names[static_cast<int>(what)];
}

std::string_view name_of(distribution values) {
  static constexpr std::string_view names[] = {"uniform", "small",    "few",    "constant",
                                               "sorted",  "reversed", "skewed", "special"};
  return names[static_cast<int>(values)];
}

namespace {

/// The form of a call, with a comma before each word.
std::string words_for(call_form const& form) {
  static constexpr std::string_view sources[] = {"", ", from bools", ", from float16",
                                                 ", from bfloat16", ", from half the bits"};
  static constexpr std::string_view descriptions[] = {
      "",          ", 32-bit offsets", ", by ranges",  ", by flags",
      ", by bits", ", by double keys", ", by own keys"};
  static_assert(std::size(descriptions) == static_cast<int>(description::own_keys) + 1);
  std::string text;
  if (form.complex_items) text += ", complex";
  text.append(sources[static_cast<int>(form.source)]);
  if (form.half_results) text += ", rounded results";
  text.append(descriptions[static_cast<int>(form.segments)]);
  if (form.narrow_places) text += ", 32-bit results";
  if (form.own_memory) text += ", memory of its own";
  if (form.device_memory) text += ", in device memory";
  if (form.callables) text += ", own callables";
  if (form.no_values) text += ", no values";
  if (form.min_length > 0) text += ", at least " + std::to_string(form.min_length) + " long";
  return text;
}

}  // namespace

std::string describe(check_case const& c) {
  static constexpr std::string_view tasks[] = {"scan",
                                               "reverse scan",
                                               "reduction",
                                               "adjacent differences",
                                               "ranks by flags",
                                               "ranks by bits",
                                               "segmented scan by flags",
                                               "segmented scan by bits",
                                               "segmented scan by offsets",
                                               "segmented scan by keys",
                                               "segmented scan by one length",
                                               "segmented scan by ranges",
                                               "sums of segments by flags",
                                               "sums of segments by bits",
                                               "sums of segments by offsets",
                                               "sums by key",
                                               "sums of segments by one length",
                                               "sums of segments by ranges",
                                               "filter by a predicate",
                                               "filter by flags",
                                               "filter by bits",
                                               "positions by a predicate",
                                               "positions by flags",
                                               "positions by bits",
                                               "filter with positions by a predicate",
                                               "filter with positions by flags",
                                               "filter with positions by bits",
                                               "count by a predicate",
                                               "count by flags",
                                               "count by bits",
                                               "unique",
                                               "run lengths",
                                               "split by a predicate",
                                               "split by flags",
                                               "split by bits",
                                               "split into one buffer",
                                               "split by a bit",
                                               "split of numbers of buckets",
                                               "split by the number of a bucket",
                                               "split by key",
                                               "sort of keys",
                                               "sort of pairs",
                                               "argsort",
                                               "sort of keys in segments",
                                               "sort of pairs in segments",
                                               "argsort in segments",
                                               "histogram of integers",
                                               "histogram in even bins",
                                               "histogram between edges",
                                               "weighted histogram",
                                               "sparse histogram",
                                               "histogram by a sort",
                                               "histogram by counting barriers",
                                               "product of a sparse matrix",
                                               "product by a segmented reduction",
                                               "matrix by rows from a list"};
  static constexpr std::string_view keys[] = {"numbers", "float16", "bfloat16", "records"};
  std::string text(tasks[static_cast<int>(c.what)]);
  text.append(" of ").append(std::to_string(c.n)).append(" ");
  text.append(c.keys == key_kind::number ? name_of(c.type) : keys[static_cast<int>(c.keys)]);
  text.append(", ").append(name_of(c.values));
  bool const scans = family_of(c.what) <= family::segmented && c.what != task::difference;
  if (scans) {
    bool const kinds = c.what != task::reduce && !sums_segments(c.what);
    if (kinds) text += c.kind == scan_kind::inclusive ? ", inclusive" : ", exclusive";
    if (!is_ranks(c.what)) {
      text.append(kinds ? " " : ", ").append(option_word(c.op));
      if (c.has_init) text += " with init";
    }
    if (c.reverse) text += ", reverse";
  }
  if (c.form.by_operator) text.append(", ").append(option_word(c.op));
  text += words_for(c.form);
  if (with_values(c.what)) text += ", values of " + std::to_string(c.value_bytes) + " bytes";
  if (by_buckets(c.what)) text += ", " + std::to_string(c.buckets) + " buckets";
  if (family_of(c.what) == family::histogram) text += ", " + std::to_string(c.bins) + " bins";
  if (family_of(c.what) == family::spmv) text += ", " + std::to_string(c.columns) + " columns";
  if (c.what == task::product || c.what == task::segmented_product) {
    text.append(", ").append(semiring_names[static_cast<int>(c.semiring)]);
    if (c.has_init) text += " with alpha and beta";
  }
  if (family_of(c.what) == family::sort) {
    text += c.descending ? ", descending" : ", ascending";
    if (c.end_bit >= 0) {
      text += ", bits " + std::to_string(c.first_bit) + ":" + std::to_string(c.end_bit);
    }
  }
  if (c.in_place) text += c.two_buffers ? ", between two buffers" : ", in place";
  if (c.count_on_device) text += ", count on the device";
  if (c.in_offset + c.out_offset != 0) {
    text += ", offsets " + std::to_string(c.in_offset) + " and " + std::to_string(c.out_offset);
  }
  if (c.host_api && c.on != engine_kind::cpu) text += ", host API";
  if (c.on == engine_kind::cpu) text += ", threads " + std::to_string(c.threads);
  if (c.tuning != 0) text += ", tuning " + std::to_string(c.tuning);
  if (c.schedule != 0) text += ", seeded schedule";
  return text;
}

}  // namespace libscan::apps
