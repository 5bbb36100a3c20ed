// SPDX-License-Identifier: Apache-2.0
// scan-bench-transfers: times the host API on a GPU, with pageable and with pinned host memory.
// Beside it: cudaMemcpy around a call on device memory; and only copies, both ways at once, from
// pinned memory.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <libscan/device_calls.hpp>
#include <libscan/libscan.hpp>
#include <libscan/radix_sort.hpp>
#include <libscan/sort_device_calls.hpp>

namespace {

using namespace libscan;
using item = std::uint32_t;
using clock_type = std::chrono::steady_clock;

void check(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

/// n items of host memory.
class host_items {
 public:
  host_items(index_t n, bool pinned) : n_(n), pinned_(pinned) {
    auto const bytes = static_cast<std::size_t>(n) * sizeof(item);
    if (pinned) {
      check(cudaHostAlloc(reinterpret_cast<void**>(&data_), bytes, cudaHostAllocDefault));
    } else {
      data_ = new item[static_cast<std::size_t>(n)];
    }
  }
  host_items(host_items const&) = delete;
  ~host_items() {
    if (pinned_) {
      (void)cudaFreeHost(data_);
    } else {
      delete[] data_;
    }
  }
  std::span<item> view() const { return {data_, static_cast<std::size_t>(n_)}; }

 private:
  index_t n_;
  bool pinned_;
  item* data_ = nullptr;
};

struct device_items {
  explicit device_items(std::size_t bytes) { check(cudaMalloc(&data, bytes)); }
  device_items(device_items const&) = delete;
  ~device_items() { (void)cudaFree(data); }
  item* get() const { return static_cast<item*>(data); }
  void* data = nullptr;
};

/// Copies of `bytes` into device memory and of as many out of it, at once, in pieces on two
/// streams.
class duplex_copy {
 public:
  explicit duplex_copy(std::size_t bytes)
      : bytes_(bytes),
        in_(static_cast<index_t>(bytes / sizeof(item)), true),
        out_(static_cast<index_t>(bytes / sizeof(item)), true),
        device_(2 * piece) {
    for (cudaStream_t& stream : streams_) check(cudaStreamCreate(&stream));
    std::memset(in_.view().data(), 1, bytes);
    std::memset(out_.view().data(), 1, bytes);
  }
  ~duplex_copy() {
    for (cudaStream_t const stream : streams_) (void)cudaStreamDestroy(stream);
  }

  void run(bool back) const {
    constexpr std::size_t items = piece / sizeof(item);
    for (std::size_t at = 0; at < bytes_ / sizeof(item); at += items) {
      std::size_t const size = std::min(piece, bytes_ - at * sizeof(item));
      check(cudaMemcpyAsync(device_.get(), in_.view().data() + at, size, cudaMemcpyDefault,
                            streams_[0]));
      if (!back) continue;
      check(cudaMemcpyAsync(out_.view().data() + at, device_.get() + items, size, cudaMemcpyDefault,
                            streams_[1]));
    }
    for (cudaStream_t const stream : streams_) check(cudaStreamSynchronize(stream));
  }

 private:
  static constexpr std::size_t piece = std::size_t{8} << 20;
  std::size_t bytes_;
  host_items in_, out_;
  device_items device_;
  cudaStream_t streams_[2] = {};
};

struct contender {
  std::string name;
  std::function<void()> run;
};

/// Medians of the contenders' times in turns, after a run of each to begin with.
std::vector<double> medians(std::vector<contender> const& contenders, int samples) {
  std::vector<std::vector<double>> times(contenders.size());
  for (int sample = -1; sample < samples; ++sample) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      auto const begun = clock_type::now();
      contenders[i].run();
      std::chrono::duration<double> const seconds = clock_type::now() - begun;
      if (sample >= 0) times[i].push_back(seconds.count());
    }
  }
  std::vector<double> result;
  for (auto& all : times) {
    std::ranges::sort(all);
    result.push_back(all[all.size() / 2]);
  }
  return result;
}

/// An operation on host memory by the host API, and on device memory.
struct operation {
  std::string name;
  bool returns_items;
  std::function<void(std::span<item const>, std::span<item>)> by_host_api;
  std::function<void(device_queue const&, item* items, item* out, index_t n)> on_device;
};

