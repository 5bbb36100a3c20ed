// SPDX-License-Identifier: Apache-2.0
// transfer.cuh on the machine that this is compiled for.
#include <libscan/host/transfer.cuh>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <libscan/cpu/workers.hpp>
#include <libscan/host/passage.hpp>
#include <libscan/host/this_machine.cuh>
#include <libscan/host/transfer_tuning.hpp>

namespace libscan::inline v1::detail {

namespace {

/// A block holds a piece with a bit for each item, and an item of the piece before it.
constexpr std::size_t block_bytes_for(std::size_t piece_bytes) {
  return piece_bytes + piece_bytes / 8 + 512;
}

#ifdef __CUDACC__

/// CUDA, as `passage` uses it.
struct cuda_copies {
  static constexpr std::size_t block_bytes = block_bytes_for(std::size_t{4} << 20);
  using scope = simt::selected_device;

  class stream;

  class event {
   public:
    event() { LIBSCAN_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
    event(event const&) = delete;
    ~event() { (void)cudaEventDestroy(event_); }
    void record(stream const& on) { LIBSCAN_CHECK(cudaEventRecord(event_, on.stream_)); }
    void synchronize() const { LIBSCAN_CHECK(cudaEventSynchronize(event_)); }

   private:
    friend class stream;
    cudaEvent_t event_ = nullptr;
  };

  class stream {
   public:
    stream() { LIBSCAN_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    stream(stream const&) = delete;
    ~stream() { (void)cudaStreamDestroy(stream_); }
    void copy(void* to, void const* from, std::size_t bytes) const {
      simt::copy_async(to, from, bytes, stream_);
    }
    void wait(event const& other) const {
      LIBSCAN_CHECK(cudaStreamWaitEvent(stream_, other.event_));
    }
    void synchronize() const { LIBSCAN_CHECK(cudaStreamSynchronize(stream_)); }
    void finish() const { (void)cudaStreamSynchronize(stream_); }
    void* handle() const { return stream_; }

   private:
    friend class event;
    cudaStream_t stream_ = nullptr;
  };

  /// Null if the system does not pin so much.
  static void* pinned_memory(std::size_t bytes) {
    void* memory = nullptr;
    if (cudaHostAlloc(&memory, bytes, cudaHostAllocPortable) == cudaSuccess) return memory;
    (void)cudaGetLastError();
    return nullptr;
  }

  /// Whether a copy needs no staging: pinned or managed memory.
  static bool reaches(void const* host) {
    cudaPointerAttributes attributes{};
    bool const known = cudaPointerGetAttributes(&attributes, host) == cudaSuccess;
    (void)cudaGetLastError();
    return known && attributes.type != cudaMemoryTypeUnregistered;
  }
};

/// Device memory that no call uses. Some stays for later calls: to take it from the system may last
/// as long as to copy it.
class retained_memory {
 public:
  retained_memory(int device, std::size_t bytes) : device_(device), block_(take(device, bytes)) {}
  retained_memory(retained_memory const&) = delete;
  ~retained_memory() {
    std::scoped_lock const lock(all().mutex);
    if (all().retained + block_.bytes <= max_bytes) {
      try {
        all().free.push_back({device_, block_});
        all().retained += block_.bytes;
        return;
      } catch (std::bad_alloc const&) {
      }
    }
    (void)cudaFree(block_.memory);
  }

  std::byte* data() const { return static_cast<std::byte*>(block_.memory); }

 private:
  static constexpr std::size_t max_bytes = std::size_t{256} << 20;  // of all devices

  struct block {
    void* memory;
    std::size_t bytes;
  };
  struct blocks {
    std::mutex mutex;
    std::vector<std::pair<int, block>> free;
    std::size_t retained = 0;
  };
  static blocks& all() {
    static auto* const one = new blocks;  // CUDA may end before static objects do
    return *one;
  }

  static block take(int device, std::size_t bytes) {
    {
      std::scoped_lock const lock(all().mutex);
      auto& free = all().free;
      auto const found = std::find_if(free.begin(), free.end(), [&](auto const& each) {
        return each.first == device && each.second.bytes >= bytes;
      });
      if (found != free.end()) {
        block const taken = found->second;
        free.erase(found);
        all().retained -= taken.bytes;
        return taken;
      }
    }
    block fresh{nullptr, bytes};
    if (cudaMalloc(&fresh.memory, bytes) == cudaSuccess) return fresh;
    (void)cudaGetLastError();
    free_all_of(device);
    LIBSCAN_CHECK(cudaMalloc(&fresh.memory, bytes));
    return fresh;
  }

