// SPDX-License-Identifier: Apache-2.0
// Mistakes with bulk copies and mbarriers, planted in a pipeline of two stages.
#include <tests/simt/mistakes/mistake.hpp>

namespace libscan::test {

namespace {

constexpr unsigned stage_items = 64;
constexpr unsigned stage_bytes = stage_items * sizeof(int);
constexpr unsigned stages = 2;
constexpr unsigned tiles = 6;

enum class flaw {
  none,
  no_wait,         // a stage is read before its copy has been waited for
  wrong_parity,    // the wait is for the phase before
  no_release,      // a stage is filled again while others still read it
  too_few_bytes,   // fewer bytes expected than copied
  too_many_bytes,  // more
  misaligned,
  odd_size,
  outside_shared,  // past the end of shared memory
  never_waited,    // the last copy
  extra_arrival,
  uninitialized,  // no mbarrier there
  unseen_init     // mbarriers used before all know that they are initialized
};

/// Sums tiles that arrive through a ring of stages: thread 0 issues the copies, all add.
template <flaw Flaw>
struct pipeline_kernel {
  struct shared_storage {
    alignas(128) int stage[stages][stage_items];
    simt::mbarrier full[stages];
    simt::mbarrier empty[stages];
  };

  __device__ void operator()(shared_storage& shared, int const* in, int* out) const {
    if (threadIdx.x == 0 && Flaw != flaw::uninitialized) start(shared);
    if constexpr (Flaw != flaw::unseen_init) simt::sync_block();
    if (threadIdx.x == 0) {
      for (unsigned tile = 0; tile < stages; ++tile) issue(shared, in, tile);
    }
    int sum = 0;
    for (unsigned tile = 0; tile < tiles; ++tile) {
      unsigned const stage = tile % stages;
      unsigned const parity = tile / stages % 2;
      if (Flaw == flaw::never_waited && tile == tiles - 1) break;
      bool const errs = threadIdx.x == 37;
      if (Flaw == flaw::wrong_parity && errs) {
        shared.full[stage].wait(1 - parity);
      } else if (Flaw != flaw::no_wait || !errs) {
        shared.full[stage].wait(parity);
      }
      sum += shared.stage[stage][threadIdx.x];
      shared.empty[stage].arrive();
      unsigned const next = tile + stages;
      if (threadIdx.x == 0 && next < tiles) {
        if constexpr (Flaw != flaw::no_release) shared.empty[stage].wait(parity);
        issue(shared, in, next);
      }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  }

  __device__ static void start(shared_storage& shared) {
    for (unsigned stage = 0; stage < stages; ++stage) {
      shared.full[stage].init(1);
      shared.empty[stage].init(blockDim.x);
    }
    simt::fence_mbarrier_init();
  }

  __device__ static void issue(shared_storage& shared, int const* in, unsigned tile) {
    unsigned const stage = tile % stages;
    unsigned expected = stage_bytes;
    if (Flaw == flaw::too_few_bytes) expected -= 16;
    if (Flaw == flaw::too_many_bytes) expected += 16;
    shared.full[stage].arrive_expect(expected);
    if constexpr (Flaw == flaw::extra_arrival) {
      noted_line[0] = __LINE__ + 1;
      shared.full[stage].arrive();
    }
    int* target = shared.stage[stage];
    if (Flaw == flaw::misaligned) ++target;
    if (Flaw == flaw::outside_shared) target += sizeof(shared_storage) / sizeof(int) - 4;
    unsigned const bytes = Flaw == flaw::odd_size ? stage_bytes - 4 : stage_bytes;
    noted_line[0] = __LINE__ + 1;
    simt::bulk_load(target, in + tile * stage_items, bytes, shared.full[stage]);
  }
};

template <flaw Flaw>
bool pipeline() {
  device_buffer<int> const in(iota(tiles * stage_items)), out(2 * stage_items);
  simt::launch<pipeline_kernel<Flaw>>({.blocks = 2, .threads = stage_items},
                                      static_cast<int const*>(in.data()), out.data());
  std::vector<int> const sums = out.copy();
  for (unsigned i = 0; i < sums.size(); ++i) {
    int expected = 0;
    for (unsigned tile = 0; tile < tiles; ++tile) {
      if (Flaw == flaw::never_waited && tile == tiles - 1) continue;
      expected += static_cast<int>(tile * stage_items + i % stage_items);
    }
    if (sums[i] != expected) return false;
  }
  return true;
}

template <variant V>
struct source_kernel {
  struct shared_storage {
    alignas(16) int stage[stage_items];
    simt::mbarrier full;
  };
  __device__ void operator()(shared_storage& shared, int const* in, int* out) const {
    if (threadIdx.x == 0) {
      shared.full.init(1);
      simt::fence_mbarrier_init();
      shared.full.arrive_expect(stage_bytes);
      noted_line[0] = __LINE__ + 1;
      simt::bulk_load(shared.stage, in + (V == variant::correct ? 0 : 16), stage_bytes,
                      shared.full);
    }
    simt::sync_block();
    shared.full.wait(0);
    out[threadIdx.x] = shared.stage[threadIdx.x];
  }
};

template <variant V>
bool source_out_of_bounds() {
  device_buffer<int> const in(iota(stage_items)), out(stage_items);
  simt::launch<source_kernel<V>>({.blocks = 1, .threads = stage_items},
                                 static_cast<int const*>(in.data()), out.data());
  return out.copy() == iota(stage_items);
}

enum class proxy_fence {
  of_writers,  // each thread's after its write
  of_issuer,   // of the thread that issues the copy, after the barrier
  none,
  before,     // of each thread, before its write
  not_by_all  // one thread forgets it
};

/// Threads write into the stage, then a bulk copy fills it again.
template <proxy_fence Fence>
struct refill_kernel {
  struct shared_storage {
    alignas(16) int stage[stage_items];
    simt::mbarrier full;
  };
  __device__ void operator()(shared_storage& shared, int const* in, int* out) const {
    unsigned const i = threadIdx.x;
    if (i == 0) {
      shared.full.init(1);
      simt::fence_mbarrier_init();
    }
    if (Fence == proxy_fence::before) simt::fence_proxy_async();
    shared.stage[i] = -1;
    if (Fence == proxy_fence::of_writers) simt::fence_proxy_async();
    if (Fence == proxy_fence::not_by_all && i != 37) simt::fence_proxy_async();
    simt::sync_block();
    if (i == 0) {
      if (Fence == proxy_fence::of_issuer) simt::fence_proxy_async();
      shared.full.arrive_expect(stage_bytes);
      noted_line[0] = __LINE__ + 1;
      simt::bulk_load(shared.stage, in, stage_bytes, shared.full);
    }
    shared.full.wait(0);
    out[i] = shared.stage[i];
  }
};

template <proxy_fence Fence>
bool refill() {
  device_buffer<int> const in(iota(stage_items)), out(stage_items);
  simt::launch<refill_kernel<Fence>>({.blocks = 1, .threads = stage_items},
                                     static_cast<int const*>(in.data()), out.data());
  return out.copy() == iota(stage_items);
}

mistake in_pipeline(std::string name, bool (*planted)(), findings found_by,
                    std::vector<std::string> says) {
  return {"pipeline: " + name, pipeline<flaw::none>, planted, found_by, std::move(says)};
}

}  // namespace

std::vector<mistake> bulk_copy_mistakes() {
  constexpr findings always{.fixed = true, .seeded = 20, .race = 20};
  std::string const kernel = "pipeline_kernel";
  return {
      in_pipeline("stage read before its wait", pipeline<flaw::no_wait>,
                  {.fixed = true, .seeded = 20, .race = 20, .tsan = true}, {}),
      in_pipeline("wait for the wrong phase", pipeline<flaw::wrong_parity>,
                  {.fixed = true, .seeded = 20, .race = 20, .tsan = true}, {}),
      in_pipeline("stage reused too early", pipeline<flaw::no_release>,
                  {.seeded = 15, .race = 20, .tsan = true}, {}),
      in_pipeline("too few bytes expected", pipeline<flaw::too_few_bytes>, always,
                  {kernel, "bytes"}),
      in_pipeline("too many bytes expected", pipeline<flaw::too_many_bytes>, always,
                  {kernel, "deadlock", "mbarrier wait (0 arrivals and 16 bytes missing) at "}),
      in_pipeline("misaligned target", pipeline<flaw::misaligned>, always,
                  {kernel, "access of 16 bytes at @0 is not aligned"}),
      in_pipeline("size no multiple of 16", pipeline<flaw::odd_size>, always,
                  {kernel, "bulk copy at @0 of 252 bytes"}),
      in_pipeline("target outside shared memory", pipeline<flaw::outside_shared>, always,
                  {kernel, "bulk copy at @0 writes outside the block's shared memory"}),
      in_pipeline("last copy never waited for", pipeline<flaw::never_waited>, always,
                  {kernel, "the bulk copy at @0 has not been waited for"}),
      in_pipeline("one arrival too many", pipeline<flaw::extra_arrival>, always,
                  {kernel, "more than 1 arrivals in one phase of an mbarrier, at @0"}),
      in_pipeline("mbarrier never initialized", pipeline<flaw::uninitialized>, always,
                  {kernel, "on an mbarrier that has not been initialized"}),
      in_pipeline("mbarrier used before all know of its init", pipeline<flaw::unseen_init>,
                  {.seeded = 15, .race = 15},
                  {kernel, "on an mbarrier that has not been initialized"}),
      {"bulk copy into written bytes without a proxy fence",
       refill<proxy_fence::of_writers>,
       refill<proxy_fence::none>,
       always,
       {"refill_kernel", "bulk copy at @0 overwrites what threads have written"}},
      {"proxy fence before the write",
       refill<proxy_fence::of_issuer>,
       refill<proxy_fence::before>,
       {.race = 20},
       {}},
      {"proxy fence of all threads but one",
       refill<proxy_fence::of_writers>,
       refill<proxy_fence::not_by_all>,
       {.race = 20},
       {}},
      {"bulk copy from out of bounds",
       source_out_of_bounds<variant::correct>,
       source_out_of_bounds<variant::planted>,
       always,
       {"source_kernel",
        "bulk copy at @0 reads 256 bytes, out of bounds: 0 bytes past the end of a "
        "buffer of 256 bytes"}},
  };
}

}  // namespace libscan::test
