// SPDX-License-Identifier: Apache-2.0
// Which engine `best` takes, on machines with CUDA devices that are not what they should be. The
// CUDA side of the host API is defined here, beside an engine.cpp compiled to call it.
#include <cstddef>
#include <string>
#include <vector>

#include <libscan/core/engine.hpp>
#include <libscan/core/error.hpp>
#include <libscan/host/on_engine.hpp>
#include <tests/support/catch.hpp>

namespace {
enum class state { usable, other_architecture, taken };
std::vector<state> devices;
}  // namespace

namespace libscan::inline v1::detail {

int cuda_devices() { return static_cast<int>(devices.size()); }

void require_cuda_device(int device) {
  if (device >= cuda_devices()) throw engine_unavailable("no such device");
  switch (devices[static_cast<std::size_t>(device)]) {
    case state::usable:
      return;
    case state::other_architecture:
      throw engine_unavailable("no kernels for it");
    case state::taken:
      throw device_error(46, "devices unavailable");
  }
}

std::string cuda_device_name(int device) { return "device " + std::to_string(device); }

}  // namespace libscan::inline v1::detail

namespace {
using libscan::engine;

TEST_CASE("the best engine is the first CUDA device that can be used") {
  devices = {state::usable, state::usable};
  CHECK(engine::best().device() == 0);
  devices = {state::other_architecture, state::taken, state::usable};
  CHECK(engine::best().device() == 2);
  CHECK(engine::named("auto", 3).description() == "cuda, device 2");
  CHECK_THROWS_AS(engine::named("cuda"), libscan::engine_unavailable);
}

TEST_CASE("the best engine is the CPU if no CUDA device can be used") {
  devices = GENERATE(std::vector<state>{}, std::vector<state>{state::taken},
                     std::vector<state>{state::taken, state::other_architecture});
  CHECK(engine::best().which() == engine::kind::cpu);
  CHECK(engine::named("auto", 3).threads() == 3);
  if (devices == std::vector{state::taken}) {
    CHECK_THROWS_AS(engine::cuda(), libscan::device_error);
  }
}

}  // namespace
