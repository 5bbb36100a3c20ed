// SPDX-License-Identifier: Apache-2.0
// The engine of scan-check over device memory: copies inputs from the host and outputs back.
#pragma once

#include <memory>

#include <apps/check/check_engine.hpp>
#include <apps/check/device_case.cuh>
#include <libscan/buffer.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

/// Device memory that is reused, and grows if necessary.
class device_block {
 public:
  /// At least `bytes` bytes, uninitialized.
  std::byte* reserve(std::size_t bytes) {
    if (!memory_ || static_cast<std::size_t>(memory_->size()) < bytes) {
      memory_.reset();
      memory_ = std::make_unique<device::buffer<std::byte>>(static_cast<index_t>(bytes));
    }
    return memory_->data();
  }

 private:
  std::unique_ptr<device::buffer<std::byte>> memory_;
};

/// Runs cases by kernels.
class device_engine : public check_engine {
 public:
  void run(check_case const& c, placed in, placed out) override {
    placed const d_in{in.where, in_.reserve(in.where.bytes())};
    placed const d_out{out.where, out_.reserve(out.where.bytes())};
    simt::copy_async(d_in.base, in.base, in.where.bytes());
    call(c, d_in, d_out, out, [](device_case const& one) { run_on_device(one); });
  }

 protected:
  /// Prepares the outputs, calls work(case), and copies them back.
  template <class Work>
  void call(check_case const& c, placed d_in, placed d_out, placed out, Work const& work) {
    simt::fill_async(d_out.base, canary, out.where.bytes());
    for (auto const [from, to] : copied_slots(c, d_in.where)) {
      simt::copy_async(d_out.at<std::byte>(to), d_in.at<std::byte>(from), d_in.where[from].bytes());
    }
    work(device_case{c, d_in, d_out, ws_});
    simt::copy_async(out.base, d_out.base, out.where.bytes());
    simt::synchronize();
  }

  device_block in_, out_;
  workspace ws_;
};

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
