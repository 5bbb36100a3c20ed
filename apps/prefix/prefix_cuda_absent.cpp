// SPDX-License-Identifier: Apache-2.0
// The CUDA side of a build without nvcc: there is none. No engine of kind cuda can be made then, so
// nobody gets here.
#include <apps/prefix/prefix_device.hpp>

#include <libscan/core/error.hpp>

namespace libscan::apps {
namespace {

[[noreturn]] void refuse() {
  throw engine_unavailable("scan-prefix: libscan was built without the cuda engine");
}

}  // namespace

void prefix_on_cuda(int, prefix_call const&, scan_strategy) { refuse(); }

void segmented_prefix_on_cuda(int, prefix_call const&, std::uint32_t const*) { refuse(); }

}  // namespace libscan::apps
