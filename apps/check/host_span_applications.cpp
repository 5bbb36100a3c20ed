// SPDX-License-Identifier: Apache-2.0
// Cases of filters, splits, sorts, histograms and matrices for the calls on device memory: copied
// there, and back.
#include <array>
#include <numeric>
#include <tuple>

#include <apps/check/case_there.hpp>
#include <libscan/filter_device_calls.hpp>
#include <libscan/histogram_device_calls.hpp>
#include <libscan/segmented_sort.hpp>
#include <libscan/sort_device_calls.hpp>
#include <libscan/spmv_device_calls.hpp>

namespace libscan::apps {
namespace {

/// A case with its items and their results in device memory.
template <class T>
class application_case {
 public:
  explicit application_case(host_case<T> const& one) : one_(one) {}

  void run() {
    switch (family_of(c_.what)) {
      case family::sort:
        return sort();
      case family::histogram:
        return count_samples();
      case family::spmv:
        return run_matrix();
      default:
        return by_buckets(c_.what) ? group() : choose();
    }
  }

  static constexpr bool is_number = libscan::detail::listed_item<T>;

 private:
  /// An output of the case; empty if it has none.
  template <class U>
  copy_there<U> output(slot which) const {
    return {queue_,
            one_.out.where.has(which) ? one_.template array<U>(one_.out, which) : std::span<U>()};
  }

  /// Calls body(keys, out) with the items and where their results go, and takes these.
  template <class Body>
  void with_items(Body const& body) const {
    copy_there<T const> const items(queue_, one_.items());
    copy_there<T> const results = output<T>(slot::items);
    bool const over = c_.in_place;
    body(device_span<T const>{over ? results.data() : items.data(), c_.n}, results.data());
    results.take();
  }

  /// The same with values that move along: body(keys, out, values, values_out).
  template <class Body>
  void with_pairs(Body const& body) const {
    visit_values(c_, [&]<class Value>(std::type_identity<Value>) {
      copy_there<Value const> const values(queue_, one_.template values<Value>());
      copy_there<Value> const moved = output<Value>(slot::values);
      with_items([&](auto const& keys, T* out) {
        body(keys, out, c_.in_place ? moved.data() : values.data(), moved.data());
      });
      moved.take();
    });
  }

  void choose() const {
    if constexpr (is_number) choose_numbers();
  }

  void choose_numbers() const {
    auto const count = output<index_t>(slot::count);
    auto const places = output<index_t>(slot::places);
    with_items([&](device_span<T const> const& in, T* out) {
      if (by_flags(c_.what) || by_bits(c_.what)) {
        mask_there const mask(queue_, mask_of(c_, one_.in));
        return filter_by(in, out, places.data(), static_cast<item_mask>(mask), count.data());
      }
      switch (c_.what) {
        case task::split_into_one:
          return split(queue_, in, out, below(threshold_of<T>(c_)), count.data());
        case task::split_by_bit:
          if constexpr (std::is_integral_v<T>) {
            split_by_bit(queue_, in, out, split_bit(c_), count.data());
          }
          return;
        case task::unique:
          return unique(queue_, in, out, count.data());
        case task::run_lengths:
          return encode_runs(in, out, places.data(), count.data());
        default:
          return filter_by(in, out, places.data(), below(threshold_of<T>(c_)), count.data());
      }
    });
    places.take();
    count.take();
    if (c_.what == task::run_lengths && c_.form.min_length == 0) find_begins();
  }

  /// By a predicate or a mask.
  template <class Keep>
  void filter_by(device_span<T const> const& in, T* out, index_t* places, Keep const& keep,
                 index_t* count) const {
    constexpr bool masks = std::is_same_v<Keep, item_mask>;
    switch (c_.what) {
      case task::filter_if:
      case task::filter_flagged:
      case task::filter_masked:
        return filter(queue_, in, out, keep, count);
      case task::positions_if:
      case task::positions_flagged:
      case task::positions_masked:
        if constexpr (masks) return mask_indices(queue_, keep, places, count);
        return filter_indices(queue_, in, places, keep, count);
      case task::indexed_if:
      case task::indexed_flagged:
      case task::indexed_masked:
        return filter_with_indices(queue_, in, out, places, keep, count);
      case task::count_if:
      case task::count_flagged:
      case task::count_masked:
        if constexpr (masks) return count_marked(queue_, keep, count);
        return libscan::count_if(queue_, in, keep, count);
      default: {
        auto const others = output<T>(slot::others);
        split(queue_, in, out, others.data(), keep, count);
        others.take();
      }
    }
  }