  static void free_all_of(int device) {
    std::scoped_lock const lock(all().mutex);
    std::erase_if(all().free, [&](auto const& each) {
      if (each.first != device) return false;
      (void)cudaFree(each.second.memory);
      all().retained -= each.second.bytes;
      return true;
    });
  }

  int device_;
  block block_;
};

/// How many threads copy, and how many pieces are in flight.
passage_shape shape_of(int device, piece_plan const& plan) {
  bool const staged = !std::ranges::all_of(plan.arrays, cuda_copies::reaches);
  transfer_tuning const& tuned = tuned_transfers;
  int const pinned = plan.counts != 0 || plan.makes_inputs ? 3 : tuned.pinned_threads;
  int const threads =
      staged ? std::clamp(cpu::default_threads(), 1, tuned.staging_threads) : pinned;
  passage_shape shape{.device = device, .threads = threads, .blocks = staged ? 2 : 4};
  shape.unit_bytes = std::min(cuda_copies::block_bytes,
                              block_bytes_for(staged ? tuned.staged_bytes : tuned.unit_bytes));
  shape.at_once = plan.at_once != 0 ? plan.at_once : staged ? 2 * threads + 2 : 8;
  shape.at_once = static_cast<int>(std::min<index_t>(shape.at_once, plan.pieces));
  return shape;
}

#else

/// The executor, as `passage` uses it: everything is complete at once, on one thread.
struct executor_copies {
  static constexpr std::size_t block_bytes = block_bytes_for(max_piece_bytes(executor_run{}));
  struct scope {
    explicit scope(int) {}
  };

  struct stream;
  struct event {
    void record(stream const&) {}
    void synchronize() const {}
  };
  struct stream {
    void copy(void* to, void const* from, std::size_t bytes) const {
      simt::copy_async(to, from, bytes);
    }
    void wait(event const&) const {}
    void synchronize() const {}
    void finish() const {}
    void* handle() const { return nullptr; }
  };

  static void* pinned_memory(std::size_t bytes) { return ::operator new(bytes); }

  /// Bytes that `allocate` gave, of all threads: they and pieces must fit in the device's memory.
  static std::atomic<std::size_t>& taken() {
    static std::atomic<std::size_t> bytes = 0;
    return bytes;
  }

