// SPDX-License-Identifier: Apache-2.0
// What the cpu engine's calls refuse when they are compiled, and what they take.
#include <libscan/core/half.hpp>
#include <libscan/cpu/segmented_reduce.hpp>

using namespace libscan;

int const items[4]{};
bfloat16 const halves[4]{};
int out[4];
float floats[4];
auto const smaller = [](int a, int b) { return a < b ? a : b; };

struct holds_memory {
  holds_memory(holds_memory const&);
  int operator()(int a, int b) const { return a + b; }
};

struct no_default {
  explicit no_default(int number) : value(number) {}
  int value;
};

// taken
int sum() {
  return cpu::reduce(1, items, 4, smaller, 7) + cpu::inclusive_scan(1, items, out, 4, smaller);
}

// taken
void sum() { cpu::inclusive_scan(1, halves, floats, 4, plus<float>{}); }

// refused: this call needs an init: the identity of the operator is not known
int sum() { return cpu::reduce(1, items, 4, smaller); }

// refused: this call needs an init: the identity of the operator is not known
void sum() { cpu::exclusive_scan(1, items, out, 4, smaller); }

// refused: Sum float16 and bfloat16 by plus<float>
auto sum() { return cpu::reduce(1, halves, 4, plus<bfloat16>{}); }

// refused: the operator cannot be called as op(earlier, later)
int sum() {
  return cpu::reduce(
      1, items, 4, [](int a) { return a; }, 0);
}

// refused: the operator cannot be called as op(earlier, later)
int sum(int sign) {
  return cpu::reduce(
      1, items, 4, [sign](int a, int) mutable { return sign += a; }, 0);
}

// refused: the operator is not trivially copyable
int sum(holds_memory const& op) { return cpu::reduce(1, items, 4, op, 0); }

// refused: init does not convert to the operator's value type
struct sums {
  using value_type = int;
  int operator()(int a, int b) const { return a + b; }
};
int sum() { return cpu::reduce(1, items, 4, sums{}, "0"); }

// refused: the items are volatile
int sum(int const volatile* from) { return cpu::reduce(1, from, 4, plus<int>{}); }

// refused: state the identity by with_identity
auto sum(no_default const* from) {
  return cpu::reduce(
      1, from, 4, [](no_default a, no_default) { return a; }, no_default(0));
}

// refused: this call needs an init: the identity of the operator is not known
struct priority {
  int value;
  auto operator<=>(priority const&) const = default;
};
auto sum(priority const* from) { return cpu::reduce(1, from, 4, minimum<priority>{}); }

// refused: the items do not convert to the type that the operator accumulates in
auto sum(no_default const* from) { return cpu::reduce(1, from, 4, plus<int>{}, 0); }

// refused: the output cannot be written
void sum(int const* to) { cpu::inclusive_scan(1, items, to, 4, plus<int>{}); }
