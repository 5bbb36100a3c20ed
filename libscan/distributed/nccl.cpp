// SPDX-License-Identifier: Apache-2.0
// The transport over NCCL: one group of sends and receives for each exchange, which is polled, so
// that a rank that waits sees when another gives up or when time is up.
#include <libscan/distributed/nccl.hpp>

#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <libscan/core/error.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/error.hpp>
#include <libscan/host/device_memory.hpp>

namespace libscan::inline v1 {
namespace {

using std::chrono::steady_clock;

class nccl_transport final : public transport {
 public:
  nccl_transport(communicator control, ncclComm_t data, nccl_options const& options, bool owned)
      : control_(std::move(control)), data_(data), options_(options), owned_(owned) {}

  ~nccl_transport() override {
    if (owned_ && !aborted_) (void)ncclCommDestroy(data_);
  }

  int rank() const override { return control_.rank(); }
  int size() const override { return control_.size(); }

  void allgather(call_step at, std::span<std::byte const> mine, std::span<std::byte> all) override {
    control_.through().allgather(at, mine, all);
  }
  void sum(call_step at, std::span<index_t> counters, summed_ranks which) override {
    control_.through().sum(at, counters, which);
  }
  void transpose(call_step at, std::span<index_t const> to, std::span<index_t> from) override {
    control_.through().transpose(at, to, from);
  }
  void exchange(call_step at, std::span<outgoing const> sends,
                std::span<incoming const> receives) override {
    control_.through().exchange(at, sends, receives);
  }

  void exchange_on(device_queue const& queue, call_step at, std::span<outgoing const> sends,
                   std::span<incoming const> receives) override {
    if (!queue.on.is_cuda()) return control_.through().exchange_on(queue, at, sends, receives);
    auto const stream = static_cast<cudaStream_t>(queue.stream);
    try {
      check(at, ncclGroupStart());
      for (outgoing const& one : sends) {
        if (one.to == rank()) continue;
        check(at, ncclSend(one.bytes.data(), one.bytes.size(), ncclUint8, one.to, data_, stream));
      }
      for (incoming const& one : receives) {
        if (one.from == rank()) {
          keep(queue, sends, one);
        } else {
          check(at,
                ncclRecv(one.bytes.data(), one.bytes.size(), ncclUint8, one.from, data_, stream));
        }
      }
      check(at, ncclGroupEnd());
      wait(at, stream);
    } catch (...) {
      abort();
      throw;
    }
  }

  void listen(call_step at) override { control_.through().listen(at); }

  void abandon(std::string_view reason) noexcept override {
    control_.through().abandon(reason);
    abort();
  }

 private:
  std::string name(call_step at) const {
    return "rank " + std::to_string(rank()) + ", " + at.name();
  }

  /// Copies the message of this rank to itself.
  void keep(device_queue const& queue, std::span<outgoing const> sends, incoming const& own) const {
    for (outgoing const& one : sends) {
      if (one.to != rank()) continue;
      detail::copy(queue, own.bytes.data(), one.bytes.data(), own.bytes.size());
    }
  }

  /// A communicator that does not block reports that it is not done yet.
  void check(call_step at, ncclResult_t code) const {
    if (code == ncclSuccess || code == ncclInProgress) return;
    throw communicator_lost(name(at) + ": NCCL failed: " + ncclGetErrorString(code));
  }

  /// Waits until the stream has come this far and NCCL has no more to do.
  void wait(call_step at, cudaStream_t stream) {
    auto const end = steady_clock::now() + options_.timeout;
    for (unsigned tries = 0;; ++tries) {
      ncclResult_t state = ncclSuccess;
      check(at, ncclCommGetAsyncError(data_, &state));
      check(at, state);
      cudaError_t const code = cudaStreamQuery(stream);
      if (code == cudaSuccess && state == ncclSuccess) return;
      if (code != cudaSuccess && code != cudaErrorNotReady) {
        throw device_error(static_cast<int>(code), name(at) + ": " + cudaGetErrorString(code));
      }
      if (tries % 64 != 63) continue;
      control_.through().listen(at);
      if (steady_clock::now() > end) {
        throw communicator_lost(name(at) + ": no progress for " +
                                std::to_string(options_.timeout.count()) + " ms");
      }
      std::this_thread::yield();
    }
  }

  void abort() noexcept {
    if (!std::exchange(aborted_, true)) (void)ncclCommAbort(data_);
  }

  communicator control_;
  ncclComm_t data_;
  nccl_options options_;
  bool owned_;
  bool aborted_ = false;
};

void require(ncclResult_t code) {
  if (code == ncclSuccess) return;
  throw device_error(static_cast<int>(code),
                     std::string("communicator_of: NCCL failed: ") + ncclGetErrorString(code));
}

}  // namespace

communicator communicator_of(communicator const& control, ncclComm_t data,
                             nccl_options const& options) {
  detail::collective(control, "communicator_of", [&](detail::collective_call& call) {
    call.agree("ranks", [&] {
      int rank = 0, size = 0;
      require(ncclCommUserRank(data, &rank));
      require(ncclCommCount(data, &size));
      if (options.timeout.count() < 1) {
        throw invalid_argument("communicator_of: a timeout of at least 1 ms expected");
      }
      if (rank == control.rank() && size == control.size()) return;
      throw invalid_argument("communicator_of: NCCL's rank " + std::to_string(rank) + " of " +
                             std::to_string(size) + " on rank " + std::to_string(control.rank()) +
                             " of " + std::to_string(control.size()) + "; expected the same");
    });
  });
  return communicator(std::make_shared<nccl_transport>(control, data, options, false));
}

communicator nccl_communicator_of(communicator const& control, engine const& on,
                                  nccl_options const& options) {
  return detail::collective(control, "nccl_communicator_of", [&](detail::collective_call& call) {
    auto const ids = call.gather("unique id", [&] {
      if (!on.is_cuda()) {
        throw invalid_argument("nccl_communicator_of: the engine is " + on.description() +
                               "; expected a GPU");
      }
      ncclUniqueId id{};
      if (control.rank() == 0) require(ncclGetUniqueId(&id));
      return id;
    });
    ncclComm_t data = nullptr;
    call.agree("start", [&] {
      detail::select(on);
      require(ncclCommInitRank(&data, control.size(), ids[0], control.rank()));
    });
    return communicator(std::make_shared<nccl_transport>(control, data, options, true));
  });
}

}  // namespace libscan::inline v1