  /// So blocks are used, as for pageable memory.
  static bool reaches(void const*) { return false; }
};

#endif

/// Bytes of device memory of a plan.
std::size_t memory_of(piece_plan const& plan, passage_shape const& shape) {
  return static_cast<std::size_t>(shape.at_once) * plan.device_bytes + plan.workspace_bytes;
}

#ifdef __CUDACC__

/// A copy one way. Short ones are not worth several threads.
void copy(std::byte* host, std::byte* device, std::size_t bytes, bool is_input) {
  if (bytes < min_bytes_in_pieces(cuda_device{}) || cuda_copies::reaches(host)) {
    simt::copy_async(is_input ? device : host, is_input ? host : device, bytes);
    return simt::synchronize();
  }
  int number = 0;
  LIBSCAN_CHECK(cudaGetDevice(&number));
  LIBSCAN_CHECK(cudaStreamSynchronize(nullptr));
  auto const inputs = [&](index_t, std::vector<host_part>& parts) {
    if (is_input) parts.push_back({host, bytes, 0});
  };
  auto const outputs = [&](index_t, index_t const*, std::vector<host_part>& parts) {
    if (!is_input) parts.push_back({host, bytes, 0});
  };
  auto const no_kernels = [](device_piece const&) {};
  piece_plan const plan{
      .inputs = inputs, .enqueue = no_kernels, .outputs = outputs, .arrays = {host}};
  passage_shape shape = shape_of(number, plan);
  shape.memory = device;
  passage<cuda_copies>(plan, shape).run();
}

}  // namespace

template <class Machine>
void transfer<Machine>::to_device(void* device, void const* host, std::size_t bytes) {
  copy(static_cast<std::byte*>(const_cast<void*>(host)), static_cast<std::byte*>(device), bytes,
       true);
}

template <class Machine>
void transfer<Machine>::to_host(void* host, void const* device, std::size_t bytes) {
  copy(static_cast<std::byte*>(host), static_cast<std::byte*>(const_cast<void*>(device)), bytes,
       false);
}

template <class Machine>
void transfer<Machine>::in_pieces(Machine on, piece_plan const& plan) {
  simt::selected_device const here(on.number);
  passage_shape shape = shape_of(on.number, plan);
  // With less memory, copies wait for each other.
  std::optional<retained_memory> memory;
  while (!memory) {
    try {
      memory.emplace(on.number, memory_of(plan, shape));
    } catch (device_error const&) {
      if (shape.at_once <= 2 || plan.at_once != 0) throw;
      shape.at_once /= 2;
    }
  }
  LIBSCAN_CHECK(cudaStreamSynchronize(nullptr));
  shape.memory = memory->data();
  passage<cuda_copies>(plan, shape).run();
}

template <class Machine>
std::byte* transfer<Machine>::allocate(Machine on, std::size_t bytes) {
  simt::selected_device const here(on.number);
  void* memory = nullptr;
  if (cudaMalloc(&memory, bytes) != cudaSuccess) {
    (void)cudaGetLastError();
    cudaMemPool_t pool = nullptr;
    LIBSCAN_CHECK(cudaDeviceGetDefaultMemPool(&pool, on.number));
    LIBSCAN_CHECK(cudaMemPoolTrimTo(pool, 0));  // what earlier calls freed may still belong to it
    LIBSCAN_CHECK(cudaMalloc(&memory, bytes));
  }
  return static_cast<std::byte*>(memory);
}

template <class Machine>
void transfer<Machine>::deallocate(Machine /*on*/, std::byte* memory, std::size_t) noexcept {
  (void)cudaFree(memory);
}

template <class Machine>
std::size_t transfer<Machine>::usable_bytes(Machine on) {
  simt::selected_device const here(on.number);
  std::size_t free = 0, all = 0;
  LIBSCAN_CHECK(cudaMemGetInfo(&free, &all));
  // What earlier calls freed may still belong to the pool, which gives it to the next one.
  cudaMemPool_t pool = nullptr;
  LIBSCAN_CHECK(cudaDeviceGetDefaultMemPool(&pool, on.number));
  std::uint64_t reserved = 0, used = 0;
  LIBSCAN_CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
  LIBSCAN_CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  free += static_cast<std::size_t>(reserved - used);
  return std::min(free - free / 16, tuned_transfers.device_bytes);
}

#else

}  // namespace

template <class Machine>
void transfer<Machine>::to_device(void* device, void const* host, std::size_t bytes) {
  simt::copy_async(device, host, bytes);
}

template <class Machine>
void transfer<Machine>::to_host(void* host, void const* device, std::size_t bytes) {
  simt::copy_async(host, device, bytes);
}

template <class Machine>
void transfer<Machine>::in_pieces(Machine /*on*/, piece_plan const& plan) {
  passage_shape shape{.at_once = plan.at_once != 0 ? plan.at_once : 3,
                      .unit_bytes = executor_copies::block_bytes};
  std::size_t const bytes = memory_of(plan, shape), taken = executor_copies::taken();
  if (taken != 0 && taken + bytes > tuned_transfers.device_bytes) throw std::bad_alloc();
  device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
  shape.memory = memory.data();
  passage<executor_copies>(plan, shape).run();
}

template <class Machine>
std::byte* transfer<Machine>::allocate(Machine /*on*/, std::size_t bytes) {
  executor_copies::taken() += bytes;
  if (executor_copies::taken() > tuned_transfers.device_bytes) {
    executor_copies::taken() -= bytes;
    throw device_error(1, "the device has no memory of " + std::to_string(bytes) + " bytes");
  }
  return static_cast<std::byte*>(simt::allocate(bytes));
}

template <class Machine>
void transfer<Machine>::deallocate(Machine /*on*/, std::byte* memory, std::size_t bytes) noexcept {
  executor_copies::taken() -= bytes;
  simt::deallocate(memory);
}

template <class Machine>
std::size_t transfer<Machine>::usable_bytes(Machine /*on*/) {
  return tuned_transfers.device_bytes;
}

#endif

template struct transfer<device::this_machine>;

}  // namespace libscan::inline v1::detail
