// SPDX-License-Identifier: Apache-2.0
// scan-check in the executor. For the C++ compiler, not for nvcc.
#include <memory>

#include <apps/check/device_engine.cuh>

namespace libscan::apps {
namespace {

/// Each case has a schedule of its own.
class executor_engine : public device_engine {
 public:
  void run(check_case const& c, placed in, placed out) override {
    simt::executor::settings how;
    if (c.schedule != 0) {
      how = simt::executor::seeded(c.schedule);
      how.blocks_in_flight = 1 + static_cast<int>(c.schedule % 5);
      how.multiprocessors = 1 + static_cast<int>(c.schedule / 8 % 5);
    }
    simt::executor::scoped_settings const now(how);
    device_engine::run(c, in, out);
  }

  std::string description() const override { return "executor"; }
};

}  // namespace

std::unique_ptr<check_engine> make_executor_engine() { return std::make_unique<executor_engine>(); }

}  // namespace libscan::apps
