// SPDX-License-Identifier: Apache-2.0
// Items of a type known at run time, as the accumulators of a scan on the cpu engine. Internal.
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include <libscan/core/types.hpp>
#include <libscan/cpu/converted_items.hpp>
#include <libscan/host/input_types.hpp>

namespace libscan::inline v1::detail {

/// A random-access iterator over items of any input type, which it converts to T.
template <class T>
class any_items {
 public:
  using iterator_concept = std::random_access_iterator_tag;
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = index_t;
  using reference = T;
  using pointer = void;

  any_items() = default;
  any_items(input_type type, void const* items) : type_(type), items_(items) {}

  T operator*() const { return (*this)[0]; }
  T operator[](index_t i) const {
    T item{};
    copy_to(i, 1, &item);
    return item;
  }

  /// to[k] = the item at distance begin + k, for k < n.
  void copy_to(index_t begin, index_t n, T* to) const {
    detail::visit_input_type(type_, [&]<class Item>(std::type_identity<Item>) {
      cpu::detail::convert_items(static_cast<Item const*>(items_) + (at_ + begin), n, to);
    });
  }

  /// As an `item_source` of libscan/cpu/staged_scan.hpp.
  void operator()(index_t begin, index_t end, T* to) const { copy_to(begin, end - begin, to); }

  /// The address of items from `begin` on if they are of type T; otherwise null.
  T const* direct(index_t begin) const {
    return type_ == input_type_of<T>::value ? static_cast<T const*>(items_) + (at_ + begin)
                                            : nullptr;
  }

  any_items& operator+=(index_t by) {
    at_ += by;
    return *this;
  }
  any_items& operator-=(index_t by) { return *this += -by; }
  any_items& operator++() { return *this += 1; }
  any_items& operator--() { return *this -= 1; }
  any_items operator++(int) { return std::exchange(*this, *this + 1); }
  any_items operator--(int) { return std::exchange(*this, *this - 1); }
  friend any_items operator+(any_items it, index_t by) { return it += by; }
  friend any_items operator+(index_t by, any_items it) { return it += by; }
  friend any_items operator-(any_items it, index_t by) { return it -= by; }
  friend index_t operator-(any_items const& a, any_items const& b) { return a.at_ - b.at_; }
  friend bool operator==(any_items const& a, any_items const& b) { return a.at_ == b.at_; }
  friend auto operator<=>(any_items const& a, any_items const& b) { return a.at_ <=> b.at_; }

 private:
  input_type type_ = input_type::i64;
  void const* items_ = nullptr;
  index_t at_ = 0;
};

}  // namespace libscan::inline v1::detail
