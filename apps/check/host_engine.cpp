// SPDX-License-Identifier: Apache-2.0
// Cases of the host API on any engine, and of headers of the cpu engine for calls without a host
// API.
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include <apps/check/case_data.hpp>
#include <apps/check/case_items.hpp>
#include <apps/check/check_engine.hpp>
#include <apps/prefix/prefix_scan.hpp>
#include <libscan/cpu/radix_sort.hpp>
#include <libscan/cpu/split_by_key.hpp>
#include <libscan/filter.hpp>
#include <libscan/histogram.hpp>
#include <libscan/libscan.hpp>
#include <libscan/predicate.hpp>
#include <libscan/radix_sort.hpp>
#include <libscan/segmented.hpp>
#include <libscan/segmented_sort.hpp>
#include <libscan/selection.hpp>
#include <libscan/split_by_key.hpp>
#include <libscan/spmv.hpp>

namespace libscan::apps {
namespace {

/// A case with its types known.
template <class T>
struct host_case {
  check_case const& c;
  engine on;
  placed in;
  placed out;

  std::span<T const> items() const { return array<T const>(c.in_place ? out : in, slot::items); }
  std::span<T> result() const { return array<T>(out, slot::items); }
  template <class Value>
  std::span<Value const> values() const {
    return array<Value const>(c.in_place ? out : in, slot::values);
  }
  template <class U>
  static std::span<U> array(placed where, slot which) {
    return {where.at<U>(which), static_cast<std::size_t>(where.size(which))};
  }
};

item_mask mask_of(check_case const& c, placed in) {
  if (in.where.has(slot::flags)) {
    return item_mask::of_flags({in.at<std::uint8_t>(slot::flags), static_cast<std::size_t>(c.n)});
  }
  return item_mask::of_bits(
      {in.at<std::uint32_t>(slot::bits), static_cast<std::size_t>(in.size(slot::bits))}, c.n);
}

template <class T, class Op>
T scan_by(host_case<T> const& one, Op op) {
  T const init = init_of<T>(one.c);
  bool const inclusive = one.c.kind == scan_kind::inclusive;
  switch (one.c.what) {
    case task::reduce:
      return libscan::reduce(one.on, one.items(), op, init);
    case task::reverse_scan:
      return inclusive ? reverse_inclusive_scan(one.on, one.items(), one.result(), op, init)
                       : reverse_exclusive_scan(one.on, one.items(), one.result(), op, init);
    default:
      return inclusive ? inclusive_scan(one.on, one.items(), one.result(), op, init)
                       : exclusive_scan(one.on, one.items(), one.result(), op, init);
  }
}

template <class T>
void run_scan(host_case<T> const& one) {
  check_case const& c = one.c;
  if (is_ranks(c.what)) {
    item_mask const mask = mask_of(c, one.in);
    auto const ranks = one.template array<index_t>(one.out, slot::places);
    *one.out.template at<index_t>(slot::count) = c.kind == scan_kind::inclusive
                                                     ? inclusive_binary_scan(one.on, mask, ranks)
                                                     : exclusive_binary_scan(one.on, mask, ranks);
    return;
  }
  if (c.what == task::difference) return adjacent_difference(one.on, one.items(), one.result());
  libscan::visit_operator<T>(
      c.op, [&](auto op) { *one.out.template at<T>(slot::total) = scan_by(one, op); });
}

/// The keys of runs.
template <class T>
std::span<std::int32_t const> keys_of(host_case<T> const& one) {
  return {one.in.template at<std::int32_t const>(slot::keys), static_cast<std::size_t>(one.c.n)};
}

/// The description of a case's segments.
template <class T>
segmentation segments_of(host_case<T> const& one) {
  check_case const& c = one.c;
  std::span<index_t const> offsets;
  if (one.in.where.has(slot::places)) {
    offsets = one.template array<index_t const>(one.in, slot::places);
  }
  switch (c.what) {
    case task::segmented_by_flags:
    case task::sums_by_flags:
      return segmentation::of_flags(std::span(one.in.template at<std::uint8_t const>(slot::flags),
                                              static_cast<std::size_t>(c.n)));
    case task::segmented_by_bits:
    case task::sums_by_bits:
      return segmentation::of_bits(one.template array<std::uint32_t const>(one.in, slot::bits),
                                   c.n);
    case task::segmented_by_offsets:
    case task::sums_by_offsets:
      return segmentation::of_offsets(offsets);
    case task::segmented_by_ranges:
      return segmentation::of_ranges(offsets.first(offsets.size() - 1), offsets.subspan(1));
    case task::segmented_by_length:
      return segmentation::of_length(segment_length(c));
    default:
      return segmentation::of_keys(keys_of(one));
  }
}

template <class T>
void sum_segments(host_case<T> const& one) {
  check_case const& c = one.c;
  T const init = init_of<T>(c);
  libscan::visit_operator<T>(c.op, [&](auto op) {
    *one.out.template at<index_t>(slot::count) =
        c.what == task::sums_by_keys
            ? reduce_by_key(one.on, keys_of(one), one.items(),
                            one.template array<std::int32_t>(one.out, slot::keys), one.result(), op,
                            init)
            : segmented_reduce(one.on, one.items(), one.result(), segments_of(one), op, init);
  });
}

template <class T>
void run_segmented(host_case<T> const& one) {
  check_case const& c = one.c;
  if (sums_segments(c.what)) return sum_segments(one);
  segmentation const segments = segments_of(one);
  T const init = init_of<T>(c);
  prefix_scan(one.on, {c.type, one.items().data(), c.n, c.op, c.kind,
                       c.reverse ? scan_direction::reverse : scan_direction::forward, segments,
                       c.type, &init, one.result().data()});
}

/// x < threshold. Nothing is below the smallest value.
template <class T>
predicate<T> below(T threshold) {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    in_interval<T> at_least{threshold, limits::infinity()};
    // Items that are neither at least the threshold nor NaN.
    at_least.outside = true;
    return at_least;
  } else {
    return in_interval<T>{.lo = threshold, .hi = limits::max(), .outside = true};
  }
}

template <class T>
index_t choose(host_case<T> const& one) {
  check_case const& c = one.c;
  T const threshold = threshold_of<T>(c);
  std::span<index_t> places;
  std::span<T> others;
  if (one.out.where.has(slot::places)) {
    places = one.template array<index_t>(one.out, slot::places);
  }
  if (one.out.where.has(slot::others)) others = one.template array<T>(one.out, slot::others);
  switch (c.what) {
    case task::filter_if:
      return filter(one.on, one.items(), one.result(), below(threshold));
    case task::filter_flagged:
    case task::filter_masked:
      return filter<T>(one.on, one.items(), one.result(), mask_of(c, one.in));
    case task::positions_if:
      return filter_indices(one.on, one.items(), places, below(threshold));
    case task::positions_flagged:
    case task::positions_masked:
      return mask_indices(one.on, mask_of(c, one.in), places);
    case task::indexed_if:
      return filter_with_indices(one.on, one.items(), one.result(), places, below(threshold));
    case task::indexed_flagged:
    case task::indexed_masked:
      return filter_with_indices<T>(one.on, one.items(), one.result(), places, mask_of(c, one.in));
    case task::count_if:
      return libscan::count_if(one.on, one.items(), below(threshold));
    case task::count_flagged:
    case task::count_masked:
      return count_marked(one.on, mask_of(c, one.in));
    case task::split_if:
      return split<T>(one.on, one.items(), one.result(), others, below(threshold));
    case task::split_flagged:
    case task::split_masked:
      return split<T>(one.on, one.items(), one.result(), others, mask_of(c, one.in));
    case task::split_into_one:
      return split<T>(one.on, one.items(), one.result(), below(threshold));
    case task::split_by_bit:
      if constexpr (std::is_integral_v<T>) {
        return split_by_bit<T>(one.on, one.items(), one.result(), split_bit(c));
      }
      return 0;
    case task::run_lengths: {
      auto const lengths = one.template array<index_t>(one.out, slot::lengths);
      index_t const runs = run_length_encode<T>(one.on, one.items(), one.result(), lengths);
      // The lengths of runs give their begins.
      std::exclusive_scan(lengths.begin(), lengths.begin() + runs, places.begin(), index_t{0});
      return runs;
    }
    default:
      return unique<T>(one.on, one.items(), one.result());
  }
}

/// Into buckets by a function: a header. By keys that are bucket numbers: the host API.
template <class T>
void group(host_case<T> const& one) {
  if constexpr (std::is_integral_v<T>) {
    check_case const& c = one.c;
    auto const offsets = one.template array<index_t>(one.out, slot::places);
    if (c.what == task::split_by_number) {
      return visit_values(c, [&]<class Value>(std::type_identity<Value>) {
        split_by_key(one.on, one.items(), one.result(), one.template values<Value>(),
                     one.template array<Value>(one.out, slot::values), offsets);
      });
    }
    using value = value_of<4>;
    cpu::split_by_key(one.on.threads(), one.items().data(), one.result().data(),
                      one.template values<value>().data(), one.out.template at<value>(slot::values),
                      offsets.data(), c.n, c.buckets,
                      bucket_by_value<T>{static_cast<unsigned>(c.buckets)});
  }
}

/// Sorts keys of a user-defined type: by headers.
void sort_records(host_case<key_record> const& one) {
  check_case const& c = one.c;
  auto const order = order_of<key_record>(c);
  auto const* const in = one.items().data();
  auto* const out = one.out.at<key_record>(slot::items);
  int const threads = one.on.threads();
  if (c.what == task::sort_keys) return cpu::sort_keys(threads, in, out, c.n, order);
  if (c.what == task::argsort) {
    return cpu::argsort(threads, in, one.out.at<index_t>(slot::places), c.n, order);
  }
  visit_values(c, [&]<class Value>(std::type_identity<Value>) {
    cpu::sort_pairs(threads, in, out, one.values<Value>().data(), one.out.at<Value>(slot::values),
                    c.n, order);
  });
}

template <class T>
void run_sort(host_case<T> const& one) {
  check_case const& c = one.c;
  sort_options const options{c.descending ? sort_direction::descending : sort_direction::ascending,
                             c.first_bit, c.end_bit};
  std::span<index_t> positions;
  std::span<index_t const> offsets;
  if (one.out.where.has(slot::places)) {
    positions = one.template array<index_t>(one.out, slot::places);
  }
  if (one.in.where.has(slot::places)) offsets = one.template array<index_t>(one.in, slot::places);
  switch (c.what) {
    case task::sort_keys:
      return sort_keys(one.on, one.items(), one.result(), options);
    case task::argsort:
      return argsort(one.on, one.items(), positions, options);
    case task::sort_keys_in_segments:
      return segmented_sort_keys(one.on, one.items(), one.result(), offsets, options);
    case task::argsort_in_segments:
      return segmented_argsort(one.on, one.items(), positions, offsets, options);
    default:
      break;
  }
  visit_values(c, [&]<class Value>(std::type_identity<Value>) {
    auto const values = one.template values<Value>();
    auto const moved = one.template array<Value>(one.out, slot::values);
    if (c.what == task::sort_pairs) {
      sort_pairs(one.on, one.items(), one.result(), values, moved, options);
    } else {
      segmented_sort_pairs(one.on, one.items(), one.result(), values, moved, offsets, options);
    }
  });
}

/// The counts of a rule, or its sums.
template <class T, class Rule>
sample_totals count_samples(host_case<T> const& one, Rule const& rule) {
  if (one.c.what == task::weighted_histogram) {
    return weighted_histogram(one.on, one.items(),
                              one.template array<double const>(one.in, slot::values),
                              one.template array<double>(one.out, slot::sums), rule);
  }
  auto const counts = one.template array<std::uint64_t>(one.out, slot::counts);
  if (one.c.what != task::sparse_histogram) return histogram(one.on, one.items(), counts, rule);
  auto const result = sparse_histogram(
      one.on, one.items(), one.template array<index_t>(one.out, slot::places), counts, rule);
  *one.out.template at<index_t>(slot::total) = result.filled;
  return result.totals;
}

template <class T, class Rule>
void count_by(host_case<T> const& one, Rule const& rule) {
  sample_totals const totals = count_samples(one, rule);
  index_t const all[] = {totals.below, totals.inside, totals.above, totals.nan};
  std::copy(std::begin(all), std::end(all), one.out.template at<index_t>(slot::count));
}

template <class T>
void run_histogram(host_case<T> const& one) {
  check_case const& c = one.c;
  if (c.what == task::edge_histogram) {
    return count_by(one, edge_bins<T>(one.in.template at<T>(slot::edges), c.bins));
  }
  if constexpr (std::is_integral_v<T>) {
    if (c.what == task::histogram_of_integers) {
      return count_by(one, integer_bins<T>(first_bin<T>(c), c.bins));
    }
  }
  auto const [lo, hi] = range_of(c);
  count_by(one, even_bins<T>(lo, hi, c.bins));
}

template <class T>
void run_product(host_case<T> const& one) {
  check_case const& c = one.c;
  auto const offsets = one.template array<index_t>(one.in, slot::places);
  auto const columns = one.template array<std::int32_t>(one.in, slot::keys);
  sparse_matrix<T> matrix;
  matrix.rows = static_cast<index_t>(offsets.size()) - 1;
  matrix.columns = c.columns;
  matrix.offsets.assign(offsets.begin(), offsets.end());
  matrix.indices.assign(columns.begin(), columns.end());
  matrix.values.assign(one.items().begin(), one.items().end());
  product_options<T> how;
  how.semiring = c.semiring;
  if (c.has_init) how.alpha = T(product_alpha);
  if (c.has_init) how.beta = T(product_beta);
  spmv<T>(one.on, matrix, one.template array<T const>(one.in, slot::vector), one.result(), how);
}

template <class T>
void run_conversion(host_case<T> const& one) {
  check_case const& c = one.c;
  coo_matrix<T> const list{c.columns,
                           c.columns,
                           c.n,
                           one.in.template at<std::int32_t>(slot::rows),
                           one.in.template at<std::int32_t>(slot::keys),
                           one.in.template at<T>(slot::items)};
  sparse_matrix<T> const matrix = to_rows(one.on, list);
  std::copy(matrix.offsets.begin(), matrix.offsets.end(),
            one.out.template at<std::int64_t>(slot::places));
  std::copy(matrix.indices.begin(), matrix.indices.end(),
            one.out.template at<std::int32_t>(slot::keys));
  std::copy(matrix.values.begin(), matrix.values.end(), one.result().begin());
}

template <class T>
void run_matrix(host_case<T> const& one) {
  constexpr bool compiled = std::is_floating_point_v<T> || std::is_same_v<T, std::int64_t>;
  if constexpr (compiled) {
    if (one.c.what == task::product) return run_product(one);
    run_conversion(one);
  }
}

class host_engine : public check_engine {
 public:
  explicit host_engine(engine_kind kind) : kind_(kind) {}