  void encode_runs(device_span<T const> const& in, T* out, index_t* places, index_t* count) const {
    auto const lengths = output<index_t>(slot::lengths);
    if (c_.form.min_length > 0) {
      run_length_encode(queue_, in, out, lengths.data(), places, count, c_.form.min_length);
    } else {
      run_length_encode(queue_, in, out, lengths.data(), count);
    }
    lengths.take();
  }

  /// The lengths of runs give their begins.
  void find_begins() const {
    auto const lengths = one_.template array<index_t>(one_.out, slot::lengths);
    auto const places = one_.template array<index_t>(one_.out, slot::places);
    index_t const runs = *one_.out.template at<index_t>(slot::count);
    std::exclusive_scan(lengths.begin(), lengths.begin() + runs, places.begin(), index_t{0});
  }

  /// Into buckets that keys are the numbers of.
  void group() const {
    if constexpr (std::is_integral_v<T>) {
      auto const offsets = output<index_t>(slot::places);
      std::span<index_t> const begins(offsets.data(), static_cast<std::size_t>(offsets.size()));
      if (c_.what == task::split_numbers) {
        with_items([&](auto const& keys, T* out) { split_by_key(queue_, keys, out, begins); });
      } else {
        with_pairs([&](auto const& keys, T* out, auto const* values, auto* moved) {
          split_by_key(queue_, keys, out, values, moved, begins);
        });
      }
      offsets.take();
    }
  }

  /// Calls body(positions) with positions in device memory, of the case's width.
  template <class Body>
  void with_positions(Body const& body) const {
    with_integers(one_, one_.template array<index_t>(one_.out, slot::places), [&](auto here) {
      copy_there<typename decltype(here)::value_type> const there(queue_, here);
      body(there.data());
      there.take();
    });
  }

  void sort() const {
    sort_options const options = sort_options_of(c_);
    if (in_segments(c_.what)) return sort_segments(options);
    switch (c_.what) {
      case task::sort_keys:
        return with_items([&](auto const& keys, T* out) { sort_keys(queue_, keys, out, options); });
      case task::argsort: {
        copy_there<T const> const keys(queue_, one_.items());
        return with_positions([&](auto* to) {
          argsort(queue_, device_span<T const>{keys.data(), c_.n}, to, options);
        });
      }
      default:
        return with_pairs([&](auto const& keys, T* out, auto const* values, auto* moved) {
          sort_pairs(queue_, keys, out, values, moved, options);
        });
    }
  }

  void sort_segments(sort_options const& options) const {
    bool const plain = c_.form.segments == description::usual;
    described_segments const described(c_, one_.in);
    segmentation const here =
        plain ? segmentation::of_offsets(one_.template array<index_t const>(one_.in, slot::places))
              : static_cast<segmentation const&>(described);
    segments_there const there(queue_, here);
    segmentation const segments = there;
    switch (c_.what) {
      case task::sort_keys_in_segments:
        return with_items([&](auto const& keys, T* out) {
          segmented_sort_keys(queue_, keys, out, segments, options);
        });
      case task::argsort_in_segments: {
        copy_there<T const> const keys(queue_, one_.items());
        return with_positions([&](auto* to) {
          segmented_argsort(queue_, device_span<T const>{keys.data(), c_.n}, to, segments, options);
        });
      }
      default:
        return with_pairs([&](auto const& keys, T* out, auto const* values, auto* moved) {
          segmented_sort_pairs(queue_, keys, out, values, moved, segments, options);
        });
    }
  }

