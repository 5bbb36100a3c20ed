// SPDX-License-Identifier: Apache-2.0
// Plain loops, independent of the library.
#include <apps/check/oracle.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <apps/check/case_data.hpp>
#include <apps/check/oracle_parts.hpp>
#include <apps/check/parallel.hpp>
#include <libscan/reference/operators.hpp>

namespace libscan::apps {
namespace {

/// Where segments begin, in the direction of the scan.
class head_list {
 public:
  head_list(check_case const& c, placed in) : heads_(static_cast<std::size_t>(c.n) + 1, 0) {
    for (index_t i = 0; i < c.n; ++i) at(i) = is_head(c, in, i);
    if (auto const* const offsets = in.at<index_t>(slot::places)) {
      for (index_t s = 0; s < in.size(slot::places); ++s) at(offsets[s]) = 1;
    }
    at(0) = at(c.n) = 1;
  }

  /// Whether the scan starts anew at item i.
  bool begins(index_t i, bool reverse) const {
    return heads_[static_cast<std::size_t>(reverse ? i + 1 : i)] != 0;
  }

 private:
  std::uint8_t& at(index_t i) { return heads_[static_cast<std::size_t>(i)]; }

  static bool is_head(check_case const& c, placed in, index_t i) {
    switch (c.what) {
      case task::segmented_by_flags:
      case task::sums_by_flags:
        return in.at<std::uint8_t>(slot::flags)[i] != 0;
      case task::segmented_by_bits:
      case task::sums_by_bits:
        return (in.at<std::uint32_t>(slot::bits)[i / 32] >> (i % 32) & 1) != 0;
      case task::segmented_by_length:
      case task::sums_by_length:
        return i % segment_length(c) == 0;
      case task::segmented_by_keys:
      case task::sums_by_keys: {
        auto const* const keys = in.at<std::int32_t>(slot::keys);
        return i > 0 && keys[i] != keys[i - 1];
      }
      default:
        return false;
    }
  }

  std::vector<std::uint8_t> heads_;
};

/// A running sum of floats, and the largest error of any order of association.
template <class T>
struct bounded_sum {
  using wide = wide_of<T>;
  wide sum, magnitude, terms;
  bool integers;

  bounded_sum(T init, bool are_integers)
      : sum(init), magnitude(std::abs(static_cast<wide>(init))), terms(1), integers(are_integers) {}

