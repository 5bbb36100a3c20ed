// SPDX-License-Identifier: Apache-2.0
// The CUDA side of a build without nvcc: there is none.
#include <apps/check/check_engine.hpp>
#include <libscan/core/error.hpp>

namespace libscan::apps {

std::unique_ptr<check_engine> make_cuda_engine() {
  throw engine_unavailable("scan-check: libscan was built without the cuda engine");
}

}  // namespace libscan::apps
