// SPDX-License-Identifier: Apache-2.0
// scan-bench-gpus: times distributed calls on 1, 2, 4, ... GPUs of this machine, and the calls for
// one GPU beside them. Without a GPU it runs the executor, which shows only that it works.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>

#include <libscan/bins.hpp>
#include <libscan/buffer.hpp>
#include <libscan/device_calls.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/device_exchange.hpp>
#include <libscan/distributed/device_filter.hpp>
#include <libscan/distributed/device_histogram.hpp>
#include <libscan/distributed/device_sort.hpp>
#include <libscan/distributed/device_spmv.hpp>
#include <libscan/distributed/threads.hpp>
#include <libscan/host/device_memory.hpp>
#include <libscan/predicate_parser.hpp>

#ifdef LIBSCAN_WITH_CUDA
#include <cuda_runtime_api.h>
#endif
#ifdef LIBSCAN_BENCH_NCCL
#include <libscan/distributed/nccl.hpp>
#endif
#ifdef LIBSCAN_BENCH_MPI
#include <libscan/distributed/mpi.hpp>
#endif

namespace {

using namespace libscan;
using clock_type = std::chrono::steady_clock;

struct settings {
  std::vector<int> gpus{1, 2, 4, 8};
  index_t bytes = index_t{1} << 30;
  index_t total = 0;  // of strong scaling
  int samples = 7;
  std::string transport = "copies";
  std::vector<std::string> only;
  std::string record;
  bool mpi = false;
  bool share = false;
};

/// One line of the table.
struct line {
  std::string what;
  bool weak;  // the same bytes on each GPU, else on all together
  int ranks;
  double seconds;          // median of the slowest rank
  double sent = 0;         // bytes that a rank sends, if it is an exchange
  std::uint64_t checksum;  // of all results and their places
};

/// A well mixed word for each number.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Calls work(begin, end) for parts of n numbers, on this rank's share of the cores.
void in_parallel(std::size_t n, int ranks,
                 std::function<void(std::size_t, std::size_t)> const& work) {
  auto const cores = static_cast<int>(std::thread::hardware_concurrency());
  auto const threads = static_cast<std::size_t>(std::max(1, cores / ranks));
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] { work(n * t / threads, n * (t + 1) / threads); });
  }
  for (std::thread& one : running) one.join();
}

/// How keys are distributed.
enum class skew : std::uint8_t { uniform, few, equal, ascending };

template <class T>
T item_at(skew how, std::uint64_t i) {
  switch (how) {
    case skew::few:  // about half of them are 0, a quarter 1, and so on
      return static_cast<T>(__builtin_ctzll(mixed(i) | (std::uint64_t{1} << 40)));
    case skew::equal:
      return T{7};
    case skew::ascending:
      return static_cast<T>(i);
    default:
      if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(static_cast<std::int64_t>(mixed(i) >> 12)) * T(1e-9) - T(2e6);
      } else {
        return static_cast<T>(mixed(i));
      }
  }
}

/// The part of a rank of `total` items, on its machine.
template <class T>
class part {
 public:
  part(ranks const& on, index_t total, skew how)
      : d_(distribution::even(total, on.size())),
        begin_(d_.begin(on.rank())),
        items_(on.queue(), d_.size(on.rank())) {
    buffer<T> host(items_.size());
    in_parallel(host.size(), on.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        host[i] = item_at<T>(how, static_cast<std::uint64_t>(begin_) + i);
      }
    });
    items_.upload(std::span<T const>(host.data(), host.size()));
  }

  index_t size() const { return items_.size(); }
  device_span<T const> in() const { return {items_.data(), items_.size()}; }
  T* data() const { return items_.data(); }

 private:
  distribution d_;
  index_t begin_;
  detail::device_array<T> items_;
};

/// The sum over all items of a word that depends on the item and its place.
template <class T>
std::uint64_t checksum(ranks const& on, T const* items, index_t begin, index_t n) {
  buffer<T> host(n);
  detail::copy(on.queue(), host.data(), items, host.size() * sizeof(T));
  detail::synchronize(on.queue());
  std::atomic<std::uint64_t> sum = 0;
  in_parallel(host.size(), on.size(), [&](std::size_t from, std::size_t to) {
    std::uint64_t part = 0;
    for (std::size_t i = from; i < to; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &host[i], sizeof(T));
      part += mixed(bits + mixed(static_cast<std::uint64_t>(begin) + i));
    }
    sum += part;
  });
  return sum;
}

