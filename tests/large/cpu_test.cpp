// SPDX-License-Identifier: Apache-2.0
// The CPU engine's scan of more than 2^32 items, in no memory at all: an iterator makes the items,
// another checks the results.
#include <atomic>
#include <compare>
#include <cstdint>
#include <iterator>

#include <libscan/cpu/scan.hpp>
#include <libscan/cpu/workers.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/formula.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

using item = std::uint32_t;
using steps = random_steps<item>;

/// What a random-access iterator that counts has to have; Self adds operator[].
template <class Self>
struct counting {
  using difference_type = index_t;
  using value_type = item;

  index_t at = 0;

  decltype(auto) operator*() const { return self()[0]; }
  Self& operator+=(index_t distance) {
    at += distance;
    return static_cast<Self&>(*this);
  }
  Self& operator-=(index_t distance) { return *this += -distance; }
  Self& operator++() { return *this += 1; }
  Self& operator--() { return *this -= 1; }
  Self operator++(int) {
    Self const before = self();
    ++*this;
    return before;
  }
  Self operator--(int) {
    Self const before = self();
    --*this;
    return before;
  }
  friend Self operator+(Self it, index_t distance) { return it += distance; }
  friend Self operator+(index_t distance, Self it) { return it += distance; }
  friend Self operator-(Self it, index_t distance) { return it -= distance; }
  friend index_t operator-(Self const& a, Self const& b) { return a.at - b.at; }
  friend bool operator==(Self const& a, Self const& b) { return a.at == b.at; }
  friend auto operator<=>(Self const& a, Self const& b) { return a.at <=> b.at; }

 private:
  Self const& self() const { return static_cast<Self const&>(*this); }
};

struct made_items : counting<made_items> {
  item operator[](index_t i) const { return steps{}(at + i); }
};

/// Takes results and counts the wrong ones; how many there were, too.
struct checked_results : counting<checked_results> {
  struct place {
    index_t i;
    checked_results const* of;
    void operator=(item result) const {
      if (result != steps{}.before(i + of->ahead)) of->wrong->fetch_add(1);
    }
    operator item() const { return 0; }  // NOLINT(google-explicit-constructor): for a concept
  };

  index_t ahead = 0;  // 1 for an inclusive scan
  std::atomic<index_t>* wrong = nullptr;

  place operator[](index_t i) const { return {at + i, this}; }
};

static_assert(std::random_access_iterator<made_items>);

}  // namespace

TEST_CASE("scans of 2^32 + 1 items on the CPU") {
  index_t const n = (index_t{1} << 32) + 1;
  item const init = steps{}.before(0);
  int const threads = cpu::default_threads();
  std::atomic<index_t> wrong = 0;
  checked_results out;
  out.wrong = &wrong;
  CHECK(cpu::exclusive_scan(threads, made_items{}, out, n, plus<item>{}, init) ==
        steps{}.before(n));
  CHECK(wrong == 0);
  out.ahead = 1;
  CHECK(cpu::inclusive_scan(threads, made_items{}, out, n, plus<item>{}, init) ==
        steps{}.before(n));
  CHECK(wrong == 0);
  // The checker notices: an exclusive scan where an inclusive one is expected.
  (void)cpu::exclusive_scan(1, made_items{}, out, 1000, plus<item>{}, init);
  CHECK(wrong == 1000);
}
