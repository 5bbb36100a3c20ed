// SPDX-License-Identifier: Apache-2.0
// Tree operations. A walk around a tree goes down and up each edge once. A scan of +1 and -1 along
// this Euler tour gives depths, and a scan of weights gives the sum of each subtree (Tarjan &
// Vishkin 1985). The order of the tour itself comes from jumping over twice as many edges a round.
#include <algorithm>

#include <examples/uses/program.hpp>

namespace examples {

/// The depth of each vertex, and the sum of the weights at and below it.
struct tree_sums {
  std::vector<int> depth, below;
  friend bool operator==(tree_sums const&, tree_sums const&) = default;
};

/// The distance of each edge of a tour from its end: edge 2 v goes down to vertex v, 2 v + 1 back
/// up. Children are visited in the order of their numbers.
template <class Engine>
auto edges_to_the_end(Engine& on, std::vector<int> const& parents)
    -> decltype(on.array(std::vector<int>{})) {
  index_t const n = std::ssize(parents);
  auto const parent = on.array(parents);
  auto by_parent = generate<int>(on, n, [n, p = parent.data()] __device__(index_t v) {
    return static_cast<int>(p[v] == v ? n : p[v]);  // the root comes last
  });
  auto child = generate<int>(on, n, [] __device__(index_t v) { return static_cast<int>(v); });
  on.sort(by_parent, child);  // children of one parent lie together
  auto first = on.array(std::vector<int>(parents.size() + 1, -1));
  on.each(n, [keys = by_parent.data(), child = child.data(),
              first = first.data()] __device__(index_t i) {
    if (i == 0 || keys[i - 1] != keys[i]) first[keys[i]] = child[i];
  });
  auto next = on.array(std::vector<int>(2 * parents.size()));
  on.each(n, [n, keys = by_parent.data(), child = child.data(), first = first.data(),
              next = next.data()] __device__(index_t i) {
    int const down = 2 * child[i], up = down + 1;
    bool const has_sibling = i + 1 < n && keys[i + 1] == keys[i];
    next[down] = first[child[i]] >= 0 ? 2 * first[child[i]] : up;
    next[up] = keys[i] == n ? up : has_sibling ? 2 * child[i + 1] : 2 * keys[i] + 1;
  });
  auto distance = generate<int>(
      on, 2 * n, [next = next.data()] __device__(index_t e) { return next[e] == e ? 0 : 1; });
  for (index_t jumps = 1; jumps < 2 * n; jumps *= 2) {
    auto const two = generate<int>(
        on, 2 * n, [next = next.data()] __device__(index_t e) { return next[next[e]]; });
    auto const sum =
        generate<int>(on, 2 * n, [next = next.data(), d = distance.data()] __device__(index_t e) {
          return d[e] + d[next[e]];
        });
    next = on.array(two.copy());
    distance = on.array(sum.copy());
  }
  return distance;
}

/// `parents[v]` is v's parent, and the root's parent is the root.
template <class Engine>
tree_sums sum_tree(Engine& on, std::vector<int> const& parents, std::vector<int> const& weights) {
  index_t const n = std::ssize(parents);
  auto const distance = edges_to_the_end(on, parents);
  auto const weight = on.array(weights);
  auto steps = on.array(std::vector<int>(2 * parents.size()));
  auto loads = on.array(std::vector<int>(2 * parents.size()));
  on.each(2 * n, [n, d = distance.data(), w = weight.data(), steps = steps.data(),
                  loads = loads.data()] __device__(index_t e) {
    index_t const place = 2 * n - 1 - d[e];
    steps[place] = e % 2 == 0 ? 1 : -1;
    loads[place] = e % 2 == 0 ? w[e / 2] : 0;
  });
  auto const depth = on.inclusive_scan(steps, plus<int>{});
  auto const load = on.inclusive_scan(loads, plus<int>{});
  auto const depths =
      generate<int>(on, n, [n, d = distance.data(), depth = depth.data()] __device__(index_t v) {
        return depth[2 * n - 1 - d[2 * v]] - 1;
      });
  auto const below = generate<int>(
      on, n, [n, d = distance.data(), load = load.data(), w = weight.data()] __device__(index_t v) {
        return load[2 * n - 1 - d[2 * v + 1]] - load[2 * n - 1 - d[2 * v]] + w[v];
      });
  return {depths.copy(), below.copy()};
}

/// The loop: each vertex adds its weight to all above it.
inline tree_sums sum_tree_by_loop(std::vector<int> const& parents,
                                  std::vector<int> const& weights) {
  tree_sums sums{std::vector<int>(parents.size()), weights};
  for (std::size_t v = 0; v < parents.size(); ++v) {
    for (auto u = v; static_cast<std::size_t>(parents[u]) != u;) {
      u = static_cast<std::size_t>(parents[u]);
      ++sums.depth[v];
      sums.below[u] += weights[v];
    }
  }
  return sums;
}

}  // namespace examples

int main(int argc, char** argv) {
  using namespace examples;
  return run(
      argc, argv,
      [](auto& on, words) {
        //      0
        //    1   2
        //   3 4   5
        auto const sums = sum_tree(on, {0, 0, 0, 1, 1, 2}, {1, 10, 100, 1000, 10000, 100000});
        print("depth", sums.depth);
        print("subtree sums", sums.below);
      },
      [](auto& on, index_t n, random_numbers& random) {
        std::vector<int> parents, weights = random.vector<int>(n, 100);
        std::vector<int> names;  // vertices get random numbers: a parent's may be the larger
        for (index_t v = 0; v < n; ++v) {
          names.push_back(static_cast<int>(v));
          std::swap(names.back(), names[static_cast<std::size_t>(random.below(v + 1))]);
        }
        parents.resize(names.size());
        for (index_t v = 0; v < n; ++v) {
          index_t const above = v == 0 ? 0 : v - 1 - random.below(std::min<index_t>(v, 20));
          parents[static_cast<std::size_t>(names[static_cast<std::size_t>(v)])] =
              names[static_cast<std::size_t>(above)];
        }
        return sum_tree(on, parents, weights) == sum_tree_by_loop(parents, weights);
      });
}
