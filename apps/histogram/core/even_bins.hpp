// SPDX-License-Identifier: Apache-2.0
// Bins of even width: their edges, and the bin of a sample. One rule for all engines, exact at
// every edge: comparisons with the edges decide, not the arithmetic that estimates the bin.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include <apps/radix_sort/core/key_order.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/floats.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

// The numeric values of samples, and their exact comparison with edges: a 64-bit integer never
// passes through a double, and a 16-bit float becomes a float, which represents it exactly.

/// Whether Sample is a 16-bit float of either kind, from any library.
template <class Sample>
inline constexpr bool is_short_float = !std::is_arithmetic_v<Sample> && fraction_bits<Sample> != 0;

/// The value of a sample: float for 16-bit floats, else Sample itself.
template <class Sample>
using sample_value = std::conditional_t<is_short_float<Sample>, float, Sample>;

/// The float equal to an IEEE 16-bit float.
LIBSCAN_HOST_DEVICE inline float float_of_half(std::uint16_t bits) {
  float value;
#ifdef __CUDA_ARCH__
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
#else
  // The exponents' biases differ by 112; infinities and NaNs have the largest exponent.
  std::uint32_t word = (bits & 0x7fffu) << 13;
  memcpy(&value, &word, sizeof(value));
  value *= 0x1p112f;
  memcpy(&word, &value, sizeof(word));
  if ((bits & 0x7c00u) == 0x7c00u) word |= 0x7f800000u;
  word |= (bits & 0x8000u) << 16;
  memcpy(&value, &word, sizeof(value));
#endif
  return value;
}

/// A number for messages: the shortest text with that value.
template <class Value>
std::string text_of(Value x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

/// The value of a sample, exactly.
template <class Sample>
LIBSCAN_HOST_DEVICE sample_value<Sample> value_of(Sample const& sample) {
  if constexpr (!is_short_float<Sample>) {
    return sample;
  } else {
    std::uint16_t bits;
    ::memcpy(&bits, &sample, sizeof(bits));
    if constexpr (fraction_bits<Sample> == 10) {
      return float_of_half(bits);
    } else {
      std::uint32_t const word = std::uint32_t{bits} << 16;
      float value;
      memcpy(&value, &word, sizeof(value));
      return value;
    }
  }
}

/// Whether integers of type Value are compared with edges that cannot represent all of them.
template <class Value, class Edge>
inline constexpr bool needs_integers = std::is_integral_v<Value> &&
                                       sizeof(Value) == 8 && std::is_floating_point_v<Edge>;

/// The comparison of a 64-bit integer with a double: below, equal or above it, as -1, 0 or 1.
template <class Value>
LIBSCAN_HOST_DEVICE int compare(Value x, double edge) {
  constexpr double end = std::is_signed_v<Value> ? 0x1p63 : 0x1p64;
  constexpr double begin = std::is_signed_v<Value> ? -0x1p63 : 0.0;
  if (edge >= end) return -1;
  if (edge < begin) return 1;
  auto const whole = static_cast<Value>(edge);  // towards 0
  if (x != whole) return x < whole ? -1 : 1;
  auto const back = static_cast<double>(whole);
  return back < edge ? -1 : back > edge ? 1 : 0;
}

/// x >= edge, exactly; false if x is NaN. The edge is not.
template <class Value, class Edge>
LIBSCAN_HOST_DEVICE bool at_least(Value x, Edge edge) {
  if constexpr (needs_integers<Value, Edge>) {
    return detail::compare(x, static_cast<double>(edge)) >= 0;
  } else {
    return detail::less_or_equal(edge, x);
  }
}

/// x <= edge, exactly; false if x is NaN. The edge is not.
template <class Value, class Edge>
LIBSCAN_HOST_DEVICE bool at_most(Value x, Edge edge) {
  if constexpr (needs_integers<Value, Edge>) {
    return detail::compare(x, static_cast<double>(edge)) <= 0;
  } else {
    return detail::less_or_equal(x, edge);
  }
}

/// The ordered values of a type, to find the neighbors of an edge. On the host.
template <class Value>
struct value_line {
  using limits = std::numeric_limits<Value>;

  /// The smallest finite value >= `edge`, which is finite; the largest value if there is none.
  static Value min_from(double edge) {
    if (detail::at_least(limits::lowest(), edge)) return limits::lowest();
    if (!detail::at_least(limits::max(), edge)) return limits::max();
    if constexpr (std::is_integral_v<Value>) {
      return static_cast<Value>(std::ceil(edge));
    } else {
      if constexpr (sizeof(Value) < sizeof(double)) {
        // Conversions to subnormal floats set flags; these are multiples of 2^-149.
        if (-0x1p-126 < edge && edge < 0x1p-126) {
          auto const multiple = static_cast<std::int32_t>(std::ceil(edge * 0x1p149));
          return float_bits<float>::at(multiple);
        }
      }
      auto const rounded = static_cast<Value>(edge);
      return rounded >= edge ? rounded : next(rounded);
    }
  }

  /// Neighbors of a number that is not the greatest, or not the least. By bits: std::nextafter
  /// sets flags where the neighbor is subnormal.
  static Value next(Value x) {
    if constexpr (std::is_integral_v<Value>) {
      return static_cast<Value>(x + 1);
    } else {
      return float_bits<Value>::at(float_bits<Value>(x).order() + 1);
    }
  }
  static Value previous(Value x) {
    if constexpr (std::is_integral_v<Value>) {
      return static_cast<Value>(x - 1);
    } else {
      return float_bits<Value>::at(float_bits<Value>(x).order() - 1);
    }
  }
};

}  // namespace libscan::inline v1::detail

