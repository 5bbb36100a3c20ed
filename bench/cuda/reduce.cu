// SPDX-License-Identifier: Apache-2.0
// Reductions on the GPU, of the types and operators that scan_types.hpp lists.
#include <bench/cuda/workloads.cuh>
#include <bench/oracles.hpp>

namespace libscan::bench::cuda {

namespace {

template <class Types>
void reduction(session const& now, std::string const& op, index_t n) {
  using in_type = typename Types::in;
  using out_type = typename Types::out;
  auto const host = items_of<in_type>("random", n);
  out_type const expected = reduced(host, typename Types::op{});
  auto const in = on_device(host.view());
  checked_output<out_type> const out(std::span<out_type const>(&expected, 1));
  double const bytes = static_cast<double>(n) * sizeof(in_type);
  std::string const name = op == "sum" ? "reduce" : "reduce " + op;
  workload work{"cuda", name, Types::name(), n, bytes, {copy_of(bytes)}};
  add_offers(work, reduce_problem{Types::name(), op, in.data(), out.data(), n},
             [&] { return out.right(); });
  now.run(std::move(work));
}

}  // namespace

void run_reductions(session const& now) {
  options const& wanted = now.wanted;
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24, 1 << 28})) {
    for (std::string const& type : or_standard<std::string>(wanted.types, {"i32", "f32"})) {
      for (std::string const& op : wanted.operators) {
        bool const found = with_types(reductions{}, type, op,
                                      [&](auto types) { reduction<decltype(types)>(now, op, n); });
        if (found) continue;
        throw invalid_argument("scan-bench has no reduction by " + op + " of " + type +
                               "; bench/cuda/scan_types.hpp lists what is compiled");
      }
    }
  }
}

}  // namespace libscan::bench::cuda