  void count_samples() const {
    if constexpr (is_number) {
      if (c_.what == task::edge_histogram) {
        copy_there<T const> const edges(
            queue_, {one_.in.template at<T const>(slot::edges), std::size_t(c_.bins) + 1});
        return count_by(edge_bins<T>(edges.data(), c_.bins));
      }
      if constexpr (std::is_integral_v<T>) {
        if (c_.what == task::histogram_of_integers) {
          return count_by(integer_bins<T>(first_bin<T>(c_), c_.bins));
        }
      }
      auto const [lo, hi] = range_of(c_);
      count_by(even_bins<T>(lo, hi, c_.bins));
    }
  }

  template <class Rule>
  void count_by(Rule const& rule) const {
    copy_there<T const> const samples(queue_, one_.items());
    device_span<T const> const in{samples.data(), c_.n};
    device_array<sample_totals> const totals(queue_, 1);
    if (c_.what == task::weighted_histogram) {
      copy_there<double const> const weights(
          queue_, one_.template array<double const>(one_.in, slot::values));
      auto const sums = output<double>(slot::sums);
      weighted_histogram(queue_, in, weights.data(), sums.data(), rule, totals.data());
      sums.take();
    } else {
      auto const filled = output<index_t>(slot::total);
      with_integers(one_, one_.template array<std::uint64_t>(one_.out, slot::counts), [&](auto to) {
        copy_there<typename decltype(to)::value_type> const counts(queue_, to);
        if (c_.what == task::sparse_histogram) {
          with_positions([&](auto* bins) {
            sparse_histogram(queue_, in, bins, counts.data(), rule, filled.data(), totals.data());
          });
        } else {
          histogram(queue_, in, counts.data(), rule, totals.data());
        }
        counts.take();
      });
      filled.take();
    }
    sample_totals found;
    totals.download({&found, 1});
    index_t const all[] = {found.below, found.inside, found.above, found.nan};
    std::copy(std::begin(all), std::end(all), one_.out.template at<index_t>(slot::count));
  }

  void run_matrix() const {
    constexpr bool compiled =
        std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int64_t>;
    if constexpr (compiled) {
      copy_there<T const> const values(queue_, one_.items());
      copy_there<std::int32_t const> const columns(
          queue_, one_.template array<std::int32_t const>(one_.in, slot::keys));
      T const* const entries = c_.form.no_values ? nullptr : values.data();
      auto const results = output<T>(slot::items);
      if (c_.what == task::product) {
        copy_there<index_t const> const offsets(
            queue_, one_.template array<index_t const>(one_.in, slot::places));
        copy_there<T const> const x(queue_, one_.template array<T const>(one_.in, slot::vector));
        csr_matrix<T> const matrix{offsets.size() - 1, c_.columns,     c_.n,
                                   offsets.data(),     columns.data(), entries};
        product_options<T> how;
        how.semiring = c_.semiring;
        if (c_.has_init) how.alpha = T(product_alpha);
        if (c_.has_init) how.beta = T(product_beta);
        spmv(queue_, matrix, x.data(), results.data(), how);
      } else {
        copy_there<std::int32_t const> const rows(
            queue_, one_.template array<std::int32_t const>(one_.in, slot::rows));
        coo_matrix<T> const list{c_.columns,  c_.columns,     c_.n,
                                 rows.data(), columns.data(), entries};
        auto const offsets = output<std::int64_t>(slot::places);
        auto const places = output<std::int32_t>(slot::keys);
        coo_to_csr(queue_, list, offsets.data(), places.data(), results.data());
        offsets.take();
        places.take();
      }
      results.take();
    }
  }

  host_case<T> const& one_;
  check_case const& c_ = one_.c;
  device_queue queue_{one_.on};
};

}  // namespace

template <class T>
void run_application_there(host_case<T> const& one) {
  application_case<T>(one).run();
}

#define LIBSCAN_RUN(name, type) template void run_application_there(host_case<type> const& one);
LIBSCAN_ITEM_TYPES(LIBSCAN_RUN)
#undef LIBSCAN_RUN
template void run_application_there(host_case<float16> const& one);
template void run_application_there(host_case<bfloat16> const& one);

}  // namespace libscan::apps
