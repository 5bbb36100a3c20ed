// SPDX-License-Identifier: Apache-2.0
// Shares of one thing. Lengths of sandwich, widths of camp slots, bytes of channel buffers: an
// inclusive scan says where to cut, an exclusive one where each share begins (ECE408, lecture 12).
#include <string_view>

#include <examples/uses/program.hpp>

namespace examples {

/// Where each share begins and ends, and how much of the whole is left.
struct cuts {
  std::vector<int> begins, ends;
  int left;
  friend bool operator==(cuts const&, cuts const&) = default;
};

/// Cuts `whole` into the wanted sizes.
template <class Engine>
cuts share(Engine& on, std::vector<int> const& wanted, int whole) {
  auto const sizes = on.array(wanted);
  auto const ends = on.inclusive_scan(sizes, plus<int>{});
  auto const begins = on.exclusive_scan(sizes, plus<int>{});
  return {begins.before.copy(), ends.copy(), whole - begins.total};
}

/// The loop.
inline cuts share_by_loop(std::vector<int> const& wanted, int whole) {
  cuts all{{}, {}, whole};
  int at = 0;
  for (int const size : wanted) {
    all.begins.push_back(at);
    all.ends.push_back(at += size);
    all.left -= size;
  }
  return all;
}

/// One of the three inputs.
struct case_of_sharing {
  char const *name, *unit;
  int whole;
  std::vector<int> wanted;
};

/// The lecture's sandwich; tents at a lake; buffers in a channel's memory.
inline std::vector<case_of_sharing> cases() {
  return {{"sandwich", "inches", 100, {3, 5, 2, 7, 28, 4, 3, 0, 8, 1}},
          {"camp", "meters of shore", 60, {12, 4, 4, 20, 9}},
          {"channels", "bytes of memory", 65536, {4096, 1500, 16384, 9000, 512}}};
}

}  // namespace examples

int main(int argc, char** argv) {
  using namespace examples;
  return run(
      argc, argv,
      [](auto& on, words given) {
        for (auto const& [name, unit, whole, wanted] : cases()) {
          if (!given.empty() && std::string_view(given[0]) != name) continue;
          auto const [begins, ends, left] = share(on, wanted, whole);
          std::printf("%s, %d %s\n", name, whole, unit);
          print("  begins", begins);
          print("  ends  ", ends);
          std::printf("  left   %d\n", left);
        }
      },
      [](auto& on, index_t n, random_numbers& random) {
        auto const wanted = random.vector<int>(n, 30);
        return share(on, wanted, 1000000) == share_by_loop(wanted, 1000000);
      });
}
