// SPDX-License-Identifier: Apache-2.0
// A thread that stops in the middle of a call, as one that has lost its core: for tests that the
// others do the rest meanwhile.
#pragma once

#include <atomic>
#include <compare>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <libscan/core/types.hpp>
#include <libscan/cpu/workers.hpp>
#include <tests/cpu/thread_counts.hpp>

namespace libscan::test {

/// Holds the first thread that comes to chunk `held` of `chunks` until others have come to all
/// chunks but one, which the held thread may have claimed besides, or that takes too long.
class held_thread {
 public:
  held_thread(index_t chunks, index_t held)
      : came_(static_cast<std::size_t>(chunks)), held_(held), expected_(chunks - 1) {}

  /// To be called when anything of a chunk is read.
  void come(index_t chunk) {
    if (!came_[static_cast<std::size_t>(chunk)].exchange(true)) ++chunks_;
    if (chunk == held_ && !stopped_.exchange(true)) stop();
  }

  /// Whether a thread was held, and the others came everywhere.
  bool others_came() const { return done_; }

 private:
  void stop() {
    done_ = comes([&] { return chunks_ >= expected_; });
  }

  std::vector<std::atomic<bool>> came_;
  index_t held_, expected_;
  std::atomic<index_t> chunks_{0};
  std::atomic<bool> stopped_{false}, done_{false};
};

/// Calls body(thread, threads) for some numbers of threads and chunks to be held in; the call in it
/// has `chunks` chunks. Returns in which of them the others waited, "" if in none.
template <class Body>
std::string waited_for_held_thread(index_t chunks, Body body) {
  for (int const threads : {2, 3, 16}) {
    for (index_t const held : {index_t{0}, chunks / 3}) {
      bool const others_came = others_come_once([&] {
        held_thread thread(chunks, held);
        cpu::with_workers(threads, [&] { body(thread, threads); });
        return thread.others_came();
      });
      if (!others_came) {
        return std::to_string(threads) + " threads waited for chunk " + std::to_string(held);
      }
    }
  }
  return "";
}

/// An iterator over items 0, 1, ... of an array that tells which chunk is read.
class observed_items {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = index_t;
  using difference_type = index_t;
  using reference = index_t;
  using pointer = void;

  observed_items() = default;
  observed_items(index_t const* items, index_t chunk_items, held_thread* thread)
      : items_(items), chunk_items_(chunk_items), thread_(thread) {}

  index_t operator*() const { return (*this)[0]; }
  index_t operator[](index_t i) const {
    thread_->come((at_ + i) / chunk_items_);
    return items_[at_ + i];
  }
  observed_items& operator++() { return *this += 1; }
  observed_items& operator--() { return *this += -1; }
  observed_items operator++(int) { return std::exchange(*this, *this + 1); }
  observed_items operator--(int) { return std::exchange(*this, *this - 1); }
  observed_items& operator+=(index_t i) { return at_ += i, *this; }
  observed_items& operator-=(index_t i) { return at_ -= i, *this; }
  friend observed_items operator+(observed_items it, index_t i) { return it += i; }
  friend observed_items operator+(index_t i, observed_items it) { return it += i; }
  friend observed_items operator-(observed_items it, index_t i) { return it -= i; }
  friend index_t operator-(observed_items a, observed_items b) { return a.at_ - b.at_; }
  friend auto operator<=>(observed_items a, observed_items b) { return a.at_ <=> b.at_; }
  friend bool operator==(observed_items a, observed_items b) { return a.at_ == b.at_; }

 private:
  index_t const* items_ = nullptr;
  index_t chunk_items_ = 1, at_ = 0;
  held_thread* thread_ = nullptr;
};

}  // namespace libscan::test
