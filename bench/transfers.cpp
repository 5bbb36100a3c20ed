// SPDX-License-Identifier: Apache-2.0
// scan-bench-transfers: times the host API on a GPU, with pageable and with pinned host memory.
// Beside it: cudaMemcpy around a call on device memory, or libscan without pieces; and only copies
// of the same bytes, both ways at once, from pinned memory.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <libscan/device_calls.hpp>
#include <libscan/filter.hpp>
#include <libscan/histogram.hpp>
#include <libscan/host/transfer_tuning.hpp>
#include <libscan/libscan.hpp>
#include <libscan/predicate.hpp>
#include <libscan/radix_sort.hpp>
#include <libscan/segmented.hpp>
#include <libscan/sort_device_calls.hpp>

namespace {

using namespace libscan;
using item = std::uint32_t;
using clock_type = std::chrono::steady_clock;

/// More bytes than any call has.
constexpr std::size_t no_pieces = std::numeric_limits<std::size_t>::max();

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

/// Copies of so many bytes into device memory and out of it, at once, in pieces on two streams.
class duplex_copy {
 public:
  duplex_copy(std::size_t bytes_in, std::size_t bytes_out, int passes)
      : bytes_in_(bytes_in),
        bytes_out_(bytes_out),
        passes_(passes),
        in_(items_of(bytes_in), true),
        out_(items_of(bytes_out), true),
        device_(2 * piece) {
    for (cudaStream_t& stream : streams_) check(cudaStreamCreate(&stream));
    std::memset(in_.view().data(), 1, bytes_in);
    std::memset(out_.view().data(), 1, bytes_out);
  }
  ~duplex_copy() {
    for (cudaStream_t const stream : streams_) (void)cudaStreamDestroy(stream);
  }

  void run() const {
    for (int pass = 0; pass < passes_; ++pass) {
      for (std::size_t at = 0; at < std::max(bytes_in_, bytes_out_); at += piece) {
        copy(device_.get(), bytes_of(in_) + at, at, bytes_in_, streams_[0]);
        copy(bytes_of(out_) + at, device_.get() + piece / sizeof(item), at, bytes_out_,
             streams_[1]);
      }
      for (cudaStream_t const stream : streams_) check(cudaStreamSynchronize(stream));
    }
  }

 private:
  static constexpr std::size_t piece = std::size_t{8} << 20;

  static index_t items_of(std::size_t bytes) {
    return static_cast<index_t>(bytes / sizeof(item)) + 1;
  }
  static std::byte* bytes_of(host_items const& items) {
    return reinterpret_cast<std::byte*>(items.view().data());
  }
  static void copy(void* to, void const* from, std::size_t at, std::size_t all,
                   cudaStream_t stream) {
    if (at >= all) return;
    check(cudaMemcpyAsync(to, from, std::min(piece, all - at), cudaMemcpyDefault, stream));
  }