std::vector<operation> operations() {
  engine const on = engine::cuda();
  return {{"exclusive_scan", true, [on](auto in, auto out) { (void)exclusive_scan(on, in, out); },
           [](auto& queue, item* in, item* out, index_t n) {
             exclusive_scan(queue, device_span<item const>{in, n}, out);
           }},
          {"reduce", false, [on](auto in, auto out) { out[0] = reduce(on, in); },
           [](auto& queue, item* in, item* out, index_t n) {
             libscan::reduce(queue, device_span<item const>{in, n}, out);
           }},
          {"sort_keys", true, [on](auto in, auto out) { sort_keys(on, in, out); },
           [](auto& queue, item* in, item* out, index_t n) {
             sort_keys(queue, device_span<item const>{in, n}, out);
           }}};
}

nlohmann::json measure(operation const& what, index_t n, bool pinned, bool fresh, int samples) {
  std::size_t const bytes = static_cast<std::size_t>(n) * sizeof(item);
  host_items const in(n, pinned);
  item word = 1;
  for (item& each : in.view()) each = word = word * 1664525u + 1013904223u;
  host_items const out(n, pinned), expected(n, pinned);
  device_items const from(bytes), to(bytes);
  std::size_t const result_bytes = what.returns_items ? bytes : sizeof(item);
  duplex_copy const copies(bytes);
  device_queue const queue{.on = engine::cuda()};
  auto const by_copies = [&](std::span<item> result) {
    check(cudaMemcpy(from.get(), in.view().data(), bytes, cudaMemcpyDefault));
    what.on_device(queue, from.get(), to.get(), n);
    check(cudaMemcpy(result.data(), to.get(), result_bytes, cudaMemcpyDefault));
  };
  // Memory that was never written is what a program has that makes a vector for its result.
  auto const into = [&](host_items const& old, auto const& call) {
    if (!fresh) return call(old.view());
    host_items const result(n, pinned);
    call(result.view());
  };
  what.by_host_api(in.view(), out.view());
  by_copies(expected.view());
  bool const right = std::memcmp(out.view().data(), expected.view().data(), result_bytes) == 0;
  auto const times =
      medians({{"libscan", [&] { into(out, [&](auto to) { what.by_host_api(in.view(), to); }); }},
               {"cudaMemcpy", [&] { into(expected, by_copies); }},
               {"copies", [&] { copies.run(what.returns_items); }}},
              samples);
  std::string const memory = pinned ? "pinned" : fresh ? "pageable, new" : "pageable";
  std::printf("%-15s %11lld %-14s %9.2f ms %9.2f ms %9.2f ms   %5.2f x %5.2f of the limit%s\n",
              what.name.c_str(), static_cast<long long>(n), memory.c_str(), times[0] * 1e3,
              times[1] * 1e3, times[2] * 1e3, times[1] / times[0], times[2] / times[0],
              right ? "" : "   WRONG");
  std::fflush(stdout);
  return {{"operation", what.name}, {"n", n},
          {"memory", memory},       {"libscan", times[0]},
          {"cudaMemcpy", times[1]}, {"limit", times[2]},
          {"right", right}};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<index_t> sizes{1 << 20, 1 << 24, 1 << 28};
  int samples = 7;
  std::string record;
  CLI::App app("Times the host API on GPU 0 and host memory, beside copies by cudaMemcpy.");
  app.add_option("--n", sizes, "numbers of 32-bit items")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  app.add_option("--samples", samples, "timed runs of each")->check(CLI::PositiveNumber);
  app.add_option("--record", record, "a JSON file for the results");
  CLI11_PARSE(app, argc, argv);
  try {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, 0));
    nlohmann::json lines;
    std::printf(
        "%s; medians of %d: libscan, cudaMemcpy around a device call, copies of as many bytes "
        "from pinned memory\n",
        properties.name, samples);
    for (index_t const n : sizes) {
      for (operation const& what : operations()) {
        lines.push_back(measure(what, n, false, false, samples));
        lines.push_back(measure(what, n, true, false, samples));
        if (what.returns_items) lines.push_back(measure(what, n, false, true, samples));
      }
    }
    if (!record.empty()) {
      nlohmann::json const all{{"what", "host API on a GPU, seconds"},
                               {"gpu", properties.name},
                               {"samples", samples},
                               {"lines", lines}};
      std::FILE* const file = std::fopen(record.c_str(), "w");
      if (file == nullptr) throw std::runtime_error("cannot write " + record);
      std::fprintf(file, "%s\n", all.dump(1).c_str());
      if (std::fclose(file) != 0) throw std::runtime_error("cannot write " + record);
    }
    return std::ranges::all_of(lines, [](auto& line) { return line["right"].template get<bool>(); })
               ? 0
               : 1;
  } catch (std::exception const& e) {
    std::fprintf(stderr, "scan-bench-transfers: error: %s\n", e.what());
    return 1;
  }
}
