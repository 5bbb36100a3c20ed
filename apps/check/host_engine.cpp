// SPDX-License-Identifier: Apache-2.0
// Cases of the host API on any engine, and of headers of the cpu engine for calls without a host
// API.
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <tuple>

#include <apps/check/check_engine.hpp>
#include <apps/check/host_case.hpp>
#include <libscan/cpu/radix_sort.hpp>
#include <libscan/cpu/split_by_key.hpp>
#include <libscan/filter.hpp>
#include <libscan/filter_callables.hpp>
#include <libscan/histogram.hpp>
#include <libscan/segmented_sort.hpp>
#include <libscan/selection.hpp>
#include <libscan/split_by_key.hpp>
#include <libscan/spmv.hpp>

namespace libscan::apps {
namespace {

/// Copies results to where a case has them; returns their number.
template <class T>
index_t copy_to(buffer<T> const& results, std::span<T> out) {
  std::copy(results.begin(), results.end(), out.begin());
  return static_cast<index_t>(results.size());
}

/// Filters by `keep`, a predicate of the library's or the caller's.
template <class T, class Keep>
index_t choose_by(host_case<T> const& one, Keep const& keep) {
  auto const [on, in, out] = std::tuple(one.on, one.items(), one.result());
  auto const places = [&] { return one.template array<index_t>(one.out, slot::places); };
  switch (one.c.what) {
    case task::filter_if:
      if (!one.c.form.own_memory) return filter(on, in, out, keep);
      if constexpr (std::is_same_v<Keep, predicate<T>>) {
        return copy_to(filter<T>(on, in, keep), out);
      } else {
        return copy_to(filter(on, in, keep), out);
      }
    case task::positions_if:
      return filter_indices(on, in, places(), keep);
    case task::indexed_if:
      return filter_with_indices(on, in, out, places(), keep);
    case task::count_if:
      return libscan::count_if(on, in, keep);
    default: {
      auto const others = one.template array<T>(one.out, slot::others);
      if constexpr (std::is_same_v<Keep, predicate<T>>) {
        return split<T>(on, in, out, others, keep);
      } else {
        return split(on, in, out, others, keep);
      }
    }
  }
}

/// Filters by flags or bits.
template <class T>
index_t choose_marked(host_case<T> const& one) {
  item_mask const mask = mask_of(one.c, one.in);
  auto const [on, in, out] = std::tuple(one.on, one.items(), one.result());
  auto const places = [&] { return one.template array<index_t>(one.out, slot::places); };
  switch (one.c.what) {
    case task::filter_flagged:
    case task::filter_masked:
      if (one.c.form.own_memory) return copy_to(filter<T>(on, in, mask), out);
      return filter<T>(on, in, out, mask);
    case task::positions_flagged:
    case task::positions_masked:
      return mask_indices(on, mask, places());
    case task::indexed_flagged:
    case task::indexed_masked:
      return filter_with_indices<T>(on, in, out, places(), mask);
    case task::count_flagged:
    case task::count_masked:
      return count_marked(on, mask);
    default:
      return split<T>(on, in, out, one.template array<T>(one.out, slot::others), mask);
  }
}

/// Runs with their lengths, by each form of the call.
template <class T>
index_t encode_runs(host_case<T> const& one) {
  auto const [on, in, out] = std::tuple(one.on, one.items(), one.result());
  auto const lengths = one.template array<index_t>(one.out, slot::lengths);
  auto const places = one.template array<index_t>(one.out, slot::places);
  call_form const& form = one.c.form;
  if (form.own_memory) {
    auto const runs = run_length_encode<T>(on, in, std::max(form.min_length, index_t{1}));
    copy_to(runs.lengths, lengths);
    copy_to(runs.offsets, places);
    return copy_to(runs.values, out);
  }
  if (form.min_length > 0) {
    return run_length_encode<T>(on, in, out, lengths, places, form.min_length);
  }
  index_t const runs = form.callables ? run_length_encode(on, in, out, lengths, std::equal_to<T>{})
                                      : run_length_encode<T>(on, in, out, lengths);
  // The lengths of runs give their begins.
  std::exclusive_scan(lengths.begin(), lengths.begin() + runs, places.begin(), index_t{0});
  return runs;
}

template <class T>
index_t choose(host_case<T> const& one) {
  check_case const& c = one.c;
  if (by_flags(c.what) || by_bits(c.what)) return choose_marked(one);
  T const threshold = threshold_of<T>(c);
  switch (c.what) {
    case task::split_into_one:
      return split<T>(one.on, one.items(), one.result(), below(threshold));
    case task::split_by_bit:
      if constexpr (std::is_integral_v<T>) {
        return split_by_bit<T>(one.on, one.items(), one.result(), split_bit(c));
      }
      return 0;
    case task::run_lengths:
      return encode_runs(one);
    case task::unique:
      if (c.form.own_memory) return copy_to(unique<T>(one.on, one.items()), one.result());
      if (c.form.callables) return unique(one.on, one.items(), one.result(), std::equal_to<T>{});
      return unique<T>(one.on, one.items(), one.result());
    default:
      return c.form.callables ? choose_by(one, is_below<T>{threshold})
                              : choose_by(one, below(threshold));
  }
}

/// Into buckets by a function: a header. By keys that are bucket numbers: the host API.
template <class T>
void group(host_case<T> const& one) {
  if constexpr (std::is_integral_v<T>) {
    check_case const& c = one.c;
    auto const offsets = one.template array<index_t>(one.out, slot::places);
    if (c.what == task::split_numbers) {
      return split_by_key(one.on, one.items(), one.result(), offsets);
    }
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

template <class T, class Segments>
void sort_segments(host_case<T> const& one, Segments const& segments, sort_options const& options) {
  switch (one.c.what) {
    case task::sort_keys_in_segments:
      return segmented_sort_keys(one.on, one.items(), one.result(), segments, options);
    case task::argsort_in_segments:
      return with_integers(one, one.template array<index_t>(one.out, slot::places), [&](auto to) {
        segmented_argsort(one.on, one.items(), to, segments, options);
      });
    default:
      return visit_values(one.c, [&]<class Value>(std::type_identity<Value>) {
        segmented_sort_pairs(one.on, one.items(), one.result(), one.template values<Value>(),
                             one.template array<Value>(one.out, slot::values), segments, options);
      });
  }
}

template <class T>
void run_sort(host_case<T> const& one) {
  check_case const& c = one.c;
  sort_options const options = sort_options_of(c);
  auto const positions = [&] { return one.template array<index_t>(one.out, slot::places); };
  if (in_segments(c.what)) {
    if (c.form.segments == description::usual) {
      auto const offsets = one.template array<index_t const>(one.in, slot::places);
      return sort_segments(one, offsets, options);
    }
    described_segments const segments(c, one.in);
    return sort_segments(one, static_cast<segmentation const&>(segments), options);
  }
  switch (c.what) {
    case task::sort_keys:
      return sort_keys(one.on, one.items(), one.result(), options);
    case task::argsort:
      return with_integers(one, positions(),
                           [&](auto to) { argsort(one.on, one.items(), to, options); });
    default:
      break;
  }
  visit_values(c, [&]<class Value>(std::type_identity<Value>) {
    sort_pairs(one.on, one.items(), one.result(), one.template values<Value>(),
               one.template array<Value>(one.out, slot::values), options);
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
  sample_totals totals;
  with_integers(one, one.template array<std::uint64_t>(one.out, slot::counts), [&](auto counts) {
    if (one.c.what != task::sparse_histogram) {
      totals = histogram(one.on, one.items(), counts, rule);
      return;
    }
    with_integers(one, one.template array<index_t>(one.out, slot::places), [&](auto bins) {
      auto const result = sparse_histogram(one.on, one.items(), bins, counts, rule);
      *one.out.template at<index_t>(slot::total) = result.filled;
      totals = result.totals;
    });
  });
  return totals;
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
  if (!c.form.no_values) matrix.values.assign(one.items().begin(), one.items().end());
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
                           c.form.no_values ? nullptr : one.in.template at<T>(slot::items)};
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
        } else if (c.form.device_memory) {
          run_application_there(one);
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
          return c.form.device_memory ? run_application_there(one) : run_histogram(one);
        case family::spmv:
          return c.form.device_memory ? run_application_there(one) : run_matrix(one);
        default:
          if (c.form.device_memory) return run_application_there(one);
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
