// SPDX-License-Identifier: Apache-2.0
// From a list of entries to a plan and a product, captured in a CUDA graph: replayed with changed
// vectors and changed values, one replay right after the other.
#include <libscan/coo_to_csr.cuh>
#include <libscan/spmv.cuh>
#include <tests/apps/spmv/lists.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/streams.cuh>

#include <libscan/buffer.cuh>

using namespace libscan;
using namespace libscan::test;

TEST_CASE("a conversion, a plan and a product of the matrix are captured once and replayed") {
  scoped_stream const stream;
  auto host = make_coo<float>(40000, 3000, 500000);
  index_t const n = host.entries();
  auto const expected = coo_oracle<std::int32_t>(host);
  index_t const nonzeros = expected.nonzeros();
  auto const x = make_input<float>(pattern::small, 3000, 1);
  std::vector<float> const y(40000, 7.0f);

  device::buffer<std::int32_t> const rows(std::span<std::int32_t const>(host.row_indices), stream);
  device::buffer<std::int32_t> const columns(std::span<std::int32_t const>(host.indices), stream);
  device::buffer<float> const values(std::span<float const>(host.values), stream);
  device::buffer<float> const d_x(std::span<float const>(x), stream);
  device::buffer<float> const d_y(std::span<float const>(y), stream);
  device::buffer<std::int32_t> const offsets(host.rows + 1, stream), indices(n, stream);
  device::buffer<float> const sums(n, stream);
  std::size_t const bytes =
      std::max(coo_to_csr_workspace_bytes<float, std::int32_t>(host.rows, n, symmetry::general),
               spmv_workspace_bytes<float>(host.rows, nonzeros));
  device::buffer<std::byte> const memory(static_cast<index_t>(bytes), stream);
  std::size_t const of_plan = spmv_plan_bytes<float>(host.rows, nonzeros);
  device::buffer<std::byte> const plan_memory(static_cast<index_t>(of_plan), stream);
  simt::synchronize(stream);

  captured_graph const graph(stream, [&] {
    workspace ws(memory.data(), bytes, stream);
    coo_to_csr(
        ws,
        coo_matrix<float>{host.rows, host.columns, n, rows.data(), columns.data(), values.data()},
        offsets.data(), indices.data(), sums.data());
    csr_matrix<float, std::int32_t> const matrix{host.rows,      host.columns,   nonzeros,
                                                 offsets.data(), indices.data(), sums.data()};
    spmv_plan<float> const plan(matrix, workspace(plan_memory.data(), of_plan, stream));
    spmv(ws, plan, matrix, static_cast<float const*>(d_x.data()), d_y.data(), plus_times<float>{},
         2.0f, -1.0f);
  });

  // y becomes 2 A x - y, then y again, then 2 A x - y.
  for (int i = 0; i < 3; ++i) graph.replay(stream);
  std::vector<float> got(y.size());
  d_y.read_sync(got.data(), static_cast<index_t>(got.size()));
  REQUIRE(difference(spmv_oracle(expected, x, y, plus_times<float>{}, 2.0f, -1.0f), got) == "");

  for (float& value : host.values) value = -value;
  simt::copy_async(values.data(), host.values.data(), host.values.size() * sizeof(float), stream);
  simt::copy_async(d_y.data(), y.data(), y.size() * sizeof(float), stream);
  simt::fill_async(memory.data(), 0xa5, bytes, stream);
  simt::fill_async(plan_memory.data(), 0xa5, of_plan, stream);
  graph.replay(stream);
  d_y.read_sync(got.data(), static_cast<index_t>(got.size()));
  auto const changed =
      spmv_oracle(coo_oracle<std::int32_t>(host), x, y, plus_times<float>{}, 2.0f, -1.0f);
  REQUIRE(difference(changed, got) == "");
}
