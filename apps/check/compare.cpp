// SPDX-License-Identifier: Apache-2.0
// Comparing results with the expected ones.
#include <algorithm>
#include <atomic>
#include <cstring>

#include <apps/check/oracle.hpp>
#include <apps/check/parallel.hpp>
#include <apps/common/number.hpp>
#include <apps/common/verifiers.hpp>

namespace libscan::apps {
namespace {

/// The first i in [0, n) with differs(i); n if there is none. Uses all cores.
template <class Differs>
index_t first_of(index_t n, Differs const& differs) {
  std::atomic<index_t> first{n};
  in_pieces(n, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i) {
      if (!differs(i)) continue;
      index_t known = first.load();
      while (i < known && !first.compare_exchange_weak(known, i)) {
      }
      return;
    }
  });
  return first.load();
}

template <class T>
std::string text_of(T value) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof bytes);
  bool const untouched = std::all_of(std::begin(bytes), std::end(bytes),
                                     [](unsigned char byte) { return byte == canary; });
  return number_text(value) + (untouched ? " (as before the call)" : "");
}

constexpr char const* words_for(slot which) {
  constexpr char const* names[] = {"item",     "rejected item", "value",      "flag",  "word",
                                   "position", "length",        "key",        "count", "total",
                                   "edge",     "count of bin",  "sum of bin", "row",   "component",
                                   "spare",    "spare value"};
  return names[static_cast<int>(which)];
}

template <class T>
std::string difference_in(slot which, placed expected, placed got, double const* tolerance,
                          bool scanned) {
  T const* const wanted = expected.at<T>(which);
  T const* const found = got.at<T>(which);
  int const words = expected.where[which].words;
  index_t const n = expected.size(which) * words;
  index_t const i = first_of(n, [&](index_t k) {
    return !agree(wanted[k], found[k], {scanned, tolerance == nullptr ? 0 : tolerance[k]});
  });
  if (i == n) return "";
  std::string text = words_for(which);
  if (n > 1 || (which != slot::count && which != slot::total)) {
    text += " " + std::to_string(i / words);
  }
  if (words > 1) text += ", word " + std::to_string(i % words);
  text += ": expected " + text_of(wanted[i]);
  if (tolerance != nullptr && tolerance[i] != 0) text += " +- " + number_text(tolerance[i]);
  return text + ", got " + text_of(found[i]);
}

/// Checks that bytes [begin, end) are canaries.
std::string damage(placed got, std::size_t begin, std::size_t end) {
  auto const* const bytes = reinterpret_cast<unsigned char const*>(got.base);
  for (std::size_t at = begin; at < end; ++at) {
    if (bytes[at] == canary) continue;
    return "byte " + std::to_string(at) +
           " of the outputs' memory, where no output is, was written";
  }
  return "";
}

}  // namespace

std::string first_difference(check_case const& c, placed expected, placed got,
                             tolerances const& allowed) {
  bool const scanned = family_of(c.what) <= family::segmented;
  std::size_t past = 0;
  // The count first: it explains what else is wrong.
  for (slot const which : {slot::count, slot::items, slot::total, slot::others, slot::values,
                           slot::places, slot::lengths, slot::keys, slot::counts, slot::sums}) {
    if (!expected.where.has(which)) continue;
    double const* tolerance = nullptr;
    if (!allowed.empty() && (which == slot::items || which == slot::sums))
      tolerance = allowed.data();
    if (!allowed.empty() && which == slot::total) {
      tolerance = allowed.data() + c.n * words_of_item(c);
    }
    auto const found =
        visit_item_type(expected.where[which].type, [&]<class T>(std::type_identity<T>) {
          return difference_in<T>(which, expected, got, tolerance, scanned);
        });
    if (!found.empty()) return found;
  }
  // Arrays were added in the order of slots or of their tasks: sort them by address to check the
  // gaps.
  std::vector<layout::array> arrays;
  for (int s = 0; s < slot_count; ++s) {
    if (got.where.has(static_cast<slot>(s))) arrays.push_back(got.where[static_cast<slot>(s)]);
  }
  std::sort(arrays.begin(), arrays.end(),
            [](auto const& a, auto const& b) { return a.begin < b.begin; });
  for (layout::array const& a : arrays) {
    if (auto const found = damage(got, past, a.begin); !found.empty()) return found;
    past = a.end();
  }
  return damage(got, past, got.where.bytes());
}

}  // namespace libscan::apps
