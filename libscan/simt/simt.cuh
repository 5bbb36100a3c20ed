// SPDX-License-Identifier: Apache-2.0
// The machine that kernels are written for: one vocabulary, two machines. nvcc compiles it to CUDA;
// any other C++ compiler compiles it to the executor, which runs the same kernels on the CPU,
// thread by thread.
#pragma once

// A kernel is a functor:
//
//   struct reverse_kernel {
//     static constexpr int block_threads = 256;       // both become __launch_bounds__; optional
//     static constexpr int resident_blocks = 2;       // per multiprocessor, at least
//     static constexpr bool programmatic_launch = true;    // optional: launched while the kernel
//                                                     // before it in its stream still runs
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
// Warp: all take a mask that includes the caller; lanes beyond a partial warp are ignored
//   ballot any all           votes (__ballot_sync ...)
//   shfl shfl_up shfl_down shfl_xor
//                            any trivially copyable type, optional width 1, 2, 4 ... 32; a lane
//                            that does not take part gives an undefined value
//   match_any match_all      4- or 8-byte values; match_all returns the mask, or 0
//   reduce_add reduce_min reduce_max reduce_and reduce_or reduce_xor     32-bit integers
//   sync_warp                the only one of these that orders memory
//   active_mask              some lanes that happen to be here, not "all lanes of the branch"
//   lane_id lanemask_lt lanemask_le lanemask_eq lanemask_ge lanemask_gt   popc clz ffs brev
//   byte_perm                picks 4 of the 8 bytes of two words, a digit 0 to 7 for each
//   dp4a<Small>              sum + the 1- or 2-byte integers of a word, each times a byte of
//                            weights < 128
//   opaque(x)                x, a 32-bit integer that the compiler knows nothing about: values that
//                            depend on it are recomputed, not kept in registers
// Block
//   sync_block               barrier
//   sync_block_count sync_block_and sync_block_or     barriers that reduce a predicate
//   thread_rank              linear index in the block
//   dynamic_shared<T>()      run-time-sized shared memory, at least 16-byte aligned
//   set_max_registers_inc<N>() set_max_registers_dec<N>()
//                            from here on a thread may use N registers, more or fewer than before;
//                            all warps of a group of four call. A raise waits until others have
//                            lowered theirs (sm_90a; elsewhere no effect)
// Cluster: all blocks of a launch that requests it; they may access one another's shared memory
// (sm_90 and later; elsewhere a single block is its own cluster)
//   arrive_cluster wait_cluster
//                            the two halves of a barrier of all threads; none may have returned.
//                            Each arrives, then waits: what came before any arrival comes before
//                            what follows the waits
//   map_shared_rank(own, block)
//                            the counterpart of `own` in that block's shared memory. Valid only
//                            after all blocks have begun and before any has ended: put a barrier
//                            before and after all accesses
// Grid
//   sync_grid                cooperative launches only
//   arrive_grid wait_grid(arrival)
//                            its two halves, like those of a cluster's barrier, for all threads;
//                            wait_grid takes the result of arrive_grid
// Memory
//   atomic_ref<T>            device scope, memory orders of std::; block_atomic_ref<T> for shared
//                            memory. Every polling loop must read through one of them
//   thread_fence thread_fence_block
//   exchange_fence           orders as a release and an acquire of device scope around relaxed
//                            atomics: cheaper than thread_fence, which is sequentially consistent
//   load_vector store_vector    N items at once, aligned to their size together; stored to global
//                            memory only
//   store_shared_vector      the same, stored to shared memory only
//   load_vector_to_keep stream_vector    the same, 16 bytes: hints the L2 cache to keep what is
//                            read, or to evict what is written first
//   mbarrier bulk_load       asynchronous copies global to shared, 16-byte aligned (sm_90 and
//                            later: see `has_bulk_copy` in device code); l2_keep hints the cache to
//                            keep what they read. `always_pipelines`: device code for GPUs that
//                            all are such
//   fence_mbarrier_init fence_proxy_async
//   trap                     ends the kernel with an error
// Host
//   launch<Kernel>({.blocks, .threads, .dynamic_shared_bytes, .on, .cooperative, .cluster}, args)
//   allocate deallocate fill_async copy_async synchronize stream
//   multiprocessor_count resident_blocks_per_multiprocessor<Kernel> device_can_pipeline<Kernel>
//   max_cluster_blocks<Kernel>
//   max_shared_bytes              bytes of shared memory that a block may have

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