namespace libscan::inline v1 {

/// The most bins of a histogram.
inline constexpr int max_bins = 1 << 24;

/// After the places of the bins come three for samples in no bin.
enum outside_place : int { place_below, place_above, place_nan, outside_places };

namespace detail {

/// a * b, rounded: compilers must not fuse it with an addition, which would round only once.
LIBSCAN_HOST_DEVICE inline double rounded_product(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dmul_rn(a, b);
#elif defined(__x86_64__)
  double product = a * b;
  asm("" : "+x"(product));
  return product;
#elif defined(__aarch64__)
  double product = a * b;
  asm("" : "+w"(product));
  return product;
#else
  double const volatile product = a * b;
  return product;
#endif
}

/// A number >= 0 and below 2^31, and the largest integer not above it.
struct whole_and_part {
  int whole;
  double part;
};

/// Splits x.
LIBSCAN_HOST_DEVICE inline whole_and_part split_double(double x) {
#ifdef __CUDA_ARCH__
  // An addition is faster than conversions: the last bit of the sum stands for 1.
  double const sum = __dadd_rd(x, 0x1p52);
  return {__double2loint(sum), x - (sum - 0x1p52)};
#else
  int const whole = static_cast<int>(x);
  return {whole, x - whole};
#endif
}

/// Whether hi - lo, of lo < hi, is finite. Sets no flags where it is not.
inline bool has_finite_width(double lo, double hi) {
  if (!detail::is_finite(lo) || !detail::is_finite(hi)) return false;
  // Beside the largest double a number less than 1 is lost in rounding.
  if (lo > -1 || hi < 1) return true;
  // Hidden, since a compiler that takes all results for finite would know the answer.
  double const half = detail::as_written(hi / 2) - detail::as_written(lo / 2);
  return detail::less_or_equal(half, std::numeric_limits<double>::max() / 2);
}

/// Throws `invalid_argument` unless a histogram may have this many bins.
inline void check_bins(index_t bins) {
  if (bins < 1 || bins > max_bins) {
    throw invalid_argument("histogram: " + std::to_string(bins) + " bins; expected 1 to " +
                           std::to_string(max_bins));
  }
}

/// A line through the edges: an estimate of the place of a value, in double. It is monotonic, since
/// each of its steps rounds.
struct even_line {
  double base, scale;
  int last;

  template <class Value>
  LIBSCAN_HOST_DEVICE whole_and_part estimate(Value x) const {
    return split_double(rounded_product(static_cast<double>(x) - base, scale));
  }
  template <class Value>
  LIBSCAN_HOST_DEVICE int place(Value x) const {
    int const k = estimate(x).whole;
    return k < last ? k : last;
  }
};

}  // namespace detail

/// `bins` bins of even width over [lo, hi], as in numpy.histogram: edge k is lo + k (hi - lo) /
/// bins in double (numpy.linspace: the width of a bin is rounded, then its multiple, then the sum;
/// the last edge is hi). Bin k holds the samples x with edge(k) <= x < edge(k + 1), and the last
/// bin also x = hi. If edges coincide, a sample is in the last bin that begins there.
///
/// The result is exact for every type of sample, without a comparison per sample. A rule of at most
/// `max_proven_bins` is tested when it is made: its estimate is computed for the two samples next
/// to every edge. The estimate is monotonic, so if it is right there, it is right everywhere.
/// Otherwise only samples near an edge, where rounding could matter, are compared. Making a rule
/// takes up to 20 ns per bin; copying it costs nothing.
template <class Sample>
class even_bins {
 public:
  using sample_type = Sample;
  using value_type = detail::sample_value<Sample>;
  static constexpr int max_proven_bins = 65536;

