// SPDX-License-Identifier: Apache-2.0
// Device-wide calls beside other work of the same GPU: nothing blocks, nothing deadlocks, nothing
// changes a bit of a floating-point sum.
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <libscan/device/reduce.cuh>
#include <libscan/device/scan.cuh>
#include <libscan/device/segmented_scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/device_formula.hpp>
#include <tests/support/formula.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/streams.cuh>

using namespace libscan;
using namespace libscan::test;

namespace {

/// What the calls differ in: how they launch, and whether blocks wait for one another.
enum class call { resident, pipelined, look_back, segmented, reduction };

constexpr call all_calls[] = {call::resident, call::pipelined, call::look_back, call::segmented,
                              call::reduction};

std::string to_string(call which) {
  char const* const names[] = {"resident scan", "pipelined scan", "look-back scan",
                               "segmented scan", "reduction"};
  return names[static_cast<int>(which)];
}

/// Floats and where to sum them, with a workspace that is large enough: a call allocates nothing.
struct job {
  job(call what, cudaStream_t stream)
      : which(what),
        items(make_input<float>(pattern::random, what == call::resident ? 100003 : 4000037)),
        in(items),
        out(items.size()),
        memory(scan_workspace_bytes<float>(n()) + (std::size_t{1} << 20)),
        on(stream) {
    out.fill(0xff);
    simt::synchronize();
  }

  index_t n() const { return static_cast<index_t>(items.size()); }

  void queue() const {
    workspace ws(memory.data(), memory.size(), on);
    plus<float> const op;
    auto const* const first = static_cast<float const*>(in.data());
    switch (which) {
      case call::resident:
      case call::pipelined:
        return inclusive_scan(ws, first, out.data(), n(), op);
      case call::look_back:
        return inclusive_scan<look_back_tuning<float>>(ws, first, out.data(), n(), op);
      case call::segmented:
        return inclusive_segmented_scan(ws, first, out.data(), equal_segments{100000}, n(), op);
      case call::reduction:
        return reduce(ws, first, out.data(), n(), op);
    }
  }

  /// What is there when the stream has done all that was queued; wiped for the next call.
  std::vector<float> take_sync() const {
    simt::synchronize(on);
    auto result = out.copy();
    simt::fill_async(out.data(), 0xff, out.size() * sizeof(float), on);
    simt::synchronize(on);
    return result;
  }

  call which;
  std::vector<float> items;
  device_buffer<float> in;
  device_buffer<float> out;
  device_buffer<std::byte> memory;
  cudaStream_t on;
};

/// The result of a call that runs alone.
std::vector<float> in_peace(call which) {
  job const alone(which, nullptr);
  alone.queue();
  return alone.take_sync();
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
  for (call const which : all_calls) {
    INFO(to_string(which));
    auto const expected = in_peace(which);
    for (cudaStream_t const stream : streams) {
      job const work(which, stream);
      work.queue();
      REQUIRE(bit_difference(expected, work.take_sync()) == "");
    }
  }
}

TEST_CASE("calls return while the stream is still busy") {
  scoped_stream const stream;
  for (call const which : all_calls) {
    INFO(to_string(which));
    job const work(which, stream);
    work.queue();  // loads the kernels, which may wait for the GPU
    (void)work.take_sync();
    occupy(1, 200, stream);
    work.queue();
    mark const done(stream);
    CHECK_FALSE(done.passed());
    REQUIRE(bit_difference(in_peace(which), work.take_sync()) == "");
  }
}

TEST_CASE("under load from another stream a sum has the same bits") {
  scoped_stream const stream, other;
  device_buffer<std::uint64_t> const noise(std::size_t{1} << 24);
  simt::synchronize();
  for (call const which : all_calls) {
    INFO(to_string(which));
    auto const expected = in_peace(which);
    job const work(which, stream);
    for (int round = 0; round < 20; ++round) {
      // Kernels of many sizes come and go, and take memory bandwidth and multiprocessors.
      for (unsigned blocks = 1; blocks < 2000; blocks = 3 * blocks + static_cast<unsigned>(round)) {
        simt::launch<fill_kernel>({.blocks = blocks, .threads = 256, .on = other}, noise.data(),
                                  index_t{1} << 24, random_steps<std::uint64_t>{});
      }
      work.queue();
      REQUIRE(bit_difference(expected, work.take_sync()) == "");
    }
    simt::synchronize(other);
  }
}

TEST_CASE("beside kernels that hold most multiprocessors, every call ends") {
  scoped_stream const stream, other;
  for (call const which : all_calls) {
    auto const expected = in_peace(which);
    job const work(which, stream);
    work.queue();
    (void)work.take_sync();
    for (int const left : {0, 1, 2, multiprocessors() / 2}) {
      INFO(to_string(which) << ", multiprocessors left: " << left);
      LIBSCAN_CHECK(cudaDeviceSynchronize());
      occupy(multiprocessors() - left, 100, other);
      mark const released(other);
      work.queue();  // a cooperative launch waits, too; it does not fail
      mark const done(stream);
      CHECK_FALSE(released.passed());
      while (!done.passed() && !released.passed()) std::this_thread::yield();
      // Of so many items a reduction is a cooperative launch, too.
      bool const waits_for_all =
          which == call::resident || which == call::pipelined || which == call::reduction;
      if (left > 0 && !waits_for_all) CHECK(done.passed());
      REQUIRE(bit_difference(expected, work.take_sync()) == "");
    }
  }
}

TEST_CASE("beside kernels that come and go everywhere, every call ends") {
  scoped_stream const stream;
  std::vector<std::unique_ptr<scoped_stream>> others;
  for (int k = 0; k < 4; ++k) others.push_back(std::make_unique<scoped_stream>());
  for (call const which : all_calls) {
    INFO(to_string(which));
    auto const expected = in_peace(which);
    job const work(which, stream);
    for (int round = 0; round < 10; ++round) {
      for (int k = 0; k < 12; ++k) {
        occupy((17 * k + 5 * round) % multiprocessors() + 1, 1 + k % 3, *others[k % 4]);
        if (k == round) work.queue();
      }
      REQUIRE(bit_difference(expected, work.take_sync()) == "");
    }
    LIBSCAN_CHECK(cudaDeviceSynchronize());
  }
}

TEST_CASE("calls on two streams, with a workspace each, do not disturb one another") {
  scoped_stream const stream, other;
  for (call const a : all_calls) {
    for (call const b : all_calls) {
      INFO(to_string(a) << " beside " << to_string(b));
      auto const expected_a = in_peace(a);
      auto const expected_b = in_peace(b);
      job const work_a(a, stream), work_b(b, other);
      for (int round = 0; round < 10; ++round) {
        for (int k = 0; k < 3; ++k) {
          work_a.queue();
          work_b.queue();
        }
        REQUIRE(bit_difference(expected_a, work_a.take_sync()) == "");
        REQUIRE(bit_difference(expected_b, work_b.take_sync()) == "");
      }
    }
  }
}

TEST_CASE("host threads may call at the same time, each on a stream of its own") {
  auto const expected = in_peace(call::pipelined);
  std::vector<std::string> found(4, "not run");
  std::vector<std::thread> threads;
  for (std::string& result : found) {
    threads.emplace_back([&result, &expected] {
      try {
        scoped_stream const stream;
        job const work(call::pipelined, stream);
        result = "";
        for (int round = 0; round < 10 && result.empty(); ++round) {
          work.queue();
          result = bit_difference(expected, work.take_sync());
        }
      } catch (std::exception const& failure) {
        result = failure.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(found == std::vector<std::string>(4));
}
