// SPDX-License-Identifier: Apache-2.0
// The wrong kernels of the sources, as printed, each beside its correction: Harris's "Parallel
// Prefix Sum (Scan) with CUDA", Verona's and the ECE408 lecture's slides, and Harris & Garland's
// chapter on Fermi. libscan's own versions say in comments what they correct.
#include <libscan/textbook/block/tree_sweeps.cuh>
#include <libscan/warp/bitwise_scan.cuh>
#include <libscan/warp/segmented_scan.cuh>
#include <tests/simt/mistakes/mistake.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>

namespace libscan::test {

namespace {

/// Whether `threads` threads of a kernel compute the scan of n items.
template <class Kernel, class Op>
bool scans(scan_kind kind, int n, unsigned threads, Op op) {
  using T = typename Op::value_type;
  auto const items = make_items<T>(n);
  device_buffer<T> const in(items), out(static_cast<std::size_t>(n));
  simt::launch<Kernel>({.blocks = 1, .threads = threads}, static_cast<T const*>(in.data()),
                       out.data(), n);
  return out.copy() == scan_oracle(kind, items, op, Op::identity()).out;
}

constexpr int block_items = 64;

// Lecture, "(Incorrect) Implementation with Single Barrier": its barriers are in
// barrier_mistakes.cpp. It also stores without asking whether there is such an item.
template <variant V>
struct unguarded_kernel {
  struct shared_storage {
    unsigned sum[block_items];
  };
  __device__ void operator()(shared_storage& shared, unsigned const* in, unsigned* out,
                             int n) const {
    unsigned const i = threadIdx.x;
    bool const exists = static_cast<int>(i) < n;
    shared.sum[i] = exists ? in[i] : 0;
    for (unsigned stride = 1; stride < block_items; stride *= 2) {
      simt::sync_block();
      unsigned const earlier = i >= stride ? shared.sum[i - stride] : 0;
      simt::sync_block();
      shared.sum[i] += earlier;
    }
    noted_line[0] = __LINE__ + 1;
    if (V == variant::planted || exists) out[i] = shared.sum[i];
  }
};

template <variant V>
bool unguarded_store() {
  return scans<unguarded_kernel<V>>(scan_kind::inclusive, 61, block_items, plus<unsigned>{});
}

enum class buffer_slip { none, distance_doubled, adds_to_wrong_buffer, omits_copy };

/// Harris, Listing 1 and Algorithm 2; lecture, "Double Buffering".
template <buffer_slip Slip>
struct two_buffers_kernel {
  struct shared_storage {
    unsigned buffer[2][block_items];
  };
  __device__ void operator()(shared_storage& shared, unsigned const* in, unsigned* out, int) const {
    unsigned const k = threadIdx.x;
    int to = 0;
    shared.buffer[to][k] = in[k];
    for (unsigned distance = 1; distance < block_items; distance *= 2) {
      simt::sync_block();
      auto const& before = shared.buffer[to];
      to = 1 - to;
      auto& after = shared.buffer[to];
      if (k >= (Slip == buffer_slip::distance_doubled ? 2 * distance : distance)) {
        unsigned const own = Slip == buffer_slip::adds_to_wrong_buffer ? after[k] : before[k];
        after[k] = before[k - distance] + own;
      } else if (Slip != buffer_slip::omits_copy) {
        after[k] = before[k];
      }
    }
    out[k] = shared.buffer[to][k];
  }
};

template <buffer_slip Slip>
bool two_buffers() {
  return scans<two_buffers_kernel<Slip>>(scan_kind::inclusive, block_items, block_items,
                                         plus<unsigned>{});
}

enum class tree_slip { none, later_operand_first, offset_of_other_item };

/// Harris, Listing 2 with blocks A to E, for any operator.
template <tree_slip Slip, class Op>
struct tree_kernel {
  using T = typename Op::value_type;
  struct shared_storage {
    block::textbook::tile<T, block_items, block::textbook::padded<16>> item;
  };
  __device__ void operator()(shared_storage& shared, T const* in, T* out, int) const {
    auto& item = shared.item;
    int const a = static_cast<int>(threadIdx.x), b = a + block_items / 2;
    int const place_of_b = b + (Slip == tree_slip::offset_of_other_item ? a : b) / 16;
    item.at(a) = in[a];
    item.word[place_of_b] = in[b];
    block::textbook::up_sweep(item, block_items, Op{});
    if (a == 0) item.at(block_items - 1) = Op::identity();
    for (int stride = block_items / 2; stride > 0; stride /= 2) {
      simt::sync_block();
      if (a < block_items / (2 * stride)) {
        int const left = stride * (2 * a + 1) - 1, right = left + stride;
        T const sum = item.at(left), before = item.at(right);
        item.at(left) = before;
        item.at(right) =
            Slip == tree_slip::later_operand_first ? Op{}(sum, before) : Op{}(before, sum);
      }
    }
    simt::sync_block();
    out[a] = item.at(a);
    out[b] = item.word[place_of_b];
  }
};

template <tree_slip Slip>
bool by_tree() {
  return scans<tree_kernel<Slip, compose>>(scan_kind::exclusive, block_items, block_items / 2,
                                           compose{});
}

/// Verona, "Work-Efficient Parallel Scan (V)": what it calls the right item is the left one.
template <variant V>
struct down_sweep_kernel {
  struct shared_storage {
    unsigned item[block_items];
  };
  __device__ void operator()(shared_storage& shared, unsigned const* in, unsigned* out, int) const {
    int const thread = static_cast<int>(threadIdx.x);
    auto* const item = shared.item;
    item[thread] = in[thread];
    int step = 1;
    for (int limit = block_items / 2; limit > 0; limit /= 2, step *= 2) {
      simt::sync_block();
      int const right = (thread + 1) * (step * 2) - 1;
      if (thread < limit) item[right] = item[right - step] + item[right];
    }
    if (thread == 0) item[block_items - 1] = 0;
    int limit = 1;
    for (step = block_items / 2; step > 0; step /= 2, limit *= 2) {
      simt::sync_block();
      if (thread >= limit) continue;
      int const printed = (thread * 2 + 1) * step - 1;
      int const left = V == variant::correct ? printed : printed - step;
      noted_line[0] = __LINE__ + 1;
      unsigned const sum = item[left];
      item[left] = item[left + step];
      item[left + step] += sum;
    }
    simt::sync_block();
    out[thread] = item[thread];
  }
};

template <variant V>
bool left_of_the_array() {
  return scans<down_sweep_kernel<V>>(scan_kind::exclusive, block_items, block_items,
                                     plus<unsigned>{});
}

/// Chapter, Listing 3.1, which takes the lanes of a warp to run in lockstep.
template <variant V>
struct lockstep_kernel {
  struct shared_storage {
    unsigned value[64];
  };
  __device__ static void step_ends() {
    if constexpr (V == variant::correct) simt::sync_warp();
  }
  __device__ void operator()(shared_storage& shared, unsigned const* in, unsigned* out, int) const {
    unsigned volatile* const value = shared.value;
    unsigned const at = 32 + threadIdx.x;
    unsigned sum = in[threadIdx.x];
    value[at - 32] = 0;
    value[at] = sum;
    step_ends();
    for (unsigned distance = 1; distance < 32; distance *= 2) {
      sum += value[at - distance];
      step_ends();
      value[at] = sum;
      step_ends();
    }
    out[threadIdx.x] = value[at - 1];
  }
};

template <variant V>
bool lockstep() {
  return scans<lockstep_kernel<V>>(scan_kind::exclusive, 32, 32, plus<unsigned>{});
}

/// Chapter, Listing 3.3: the lane is taken from threadIdx.x, whatever the block's shape.
template <variant V>
struct lane_kernel {
  __device__ void operator()(unsigned* ranks) const {
    unsigned const lane =
        V == variant::correct ? static_cast<unsigned>(simt::thread_rank()) % 32 : threadIdx.x & 31;
    unsigned const below = (1u << lane) - 1;
    ranks[simt::thread_rank()] =
        static_cast<unsigned>(simt::popc(simt::ballot(simt::full_warp, true) & below));
  }
};

template <variant V>
bool lane_from_x() {
  device_buffer<unsigned> const ranks(32);
  simt::launch<lane_kernel<V>>({.blocks = 1, .threads = {8, 4}}, ranks.data());
  std::vector<unsigned> expected;
  for (unsigned lane = 0; lane < 32; ++lane) expected.push_back(lane);
  return ranks.copy() == expected;
}

enum class segment_slip { none, own_flag_lost, shift_by_32 };

/// Chapter, Listing 3.5: all predicates are true.
template <segment_slip Slip>
struct segments_kernel {
  __device__ void operator()(unsigned heads, unsigned* ranks) const {
    unsigned const below = simt::lanemask_lt();
    unsigned const mine =
        (heads | 1u) & (Slip == segment_slip::own_flag_lost ? below : simt::lanemask_le());
    int const above = simt::clz(mine) + 1;
    noted_line[0] = __LINE__ + 1;
    unsigned const shifted = Slip == segment_slip::shift_by_32 ? ~0u >> above : past(above);
    unsigned const set = simt::ballot(simt::full_warp, true);
    ranks[simt::lane_id()] = static_cast<unsigned>(simt::popc(set & below & ~shifted));
  }