  /// Throws `invalid_argument` unless lo < hi are finite, their difference is finite, and 1 <= bins
  /// <= `max_bins`.
  even_bins(double lo, double hi, index_t bins) : lo_(lo), hi_(hi) {
    detail::check_bins(bins);
    if (!detail::less(lo, hi) || !detail::has_finite_width(lo, hi)) {
      throw invalid_argument("histogram: range " + detail::text_of(lo) + " to " +
                             detail::text_of(hi) + "; expected finite ends, the lower first");
    }
    bins_ = static_cast<int>(bins);
    width_ = detail::as_written(detail::as_written(hi - lo) / detail::as_written<double>(bins_));
    first_ = line::min_from(lo);
    last_ = line::min_from(hi);
    if (!detail::at_most(last_, hi) && last_ != limits::lowest()) last_ = line::previous(last_);
    begin_ = first_;
    if (!detail::at_least(first_, lo)) {
      // All finite values are below.
      if (limits::has_infinity) begin_ = limits::infinity();
      other_outside_ = limits::has_infinity ? place_above : place_below;
    }
    if (!detail::at_least(first_, lo) || !detail::at_most(last_, hi)) {
      // All values are on one side: none is between these two.
      first_ = limits::max();
      last_ = limits::lowest();
    }
    proven_ = bins_ <= max_proven_bins && (try_line(lo - nudge()) || try_line(near_lo()));
    if (!proven_) set_line(near_lo());
    certain_ = certain_part();
  }

  LIBSCAN_HOST_DEVICE int bins() const { return bins_; }

  /// The begin of bin k, for k <= bins(); the last bin ends at edge(bins()).
  LIBSCAN_HOST_DEVICE double edge(int k) const {
    double const at = detail::as_written(lo_ + detail::rounded_product(k, width_));
    return k == bins_ || at > hi_ ? hi_ : at;
  }

  /// The sample's bin; or bins() + `place_below`, `place_above` or `place_nan`.
  LIBSCAN_HOST_DEVICE int find(Sample const& sample) const {
    return proven_ ? find_by(estimate_, sample) : find_by(checked_line{*this}, sample);
  }

  /// Calls find(form) with the fastest form of this rule; find(form)(sample) then returns the same
  /// as `find(sample)`. For loops over many samples.
  template <class Body>
  LIBSCAN_HOST_DEVICE void in_best_form(Body body) const {
    if (proven_) {
      body(proven_places{*this});
    } else {
      body([this](Sample const& sample) { return find_by(checked_line{*this}, sample); });
    }
  }

  /// Whether the estimate is right for every sample.
  bool proven() const { return proven_; }

  /// The parameters of a sample's place in that case.
  struct form {
    detail::even_line line;
    value_type first, last;  // of the samples inside
    value_type begin;        // samples outside that are smaller are below
    int other_outside;       // the place of other numbers outside
  };
  form proven_form() const { return {estimate_, first_, last_, begin_, other_outside_}; }

 private:
  using line = detail::value_line<value_type>;
  using limits = std::numeric_limits<value_type>;

  /// The estimate, for one sample or for several at once, which are usually all inside.
  struct proven_places {
    even_bins const& rule;

    LIBSCAN_HOST_DEVICE int operator()(Sample const& sample) const {
      return rule.find_by(rule.estimate_, sample);
    }
    template <std::size_t Count>
    LIBSCAN_HOST_DEVICE void of_all(Sample const (&samples)[Count], int (&places)[Count]) const {
      value_type const first = rule.first_, last = rule.last_;
      bool inside = true;
      for (Sample const& sample : samples) {
        auto const x = detail::value_of(sample);
        inside = inside && detail::less_or_equal(first, x) && detail::less_or_equal(x, last);
      }
#ifdef __CUDA_ARCH__
      // Divergent lanes would wait for each other.
      inside = __all_sync(__activemask(), inside);
#endif
      for (std::size_t j = 0; j < Count; ++j) {
        places[j] =
            inside ? rule.estimate_.place(detail::value_of(samples[j])) : (*this)(samples[j]);
      }
    }
  };

  /// The estimate if it is certain, else a comparison with the nearest edge.
  struct checked_line {
    even_bins const& rule;
    LIBSCAN_HOST_DEVICE int place(value_type x) const {
      auto const [k, part] = rule.estimate_.estimate(x);
      if (std::fabs(part - 0.5) < rule.certain_) return k;
      if (rule.certain_ < 0) return rule.search(x);
      int const nearest_edge = part < 0.5 ? k : k + 1;
      int const place =
          detail::at_least(x, rule.edge(nearest_edge)) ? nearest_edge : nearest_edge - 1;
      return place < rule.bins_ ? place : rule.bins_ - 1;
    }
  };

