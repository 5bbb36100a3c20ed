// SPDX-License-Identifier: Apache-2.0
// The definitions of device_memory.hpp, for the machine that this file is compiled for.
#include <libscan/host/device_memory.hpp>

#include <cstdint>
#include <new>

#include <libscan/device/item_count.cuh>
#include <libscan/host/convert_items.cuh>
#include <libscan/host/this_machine.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

namespace {

/// Copies the real and the imaginary parts of numbers to two arrays.
struct split_kernel {
  static constexpr int block_threads = 256;
  template <class Word>
  __device__ void operator()(Word const* numbers, item_count n, Word* real, Word* imaginary) const {
    each_item(n.get(), [=](index_t i) {
      real[i] = numbers[2 * i];
      imaginary[i] = numbers[2 * i + 1];
    });
  }
};

/// Copies them back.
struct join_kernel {
  static constexpr int block_threads = 256;
  template <class Word>
  __device__ void operator()(Word const* real, Word const* imaginary, item_count n,
                             Word* numbers) const {
    each_item(n.get(), [=](index_t i) {
      numbers[2 * i] = real[i];
      numbers[2 * i + 1] = imaginary[i];
    });
  }
};

/// Moves values that consist of `words` each.
struct gather_kernel {
  static constexpr int block_threads = 256;
  template <class Word, class Position>
  __device__ void operator()(Word const* from, Position const* positions, item_count n,
                             index_t words, Word* to) const {
    each_item(n.get() * words, [=](index_t i) {
      Position const at = positions[i / words];
      if (at != static_cast<Position>(~Position{0})) {
        to[i] = from[static_cast<index_t>(at) * words + i % words];
      }
    });
  }
};

template <class Word, class Position>
void gather_words(libscan::detail::moved_values const& all, simt::stream stream) {
  auto const count = all.d_n == nullptr ? item_count(all.n) : item_count::on_device(all.d_n, all.n);
  auto const words = static_cast<index_t>(all.value_bytes / sizeof(Word));
  simt::launch_config how = spread(all.n * words);
  how.on = stream;
  simt::launch<gather_kernel>(how, static_cast<Word const*>(all.from),
                              static_cast<Position const*>(all.positions), count, words,
                              static_cast<Word*>(all.to));
}

/// Whether values consist of 32-bit words, and lie at addresses of these.
bool have_words(libscan::detail::moved_values const& all) {
  constexpr std::size_t size = sizeof(std::uint32_t);
  auto const fits = [](void const* at) { return reinterpret_cast<std::uintptr_t>(at) % size == 0; };
  return all.value_bytes % size == 0 && fits(all.from) && fits(all.to);
}

template <class Position>
void gather_values(libscan::detail::moved_values const& all, simt::stream stream) {
  if (have_words(all)) return gather_words<std::uint32_t, Position>(all, stream);
  gather_words<std::uint8_t, Position>(all, stream);
}

template <class Word>
void copy_parts(libscan::detail::complex_parts const& all, simt::stream stream) {
  auto const count = all.d_n == nullptr ? item_count(all.n) : item_count::on_device(all.d_n, all.n);
  simt::launch_config how = spread(all.n);
  how.on = stream;
  auto* const numbers = static_cast<Word*>(all.numbers);
  auto* const real = static_cast<Word*>(all.real);
  auto* const imaginary = static_cast<Word*>(all.imaginary);
  if (all.join) {
    simt::launch<join_kernel>(how, static_cast<Word const*>(real),
                              static_cast<Word const*>(imaginary), count, numbers);
  } else {
    simt::launch<split_kernel>(how, static_cast<Word const*>(numbers), count, real, imaginary);
  }
}

}  // namespace

}  // namespace libscan::inline LIBSCAN_MACHINE::device

