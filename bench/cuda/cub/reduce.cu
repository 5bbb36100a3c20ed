// SPDX-License-Identifier: Apache-2.0
// CUB's reductions.
#include <cub/device/device_reduce.cuh>

#include <bench/cuda/cub/call.cuh>
#include <bench/cuda/cub/operators.cuh>

namespace libscan::bench::LIBSCAN_BENCH_CUB {

implementations offers(reduce_problem const& problem) {
  implementations result;
  with_types(reductions{}, problem.type, problem.op, [&](auto types) {
    using each = decltype(types);
    using op_type = typename each::op;
    auto const* const in = static_cast<typename each::in const*>(problem.in);
    auto* const out = static_cast<typename each::out*>(problem.out);
    add_calls(result, problem.n, [=](void* memory, std::size_t& bytes, auto n) {
      using T = typename op_type::value_type;
      return api::DeviceReduce::Reduce(memory, bytes, in, out, n, known(op_type{}),
                                       T(op_type::identity()));
    });
  });
  return result;
}

}  // namespace libscan::bench::LIBSCAN_BENCH_CUB
