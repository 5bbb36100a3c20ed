// SPDX-License-Identifier: Apache-2.0
// What compiled calls on device spans cost beside the templates that they call.
#include <algorithm>
#include <memory>

#include <bench/cuda/workloads.cuh>
#include <bench/oracles.hpp>
#include <libscan/device_calls.hpp>
#include <libscan/filter.cuh>
#include <libscan/filter_device_calls.hpp>
#include <libscan/histogram.cuh>
#include <libscan/histogram_device_calls.hpp>
#include <libscan/radix_sort.cuh>
#include <libscan/reduce.cuh>
#include <libscan/runs.cuh>
#include <libscan/scan.cuh>
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_scan.cuh>
#include <libscan/sort_device_calls.hpp>
#include <libscan/spmv.cuh>
#include <libscan/spmv_device_calls.hpp>

namespace libscan::bench::cuda {

namespace {

/// Measures one call both ways, with the same memory as workspace: template_call(workspace) and
/// span_call(queue).
template <class TemplateCall, class SpanCall, class Right>
void compare(session const& now, workload work, std::size_t bytes, TemplateCall template_call,
             SpanCall span_call, Right right) {
  device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
  workspace ws(memory.data(), bytes);
  device_queue const queue{
      .on = engine::cuda(), .workspace = memory.data(), .workspace_bytes = bytes};
  work.contenders.push_back({"libscan", [&] { template_call(ws); }, right});
  work.contenders.push_back({"spans", [&] { span_call(queue); }, right});
  now.run(std::move(work));
}

template <class T>
void scan(session const& now, index_t n) {
  auto const host = items_of<T>("random", n);
  auto const expected = scanned<T>(host, scan_kind::exclusive, plus<T>{});
  auto const items = on_device(host.view());
  checked_output<T> const out(expected.view());
  T const* const in = items.data();
  T* const to = out.data();
  compare(
      now,
      {"cuda", "exclusive_scan", type_name<T>(), n, 2.0 * sizeof(T) * static_cast<double>(n), {}},
      device_workspace_bytes<T>(engine::cuda(), n),
      [=](workspace& ws) { libscan::exclusive_scan(ws, in, to, n, plus<T>{}); },
      [=](device_queue const& queue) {
        libscan::exclusive_scan(queue, device_span<T const>{in, n}, to);
      },
      [&] { return out.right(); });
}

/// A scan from the last item to the first; `name` of the operator goes into the row.
template <class Op>
void reverse(session const& now, index_t n, Op op, std::string const& name) {
  using T = typename Op::value_type;
  auto const host = items_of<T>("random", n);
  host_array<T> scanned(n);
  for (index_t i = n; i-- > 0;) {
    scanned[i] = op(host[i], i == n - 1 ? op.identity() : scanned[i + 1]);
  }
  auto const items = on_device(host.view());
  checked_output<T> const out(scanned.view());
  T const* const in = items.data();
  T* const to = out.data();
  compare(
      now,
      {"cuda",
       "reverse_inclusive_scan, " + name,
       type_name<T>(),
       n,
       2.0 * sizeof(T) * static_cast<double>(n),
       {}},
      device_workspace_bytes<T>(engine::cuda(), n),
      [=](workspace& ws) { libscan::reverse_inclusive_scan(ws, in, to, n, op); },
      [=](device_queue const& queue) {
        libscan::reverse_inclusive_scan(queue, device_span<T const>{in, n}, to, op);
      },
      [&] { return out.right(); });
}

void reduction(session const& now, index_t n) {
  using T = std::int32_t;
  auto const host = items_of<T>("random", n);
  T const expected = reduced(host, plus<T>{});
  auto const items = on_device(host.view());
  checked_output<T> const out(std::span<T const>(&expected, 1));
  T const* const in = items.data();
  T* const to = out.data();
  compare(
      now, {"cuda", "reduce", "i32", n, static_cast<double>(n) * sizeof(T), {}},
      device_workspace_bytes<T>(engine::cuda(), n),
      [=](workspace& ws) { libscan::reduce(ws, in, to, n, plus<T>{}); },
      [=](device_queue const& queue) {
        libscan::reduce(queue, device_span<T const>{in, n}, to);
      },
      [&] { return out.right(); });
}

/// A filter that keeps about half of random words, and a sort of them; each must give what the
/// toolkit's CUB gives.
void filter_and_sort(session const& now, index_t n) {
  using T = std::uint32_t;
  auto const items = made_on_device<T>(n, key_at<T>("uniform", n));
  constexpr T limit = T{1} << 31;
  in_interval<T> const below{.lo = 0, .hi = limit - 1};
  predicate<T> const keep = below;
  T const* const in = items.data();
  double const bytes = static_cast<double>(n) * sizeof(T);

  device_count const count;
  auto kept = spoilt<T>(n);
  solve_by_cub(filter_problem{in, kept.data(), count.data(), limit, n});
  index_t const expected = count.take();
  checked_output<T> const filtered(std::move(kept));
  T* const to = filtered.data();
  index_t* const d_count = count.data();
  compare(
      now, {"cuda", "filter 50 %", "u32", n, 1.5 * bytes, {}},
      device_filter_workspace_bytes<T>(engine::cuda(), n),
      [=](workspace& ws) { libscan::filter(ws, in, to, n, below, d_count); },
      [=](device_queue const& queue) {
        libscan::filter(queue, device_span<T const>{in, n}, to, keep, d_count);
      },
      [&] { return count.right(expected, true) && filtered.right(); });

  device::buffer<T> sorted(n);
  solve_by_cub(sort_problem{"u32", in, sorted.data(), n});
  checked_output<T> const out(std::move(sorted));
  T* const sorted_to = out.data();
  compare(
      now, {"cuda", "sort keys, uniform", "u32", n, 9 * bytes, {}},
      device_sort_workspace_bytes<T>(engine::cuda(), n),
      [=](workspace& ws) { libscan::sort_keys(ws, in, sorted_to, n); },
      [=](device_queue const& queue) {
        libscan::sort_keys(queue, device_span<T const>{in, n}, sorted_to);
      },
      [&] { return out.right(); });
}

/// Segments of 200 items, between offsets of index_t.
struct even_segments {
  static constexpr index_t length = 200;
  host_array<index_t> offsets;
  device::buffer<index_t> there;

