// SPDX-License-Identifier: Apache-2.0
// Polynomial evaluation. A scan of x under multiplication is the powers of x; a reduction adds the
// weighted powers (Blelloch 1990, 1.1). Arithmetic is modulo 2^64, which the loop repeats exactly.
#include <cstdlib>

#include <examples/kernels/polynomial.cuh>
#include <examples/uses/program.hpp>

namespace examples {

/// c[0] + c[1] x + c[2] x^2 + ...
template <class Engine>
std::uint64_t evaluate(Engine& on, std::vector<std::uint64_t> const& coefficients,
                       std::uint64_t x) {
  auto const c = on.array(coefficients);
  auto const same = generate<std::uint64_t>(on, c.size(), [x] __device__(index_t) { return x; });
  auto const powers = on.exclusive_scan(same, times<std::uint64_t>{}).before;
  auto const terms = generate<std::uint64_t>(
      on, c.size(),
      [c = c.data(), powers = powers.data()] __device__(index_t i) { return c[i] * powers[i]; });
  return on.reduce(terms, plus<std::uint64_t>{});
}

/// The loop: Horner's rule.
inline std::uint64_t evaluate_by_loop(std::vector<std::uint64_t> const& c, std::uint64_t x) {
  std::uint64_t y = 0;
  for (auto each = c.rbegin(); each != c.rend(); ++each) y = y * x + *each;
  return y;
}

}  // namespace examples

int main(int argc, char** argv) {
  using namespace examples;
  return run(
      argc, argv,
      [](auto& on, words given) {
        std::uint64_t const x = given.empty() ? 10 : std::strtoull(given[0], nullptr, 10);
        auto const y = evaluate(on, {3, 1, 7, 0, 4, 1, 6, 3}, x);
        std::printf("3 + x + 7 x^2 + 4 x^4 + x^5 + 6 x^6 + 3 x^7 = %llu at x = %llu\n",
                    static_cast<unsigned long long>(y), static_cast<unsigned long long>(x));
      },
      [](auto& on, index_t n, random_numbers& random) {
        auto const c = random.vector<std::uint64_t>(n, 1000);
        auto const x = static_cast<std::uint64_t>(random.below(1000));
        return evaluate(on, c, x) == evaluate_by_loop(c, x);
      });
}
