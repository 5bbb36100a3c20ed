// SPDX-License-Identifier: Apache-2.0
// The compiled half of the filter's facade: checks a call and hands it to its engine.
#include <apps/filter/filter.hpp>

#include <cstdint>

#include <apps/filter/facade_checks.hpp>
#include <apps/filter/filter_cpu.hpp>
#include <apps/filter/filter_cuda.hpp>
#include <apps/filter/filter_with_indices_cpu.hpp>
#include <apps/filter/predicate_marks.hpp>

namespace libscan::inline v1 {
using detail::check_apart;
using detail::check_fits;
using detail::length;

template <class T>
index_t filter(engine const& on, std::type_identity_t<std::span<T const>> values,
               std::type_identity_t<std::span<T>> out, predicate<T> const& keep) {
  check_apart("filter", std::as_bytes(values), std::as_bytes(out), true);
  index_t const kept =
      on.is_cuda() ? detail::cuda_filter<T>::values(on.device(), values, out, keep)
                   : cpu::filter_by(on.threads(), values.data(), out.data(), length(values),
                                    cpu::keep_predicate<T>{values.data(), &keep}, length(out));
  check_fits("filter", kept, length(out));
  return kept;
}

template <class T>
index_t filter_indices(engine const& on, std::type_identity_t<std::span<T const>> values,
                       std::span<index_t> out, predicate<T> const& keep) {
  check_apart("filter_indices", std::as_bytes(values), std::as_bytes(out), false);
  index_t const kept =
      on.is_cuda() ? detail::cuda_filter<T>::indices(on.device(), values, out, keep)
                   : cpu::indices_by(on.threads(), out.data(), length(values),
                                     cpu::keep_predicate<T>{values.data(), &keep}, length(out));
  check_fits("filter_indices", kept, length(out));
  return kept;
}

template <class T>
index_t filter_with_indices(engine const& on, std::type_identity_t<std::span<T const>> values,
                            std::type_identity_t<std::span<T>> out, std::span<index_t> indices,
                            predicate<T> const& keep) {
  char const* const call = "filter_with_indices";
  check_apart(call, std::as_bytes(values), std::as_bytes(out), false);
  check_apart(call, std::as_bytes(values), std::as_bytes(indices), false);
  check_apart(call, std::as_bytes(out), std::as_bytes(indices), false, "out");
  index_t const kept =
      on.is_cuda()
          ? detail::cuda_filter<T>::indices(on.device(), values, indices, keep)
          : cpu::filter_with_indices_by(
                on.threads(), values.data(),
                cpu::indexed_outputs<T*>{out.data(), length(out), indices.data(), length(indices)},
                length(values), cpu::keep_predicate<T>{values.data(), &keep});
  check_fits(call, kept, length(out));
  check_fits(call, kept, length(indices), "kept", "indices");
  // The values are here: positions say which, and no others need come back from the device.
  if (on.is_cuda()) cpu::gather(values.data(), indices.data(), kept, out.data());
  return kept;
}

template <class T>
index_t count_if(engine const& on, std::type_identity_t<std::span<T const>> values,
                 predicate<T> const& keep) {
  if (on.is_cuda()) return detail::cuda_filter<T>::count(on.device(), values, keep);
  return cpu::count_by(on.threads(), length(values), cpu::keep_predicate<T>{values.data(), &keep});
}

template index_t filter(engine const&, std::span<std::int8_t const>, std::span<std::int8_t>,
                        predicate<std::int8_t> const&);
template index_t filter(engine const&, std::span<std::uint8_t const>, std::span<std::uint8_t>,
                        predicate<std::uint8_t> const&);
template index_t filter(engine const&, std::span<std::int16_t const>, std::span<std::int16_t>,
                        predicate<std::int16_t> const&);
template index_t filter(engine const&, std::span<std::uint16_t const>, std::span<std::uint16_t>,
                        predicate<std::uint16_t> const&);
template index_t filter(engine const&, std::span<std::int32_t const>, std::span<std::int32_t>,
                        predicate<std::int32_t> const&);
template index_t filter(engine const&, std::span<std::uint32_t const>, std::span<std::uint32_t>,
                        predicate<std::uint32_t> const&);
template index_t filter(engine const&, std::span<std::int64_t const>, std::span<std::int64_t>,
                        predicate<std::int64_t> const&);
template index_t filter(engine const&, std::span<std::uint64_t const>, std::span<std::uint64_t>,
                        predicate<std::uint64_t> const&);
template index_t filter(engine const&, std::span<float const>, std::span<float>,
                        predicate<float> const&);
template index_t filter(engine const&, std::span<double const>, std::span<double>,
                        predicate<double> const&);

template index_t filter_indices(engine const&, std::span<std::int8_t const>, std::span<index_t>,
                                predicate<std::int8_t> const&);
template index_t filter_indices(engine const&, std::span<std::uint8_t const>, std::span<index_t>,
                                predicate<std::uint8_t> const&);
template index_t filter_indices(engine const&, std::span<std::int16_t const>, std::span<index_t>,
                                predicate<std::int16_t> const&);
template index_t filter_indices(engine const&, std::span<std::uint16_t const>, std::span<index_t>,
                                predicate<std::uint16_t> const&);
template index_t filter_indices(engine const&, std::span<std::int32_t const>, std::span<index_t>,
                                predicate<std::int32_t> const&);
template index_t filter_indices(engine const&, std::span<std::uint32_t const>, std::span<index_t>,
                                predicate<std::uint32_t> const&);
template index_t filter_indices(engine const&, std::span<std::int64_t const>, std::span<index_t>,
                                predicate<std::int64_t> const&);
template index_t filter_indices(engine const&, std::span<std::uint64_t const>, std::span<index_t>,
                                predicate<std::uint64_t> const&);
template index_t filter_indices(engine const&, std::span<float const>, std::span<index_t>,
                                predicate<float> const&);
template index_t filter_indices(engine const&, std::span<double const>, std::span<index_t>,
                                predicate<double> const&);

template index_t filter_with_indices(engine const&, std::span<std::int8_t const>,
                                     std::span<std::int8_t>, std::span<index_t>,
                                     predicate<std::int8_t> const&);
template index_t filter_with_indices(engine const&, std::span<std::uint8_t const>,
                                     std::span<std::uint8_t>, std::span<index_t>,
                                     predicate<std::uint8_t> const&);
template index_t filter_with_indices(engine const&, std::span<std::int16_t const>,
                                     std::span<std::int16_t>, std::span<index_t>,
                                     predicate<std::int16_t> const&);
template index_t filter_with_indices(engine const&, std::span<std::uint16_t const>,
                                     std::span<std::uint16_t>, std::span<index_t>,
                                     predicate<std::uint16_t> const&);
template index_t filter_with_indices(engine const&, std::span<std::int32_t const>,
                                     std::span<std::int32_t>, std::span<index_t>,
                                     predicate<std::int32_t> const&);
template index_t filter_with_indices(engine const&, std::span<std::uint32_t const>,
                                     std::span<std::uint32_t>, std::span<index_t>,
                                     predicate<std::uint32_t> const&);
template index_t filter_with_indices(engine const&, std::span<std::int64_t const>,
                                     std::span<std::int64_t>, std::span<index_t>,
                                     predicate<std::int64_t> const&);
template index_t filter_with_indices(engine const&, std::span<std::uint64_t const>,
                                     std::span<std::uint64_t>, std::span<index_t>,
                                     predicate<std::uint64_t> const&);
template index_t filter_with_indices(engine const&, std::span<float const>, std::span<float>,
                                     std::span<index_t>, predicate<float> const&);
template index_t filter_with_indices(engine const&, std::span<double const>, std::span<double>,
                                     std::span<index_t>, predicate<double> const&);

template index_t count_if(engine const&, std::span<std::int8_t const>,
                          predicate<std::int8_t> const&);
template index_t count_if(engine const&, std::span<std::uint8_t const>,
                          predicate<std::uint8_t> const&);
template index_t count_if(engine const&, std::span<std::int16_t const>,
                          predicate<std::int16_t> const&);
template index_t count_if(engine const&, std::span<std::uint16_t const>,
                          predicate<std::uint16_t> const&);
template index_t count_if(engine const&, std::span<std::int32_t const>,
                          predicate<std::int32_t> const&);
template index_t count_if(engine const&, std::span<std::uint32_t const>,
                          predicate<std::uint32_t> const&);
template index_t count_if(engine const&, std::span<std::int64_t const>,
                          predicate<std::int64_t> const&);
template index_t count_if(engine const&, std::span<std::uint64_t const>,
                          predicate<std::uint64_t> const&);
template index_t count_if(engine const&, std::span<float const>, predicate<float> const&);
template index_t count_if(engine const&, std::span<double const>, predicate<double> const&);

}  // namespace libscan::inline v1
