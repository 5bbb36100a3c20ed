// SPDX-License-Identifier: Apache-2.0
// Where CPU threads count: tables with a counter for every place, in one of three forms for few
// bins, for samples of 8 bits, and for a great many bins. A thread counts in tables of its own.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <apps/histogram/bins.hpp>

namespace libscan::inline v1::cpu::detail {

/// Samples that are looked at together: all the same, or not.
inline constexpr index_t histogram_block = 128;

/// Samples of a block that are looked at together in turn: all in bins, or not.
inline constexpr index_t histogram_part = 32;

/// Samples of a part that are counted in turn.
inline constexpr int samples_at_once = 8;

/// Whether all `items` > 1 samples at `in` have the same bits.
template <class Sample>
bool all_same(Sample const* in, index_t items) {
  // A look at two spares most blocks the rest.
  return std::memcmp(in, in + 1, sizeof(Sample)) == 0 &&
         std::memcmp(in, in + items - 1, sizeof(Sample)) == 0 &&
         std::memcmp(in, in + 1, static_cast<std::size_t>(items - 1) * sizeof(Sample)) == 0;
}

/// The same for the few that are counted in turn: of numbers without a branch for each.
template <class Sample>
bool few_same(Sample const* in) {
  if constexpr (std::is_arithmetic_v<Sample> && sizeof(Sample) > 1) {
    using bits =
        std::conditional_t<sizeof(Sample) == 8, std::uint64_t,
                           std::conditional_t<sizeof(Sample) == 4, std::uint32_t, std::uint16_t>>;
    bits sample[samples_at_once], differences = 0;
    std::memcpy(sample, in, sizeof(sample));
    for (bits const one : sample) differences |= static_cast<bits>(one ^ sample[0]);
    return differences == 0;
  } else {
    return all_same(in, samples_at_once);
  }
}

/// Fetches `bytes` 1 KiB behind `in`: a late sample would let increments of later ones overtake its
/// own, which costs far more than the wait where both are of one place.
inline void fetch_ahead(void const* in, std::size_t bytes) {
  for (std::size_t b = 0; b < bytes; b += 64) {
    __builtin_prefetch(static_cast<unsigned char const*>(in) + 1024 + b);
  }
}

/// Whether a rule numbers samples as `integer_bins` does: its bins are the numbers up to last().
template <class Rule, class Sample>
concept numbers_samples = requires(Rule const rule, Sample const sample) {
  rule.number(sample);
  rule.last();
};

/// Whether all samples of a part are in bins: without a branch for each.
template <class Sample, class Rule>
bool all_in_bins(Sample const* in, Rule const& rule) {
  auto const last = rule.last();
  int outside = 0;
  for (index_t j = 0; j < histogram_part; ++j) outside |= rule.number(in[j]) > last ? 1 : 0;
  return outside == 0;
}

/// Which equal samples in a row are counted at once: whole blocks, or also the few counted in turn.
enum class equal_samples : std::uint8_t { blocks, few };

/// Calls many(find(sample), n) for n samples in a row that are all the same, and each(k, place) for
/// the others, of which k is the number modulo eight.
template <equal_samples Equal, class Sample, class Rule, class Many, class Each>
void for_places(Sample const* in, index_t items, Rule const& rule, Many many, Each each) {
  Rule const own = rule;  // which no counter can be part of
  auto const count_part = [&](Sample const* part, auto find) {
    for (index_t i = 0; i < histogram_part; i += samples_at_once) {
      if constexpr (Equal == equal_samples::few) {
        if (few_same(part + i)) {
          many(find(part[i]), samples_at_once);
          continue;
        }
      }
      int place[samples_at_once];
      for (int j = 0; j < samples_at_once; ++j) place[j] = find(part[i + j]);
      for (int j = 0; j < samples_at_once; ++j) each(j, place[j]);
    }
  };
  libscan::detail::in_best_form(own, [&](auto find) {
    index_t i = 0;
    while (items - i >= histogram_block) {
      if (all_same(in + i, histogram_block)) {
        many(find(in[i]), histogram_block);
        i += histogram_block;
        continue;
      }
      for (index_t const end = i + histogram_block; i < end; i += histogram_part) {
        fetch_ahead(in + i, histogram_part * sizeof(Sample));
        if constexpr (numbers_samples<Rule, Sample>) {
          if (all_in_bins(in + i, own)) {
            count_part(in + i, [&own](Sample x) { return static_cast<int>(own.number(x)); });
            continue;
          }
        }
        count_part(in + i, find);
      }
    }
    for (; i < items; ++i) each(0, find(in[i]));
  });
}

/// Bytes of a core's nearest cache, as the system says; a small one's where it does not.
inline std::size_t first_level_bytes() {
  static std::size_t const bytes = [] {
    long said = 0;
#ifdef _SC_LEVEL1_DCACHE_SIZE
    said = sysconf(_SC_LEVEL1_DCACHE_SIZE);
#endif
    return said > 0 ? static_cast<std::size_t>(said) : std::size_t{1} << 15;
  }();
  return bytes;
}

/// The tables of one thread: a counter of 32 bits for every place, in copies that take turns, so
/// that a counter is not read while its last increment is still on the way to memory. As many
/// copies as leave the nearest cache room for samples.
class place_tables {
 public:
  explicit place_tables(int places) : places_(static_cast<std::size_t>(places)) {
    // An odd number of cache lines: no two counters of a place are a multiple of 4 KiB apart, which
    // processors take for the same at first.
    constexpr std::size_t line = 64 / sizeof(std::uint32_t);
    stride_ = ((places_ + line - 1) / line | 1) * line;
    std::size_t const room = first_level_bytes() / 4 * 3 / sizeof(std::uint32_t);
    copies_ = 8 * stride_ <= room ? 8 : 4 * stride_ <= room ? 4 : 2 * stride_ <= room ? 2 : 1;
    tables_.resize(copies_ * stride_);
  }

