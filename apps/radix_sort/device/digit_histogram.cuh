// SPDX-License-Identifier: Apache-2.0
// Counts each value of each digit in one read of the keys; the last block to finish turns the
// counts into places and finds out which digits differ.
#pragma once

#include <apps/radix_sort/device/shared_counter.cuh>
#include <apps/radix_sort/device/sort_plan.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/device/look_back_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The digits of one word that one launch counts.
struct word_digits {
  int word;
  int first_pass;  // of the word's digits
  int passes;      // number of digits
  int all_passes;  // of the sort
  bool last;       // launch of the sort
  pass_count wanted;
  digit_place place[8];
};

/// Counts digits. Every block counts in shared memory and adds its counts to the others'.
template <class Order, class Tuning>
struct digit_histogram_kernel {
  using key_type = typename Order::key_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr int items_per_thread = Tuning::items_per_thread;
  static constexpr int copies = Tuning::copies;
  static constexpr int max_passes = sizeof(typename Order::word_type);
  static_assert(block_threads % simt::warp_size == 0);

  struct shared_storage {
    unsigned count[max_passes * digit_values * copies];
    block::scan_storage<index_t, block_threads> scan;
    unsigned arrived;
  };

  __device__ void operator()(shared_storage& shared, key_type const* in, item_count length,
                             Order order, word_digits digits, sort_state state,
                             bucket_offsets offsets) const {
    index_t const n = length.get();
    int const thread = static_cast<int>(threadIdx.x);
    index_t const rank = index_t{blockIdx.x} * block_threads + thread;
    index_t const ranks = index_t{gridDim.x} * block_threads;
    if (digits.last) state.table(0).clear(rank, ranks);
    int const counters = digits.passes * digit_values * copies;
    for (int i = thread; i < counters; i += block_threads) shared.count[i] = 0;
    simt::sync_block();
    count(shared, in, n, order, digits);
    simt::sync_block();
    flush(shared, digits, state);
    if (digits.last && is_last_block(shared, state)) plan(shared, n, digits, state, offsets);
  }

 private:
  static __device__ void count(shared_storage& shared, key_type const* in, index_t n,
                               Order const& order, word_digits const& digits) {
    index_t const step = index_t{gridDim.x} * block_threads;
    index_t i = index_t{blockIdx.x} * block_threads + threadIdx.x;
    for (; i + (items_per_thread - 1) * step < n; i += items_per_thread * step) {
      key_type keys[items_per_thread];
#pragma unroll
      for (int k = 0; k < items_per_thread; ++k) keys[k] = in[i + k * step];
#pragma unroll
      for (int k = 0; k < items_per_thread; ++k) count_key(shared, keys[k], order, digits);
    }
    for (; i < n; i += step) count_key(shared, in[i], order, digits);
  }

  static __device__ __forceinline__ void count_key(shared_storage& shared, key_type const& key,
                                                   Order const& order, word_digits const& digits) {
    auto const word = order.word(key, digits.word);
#pragma unroll
    for (int p = 0; p < max_passes; ++p) {
      if (p >= digits.passes) break;
      auto const digit = static_cast<unsigned>(word >> digits.place[p].shift) &
                         ((1u << digits.place[p].bits) - 1u);
      int const counter = (p * digit_values + static_cast<int>(digit)) * copies;
      device::add_to_counter(shared.count[counter + simt::lane_id() % copies], 1);
    }
  }

  static __device__ void flush(shared_storage& shared, word_digits const& digits,
                               sort_state const& state) {
    for (int i = static_cast<int>(threadIdx.x); i < digits.passes * digit_values;
         i += block_threads) {
      unsigned sum = 0;
#pragma unroll
      for (int c = 0; c < copies; ++c) sum += shared.count[i * copies + c];
      if (sum == 0) continue;
      auto* const counts = state.begins(digits.first_pass + i / digit_values, 0);
      simt::atomic_ref<unsigned long long>(counts[i % digit_values])
          .fetch_add(sum, simt::memory_order_relaxed);
    }
  }

  /// Whether all other blocks have added their counts. All threads call.
  static __device__ bool is_last_block(shared_storage& shared, sort_state const& state) {
    simt::sync_block();
    if (threadIdx.x == 0) {
      simt::thread_fence();
      shared.arrived =
          simt::atomic_ref<unsigned>(*state.arrived).fetch_add(1, simt::memory_order_acq_rel);
      simt::thread_fence();
    }
    simt::sync_block();
    return shared.arrived == gridDim.x - 1;
  }

  /// Turns counts into places, pass by pass.
  static __device__ void plan(shared_storage& shared, index_t n, word_digits const& digits,
                              sort_state const& state, bucket_offsets offsets) {
    constexpr int per_thread = (digit_values + block_threads - 1) / block_threads;
    int const first = static_cast<int>(threadIdx.x) * per_thread;
    for (int p = 0; p < digits.all_passes; ++p) {
      auto* const counts = state.begins(p, 0);
      index_t own[per_thread];
      index_t sum = 0;
      bool all_here = false;
#pragma unroll
      for (int j = 0; j < per_thread; ++j) {
        own[j] = 0;
        if (first + j < digit_values) {
          own[j] = static_cast<index_t>(simt::atomic_ref<unsigned long long>(counts[first + j])
                                            .load(simt::memory_order_relaxed));
        }
        all_here = all_here || own[j] == n;
        sum += own[j];
      }
      bool const agree = simt::sync_block_or(all_here);
      auto const before = block::exclusive_scan(shared.scan, sum, plus<index_t>{});
      index_t begin = before.prefix;
#pragma unroll
      for (int j = 0; j < per_thread; ++j) {
        if (first + j >= digit_values) break;
        counts[first + j] = static_cast<unsigned long long>(begin);
        if (p == 0) offsets.store(first + j, begin);
        begin += own[j];
      }
      // Nothing is counted for a digit without bits.
      if (threadIdx.x == 0) state.steps[p].runs = !agree && before.total != 0 ? 1 : 0;
    }
    if (threadIdx.x == 0) {
      offsets.store(digit_values, n);
      plan_passes(state.steps, digits.all_passes, digits.wanted);
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