/// A matrix of one GPU.
struct matrix_on_device {
  matrix_on_device(device_queue const& queue, sparse_matrix<double> const& host)
      : offsets(detail::device_copy_of<std::int64_t>(queue, host.offsets)),
        indices(detail::device_copy_of<std::int32_t>(queue, host.indices)),
        values(detail::device_copy_of<double>(queue, host.values)),
        matrix(queue, {host.rows, host.columns, host.nonzeros(), offsets->data(), indices->data(),
                       values->data()}) {}

  std::unique_ptr<detail::device_array<std::int64_t>> offsets;
  std::unique_ptr<detail::device_array<std::int32_t>> indices;
  std::unique_ptr<detail::device_array<double>> values;
  device_prepared_matrix<double> matrix;
};

/// The lines of one group of ranks.
class bench {
 public:
  bench(ranks const& on, settings const& how, bool weak, std::vector<line>& lines)
      : on_(on), how_(how), weak_(weak), lines_(lines) {}

  void all() {
    scan<std::int32_t>("scan i32");
    scan<float>("scan f32");
    filter();
    histogram();
    sort<std::uint32_t>("sort u32", skew::uniform);
    sort<std::uint64_t>("sort u64", skew::uniform);
    pairs();
    sort<std::uint32_t>("sort u32, few values", skew::few);
    sort<std::uint32_t>("sort u32, all equal", skew::equal);
    sort<std::uint32_t>("sort u32, sorted", skew::ascending);
    exchange();
    product();
  }

 private:
  template <class T>
  index_t total(index_t bytes_per_item = sizeof(T)) const {
    return (weak_ ? how_.bytes * on_.size() : how_.total) / bytes_per_item;
  }

  bool wanted(std::string const& what) const {
    return how_.only.empty() || std::ranges::any_of(how_.only, [&](std::string const& one) {
             return what.find(one) != std::string::npos;
           });
  }

  /// The sum, or the maximum, of a value over ranks.
  template <class T, class Join>
  T over_ranks(T value, Join const& join) const {
    return detail::collective(on_.comm(), "bench", [&](detail::collective_call& call) {
      auto const values = call.gather("values", [&] { return value; });
      T joined{};
      for (T const one : values) joined = join(joined, one);
      return joined;
    });
  }

  /// Times work(), after one run that is not timed.
  template <class Work>
  void time(std::string const& what, double sent, std::uint64_t sum, Work const& work) {
    std::vector<double> seconds;
    for (int s = -1; s < how_.samples; ++s) {
      over_ranks(0, [](int, int) { return 0; });
      auto const begin = clock_type::now();
      work();
      detail::synchronize(on_.queue());
      double const own = std::chrono::duration<double>(clock_type::now() - begin).count();
      double const slowest = over_ranks(own, [](double a, double b) { return std::max(a, b); });
      if (s >= 0) seconds.push_back(slowest);
    }
    std::ranges::sort(seconds);
    sum = over_ranks(sum, [](std::uint64_t a, std::uint64_t b) { return a + b; });
    if (on_.rank() != 0) return;
    lines_.push_back({what, weak_, on_.size(), seconds[seconds.size() / 2], sent, sum});
    line const& last = lines_.back();
    std::printf("%-22s %-6s %2d GPUs %10.3f ms  %016llx", what.c_str(), weak_ ? "weak" : "strong",
                last.ranks, last.seconds * 1e3, static_cast<unsigned long long>(last.checksum));
    if (sent > 0) std::printf("  %6.1f GB/s a GPU", sent / last.seconds * 1e-9);
    std::printf("\n");
    std::fflush(stdout);
  }

  /// Times the distributed call and, on one GPU, the call for one GPU.
  template <class Work, class Alone, class Sum>
  void both(std::string const& what, Work const& work, Alone const& alone, Sum const& sum) {
    work();
    std::uint64_t const found = sum();
    time(what, 0, found, work);
    if (on_.size() == 1) {
      alone();
      time(what + ", one GPU", 0, sum(), alone);
    }
  }

  template <class T>
  void scan(std::string const& what) {
    if (!wanted(what)) return;
    index_t const n = total<T>();
    part<T> const in(on_, n, skew::uniform);
    detail::device_array<T> const out(on_.queue(), in.size());
    index_t const begin = distribution::even(n, on_.size()).begin(on_.rank());
    both(
        what, [&] { inclusive_scan(on_, in.in(), out.data()); },
        [&] { inclusive_scan(on_.queue(), in.in(), out.data()); },
        [&] { return checksum(on_, out.data(), begin, out.size()); });
  }

