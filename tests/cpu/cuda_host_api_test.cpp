// SPDX-License-Identifier: Apache-2.0
// The host API on the cuda engine: every type and operator it is compiled for.
#include <tests/cpu/host_api_cases.hpp>

namespace libscan::test {
namespace {

TEMPLATE_TEST_CASE("the host API scans and sums every type on a GPU", "", std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t, float, double) {
  check_every_operator<TestType>(engine::cuda());
}

}  // namespace
}  // namespace libscan::test
