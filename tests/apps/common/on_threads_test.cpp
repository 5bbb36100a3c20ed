// SPDX-License-Identifier: Apache-2.0
// Work on several threads whose results are taken in order.
#include <apps/common/on_threads.hpp>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <tests/support/catch.hpp>
#include <thread>
#include <utility>
#include <vector>

namespace apps = libscan::apps;

namespace {

constexpr std::size_t count = 200;

/// What is taken: pairs of i and the call's number, each i with i % 4 calls.
std::vector<std::pair<std::size_t, std::size_t>> all_in_order() {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t call = 0; call < i % 4; ++call) all.emplace_back(i, call);
  }
  return all;
}

/// Takes time that depends on i, so that threads overtake each other.
void dawdle(std::size_t i) {
  std::mt19937 random(static_cast<unsigned>(i));
  for (unsigned turn = random() % 20; turn > 0; --turn) std::this_thread::yield();
}

}  // namespace

TEST_CASE("pieces from several threads are taken in order") {
  for (int const threads : {1, 2, 5}) {
    std::vector<std::pair<std::size_t, std::size_t>> taken;
    apps::for_each_in_order(
        count, threads,
        [](std::size_t i, auto const& put) {
          for (std::size_t call = 0; call < i % 4; ++call) {
            dawdle(i + call);
            put(std::pair(i, call));
          }
        },
        [&](auto const& piece) { taken.push_back(piece); });
    REQUIRE(taken == all_in_order());
  }
}

TEST_CASE("an exception of a piece's maker or taker ends all threads, and is thrown once") {
  for (int const threads : {1, 2, 5}) {
    for (bool const in_taker : {false, true}) {
      std::size_t taken = 0;
      std::string error;
      try {
        apps::for_each_in_order(
            count, threads,
            [&](std::size_t i, auto const& put) {
              dawdle(i);
              if (!in_taker && i == 100) throw std::runtime_error("made");
              put(i);
            },
            [&](std::size_t i) {
              if (i != taken++) throw std::logic_error("out of order");
              if (in_taker && i == 100) throw std::runtime_error("taken");
            });
      } catch (std::exception const& e) {
        error = e.what();
      }
      CHECK(error == (in_taker ? "taken" : "made"));
      CHECK(taken <= 101);
    }
  }
}
