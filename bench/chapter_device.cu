// SPDX-License-Identifier: Apache-2.0
// What binary primitives gain in operations of many blocks (Harris & Garland, 3.3): scan,
// compaction and radix sort, each the same except for the primitives of its blocks.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <bench/chapter_device.cuh>
#include <bench/chapter_workloads.hpp>
#include <bench/cuda/workloads.cuh>

namespace libscan::bench::chapter {

namespace {

/// A split per bit moves all items 32 times.
constexpr index_t max_sorted_items = index_t{1} << 24;

/// Byte i of a mask of the items `word_at` that have the predicate.
struct mark_at {
  LIBSCAN_HOST_DEVICE std::uint8_t operator()(index_t i) const {
    return bit_is_clear{}(word_at{}(i)) ? 1 : 0;
  }
};

/// The operations on n random items.
class device_wide {
 public:
  device_wide(index_t n, options const& wanted, stopwatch const& time, report const& tell)
      : n_(n),
        wanted_(wanted),
        time_(time),
        tell_(tell),
        items_(generated<unsigned>(n, word_at{})),
        marked_(static_cast<index_t>(std::count_if(items_.begin(), items_.end(), bit_is_clear{}))),
        in_(cuda::on_device(items_.view())) {}

  void scans() const;
  void compactions() const;
  void sorts() const;

 private:
  using output = cuda::checked_output<unsigned>;

  template <class Operation>
  void race(std::string const& operation, double bytes, output const& out, Operation run,
            contender const& production) const;
  template <int Rows, class Operation>
  void race_rows(std::string const& operation, double bytes, output const& out, Operation run,
                 contender const& production) const;
  template <class Primitives, int Rows, class Operation>
  contender entry(std::string name, output const& out, Operation run) const;

  unsigned const* in() const { return in_.data(); }
  double item_bytes() const { return static_cast<double>(n_) * sizeof(unsigned); }

  index_t n_;
  options const& wanted_;
  stopwatch const& time_;
  report const& tell_;
  host_array<unsigned> items_;
  index_t marked_;
  device::buffer<unsigned> in_;
};

/// run(operations, out) does the work by `device_wide_operations`.
template <class Primitives, int Rows, class Operation>
contender device_wide::entry(std::string name, output const& out, Operation run) const {
  auto const by = std::make_shared<device_wide_operations<Primitives, Rows>>(n_);
  return {std::move(name), [&out, by, run] { run(*by, out.data()); },
          [this, &out, by] { return out.right() && by->marked_sync() == marked_; }};
}

template <int Rows, class Operation>
void device_wide::race_rows(std::string const& operation, double bytes, output const& out,
                            Operation run, contender const& production) const {
  workload const work{
      "cuda",
      "chapter " + operation + ", " + std::to_string(device_wide_threads) + " threads",
      "u32, " + std::to_string(Rows) + " a thread",
      n_,
      bytes,
      {entry<chapter_words, Rows>("3.6 32-bit", out, run),
       entry<chapter_binary, Rows>("3.6 binary", out, run),
       entry<shuffle_words, Rows>("shuffles 32-bit", out, run),
       entry<shuffle_binary, Rows>("shuffles binary", out, run), production}};
  tell_(measure(work, wanted_.rounds, time_));
}

/// As in Listing 3.6, one item per thread; and several, whose loads overlap.
template <class Operation>
void device_wide::race(std::string const& operation, double bytes, output const& out, Operation run,
                       contender const& production) const {
  race_rows<1>(operation, bytes, out, run, production);
  race_rows<8>(operation, bytes, out, run, production);
}

/// libscan's scan reads the predicates as bytes.
void device_wide::scans() const {
  output const out(ranks_of(items_.view(), {}));
  auto const mask = cuda::made_on_device<std::uint8_t>(n_, mark_at{});
  binary_problem const problem{"bytes", scan_kind::exclusive, mask.data(),
                               reinterpret_cast<std::int32_t*>(out.data()), n_};
  race("large scan", 2 * item_bytes(), out,
       [this](auto const& by, unsigned* ranks) { by.scan(in(), n_, ranks); },
       {"libscan", by_libscan::offers(problem).front().run, [&] { return out.right(); }});
}

void device_wide::compactions() const {
  auto const kept = kept_of(items_.view(), {});
  auto expected = cuda::spoilt<unsigned>(n_);
  simt::copy_async(expected.data(), kept.data(), kept.size() * sizeof(unsigned));
  simt::synchronize();
  output const out(std::move(expected));
  cuda::device_count const count;
  filter_problem const problem{in(), out.data(), count.data(), 1u << 31, n_};
  race("compaction", item_bytes() + static_cast<double>(marked_) * sizeof(unsigned), out,
       [this](auto const& by, unsigned* to) { by.compact(in(), n_, to); },
       {"libscan", by_libscan::offers(problem).front().run, [&] {
          bool const counted = count.right(marked_, true);
          return out.right() && counted;
        }});
}

void device_wide::sorts() const {
  output const out(sorted_of(items_.view()));
  device::buffer<unsigned> const other(n_);
  sort_problem const problem{"u32", in(), out.data(), n_};
  // The least traffic of any sort with 8 bits per pass.
  race("radix sort", 9 * item_bytes(), out,
       [&](auto const& by, unsigned* to) { by.sort(in(), n_, other.data(), to); },
       {"libscan", by_libscan::offers(problem).front().run, [&] { return out.right(); }});
}

}  // namespace

void run_device_wide(options const& wanted, stopwatch const& time, report const& tell) {
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 22, 1 << 24, 1 << 27})) {
    if (n > INT32_MAX) {
      throw invalid_argument("the chapter's operations are measured up to 2^31 - 1 items");
    }
    device_wide const all(n, wanted, time, tell);
    all.scans();
    all.compactions();
    if (n <= max_sorted_items) all.sorts();
  }
}

}  // namespace libscan::bench::chapter
