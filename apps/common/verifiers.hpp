// SPDX-License-Identifier: Apache-2.0
// --verify=loop|std|cub|thrust|cusparse|all: libraries that compute a result again, beside the
// program's plain loop, and when a result counts as right.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include <apps/common/number.hpp>
#include <libscan/core/name_table.hpp>

namespace libscan::apps {

/// What computes a result again.
enum class verifier : std::uint8_t {
  loop,      ///< plain code of the program itself
  standard,  ///< algorithms of the C++ standard library
  cub,       ///< the last three need a GPU
  thrust,
  cusparse
};

/// Their names on the command line, in this order.
inline constexpr name_table<verifier, 5, 0> verifier_names{
    "verifier", {"loop", "std", "cub", "thrust", "cusparse"}, {}};

/// Whether it runs on a GPU only.
constexpr bool needs_gpu(verifier which) { return which >= verifier::cub; }

/// Its name in sentences.
constexpr std::string_view title_of(verifier which) {
  constexpr std::string_view titles[] = {"the loop", "the standard library", "CUB", "Thrust",
                                         "cuSPARSE"};
  return titles[static_cast<int>(which)];
}

/// Some of them.
class verifier_set {
 public:
  constexpr verifier_set() = default;
  constexpr verifier_set(std::initializer_list<verifier> members) {
    for (verifier const each : members) add(each);
  }

  constexpr bool has(verifier which) const { return (bits_ >> static_cast<int>(which) & 1) != 0; }
  constexpr void add(verifier which) { bits_ |= 1u << static_cast<int>(which); }
  constexpr void remove(verifier which) { bits_ &= ~(1u << static_cast<int>(which)); }
  constexpr bool empty() const { return bits_ == 0; }

 private:
  unsigned bits_ = 0;
};

/// Calls f(verifier) for each member, in their order.
template <class F>
void for_each(verifier_set of, F f) {
  for (verifier const each : verifier_names.values()) {
    if (of.has(each)) f(each);
  }
}

/// The names that --verify takes of these, "loop, std, cub".
inline std::string names_in(verifier_set of) {
  std::string text;
  for_each(of, [&](verifier each) {
    text.append(text.empty() ? "" : ", ").append(verifier_names.name(each));
  });
  return text;
}

/// The end of a sentence about agreement: "; so do the standard library and CUB". Empty if none.
inline std::string also_agree(verifier_set others) {
  others.remove(verifier::loop);
  std::string text, last;
  int count = 0;
  for_each(others, [&](verifier each) {
    if (count > 1) text += ", ";
    text += last;
    last = title_of(each);
    ++count;
  });
  if (count == 0) return "";
  return (count == 1 ? "; so does " : "; so do ") + text + (count == 1 ? "" : " and ") + last;
}

/// again(verifier) is the difference of its result from the loop's, empty if there is none. The
/// first difference of the others, with its name: "CUB: item 3 is 7, expected 8".
template <class Again>
std::string difference_of_others(verifier_set others, Again again) {
  std::string found;
  for_each(others, [&](verifier each) {
    if (each == verifier::loop || !found.empty()) return;
    std::string const difference = again(each);
    if (!difference.empty()) found = std::string(title_of(each)) + ": " + difference;
  });
  return found;
}

/// Which floats other than the expected one are also right.
struct allowance {
  bool any_nan = false;  ///< any NaN for a NaN: its payload is unspecified
  double off = 0;        ///< values at most this far off; with 0, -0 is not +0
};

/// Whether `got` is right.
template <class T>
bool agree(T expected, T got, allowance allowed = {}) {
  if (std::memcmp(&expected, &got, sizeof(T)) == 0) return true;
  if constexpr (std::is_floating_point_v<T>) {
    if (allowed.any_nan && std::isnan(expected) && std::isnan(got)) return true;
    double const off = std::abs(static_cast<double>(got) - static_cast<double>(expected));
    return allowed.off != 0 && off <= allowed.off;
  }
  return false;
}

/// The words of --verify for a wrong item: "item 3 is 7, expected 8".
template <class T>
std::string wrong_item(std::size_t i, T got, T expected, char const* what = "item") {
  return std::string(what) + " " + std::to_string(i) + " is " + number_text(got) + ", expected " +
         number_text(expected);
}

}  // namespace libscan::apps