  /// As GPUs shift: by 32 and more to nothing.
  __device__ static unsigned past(int above) { return above < 32 ? ~0u >> above : 0; }
};

template <segment_slip Slip>
std::vector<unsigned> ranks_in_segments() {
  device_buffer<unsigned> const ranks(32);
  simt::launch<segments_kernel<Slip>>({.blocks = 1, .threads = 32}, 0b10100101u, ranks.data());
  auto result = ranks.copy();
  result.resize(8);
  return result;
}

template <segment_slip Slip>
bool segments() {
  return ranks_in_segments<Slip>() == std::vector<unsigned>{0, 1, 0, 1, 2, 0, 1, 0};
}

enum class partial_slip { none, unwritten_sums, five_bits };

/// Chapter, Listing 3.6: all predicates are true.
template <partial_slip Slip>
struct partial_sums_kernel {
  static constexpr unsigned warps = 3;
  struct shared_storage {
    unsigned sum[32];
  };
  __device__ void operator()(shared_storage& shared, unsigned* ranks) const {
    unsigned const thread = threadIdx.x;
    auto const in_warp = warp::binary_scan(true);
    if (thread % 32 == 31) shared.sum[thread / 32] = static_cast<unsigned>(in_warp.count);
    simt::sync_block();
    if (thread < 32) {
      bool const reads = Slip == partial_slip::unwritten_sums || thread < warps;
      noted_line[0] = __LINE__ + 1;
      unsigned const sum = reads ? shared.sum[thread] : 0;
      constexpr int bits = Slip == partial_slip::five_bits ? 5 : 6;
      unsigned const before = warp::bitwise_scan<bits>(sum).prefix;
      if (thread < warps) shared.sum[thread] = before;
    }
    simt::sync_block();
    ranks[thread] = shared.sum[thread / 32] + static_cast<unsigned>(in_warp.rank);
  }
};

template <partial_slip Slip>
bool partial_sums() {
  constexpr unsigned threads = 32 * partial_sums_kernel<Slip>::warps;
  device_buffer<unsigned> const ranks(threads);
  simt::launch<partial_sums_kernel<Slip>>({.blocks = 1, .threads = threads}, ranks.data());
  std::vector<unsigned> expected;
  for (unsigned thread = 0; thread < threads; ++thread) expected.push_back(thread);
  return ranks.copy() == expected;
}

}  // namespace

std::vector<mistake> source_mistakes() {
  using enum variant;
  constexpr findings wrong_result{.fixed = true, .seeded = 20, .race = 20};
  constexpr findings race{.fixed = true, .seeded = 20, .race = 20, .tsan = true};
  return {
      {"lecture: store without a guard",
       unguarded_store<correct>,
       unguarded_store<planted>,
       {.asan = true},
       {"heap-buffer-overflow", "@0"},
       true},
      {"lecture: no copy of what has no partner",
       two_buffers<buffer_slip::none>,
       two_buffers<buffer_slip::omits_copy>,
       wrong_result,
       {}},
      {"Harris, Algorithm 2: 2^d for 2^(d-1)",
       two_buffers<buffer_slip::none>,
       two_buffers<buffer_slip::distance_doubled>,
       wrong_result,
       {}},
      {"Harris, Listing 1: adds to the wrong buffer",
       two_buffers<buffer_slip::none>,
       two_buffers<buffer_slip::adds_to_wrong_buffer>,
       wrong_result,
       {}},
      {"Harris and Verona: later operand first",
       by_tree<tree_slip::none>,
       by_tree<tree_slip::later_operand_first>,
       wrong_result,
       {}},
      {"Harris, block A: offset of the other item",
       by_tree<tree_slip::none>,
       by_tree<tree_slip::offset_of_other_item>,
       race,
       {}},
      {"Verona (V): left of the array",
       left_of_the_array<correct>,
       left_of_the_array<planted>,
       {.asan = true},
       {"heap-buffer-overflow", "@0"},
       true},
      {"chapter, Listing 3.1: lanes in lockstep", lockstep<correct>, lockstep<planted>, race, {}},
      {"chapter, Listing 3.3: lane from threadIdx.x",
       lane_from_x<correct>,
       lane_from_x<planted>,
       wrong_result,
       {}},
      {"chapter, Listing 3.5: lanemask_lt on the head flags",
       segments<segment_slip::none>,
       segments<segment_slip::own_flag_lost>,
       wrong_result,
       {}},
      {"chapter, Listing 3.5: shift by 32",
       segments<segment_slip::none>,
       segments<segment_slip::shift_by_32>,
       {.asan = true},
       {"shift exponent 32", "@0"},
       true},
      {"chapter, Listing 3.6: sums that were not written",
       partial_sums<partial_slip::none>,
       partial_sums<partial_slip::unwritten_sums>,
       {.race = 20},
       {}},
      {"chapter, Listing 3.6: partial sums of 5 bits",
       partial_sums<partial_slip::none>,
       partial_sums<partial_slip::five_bits>,
       wrong_result,
       {}},
  };
}

}  // namespace libscan::test
