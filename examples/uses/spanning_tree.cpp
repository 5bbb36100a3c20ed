// SPDX-License-Identifier: Apache-2.0
// Boruvka's minimum spanning tree. Each round, a segmented minimum over the edges that leave a
// component finds the lightest one. All of these belong to the tree, and join the components.
#include <algorithm>
#include <numeric>

#include <examples/uses/program.hpp>

namespace examples {

/// An edge between two vertices; weights are less than 2^31.
struct edge {
  int u, v, weight;
};

/// Which edges belong to the tree (or the forest, if the graph is not connected), ascending.
template <class Engine>
std::vector<index_t> spanning_tree(Engine& on, int vertices, std::vector<edge> const& given) {
  auto const edges = on.array(given);
  auto chosen = on.array(std::vector<std::uint8_t>(given.size()));
  auto component =
      generate<int>(on, vertices, [] __device__(index_t v) { return static_cast<int>(v); });
  // Every edge leaves two components. Its key orders edges by weight, then by number.
  auto from = generate<int>(on, 2 * edges.size(), [e = edges.data()] __device__(index_t i) {
    return i % 2 == 0 ? e[i / 2].u : e[i / 2].v;
  });
  auto keys = generate<index_t>(on, 2 * edges.size(), [e = edges.data()] __device__(index_t i) {
    return index_t{e[i / 2].weight} << 32 | i / 2;
  });
  for (;;) {
    auto const leaves = generate<std::uint8_t>(
        on, keys.size(),
        [k = keys.data(), e = edges.data(), c = component.data()] __device__(index_t i) {
          edge const each = e[k[i] & 0xffffffff];
          return c[each.u] != c[each.v];
        });
    from = on.filter(from, leaves);
    keys = on.filter(keys, leaves);
    index_t const n = keys.size();
    if (n == 0) return on.positions(chosen).copy();
    on.sort(from, keys);
    auto const changes = generate<std::uint8_t>(on, n, [from = from.data()] __device__(index_t i) {
      return i == 0 || from[i - 1] != from[i];
    });
    auto const begins = on.positions(changes);
    auto offsets = begins.copy();
    offsets.push_back(n);
    auto const lightest = on.segmented_reduce(keys, on.array(offsets), minimum<index_t>{});
    // Each component points to the one that its lightest edge leads to. Two that point to each
    // other chose the same edge: the smaller one becomes the root.
    auto next =
        generate<int>(on, vertices, [] __device__(index_t v) { return static_cast<int>(v); });
    on.each(begins.size(),
            [b = begins.data(), from = from.data(), k = lightest.data(), e = edges.data(),
             c = component.data(), next = next.data()] __device__(index_t s) {
              int const own = from[b[s]];
              edge const each = e[k[s] & 0xffffffff];
              next[own] = c[each.u] == own ? c[each.v] : c[each.u];
            });
    auto roots = generate<int>(on, vertices, [next = next.data()] __device__(index_t v) {
      return next[next[v]] == v && v < next[v] ? static_cast<int>(v) : next[v];
    });
    on.each(begins.size(), [b = begins.data(), from = from.data(), k = lightest.data(),
                            roots = roots.data(), chosen = chosen.data()] __device__(index_t s) {
      if (roots[from[b[s]]] != from[b[s]]) chosen[k[s] & 0xffffffff] = 1;
    });
    for (index_t jumps = 1; jumps < vertices; jumps *= 2) {
      roots =
          generate<int>(on, vertices, [r = roots.data()] __device__(index_t v) { return r[r[v]]; });
    }
    component = generate<int>(
        on, vertices,
        [c = component.data(), r = roots.data()] __device__(index_t v) { return r[c[v]]; });
    on.each(n,
            [from = from.data(), r = roots.data()] __device__(index_t i) { from[i] = r[from[i]]; });
  }
}

/// The loop: Kruskal's.
inline std::vector<index_t> spanning_tree_by_loop(int vertices, std::vector<edge> const& edges) {
  std::vector<int> component(static_cast<std::size_t>(vertices));
  std::iota(component.begin(), component.end(), 0);
  std::vector<index_t> order(edges.size()), chosen;
  std::iota(order.begin(), order.end(), index_t{0});
  auto const at = [&](index_t i) { return edges[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](index_t a, index_t b) { return at(a).weight < at(b).weight; });
  for (index_t const i : order) {
    int const u = component[static_cast<std::size_t>(at(i).u)];
    int const v = component[static_cast<std::size_t>(at(i).v)];
    if (u == v) continue;
    chosen.push_back(i);
    std::replace(component.begin(), component.end(), u, v);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace examples

int main(int argc, char** argv) {
  using namespace examples;
  return run(
      argc, argv,
      [](auto& on, words) {
        std::vector<edge> const edges{{0, 1, 7}, {0, 3, 5}, {1, 2, 8},  {1, 3, 9},
                                      {1, 4, 7}, {2, 4, 5}, {3, 4, 15}, {3, 5, 6},
                                      {4, 5, 8}, {4, 6, 9}, {5, 6, 11}};
        int weight = 0;
        for (index_t const i : spanning_tree(on, 7, edges)) {
          auto const& [u, v, w] = edges[static_cast<std::size_t>(i)];
          std::printf("%d-%d weight %d\n", u, v, w);
          weight += w;
        }
        std::printf("total %d\n", weight);
      },
      [](auto& on, index_t n, random_numbers& random) {
        int const vertices = 1 + static_cast<int>(random.below(n / 2 + 1));
        std::vector<edge> edges;
        for (index_t i = 0; i < n; ++i) {
          edges.push_back({static_cast<int>(random.below(vertices)),
                           static_cast<int>(random.below(vertices)),
                           static_cast<int>(random.below(20))});
        }
        return spanning_tree(on, vertices, edges) == spanning_tree_by_loop(vertices, edges);
      });
}
