// SPDX-License-Identifier: Apache-2.0
// Device-wide calls beside other work of the same GPU: nothing blocks, nothing deadlocks, nothing
// changes a bit of a floating-point sum.
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <tests/device/calls.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/streams.cuh>

using namespace libscan;
using namespace libscan::test;

namespace {

std::vector<device_call> const& calls() {
  static auto const all = all_calls();
  return all;
}

/// A call and its memory, with a workspace that is large enough: it allocates nothing.
struct job {
  job(device_call const& what, cudaStream_t stream)
      : call(what), buffers(call.n), memory(plenty_for_calls), on(stream) {
    buffers.refill();
  }

  void queue() const {
    workspace ws(memory.data(), memory.size(), on);
    call.queue(ws, buffers.memory(), call.n);
  }

  /// How the results differ, when the stream has done all that was queued, from those of a call
  /// that has ended; wiped for the next call.
  std::string difference_sync(job const& expected) const {
    simt::synchronize(on);
    auto result = buffers.difference(expected.buffers);
    buffers.wipe(on);
    simt::synchronize(on);
    return result;
  }

  device_call const& call;
  call_buffers buffers;
  device_buffer<std::byte> memory;
  cudaStream_t on;
};

/// A call that ran by itself.
job in_peace(device_call const& call) {
  job alone(call, nullptr);
  alone.queue();
  simt::synchronize();
  return alone;
}

int multiprocessors() { return simt::multiprocessor_count(); }

}  // namespace

TEST_CASE("on any stream a sum has the same bits") {
  int least = 0, greatest = 0;
  LIBSCAN_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  scoped_stream const blocking(cudaStreamDefault);
  scoped_stream const urgent(cudaStreamNonBlocking, greatest);
  scoped_stream const patient(cudaStreamNonBlocking, least);
  cudaStream_t const streams[] = {nullptr,  cudaStreamLegacy, cudaStreamPerThread,
                                  blocking, urgent,           patient};
  for (device_call const& call : calls()) {
    INFO(call.name);
    auto const expected = in_peace(call);
    for (cudaStream_t const stream : streams) {
      job const work(call, stream);
      work.queue();
      REQUIRE(work.difference_sync(expected) == "");
    }
  }
}

TEST_CASE("calls return while the stream is still busy") {
  scoped_stream const stream;
  for (device_call const& call : calls()) {
    INFO(call.name);
    auto const expected = in_peace(call);
    job const work(call, stream);
    work.queue();  // loads the kernels, which may wait for the GPU
    (void)work.difference_sync(expected);
    occupy(1, 200, stream);
    work.queue();
    mark const done(stream);
    CHECK_FALSE(done.passed());
    REQUIRE(work.difference_sync(expected) == "");
  }
}

TEST_CASE("under load from another stream a sum has the same bits") {
  scoped_stream const stream, other;
  device_buffer<std::uint64_t> const noise(std::size_t{1} << 24);
  simt::synchronize();
  for (device_call const& call : calls()) {
    INFO(call.name);
    auto const expected = in_peace(call);
    job const work(call, stream);
    for (unsigned round = 0; round < 8; ++round) {
      // Kernels of many sizes come and go, and take memory bandwidth and multiprocessors.
      for (unsigned blocks = 1; blocks < 2000; blocks = 3 * blocks + round) {
        simt::launch<fill_kernel>({.blocks = blocks, .threads = 256, .on = other}, noise.data(),
                                  index_t{1} << 24, random_steps<std::uint64_t>{});
      }
      work.queue();
      REQUIRE(work.difference_sync(expected) == "");
    }
    simt::synchronize(other);
  }
}

TEST_CASE("beside kernels that hold most multiprocessors, every call ends") {
  scoped_stream const stream, other;
  for (device_call const& call : calls()) {
    auto const expected = in_peace(call);
    job const work(call, stream);
    work.queue();
    (void)work.difference_sync(expected);
    for (int const left : {0, 1, 2, multiprocessors() / 2}) {
      INFO(call.name << ", multiprocessors left: " << left);
      LIBSCAN_CHECK(cudaDeviceSynchronize());
      occupy(multiprocessors() - left, 100, other);
      mark const released(other);
      work.queue();  // a cooperative launch waits, too; it does not fail
      mark const done(stream);
      CHECK_FALSE(released.passed());
      while (!done.passed() && !released.passed()) std::this_thread::yield();
      if (left > 0 && !call.waits_for_all) CHECK(done.passed());
      REQUIRE(work.difference_sync(expected) == "");
    }
  }
}

TEST_CASE("beside kernels that come and go everywhere, every call ends") {
  scoped_stream const stream;
  std::vector<std::unique_ptr<scoped_stream>> others;
  for (int k = 0; k < 4; ++k) others.push_back(std::make_unique<scoped_stream>());
  for (device_call const& call : calls()) {
    INFO(call.name);
    auto const expected = in_peace(call);
    job const work(call, stream);
    for (int round = 0; round < 6; ++round) {
      for (int k = 0; k < 12; ++k) {
        occupy((17 * k + 5 * round) % multiprocessors() + 1, 1 + k % 3, *others[k % 4]);
        if (k == 2 * round) work.queue();
      }
      REQUIRE(work.difference_sync(expected) == "");
    }
    LIBSCAN_CHECK(cudaDeviceSynchronize());
  }
}

TEST_CASE("calls on two streams, with a workspace each, do not disturb one another") {
  scoped_stream const stream, other;
  for (device_call const& a : calls()) {
    // Beside itself, and beside a resident, a pipelined and a look-back scan.
    for (device_call const* const b : {&a, &calls()[0], &calls()[1], &calls()[2]}) {
      INFO(a.name << " beside " << b->name);
      auto const expected_a = in_peace(a);
      auto const expected_b = in_peace(*b);
      job const work_a(a, stream), work_b(*b, other);
      for (int round = 0; round < 10; ++round) {
        for (int k = 0; k < 3; ++k) {
          work_a.queue();
          work_b.queue();
        }
        REQUIRE(work_a.difference_sync(expected_a) == "");
        REQUIRE(work_b.difference_sync(expected_b) == "");
      }
    }
  }
}

TEST_CASE("host threads may call at the same time, each on a stream of its own") {
  auto const expected = in_peace(calls()[1]);
  std::vector<std::string> found(4, "not run");
  std::vector<std::thread> threads;
  for (std::string& result : found) {
    threads.emplace_back([&result, &expected] {
      try {
        scoped_stream const stream;
        job const work(calls()[1], stream);
        result = "";
        for (int round = 0; round < 10 && result.empty(); ++round) {
          work.queue();
          result = work.difference_sync(expected);
        }
      } catch (std::exception const& failure) {
        result = failure.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(found == std::vector<std::string>(4));
}