  void add(T item) {
    sum += item;
    magnitude += std::abs(static_cast<wide>(item));
    terms += 1;
  }
  double tolerance() const {
    auto const exact_up_to = static_cast<wide>(std::int64_t{1} << std::numeric_limits<T>::digits);
    if (integers && magnitude <= exact_up_to) return 0;
    return sum_tolerance<T>(terms + 1, magnitude);
  }
};

/// The error of a sum that is rounded to `bfloat16`.
template <class T>
double rounding_of(check_case const& c, T sum) {
  return c.form.half_results ? std::abs(static_cast<double>(sum)) / 128 : 0;
}

/// Calls before(i), which begins a segment if `begins`, for all items in the order of the scan.
template <class Each>
void in_order(check_case const& c, Each each) {
  for (index_t k = 0; k < c.n; ++k) each(c.reverse ? c.n - 1 - k : k);
}

/// Scans one part of each item: of complex numbers the real or the imaginary part.
template <class T, class Begins>
void sum_part(check_case const& c, placed in, placed out, int part, Begins const& begins,
              tolerances& allowed) {
  int const parts = words_of_item(c);
  T const* const items = in.at<T>(slot::items) + part;
  T* const results = out.at<T>(slot::items) + part;
  double* const allowances = allowed.data() + part;
  T const init = init_part<T>(c, part);
  bool const integers = are_integers(c);
  bounded_sum<T> running(init, integers);
  in_order(c, [&](index_t i) {
    if (begins(i)) running = bounded_sum<T>(init, integers);
    if (c.kind == scan_kind::inclusive) running.add(items[parts * i]);
    results[parts * i] = static_cast<T>(running.sum);
    allowances[parts * i] = running.tolerance() + rounding_of(c, results[parts * i]);
    if (c.kind == scan_kind::exclusive) running.add(items[parts * i]);
  });
  allowances[parts * c.n] = running.tolerance();
  if (T* const total = out.at<T>(slot::total)) total[part] = static_cast<T>(running.sum);
}

template <class T, class Begins>
void sum_floats(check_case const& c, placed in, placed out, Begins const& begins,
                tolerances& allowed) {
  int const parts = words_of_item(c);
  allowed.resize(static_cast<std::size_t>((c.n + 1) * parts));
  for (int part = 0; part < parts; ++part) sum_part<T>(c, in, out, part, begins, allowed);
}

template <class T, class Begins>
void scan_items(check_case const& c, placed in, placed out, Begins begins, tolerances& allowed) {
  if constexpr (std::is_floating_point_v<T>) {
    if (c.op == operator_kind::plus) return sum_floats<T>(c, in, out, begins, allowed);
  }
  T const* const items = in.at<T>(slot::items);
  T* const results = out.at<T>(slot::items);
  T const init = init_of<T>(c);
  T running = init;
  in_order(c, [&](index_t i) {
    if (begins(i)) running = init;
    T const before = running;
    running = reference::combine(c.op, before, items[i]);
    results[i] = c.kind == scan_kind::inclusive ? running : before;
  });
  if (T* const total = out.at<T>(slot::total)) *total = running;
  if constexpr (std::is_floating_point_v<T>) {
    bool const ties = c.op == operator_kind::minimum || c.op == operator_kind::maximum;
    // From the end, +0 and -0 are both right. No tolerance is smaller than this one.
    if (ties && c.reverse) {
      allowed.assign(static_cast<std::size_t>(c.n + 1), std::numeric_limits<double>::denorm_min());
    }
  }
}

/// One sum of items [begin, end) after the init; of complex numbers, of one part of each.
template <class T>
T sum_of(check_case const& c, T const* items, index_t begin, index_t end, int part,
         double& allowed) {
  if constexpr (std::is_floating_point_v<T>) {
    if (c.op == operator_kind::plus) {
      int const parts = words_of_item(c);
      bounded_sum<T> running(init_part<T>(c, part), are_integers(c));
      for (index_t i = begin; i < end; ++i) running.add(items[parts * i + part]);
      allowed = running.tolerance();
      return static_cast<T>(running.sum);
    }
  }
  T running = init_of<T>(c);
  for (index_t i = begin; i < end; ++i) running = reference::combine(c.op, running, items[i]);
  return running;
}

/// No tolerances, if all are 0.
void drop_zeros(tolerances& allowed) {
  bool const exact =
      std::all_of(allowed.begin(), allowed.end(), [](double off) { return off == 0; });
  if (exact) allowed.clear();
}

/// The sum of all items.
template <class T>
void sum_all(check_case const& c, placed in, placed out, tolerances& allowed) {
  int const parts = words_of_item(c);
  allowed.assign(static_cast<std::size_t>((c.n + 1) * parts), 0);
  for (int part = 0; part < parts; ++part) {
    out.at<T>(slot::total)[part] = sum_of(c, in.at<T>(slot::items), 0, c.n, part,
                                          allowed[static_cast<std::size_t>(c.n * parts + part)]);
  }
  drop_zeros(allowed);
}

/// The sums of segments, with the keys of runs.
template <class T>
void sum_segments(check_case const& c, placed in, placed out, tolerances& allowed) {
  std::vector<index_t> bounds;
  if (index_t const* const offsets = in.at<index_t>(slot::places)) {
    bounds.assign(offsets, offsets + in.size(slot::places));
  } else {
    head_list const heads(c, in);
    for (index_t i = 0; i <= c.n; ++i) {
      if (heads.begins(i, false)) bounds.push_back(i);
    }
  }
  int const parts = words_of_item(c);
  auto const segments = static_cast<index_t>(bounds.size()) - 1;
  allowed.assign(static_cast<std::size_t>((std::max(segments, c.n) + 1) * parts), 0);
  auto const* const keys = in.at<std::int32_t>(slot::keys);
  for (index_t s = 0; s < segments; ++s) {
    index_t const begin = bounds[static_cast<std::size_t>(s)];
    index_t const end = bounds[static_cast<std::size_t>(s) + 1];
    for (int part = 0; part < parts; ++part) {
      out.at<T>(slot::items)[s * parts + part] =
          sum_of(c, in.at<T>(slot::items), begin, end, part,
                 allowed[static_cast<std::size_t>(s * parts + part)]);
    }
    if (keys != nullptr) out.at<std::int32_t>(slot::keys)[s] = keys[begin];
  }
  *out.at<index_t>(slot::count) = segments;
  drop_zeros(allowed);
}

/// Each item less the one before it, or both combined.
template <class T>
void combine_neighbors(check_case const& c, placed in, placed out) {
  T const* const at = in.at<T>(slot::items);
  std::vector<T> const items(at, at + c.n);
  std::vector<T> const differences =
      c.form.by_operator ? reference::adjacent_difference<T>(
                               items, [&](T a, T b) { return reference::combine(c.op, a, b); })
                         : reference::adjacent_difference(items);
  std::copy(differences.begin(), differences.end(), out.at<T>(slot::items));
}

/// The ranks of true items.
void rank_items(check_case const& c, placed in, placed out) {
  auto const* const flags = in.at<std::uint8_t>(slot::flags);
  auto const* const words = in.at<std::uint32_t>(slot::bits);
  index_t before = 0;
  for (index_t i = 0; i < c.n; ++i) {
    bool const is_true = flags != nullptr ? flags[i] != 0 : (words[i / 32] >> (i % 32) & 1) != 0;
    index_t const upto = before + (is_true ? 1 : 0);
    out.at<index_t>(slot::places)[i] = c.kind == scan_kind::inclusive ? upto : before;
    before = upto;
  }
  *out.at<index_t>(slot::count) = before;
}

/// f(keep); keep(i) returns whether item i is kept.
template <class T, class F>
void with_choice(check_case const& c, placed in, F f) {
  T const* const items = in.at<T>(slot::items);
  switch (c.what) {
    case task::filter_flagged:
    case task::positions_flagged:
    case task::indexed_flagged:
    case task::split_flagged:
    case task::count_flagged:
      return f([flags = in.at<std::uint8_t>(slot::flags)](index_t i) { return flags[i] != 0; });
    case task::filter_masked:
    case task::positions_masked:
    case task::indexed_masked:
    case task::split_masked:
    case task::count_masked:
      return f([words = in.at<std::uint32_t>(slot::bits)](index_t i) {
        return (words[i / 32] >> (i % 32) & 1) != 0;
      });
    case task::unique:
    case task::run_lengths:
      return f([=](index_t i) { return i == 0 || !(items[i] == items[i - 1]); });
    case task::split_by_bit:
      if constexpr (std::is_integral_v<T>) {
        return f([items, bit = split_bit(c)](index_t i) {
          return (static_cast<std::uint64_t>(items[i]) >> bit & 1) == 0;
        });
      }
      return;
    default:
      return f([items, below = threshold_of<T>(c)](index_t i) { return items[i] < below; });
  }
}

/// Writes the lengths of runs that begin at `places`. Leaves out those that are too short, and
/// returns how many are left.
template <class T>
index_t measure_runs(check_case const& c, index_t runs, T* firsts, index_t* places, placed out) {
  index_t* const lengths = out.at<index_t>(slot::lengths);
  index_t left = 0;
  for (index_t r = 0; r < runs; ++r) {
    index_t const length = (r + 1 < runs ? places[r + 1] : c.n) - places[r];
    if (length < c.form.min_length) continue;
    firsts[left] = firsts[r];
    places[left] = places[r];
    lengths[left++] = length;
  }
  // What is after them was never written.
  auto const dropped = static_cast<std::size_t>(runs - left);
  std::memset(static_cast<void*>(firsts + left), canary, dropped * sizeof(T));
  std::memset(static_cast<void*>(places + left), canary, dropped * sizeof(index_t));
  return left;
}

template <class T>
void choose(check_case const& c, placed in, placed out) {
  T const* const items = in.at<T>(slot::items);
  T* const kept_items = out.at<T>(slot::items);
  index_t* const places = out.at<index_t>(slot::places);
  index_t kept = 0;
  std::vector<T> rejected;
  bool const splits = family_of(c.what) == family::split;
  with_choice<T>(c, in, [&](auto keep) {
    for (index_t i = 0; i < c.n; ++i) {
      if (keep(i)) {
        if (kept_items != nullptr) kept_items[kept] = items[i];
        if (places != nullptr) places[kept] = i;
        ++kept;
      } else if (splits) {
        rejected.push_back(items[i]);
      }
    }
  });
  if (out.where.has(slot::lengths)) kept = measure_runs(c, kept, kept_items, places, out);
  *out.at<index_t>(slot::count) = kept;
  if (splits) {
    T* const others = out.where.has(slot::others) ? out.at<T>(slot::others) : kept_items + kept;
    std::copy(rejected.begin(), rejected.end(), others);
  }
}

}  // namespace

void compute_expected(check_case const& c, placed in, placed out, tolerances& allowed) {
  allowed.clear();
  if (family_of(c.what) == family::sort || by_buckets(c.what)) return compute_sorted(c, in, out);
  visit_item_type(c.type, [&]<class T>(std::type_identity<T>) {
    switch (family_of(c.what)) {
      case family::scan:
        if (c.what == task::reduce) return sum_all<T>(c, in, out, allowed);
        if (c.what == task::difference) return combine_neighbors<T>(c, in, out);
        if (is_ranks(c.what)) return rank_items(c, in, out);
        return scan_items<T>(
            c, in, out, [](index_t) { return false; }, allowed);
      case family::segmented: {
        if (sums_segments(c.what)) return sum_segments<T>(c, in, out, allowed);
        head_list const heads(c, in);
        return scan_items<T>(
            c, in, out, [&](index_t i) { return heads.begins(i, c.reverse); }, allowed);
      }
      case family::filter:
        return choose<T>(c, in, out);
      case family::split:
        return choose<T>(c, in, out);
      case family::histogram:
        return compute_histogram(c, in, out, allowed);
      case family::spmv:
        return compute_matrix(c, in, out, allowed);
      case family::sort:
        break;
    }
  });
}

}  // namespace libscan::apps
