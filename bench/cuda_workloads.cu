// SPDX-License-Identifier: Apache-2.0
// The device scans beside CUB and cudaMemcpyAsync. Times are CUDA events around the calls, with the
// L2 cache flushed before each.
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cub/version.cuh>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>

#include <apps/filter/filter.cuh>
#include <apps/filter/predicate.hpp>
#include <bench/cuda_timer.cuh>
#include <bench/measure.hpp>
#include <libscan/device/scan.cuh>

namespace libscan::bench {

namespace {

template <class T>
device::buffer<T> random_items(index_t n) {
  std::vector<T> items(static_cast<std::size_t>(n));
  std::mt19937_64 words(20240229);
  for (T& item : items) item = static_cast<T>(words() % 1000);
  device::buffer<T> result{std::span<T const>(items)};
  simt::synchronize();
  return result;
}

template <class T>
std::vector<T> on_host(device::buffer<T> const& from, index_t count) {
  std::vector<T> items(static_cast<std::size_t>(count));
  from.read_sync(items.data(), count);
  return items;
}

/// Whether two outputs agree: exactly, or for floating sums within the bound of two orders of n
/// terms of at most 1000.
template <class T>
bool agree(std::vector<T> const& a, std::vector<T> const& b) {
  if constexpr (std::is_floating_point_v<T>) {
    double const n = static_cast<double>(a.size());
    double const bound = 2 * n * std::numeric_limits<T>::epsilon() * n * 1000;
    return std::equal(a.begin(), a.end(), b.begin(),
                      [=](T x, T y) { return std::abs(double(x) - double(y)) <= bound; });
  } else {
    return a == b;
  }
}

/// A CUB call with its temporary memory: call(memory, bytes).
template <class Call>
std::function<void()> with_temporary_memory(Call call) {
  std::size_t bytes = 0;
  LIBSCAN_CHECK(call(nullptr, bytes));
  auto const memory = std::make_shared<device::buffer<std::byte>>(static_cast<index_t>(bytes));
  return [=]() mutable { LIBSCAN_CHECK(call(memory->data(), bytes)); };
}

template <class T>
void scan(char const* type, index_t n, options const& wanted, event_timer const& timer,
          report const& tell) {
  auto const in = random_items<T>(n);
  device::buffer<T> const out(n);
  workspace ws;
  auto const cub64 = with_temporary_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(memory, bytes, in.data(), out.data(), n);
  });
  auto const cub32 = with_temporary_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(memory, bytes, in.data(), out.data(), static_cast<int>(n));
  });
  cub64();
  auto const expected = on_host(out, n);
  auto const right = [&] { return agree(expected, on_host(out, n)); };
  workload work{
      "cuda",
      "exclusive_scan",
      type,
      n,
      2.0 * static_cast<double>(n) * sizeof(T),
      {{"memcpy",
        [&] { simt::copy_async(out.data(), in.data(), static_cast<std::size_t>(n) * sizeof(T)); },
        {}},
       {"libscan", [&] { exclusive_scan(ws, in.data(), out.data(), n, plus<T>{}); }, right},
       {"cub", cub64, right}}};
  if (n <= std::numeric_limits<int>::max()) work.contenders.push_back({"cub int", cub32, right});
  tell(measure(work, wanted.rounds, std::cref(timer)));
}

void filter_u32(unsigned per_mille, index_t n, options const& wanted, event_timer const& timer,
                report const& tell) {
  using T = std::uint32_t;
  auto const in = random_items<T>(n);
  device::buffer<T> const out(n);
  device::buffer<index_t> const count(1);
  in_interval<T> const keep{0, per_mille - 1};
  workspace ws;
  auto const cub = with_temporary_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceSelect::If(memory, bytes, in.data(), out.data(), count.data(), n, keep);
  });
  cub();
  index_t const kept = on_host(count, 1)[0];
  auto const expected = on_host(out, kept);
  auto const right = [&] { return on_host(count, 1)[0] == kept && on_host(out, kept) == expected; };
  auto const bytes = static_cast<std::size_t>(n + kept) * sizeof(T);
  workload const work{
      "cuda",
      "filter " + std::to_string(per_mille / 10) + " %",
      "u32",
      n,
      static_cast<double>(bytes),
      {{"memcpy", [&] { simt::copy_async(out.data(), in.data(), bytes / 2); }, {}},
       {"libscan", [&] { filter(ws, in.data(), out.data(), n, keep, count.data()); }, right},
       {"cub", cub, right}}};
  tell(measure(work, wanted.rounds, std::cref(timer)));
}

std::string description() {
  cudaDeviceProp properties{};
  int driver = 0, runtime = 0, clock = 0;
  LIBSCAN_CHECK(cudaGetDeviceProperties(&properties, 0));
  LIBSCAN_CHECK(cudaDriverGetVersion(&driver));
  LIBSCAN_CHECK(cudaRuntimeGetVersion(&runtime));
  LIBSCAN_CHECK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0));
  return std::string(properties.name) + ", " + std::to_string(clock / 1000) + " MHz, CUDA driver " +
         std::to_string(driver) + ", runtime " + std::to_string(runtime) + ", CUB " +
         std::to_string(CUB_VERSION);
}

}  // namespace

std::string run_cuda_workloads(options const& wanted, report const& tell) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return "";
  event_timer const timer;
  std::vector<index_t> sizes = wanted.sizes;
  if (sizes.empty()) sizes = {1 << 16, 1 << 20, 1 << 24, 1 << 28};
  for (index_t const n : sizes) {
    for (std::string const& operation : wanted.operations) {
      if (operation == "scan") {
        scan<std::int32_t>("i32", n, wanted, timer, tell);
        scan<float>("f32", n, wanted, timer, tell);
        scan<std::int64_t>("i64", n, wanted, timer, tell);
      } else if (operation == "filter") {
        for (unsigned const per_mille : {10u, 500u, 990u}) {
          filter_u32(per_mille, n, wanted, timer, tell);
        }
      }
    }
  }
  if (std::count(wanted.operations.begin(), wanted.operations.end(), "chapter") > 0) {
    run_chapter_workloads(wanted, std::cref(timer), tell);
  }
  return description();
}

}  // namespace libscan::bench
