// SPDX-License-Identifier: Apache-2.0
// The compiled half of the filter's host API: checks a call and hands it to its engine.
#include <libscan/filter.hpp>

#include <cstdint>

#include <apps/filter/cpu/vector_predicate.hpp>
#include <apps/filter/host/filter_device.hpp>
#include <apps/filter/host/host_checks.hpp>
#include <libscan/cpu/filter.hpp>
#include <libscan/cpu/filter_with_indices.hpp>
#include <libscan/host/input_types.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::inline v1 {
using detail::check_fits;
using detail::check_no_overlap;
using detail::filter_kind;
using detail::length;

namespace {

template <class T>
detail::filter_call call_of(filter_kind kind, std::span<T const> values, predicate<T> const& keep,
                            std::type_identity_t<T>* out, index_t* positions) {
  return {.kind = kind,
          .in = values.data(),
          .n = length(values),
          .keep = &keep,
          .out = out,
          .positions = positions};
}

}  // namespace

template <class T>
index_t filter(engine const& on, std::type_identity_t<std::span<T const>> values,
               std::type_identity_t<std::span<T>> out, predicate<T> const& keep) {
  check_no_overlap("filter", std::as_bytes(values), std::as_bytes(out), true);
  index_t const kept = detail::on_engine(
      on, length(values),
      [&](auto device) {
        return detail::device_filter<decltype(device), T>::run(
            device,
            {call_of(filter_kind::items, values, keep, out.data(), nullptr), length(out), 0});
      },
      [&](int threads) {
        return cpu::filter_by(threads, values.data(), out.data(), length(values),
                              cpu::keep_predicate<T>{values.data(), &keep}, length(out));
      });
  check_fits("filter", kept, length(out));
  return kept;
}

template <class T>
index_t filter_indices(engine const& on, std::type_identity_t<std::span<T const>> values,
                       std::span<index_t> out, predicate<T> const& keep) {
  check_no_overlap("filter_indices", std::as_bytes(values), std::as_bytes(out), false);
  index_t const kept = detail::on_engine(
      on, length(values),
      [&](auto device) {
        return detail::device_filter<decltype(device), T>::run(
            device,
            {call_of(filter_kind::positions, values, keep, nullptr, out.data()), 0, length(out)});
      },
      [&](int threads) {
        (void)cpu::detail::memory_of(values.data(), length(values));  // refuses misaligned items
        return cpu::indices_by(threads, out.data(), length(values),
                               cpu::keep_predicate<T>{values.data(), &keep}, length(out));
      });
  check_fits("filter_indices", kept, length(out));
  return kept;
}

template <class T>
index_t filter_with_indices(engine const& on, std::type_identity_t<std::span<T const>> values,
                            std::type_identity_t<std::span<T>> out, std::span<index_t> indices,
                            predicate<T> const& keep) {
  char const* const call = "filter_with_indices";
  check_no_overlap(call, std::as_bytes(values), std::as_bytes(out), true);
  check_no_overlap(call, std::as_bytes(values), std::as_bytes(indices), false);
  check_no_overlap(call, std::as_bytes(out), std::as_bytes(indices), false, "out");
  cpu::indexed_outputs<T*> const to{out.data(), length(out), indices.data(), length(indices)};
  index_t const kept = detail::on_engine(
      on, length(values),
      [&](auto device) {
        return detail::device_filter<decltype(device), T>::run(
            device, {call_of(filter_kind::positions, values, keep, nullptr, indices.data()), 0,
                     length(indices)});
      },
      [&](int threads) {
        return cpu::filter_with_indices_by(threads, values.data(), to, length(values),
                                           cpu::keep_predicate<T>{values.data(), &keep});
      });
  check_fits(call, kept, length(out));
  check_fits(call, kept, length(indices), "kept", "indices");
  // The values are in host memory, so only positions are copied back from the device.
  if (on.runs_kernels()) cpu::gather(values.data(), indices.data(), kept, out.data());
  return kept;
}

template <class T>
index_t count_if(engine const& on, std::type_identity_t<std::span<T const>> values,
                 predicate<T> const& keep) {
  return detail::on_engine(
      on, length(values),
      [&](auto device) {
        return detail::device_filter<decltype(device), T>::run(
            device, {call_of(filter_kind::count, values, keep, nullptr, nullptr)});
      },
      [&](int threads) {
        (void)cpu::detail::memory_of(values.data(), length(values));  // refuses misaligned items
        return cpu::count_by(threads, length(values), cpu::keep_predicate<T>{values.data(), &keep});
      });
}

#define LIBSCAN_INSTANTIATE(name, T)                                                             \
  template index_t filter(engine const&, std::span<T const>, std::span<T>, predicate<T> const&); \
  template index_t filter_indices(engine const&, std::span<T const>, std::span<index_t>,         \
                                  predicate<T> const&);                                          \
  template index_t filter_with_indices(engine const&, std::span<T const>, std::span<T>,          \
                                       std::span<index_t>, predicate<T> const&);                 \
  template index_t count_if(engine const&, std::span<T const>, predicate<T> const&);
LIBSCAN_INPUT_TYPES(LIBSCAN_INSTANTIATE)
#undef LIBSCAN_INSTANTIATE

}  // namespace libscan::inline v1