  void filter() {
    if (!wanted("filter")) return;
    index_t const n = total<std::uint32_t>();
    part<std::uint32_t> const in(on_, n, skew::uniform);
    detail::device_array<std::uint32_t> const out(on_.queue(), in.size());
    detail::device_array<index_t> const count(on_.queue(), 1);
    auto const keep = parse_predicate<std::uint32_t>(">= 2147483648");
    kept_items kept{};
    both(
        "filter 50 %", [&] { kept = libscan::filter(on_, in.in(), out.data(), keep); },
        [&] { libscan::filter(on_.queue(), in.in(), out.data(), keep, count.data()); },
        [&] { return checksum(on_, out.data(), kept.begin, kept.count); });
  }

  void histogram() {
    if (!wanted("histogram")) return;
    part<std::uint32_t> const in(on_, total<std::uint32_t>(), skew::uniform);
    detail::device_array<std::uint64_t> const counts(on_.queue(), 256);
    detail::device_array<sample_totals> const totals(on_.queue(), 1);
    even_bins<std::uint32_t> const rule(0, 4294967295u, 256);
    both(
        "histogram 256", [&] { libscan::histogram(on_, in.in(), counts.data(), rule); },
        [&] { libscan::histogram(on_.queue(), in.in(), counts.data(), rule, totals.data()); },
        [&] { return on_.rank() == 0 ? checksum(on_, counts.data(), 0, 256) : 0; });
  }

  template <class Key>
  void sort(std::string const& what, skew how) {
    if (!wanted(what)) return;
    index_t const n = total<Key>();
    part<Key> const in(on_, n, how);
    detail::device_array<Key> const out(on_.queue(), in.size());
    index_t const begin = distribution::even(n, on_.size()).begin(on_.rank());
    both(
        what,
        [&] {
          sort_keys(on_, in.in(), device_span<Key>{out.data(), out.size()});
        },
        [&] { sort_keys(on_.queue(), in.in(), out.data()); },
        [&] { return checksum(on_, out.data(), begin, out.size()); });
  }

  void pairs() {
    using word = std::uint32_t;
    if (!wanted("sort pairs u32")) return;
    index_t const n = total<word>(8);
    part<word> const keys(on_, n, skew::uniform), values(on_, n, skew::ascending);
    detail::device_array<word> const out(on_.queue(), keys.size()),
        values_out(on_.queue(), keys.size());
    index_t const begin = distribution::even(n, on_.size()).begin(on_.rank());
    both(
        "sort pairs u32",
        [&] {
          sort_pairs(on_, keys.in(), device_span<word>{out.data(), out.size()}, values.in(),
                     device_span<word>{values_out.data(), out.size()});
        },
        [&] { sort_pairs(on_.queue(), keys.in(), out.data(), values.data(), values_out.data()); },
        [&] {
          return checksum(on_, out.data(), begin, out.size()) +
                 checksum(on_, values_out.data(), begin, out.size());
        });
  }

  /// Each rank sends an equal part to each.
  void exchange() {
    if (!wanted("exchange") || on_.size() == 1) return;
    index_t const each = total<std::uint32_t>() / on_.size() / on_.size();
    part<std::uint32_t> const in(on_, each * on_.size() * on_.size(), skew::uniform);
    detail::device_array<std::uint32_t> const out(on_.queue(), in.size());
    std::vector<index_t> const counts(static_cast<std::size_t>(on_.size()), each);
    auto const work = [&] {
      libscan::exchange(on_, in.in(), counts, device_span<std::uint32_t>{out.data(), out.size()});
    };
    work();
    index_t const begin = in.size() * on_.rank();
    time("exchange", static_cast<double>(each * (on_.size() - 1)) * sizeof(std::uint32_t),
         checksum(on_, out.data(), begin, out.size()), work);
  }

