// SPDX-License-Identifier: Apache-2.0
// Every device call over values of LIBSCAN_VALUE_BYTES bytes, for nvcc to compile. (The executor's
// test over the same sizes also runs them.)
#include <tests/device/value_size_calls.hpp>

namespace libscan::test {

struct nothing_after {
  void operator()(char const*) const {}
};
using values = value_buffers<LIBSCAN_VALUE_BYTES>;
template void call_scans(workspace&, values const&, nothing_after);
template void call_moves(workspace&, values const&, nothing_after);

}  // namespace libscan::test
