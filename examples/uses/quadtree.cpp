// SPDX-License-Identifier: Apache-2.0
// Building a tree. The Morton code of a point interleaves the bits of x and y, so points in one
// square share the first bits of their codes. In sorted order, the nodes of a level begin where
// these bits change; a segmented reduction gives their bounding boxes (Lauterbach et al. 2009).
#include <map>

#include <examples/uses/program.hpp>

namespace examples {

/// A point; coordinates are less than 256.
struct point {
  int x, y;
};

/// The smallest rectangle around some points.
struct box {
  int left, bottom, right, top;
  friend bool operator==(box const&, box const&) = default;
};

/// The box around two boxes.
struct join_boxes {
  using value_type = box;
  LIBSCAN_HOST_DEVICE static constexpr box identity() { return {255, 255, 0, 0}; }
  LIBSCAN_HOST_DEVICE constexpr box operator()(box a, box b) const {
    return {a.left < b.left ? a.left : b.left, a.bottom < b.bottom ? a.bottom : b.bottom,
            a.right > b.right ? a.right : b.right, a.top > b.top ? a.top : b.top};
  }
};

/// The nodes of one level: which points of the sorted order, the node above, and the box.
struct tree_level {
  std::vector<index_t> begins, parents;
  std::vector<box> boxes;
  friend bool operator==(tree_level const&, tree_level const&) = default;
};

/// Bits of y and x in turn.
LIBSCAN_HOST_DEVICE constexpr unsigned morton_code(point p) {
  unsigned code = 0;
  for (int bit = 0; bit < 8; ++bit) {
    code |= (static_cast<unsigned>(p.x) >> bit & 1u) << 2 * bit;
    code |= (static_cast<unsigned>(p.y) >> bit & 1u) << (2 * bit + 1);
  }
  return code;
}

/// Levels 0 (one node) to `levels` - 1 (4^(levels - 1) nodes at most).
template <class Engine>
std::vector<tree_level> build_tree(Engine& on, std::vector<point> const& points, int levels) {
  auto sorted = on.array(points);
  index_t const n = sorted.size();
  auto codes = generate<unsigned>(
      on, n, [p = sorted.data()] __device__(index_t i) { return morton_code(p[i]); });
  on.sort(codes, sorted);
  auto const boxes = generate<box>(on, n, [p = sorted.data()] __device__(index_t i) {
    return box{p[i].x, p[i].y, p[i].x, p[i].y};
  });
  auto node_above = on.array(std::vector<index_t>(points.size(), -1));
  std::vector<tree_level> tree;
  for (int level = 0; level < levels; ++level) {
    int const shift = 16 - 2 * level;
    auto const changes = generate<index_t>(on, n, [=, c = codes.data()] __device__(index_t i) {
      return i == 0 || c[i - 1] >> shift != c[i] >> shift ? 1 : 0;
    });
    auto const flags = generate<std::uint8_t>(
        on, n, [c = changes.data()] __device__(index_t i) { return c[i] != 0; });
    auto const begins = on.positions(flags);
    auto const parents = generate<index_t>(
        on, begins.size(), [above = node_above.data(), b = begins.data()] __device__(index_t node) {
          return above[b[node]];
        });
    auto offsets = begins.copy();
    offsets.push_back(n);
    tree.push_back({begins.copy(), parents.copy(),
                    on.segmented_reduce(boxes, on.array(offsets), join_boxes{}).copy()});
    auto const number = on.inclusive_scan(changes, plus<index_t>{});  // of a point's node, from 1
    on.each(n, [above = node_above.data(), k = number.data()] __device__(index_t i) {
      above[i] = k[i] - 1;
    });
  }
  return tree;
}

/// The loop: inserts point after point.
inline std::vector<tree_level> build_tree_by_loop(std::vector<point> const& points, int levels) {
  std::vector<tree_level> tree;
  std::map<unsigned, index_t> above;
  for (int level = 0; level < levels; ++level) {
    int const shift = 16 - 2 * level;
    std::map<unsigned, std::pair<index_t, box>> nodes;  // by their bits: size and box
    for (point const& p : points) {
      auto& [size, around] =
          nodes.try_emplace(morton_code(p) >> shift, 0, join_boxes::identity()).first->second;
      ++size;
      around = join_boxes{}(around, {p.x, p.y, p.x, p.y});
    }
    tree_level made;
    std::map<unsigned, index_t> numbers;
    index_t begin = 0;
    for (auto const& [bits, node] : nodes) {
      numbers.emplace(bits, std::ssize(numbers));
      made.begins.push_back(begin);
      made.parents.push_back(level == 0 ? -1 : above.at(bits >> 2));
      made.boxes.push_back(node.second);
      begin += node.first;
    }
    above = numbers;
    tree.push_back(made);
  }
  return tree;
}

}  // namespace examples

int main(int argc, char** argv) {
  using namespace examples;
  return run(
      argc, argv,
      [](auto& on, words) {
        std::vector<point> const points{{3, 1}, {7, 0}, {200, 30}, {210, 40}, {100, 220}, {5, 9}};
        auto const tree = build_tree(on, points, 3);
        for (std::size_t level = 0; level < tree.size(); ++level) {
          std::printf("level %d\n", static_cast<int>(level));
          for (std::size_t i = 0; i < tree[level].begins.size(); ++i) {
            auto const& [left, bottom, right, top] = tree[level].boxes[i];
            std::printf("  node %d, parent %d: x %d to %d, y %d to %d\n", static_cast<int>(i),
                        static_cast<int>(tree[level].parents[i]), left, right, bottom, top);
          }
        }
      },
      [](auto& on, index_t n, random_numbers& random) {
        std::vector<point> points;
        for (index_t i = 0; i < n; ++i) {
          points.push_back(
              {static_cast<int>(random.below(256)), static_cast<int>(random.below(99))});
        }
        return build_tree(on, points, 5) == build_tree_by_loop(points, 5);
      });
}
