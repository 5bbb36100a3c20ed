// SPDX-License-Identifier: Apache-2.0
// A filter that loses the last item it should keep. Linked into scan-filter in place of the real
// one, it shows that --verify notices.
#include <algorithm>
#include <cstdint>

#include <apps/filter/filter.hpp>
#include <apps/filter/filter_cpu.hpp>

namespace libscan::inline v1 {
namespace {

index_t one_less(index_t kept) { return std::max<index_t>(0, kept - 1); }

}  // namespace

template <class T>
index_t filter(engine const&, std::type_identity_t<std::span<T const>> values,
               std::type_identity_t<std::span<T>> out, predicate<T> const& keep) {
  return one_less(cpu::filter(1, values.data(), static_cast<index_t>(values.size()), out.data(),
                              static_cast<index_t>(out.size()), keep));
}

template <class T>
index_t filter_indices(engine const&, std::type_identity_t<std::span<T const>> values,
                       std::span<index_t> out, predicate<T> const& keep) {
  return one_less(cpu::filter_indices(1, values.data(), static_cast<index_t>(values.size()),
                                      out.data(), static_cast<index_t>(out.size()), keep));
}

template <class T>
index_t count_if(engine const&, std::type_identity_t<std::span<T const>> values,
                 predicate<T> const& keep) {
  return one_less(cpu::count_if(1, values.data(), static_cast<index_t>(values.size()), keep));
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
