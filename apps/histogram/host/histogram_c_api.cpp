// SPDX-License-Identifier: Apache-2.0
// The histogram of c_api.h in terms of histogram_device_calls.hpp.
#include <string>
#include <type_traits>

#include <libscan/histogram_device_calls.hpp>
#include <libscan/host/c_call.hpp>

namespace {

using libscan::index_t;
using libscan::invalid_argument;
using libscan::sample_totals;
using libscan::detail::c_input_type;
using libscan::detail::c_status_of;
using libscan::detail::histogram_call;
using libscan::detail::histogram_kind;
using libscan::detail::histogram_types;
using libscan::detail::input_type;

static_assert(std::is_standard_layout_v<sample_totals> && sizeof(sample_totals) == 32);

/// `type`, or the usual one in place of zero.
libscan_type or_usual(libscan_type type, libscan_type usual) {
  return type == libscan_type{} ? usual : type;
}
libscan_histogram_types with_usual(libscan_histogram_types const& types) {
  return {or_usual(types.counts, LIBSCAN_U64), or_usual(types.bins, LIBSCAN_I64),
          or_usual(types.weights, LIBSCAN_F64), or_usual(types.edges, LIBSCAN_F64)};
}

/// The type of counts or bins, which are numbers up to `most`.
input_type integers_of(libscan_type type, char const* what, index_t most, input_type of_64_bits) {
  return libscan::detail::visit_input_type(
      c_input_type(type), [&]<class T>(std::type_identity<T>) -> input_type {
        if constexpr (std::is_integral_v<T>) {
          libscan::detail::check_count_type<T>(what, most);
          return libscan::detail::counts_type<T>(of_64_bits);
        } else {
          throw invalid_argument(std::string("libscan_histogram_types: ") + what +
                                 " are floating-point; expected integers");
        }
      });
}

/// The type of edges for samples of type T that are converted; doubles otherwise.
template <class T>
input_type edges_of(libscan_bins const& bins, libscan_type type) {
  using own = libscan::detail::sample_value<T>;
  if (bins.edges == nullptr || type == LIBSCAN_F64) return input_type::f64;
  if (c_input_type(type) == libscan::detail::input_type_of<own>::value) {
    return libscan::detail::edges_type<libscan::edge_bins<T>>();
  }
  throw invalid_argument(
      "libscan_histogram_types: edges of another type; expected LIBSCAN_F64 or the type of the "
      "samples, of 16-bit floats LIBSCAN_F32");
}

/// The types of a histogram's arrays, checked.
template <class T>
histogram_types types_of(libscan_items const& samples, libscan_bins const& bins,
                         histogram_kind kind, libscan_histogram_types const& types) {
  histogram_types result;
  result.edges = edges_of<T>(bins, types.edges);
  if (kind == histogram_kind::weighted) {
    if (types.weights != LIBSCAN_F32 && types.weights != LIBSCAN_F64) {
      throw invalid_argument(
          "libscan_histogram_types: weights of another type; expected LIBSCAN_F32 or LIBSCAN_F64");
    }
    result.weights = c_input_type(types.weights);
    return result;
  }
  result.counts = integers_of(types.counts, "counts", samples.n, input_type::u64);
  if (kind == histogram_kind::sparse) {
    result.bins = integers_of(types.bins, "bins", bins.count - 1, input_type::i64);
  } else if (libscan::detail::size_of(result.counts) < 4) {
    throw invalid_argument(
        "libscan_histogram_types: counts of fewer than 32 bits; expected 32 or "
        "64 bits");
  }
  return result;
}

/// The rule for samples of type T. Edges that kernels do not read stand there by their address.
template <class T>
libscan::detail::any_bins<T> rule_of(libscan_bins const& bins, libscan_type edges) {
  if (bins.edges == nullptr) return libscan::even_bins<T>(bins.lo, bins.hi, bins.count);
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    if (edges != LIBSCAN_F64) {
      return libscan::edge_bins<T>(static_cast<T const*>(static_cast<void const*>(bins.edges)),
                                   bins.count);
    }
  }
  return libscan::edge_bins<T, double>(static_cast<double const*>(bins.edges), bins.count);
}

/// The outputs of a histogram, and weights; those that it does not have are null.
struct histogram_arrays {
  void* counts = nullptr;
  void const* weights = nullptr;
  double* sums = nullptr;
  void* full = nullptr;
  int64_t* d_full = nullptr;
};