  std::size_t bytes_in_, bytes_out_;
  int passes_;
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

/// An operation on host memory by the host API, which returns the bytes of its result; and on
/// device memory, or else libscan's own calls without pieces.
struct operation {
  std::string name;
  double bytes_in;   // for each item, the least
  double bytes_out;  // likewise, about
  int passes;        // through the device
  std::function<std::size_t(std::span<item const>, std::span<item>)> by_host_api;
  std::function<void(device_queue const&, item* items, item* out, index_t n)> on_device = {};
};

std::size_t all_bytes(std::span<item> out) { return out.size_bytes(); }

/// What the first version measured.
std::vector<operation> whole_operations(engine const& on) {
  return {{"exclusive_scan", 4, 4, 1,
           [on](auto in, auto out) {
             (void)exclusive_scan(on, in, out);
             return all_bytes(out);
           },
           [](auto& queue, item* in, item* out, index_t n) {
             exclusive_scan(queue, device_span<item const>{in, n}, out);
           }},
          {"reduce", 4, 0, 1,
           [on](auto in, auto out) {
             out[0] = reduce(on, in);
             return sizeof(item);
           },
           [](auto& queue, item* in, item* out, index_t n) {
             libscan::reduce(queue, device_span<item const>{in, n}, out);
           }},
          {"sort_keys", 4, 4, 1,
           [on](auto in, auto out) {
             sort_keys(on, in, out);
             return all_bytes(out);
           },
           [](auto& queue, item* in, item* out, index_t n) {
             sort_keys(queue, device_span<item const>{in, n}, out);
           }}};
}

/// What passes through the device in pieces. `heads` has a flag for each item. A sort takes as much
/// device memory as one of the shares of its keys' bytes says.
std::vector<operation> piece_operations(engine const& on, std::vector<std::uint8_t> const& heads,
                                        std::vector<double> const& sort_shares) {
  predicate<item> const lower_half = in_interval<item>{0, (1u << 31) - 1};
  std::vector<operation> result{
      {"filter", 4, 2, 1,
       [=](auto in, auto out) {
         index_t const kept = filter<item>(on, in, out, lower_half);
         return static_cast<std::size_t>(kept) * sizeof(item);
       }},
      {"segmented_scan", 4 + 1.0 / 8, 4, 1,
       [=, &heads](auto in, auto out) {
         std::span<std::uint8_t const> const flags(heads.data(), in.size());
         inclusive_segmented_scan(on, in, out, segmentation::of_flags(flags));
         return all_bytes(out);
       }},
      {"histogram", 4, 0, 1, [=](auto in, auto out) {
         std::vector<std::uint64_t> counts(256);
         (void)histogram(on, in, counts, even_bins<item>(0, 4294967040u, 256));
         std::memcpy(out.data(), counts.data(), 256 * sizeof(std::uint64_t));
         return 256 * sizeof(std::uint64_t);
       }}};
  for (double const share : sort_shares) {
    std::string const percent = std::to_string(static_cast<int>(100 * share));
    result.push_back({"sort_into_" + percent + "%", 4, 4, 2, [=](auto in, auto out) {
                        detail::transfer_tuning limited = detail::tuned_transfers;
                        // Without pieces, as if the device held all.
                        if (limited.min_bytes < no_pieces) {
                          limited.device_bytes = static_cast<std::size_t>(
                              share * static_cast<double>(in.size_bytes()));
                        }
                        detail::scoped_transfers const now(limited);
                        sort_keys(on, in, out);
                        return all_bytes(out);
                      }});
  }
  return result;
}

/// The other contender of an operation.
std::function<void(std::span<item>)> other_of(operation const& what, std::span<item const> in,
                                              device_items const& from, device_items const& to) {
  if (!what.on_device) {
    return [&what, in](std::span<item> result) {
      detail::transfer_tuning whole = detail::tuned_transfers;
      whole.min_bytes = no_pieces;
      detail::scoped_transfers const now(whole);
      (void)what.by_host_api(in, result);
    };
  }
  return [&, in](std::span<item> result) {
    auto const n = static_cast<index_t>(in.size());
    check(cudaMemcpy(from.get(), in.data(), in.size_bytes(), cudaMemcpyDefault));
    what.on_device({.on = engine::cuda()}, from.get(), to.get(), n);
    std::size_t const bytes = what.bytes_out > 0 ? in.size_bytes() : sizeof(item);
    check(cudaMemcpy(result.data(), to.get(), bytes, cudaMemcpyDefault));
  };
}

nlohmann::json measure(operation const& what, index_t n, bool pinned, bool fresh, int samples) {
  std::size_t const bytes = static_cast<std::size_t>(n) * sizeof(item);
  host_items const in(n, pinned);
  item word = 1;
  for (item& each : in.view()) each = word = word * 1664525u + 1013904223u;
  host_items const out(n, pinned), expected(n, pinned);
  device_items const from(what.on_device ? bytes : 1), to(what.on_device ? bytes : 1);
  duplex_copy const copies(static_cast<std::size_t>(static_cast<double>(n) * what.bytes_in),
                           static_cast<std::size_t>(static_cast<double>(n) * what.bytes_out),
                           what.passes);
  auto const other = other_of(what, in.view(), from, to);
  // Memory that was never written is what a program has that makes a vector for its result.
  auto const into = [&](host_items const& old, auto const& call) {
    if (!fresh) return call(old.view());
    host_items const result(n, pinned);
    call(result.view());
  };
  std::size_t const result_bytes = what.by_host_api(in.view(), out.view());
  other(expected.view());
  bool const right = std::memcmp(out.view().data(), expected.view().data(), result_bytes) == 0;
  auto const times = medians(
      {{"libscan", [&] { into(out, [&](auto to) { (void)what.by_host_api(in.view(), to); }); }},
       {"other", [&] { into(expected, other); }},
       {"copies", [&] { copies.run(); }}},
      samples);
  std::string const memory = pinned ? "pinned" : fresh ? "pageable, new" : "pageable";
  std::printf("%-15s %11lld %-14s %9.2f ms %9.2f ms %9.2f ms   %5.2f x %5.2f of the limit%s\n",
              what.name.c_str(), static_cast<long long>(n), memory.c_str(), times[0] * 1e3,
              times[1] * 1e3, times[2] * 1e3, times[1] / times[0], times[2] / times[0],
              right ? "" : "   WRONG");
  std::fflush(stdout);
  return {{"operation", what.name},
          {"n", n},
          {"memory", memory},
          {"libscan", times[0]},
          {what.on_device ? "cudaMemcpy" : "whole", times[1]},
          {"limit", times[2]},
          {"right", right}};
}

/// A record of all lines.
void write_record(std::string const& path, std::string const& gpu, int samples,
                  nlohmann::json const& lines) {
  nlohmann::json const all{
      {"what", "host API on a GPU, seconds"}, {"gpu", gpu}, {"samples", samples}, {"lines", lines}};
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) throw std::runtime_error("cannot write " + path);
  std::fprintf(file, "%s\n", all.dump(1).c_str());
  if (std::fclose(file) != 0) throw std::runtime_error("cannot write " + path);
}

struct options {
  std::vector<index_t> sizes{1 << 20, 1 << 24, 1 << 28};
  std::vector<std::string> only;
  int samples = 7;
  std::vector<double> sort_shares{0.25, 0.75};
  std::string record;
};

/// All lines; whether all results are right.
bool run(options const& wanted) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0));
  std::printf(
      "%s; medians of %d: libscan; cudaMemcpy around a device call, or libscan without pieces; "
      "copies of as many bytes from pinned memory\n",
      properties.name, wanted.samples);
  engine const on = engine::cuda();
  nlohmann::json lines;
  for (index_t const n : wanted.sizes) {
    std::vector<std::uint8_t> heads(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < heads.size(); i += 1 + i % 97) heads[i] = 1;
    auto operations = whole_operations(on);
    for (auto& more : piece_operations(on, heads, wanted.sort_shares)) {
      operations.push_back(std::move(more));
    }
    for (operation const& what : operations) {
      if (!wanted.only.empty() && std::ranges::count(wanted.only, what.name) == 0) continue;
      lines.push_back(measure(what, n, false, false, wanted.samples));
      lines.push_back(measure(what, n, true, false, wanted.samples));
      if (what.bytes_out > 0) lines.push_back(measure(what, n, false, true, wanted.samples));
    }
  }
  if (!wanted.record.empty()) {
    write_record(wanted.record, properties.name, wanted.samples, lines);
  }
  return std::ranges::all_of(lines, [](auto& line) { return line["right"].template get<bool>(); });
}

}  // namespace

