// SPDX-License-Identifier: Apache-2.0
// Splits of 32-bit items in two on the GPU, by a predicate or by flags.
#include <bench/cuda/workloads.cuh>

namespace libscan::bench::cuda {

namespace {

using item = std::uint32_t;

/// Item i of a sequence from its end.
struct item_from_end {
  item const* end;
  __device__ item operator()(index_t i) const { return end[-1 - i]; }
};

/// The expected results of a split of n items, in each form.
struct split_results {
  index_t kept;
  checked_output<item> first, second;   // "two"
  checked_output<item> one, from_ends;  // "one", "reversed"

  /// From the buffer that CUB fills from both ends.
  split_results(device::buffer<item> ends, index_t number)
      : kept(number),
        first(part(ends, 0, number, ends.size())),
        second(rest(ends, number, ends.size())),
        one(joined(ends, number)),
        from_ends(std::move(ends)) {}

 private:
  static void copy(device::buffer<item> const& to, index_t place, item const* from, index_t count) {
    simt::copy_async(to.data() + place, from, static_cast<std::size_t>(count) * sizeof(item));
  }

  /// `count` items from `begin` on, and overwritten ones up to `capacity`.
  static device::buffer<item> part(device::buffer<item> const& from, index_t begin, index_t count,
                                   index_t capacity) {
    auto result = spoilt<item>(capacity);
    copy(result, 0, from.data() + begin, count);
    return result;
  }

  static device::buffer<item> rest(device::buffer<item> const& ends, index_t number,
                                   index_t capacity) {
    auto const all = made_on_device<item>(ends.size(), item_from_end{ends.data() + ends.size()});
    return part(all, 0, ends.size() - number, capacity);
  }

  static device::buffer<item> joined(device::buffer<item> const& ends, index_t number) {
    auto result = part(ends, 0, number, ends.size());
    copy(result, number, rest(ends, number, ends.size()).data(), ends.size() - number);
    return result;
  }
};

/// Adds all offers; those named "reversed" fill a buffer from both ends instead.
void add_splits(workload& work, split_problem const& problem, split_results const& results,
                device_count const& count) {
  for (implementation& each : all_offers(problem)) {
    bool const ends =
        problem.outputs == "reversed" || each.name.find(" reversed") != std::string::npos;
    auto const right = [&results, &count, ends, two = problem.outputs == "two",
                        counts = each.leaves_counts] {
      bool const counted = count.right(results.kept, counts);
      if (ends) return results.from_ends.right() && counted;
      if (!two) return results.one.right() && counted;
      bool const second = results.second.right();
      return results.first.right() && second && counted;
    };
    work.contenders.push_back({std::move(each.name), std::move(each.run), right});
  }
}

void split_u32(session const& now, std::string const& outputs, bool by_flags, int per_mille,
               index_t n) {
  auto const limit = static_cast<item>(per_mille);
  auto const in = made_on_device<item>(n, split_item_at{});
  auto const flags = made_on_device<std::uint8_t>(n, flag_at{limit});
  auto ends = spoilt<item>(n);
  device_count const count;
  split_problem problem{"reversed",
                        by_flags ? flags.data() : nullptr,
                        limit,
                        in.data(),
                        nullptr,
                        nullptr,
                        ends.data(),
                        count.data(),
                        n};
  solve_by_cub(problem);
  index_t const kept = count.take();
  if (n <= max_std_items) {
    std::vector<item> all(static_cast<std::size_t>(n));
    for (index_t i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = split_item_at{}(i);
    auto const past = std::stable_partition(all.begin(), all.end(), below{limit});
    std::reverse(past, all.end());
    require_same(ends, all);
  }
  split_results const results(std::move(ends), kept);
  problem.outputs = outputs;
  problem.out = outputs == "two" ? results.first.data() : results.one.data();
  problem.rejected = results.second.data();
  problem.reversed = results.from_ends.data();
  double const bytes = static_cast<double>(n) * (2 * sizeof(item) + (by_flags ? 1 : 0));
  workload work{"cuda",          split_name(outputs, by_flags, per_mille), "u32", n, bytes,
                {copy_of(bytes)}};
  add_splits(work, problem, results, count);
  now.run(std::move(work));
}

}  // namespace

void run_splits(session const& now) {
  options const& wanted = now.wanted;
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24, 1 << 28})) {
    for (std::string const& outputs : or_standard(wanted.outputs, names_of(output_axis))) {
      for (int const per_mille : or_standard<int>(wanted.per_mille, {500})) {
        for (std::string const& by : or_standard<std::string>(wanted.masks, {"items"})) {
          if (by == "bits") throw invalid_argument("splits are measured by items or by bytes");
          split_u32(now, outputs, by == "bytes", per_mille, n);
        }
      }
    }
  }
}

}  // namespace libscan::bench::cuda
