// SPDX-License-Identifier: Apache-2.0
// One stable sort per key, from the last to the first. Strings: an MSD radix sort, seven bytes per
// step.
#include <apps/radix_sort/program/sort_columns.hpp>

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <vector>

#include <apps/common/lazy_buffer.hpp>
#include <apps/radix_sort/core/key_order.hpp>

namespace libscan::apps {

namespace {

constexpr std::size_t step = 7;            // bytes of a word in a key
constexpr std::uint64_t more_follows = 8;  // the last byte of a key: how many bytes it has, or this
constexpr std::size_t max_compared = 48;   // larger groups are sorted by keys

/// Words that agree in their first `depth` bytes.
struct group {
  std::size_t begin, end, depth;
};

/// The next bytes of a word, the first highest, and below them how many there are. So a word that
/// ends precedes those that go on with zeros.
std::uint64_t key_at(std::string_view word, std::size_t depth) {
  std::size_t const left = word.size() - depth;
  std::uint64_t bytes = 0;
  if (left > step) {
    std::memcpy(&bytes, word.data() + depth, sizeof bytes);
    return (__builtin_bswap64(bytes) & ~std::uint64_t{255}) | more_follows;
  }
  std::memcpy(&bytes, word.data() + depth, left);
  return __builtin_bswap64(bytes) | left;
}

class word_sort {
 public:
  word_sort(engine const& on, std::span<std::string_view const> words, std::span<index_t> positions,
            sort_direction direction)
      : on_(on), words_(words), positions_(positions), keys_(positions.size()) {
    options_.direction = direction;
  }

  void run() {
    open_.push_back({0, positions_.size(), 0});
    while (!open_.empty()) {
      group const one = open_.back();
      open_.pop_back();
      if (one.end - one.begin <= max_compared) {
        compare(one);
      } else {
        sort_by_keys(one);
      }
    }
  }

 private:
  std::string_view word(index_t position) const {
    return words_[static_cast<std::size_t>(position)];
  }

  void compare(group const& one) {
    bool const descending = options_.direction == sort_direction::descending;
    auto const part = positions_.subspan(one.begin, one.end - one.begin);
    std::stable_sort(part.begin(), part.end(), [&](index_t a, index_t b) {
      std::string_view const x = word(a).substr(one.depth);
      std::string_view const y = word(b).substr(one.depth);
      return descending ? y < x : x < y;
    });
  }

  void sort_by_keys(group const& one) {
    std::size_t const n = one.end - one.begin;
    auto const keys = keys_.items().subspan(one.begin, n);
    auto const part = positions_.subspan(one.begin, n);
    constexpr std::size_t ahead = 16;  // words are at random places
    bool same = true;
    for (std::size_t i = 0; i < n; ++i) {
      if (i + 2 * ahead < n)
        __builtin_prefetch(&words_[static_cast<std::size_t>(part[i + 2 * ahead])]);
      if (i + ahead < n) __builtin_prefetch(word(part[i + ahead]).data() + one.depth);
      keys[i] = key_at(word(part[i]), one.depth);
      same = same && keys[i] == keys[0];
    }
    if (!same) sort_pairs(on_, keys, keys, part, part, options_);
    for (std::size_t begin = 0; begin < n;) {
      std::size_t end = begin + 1;
      while (end < n && keys[end] == keys[begin]) ++end;
      bool const ended = (keys[begin] & 255) != more_follows;
      if (!ended && end - begin > 1) {
        open_.push_back({one.begin + begin, one.begin + end, one.depth + step});
      }
      begin = end;
    }
  }

  engine const& on_;
  std::span<std::string_view const> words_;
  std::span<index_t> positions_;
  sort_options options_;
  lazy_buffer<std::uint64_t> keys_;
  std::vector<group> open_;  // a stack, since words may agree in any number of bytes
};

}  // namespace

void sort_words(engine const& on, std::span<std::string_view const> words,
                std::span<index_t> positions, sort_direction direction) {
  word_sort(on, words, positions, direction).run();
}

namespace {

bool is_descending(key_column const& key, column_order const& order) {
  return key.how.descending.value_or(order.descending);
}

/// Sorts `positions` by the numbers there.
void sort_numbers(engine const& on, array const& numbers, std::span<index_t> positions,
                  sort_options const& options) {
  visit_item_type(numbers.type, [&]<class T>(std::type_identity<T>) {
    auto const all = numbers.values<T>();
    lazy_buffer<T> buffer(positions.size());
    auto const keys = buffer.items();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = all[static_cast<std::size_t>(positions[i])];
    }
    sort_pairs(on, keys, keys, positions, positions, options);
  });
}

/// How row `a` compares with row `b` by one key, ascending; NaN is above all numbers. Without
/// regard to missing values.
std::strong_ordering compare(key_column const& key, std::size_t a, std::size_t b) {
  if (key.how.kind == cell_kind::text) return key.words[a].compare(key.words[b]) <=> 0;
  auto const by = [&](array const& numbers) {
    return visit_item_type(numbers.type, [&]<class T>(std::type_identity<T>) {
      T const x = numbers.values<T>()[a], y = numbers.values<T>()[b];
      if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(x) || std::isnan(y)) return std::isnan(x) <=> std::isnan(y);
      }
      return x < y   ? std::strong_ordering::less
             : y < x ? std::strong_ordering::greater
                     : std::strong_ordering::equal;
    });
  };
  std::strong_ordering const found = by(key.numbers);
  return found == 0 && key.nanoseconds.count() > 0 ? by(key.nanoseconds) : found;
}

bool is_missing(key_column const& key, std::size_t row) {
  return !key.missing.empty() && key.missing[row] != 0;
}

