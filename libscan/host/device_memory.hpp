// SPDX-License-Identifier: Apache-2.0
// Memory, copies and streams of the machine of an engine, in plain C++: of a GPU, or the
// executor's, which are host memory and plain copies. device_memory.cu implements it. Internal.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <libscan/core/types.hpp>
#include <libscan/host/device_call.hpp>

namespace libscan::inline v1::detail {

/// Complex numbers in device memory, n or *d_n at most n of them, and their parts, of 4 or 8 bytes.
struct complex_parts {
  bool join;  ///< copies the parts to the numbers; else the numbers to the parts
  std::size_t part_bytes;
  void* numbers;
  void* real;
  void* imaginary;
  index_t n;
  index_t const* d_n;
};

/// Values of any size in device memory: to[j] = from[positions[j]] for j < n, or *d_n at most n. A
/// position whose bits are all set is none: to[j] stays as it is.
struct moved_values {
  std::size_t value_bytes;
  void const* from;
  void* to;
  std::size_t position_bytes;  ///< 4 or 8
  void const* positions;
  index_t n;
  index_t const* d_n = nullptr;
};

/// The functions below, on a `cuda_device` or an `executor_run`.
template <class Machine>
struct machine_memory {
  static void* allocate(Machine on, queue_place const& place, std::size_t bytes);
  static void deallocate(Machine on, queue_place const& place, void* memory, std::size_t bytes);
  static void copy(Machine on, queue_place const& place, void* to, void const* from,
                   std::size_t bytes);
  static void copy_parts(Machine on, queue_place const& place, complex_parts const& all);
  static void gather_values(Machine on, queue_place const& place, moved_values const& all);
  static void synchronize(Machine on, queue_place const& place);
  static void follow(Machine on, queue_place const& place, void* stream);
  static void* open_stream(Machine on);
  static void close_stream(Machine on, void* stream);
  static void select(Machine on);
  static bool link(Machine on, Machine peer);
};

/// Memory of the queue's machine, in order with its stream; from the queue's memory functions if it
/// has some. Throws `device_error`, std::bad_alloc, and exceptions of memory functions.
void* allocate(device_queue const& queue, std::size_t bytes);
void deallocate(device_queue const& queue, void* memory, std::size_t bytes) noexcept;

/// Copies between any two memories of this process: of the host, of this machine and of others.
/// Asynchronous on the queue's stream.
void copy(device_queue const& queue, void* to, void const* from, std::size_t bytes);

/// Asynchronous on the queue's stream.
void copy_parts(device_queue const& queue, complex_parts const& all);

/// Asynchronous on the queue's stream. `to` must not overlap what is read.
void gather_values(device_queue const& queue, moved_values const& all);

/// Waits for the queue's stream.
void synchronize(device_queue const& queue);

/// Lets what comes into the queue's stream from now on wait for what is in `stream`, of the same
/// machine.
void follow(device_queue const& queue, void* stream);

/// A stream that waits for no other. Null in the executor, which has only one.
void* open_stream(engine const& on);
/// Waits for what is in the stream, too.
void close_stream(engine const& on, void* stream) noexcept;

/// Makes a GPU the calling thread's current device.
void select(engine const& on);

/// Lets `on` read memory of `peer` over their own link. Returns false if they have none: then
/// copies between them go through host memory. Both run kernels.
bool link(engine const& on, engine const& peer);

/// A stream for a scope, whose end waits for it.
class own_stream {
 public:
  explicit own_stream(engine const& on) : on_(on), stream_(detail::open_stream(on)) {}
  ~own_stream() {
    if (stream_ != nullptr) detail::close_stream(on_, stream_);
  }
  own_stream(own_stream const&) = delete;
  own_stream& operator=(own_stream const&) = delete;

  device_queue queue() const { return {on_, stream_}; }

 private:
  engine on_;
  void* stream_;
};

/// n items in memory of a queue's machine, uninitialized; freed in order with its stream.
template <class T>
class device_array {
 public:
  device_array(device_queue const& queue, index_t n)
      : queue_(queue), data_(static_cast<T*>(detail::allocate(queue, bytes(n)))), size_(n) {}
  ~device_array() { detail::deallocate(queue_, data_, bytes(size_)); }
  device_array(device_array const&) = delete;
  device_array& operator=(device_array const&) = delete;

  T* data() const { return data_; }
  index_t size() const { return size_; }

  /// Copies items to the front, and waits.
  void upload(std::span<T const> items) const {
    detail::copy(queue_, data_, items.data(), items.size_bytes());
    detail::synchronize(queue_);
  }

  /// Copies items from the front, and waits.
  void download(std::span<T> items) const {
    detail::copy(queue_, items.data(), data_, items.size_bytes());
    detail::synchronize(queue_);
  }

 private:
  static std::size_t bytes(index_t n) { return static_cast<std::size_t>(n) * sizeof(T); }

  device_queue queue_;
  T* data_;
  index_t size_;
};

}  // namespace libscan::inline v1::detail
