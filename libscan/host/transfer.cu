// SPDX-License-Identifier: Apache-2.0
// transfer.cuh on the machine that this is compiled for.
#include <libscan/host/transfer.cuh>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <libscan/cpu/workers.hpp>
#include <libscan/host/this_machine.cuh>

namespace libscan::inline v1::detail {

#ifdef __CUDACC__

namespace {

constexpr std::size_t piece_bytes = max_piece_bytes(cuda_device{});
constexpr int max_threads = 16;

/// Pinned memory for one piece, and the copies that have not ended.
class staging_block {
 public:
  staging_block() {
    LIBSCAN_CHECK(cudaEventCreateWithFlags(&through_, cudaEventDisableTiming));
    LIBSCAN_CHECK(cudaHostAlloc(&pinned_, piece_bytes, cudaHostAllocPortable));
  }

  void* pinned() const { return pinned_; }

  /// What the stream holds now must be through before the block is used again. With `to`, `bytes`
  /// of the block then go there.
  void in_use(cudaStream_t stream, void* to, std::size_t bytes) {
    to_ = to;
    bytes_ = bytes;
    LIBSCAN_CHECK(cudaEventRecord(through_, stream));
  }

  void finish() {
    LIBSCAN_CHECK(cudaEventSynchronize(through_));
    if (void* const to = std::exchange(to_, nullptr)) std::memcpy(to, pinned_, bytes_);
  }

  /// Forgets what was to be copied.
  void drop() { to_ = nullptr; }

 private:
  cudaEvent_t through_ = nullptr;
  void* pinned_ = nullptr;
  void* to_ = nullptr;
  std::size_t bytes_ = 0;
};

/// What one thread copies with: a stream, and two blocks in turns.
struct lane {
  lane() {
    LIBSCAN_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    LIBSCAN_CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
  }

  void finish() {
    for (staging_block& block : blocks) block.finish();
  }

  cudaStream_t stream = nullptr;
  cudaEvent_t copied = nullptr;
  staging_block blocks[2];
};

/// Lanes that no call uses. They stay until the process ends, since pinning memory takes longer
/// than a copy: for each thread at once 8 MiB.
class lane_pool {
 public:
  std::unique_ptr<lane> take(int device) {
    {
      std::scoped_lock const lock(mutex_);
      auto& free = free_of(device);
      if (!free.empty()) {
        auto taken = std::move(free.back());
        free.pop_back();
        return taken;
      }
    }
    return std::make_unique<lane>();
  }

  void give_back(int device, std::unique_ptr<lane> used) {
    std::scoped_lock const lock(mutex_);
    free_of(device).push_back(std::move(used));
  }

 private:
  std::vector<std::unique_ptr<lane>>& free_of(int device) {
    auto const at = static_cast<std::size_t>(device);
    if (free_.size() <= at) free_.resize(at + 1);
    return free_[at];
  }

  std::mutex mutex_;
  std::vector<std::vector<std::unique_ptr<lane>>> free_;
};

lane_pool& lanes() {
  static lane_pool* const pool = new lane_pool;  // CUDA may end before static objects do
  return *pool;
}

/// Whether a copy needs no staging: pinned or managed memory.
bool reached_by_device(void const* host) {
  cudaPointerAttributes attributes{};
  bool const known = cudaPointerGetAttributes(&attributes, host) == cudaSuccess;
  (void)cudaGetLastError();
  return known && attributes.type != cudaMemoryTypeUnregistered;
}

/// Bytes that pass from host memory through device memory, or only one way.
class passage {
 public:
  /// `from` and `to` may be null. Without `device` each block has device memory of its own.
  passage(int device_number, std::byte const* from, std::byte* device, std::byte* to,
          std::size_t bytes)
      : device_number_(device_number),
        from_(from),
        device_(device),
        to_(to),
        bytes_(bytes),
        stage_from_(from != nullptr && !reached_by_device(from)),
        stage_to_(to != nullptr && !reached_by_device(to)) {}

