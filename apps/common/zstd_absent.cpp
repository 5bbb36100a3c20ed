// SPDX-License-Identifier: Apache-2.0
// The build without libzstd refuses zstd.
#include <apps/common/exit_code.hpp>
#include <apps/common/zstd.hpp>

namespace libscan::apps {

std::unique_ptr<byte_source> zstd_content(byte_reader in) {
  throw file_error(in.name(),
                   "holds zstd data, which this build cannot read: libzstd was not found");
}

}  // namespace libscan::apps
