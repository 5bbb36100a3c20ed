// SPDX-License-Identifier: Apache-2.0
// What a test of kernels needs from either machine: schedules to run under, and guarded buffers in
// device memory.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <libscan/buffer.cuh>
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

/// Calls body(name) under the fixed schedule and `seeds` seeded ones; on a GPU, once. The quick set
/// leaves out the fixed one if there is a seeded one.
/// `multiprocessors`: the machine's number; 0: two, then others with each seed.
template <class Body>
void each_schedule(int seeds, Body body, int multiprocessors = 0) {
#ifdef __CUDACC__
  (void)seeds, (void)multiprocessors;
  body(std::string("gpu"));
#else
  if (!quick_types || seeds == 0) {
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

/// A guarded buffer in device memory: canaries around n items, `offset_items` off alignment. A
/// kernel that touches a canary is reported under racecheck, a bulk copy in every build.
template <class T>
class device_image {
 public:
  explicit device_image(index_t n, int offset_items = 0) : host_(n, offset_items), device_(make()) {
    forbid_canaries();
  }
  explicit device_image(std::vector<T> const& items, int offset_items = 0)
      : host_(items, offset_items), device_(make()) {
    forbid_canaries();
  }

  T* data() const { return reinterpret_cast<T*>(device_.data() + host_.image_offset()); }

  /// Copies everything back and returns the items; `damage` reports the canaries.
  std::vector<T> read() {
    allow_canaries();
    host_.with_image([&](std::span<unsigned char> image) {
      device_.read_sync(image.data(), static_cast<index_t>(image.size()));
    });
    forbid_canaries();
    return host_.copy();
  }
  std::string damage() const { return host_.damage(); }
  std::string written_from(index_t first) const { return host_.written_from(first); }

 private:
  device::buffer<unsigned char> make() {
    return host_.with_image([](std::span<unsigned char> image) {
      device::buffer<unsigned char> copy{std::span<unsigned char const>(image)};
      simt::synchronize();
      return copy;
    });
  }

  void forbid_canaries() {
#ifndef __CUDACC__
    each_canary(simt::executor::forbid);
#endif
  }
  void allow_canaries() {
#ifndef __CUDACC__
    each_canary(simt::executor::allow);
#endif
  }
  template <class Action>
  void each_canary(Action action) {
    std::size_t const end =
        host_.image_offset() + static_cast<std::size_t>(host_.size()) * sizeof(T);
    action(device_.data(), host_.image_offset());
    action(device_.data() + end, guarded_buffer<T>::guard_bytes);
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