bool is_nan(key_column const& key, std::size_t row) {
  if (key.how.kind != cell_kind::number || is_missing(key, row)) return false;
  return visit_item_type(key.numbers.type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_floating_point_v<T>) return std::isnan(key.numbers.values<T>()[row]);
    return false;
  });
}

/// A number as bytes, the highest first.
template <class Word>
void append_word(Word word, std::string& to) {
  for (std::size_t shift = 8 * sizeof word; shift > 0;) {
    shift -= 8;
    to += static_cast<char>(word >> shift & 255);
  }
}

/// Any number in the order of numbers: its float64, and what is missing from there to an integer
/// that float64 rounds.
template <class T>
void append_number(T number, std::string& to) {
  auto const nearest = static_cast<double>(number);
  append_word(sort_order<double>{}.word(nearest), to);
  if (!(std::abs(nearest) >= 0x1p53)) return;  // all below are exact
  constexpr int middle = 1 << 15;
  int rest = 0;
  if constexpr (std::is_integral_v<T>) {
    __extension__ using wide = __int128;
    rest = static_cast<int>(static_cast<wide>(number) - static_cast<wide>(nearest));
  }
  append_word(static_cast<std::uint16_t>(rest + middle), to);
}

/// Text, with an end that precedes all characters: a zero is followed by 255, the end by a zero.
void append_text(std::string_view word, std::string& to) {
  for (std::size_t zero; (zero = word.find('\0')) != std::string_view::npos;) {
    to += word.substr(0, zero + 1);
    to += '\xff';
    word.remove_prefix(zero + 1);
  }
  to += word;
  to.append(2, '\0');
}

void append_key(key_column const& key, std::size_t row, std::string& to) {
  if (key.how.kind == cell_kind::text) return append_text(key.words[row], to);
  if (key.how.kind == cell_kind::date) {
    append_word(sort_order<std::int64_t>{}.word(key.numbers.values<std::int64_t>()[row]), to);
    bool const fraction = key.nanoseconds.count() > 0;
    return append_word(fraction ? key.nanoseconds.values<std::uint32_t>()[row] : 0u, to);
  }
  visit_item_type(key.numbers.type, [&]<class T>(std::type_identity<T>) {
    append_number(key.numbers.values<T>()[row], to);
  });
}

}  // namespace

bool append_key_bytes(std::span<key_column const> keys, column_order const& order, std::size_t row,
                      std::string& to) {
  bool comparable = true;
  for (key_column const& key : keys) {
    if (order.may_miss && key.how.kind != cell_kind::text) {
      bool const missing = is_missing(key, row);
      to += static_cast<char>(missing != order.missing_first ? 1 : 0);
      if (missing) continue;
    }
    std::size_t const begin = to.size();
    append_key(key, row, to);
    comparable = comparable && !is_nan(key, row);
    if (!is_descending(key, order)) continue;
    for (std::size_t i = begin; i < to.size(); ++i) to[i] = static_cast<char>(~to[i]);
  }
  return comparable;
}

bool are_columns(std::vector<column_key> const& keys, missing_rule const& missing) {
  using choice = missing_rule::choice;
  return missing.what == choice::first || missing.what == choice::last || keys.size() > 1 ||
         std::any_of(keys.begin(), keys.end(),
                     [](column_key const& key) { return key.kind != cell_kind::number; });
}

void order_by_columns(engine const& on, std::span<key_column const> keys, column_order const& order,
                      std::span<index_t> positions) {
  std::iota(positions.begin(), positions.end(), index_t{0});
  for (std::size_t k = keys.size(); k-- > 0;) {
    key_column const& key = keys[k];
    sort_options options;
    options.direction =
        is_descending(key, order) ? sort_direction::descending : sort_direction::ascending;
    if (key.how.kind == cell_kind::text) {
      sort_words(on, key.words, positions, options.direction);
    } else {
      if (key.nanoseconds.count() > 0) sort_numbers(on, key.nanoseconds, positions, options);
      sort_numbers(on, key.numbers, positions, options);
    }
    if (key.missing.empty()) continue;
    std::stable_partition(positions.begin(), positions.end(), [&](index_t row) {
      return is_missing(key, static_cast<std::size_t>(row)) == order.missing_first;
    });
  }
}

bool same_keys(std::span<key_column const> keys, std::size_t a, std::size_t b) {
  return std::all_of(keys.begin(), keys.end(), [&](key_column const& key) {
    if (is_missing(key, a) || is_missing(key, b)) return is_missing(key, a) == is_missing(key, b);
    return !is_nan(key, a) && compare(key, a, b) == 0;
  });
}

std::vector<index_t> expected_order(std::span<key_column const> keys, column_order const& order,
                                    std::size_t n, bool unique) {
  std::vector<index_t> rows(n);
  std::iota(rows.begin(), rows.end(), index_t{0});
  std::stable_sort(rows.begin(), rows.end(), [&](index_t x, index_t y) {
    auto const a = static_cast<std::size_t>(x), b = static_cast<std::size_t>(y);
    for (key_column const& key : keys) {
      bool const lacks = is_missing(key, a);
      if (lacks != is_missing(key, b)) return lacks == order.missing_first;
      std::strong_ordering const found = lacks ? std::strong_ordering::equal : compare(key, a, b);
      if (found != 0) return is_descending(key, order) ? found > 0 : found < 0;
    }
    return false;
  });
  if (unique) {
    auto const same = [&](index_t a, index_t b) {
      return same_keys(keys, static_cast<std::size_t>(a), static_cast<std::size_t>(b));
    };
    rows.erase(std::unique(rows.begin(), rows.end(), same), rows.end());
  }
  return rows;
}

}  // namespace libscan::apps
