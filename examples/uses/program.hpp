// SPDX-License-Identifier: Apache-2.0
// The main function of an example. Without --check it shows its result on an input; with --check it
// compares its results on random inputs with a plain loop's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include <examples/uses/engines.cuh>

namespace examples {

/// Repeatable random numbers (splitmix64).
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}

  /// In [0, bound), for bound > 0.
  index_t below(index_t bound) {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return static_cast<index_t>((x ^ (x >> 31)) % static_cast<std::uint64_t>(bound));
  }

  /// n numbers in [0, bound).
  template <class T>
  std::vector<T> vector(index_t n, index_t bound) {
    std::vector<T> numbers(static_cast<std::size_t>(n));
    for (T& number : numbers) number = static_cast<T>(below(bound));
    return numbers;
  }

 private:
  std::uint64_t state_;
};

/// Prints the items in one line after a title.
template <class Items>
void print(char const* title, Items const& items) {
  std::printf("%s", title);
  for (auto const& item : items) std::printf(" %g", static_cast<double>(item));
  std::printf("\n");
}

/// The sizes that --check tries.
inline constexpr index_t checked_sizes[] = {0, 1, 2, 3, 8, 31, 32, 33, 100, 257, 1000, 3000};

/// Runs `agrees(on, n, random)` for each of `checked_sizes`. Result: 0, or 1 after a message if one
/// returned false.
template <class Engine, class Agrees>
int check(Engine& on, char const* engine, Agrees agrees) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (index_t const n : checked_sizes) {
      random_numbers random(seed);
      if (agrees(on, n, random)) continue;
      std::printf("%s: differs from the loop for n = %lld, seed %llu\n", engine,
                  static_cast<long long>(n), static_cast<unsigned long long>(seed));
      return 1;
    }
  }
  std::printf("%s: equal to the loop\n", engine);
  return 0;
}

/// The words of a command line after the options.
using words = std::span<char const* const>;

/// `NAME [--engine cpu|executor|cuda] [--check] [WORD...]`. Calls `show(on, words)`, or the checks
/// with `agrees(on, n, random)`. Exit codes: 0, 1 if a check failed, 2 for a wrong command line, 4
/// if the engine failed.
template <class Show, class Agrees>
int run(int argc, char const* const* argv, Show show, Agrees agrees) {
#ifdef __CUDACC__
  std::string_view engine = "cuda";
#else
  std::string_view engine = "cpu";
#endif
  std::initializer_list<std::string_view> const engines =
#ifdef __CUDACC__
      {"cuda"};
#else
      {"cpu", "executor"};
#endif
  bool checks = false;
  int next = 1;
  for (; next < argc && std::string_view(argv[next]).starts_with("--"); ++next) {
    std::string_view const option = argv[next];
    if (option == "--check")
      checks = true;
    else if (option == "--engine" && next + 1 < argc)
      engine = argv[++next];
    else
      engine = "";
  }
  if (std::find(engines.begin(), engines.end(), engine) == engines.end()) {
    std::fprintf(stderr, "usage: %s [--engine", argv[0]);
    for (auto const name : engines) std::fprintf(stderr, " %s", name.data());
    std::fprintf(stderr, "] [--check] [WORD...]\n");
    return 2;
  }
  auto const use = [&](auto on) {
    if (checks) return check(on, engine.data(), agrees);
    show(on, words(argv + next, argv + argc));
    return 0;
  };
  try {
#ifdef __CUDACC__
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      throw engine_unavailable("no usable GPU");
    }
#else
    if (engine == "cpu") return use(cpu_engine{});
#endif
    return use(device_engine{});
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "%s: %s\n", argv[0], failure.what());
    return 4;
  }
}

}  // namespace examples