  /// How far from the middle of a bin, in bins, estimates are certainly right; negative if nowhere.
  /// The rest of the half is twice the error bound of estimate and edges: conversions of the sample
  /// and the edge's sum contribute 2^-53 of the larger end each, all other steps together less than
  /// 8 * 2^-53 of the range, which is `bins_` wide.
  double certain_part() const {
    double const end = std::fabs(lo_) > std::fabs(hi_) ? std::fabs(lo_) : std::fabs(hi_);
    if (is_extreme() || estimate_.scale <= 0x1p-1000) return -1;
    double const margin = 0x1p-52 * (8.0 * bins_ + 2 * (end / width_));
    return margin < 0.25 ? 0.5 - margin : -1;
  }

  template <class Places>
  LIBSCAN_HOST_DEVICE int find_by(Places const& places, Sample const& sample) const {
    auto const x = detail::value_of(sample);
    // Members are read before the selection, otherwise it becomes branches.
    value_type const first = first_, last = last_;
    int const other_outside = other_outside_;
    [[maybe_unused]] bool const inside =
        detail::less_or_equal(first, x) && detail::less_or_equal(x, last);
    int const outside = detail::is_nan(x)         ? place_nan
                        : detail::less(x, begin_) ? place_below
                                                  : other_outside;
#ifdef __CUDA_ARCH__
    // Divergent lanes would wait for each other: all compute the place of the nearest sample
    // inside.
    value_type const closest = nearest(x, first, last);
    int const k = places.place(closest);
#if __CUDA_ARCH__ >= 900
    return closest == x && x >= first ? k : bins_ + outside;  // the same in fewer registers
#else
    return inside ? k : bins_ + outside;
#endif
#else
    return inside ? places.place(x) : bins_ + outside;
#endif
  }

#ifdef __CUDA_ARCH__
  /// The number of [first, last] nearest to x; any of them if x is NaN.
  static __device__ value_type nearest(value_type x, value_type first, value_type last) {
    if constexpr (std::is_same_v<value_type, float>) return fminf(fmaxf(x, first), last);
    if constexpr (std::is_same_v<value_type, double>) return fmin(fmax(x, first), last);
    return x >= first ? x <= last ? x : last : first;
  }
#endif

  /// The last bin that does not begin after x: if edges are closer than doubles can distinguish, an
  /// estimate may be off by more than one.
  LIBSCAN_HOST_DEVICE int search(value_type x) const {
    int from = 0, to = bins_;
    while (to - from > 1) {
      int const middle = from + (to - from) / 2;
      (detail::at_least(x, edge(middle)) ? from : to) = middle;
    }
    return from;
  }

  /// How far below `lo` the line begins, so that samples on an edge get the bin that begins there.
  double nudge() const {
    if (is_extreme()) return 0;
    double const part = width_ * 0x1p-12;
    if constexpr (std::is_integral_v<value_type>) return part < 0x1p-12 ? part : 0x1p-12;
    return width_ * 0x1p-40;
  }

  /// `lo`, or a number so little below that no estimate is a subnormal number, which sets flags.
  double near_lo() const {
    if (is_extreme()) return lo_;
    return lo_ - (width_ < 0x1p-20 ? 0x1p-1022 : width_ * 0x1p-1000);
  }

  void set_line(double base) {
    bool const useful = !is_extreme() && first_ <= last_;
    estimate_ = {base, useful ? bins_ / (hi_ - lo_) : 0, bins_ - 1};
  }

  /// Whether bins are so narrow or wide that arithmetic with their width could leave the range of
  /// doubles.
  bool is_extreme() const { return width_ < 0x1p-960 || width_ > 0x1p1021; }

  /// Tests a line at the samples on both sides of each edge.
  bool try_line(double base) {
    set_line(base);
    if (first_ > last_) return true;
    if (base > static_cast<double>(first_)) return false;
    if (!detail::has_finite_width(base, static_cast<double>(last_))) return false;
    for (int k = 1; k < bins_; ++k) {
      value_type const from = line::min_from(edge(k));
      if (!detail::at_least(from, edge(k))) return false;
      if (from <= last_ && estimate_.place(from) < k) return false;
      if (from > first_ && estimate_.place(line::previous(from)) > k - 1) return false;
    }
    return true;
  }

  double lo_, hi_, width_;
  detail::even_line estimate_;
  value_type first_, last_;          // of the samples inside
  value_type begin_;                 // samples outside that are smaller are below
  int other_outside_ = place_above;  // the place of other numbers outside
  int bins_;
  double certain_;
  bool proven_;
};

}  // namespace libscan::inline v1
