// SPDX-License-Identifier: Apache-2.0
// The two kinds of engines that the examples of this folder run on, with the same members: the cpu
// engine, and a device, which is a GPU (compiled by nvcc) or the executor (compiled by g++).
// Arrays go in and new arrays come out, so that an example reads like its formula.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <libscan/filter.cuh>
#include <libscan/radix_sort.cuh>
#include <libscan/reduce.cuh>
#include <libscan/scan.cuh>
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_scan.cuh>
#ifndef __CUDACC__
#include <libscan/cpu/filter.hpp>
#include <libscan/cpu/radix_sort.hpp>
#include <libscan/cpu/reduce.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/cpu/segmented_reduce.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <libscan/cpu/workers.hpp>
#endif

namespace examples {

using namespace libscan;

/// Results of an exclusive scan: the sums before each item, and the sum of all.
template <class Array, class T>
struct prefixes {
  Array before;
  T total;
};

/// Items in device memory, freed with the array.
template <class T>
class device_array {
 public:
  explicit device_array(index_t n)
      : size_(n), data_(static_cast<T*>(simt::allocate(bytes() + 1))) {}
  explicit device_array(std::vector<T> const& items) : device_array(std::ssize(items)) {
    if (size_ != 0) simt::copy_async(data_, items.data(), bytes());
    simt::synchronize();
  }
  device_array(device_array&& other) noexcept
      : size_(other.size_), data_(std::exchange(other.data_, nullptr)) {}
  device_array& operator=(device_array&& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~device_array() {
    if (data_ != nullptr) simt::deallocate(data_);
  }

  T* data() const { return data_; }
  index_t size() const { return size_; }

  /// Its first n items remain.
  void shrink(index_t n) { size_ = n; }

  /// The items in host memory, after all work so far.
  std::vector<T> copy() const {
    std::vector<T> items(static_cast<std::size_t>(size_));
    simt::synchronize();
    if (size_ != 0) simt::copy_async(items.data(), data_, bytes());
    simt::synchronize();
    return items;
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

  index_t size_;
  T* data_;
};

/// Calls f(i) for 0 <= i < n.
template <class F>
struct each_kernel {
  static constexpr int block_threads = 256;
  __device__ void operator()(index_t n, F f) const {
    index_t const i = index_t{blockIdx.x} * block_threads + threadIdx.x;
    if (i < n) f(i);
  }
};

/// A GPU, or the executor.
class device_engine {
 public:
  template <class T>
  device_array<T> array(std::vector<T> const& items) {
    return device_array<T>(items);
  }

  template <class F>
  void each(index_t n, F f) {
    if (n == 0) return;
    auto const blocks = static_cast<unsigned>(ceil_div(n, index_t{256}));
    simt::launch<each_kernel<F>>({.blocks = blocks, .threads = 256}, n, f);
  }

  template <class T, class Op>
  T reduce(device_array<T> const& in, Op op) {
    device_array<T> total(1);
    libscan::reduce(ws_, in.data(), total.data(), in.size(), op);
    return total.copy().front();
  }

  template <class T, class Op>
  device_array<T> inclusive_scan(device_array<T> const& in, Op op) {
    device_array<T> out(in.size());
    libscan::inclusive_scan(ws_, in.data(), out.data(), in.size(), op);
    return out;
  }

  template <class T, class Op>
  prefixes<device_array<T>, T> exclusive_scan(device_array<T> const& in, Op op) {
    device_array<T> out(in.size()), total(1);
    libscan::exclusive_scan(ws_, in.data(), out.data(), in.size(), op, total.data());
    return {std::move(out), total.copy().front()};
  }

  /// Segments begin at nonzero flags.
  template <class T, class Op>
  device_array<T> inclusive_segmented_scan(device_array<T> const& in,
                                           device_array<std::uint8_t> const& flags, Op op) {
    device_array<T> out(in.size());
    libscan::inclusive_segmented_scan(ws_, in.data(), out.data(), head_flags{flags.data()},
                                      in.size(), op);
    return out;
  }

  /// One total for each pair of neighboring offsets.
  template <class T, class Op>
  device_array<T> segmented_reduce(device_array<T> const& in, device_array<index_t> const& offsets,
                                   Op op) {
    device_array<T> totals(offsets.size() - 1);
    libscan::segmented_reduce(ws_, in.data(), totals.data(),
                              segment_offsets<index_t>{offsets.data(), totals.size()}, in.size(),
                              op);
    return totals;
  }

  /// The items with nonzero flags.
  template <class T>
  device_array<T> filter(device_array<T> const& in, device_array<std::uint8_t> const& flags) {
    device_array<T> out(in.size());
    device_array<index_t> count(1);
    libscan::filter(ws_, in.data(), out.data(), in.size(), libscan::byte_mask{flags.data()},
                    count.data());
    out.shrink(count.copy().front());
    return out;
  }

  /// Where the flags are nonzero.
  device_array<index_t> positions(device_array<std::uint8_t> const& flags) {
    device_array<index_t> out(flags.size()), count(1);
    libscan::mask_indices(ws_, byte_mask{flags.data()}, out.data(), flags.size(), count.data());
    out.shrink(count.copy().front());
    return out;
  }

  /// Sorts the keys and moves the values with them; stable.
  template <class Key, class Value>
  void sort(device_array<Key>& keys, device_array<Value>& values) {
    Key const* const from = keys.data();
    Value const* const moved = values.data();
    libscan::sort_pairs(ws_, from, keys.data(), moved, values.data(), keys.size());
  }

 private:
  workspace ws_;
};

#ifndef __CUDACC__

/// Items in host memory.
template <class T>
class host_array {
 public:
  explicit host_array(index_t n) : items_(static_cast<std::size_t>(n)) {}
  explicit host_array(std::vector<T> items) : items_(std::move(items)) {}
  T* data() const { return const_cast<T*>(items_.data()); }
  index_t size() const { return std::ssize(items_); }
  void shrink(index_t n) { items_.resize(static_cast<std::size_t>(n)); }
  std::vector<T> const& copy() const { return items_; }

 private:
  std::vector<T> items_;
};

/// The cpu engine, with the members of `device_engine`.
class cpu_engine {
 public:
  template <class T>
  host_array<T> array(std::vector<T> const& items) {
    return host_array<T>(items);
  }

  template <class F>
  void each(index_t n, F f) {
    for (index_t i = 0; i < n; ++i) f(i);
  }

  template <class T, class Op>
  T reduce(host_array<T> const& in, Op op) {
    return cpu::reduce(threads_, in.data(), in.size(), op, op.identity());
  }

  template <class T, class Op>
  host_array<T> inclusive_scan(host_array<T> const& in, Op op) {
    host_array<T> out(in.size());
    cpu::inclusive_scan(threads_, in.data(), out.data(), in.size(), op, op.identity());
    return out;
  }

  template <class T, class Op>
  prefixes<host_array<T>, T> exclusive_scan(host_array<T> const& in, Op op) {
    host_array<T> out(in.size());
    T const total =
        cpu::exclusive_scan(threads_, in.data(), out.data(), in.size(), op, op.identity());
    return {std::move(out), total};
  }

  template <class T, class Op>
  host_array<T> inclusive_segmented_scan(host_array<T> const& in,
                                         host_array<std::uint8_t> const& flags, Op op) {
    host_array<T> out(in.size());
    cpu::inclusive_segmented_scan(threads_, in.data(), out.data(), head_flags{flags.data()},
                                  in.size(), op, op.identity());
    return out;
  }

  template <class T, class Op>
  host_array<T> segmented_reduce(host_array<T> const& in, host_array<index_t> const& offsets,
                                 Op op) {
    host_array<T> totals(offsets.size() - 1);
    cpu::segmented_reduce(threads_, in.data(), totals.data(),
                          segment_offsets<index_t>{offsets.data(), totals.size()}, in.size(), op,
                          op.identity());
    return totals;
  }

  template <class T>
  host_array<T> filter(host_array<T> const& in, host_array<std::uint8_t> const& flags) {
    host_array<T> out(in.size());
    out.shrink(cpu::filter_by(threads_, in.data(), out.data(), in.size(),
                              cpu::keep_flagged{flags.data()}));
    return out;
  }

  host_array<index_t> positions(host_array<std::uint8_t> const& flags) {
    host_array<index_t> out(flags.size());
    out.shrink(
        cpu::indices_by(threads_, out.data(), flags.size(), cpu::keep_flagged{flags.data()}));
    return out;
  }

  template <class Key, class Value>
  void sort(host_array<Key>& keys, host_array<Value>& values) {
    cpu::sort_pairs(threads_, keys.data(), keys.data(), values.data(), values.data(), keys.size());
  }

 private:
  int threads_ = cpu::default_threads();
};

#endif

/// out[i] = f(i).
template <class T, class F>
struct store_at {
  T* out;
  F f;
  __device__ void operator()(index_t i) const { out[i] = f(i); }
};

/// An array of f(i) for 0 <= i < n.
template <class T, class Engine, class F>
auto generate(Engine& on, index_t n, F f) {
  auto out = on.array(std::vector<T>(static_cast<std::size_t>(n)));
  on.each(n, store_at<T, F>{out.data(), f});
  return out;
}

}  // namespace examples
