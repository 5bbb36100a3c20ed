// SPDX-License-Identifier: Apache-2.0
// A sparse matrix times a vector, and times a few vectors at once. Each row is a segment of the
// products, and a segmented reduction adds them (Blelloch, Heroux & Zagha 1993). For K vectors a
// product is a row of K numbers: each entry of the matrix is read once for all of them.
#include <examples/uses/program.hpp>

namespace examples {

/// Rows of compressed storage (CSR): row r has the entries offsets[r] to offsets[r + 1].
struct sparse_matrix {
  std::vector<index_t> offsets;
  std::vector<int> columns;
  std::vector<double> values;
};

/// One number for each of K vectors.
template <int K>
struct numbers {
  double of[K];
  friend bool operator==(numbers const&, numbers const&) = default;
};

/// Adds in each vector.
template <int K>
struct add_numbers {
  using value_type = numbers<K>;
  LIBSCAN_HOST_DEVICE static constexpr value_type identity() { return {}; }
  LIBSCAN_HOST_DEVICE constexpr value_type operator()(value_type a, value_type b) const {
    for (int k = 0; k < K; ++k) a.of[k] += b.of[k];
    return a;
  }
};

/// A times each of K vectors: x[c] holds item c of all vectors. K = 1 is the usual product.
template <int K, class Engine>
std::vector<numbers<K>> multiply(Engine& on, sparse_matrix const& a,
                                 std::vector<numbers<K>> const& x) {
  auto const columns = on.array(a.columns);
  auto const values = on.array(a.values);
  auto const vectors = on.array(x);
  auto const products = generate<numbers<K>>(
      on, columns.size(),
      [c = columns.data(), v = values.data(), x = vectors.data()] __device__(index_t i) {
        numbers<K> product = x[c[i]];
        for (int k = 0; k < K; ++k) product.of[k] *= v[i];
        return product;
      });
  return on.segmented_reduce(products, on.array(a.offsets), add_numbers<K>{}).copy();
}

/// The loop.
template <int K>
std::vector<numbers<K>> multiply_by_loop(sparse_matrix const& a, std::vector<numbers<K>> const& x) {
  std::vector<numbers<K>> y(a.offsets.size() - 1);
  for (std::size_t r = 0; r < y.size(); ++r) {
    for (auto i = static_cast<std::size_t>(a.offsets[r]);
         i < static_cast<std::size_t>(a.offsets[r + 1]); ++i) {
      for (int k = 0; k < K; ++k) {
        y[r].of[k] += a.values[i] * x[static_cast<std::size_t>(a.columns[i])].of[k];
      }
    }
  }
  return y;
}

}  // namespace examples

int main(int argc, char** argv) {
  using namespace examples;
  return run(
      argc, argv,
      [](auto& on, words) {
        // 3 . 1     1 2
        // . . .  x  0 3
        // 7 4 .     5 1
        sparse_matrix const a{{0, 2, 2, 4}, {0, 2, 0, 1}, {3, 1, 7, 4}};
        for (auto const& row : multiply<1>(on, a, {{1}, {0}, {5}})) print("A x:", row.of);
        for (auto const& row : multiply<2>(on, a, {{1, 2}, {0, 3}, {5, 1}})) print("A X:", row.of);
      },
      [](auto& on, index_t n, random_numbers& random) {
        // Whole numbers, whose sums are exact in any order; many rows are empty.
        sparse_matrix a{{0}, random.vector<int>(n, n + 1), random.vector<double>(n, 100)};
        while (a.offsets.back() < n) {
          a.offsets.push_back(std::min(n, a.offsets.back() + random.below(6) * random.below(2)));
        }
        std::vector<numbers<4>> x(static_cast<std::size_t>(n) + 1);
        std::vector<numbers<1>> first;
        for (auto& row : x) {
          for (double& each : row.of) each = static_cast<double>(random.below(100));
          first.push_back({row.of[0]});
        }
        return multiply<4>(on, a, x) == multiply_by_loop<4>(a, x) &&
               multiply<1>(on, a, first) == multiply_by_loop<1>(a, first);
      });
}
