// SPDX-License-Identifier: Apache-2.0
// Filters plain rows of text on the threads that read them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <apps/common/dtype.hpp>
#include <apps/common/plain_rows.hpp>
#include <apps/common/steps.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/filter.hpp>
#include <libscan/predicate_parser.hpp>

namespace libscan::apps {

/// The rows of parts of a text that a predicate keeps, and all others.
class plain_filter {
 public:
  /// For parts on that many threads. `tree` must outlive this object. `split`: whether the other
  /// rows are wanted, too.
  plain_filter(expression const& tree, bool split, int threads)
      : tree_(tree), split_(split), parts_(static_cast<std::size_t>(threads)) {}

  /// What is kept of a part, with all LF. Valid until the next part in this slot.
  struct part {
    index_t count = 0;  ///< of kept rows
    std::string_view kept, rejected;
  };
  part const& operator[](std::size_t slot) const { return parts_[slot].result; }

  /// The time that filtering took so far, if the threads share it.
  double seconds() const {
    double all = 0;
    for (buffers const& each : parts_) all += each.seconds;
    return all / static_cast<double>(parts_.size());
  }

  /// Filters rows by numbers of this type, in `columns[0]`. May run for different slots at once.
  void filter(plain_rows const& rows, dtype type, std::size_t slot) {
    buffers& to = parts_[slot];
    timed(to.seconds, [&] {
      to.positions.resize(std::max(to.positions.size(), rows.count));
      to.result.count = visit_item_type(type, [&]<class T>(std::type_identity<T>) {
        return positions<T>(rows.columns[0].numbers, to);
      });
      copy(rows, to);
    });
  }

 private:
  struct buffers {
    std::vector<std::byte> numbers;
    std::vector<index_t> positions;
    std::vector<char> kept, rejected;
    part result;
    double seconds = 0;
  };

  /// Finds the positions of numbers that are kept, and returns how many there are.
  template <class T>
  index_t positions(std::span<std::uint64_t const> numbers, buffers& to) const {
    to.numbers.resize(std::max(to.numbers.size(), numbers.size() * sizeof(T)));
    auto* const items = reinterpret_cast<T*>(to.numbers.data());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::memcpy(items + i, &numbers[i], sizeof(T));  // the low bits
    }
    return filter_indices(engine::cpu(1), std::span<T const>(items, numbers.size()), to.positions,
                          bind_predicate<T>(tree_));
  }

  /// Copies the rows, all that follow each other at once.
  void copy(plain_rows const& rows, buffers& to) const {
    std::size_t const n = static_cast<std::size_t>(to.result.count);
    std::span<index_t const> const kept = std::span(to.positions).first(n);
    to.kept.resize(std::max(to.kept.size(), rows.bytes));
    if (split_) to.rejected.resize(to.kept.size());
    char *kept_end = to.kept.data(), *rejected_end = to.rejected.data();
    auto const put = [&](std::size_t from, std::size_t end, char*& at) {
      std::memcpy(at, rows.begin + from, end - from);
      at += end - from;
    };
    std::size_t before = 0;  // the end of the last rows
    for (std::size_t i = 0; i < n;) {
      std::size_t const first = i;
      while (++i < n && kept[i] == kept[i - 1] + 1) {
      }
      std::size_t const begin = rows.place(static_cast<std::size_t>(kept[first]));
      if (split_) put(before, begin, rejected_end);
      before = rows.place(static_cast<std::size_t>(kept[i - 1]) + 1);
      put(begin, before, kept_end);
    }
    if (split_) put(before, rows.bytes, rejected_end);
    auto const text = [](std::vector<char> const& from, char const* end) {
      return std::string_view(from.data(), static_cast<std::size_t>(end - from.data()));
    };
    to.result.kept = text(to.kept, kept_end);
    to.result.rejected = text(to.rejected, rejected_end);
  }

  expression const& tree_;
  bool split_;
  std::vector<buffers> parts_;
};

}  // namespace libscan::apps