  /// This rank's rows of a stencil of 7 points in a cube. Values and x are small whole numbers, so
  /// that sums are exact, and equal for any number of ranks.
  distributed_rows<double> stencil(index_t side, distribution const& d) const {
    index_t const first = d.begin(on_.rank()), rows = d.size(on_.rank());
    sparse_matrix<double> mine{rows, side * side * side, {}, {}, {}};
    auto const place = [&](index_t i) {
      return std::array{i % side, i / side % side, i / side / side};
    };
    // Of its two neighbors along each axis a point on a face lacks one.
    auto const entries = [&](index_t i) {
      index_t count = 1;
      for (index_t const at : place(i)) count += (at > 0) + (at + 1 < side);
      return count;
    };
    mine.offsets.reserve(static_cast<std::size_t>(rows + 1));
    mine.offsets.push_back(0);
    for (index_t i = 0; i < rows; ++i) {
      mine.offsets.push_back(mine.offsets.back() + entries(first + i));
    }
    mine.indices.resize(static_cast<std::size_t>(mine.offsets.back()));
    mine.values.resize(mine.indices.size());
    in_parallel(static_cast<std::size_t>(rows), on_.size(),
                [&](std::size_t begin, std::size_t end) {
                  for (std::size_t r = begin; r < end; ++r) {
                    index_t const i = first + static_cast<index_t>(r);
                    auto const [x, y, z] = place(i);
                    auto k = static_cast<std::size_t>(mine.offsets[r]);
                    auto const add = [&](bool inside, index_t at) {
                      if (!inside) return;
                      mine.indices[k] = static_cast<std::int32_t>(at);
                      mine.values[k++] = at == i ? 6 : -1;
                    };
                    add(z > 0, i - side * side);
                    add(y > 0, i - side);
                    add(x > 0, i - 1);
                    add(true, i);
                    add(x + 1 < side, i + 1);
                    add(y + 1 < side, i + side);
                    add(z + 1 < side, i + side * side);
                  }
                });
    return {d, std::move(mine)};
  }

  /// The bytes of a row: its entries, its offset, x and y.
  void product() {
    if (!wanted("spmv stencil7")) return;
    constexpr index_t row_bytes = 7 * (sizeof(double) + sizeof(std::int32_t)) + 3 * sizeof(double);
    auto const rows = static_cast<double>(total<double>(row_bytes));
    auto const side = static_cast<index_t>(std::cbrt(rows) + 1e-9);
    auto const d = distribution::even(side * side * side, on_.size());
    device_distributed_matrix<double> matrix(on_, stencil(side, d));
    index_t const n = d.size(on_.rank()), begin = d.begin(on_.rank());
    buffer<double> host(n);
    for (index_t i = 0; i < n; ++i) host[static_cast<std::size_t>(i)] = double((begin + i) % 1000);
    detail::device_array<double> const x(on_.queue(), n), y(on_.queue(), n);
    x.upload(std::span<double const>(host.data(), host.size()));
    std::optional<matrix_on_device> one_gpu;
    if (on_.size() == 1) one_gpu.emplace(on_.queue(), stencil(side, d).mine);
    both(
        "spmv stencil7 f64",
        [&] {
          matrix.multiply({x.data(), n}, {y.data(), n});
        },
        [&] { one_gpu->matrix.multiply(on_.queue(), x.data(), y.data()); },
        [&] { return checksum(on_, y.data(), begin, n); });
  }

  ranks const& on_;
  settings const& how_;
  bool weak_;
  std::vector<line>& lines_;
};

/// The engines of a group; without a GPU, executors. None if there are fewer GPUs, which ranks do
/// not share.
std::vector<engine> machines(int ranks, bool share) {
  auto const gpus = all_gpus();
  if (static_cast<int>(gpus.size()) < ranks && !share && !gpus.empty()) return {};
  std::vector<engine> found;
  for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) {
    found.push_back(gpus.empty() ? engine::executor() : gpus[r % gpus.size()]);
  }
  return found;
}

/// Keeps freed memory, as a program of many calls does.
void keep_memory([[maybe_unused]] engine const& on) {
#ifdef LIBSCAN_WITH_CUDA
  if (!on.is_cuda()) return;
  cudaMemPool_t pool = nullptr;
  std::uint64_t all = ~std::uint64_t{0};
  if (cudaDeviceGetDefaultMemPool(&pool, on.device()) != cudaSuccess ||
      cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all) != cudaSuccess) {
    throw device_error(0, "the pool of device memory cannot be set");
  }
#endif
}

/// The communicator that items travel by.
communicator data_of(ranks const& control, [[maybe_unused]] settings const& how) {
#ifdef LIBSCAN_BENCH_NCCL
  if (how.transport == "nccl") return nccl_communicator_of(control.comm(), control.local());
#endif
  return control.comm();
}

void on_each_rank(ranks const& control, settings const& how, std::vector<line>& lines) {
  keep_memory(control.local());
  ranks const on{data_of(control, how), control.queue()};
  for (bool const weak : {true, false}) {
    bench(on, how, weak, lines).all();
  }
}

