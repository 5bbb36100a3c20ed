// SPDX-License-Identifier: Apache-2.0
// The machine kernels are written for: one vocabulary, two machines. nvcc compiles it to CUDA; any
// other C++ compiler to the executor, which runs the very same kernels on the CPU, thread by
// thread.
#pragma once

// A kernel is a functor:
//
//   struct reverse_kernel {
//     static constexpr int block_threads = 256;       // both become __launch_bounds__; optional
//     static constexpr int resident_blocks = 2;       // of a multiprocessor, at least
//     static constexpr bool follows_kernel = true;    // optional: a kernel precedes it in its
//                                                     // stream, and it is prepared meanwhile
//     struct shared_storage { int items[block_threads]; };     // optional
//     __device__ void operator()(shared_storage& shared, int* data) const {
//       shared.items[threadIdx.x] = data[threadIdx.x];
//       simt::sync_block();
//       data[threadIdx.x] = shared.items[block_threads - 1 - threadIdx.x];
//     }
//   };
//   simt::launch<reverse_kernel>({.blocks = 1, .threads = 256}, d_data);
//
// threadIdx blockIdx blockDim gridDim   as in CUDA, 1 to 3 dimensions
//
// Warp: all take a mask of lanes that names the caller; lanes a partial warp lacks are ignored
//   ballot any all           votes (__ballot_sync ...)
//   shfl shfl_up shfl_down shfl_xor
//                            any trivially copyable type, optional width 1, 2, 4 ... 32; a lane
//                            that takes no part gives an undefined value
//   match_any match_all      4- or 8-byte values; match_all returns the mask, or 0
//   reduce_add reduce_min reduce_max reduce_and reduce_or reduce_xor     32-bit integers
//   sync_warp                the only one of these that orders memory
//   active_mask              some lanes that happen to be here: never "all lanes of the branch"
//   lane_id lanemask_lt lanemask_le lanemask_eq lanemask_ge lanemask_gt   popc clz ffs brev
//   byte_perm                picks 4 of the 8 bytes of two words, a digit 0 to 7 for each
//   dot<Small>               sum + the 1- or 2-byte integers of a word, each times a byte of
//                            weights < 128
//   opaque(x)                x, a 32-bit integer of which the compiler is to know nothing: what
//                            depends on it is found anew, not kept in registers from before
// Block
//   sync_block               barrier
//   sync_block_count sync_block_and sync_block_or     barriers that reduce a predicate
//   thread_rank              linear index in the block
//   dynamic_shared<T>()      run-time-sized shared memory, at least 16-byte aligned
//   raise_registers<N>() lower_registers<N>()         from here on a thread may use N registers,
//                            more than before or fewer; all warps of four consecutive ones call.
//                            Whoever raises waits for others to lower (sm_90a; elsewhere nothing)
// Cluster: the blocks of a launch that says so, which may reach into one another's shared memory
// (sm_90 and later; elsewhere a block is its own)
//   arrive_cluster wait_cluster
//                            the two halves of a barrier of all threads, none of which may have
//                            returned: each arrives, then waits; what came before any arrival comes
//                            before what follows the waits
//   in_block(own, block)     what `own`, in the caller's shared memory, is in that block's. Only
//                            once all blocks have begun, and while none has ended: a barrier before
//                            and behind all accesses tells
// Grid
//   sync_grid                cooperative launches only
//   arrive_grid wait_grid(arrival)
//                            its two halves, as those of a cluster's barrier, for all threads; what
//                            arrive_grid gives goes to wait_grid
// Memory
//   atomic_ref<T>            device scope, orders as in std::; block_atomic_ref<T> for shared
//                            memory. Every polling loop must read through one of them
//   thread_fence thread_fence_block
//   exchange_fence           orders as a release and an acquire of device scope do, around relaxed
//                            atomics: cheaper than thread_fence, which all fences agree on
//   load_vector store_vector    N items at once, aligned to their size together; stored to global
//                            memory only
//   store_shared_vector      the same, stored to shared memory only
//   load_vector_to_keep stream_vector    the same, 16 bytes: asking the L2 cache to keep what is
//                            read, or to drop what is written before anything else
//   mbarrier bulk_load       asynchronous copies global to shared, 16-byte aligned (sm_90 and
//                            later: `has_bulk_copy` tells in device code); l2_keep asks the cache
//                            to keep what they read
//   fence_mbarrier_init fence_proxy_async
// Host
//   launch<Kernel>({.blocks, .threads, .dynamic_shared_bytes, .on, .cooperative, .cluster}, args)
//   allocate deallocate fill_async copy_async synchronize stream
//   multiprocessor_count resident_blocks_per_multiprocessor<Kernel> device_can_pipeline<Kernel>
//   most_cluster_blocks<Kernel>
//   shared_room              bytes of shared memory that a block may have

#include <libscan/simt/machine.hpp>

#ifdef __CUDACC__
#include <libscan/simt/cuda/atomic.cuh>
#include <libscan/simt/cuda/block.cuh>
#include <libscan/simt/cuda/bulk_copy.cuh>
#include <libscan/simt/cuda/launch.cuh>
#include <libscan/simt/cuda/warp.cuh>
#else
#include <libscan/simt/executor/atomic.hpp>
#include <libscan/simt/executor/block.hpp>
#include <libscan/simt/executor/bulk_copy.hpp>
#include <libscan/simt/executor/launch.hpp>
#include <libscan/simt/executor/warp.hpp>
#endif

namespace libscan::inline LIBSCAN_MACHINE {

// Kernels inside the library say threadIdx as they would in plain CUDA; kernels elsewhere import
// these names from simt to compile for both machines.
using simt::blockDim;
using simt::blockIdx;
using simt::gridDim;
using simt::threadIdx;

}  // namespace libscan::inline LIBSCAN_MACHINE
