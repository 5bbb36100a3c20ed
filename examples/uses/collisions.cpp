// SPDX-License-Identifier: Apache-2.0
// Collision pairs by compaction. Discs are sorted by their left ends, so each can only touch those
// that begin before its right end. A scan of their numbers gives all candidate pairs a place, a
// test decides about each, and a filter keeps the pairs that touch (Harris & Garland, 3.1).
#include <algorithm>

#include <examples/uses/program.hpp>

namespace examples {

/// A disc in the plane.
struct disc {
  int x, y, radius;
};

/// Two discs by their numbers, the smaller one first.
struct pair_of_discs {
  int a, b;
  friend auto operator<=>(pair_of_discs const&, pair_of_discs const&) = default;
  friend bool operator==(pair_of_discs const&, pair_of_discs const&) = default;
};

/// Whether two discs touch or overlap.
LIBSCAN_HOST_DEVICE constexpr bool touch(disc a, disc b) {
  index_t const x = a.x - b.x, y = a.y - b.y, reach = index_t{a.radius} + b.radius;
  return x * x + y * y <= reach * reach;
}

/// All pairs that touch, in the order in which the sweep finds them.
template <class Engine>
std::vector<pair_of_discs> collide(Engine& on, std::vector<disc> const& given) {
  auto const discs = on.array(given);
  index_t const n = discs.size();
  auto left = generate<int>(
      on, n, [d = discs.data()] __device__(index_t i) { return d[i].x - d[i].radius; });
  auto order = generate<int>(on, n, [] __device__(index_t i) { return static_cast<int>(i); });
  on.sort(left, order);
  // How many discs after this one begin before its right end: a binary search.
  auto const counts = generate<index_t>(
      on, n, [n, left = left.data(), d = discs.data(), o = order.data()] __device__(index_t i) {
        int const right = d[o[i]].x + d[o[i]].radius;
        index_t low = i + 1, high = n;
        while (low < high) {
          index_t const middle = (low + high) / 2;
          if (left[middle] <= right)
            low = middle + 1;
          else
            high = middle;
        }
        return low - (i + 1);
      });
  auto const [begins, total] = on.exclusive_scan(counts, plus<index_t>{});
  // Which disc a candidate belongs to: each disc writes its number where its candidates begin, and
  // a scan by maximum repeats it for the others.
  auto owners = on.array(std::vector<index_t>(static_cast<std::size_t>(total)));
  on.each(n, [c = counts.data(), b = begins.data(), o = owners.data()] __device__(index_t i) {
    if (c[i] > 0) o[b[i]] = i;
  });
  auto const owner = on.inclusive_scan(owners, maximum<index_t>{});
  auto const candidates = generate<pair_of_discs>(
      on, total, [owner = owner.data(), b = begins.data(), o = order.data()] __device__(index_t k) {
        int const first = o[owner[k]], second = o[owner[k] + 1 + k - b[owner[k]]];
        return first < second ? pair_of_discs{first, second} : pair_of_discs{second, first};
      });
  auto const flags = generate<std::uint8_t>(
      on, total, [c = candidates.data(), d = discs.data()] __device__(index_t k) {
        return touch(d[c[k].a], d[c[k].b]);
      });
  return on.filter(candidates, flags).copy();
}

/// The loop: all pairs.
inline std::vector<pair_of_discs> collide_by_loop(std::vector<disc> const& discs) {
  std::vector<pair_of_discs> pairs;
  for (std::size_t a = 0; a < discs.size(); ++a) {
    for (std::size_t b = a + 1; b < discs.size(); ++b) {
      if (touch(discs[a], discs[b])) pairs.push_back({static_cast<int>(a), static_cast<int>(b)});
    }
  }
  return pairs;
}

}  // namespace examples

int main(int argc, char** argv) {
  using namespace examples;
  return run(
      argc, argv,
      [](auto& on, words) {
        std::vector<disc> const discs{{0, 0, 2}, {3, 0, 1}, {10, 0, 3}, {12, 4, 2}, {3, 9, 1}};
        for (auto const& [a, b] : collide(on, discs)) std::printf("%d touches %d\n", a, b);
      },
      [](auto& on, index_t n, random_numbers& random) {
        std::vector<disc> discs;
        for (index_t i = 0; i < n; ++i) {
          discs.push_back({static_cast<int>(random.below(2 * n)),
                           static_cast<int>(random.below(200)),
                           static_cast<int>(random.below(10))});
        }
        auto pairs = collide(on, discs);
        std::sort(pairs.begin(), pairs.end());
        return pairs == collide_by_loop(discs);
      });
}
