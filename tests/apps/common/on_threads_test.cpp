// SPDX-License-Identifier: Apache-2.0
// Work on several threads whose results are taken in order.
#include <pthread.h>

#include <apps/common/on_threads.hpp>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
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

/// For its life, no thread can be started: the stack would not fit into memory.
class no_threads {
 public:
  no_threads() {
    pthread_attr_t attributes;
    pthread_getattr_default_np(&attributes);
    pthread_attr_getstacksize(&attributes, &before_);
    pthread_attr_destroy(&attributes);
    set(std::size_t{1} << 47);
  }
  ~no_threads() { set(before_); }

 private:
  static void set(std::size_t bytes) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, bytes);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
  }

  std::size_t before_ = 0;
};

}  // namespace

TEST_CASE("work in the background, for which no thread starts, is not lost") {
  no_threads const none;
  REQUIRE_THROWS_AS(std::thread([] {}), std::system_error);
  int runs = 0;
  apps::in_background([&] { ++runs; }).get();
  CHECK(runs == 1);
  CHECK_THROWS_AS(apps::in_background([] { throw std::runtime_error("work"); }).get(),
                  std::runtime_error);
}

TEST_CASE("work of several threads is done by the caller if no thread starts") {
  no_threads const none;
  std::vector<std::size_t> done;
  apps::for_each_on_threads(count, 4, [&](std::size_t i) { done.push_back(i); });
  CHECK(done.size() == count);
}

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