namespace libscan::inline v1::detail {

using device::stream_of;

template <class Machine>
void* machine_memory<Machine>::allocate(Machine on, queue_place const& place, std::size_t bytes) {
  device::on_machine const here(on);
  if (bytes == 0) return nullptr;
  if (place.memory.allocate == nullptr) return simt::allocate(bytes, stream_of(place));
  void* const memory = place.memory.allocate(bytes, place.stream, place.memory.context);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

template <class Machine>
void machine_memory<Machine>::deallocate(Machine on, queue_place const& place, void* memory,
                                         std::size_t bytes) {
  device::on_machine const here(on);
  if (memory == nullptr) return;
  if (place.memory.allocate == nullptr) return simt::deallocate(memory, stream_of(place));
  place.memory.deallocate(memory, bytes, place.stream, place.memory.context);
}

template <class Machine>
void machine_memory<Machine>::copy(Machine on, queue_place const& place, void* to, void const* from,
                                   std::size_t bytes) {
  device::on_machine const here(on);
  simt::copy_async(to, from, bytes, stream_of(place));
}

template <class Machine>
void machine_memory<Machine>::copy_parts(Machine on, queue_place const& place,
                                         complex_parts const& all) {
  device::on_machine const here(on);
  if (all.part_bytes == sizeof(std::uint32_t)) {
    device::copy_parts<std::uint32_t>(all, stream_of(place));
  } else {
    device::copy_parts<std::uint64_t>(all, stream_of(place));
  }
}

template <class Machine>
void machine_memory<Machine>::gather_values(Machine on, queue_place const& place,
                                            moved_values const& all) {
  device::on_machine const here(on);
  if (all.position_bytes == sizeof(std::uint32_t)) {
    device::gather_values<std::uint32_t>(all, stream_of(place));
  } else {
    device::gather_values<std::uint64_t>(all, stream_of(place));
  }
}

template <class Machine>
void machine_memory<Machine>::synchronize(Machine on, queue_place const& place) {
  device::on_machine const here(on);
  simt::synchronize(stream_of(place));
}

#ifdef __CUDACC__

template <class Machine>
void machine_memory<Machine>::follow(Machine on, queue_place const& place, void* stream) {
  device::on_machine const here(on);
  cudaEvent_t reached = nullptr;
  LIBSCAN_CHECK(cudaEventCreateWithFlags(&reached, cudaEventDisableTiming));
  cudaError_t const recorded = cudaEventRecord(reached, static_cast<simt::stream>(stream));
  cudaError_t const waits =
      recorded == cudaSuccess ? cudaStreamWaitEvent(stream_of(place), reached, 0) : recorded;
  // What waits for it keeps it.
  LIBSCAN_CHECK(cudaEventDestroy(reached));
  LIBSCAN_CHECK(waits);
}

template <class Machine>
void* machine_memory<Machine>::open_stream(Machine on) {
  device::on_machine const here(on);
  simt::stream stream = nullptr;
  LIBSCAN_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

template <class Machine>
void machine_memory<Machine>::close_stream(Machine on, void* stream) {
  device::on_machine const here(on);
  (void)cudaStreamSynchronize(static_cast<simt::stream>(stream));  // what failed there was reported
  LIBSCAN_CHECK(cudaStreamDestroy(static_cast<simt::stream>(stream)));
}

template <class Machine>
void machine_memory<Machine>::select(Machine on) {
  LIBSCAN_CHECK(cudaSetDevice(on.number));
}

template <class Machine>
bool machine_memory<Machine>::link(Machine on, Machine peer) {
  int linked = 0;
  if (on.number == peer.number) return true;
  LIBSCAN_CHECK(cudaDeviceCanAccessPeer(&linked, on.number, peer.number));
  if (linked == 0) return false;
  device::on_machine const here(on);
  cudaError_t const code = cudaDeviceEnablePeerAccess(peer.number, 0);
  if (code != cudaErrorPeerAccessAlreadyEnabled) LIBSCAN_CHECK(code);
  (void)cudaGetLastError();
  // Memory that is allocated on streams has access rights of its own.
  cudaMemPool_t pool = nullptr;
  LIBSCAN_CHECK(cudaDeviceGetDefaultMemPool(&pool, peer.number));
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = on.number;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  LIBSCAN_CHECK(cudaMemPoolSetAccess(pool, &access, 1));
  return true;
}

#else

template <class Machine>
void machine_memory<Machine>::follow(Machine, queue_place const&, void*) {}

template <class Machine>
void* machine_memory<Machine>::open_stream(Machine) {
  return nullptr;
}

template <class Machine>
void machine_memory<Machine>::close_stream(Machine, void*) {}

template <class Machine>
void machine_memory<Machine>::select(Machine) {}

template <class Machine>
bool machine_memory<Machine>::link(Machine, Machine) {
  return true;
}

#endif

template struct machine_memory<device::this_machine>;

}  // namespace libscan::inline v1::detail