  /// Between the copies in and out, kernels in one stream.
  void with_kernels(function_ref<void(device_piece const&)> enqueue, std::size_t item_bytes) {
    enqueue_ = &enqueue;
    item_bytes_ = item_bytes;
    LIBSCAN_CHECK(cudaStreamCreateWithFlags(&kernels_, cudaStreamNonBlocking));
    LIBSCAN_CHECK(cudaEventCreateWithFlags(&through_, cudaEventDisableTiming));
    run();
    LIBSCAN_CHECK(cudaStreamSynchronize(kernels_));
  }

  void run() {
    LIBSCAN_CHECK(cudaStreamSynchronize(nullptr));
    std::size_t const pieces = (bytes_ + piece_bytes - 1) / piece_bytes;
    int const most = stage_from_ || stage_to_ ? std::min(max_threads, cpu::default_threads()) : 2;
    auto const threads = std::min(pieces, static_cast<std::size_t>(most));
    cpu::run_workers(static_cast<int>(threads), [this] { work(); });
    if (error_) std::rethrow_exception(error_);
  }

  ~passage() {
    if (through_ != nullptr) (void)cudaEventDestroy(through_);
    if (kernels_ != nullptr) (void)cudaStreamDestroy(kernels_);
  }

 private:
  /// One thread's share.
  void work() {
    try {
      simt::selected_device const here(device_number_);
      auto own = lanes().take(device_number_);
      device::buffer<std::byte> const memory(
          device_ == nullptr ? static_cast<index_t>(2 * piece_bytes) : 0, own->stream);
      try {
        pass_pieces(*own, memory.data());
      } catch (...) {
        fail();
        // Before the memory and the blocks are used again.
        (void)cudaStreamSynchronize(own->stream);
        if (kernels_ != nullptr) (void)cudaStreamSynchronize(kernels_);
        for (staging_block& block : own->blocks) block.drop();
      }
      lanes().give_back(device_number_, std::move(own));
    } catch (...) {
      fail();
    }
  }

  void pass_pieces(lane& own, std::byte* memory) {
    for (int turn = 0;; turn ^= 1) {
      std::size_t const number = claimed_.fetch_add(1);
      if (failed_ || number * piece_bytes >= bytes_) break;
      staging_block& block = own.blocks[turn];
      block.finish();
      std::size_t const begin = number * piece_bytes;
      auto* const on_device = device_ != nullptr
                                  ? device_ + begin
                                  : memory + static_cast<std::size_t>(turn) * piece_bytes;
      pass(own, block, on_device, begin);
    }
    own.finish();
  }

  void pass(lane& own, staging_block& block, std::byte* on_device, std::size_t begin) {
    std::size_t const size = std::min(piece_bytes, bytes_ - begin);
    if (from_ != nullptr) {
      if (stage_from_) std::memcpy(block.pinned(), from_ + begin, size);
      simt::copy_async(on_device, stage_from_ ? block.pinned() : from_ + begin, size, own.stream);
    }
    if (enqueue_ != nullptr) enqueue_in_turn(own, on_device, begin, size);
    if (to_ != nullptr) {
      simt::copy_async(stage_to_ ? block.pinned() : to_ + begin, on_device, size, own.stream);
    }
    block.in_use(own.stream, stage_to_ ? to_ + begin : nullptr, size);
  }

  void enqueue_in_turn(lane& own, std::byte* on_device, std::size_t begin, std::size_t size) {
    LIBSCAN_CHECK(cudaEventRecord(own.copied, own.stream));
    auto const number = static_cast<index_t>(begin / piece_bytes);
    // Whoever has an earlier piece runs already, and waits only for still earlier ones.
    std::unique_lock lock(mutex_);
    turn_came_.wait(lock, [&] { return enqueued_ == number || failed_; });
    if (failed_) return;
    LIBSCAN_CHECK(cudaStreamWaitEvent(kernels_, own.copied));
    (*enqueue_)({on_device, static_cast<index_t>(size / item_bytes_), number, kernels_});
    LIBSCAN_CHECK(cudaEventRecord(through_, kernels_));
    LIBSCAN_CHECK(cudaStreamWaitEvent(own.stream, through_));
    ++enqueued_;
    turn_came_.notify_all();
  }

