// SPDX-License-Identifier: Apache-2.0
// The vector code of vector_rows.hpp, through Highway: first the products of some rows, one after
// the other; then it sums a vector of short rows at a time, or a longer row by itself.
#include <apps/spmv/cpu/vector_rows.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <libscan/cpu/vector_targets.hpp>

#define HWY_TARGET_INCLUDE "apps/spmv/cpu/vector_rows.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <libscan/cpu/vector_dispatch.hpp>

HWY_BEFORE_NAMESPACE();
namespace libscan::inline v1::cpu::detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Partial sums of a long row, which are then combined pairwise, equally for all vector sizes.
inline constexpr int lanes_of_row = 16;

/// The most entries of a row in a vector of rows.
inline constexpr int short_row = rows_in_turn;

/// The same if gathers are slow.
inline constexpr int shortest_row = 2;

/// Products that wait in the L1 cache to be summed.
inline constexpr index_t tile_entries = 4096;
inline constexpr index_t tile_rows = 1024;

/// Prefetch distances, in items: for arrays that are accessed in order, if they change too soon for
/// the hardware to follow; and for components of x, in entries.
inline constexpr index_t ahead = 512;
inline constexpr index_t components_ahead = 128;

template <class T>
using tag = hn::CappedTag<T, lanes_of_row>;
template <class T>
using numbers = hn::Vec<tag<T>>;
template <class T>
using integers = hn::RebindToSigned<tag<T>>;

template <class T>
inline constexpr int width = static_cast<int>(hn::MaxLanes(tag<T>()));

