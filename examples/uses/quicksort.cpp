// SPDX-License-Identifier: Apache-2.0
// Quicksort without recursion. Each segment takes its first item as the pivot, and one round of
// segmented scans splits all segments at once (Blelloch 1990, 1.5.1).
#include <algorithm>

#include <examples/uses/program.hpp>

namespace examples {

/// The first item of a segment, for all its items.
struct keep_first {
  using value_type = index_t;
  LIBSCAN_HOST_DEVICE static constexpr index_t identity() { return -1; }
  LIBSCAN_HOST_DEVICE constexpr index_t operator()(index_t earlier, index_t later) const {
    return earlier != identity() ? earlier : later;
  }
};

/// How many items are less than the pivot, equal to it, and greater.
struct counts {
  index_t less, equal, greater;
  LIBSCAN_HOST_DEVICE friend constexpr counts operator+(counts a, counts b) {
    return {a.less + b.less, a.equal + b.equal, a.greater + b.greater};
  }
};

/// Adds counts.
struct add_counts {
  using value_type = counts;
  LIBSCAN_HOST_DEVICE static constexpr counts identity() { return {0, 0, 0}; }
  LIBSCAN_HOST_DEVICE constexpr counts operator()(counts a, counts b) const { return a + b; }
};

/// Sorts, and returns the number of rounds.
template <class Engine>
index_t quicksort(Engine& on, std::vector<int>& items) {
  index_t const n = std::ssize(items);
  auto keys = on.array(items);
  auto begins = generate<std::uint8_t>(on, n, [] __device__(index_t i) { return i == 0; });
  for (index_t round = 0;; ++round) {
    auto const unsorted = generate<int>(
        on, n, [k = keys.data()] __device__(index_t i) { return i > 0 && k[i - 1] > k[i]; });
    if (n == 0 || on.reduce(unsorted, plus<int>{}) == 0) {
      items = keys.copy();
      return round;
    }
    // For each item, where its segment begins: there the pivot is.
    auto const place = generate<index_t>(on, n, [] __device__(index_t i) { return i; });
    auto const first = on.inclusive_segmented_scan(place, begins, keep_first{});
    auto const kinds =
        generate<counts>(on, n, [k = keys.data(), first = first.data()] __device__(index_t i) {
          int const pivot = k[first[i]];
          return counts{k[i]<pivot, k[i] == pivot, k[i]> pivot};
        });
    auto const upto = on.inclusive_segmented_scan(kinds, begins, add_counts{});
    // A segment's totals are in its last item. From the last item back, that is the first one.
    auto const back = generate<index_t>(on, n, [n] __device__(index_t i) { return n - 1 - i; });
    auto const ends = generate<std::uint8_t>(
        on, n, [n, b = begins.data()] __device__(index_t i) { return i == 0 || b[n - i]; });
    auto const last = on.inclusive_segmented_scan(back, ends, keep_first{});
    auto sorted = on.array(std::vector<int>(items.size()));
    auto parts = on.array(std::vector<std::uint8_t>(items.size()));
    on.each(n, [=, k = keys.data(), first = first.data(), last = last.data(), upto = upto.data(),
                kinds = kinds.data(), sorted = sorted.data(),
                parts = parts.data()] __device__(index_t i) {
      counts const all = upto[last[n - 1 - i]], mine = upto[i];
      index_t const rank = kinds[i].less    ? mine.less - 1
                           : kinds[i].equal ? all.less + mine.equal - 1
                                            : all.less + all.equal + mine.greater - 1;
      sorted[first[i] + rank] = k[i];
      parts[first[i] + rank] = rank == 0 || rank == all.less || rank == all.less + all.equal;
    });
    keys = std::move(sorted);
    begins = std::move(parts);
  }
}

}  // namespace examples

int main(int argc, char** argv) {
  using namespace examples;
  return run(
      argc, argv,
      [](auto& on, words given) {
        std::vector<int> items{5, 2, 8, 1, 9, 3, 7, 4, 6, 0};
        if (!given.empty()) items.clear();
        for (auto const word : given) items.push_back(std::atoi(word));
        index_t const rounds = quicksort(on, items);
        print("sorted", items);
        std::printf("%d rounds\n", static_cast<int>(rounds));
      },
      [](auto& on, index_t n, random_numbers& random) {
        auto items = random.vector<int>(n, n / 2 + 1), expected = items;
        quicksort(on, items);
        std::sort(expected.begin(), expected.end());
        return items == expected;
      });
}
