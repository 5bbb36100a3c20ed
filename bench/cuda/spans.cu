// SPDX-License-Identifier: Apache-2.0
// What compiled calls on device spans cost beside the templates that they call.
#include <memory>

#include <bench/cuda/workloads.cuh>
#include <bench/oracles.hpp>
#include <libscan/device_calls.hpp>
#include <libscan/filter.cuh>
#include <libscan/filter_device_calls.hpp>
#include <libscan/radix_sort.cuh>
#include <libscan/reduce.cuh>
#include <libscan/scan.cuh>
#include <libscan/sort_device_calls.hpp>

namespace libscan::bench::cuda {

namespace {

/// A queue of the GPU with a workspace of its own.
class span_queue {
 public:
  explicit span_queue(std::size_t bytes)
      : memory_(std::make_shared<device::buffer<std::byte>>(static_cast<index_t>(bytes))),
        queue_{.on = engine::cuda(), .workspace = memory_->data(), .workspace_bytes = bytes} {}

  operator device_queue const&() const { return queue_; }

 private:
  std::shared_ptr<device::buffer<std::byte>> memory_;
  device_queue queue_;
};

/// Measures one call both ways: template_call(workspace) and span_call(queue).
template <class TemplateCall, class SpanCall, class Right>
void compare(session const& now, workload work, std::size_t bytes, TemplateCall template_call,
             SpanCall span_call, Right right) {
  auto const ws = std::make_shared<workspace>();
  span_queue const queue(bytes);
  work.contenders.push_back({"libscan", [=] { template_call(*ws); }, right});
  work.contenders.push_back(
      {"spans", [=] { span_call(static_cast<device_queue const&>(queue)); }, right});
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

}  // namespace

void run_spans(session const& now) {
  std::vector<index_t> const sizes{1 << 10, 1 << 13, 1 << 16, 1 << 20, 1 << 24, 1 << 28};
  for (index_t const n : or_standard<index_t>(now.wanted.sizes, sizes)) {
    scan<std::int32_t>(now, n);
    scan<double>(now, n);
    reduction(now, n);
    filter_and_sort(now, n);
  }
}

}  // namespace libscan::bench::cuda
