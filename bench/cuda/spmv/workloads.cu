// SPDX-License-Identifier: Apache-2.0
// Products of sparse matrices and vectors on the GPU, and matrices from lists of entries. The
// plainest algorithm, one thread per row, gives the expected results.
#include <libscan/spmv.cuh>

#include <bench/cuda/spmv/problem.cuh>
#include <bench/cuda/workloads.cuh>
#include <bench/matrices.hpp>
#include <bench/matrix_places.hpp>
#include <libscan/scan.cuh>

namespace libscan::bench::cuda {

namespace {

/// The length of row r; 0 after the last.
struct row_length_at {
  matrix_at matrix;
  LIBSCAN_HOST_DEVICE std::int32_t operator()(index_t r) const {
    return r < matrix.rows() ? static_cast<std::int32_t>(matrix.length(r)) : 0;
  }
};

/// Writes the columns of each row, one block at a row.
struct columns_kernel {
  static constexpr int block_threads = 64;
  __device__ void operator()(matrix_at matrix, std::int32_t const* offsets,
                             std::int32_t* indices) const {
    for (index_t r = blockIdx.x; r < matrix.rows(); r += gridDim.x) {
      for (index_t k = threadIdx.x; k < offsets[r + 1] - offsets[r]; k += block_threads) {
        indices[offsets[r] + k] = matrix.column(r, k);
      }
    }
  }
};

/// Makes offsets from the lengths of rows, 0 after the last; returns the last offset.
index_t ends_of_rows(device::buffer<std::int32_t> const& lengths) {
  workspace ws;
  index_t const rows = lengths.size() - 1;
  exclusive_scan(ws, lengths.data(), lengths.data(), rows + 1, plus<std::int32_t>{});
  std::int32_t total = 0;
  simt::copy_async(&total, lengths.data() + rows, sizeof total);
  simt::synchronize();
  return total;
}

/// The places of a matrix on the device: made there, or copied from the host.
struct device_places {
  std::string name;
  index_t rows, columns;
  device::buffer<std::int32_t> offsets;
  index_t nonzeros;
  device::buffer<std::int32_t> indices;

  device_places(std::string label, matrix_at const& matrix)
      : name(std::move(label)),
        rows(matrix.rows()),
        columns(rows),
        offsets(made_on_device<std::int32_t>(rows + 1, row_length_at{matrix})),
        nonzeros(ends_of_rows(offsets)),
        indices(nonzeros) {
    simt::launch<columns_kernel>({.blocks = 1 << 16, .threads = columns_kernel::block_threads},
                                 matrix, static_cast<std::int32_t const*>(offsets.data()),
                                 indices.data());
  }

  explicit device_places(matrix_places const& host)
      : name(host.name),
        rows(host.rows),
        columns(host.columns),
        offsets(on_device(std::span<std::int32_t const>(host.offsets))),
        nonzeros(host.nonzeros()),
        indices(on_device(std::span<std::int32_t const>(host.indices))) {}
};

template <class T>
void multiply(session const& now, device_places const& places) {
  index_t const rows = places.rows, columns = places.columns, nonzeros = places.nonzeros;
  auto const values = made_on_device<T>(nonzeros, small_integer_at<T>{11});
  auto const x = made_on_device<T>(columns, small_integer_at<T>{12});
  auto expected = spoilt<T>(rows);
  csr_matrix<T, std::int32_t> const matrix{
      rows, columns, nonzeros, places.offsets.data(), places.indices.data(), values.data()};
  workspace ws;
  spmv<spmv_algorithm::scalar>(ws, matrix, static_cast<T const*>(x.data()), expected.data());
  checked_output<T> const y(std::move(expected));
  spmv_problem const problem{
      std::is_same_v<T, double>, rows,          columns,  nonzeros, places.offsets.data(),
      places.indices.data(),     values.data(), x.data(), y.data()};
  double const bytes = static_cast<double>(nonzeros) * (4 + sizeof(T)) +
                       static_cast<double>(rows) * (4 + sizeof(T)) +
                       static_cast<double>(columns) * sizeof(T);
  std::string const& name = places.name;
  workload work{"cuda", "spmv " + name, type_name<T>(), nonzeros, bytes, {copy_of(bytes)}};
  for (auto const& offers : {by_libscan::offers(problem), by_cusparse::offers(problem)}) {
    for (implementation const& each : offers) {
      // One thread or warp for a dense row would take seconds.
      bool const unbalanced = each.name == "libscan scalar" || each.name == "libscan vector";
      if (unbalanced && (name == "dense-row" || name == "arrow" || name == "power-law")) continue;
      work.contenders.push_back({each.name, each.run, [&] { return y.right(); }});
    }
  }
  now.run(std::move(work));

  by_libscan::plan_offer const plan = by_libscan::plan(problem);
  double const of_plan = static_cast<double>(rows) * 4 + static_cast<double>(plan.bytes);
  now.run({"cuda",
           "spmv plan, " + name,
           type_name<T>(),
           nonzeros,
           of_plan,
           {copy_of(of_plan), {plan.making.name, plan.making.run, [&] {
                                 plan.product();
                                 return y.right();
                               }}}});
}

void build(session const& now, index_t n) {
  entry_list const list(n);
  index_t const rows = list.rows;
  auto const list_rows = made_on_device<std::int32_t>(n, list.row);
  auto const list_columns = made_on_device<std::int32_t>(n, list.column);
  auto const list_values = made_on_device<float>(n, list.value);
  device::buffer<std::int32_t> const offsets(rows + 1), indices(n);
  device::buffer<float> const values(n);
  build_problem const problem{rows,
                              n,
                              list_rows.data(),
                              list_columns.data(),
                              list_values.data(),
                              offsets.data(),
                              indices.data(),
                              values.data()};
  // A list read, a matrix written.
  double const bytes = static_cast<double>(n) * 20 + static_cast<double>(rows) * 4;
  workload work{"cuda", "coo to csr", "f32", n, bytes, {copy_of(bytes)}};
  for (auto const& offers : {by_libscan::offers(problem), by_cub::offers(problem)}) {
    for (implementation const& each : offers) work.contenders.push_back({each.name, each.run, {}});
  }
  now.run(std::move(work));
}

}  // namespace

void run_products(session const& now) {
  options const& wanted = now.wanted;
  auto const multiply_types = [&](device_places const& places) {
    for (std::string const& type : or_standard<std::string>(wanted.types, {"f32", "f64"})) {
      type == "f64" ? multiply<double>(now, places) : multiply<float>(now, places);
    }
  };
  for (std::string const& name : matrix_names(wanted)) {
    for (index_t const n : or_standard<index_t>(wanted.sizes, {standard_entries(name)})) {
      multiply_types(name == "rmat" ? device_places(places_of(name, n))
                                    : device_places(name, matrix_at(name, n)));
    }
  }
  for (std::string const& path : wanted.matrix_files) {
    matrix_places const once = places_in(path);
    for (index_t const n : file_sizes(wanted)) {
      multiply_types(device_places(repeated(once, n)));
    }
  }
}

void run_builds(session const& now) {
  for (index_t const n : or_standard<index_t>(now.wanted.sizes, {1 << 20, 1 << 24, 1 << 27})) {
    build(now, n);
  }
}

}  // namespace libscan::bench::cuda