/// Lines whose checksums are not those of one GPU.
int report_differences(std::vector<line> const& lines) {
  int different = 0;
  for (line const& one : lines) {
    if (one.weak) continue;
    for (line const& first : lines) {
      if (first.weak || first.ranks != 1 || first.what != one.what ||
          first.checksum == one.checksum)
        continue;
      std::printf("%s on %d GPUs: results differ from those on one\n", one.what.c_str(), one.ranks);
      ++different;
    }
  }
  return different;
}

void write_record(std::string const& path, settings const& how, std::vector<line> const& lines) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file(std::fopen(path.c_str(), "w"),
                                                             std::fclose);
  if (file == nullptr) throw CLI::ValidationError("--record", "cannot write " + path);
  auto const gpus = all_gpus();
  std::fprintf(file.get(),
               "{\"machine\": \"%s\", \"bytes\": %lld, \"total\": %lld, \"transport\": \"%s\",\n "
               "\"lines\": [",
               gpus.empty() ? "executor" : gpus[0].description().c_str(),
               static_cast<long long>(how.bytes), static_cast<long long>(how.total),
               how.transport.c_str());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    line const& one = lines[i];
    std::fprintf(file.get(),
                 "%s\n  {\"what\": \"%s\", \"scaling\": \"%s\", \"gpus\": %d, \"seconds\": %.9f, "
                 "\"sent\": %.0f, \"checksum\": \"%016llx\"}",
                 i == 0 ? "" : ",", one.what.c_str(), one.weak ? "weak" : "strong", one.ranks,
                 one.seconds, one.sent, static_cast<unsigned long long>(one.checksum));
  }
  std::fprintf(file.get(), "\n]}\n");
}

#ifdef LIBSCAN_BENCH_MPI
/// A process for each GPU: this one's, by its rank.
void run_with_mpi(settings const& how, std::vector<line>& lines) {
  MPI_Init(nullptr, nullptr);
  {
    auto const control = communicator_of(MPI_COMM_WORLD);
    auto const gpus = machines(control.size(), how.share);
    engine const on = gpus.at(static_cast<std::size_t>(control.rank()));
    detail::select(on);
    void* const stream = detail::open_stream(on);
    on_each_rank(ranks(control, device_queue{on, stream}), how, lines);
    detail::close_stream(on, stream);
  }
  MPI_Finalize();
}
#endif

int run(settings how) {
  std::vector<line> lines;
  std::erase_if(how.gpus, [&](int count) { return machines(count, how.share).empty(); });
  if (how.gpus.empty()) throw engine_unavailable("fewer GPUs than each of --gpus");
  if (how.total == 0) how.total = how.bytes * *std::ranges::max_element(how.gpus);
#ifdef LIBSCAN_BENCH_MPI
  if (how.mpi) {
    how.total = std::max(how.total, how.bytes);
    run_with_mpi(how, lines);
    if (!lines.empty() && !how.record.empty()) write_record(how.record, how, lines);
    return 0;
  }
#endif
  for (int const count : how.gpus) {
    thread_ranks(machines(count, how.share)).run([&](ranks const& control) {
      on_each_rank(control, how, lines);
    });
  }
  if (!how.record.empty()) write_record(how.record, how, lines);
  return report_differences(lines) == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  settings how;
  CLI::App app("Times distributed calls on several GPUs of this machine, in one process.");
  app.add_option("--gpus", how.gpus, "numbers of GPUs; more than there are, are left out")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  app.add_option("--bytes", how.bytes, "bytes of items on each GPU, in weak scaling")
      ->check(CLI::Range(index_t{1} << 12, index_t{1} << 40));
  app.add_option("--total", how.total,
                 "bytes of items on all GPUs, in strong scaling; not given: as most GPUs have")
      ->check(CLI::Range(index_t{1} << 12, index_t{1} << 40));
  app.add_option("--samples", how.samples, "timed runs of each call")->check(CLI::PositiveNumber);
  app.add_option("--only", how.only, "parts of the names of calls")->delimiter(',');
  app.add_option("--record", how.record, "a JSON file for the results");
  app.add_flag("--share", how.share,
               "ranks share GPUs if there are fewer; says nothing about speed");
  std::vector<std::string> transports{"copies"};
#ifdef LIBSCAN_BENCH_NCCL
  transports.emplace_back("nccl");
#endif
  app.add_option("--transport", how.transport, "what moves items")
      ->check(CLI::IsMember(transports));
#ifdef LIBSCAN_BENCH_MPI
  app.add_flag("--mpi", how.mpi, "a process for each GPU, started by mpirun; --gpus has no effect");
#endif
  CLI11_PARSE(app, argc, argv);
  try {
    return run(how);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "scan-bench-gpus: error: %s\n", e.what());
    return 1;
  }
}