int main(int argc, char** argv) {
  options wanted;
  detail::transfer_tuning& tuned = detail::tuned_transfers;
  CLI::App app("Times the host API on GPU 0 and host memory, beside copies by cudaMemcpy.");
  app.add_option("--n", wanted.sizes, "numbers of 32-bit items")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  app.add_option("--only", wanted.only, "operations; default: all")->delimiter(',');
  app.add_option("--samples", wanted.samples, "timed runs of each")->check(CLI::PositiveNumber);
  app.add_option("--sort-shares", wanted.sort_shares,
                 "device memory of sorts, as shares of the bytes of their keys: sort_into_25%")
      ->delimiter(',');
  app.add_option("--piece-bytes", tuned.piece_bytes, "bytes that kernels handle at once");
  app.add_option("--unit-bytes", tuned.unit_bytes,
                 "bytes of pinned memory that a thread copies at once");
  app.add_option("--staged-bytes", tuned.staged_bytes,
                 "bytes of pageable memory that a thread copies at once");
  app.add_option("--threads", tuned.staging_threads, "threads that copy pageable memory, at most");
  app.add_option("--pinned-threads", tuned.pinned_threads, "threads that copy pinned memory");
  app.add_option("--record", wanted.record, "a JSON file for the results");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(wanted) ? 0 : 1;
  } catch (std::exception const& e) {
    std::fprintf(stderr, "scan-bench-transfers: error: %s\n", e.what());
    return 1;
  }
}