  explicit even_segments(index_t n)
      : offsets(ceil_div(n, length) + 1), there((fill(n), on_device(offsets.view()))) {}

  index_t segments() const { return offsets.size - 1; }
  segment_offsets<index_t> as_template() const { return {there.data(), segments()}; }
  segmentation as_span() const {
    return segmentation::of_offsets(
        std::span<index_t const>(there.data(), static_cast<std::size_t>(offsets.size)));
  }

 private:
  void fill(index_t n) {
    for (index_t s = 0; s < offsets.size; ++s) offsets[s] = std::min(s * length, n);
  }
};

/// Scans and sums within segments; `name` of the operator goes into the rows.
template <class Op>
void segments(session const& now, index_t n, Op op, std::string const& name) {
  using T = typename Op::value_type;
  even_segments const all(n);
  auto const host = items_of<T>("random", n);
  auto const items = on_device(host.view());
  host_array<T> scanned(n), sums(all.segments());
  for (index_t i = 0; i < n; ++i) {
    scanned[i] = op(i % all.length == 0 ? op.identity() : scanned[i - 1], host[i]);
    sums[i / all.length] = scanned[i];
  }
  T const* const in = items.data();
  auto const described = all.as_template();
  segmentation const as_span = all.as_span();
  double const bytes =
      static_cast<double>(n) * sizeof(T) + static_cast<double>(all.segments()) * sizeof(index_t);
  std::size_t const memory = device_workspace_bytes<T>(engine::cuda(), n, as_span);

  checked_output<T> const out(scanned.view());
  T* const to = out.data();
  compare(
      now,
      {"cuda",
       "inclusive_segmented_scan, offsets, " + name,
       type_name<T>(),
       n,
       bytes + static_cast<double>(n) * sizeof(T),
       {}},
      memory,
      [=](workspace& ws) { libscan::inclusive_segmented_scan(ws, in, to, described, n, op); },
      [=](device_queue const& queue) {
        libscan::inclusive_segmented_scan(queue, device_span<T const>{in, n}, to, as_span, op);
      },
      [&] { return out.right(); });

  checked_output<T> const totals(sums.view());
  T* const sums_to = totals.data();
  compare(
      now, {"cuda", "segmented_reduce, offsets, " + name, type_name<T>(), n, bytes, {}}, memory,
      [=](workspace& ws) { libscan::segmented_reduce(ws, in, sums_to, described, n, op); },
      [=](device_queue const& queue) {
        libscan::segmented_reduce(queue, device_span<T const>{in, n}, sums_to, as_span, op);
      },
      [&] { return totals.right(); });
}

/// Runs of three equal items.
struct three_equal {
  __host__ __device__ std::uint32_t operator()(index_t i) const {
    return static_cast<std::uint32_t>(i / 3);
  }
};

void runs(session const& now, index_t n) {
  using T = std::uint32_t;
  auto const items = made_on_device<T>(n, three_equal{});
  index_t const count = ceil_div(n, index_t{3});
  host_array<T> first(n);
  host_array<index_t> length(n);
  std::fill_n(reinterpret_cast<unsigned char*>(first.begin()), sizeof(T) * first.size, 0xa5);
  std::fill_n(reinterpret_cast<unsigned char*>(length.begin()), sizeof(index_t) * first.size, 0xa5);
  for (index_t r = 0; r < count; ++r) {
    first[r] = static_cast<T>(r);
    length[r] = std::min(n - 3 * r, index_t{3});
  }
  checked_output<T> const firsts(first.view());
  checked_output<index_t> const lengths(length.view());
  device_count const found;
  T const* const in = items.data();
  T* const to = firsts.data();
  index_t* const lengths_to = lengths.data();
  index_t* const d_runs = found.data();
  double const bytes = sizeof(T) * static_cast<double>(n) +
                       (sizeof(T) + sizeof(index_t)) * static_cast<double>(count);
  compare(
      now, {"cuda", "run_length_encode, runs of 3", "u32", n, bytes, {}},
      device_run_workspace_bytes<T>(engine::cuda(), n, 1),
      [=](workspace& ws) {
        libscan::run_length_encode(ws, in, to, lengths_to, no_output{}, n, d_runs);
      },
      [=](device_queue const& queue) {
        libscan::run_length_encode(queue, device_span<T const>{in, n}, to, lengths_to, d_runs);
      },
      [&] { return found.right(count, true) && firsts.right() && lengths.right(); });
}

/// The numbers 0 to 255, one after the other.
struct all_bins {
  __host__ __device__ float operator()(index_t i) const { return static_cast<float>(i % 256); }
};

void bins(session const& now, index_t n) {
  constexpr int count = 256;
  auto const items = made_on_device<float>(n, all_bins{});
  host_array<std::uint64_t> expected(count);
  for (index_t b = 0; b < count; ++b) {
    expected[b] = static_cast<std::uint64_t>((n + count - 1 - b) / count);
  }
  checked_output<std::uint64_t> const counts(expected.view());
  auto const totals = std::make_shared<device::buffer<sample_totals>>(1);
  even_bins<float> const rule(0, count, count);
  float const* const in = items.data();
  std::uint64_t* const to = counts.data();
  compare(
      now, {"cuda", "histogram, 256 bins", "f32", n, static_cast<double>(n) * sizeof(float), {}},
      device_histogram_workspace_bytes<float>(engine::cuda(), n, count),
      [=](workspace& ws) { libscan::histogram(ws, in, to, rule, n, totals->data()); },
      [=](device_queue const& queue) {
        libscan::histogram(queue, device_span<float const>{in, n}, to, rule, totals->data());
      },
      [&] { return counts.right(); });
}

/// The column of entry i in a matrix with 8 entries a row, near the diagonal.
struct near_diagonal {
  index_t columns;
  __host__ __device__ std::int32_t operator()(index_t i) const {
    return static_cast<std::int32_t>((i / 8 + i % 8) % columns);
  }
};
struct of_eight {
  __host__ __device__ std::int64_t operator()(index_t row) const { return 8 * row; }
};
struct one_each {
  __host__ __device__ double operator()(index_t) const { return 1; }
};

void product(session const& now, index_t n) {
  index_t const rows = n / 8;
  auto const offsets = made_on_device<std::int64_t>(rows + 1, of_eight{});
  auto const columns = made_on_device<std::int32_t>(n, near_diagonal{rows});
  auto const values = made_on_device<double>(n, one_each{});
  auto const x = made_on_device<double>(rows, one_each{});
  host_array<double> eights(rows);
  std::fill_n(eights.begin(), rows, 8.0);
  checked_output<double> const y(eights.view());
  csr_matrix<double> const matrix{rows, rows, n, offsets.data(), columns.data(), values.data()};
  double const* const from = x.data();
  double* const to = y.data();
  compare(
      now,
      {"cuda",
       "spmv, 8 entries a row",
       "f64",
       n,
       static_cast<double>(n) * 12 + static_cast<double>(rows) * 24,
       {}},
      device_spmv_workspace_bytes<double>(engine::cuda(), rows, n),
      [=](workspace& ws) { libscan::spmv(ws, matrix, from, to); },
      [=](device_queue const& queue) { libscan::spmv(queue, matrix, from, to); },
      [&] { return y.right(); });
}

}  // namespace

void run_spans(session const& now) {
  std::vector<index_t> const sizes{1 << 10, 1 << 13, 1 << 16, 1 << 20, 1 << 24, 1 << 28};
  for (index_t const n : or_standard<index_t>(now.wanted.sizes, sizes)) {
    scan<std::int32_t>(now, n);
    scan<double>(now, n);
    reduction(now, n);
    filter_and_sort(now, n);
    segments(now, n, plus<std::uint32_t>{}, "plus");
    segments(now, n, plus<float>{}, "plus");
    segments(now, n, maximum<std::uint32_t>{}, "maximum");
    segments(now, n, minimum<std::int64_t>{}, "minimum");
    segments(now, n, minimum<float>{}, "minimum");
    segments(now, n, bit_xor<std::uint8_t>{}, "bit_xor");
    reverse(now, n, maximum<std::int32_t>{}, "maximum");
    runs(now, n);
    bins(now, n);
    product(now, n);
  }
}

}  // namespace libscan::bench::cuda
