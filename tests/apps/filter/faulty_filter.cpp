// SPDX-License-Identifier: Apache-2.0
// A filter that loses the last item it should keep, and a split by a mask that changes one it
// rejects. Linked into scan-filter in place of the real
// one, it shows that --verify notices.
#include <algorithm>
#include <cstdint>

#include <libscan/cpu/filter.hpp>
#include <libscan/filter.hpp>
#include <libscan/selection.hpp>

namespace libscan::inline v1 {
namespace {

index_t one_less(index_t kept) { return std::max<index_t>(0, kept - 1); }

template <class T>
index_t length(std::span<T> items) {
  return static_cast<index_t>(items.size());
}

/// f(rule) with what the mask is.
template <class F>
index_t with_rule(item_mask const& mask, F f) {
  if (mask.words() != nullptr) return f(cpu::keep_masked{mask.words()});
  return f(cpu::keep_flagged{mask.flags()});
}

}  // namespace

template <class T>
index_t filter(engine const&, std::type_identity_t<std::span<T const>> values,
               std::type_identity_t<std::span<T>> out, predicate<T> const& keep) {
  return one_less(cpu::filter(1, values.data(), out.data(), static_cast<index_t>(values.size()),
                              keep, static_cast<index_t>(out.size())));
}

template <class T>
index_t filter_indices(engine const&, std::type_identity_t<std::span<T const>> values,
                       std::span<index_t> out, predicate<T> const& keep) {
  return one_less(cpu::filter_indices(1, values.data(), out.data(),
                                      static_cast<index_t>(values.size()), keep,
                                      static_cast<index_t>(out.size())));
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

index_t mask_indices(engine const&, item_mask const& mask, std::span<index_t> out) {
  return one_less(with_rule(mask, [&](auto rule) {
    return cpu::indices_by(1, out.data(), mask.size(), rule, length(out));
  }));
}

index_t count_marked(engine const&, item_mask const& mask) {
  return one_less(with_rule(mask, [&](auto rule) { return cpu::count_by(1, mask.size(), rule); }));
}

namespace detail {

template <class T>
index_t selection<T>::filter(engine const&, std::span<T const> values, std::span<T> out,
                             item_mask const& mask) {
  return one_less(with_rule(mask, [&](auto rule) {
    return cpu::filter_by(1, values.data(), out.data(), length(values), rule, length(out));
  }));
}

/// Here one of the rejected items is wrong.
template <class T>
index_t selection<T>::split(engine const&, std::span<T const> values, std::span<T> out,
                            std::optional<std::span<T>> rejected, item_mask const& mask) {
  cpu::split_outputs<T*> const to{out.data(), length(out), rejected->data(), length(*rejected)};
  index_t const kept = with_rule(
      mask, [&](auto rule) { return cpu::split_by(1, values.data(), to, length(values), rule); });
  if (kept < length(values)) to.rejected[0] = static_cast<T>(to.rejected[0] + T(1));
  return kept;
}

template <class T>
index_t selection<T>::split(engine const&, std::span<T const> values, std::span<T> out,
                            std::optional<std::span<T>> rejected, predicate<T> const& keep) {
  cpu::split_outputs<T*> const to{out.data(), length(out), rejected->data(), length(*rejected)};
  cpu::keep_where<T const*, predicate<T>> const rule{values.data(), keep};
  return one_less(cpu::split_by(1, values.data(), to, length(values), rule));
}

template <class T>
index_t runs<T>::unique(engine const&, std::span<T const> values, std::span<T> out) {
  return one_less(cpu::filter_by(1, values.data(), out.data(), length(values),
                                 cpu::keep_heads{values.data()}, length(out)));
}

#define LIBSCAN_INSTANTIATE(name, T) \
  template struct selection<T>;      \
  template struct runs<T>;
LIBSCAN_ITEM_TYPES(LIBSCAN_INSTANTIATE)
#undef LIBSCAN_INSTANTIATE

}  // namespace detail
}  // namespace libscan::inline v1
