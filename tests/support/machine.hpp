// SPDX-License-Identifier: Apache-2.0
// What a test of kernels needs of whichever machine it is compiled for: schedules to run under, and
// guarded buffers in device memory.
#pragma once

#include <string>
#include <vector>

#include <libscan/device/buffer.cuh>
#include <libscan/simt/simt.cuh>
#include <tests/support/few_types.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/sizes.hpp>

namespace libscan::test {

#ifdef __CUDACC__
inline constexpr bool on_gpu = true;
#else
inline constexpr bool on_gpu = false;
#endif

/// Calls body(name) under the fixed schedule and `seeds` seeded ones; on a GPU, which schedules as
/// it likes, once. `multiprocessors`: what the machine has; 0: two, then others with each seed.
template <class Body>
void each_schedule(int seeds, Body body, int multiprocessors = 0) {
#ifdef __CUDACC__
  (void)seeds, (void)multiprocessors;
  body(std::string("gpu"));
#else
  {
    simt::executor::settings how;
    if (multiprocessors > 0) how.multiprocessors = multiprocessors;
    simt::executor::scoped_settings const fixed(how);
    body(std::string("fixed schedule"));
  }
  for (int s = 1; s <= seeds; ++s) {
    simt::executor::settings how = simt::executor::seeded(seed() + static_cast<unsigned>(s));
    how.blocks_in_flight = 1 + s % 5;
    how.multiprocessors = multiprocessors > 0 ? multiprocessors : 1 + s % 7;
    simt::executor::scoped_settings const seeded(how);
    body("schedule of seed " + std::to_string(s));
  }
#endif
}

/// A guarded buffer in device memory: canaries around n items, `offset_items` off alignment.
template <class T>
class device_image {
 public:
  explicit device_image(index_t n, int offset_items = 0)
      : host_(n, offset_items), device_(make()) {}
  explicit device_image(std::vector<T> const& items, int offset_items = 0)
      : host_(items, offset_items), device_(make()) {}

  T* data() const { return reinterpret_cast<T*>(device_.data() + host_.image_offset()); }

  /// Brings everything back and returns the items; `damage` tells of the canaries.
  std::vector<T> read() {
    device_.read_sync(host_.image().data(), static_cast<index_t>(host_.image().size()));
    return host_.copy();
  }
  std::string damage() const { return host_.damage(); }
  std::string written_from(index_t first) const { return host_.written_from(first); }

 private:
  device::buffer<unsigned char> make() {
    return device::buffer<unsigned char>{std::span<unsigned char const>(host_.image())};
  }

  guarded_buffer<T> host_;
  device::buffer<unsigned char> device_;
};

/// One value in device memory.
template <class T>
T read_value(T const* d_value) {
  T value;
  simt::copy_async(&value, d_value, sizeof(T));
  simt::synchronize();
  return value;
}

}  // namespace libscan::test
