// SPDX-License-Identifier: Apache-2.0
// What the cpu engine's calls refuse when they are compiled, and what they take.
#include <functional>
#include <vector>

#include <libscan/core/half.hpp>
#include <libscan/cpu/adjacent_difference.hpp>
#include <libscan/cpu/binary_scan.hpp>
#include <libscan/cpu/segmented_reduce.hpp>
#include <libscan/distributed/scan.hpp>

using namespace libscan;

std::vector<bool> bits(4);
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

struct frozen {
  int const value;
  operator int() const { return value; }
};
struct add_frozen {
  using value_type = frozen;
  static constexpr frozen identity() { return {0}; }
  frozen operator()(frozen a, frozen b) const { return {a.value + b.value}; }
};

/// Neither made from nothing nor copied by its bytes.
struct counted {
  explicit counted(int);
  counted(counted const&);
  counted& operator=(counted const&);
  operator int() const;
};

equal_segments const pairs{2};
segment_ranges<int> const ranges{items, items, 4};
segment_offsets<int> const offsets{items, 3};

// taken
int sum() {
  return cpu::reduce(1, items, 4, smaller, 7) + cpu::inclusive_scan(1, items, out, 4, smaller);
}

// taken
void sum() { cpu::inclusive_scan(1, halves, floats, 4, plus<float>{}); }

// taken
void differences() {
  cpu::adjacent_difference(1, items, out, 4);
  cpu::adjacent_difference(1, halves, floats, 4);
  cpu::adjacent_difference(1, items, out, 4, smaller);
}

// refused: adjacent_difference calls op(earlier, later), so std::minus would give
void differences() { cpu::adjacent_difference(1, items, out, 4, std::minus<>{}); }

// refused: neighbors cannot be combined as op(earlier, later)
void differences(bool const* flags) { cpu::adjacent_difference(1, flags, out, 4); }

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
void scan(int volatile* to) { cpu::inclusive_scan(1, items, to, 4, plus<int>{}); }

// refused: the items are volatile
void scan(int volatile* to) { cpu::inclusive_segmented_scan(1, items, to, pairs, 4, plus<int>{}); }

// refused: the items are volatile
void totals(int volatile* to) { cpu::segmented_reduce(1, items, to, pairs, 4, plus<int>{}); }

// refused: the items are volatile
void differences(int volatile* to) { cpu::adjacent_difference(1, items, to, 4); }

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

// taken
index_t sum() {
  return cpu::segmented_reduce(1, items, floats, pairs, 4, plus<int>{}) +
         cpu::segmented_reduce(1, items, floats, offsets, 4, plus<int>{}) +
         cpu::segmented_reduce(1, items, floats, ranges, 4, plus<int>{}) +
         cpu::reduce_by_key(1, floats, items, out, floats, 4, plus<int>{});
}

// refused: the items do not convert to the type that the operator accumulates in
auto sum(no_default const* from) {
  return cpu::segmented_reduce(1, from, out, pairs, 4, plus<int>{}, 0);
}

// refused: the output cannot be written
auto sum(int const* to) { return cpu::segmented_reduce(1, items, to, pairs, 4, plus<int>{}, 0); }

// refused: the output cannot be written
struct nothing {};
auto sum(nothing* to) { return cpu::segmented_reduce(1, items, to, pairs, 4, smaller, 0); }

// refused: the items are volatile
auto sum(int const volatile* from) {
  return cpu::segmented_reduce(1, from, out, pairs, 4, plus<int>{}, 0);
}

// refused: the items do not convert to the type that the operator accumulates in
void scan(no_default const* from) {
  cpu::inclusive_segmented_scan(1, from, out, pairs, 4, plus<int>{}, 0);
}

// refused: the output cannot be written
void scan(int const* to) { cpu::exclusive_segmented_scan(1, items, to, pairs, 4, plus<int>{}, 0); }

// refused: the items do not convert to the type that the operator accumulates in
auto sum(no_default const* from) {
  return cpu::segmented_reduce(1, from, out, offsets, 4, plus<int>{}, 0);
}

// refused: the output cannot be written
auto sum(int const* to) { return cpu::segmented_reduce(1, items, to, offsets, 4, plus<int>{}, 0); }

// refused: the output cannot be written
struct nothing {};
auto sum(nothing* to) { return cpu::segmented_reduce(1, items, to, offsets, 4, smaller, 0); }

// refused: the items are volatile
auto sum(int const volatile* from) {
  return cpu::segmented_reduce(1, from, out, offsets, 4, plus<int>{}, 0);
}

// refused: the items do not convert to the type that the operator accumulates in
void scan(no_default const* from) {
  cpu::inclusive_segmented_scan(1, from, out, offsets, 4, plus<int>{}, 0);
}

