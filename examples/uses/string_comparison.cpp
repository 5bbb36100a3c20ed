// SPDX-License-Identifier: Apache-2.0
// String comparison. Two strings compare as their first different letters do. "The first that is
// not 0" is an associative operator, so a reduction finds it in log n steps (Blelloch 1990, 1.1).
#include <algorithm>
#include <string>

#include <examples/uses/program.hpp>

namespace examples {

/// The earlier number, unless it is 0.
struct first_nonzero {
  using value_type = int;
  LIBSCAN_HOST_DEVICE static constexpr int identity() { return 0; }
  LIBSCAN_HOST_DEVICE constexpr int operator()(int earlier, int later) const {
    return earlier != 0 ? earlier : later;
  }
};

/// Less than 0 if a comes before b, more than 0 if after, 0 if they are equal.
template <class Engine>
int compare(Engine& on, std::string const& a, std::string const& b) {
  auto const x = on.array(std::vector<char>(a.c_str(), a.c_str() + a.size() + 1));
  auto const y = on.array(std::vector<char>(b.c_str(), b.c_str() + b.size() + 1));
  index_t const n = std::min(x.size(), y.size());  // the 0 after the shorter string decides, too
  auto const differences = generate<int>(on, n, [x = x.data(), y = y.data()] __device__(index_t i) {
    return static_cast<unsigned char>(x[i]) - static_cast<unsigned char>(y[i]);
  });
  return on.reduce(differences, first_nonzero{});
}

/// The loop.
inline int compare_by_loop(std::string const& a, std::string const& b) {
  for (std::size_t i = 0;; ++i) {
    int const difference =
        static_cast<unsigned char>(a.c_str()[i]) - static_cast<unsigned char>(b.c_str()[i]);
    if (difference != 0 || a.c_str()[i] == 0) return difference;
  }
}

}  // namespace examples

int main(int argc, char** argv) {
  using namespace examples;
  return run(
      argc, argv,
      [](auto& on, words given) {
        std::string const a = given.size() == 2 ? given[0] : "parallel prefix";
        std::string const b = given.size() == 2 ? given[1] : "parallel scan";
        int const order = compare(on, a, b);
        std::printf("\"%s\" %s \"%s\"\n", a.c_str(),
                    order < 0   ? "comes before"
                    : order > 0 ? "comes after"
                                : "equals",
                    b.c_str());
      },
      [](auto& on, index_t n, random_numbers& random) {
        std::string a(static_cast<std::size_t>(n), 'a'), b = a;
        for (int change = 0; change < 2; ++change) {
          if (n > 0) a[static_cast<std::size_t>(random.below(n))] = 'b';
          if (n > 0) b[static_cast<std::size_t>(random.below(n))] = static_cast<char>(0xe9);
        }
        b.resize(static_cast<std::size_t>(random.below(n + 1)));
        return compare(on, a, b) == compare_by_loop(a, b) && compare(on, a, a) == 0;
      });
}
