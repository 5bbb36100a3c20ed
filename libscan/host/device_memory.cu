// SPDX-License-Identifier: Apache-2.0
// The definitions of device_memory.hpp, for the machine that this file is compiled for.
#include <libscan/host/device_memory.hpp>

#include <new>

#include <libscan/host/this_machine.cuh>

namespace libscan::inline v1::detail {

namespace {

simt::stream stream_of([[maybe_unused]] queue_place const& place) {
#ifdef __CUDACC__
  return static_cast<simt::stream>(place.stream);
#else
  return {};
#endif
}

}  // namespace

template <class Machine>
void* machine_memory<Machine>::allocate(Machine on, queue_place const& place, std::size_t bytes) {
  device::on_machine const here(on);
  if (place.memory.allocate == nullptr) return simt::allocate(bytes, stream_of(place));
  void* const memory = place.memory.allocate(bytes, place.stream, place.memory.context);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

template <class Machine>
void machine_memory<Machine>::deallocate(Machine on, queue_place const& place, void* memory,
                                         std::size_t bytes) {
  device::on_machine const here(on);
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
void machine_memory<Machine>::synchronize(Machine on, queue_place const& place) {
  device::on_machine const here(on);
  simt::synchronize(stream_of(place));
}

#ifdef __CUDACC__

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
