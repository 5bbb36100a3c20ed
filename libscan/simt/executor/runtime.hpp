// SPDX-License-Identifier: Apache-2.0
// The executor's side of every intrinsic: no templates, compiled once, without instrumentation. The
// headers for kernels only name types and pass addresses of operands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <libscan/simt/executor/compiled_with.hpp>
#include <libscan/simt/executor/vocabulary.hpp>

namespace libscan::inline v1_executor::simt::executor {

// Device memory: the executor tracks every buffer it hands out, so that checkers find accesses
// outside them.

/// `bytes` of device memory, aligned to 256 bytes, between red zones that no kernel may touch.
void* allocate(std::size_t bytes);

/// Frees memory from `allocate`. Kernels may not touch it any more.
void deallocate(void* memory);

/// Makes `bytes` bytes of device memory out of bounds for kernels, as if they were outside its
/// buffer; the bytes between two forbidden ranges are then a buffer of their own. The racecheck
/// build reports kernels that touch them, every build reports bulk copies that read them, and in an
/// AddressSanitizer build the host may not touch them either. Freeing the memory ends this.
void forbid(void const* begin, std::size_t bytes);

/// Undoes a `forbid` of exactly these bytes.
void allow(void const* begin, std::size_t bytes);

/// Every call at which a thread can wait for others.
enum class call : std::uint8_t {
  none,
  sync_warp,
  ballot,
  any,
  all,
  shfl,
  shfl_up,
  shfl_down,
  shfl_xor,
  match_any,
  match_all,
  reduce_add,
  reduce_min_signed,
  reduce_min_unsigned,
  reduce_max_signed,
  reduce_max_unsigned,
  reduce_and,
  reduce_or,
  reduce_xor,
  sync_block,
  sync_block_count,
  sync_block_and,
  sync_block_or,
  wait_cluster,
  wait_grid,
  sync_grid,
  mbarrier_wait,
  atomic_load,
  active_mask,
};

/// One lane's part in a warp collective.
struct warp_call {
  call what = call::none;
  unsigned mask = 0;
  void const* operand = nullptr;  ///< the lane's value, `size` bytes
  void* result = nullptr;         ///< where its result is stored, `size` bytes
  std::size_t size = 0;
  int argument = 0;  ///< source lane, distance or lane mask of a shuffle
  int width = 32;
  call_site site;
};

/// Waits for all lanes of the mask, then returns with the result in place. Votes, matches and masks
/// return the result as the word.
unsigned warp_collective(warp_call const& arrival);

/// The caller and some other lanes of the warp that make this same call; all of them get the same
/// word.
unsigned active_lanes(call_site site);

/// Waits for all threads of the block; returns the number of true predicates, or their `and` or
/// `or`.
int block_barrier(call what, bool predicate, call_site site);
void grid_barrier(call_site site);

/// The two halves of a barrier of all blocks of a cluster or of a cooperative grid. The call that
/// waits there is named.
void arrive_among_blocks(call waits_in, call_site site);
void wait_among_blocks(call waits_in, call_site site);

/// Called around atomic operations. If this thread has just read the same value there, `polled`
/// sleeps until the value changes. Returns whether it slept.
void before_atomic();
bool polled(void const* address, void const* value, std::size_t size, call_site site);
void stored(void const* address);
void fence();

/// mbarriers and bulk copies, with the meaning given in simt.cuh.
void mbarrier_init(void* barrier, unsigned arrivals, call_site site);
void mbarrier_invalidate(void* barrier, call_site site);
void mbarrier_arrive(void* barrier, unsigned expected_bytes, call_site site);
bool mbarrier_try_wait(void* barrier, unsigned parity, call_site site);
void mbarrier_wait(void* barrier, unsigned parity, call_site site);
void proxy_fence();
void bulk_load(void* target, void const* source, unsigned bytes, void* barrier, call_site site);

/// Throws unless `address` is a multiple of `alignment`.
void require_aligned(void const* address, std::size_t alignment, call_site site);

/// Fails the launch unless `address` is in the shared memory of the caller's block (or, if not
/// `shared`, is outside it).
void require_shared(void const* address, bool shared, call_site site);

/// The counterpart of `own`, which is in the caller's shared memory, in that of another block of
/// the cluster.
void* shared_of_block(void* own, unsigned block, call_site site);

/// Start of the run-time-sized shared memory of the calling thread's block.
void* dynamic_shared_memory();

/// Start of the statically sized shared memory of the calling thread's block.
void* static_shared_memory();

int lane_id();
int thread_rank();

/// The shared memory that a block may have: as on an H200.
inline constexpr std::size_t shared_bytes_of_block = 227 * 1024;

/// The blocks that a cluster may have: as on an H200.
inline constexpr int max_cluster_blocks = 16;

/// What a launch needs to know about a kernel.
struct grid {
  dim3 blocks;
  dim3 threads;
  std::size_t static_shared_bytes = 0;
  std::size_t shared_alignment = 16;
  std::size_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  bool cluster = false;
  std::string kernel;             ///< name for messages
  void (*body)(void*) = nullptr;  ///< runs one thread
  void* arguments = nullptr;
  std::size_t argument_bytes = 0;
};

/// Runs all threads of a grid to their end. Throws `kernel_error`, or any exception of the kernel.
void run(grid const& work);

}  // namespace libscan::inline v1_executor::simt::executor