// refused: the output cannot be written
void scan(int const* to) {
  cpu::exclusive_segmented_scan(1, items, to, offsets, 4, plus<int>{}, 0);
}

// refused: the items do not convert to the type that the operator accumulates in
auto sum(no_default const* from) {
  return cpu::segmented_reduce(1, from, out, ranges, 4, plus<int>{}, 0);
}

// refused: the output cannot be written
auto sum(int const* to) { return cpu::segmented_reduce(1, items, to, ranges, 4, plus<int>{}, 0); }

// refused: the output cannot be written
struct nothing {};
auto sum(nothing* to) { return cpu::segmented_reduce(1, items, to, ranges, 4, smaller, 0); }

// refused: the items are volatile
auto sum(int const volatile* from) {
  return cpu::segmented_reduce(1, from, out, ranges, 4, plus<int>{}, 0);
}

// refused: the items do not convert to the type that the operator accumulates in
void scan(no_default const* from) {
  cpu::inclusive_segmented_scan(1, from, out, ranges, 4, plus<int>{}, 0);
}

// refused: the output cannot be written
void scan(int const* to) { cpu::exclusive_segmented_scan(1, items, to, ranges, 4, plus<int>{}, 0); }

// refused: the items do not convert to the type that the operator accumulates in
auto sum(no_default const* from) {
  return cpu::reduce_by_key(1, items, from, out, out, 4, plus<int>{}, 0);
}

// refused: the output cannot be written
auto sum(int const* to) { return cpu::reduce_by_key(1, items, items, out, to, 4, plus<int>{}, 0); }

// refused: the output cannot be written
auto sum(int const* to) { return cpu::reduce_by_key(1, items, items, to, out, 4, plus<int>{}, 0); }

// refused: neighbors cannot be compared by ==
auto sum(no_default const* keys, no_default* unique) {
  return cpu::reduce_by_key(1, keys, items, unique, out, 4, plus<int>{}, 0);
}

// refused: neighbors cannot be compared by ==
void scan(no_default const* keys) {
  cpu::inclusive_segmented_scan(1, items, out, segment_keys{keys}, 4, plus<int>{}, 0);
}

// refused: neighbors cannot be compared as equal(earlier, later)
auto sum() {
  segment_keys const keys{items, [](int) { return true; }};
  return cpu::segmented_reduce(1, items, out, keys, 4, plus<int>{}, 0);
}

// refused: the output cannot be written
void scan(int const* to) {
  auto const bring = [](index_t, index_t, int*) {};
  cpu::staged_scan<scan_kind::inclusive>(1, scan_direction::forward, bring, to, 4, plus<int>{}, 0);
}

// refused: ranks are integers of 32 or 64 bits
auto scan(short* ranks) { return cpu::exclusive_binary_scan(1, byte_mask{nullptr}, ranks, 4); }

// refused: Sum float16 and bfloat16 by plus<float>
auto sum(ranks const& on) { return reduce(on, halves); }

// refused: this call needs an init: the identity of the operator is not known
auto sum(ranks const& on) { return exclusive_scan(on, items, out, smaller); }

// refused: the operator is not trivially copyable
auto sum(ranks const& on, holds_memory const& op) { return reduce(on, items, op, 0); }

// taken
bool any() { return cpu::reduce(1, bits.begin(), 4, std::logical_or<>{}, false); }

// refused: items of std::vector<bool> share bytes
void scan() { cpu::inclusive_scan(1, bits.begin(), bits.begin(), 4, std::logical_or<>{}, false); }

// refused: items of std::vector<bool> share bytes
void scan() {
  cpu::inclusive_segmented_scan(1, bits.begin(), bits.rbegin(), pairs, 4, std::logical_or<>{},
                                false);
}

// refused: items of std::vector<bool> share bytes
void sum() {
  cpu::segmented_reduce(1, bits.begin(), bits.begin(), offsets, 4, std::logical_or<>{}, false);
}

// refused: items of std::vector<bool> share bytes
void sum() {
  cpu::segmented_reduce(1, bits.begin(), bits.begin(), ranges, 4, std::logical_or<>{}, false);
}

// refused: values of the type that the operator accumulates in cannot be assigned
auto sum(frozen const* from) { return cpu::reduce(1, from, 4, add_frozen{}, frozen{0}); }

// refused: values of the type that the operator accumulates in cannot be assigned
void scan(frozen const* from) { cpu::inclusive_scan(1, from, out, 4, add_frozen{}); }

// refused: the items cannot be copied to where the last one of each part is kept
void differences(counted const* from) {
  auto const minus = [](counted const&, counted const&) { return 0; };
  cpu::adjacent_difference(1, from, out, 4, minus);
}