/// The sum of the lanes of a vector.
template <class D>
HWY_INLINE hn::TFromD<D> sum_of(D, hn::Vec<D> v) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (hn::MaxLanes(D()) > 1) {
    hn::Half<D> const half;
    return sum_of(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
#endif
  return hn::GetLane(v);
}

/// The partial sums of a row.
template <class T>
class lane_sums {
 public:
  HWY_INLINE lane_sums() {
    for (auto& sum : sums_) sum = hn::Zero(tag<T>());
  }
  HWY_INLINE void add(int part, numbers<T> products) {
    sums_[part] = hn::Add(sums_[part], products);
  }
  HWY_INLINE T total() {
    for (int n = parts; n > 1; n /= 2) {
      for (int i = 0; i < n / 2; ++i) sums_[i] = hn::Add(sums_[i], sums_[i + n / 2]);
    }
    return sum_of(tag<T>(), sums_[0]);
  }

  static constexpr int parts = lanes_of_row / width<T>;

 private:
  numbers<T> sums_[parts];
};

/// Lanes loaded one by one, from x[indices[...]].
template <class T, std::size_t... Lane>
HWY_INLINE numbers<T> loaded(T const* x, std::int32_t const* indices,
                             std::index_sequence<Lane...>) {
  typedef T lanes __attribute__((vector_size(sizeof(T) * sizeof...(Lane))));
  lanes const all = {x[indices[Lane]]...};
  numbers<T> v;
  static_assert(sizeof v == sizeof all);
  std::memcpy(static_cast<void*>(&v), &all, sizeof v);  // which has a constructor on NEON
  return v;
}

/// The components of x for a vector of entries.
template <gathers By, class T>
HWY_INLINE numbers<T> components(T const* x, std::int32_t const* indices) {
  if constexpr (By == gathers::slow) {
    return loaded(x, indices, std::make_index_sequence<std::size_t{width<T>}>());
  }
  integers<T> const d;
  if constexpr (sizeof(T) == 4) {
    return hn::GatherIndex(tag<T>(), x, hn::LoadU(d, indices));
  } else {
    hn::Rebind<std::int32_t, tag<T>> const narrow;
    return hn::GatherIndex(tag<T>(), x, hn::PromoteTo(d, hn::LoadU(narrow, indices)));
  }
}

/// to[k - begin] = the product of entry k, for k in [begin, end).
template <gathers By, class T, class Offset>
HWY_INLINE void multiply(product_arrays<T, Offset> const& from, index_t begin, index_t end, T* to) {
  tag<T> const d;
  index_t k = begin;
  for (; k + width<T> <= end; k += width<T>) {
    __builtin_prefetch(from.values + k + ahead);
    __builtin_prefetch(from.indices + k + ahead);
    hn::StoreU(hn::Mul(hn::LoadU(d, from.values + k), components<By>(from.x, from.indices + k)), d,
               to + (k - begin));
  }
  for (; k < end; ++k) to[k - begin] = from.values[k] * from.x[from.indices[k]];
}

/// Prefetches components of x for later entries, some with every vector of rows.
template <class T>
class component_fetcher {
 public:
  /// For entries [begin, end), or none if `step` is 0.
  component_fetcher(T const* x, std::int32_t const* indices, index_t begin, index_t end,
                    index_t step)
      : x_(x), indices_(indices), next_(begin), end_(end), step_(step) {}

  HWY_INLINE void step() {
    for (index_t const stop = std::min(end_, next_ + step_); next_ < stop; ++next_) {
      __builtin_prefetch(x_ + indices_[next_]);
    }
  }

 private:
  T const* x_;
  std::int32_t const* indices_;
  index_t next_, end_, step_;
};

/// The sum of n products; others may follow them.
template <class T>
HWY_INLINE T sum_products(T const* products, index_t n) {
  tag<T> const d;
  lane_sums<T> sums;
  for (; n >= lanes_of_row; n -= lanes_of_row, products += lanes_of_row) {
    for (int i = 0; i < sums.parts; ++i) sums.add(i, hn::LoadU(d, products + i * width<T>));
  }
  for (int i = 0; i < sums.parts; ++i) {
    auto const left = static_cast<std::size_t>(std::max<index_t>(n - i * width<T>, 0));
    sums.add(i, hn::IfThenElseZero(hn::FirstN(d, left), hn::LoadU(d, products + i * width<T>)));
  }
  return sums.total();
}

/// A vector of offsets, minus `base`.
template <class T, class Offset>
HWY_INLINE hn::Vec<integers<T>> positions(Offset const* offsets, Offset base) {
  integers<T> const d;
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(d, static_cast<hn::TFromD<integers<T>>>(*offsets - base));
#else
  if constexpr (sizeof(T) == sizeof(Offset)) {
    return hn::Sub(hn::LoadU(d, offsets), hn::Set(d, base));
  } else if constexpr (sizeof(T) == 8) {
    hn::Rebind<Offset, integers<T>> const narrow;
    return hn::PromoteTo(d, hn::Sub(hn::LoadU(narrow, offsets), hn::Set(narrow, base)));
  } else {
    hn::Rebind<std::uint32_t, hn::Half<integers<T>>> const half;
    hn::Rebind<std::uint64_t, decltype(half)> const wide;
    auto const words = reinterpret_cast<std::uint64_t const*>(offsets);
    auto const start = hn::Set(wide, static_cast<std::uint64_t>(base));
    auto const low = hn::Sub(hn::LoadU(wide, words), start);
    auto const high = hn::Sub(hn::LoadU(wide, words + width<T> / 2), start);
    hn::Rebind<std::uint32_t, integers<T>> const whole;
    return hn::BitCast(d,
                       hn::Combine(whole, hn::TruncateTo(half, high), hn::TruncateTo(half, low)));
  }
#endif
}

/// sums[r] = the sum of row r, for r in [0, rows): of products [offsets[r] - base, offsets[r + 1] -
/// base). There is space after them, and a zero at tile_entries + lanes_of_row.
template <gathers By, class T, class Offset>
HWY_INLINE void sum_tile(T const* products, Offset const* offsets, index_t rows,
                         component_fetcher<T> fetcher, T* sums) {
  tag<T> const d;
  integers<T> const di;
  Offset const base = offsets[0];
  auto const zero_at = hn::Set(di, tile_entries + lanes_of_row);
  auto const longest = hn::Set(di, By == gathers::slow ? shortest_row : short_row);
  auto const sum_alone = [&](index_t r) HWY_ATTR {
    T const* const row = products + (offsets[r] - base);
    auto const n = static_cast<index_t>(offsets[r + 1] - offsets[r]);
    if (n > short_row) return sum_products(row, n);
    T total = 0;
    for (index_t k = 0; k < n; ++k) total += row[k];
    return total;
  };
  index_t r = 0;
  for (; r + width<T> <= rows; r += width<T>) {
    __builtin_prefetch(offsets + r + ahead);
    __builtin_prefetch(sums + r + ahead, 1);
    fetcher.step();
    auto at = positions<T>(offsets + r, base);
    auto const end = positions<T>(offsets + r + 1, base);
    if (!hn::AllFalse(di, hn::Gt(hn::Sub(end, at), longest))) {
      for (index_t i = r; i < r + width<T>; ++i) sums[i] = sum_alone(i);
      continue;
    }
    // The first step is unconditional, so that the processor need not predict which vectors of rows
    // are empty.
    auto total = hn::Zero(d);
    auto here = hn::Lt(at, end);
    do {
      total = hn::Add(total, hn::GatherIndex(d, products, hn::IfThenElse(here, at, zero_at)));
      at = hn::Add(at, hn::Set(di, 1));
      here = hn::Lt(at, end);
    } while (!hn::AllFalse(di, here));
    hn::StoreU(total, d, sums + r);
  }
  for (; r < rows; ++r) sums[r] = sum_alone(r);
}

/// Whether `lanes_of_row` indices are consecutive.
HWY_INLINE bool consecutive(std::int32_t const* indices) {
  hn::CappedTag<std::int32_t, lanes_of_row> const d;
  constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  auto const first = hn::Set(d, indices[0]);
  for (int i = 0; i < lanes_of_row; i += lanes) {
    auto const expected = hn::Add(first, hn::Iota(d, i));
    if (!hn::AllTrue(d, hn::Eq(hn::LoadU(d, indices + i), expected))) return false;
  }
  return true;
}

/// Adds products of entries [k, k + lanes_of_row), except the first `skipped`.
template <gathers By, class T, class Offset>
HWY_INLINE void add_products(product_arrays<T, Offset> const& from, index_t k, int skipped,
                             lane_sums<T>& sums) {
  tag<T> const d;
  T const* const values = from.values + k;
  std::int32_t const* const indices = from.indices + k;
  auto const add = [&](int i, numbers<T> factors) HWY_ATTR {
    auto const products = hn::Mul(hn::LoadU(d, values + i * width<T>), factors);
    auto const none = static_cast<std::size_t>(std::clamp(skipped - i * width<T>, 0, width<T>));
    sums.add(i, none == 0 ? products : hn::IfThenZeroElse(hn::FirstN(d, none), products));
  };
  if (consecutive(indices)) {
    T const* const x = from.x + indices[0];
    for (int i = 0; i < sums.parts; ++i) add(i, hn::LoadU(d, x + i * width<T>));
  } else {
    for (int i = 0; i < sums.parts; ++i) add(i, components<By>(from.x, indices + i * width<T>));
  }
}

/// See `row_sums`.
template <gathers By, class T, class Offset>
T part(product_arrays<T, Offset> const& from, index_t k, index_t end) {
  lane_sums<T> sums;
  if (end - k >= lanes_of_row) {
    for (; k + lanes_of_row <= end; k += lanes_of_row) {
      __builtin_prefetch(from.x + from.indices[std::min(k + components_ahead, end - 1)]);
      for (int i = 0; i < lanes_of_row; i += 64 / static_cast<int>(sizeof(T))) {
        __builtin_prefetch(from.values + k + i + ahead);
      }
      __builtin_prefetch(from.indices + k + ahead);
      add_products<By>(from, k, 0, sums);
    }
    index_t const last = end - lanes_of_row;
    if (k < end) add_products<By>(from, last, static_cast<int>(k - last), sums);
    return sums.total();
  }
  T total = 0;
  for (; k < end; ++k) total += from.values[k] * from.x[from.indices[k]];
  return total;
}

/// See `row_sums`.
template <gathers By, class T, class Offset>
void whole(product_arrays<T, Offset> const& from, index_t row, index_t last, index_t nonzeros,
           T* sums) {
  alignas(64) T products[tile_entries + 2 * lanes_of_row];
  products[tile_entries + lanes_of_row] = 0;
  index_t rows = tile_rows;
  for (T* to = sums; row < last; row += rows, to += rows) {
    auto const begin = static_cast<index_t>(from.offsets[row]);
    rows = std::min({last - row, 2 * rows, tile_rows});
    auto end = static_cast<index_t>(from.offsets[row + rows]);
    while (end - begin > tile_entries && rows > 1) {
      rows /= 2;
      end = static_cast<index_t>(from.offsets[row + rows]);
    }
    if (end - begin > tile_entries) {
      *to = part<By>(from, begin, end);
      continue;
    }
    if (end == begin) {
      std::fill_n(to, rows, T(0));
      continue;
    }
    multiply<By>(from, begin, end, products);
    // With few entries per row the processor does not prefetch the next rows by itself.
    index_t const vectors = ceil_div<index_t>(rows, width<T>);
    index_t const step = 4 * (end - begin) < rows ? ceil_div(end - begin, vectors) : 0;
    component_fetcher<T> const fetcher(from.x, from.indices,
                                       std::min(nonzeros, begin + components_ahead),
                                       std::min(nonzeros, end + components_ahead), step);
    sum_tile<By>(products, from.offsets + row, rows, fetcher, to);
  }
}

/// See `row_sums`.
template <gathers By, class T, class Offset>
void runs(product_arrays<T, Offset> const& from, index_t row, index_t last, T* sums) {
  product_arrays<T, Offset> const own = from;
  auto k = static_cast<index_t>(own.offsets[row]);
  for (index_t r = row; r < last; ++r) {
    auto const end = static_cast<index_t>(own.offsets[r + 1]);
    // As `part` adds them, but here the additions of the next rows overlap.
    T total = 0;
    if (end - k < lanes_of_row) {
      for (; k < end; ++k) total += own.values[k] * own.x[own.indices[k]];
    } else {
      total = part<By>(from, k, end);
      k = end;
    }
    sums[r - row] = total;
  }
}

template <gathers By, class T, class Offset>
constexpr row_sums<T, Offset> code_by() {
  return {whole<By, T, Offset>, runs<By, T, Offset>, part<By, T, Offset>};
}

template <class T, class Offset>
void choose(row_sums<T, Offset>& code, gathers by) {
  code = by == gathers::slow ? code_by<gathers::slow, T, Offset>()
                             : code_by<gathers::fast, T, Offset>();
}

void choose_float_32(row_sums<float, std::int32_t>& code, gathers by) { choose(code, by); }
void choose_float_64(row_sums<float, std::int64_t>& code, gathers by) { choose(code, by); }
void choose_double_32(row_sums<double, std::int32_t>& code, gathers by) { choose(code, by); }
void choose_double_64(row_sums<double, std::int64_t>& code, gathers by) { choose(code, by); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace libscan::inline v1::cpu::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace libscan::inline v1::cpu::detail {

HWY_EXPORT(choose_float_32);
HWY_EXPORT(choose_float_64);
HWY_EXPORT(choose_double_32);
HWY_EXPORT(choose_double_64);

template <class T, class Offset>
row_sums<T, Offset> current_row_sums(gathers by) {
  row_sums<T, Offset> current;
  if constexpr (sizeof(T) == 4 && sizeof(Offset) == 4) {
    LIBSCAN_BEST_VERSION(choose_float_32)(current, by);
  } else if constexpr (sizeof(T) == 4) {
    LIBSCAN_BEST_VERSION(choose_float_64)(current, by);
  } else if constexpr (sizeof(Offset) == 4) {
    LIBSCAN_BEST_VERSION(choose_double_32)(current, by);
  } else {
    LIBSCAN_BEST_VERSION(choose_double_64)(current, by);
  }
  return current;
}

// On AMD's cores a gather takes as long as loads of its lanes, or twice that.
gathers best_gathers() {
#if defined(__x86_64__)
  return __builtin_cpu_is("amd") != 0 ? gathers::slow : gathers::fast;
#else
  return gathers::slow;
#endif
}

template <class T, class Offset>
row_sums<T, Offset> const& best_row_sums() {
  static row_sums<T, Offset> const best = current_row_sums<T, Offset>(best_gathers());
  return best;
}

template row_sums<float, std::int32_t> current_row_sums(gathers);
template row_sums<float, std::int64_t> current_row_sums(gathers);
template row_sums<double, std::int32_t> current_row_sums(gathers);
template row_sums<double, std::int64_t> current_row_sums(gathers);
template row_sums<float, std::int32_t> const& best_row_sums();
template row_sums<float, std::int64_t> const& best_row_sums();
template row_sums<double, std::int32_t> const& best_row_sums();
template row_sums<double, std::int64_t> const& best_row_sums();

}  // namespace libscan::inline v1::cpu::detail
#endif