  /// Keeps the exception being handled, if it is the first, and ends the other threads' work.
  void fail() {
    failed_ = true;
    std::scoped_lock const lock(mutex_);
    if (!error_) error_ = std::current_exception();
    turn_came_.notify_all();
  }

  int device_number_;
  std::byte const* from_;
  std::byte* device_;
  std::byte* to_;
  std::size_t bytes_;
  bool stage_from_;
  bool stage_to_;
  std::size_t item_bytes_ = 1;
  function_ref<void(device_piece const&)>* enqueue_ = nullptr;
  cudaStream_t kernels_ = nullptr;
  cudaEvent_t through_ = nullptr;
  std::atomic<std::size_t> claimed_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::condition_variable turn_came_;
  index_t enqueued_ = 0;      // pieces whose kernels are in the stream; by mutex_
  std::exception_ptr error_;  // by mutex_
};

/// A copy one way. Short ones are not worth several threads.
void copy(std::byte const* from, std::byte* device, std::byte* to, std::size_t bytes) {
  void* const host = from != nullptr ? const_cast<std::byte*>(from) : to;
  if (bytes < min_bytes_in_pieces(cuda_device{}) || reached_by_device(host)) {
    void* const target = from != nullptr ? device : to;
    simt::copy_async(target, from != nullptr ? from : device, bytes);
    return simt::synchronize();
  }
  int number = 0;
  LIBSCAN_CHECK(cudaGetDevice(&number));
  passage(number, from, device, to, bytes).run();
}

}  // namespace

template <class Machine>
void transfer<Machine>::to_device(void* device, void const* host, std::size_t bytes) {
  copy(static_cast<std::byte const*>(host), static_cast<std::byte*>(device), nullptr, bytes);
}

template <class Machine>
void transfer<Machine>::to_host(void* host, void const* device, std::size_t bytes) {
  auto* const from = static_cast<std::byte*>(const_cast<void*>(device));
  copy(nullptr, from, static_cast<std::byte*>(host), bytes);
}

template <class Machine>
void transfer<Machine>::in_pieces(Machine on, host_bytes const& host,
                                  function_ref<void(device_piece const&)> enqueue) {
  simt::selected_device const here(on.number);
  passage(on.number, host.in, nullptr, host.out, host.bytes).with_kernels(enqueue, host.item_bytes);
}

#else

template <class Machine>
void transfer<Machine>::to_device(void* device, void const* host, std::size_t bytes) {
  simt::copy_async(device, host, bytes);
}

template <class Machine>
void transfer<Machine>::to_host(void* host, void const* device, std::size_t bytes) {
  simt::copy_async(host, device, bytes);
}

template <class Machine>
void transfer<Machine>::in_pieces(Machine /*on*/, host_bytes const& host,
                                  function_ref<void(device_piece const&)> enqueue) {
  constexpr std::size_t piece_bytes = max_piece_bytes(executor_run{});
  device::buffer<std::byte> const memory(static_cast<index_t>(piece_bytes));
  for (std::size_t begin = 0; begin < host.bytes; begin += piece_bytes) {
    std::size_t const size = std::min(piece_bytes, host.bytes - begin);
    simt::copy_async(memory.data(), host.in + begin, size);
    enqueue({memory.data(), static_cast<index_t>(size / host.item_bytes),
             static_cast<index_t>(begin / piece_bytes), nullptr});
    if (host.out != nullptr) simt::copy_async(host.out + begin, memory.data(), size);
  }
}

#endif

template struct transfer<device::this_machine>;

}  // namespace libscan::inline v1::detail
