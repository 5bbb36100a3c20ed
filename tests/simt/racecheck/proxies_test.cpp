// SPDX-License-Identifier: Apache-2.0
// Bulk copies use another proxy than threads: what threads wrote needs a proxy fence on the way to
// a copy of the same bytes, by whichever thread and along whatever orders the two.
#include <vector>

#include <tests/simt/mistakes/mistake.hpp>
#include <tests/simt/racecheck/finding.hpp>
#include <tests/support/device_buffer.hpp>

namespace libscan::test {

namespace {

constexpr unsigned items = 64;
constexpr unsigned bytes = items * sizeof(int);

enum class way { barrier, mbarrier, release, relaxed_with_fences };
enum class fence { none, writer, issuer };

struct storage {
  alignas(16) int stage[items];
  simt::mbarrier full;
  simt::mbarrier written;
  int flag;
};

/// One warp writes into the stage, thread 32 has a copy overwrite it.
template <way Way, fence Fence>
struct handover_kernel {
  using shared_storage = storage;
  __device__ void operator()(shared_storage& shared, int const* in, int* out) const {
    unsigned const i = threadIdx.x;
    if (i == 0) {
      shared.full.init(1);
      shared.written.init(32);
      shared.flag = 0;
    }
    simt::sync_block();
    simt::block_atomic_ref<int> const flag(shared.flag);
    if (i < 32) {
      shared.stage[i] = -1;  //: write
      if (Fence == fence::writer) simt::fence_proxy_async();
      if (Way == way::mbarrier) shared.written.arrive();
      if (Way == way::release) flag.fetch_add(1, simt::memory_order_release);
      if (Way == way::relaxed_with_fences) {
        simt::thread_fence_block();
        flag.fetch_add(1, simt::memory_order_relaxed);
      }
    }
    if (Way == way::barrier) simt::sync_block();
    if (i == 32) {
      if (Way == way::mbarrier) shared.written.wait(0);
      if (Way == way::release) {
        while (flag.load(simt::memory_order_acquire) != 32) {
        }
      }
      if (Way == way::relaxed_with_fences) {
        while (flag.load(simt::memory_order_relaxed) != 32) {
        }
        simt::thread_fence_block();
      }
      if (Fence == fence::issuer) simt::fence_proxy_async();
      shared.full.arrive_expect(bytes);
      simt::bulk_load(shared.stage, in, bytes, shared.full);  //: copy
    }
    shared.full.wait(0);
    out[i] = shared.stage[i];
  }
};

template <way Way, fence Fence>
auto handover(int const* in, int* out) {
  return [=] { simt::launch<handover_kernel<Way, Fence>>({.blocks = 1, .threads = 64}, in, out); };
}

template <way Way>
void check_way() {
  device_buffer<int> const in(iota(items)), out(items);
  silent(handover<Way, fence::writer>(in.data(), out.data()));
  silent(handover<Way, fence::issuer>(in.data(), out.data()));
  for (auto const& how : schedules()) {
    std::string const error = error_of(handover<Way, fence::none>(in.data(), out.data()), how);
    INFO(how.seed << ": " << error);
    CHECK(error.find("handover_kernel") != std::string::npos);
    CHECK(error.find(at(__FILE__, "copy")) != std::string::npos);
  }
}

/// Reads of a stage, then another copy into it. `Writes`: a thread has written to it besides, to
/// the value that is there, which the plain executor cannot see.
template <bool Fence, bool Writes>
struct reader_kernel {
  using shared_storage = storage;
  __device__ void operator()(shared_storage& shared, int const* in, int* out, int zero) const {
    unsigned const i = threadIdx.x;
    if (i == 0) shared.full.init(1);
    simt::sync_block();
    int sum = 0;
    for (unsigned phase = 0; phase < 2; ++phase) {
      if (i == 0) {
        shared.full.arrive_expect(bytes);
        simt::bulk_load(shared.stage, in, bytes, shared.full);  //: refill
      }
      shared.full.wait(phase);
      int const item = shared.stage[i];                     //: read
      if (Writes && i == 5) shared.stage[i] = item + zero;  //: same value
      sum += item;
      if (Fence) simt::fence_proxy_async();
      simt::sync_block();
    }
    out[i] = sum;
  }
};

template <bool Fence, bool Writes>
auto reader(int const* in, int* out) {
  return
      [=] { simt::launch<reader_kernel<Fence, Writes>>({.blocks = 1, .threads = 64}, in, out, 0); };
}

/// Copies from global memory what the kernel itself has written there: no fence of kernels' is for
/// that.
struct global_kernel {
  using shared_storage = storage;
  __device__ void operator()(shared_storage& shared, int* in, int* out) const {
    unsigned const i = threadIdx.x;
    if (i == 0) shared.full.init(1);
    in[i] = 3;  //: global write
    simt::sync_block();
    if (i == 0) {
      shared.full.arrive_expect(bytes);
      simt::bulk_load(shared.stage, in, bytes, shared.full);  //: global read
    }
    shared.full.wait(0);
    out[i] = shared.stage[i];
  }
};

}  // namespace

TEST_CASE("a proxy fence counts along every way that orders threads") {
  check_way<way::barrier>();
  check_way<way::mbarrier>();
  check_way<way::release>();
  check_way<way::relaxed_with_fences>();
}

TEST_CASE("the message names the write, the copy and the missing fence") {
  device_buffer<int> const in(iota(items)), out(items);
  found(reader<false, true>(in.data(), out.data()),
        {"reader_kernel", "block (0,0,0): race in shared memory (byte 16 of the static part): the ",
         "bulk copy of thread 0 writes at " + at(__FILE__, "refill") + " what thread 5 wrote at " +
             at(__FILE__, "same value") + ", and no proxy fence lies between the two"});
  silent(reader<true, true>(in.data(), out.data()));
}

TEST_CASE("reads need a proxy fence only if the settings say so") {
  device_buffer<int> const in(iota(items)), out(items);
  silent(reader<false, false>(in.data(), out.data()));
  for (simt::executor::settings how : schedules()) {
    how.fence_after_reads = true;
    CHECK(error_of(reader<true, false>(in.data(), out.data()), how) == "");
    std::string const error = error_of(reader<false, false>(in.data(), out.data()), how);
    INFO(error);
    CHECK(error.find(" read at " + at(__FILE__, "read") + ", and no proxy fence lies between") !=
          std::string::npos);
  }
}

TEST_CASE("a bulk copy of global memory that the launch has written is found") {
  device_buffer<int> const in(iota(items)), out(items);
  found([&] { simt::launch<global_kernel>({.blocks = 1, .threads = 64}, in.data(), out.data()); },
        {"race in global memory: the bulk copy of thread 0 reads at " +
             at(__FILE__, "global read") + " what thread ",
         " wrote at " + at(__FILE__, "global write") + ", and no proxy fence lies between"});
}

}  // namespace libscan::test