  void run(check_case const& c, placed in, placed out) override {
    engine const on = engine_of(c.threads, c.schedule);
    if (family_of(c.what) == family::sort) {
      return visit_items(c, [&]<class T>(std::type_identity<T>) {
        host_case<T> const one{c, on, in, out};
        if constexpr (std::is_same_v<T, key_record>) {
          sort_records(one);
        } else {
          run_sort(one);
        }
      });
    }
    visit_item_type(c.type, [&]<class T>(std::type_identity<T>) {
      host_case<T> const one{c, on, in, out};
      switch (family_of(c.what)) {
        case family::scan:
          return run_scan(one);
        case family::segmented:
          return run_segmented(one);
        case family::histogram:
          return run_histogram(one);
        case family::spmv:
          return run_matrix(one);
        default:
          if (by_buckets(c.what)) return group(one);
          *out.at<index_t>(slot::count) = choose(one);
      }
    });
  }

  std::string description() const override {
    std::string const where = engine_of(0, 0).description();
    return kind_ == engine_kind::cpu ? where : where + ", host API";
  }

 private:
  engine engine_of(int threads, std::uint64_t schedule) const {
    switch (kind_) {
      case engine_kind::cuda:
        return engine::cuda();
      case engine_kind::executor:
        return engine::executor(schedule);
      default:
        return engine::cpu(threads);
    }
  }

  engine_kind kind_;
};

}  // namespace

std::unique_ptr<check_engine> make_host_engine(engine_kind on) {
  return std::make_unique<host_engine>(on);
}

}  // namespace libscan::apps
