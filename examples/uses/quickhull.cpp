// SPDX-License-Identifier: Apache-2.0
// Quickhull: the convex hull of points in the plane. The points outside an edge of the hull are its
// segment. Each round, a segmented reduction finds the farthest point of every edge, a scan makes
// space for them in the hull, and a filter drops the points that are now inside (Blelloch 1990).
#include <algorithm>

#include <examples/uses/program.hpp>

namespace examples {

/// A point; coordinates are less than 2^30, so that areas fit in 64 bits.
struct point {
  int x, y;
  friend auto operator<=>(point const&, point const&) = default;
  friend bool operator==(point const&, point const&) = default;
};

/// Twice the area of the triangle a b p: more than 0 if p is left of the line from a to b.
LIBSCAN_HOST_DEVICE constexpr index_t area(point a, point b, point p) {
  return index_t{b.x - a.x} * (p.y - a.y) - index_t{b.y - a.y} * (p.x - a.x);
}

/// A point's distance from an edge, and, where distances are equal, its place along the edge.
struct candidate {
  index_t area, along;
  point at;
};

/// The farther candidate.
struct farther {
  using value_type = candidate;
  LIBSCAN_HOST_DEVICE static constexpr candidate identity() { return {0, 0, {0, 0}}; }
  LIBSCAN_HOST_DEVICE constexpr candidate operator()(candidate a, candidate b) const {
    return b.area > a.area || (b.area == a.area && b.along > a.along) ? b : a;
  }
};

/// The corners from the leftmost on, clockwise. A corner is on no line between others.
template <class Engine>
std::vector<point> find_hull(Engine& on, std::vector<point> const& given) {
  if (given.empty()) return {};
  auto points = on.array(given);
  auto const keys = generate<index_t>(on, points.size(), [p = points.data()] __device__(index_t i) {
    return index_t{p[i].x} << 32 | p[i].y;
  });
  auto const point_of = [](index_t key) {
    return point{static_cast<int>(key >> 32), static_cast<int>(key)};
  };
  point const leftmost = point_of(on.reduce(keys, minimum<index_t>{}));
  point const rightmost = point_of(on.reduce(keys, maximum<index_t>{}));
  if (leftmost == rightmost) return {leftmost};
  auto hull = on.array(std::vector<point>{leftmost, rightmost});
  // Edge e leads from corner e to the next one. The edge that a point is outside of, or -1:
  auto edges = generate<int>(on, points.size(), [=, p = points.data()] __device__(index_t i) {
    index_t const side = area(leftmost, rightmost, p[i]);
    return side > 0 ? 0 : side < 0 ? 1 : -1;
  });
  for (;;) {
    auto const outside = generate<std::uint8_t>(
        on, points.size(), [e = edges.data()] __device__(index_t i) { return e[i] >= 0; });
    edges = on.filter(edges, outside);
    points = on.filter(points, outside);
    index_t const n = points.size(), corners = hull.size();
    if (n == 0) return hull.copy();
    on.sort(edges, points);
    auto const changes = generate<std::uint8_t>(
        on, n, [e = edges.data()] __device__(index_t i) { return i == 0 || e[i - 1] != e[i]; });
    auto const begins = on.positions(changes);
    auto offsets = begins.copy();
    offsets.push_back(n);
    auto const all = generate<candidate>(
        on, n, [=, p = points.data(), e = edges.data(), hull = hull.data()] __device__(index_t i) {
          point const a = hull[e[i]], b = hull[(e[i] + 1) % corners];
          index_t const along =
              index_t{b.x - a.x} * (p[i].x - a.x) + index_t{b.y - a.y} * (p[i].y - a.y);
          return candidate{area(a, b, p[i]), along, p[i]};
        });
    auto const farthest = on.segmented_reduce(all, on.array(offsets), farther{});
    auto corners_of = on.array(std::vector<int>(static_cast<std::size_t>(corners), 1));
    on.each(begins.size(),
            [b = begins.data(), e = edges.data(), count = corners_of.data()] __device__(index_t s) {
              count[e[b[s]]] = 2;
            });
    auto const [places, total] = on.exclusive_scan(corners_of, plus<int>{});
    auto larger = on.array(std::vector<point>(static_cast<std::size_t>(total)));
    on.each(corners, [hull = hull.data(), to = larger.data(),
                      place = places.data()] __device__(index_t c) { to[place[c]] = hull[c]; });
    on.each(begins.size(),
            [b = begins.data(), e = edges.data(), far = farthest.data(), to = larger.data(),
             place = places.data()] __device__(index_t s) { to[place[e[b[s]]] + 1] = far[s].at; });
    on.each(n, [p = points.data(), e = edges.data(), hull = larger.data(), place = places.data(),
                total = total] __device__(index_t i) {
      int const edge = place[e[i]];
      point const a = hull[edge], far = hull[edge + 1], b = hull[(edge + 2) % total];
      e[i] = area(a, far, p[i]) > 0 ? edge : area(far, b, p[i]) > 0 ? edge + 1 : -1;
    });
    hull = std::move(larger);
  }
}

/// The loop: Andrew's monotone chain.
inline std::vector<point> find_hull_by_loop(std::vector<point> points) {
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  std::vector<point> hull;
  for (int side = 0; side < 2; ++side) {
    std::size_t const first = hull.size();
    for (point const& p : points) {
      while (hull.size() >= first + 2 && area(hull[hull.size() - 2], hull.back(), p) >= 0) {
        hull.pop_back();
      }
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

}  // namespace examples

int main(int argc, char** argv) {
  using namespace examples;
  return run(
      argc, argv,
      [](auto& on, words) {
        std::vector<point> const points{{0, 2}, {1, 1}, {2, 4}, {3, 2}, {4, 0}, {5, 3}, {2, 2}};
        for (point const& corner : find_hull(on, points))
          std::printf("%d %d\n", corner.x, corner.y);
      },
      [](auto& on, index_t n, random_numbers& random) {
        // Many points on lines and at one place; or few.
        index_t const width = random.below(2) == 0 ? 9 : 100000;
        std::vector<point> points;
        for (index_t i = 0; i < n; ++i) {
          points.push_back(
              {static_cast<int>(random.below(width)), static_cast<int>(random.below(width))});
        }
        return find_hull(on, points) == find_hull_by_loop(points);
      });
}