  /// Counts [in, in + items); together with what came before, less than 2^32.
  template <class Sample, class Rule>
  void count(Sample const* in, index_t items, Rule const& rule) {
    if (copies_ == 8) {
      count_in<8>(in, items, rule);
    } else if (copies_ == 4) {
      count_in<4>(in, items, rule);
    } else if (copies_ == 2) {
      count_in<2>(in, items, rule);
    } else {
      count_in<1>(in, items, rule);
    }
  }

  /// Calls add(place, count) for every place with samples, and begins anew.
  template <class Add>
  void take(Add add) {
    for (std::size_t p = 0; p < places_; ++p) {
      std::uint64_t sum = 0;
      for (std::size_t c = 0; c < copies_; ++c) sum += std::exchange(tables_[c * stride_ + p], 0u);
      if (sum != 0) add(static_cast<int>(p), sum);
    }
  }

 private:
  template <int Copies, class Sample, class Rule>
  void count_in(Sample const* in, index_t items, Rule const& rule) {
    std::uint32_t* const table = tables_.data();
    std::size_t const stride = stride_;
    for_places<equal_samples::blocks>(
        in, items, rule,
        [&](int place, index_t n) { table[place] += static_cast<std::uint32_t>(n); },
        [&](int j, int place) { ++table[static_cast<std::size_t>(j % Copies) * stride + place]; });
  }

  std::size_t places_, stride_, copies_;
  std::vector<std::uint32_t> tables_;
};

/// The same for samples of 8 bits: counts values, eight of which arrive at once, each for a table
/// of its own; places follow in the end.
class byte_tables {
 public:
  static constexpr int width = 8;

  template <class Sample, class Rule>
  void count(Sample const* in, index_t items, Rule const& /*rule*/) {
    static_assert(sizeof(Sample) == 1);
    auto const* const bytes = reinterpret_cast<unsigned char const*>(in);
    index_t i = 0;
    while (items - i >= histogram_block) {
      if (all_same(bytes + i, histogram_block)) {
        tables_[0][bytes[i]] += static_cast<std::uint32_t>(histogram_block);
        i += histogram_block;
        continue;
      }
      for (index_t const end = i + histogram_block; i < end; i += width) {
        if (i % 64 == 0) fetch_ahead(bytes + i, 64);
        for (index_t j = 0; j < width; ++j) ++tables_[static_cast<std::size_t>(j)][bytes[i + j]];
      }
    }
    for (; i < items; ++i) ++tables_[0][bytes[i]];
  }

  /// Calls add(place, count) for every value with samples, and begins anew.
  template <class Sample, class Rule, class Add>
  void take(Rule const& rule, Add add) {
    for (std::size_t value = 0; value < 256; ++value) {
      std::uint64_t sum = 0;
      for (auto& table : tables_) sum += std::exchange(table[value], 0u);
      auto const byte = static_cast<unsigned char>(value);
      Sample sample;
      std::memcpy(&sample, &byte, 1);
      if (sum != 0) add(rule.find(sample), sum);
    }
  }

 private:
  std::array<std::array<std::uint32_t, 256>, width> tables_{};
};

/// The table of one thread for a great many places: a counter of 8 bits each, a quarter of the
/// memory that increments here and there would have to reach. What a counter loses when it begins
/// anew is kept aside, for a few places at a time.
class narrow_table {
 public:
  /// Undefined until `clear`.
  explicit narrow_table(int places)
      : counters_(std::make_unique_for_overwrite<std::uint8_t[]>(static_cast<std::size_t>(places))),
        losses_(std::make_unique<std::array<loss, most_losses>>()) {}

  /// Sets counters [begin, end) to 0.
  void clear(index_t begin, index_t end) {
    std::memset(counters_.get() + begin, 0, static_cast<std::size_t>(end - begin));
  }

  std::uint8_t const* counters() const { return counters_.get(); }

  /// Counts [in, in + items); calls carry(place, count) for losses there is no room for.
  template <class Sample, class Rule, class Carry>
  void count(Sample const* in, index_t items, Rule const& rule, Carry carry) {
    static_assert(histogram_block < wrap);
    std::uint8_t* const table = counters_.get();
    for_places<equal_samples::few>(
        in, items, rule,
        [&](int place, index_t n) {
          table[place] = static_cast<std::uint8_t>(table[place] + n);
          if (table[place] < n) lose(place, carry);
        },
        [&](int, int place) {
          if (++table[place] == 0) [[unlikely]]
            lose(place, carry);
        });
  }

  /// Calls add(place, count) for all losses that are left.
  template <class Add>
  void take_losses(Add add) {
    for (loss& one : *losses_) {
      if (one.count != 0) add(one.place, std::exchange(one.count, 0u));
    }
  }

 private:
  static constexpr int wrap = 256;
  static constexpr int most_losses = 1024;
  struct loss {
    int place = 0;
    std::uint64_t count = 0;
  };

  template <class Carry>
  [[gnu::noinline]] void lose(int place, Carry& carry) {
    loss& one = (*losses_)[static_cast<std::size_t>(place % most_losses)];
    if (one.place != place) {
      if (one.count != 0) carry(one.place, one.count);
      one = {place, 0};
    }
    one.count += wrap;
  }

  std::unique_ptr<std::uint8_t[]> counters_;
  std::unique_ptr<std::array<loss, most_losses>> losses_;
};

}  // namespace libscan::inline v1::cpu::detail
