// SPDX-License-Identifier: Apache-2.0
// Linear recurrences. A step x -> a x + b is an affine map, and a scan composes maps. A recurrence
// of the second order steps from pairs to pairs, so its maps are matrices (Blelloch 1990, 1.4).
#include <examples/kernels/recurrence.cuh>
#include <examples/uses/program.hpp>

namespace examples {

/// The rows of a 2 x 2 matrix.
template <class T>
struct matrix {
  T a, b, c, d;
};

/// First the earlier matrix, then the later one.
template <class T>
struct compose_matrices {
  using value_type = matrix<T>;
  LIBSCAN_HOST_DEVICE static constexpr value_type identity() { return {1, 0, 0, 1}; }
  LIBSCAN_HOST_DEVICE constexpr value_type operator()(value_type x, value_type y) const {
    return {y.a * x.a + y.b * x.c, y.a * x.b + y.b * x.d, y.c * x.a + y.d * x.c,
            y.c * x.b + y.d * x.d};
  }
};

/// First order: x[i] = a[i] x[i - 1] + b[i], from x[-1] = start.
template <class T, class Engine>
std::vector<T> first_order(Engine& on, std::vector<affine_map<T>> const& steps, T start) {
  auto const maps = on.inclusive_scan(on.array(steps), compose_maps<T>{});
  return generate<T>(on, maps.size(),
                     [start, maps = maps.data()] __device__(index_t i) {
                       return maps[i].a * start + maps[i].b;
                     })
      .copy();
}

/// Second order: x[i] = p x[i - 1] + q x[i - 2] for 0 <= i < n, from x[-2] = 0 and x[-1] = 1.
template <class T, class Engine>
std::vector<T> second_order(Engine& on, index_t n, T p, T q) {
  auto const step = generate<matrix<T>>(on, n, [p, q] __device__(index_t) {
    return matrix<T>{p, q, 1, 0};
  });
  auto const powers = on.inclusive_scan(step, compose_matrices<T>{});
  return generate<T>(on, n, [m = powers.data()] __device__(index_t i) { return m[i].a; }).copy();
}

}  // namespace examples

int main(int argc, char** argv) {
  using namespace examples;
  return run(
      argc, argv,
      [](auto& on, words) {
        // A savings account: 1 % interest a year, and 10 paid in.
        std::vector<affine_map<double>> const years(5, {1.01, 10});
        print("savings", first_order(on, years, 100.0));
        print("Fibonacci", second_order<std::uint64_t>(on, 10, 1, 1));
      },
      [](auto& on, index_t n, random_numbers& random) {
        std::vector<affine_map<std::uint32_t>> steps;
        std::vector<std::uint32_t> first, second;
        auto const p = static_cast<std::uint32_t>(random.below(9));
        auto const q = static_cast<std::uint32_t>(random.below(9));
        std::uint32_t x = 7, y = 1, before = 0;
        for (index_t i = 0; i < n; ++i) {
          steps.push_back({static_cast<std::uint32_t>(random.below(1000)),
                           static_cast<std::uint32_t>(random.below(1000))});
          first.push_back(x = steps.back().a * x + steps.back().b);
          std::uint32_t const now = p * y + q * before;
          before = y;
          second.push_back(y = now);
        }
        return first_order<std::uint32_t>(on, steps, 7) == first &&
               second_order<std::uint32_t>(on, n, p, q) == second;
      });
}
