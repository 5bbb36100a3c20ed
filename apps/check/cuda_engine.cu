// SPDX-License-Identifier: Apache-2.0
// scan-check on a GPU, beside CUB and Thrust.
#include <memory>

#include <apps/check/competitor_cuda.cuh>
#include <apps/check/device_engine.cuh>
#include <libscan/core/engine.hpp>
#include <libscan/simt/cuda/check.cuh>

namespace libscan::apps {
namespace {

/// Device 0, with memory that is kept.
class cuda_engine : public device_engine {
 public:
  explicit cuda_engine(engine on) : name_(on.description()), here_(on.device()) {}

  bool run_competitor(check_case const& c, placed in, placed out) override {
    if (!has_competitor(c)) return false;
    placed const d_in{in.where, in_.reserve(in.where.bytes())};
    placed const d_out{out.where, out_.reserve(out.where.bytes())};
    call(c, d_in, d_out, out, [](device_case const& one) { apps::run_competitor(one); });
    return true;
  }

  std::string description() const override { return name_; }

 private:
  std::string name_;
  simt::selected_device here_;
};

}  // namespace

std::unique_ptr<check_engine> make_cuda_engine() {
  return std::make_unique<cuda_engine>(engine::cuda());
}

}  // namespace libscan::apps