void enqueue(libscan_queue const* queue, libscan_items const& samples, libscan_bins const* bins,
             histogram_arrays const& to, libscan_histogram_types const& given, int64_t* d_totals) {
  libscan_histogram_types const types = with_usual(given);
  libscan_bins const& rule = libscan::detail::required(bins, "bins");
  auto const place = libscan::detail::c_queue(queue);
  auto const kind = to.sums != nullptr   ? histogram_kind::weighted
                    : to.full != nullptr ? histogram_kind::sparse
                                         : histogram_kind::counted;
  libscan::detail::visit_input_type(
      c_input_type(samples.type), [&]<class T>(std::type_identity<T>) {
        histogram_types const compiled = types_of<T>(samples, rule, kind, types);
        histogram_call<T> const call{static_cast<T const*>(samples.data),
                                     samples.n,
                                     samples.d_n,
                                     rule_of<T>(rule, types.edges),
                                     static_cast<std::uint64_t*>(to.counts),
                                     static_cast<double const*>(to.weights),
                                     to.sums,
                                     reinterpret_cast<sample_totals*>(d_totals),
                                     static_cast<index_t*>(to.full),
                                     to.d_full};
        libscan::detail::compiled_histogram<T>::enqueue(place, call, compiled);
      });
}

}  // namespace

libscan_status libscan_histogram(libscan_queue const* queue, libscan_items samples,
                                 libscan_bins const* bins, uint64_t* counts, double const* weights,
                                 double* sums, int64_t* d_totals) {
  return libscan_histogram_as(queue, samples, bins, counts, weights, sums,
                              libscan_histogram_types{}, d_totals);
}

libscan_status libscan_histogram_as(libscan_queue const* queue, libscan_items samples,
                                    libscan_bins const* bins, void* counts, void const* weights,
                                    double* sums, libscan_histogram_types types,
                                    int64_t* d_totals) {
  return c_status_of([&] {
    if ((weights != nullptr) != (sums != nullptr)) {
      throw invalid_argument("libscan_histogram: expected weights and sums, or neither");
    }
    enqueue(queue, samples, bins, {.counts = counts, .weights = weights, .sums = sums}, types,
            d_totals);
  });
}

libscan_status libscan_sparse_histogram(libscan_queue const* queue, libscan_items samples,
                                        libscan_bins const* bins, int64_t* full, uint64_t* counts,
                                        int64_t* d_full, int64_t* d_totals) {
  return libscan_sparse_histogram_as(queue, samples, bins, full, counts, libscan_histogram_types{},
                                     d_full, d_totals);
}

libscan_status libscan_sparse_histogram_as(libscan_queue const* queue, libscan_items samples,
                                           libscan_bins const* bins, void* full, void* counts,
                                           libscan_histogram_types types, int64_t* d_full,
                                           int64_t* d_totals) {
  return c_status_of([&] {
    if (full == nullptr) throw invalid_argument("full is NULL");
    enqueue(queue, samples, bins, {.counts = counts, .full = full, .d_full = d_full}, types,
            d_totals);
  });
}

libscan_status libscan_histogram_workspace_bytes(libscan_queue const* queue, libscan_items samples,
                                                 libscan_bins const* bins,
                                                 libscan_histogram_kind kind, size_t* bytes) {
  return libscan_histogram_workspace_bytes_as(queue, samples, bins, kind, libscan_histogram_types{},
                                              bytes);
}

libscan_status libscan_histogram_workspace_bytes_as(libscan_queue const* queue,
                                                    libscan_items samples, libscan_bins const* bins,
                                                    libscan_histogram_kind kind,
                                                    libscan_histogram_types types, size_t* bytes) {
  return c_status_of([&] {
    libscan_bins const& rule = libscan::detail::required(bins, "bins");
    libscan::detail::check_bins(rule.count);
    auto const to = libscan::detail::c_queue(queue);
    if (static_cast<unsigned>(kind) > LIBSCAN_SPARSE) {
      throw invalid_argument("kind " + std::to_string(kind) + " of histogram: there is none");
    }
    auto const what = static_cast<histogram_kind>(kind);
    libscan::detail::required(bytes, "bytes") = libscan::detail::visit_input_type(
        c_input_type(samples.type), [&]<class T>(std::type_identity<T>) {
          return libscan::detail::compiled_histogram<T>::enqueued_bytes(
              to.on, samples.n, static_cast<int>(rule.count), what,
              types_of<T>(samples, rule, what, with_usual(types)));
        });
  });
}
