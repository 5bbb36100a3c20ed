// SPDX-License-Identifier: Apache-2.0
// The counters of CPU threads: tables with a counter per place, in one of three forms: for few
// bins, for 8-bit samples, and for a great many bins. Each thread has tables of its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <apps/histogram/cpu/vector_places.hpp>
#include <libscan/bins.hpp>
#include <libscan/cpu/fixed_width.hpp>

namespace libscan::inline v1::cpu::detail {

// The places of a block of samples on a CPU: in vector registers, if there is code for the rule
// (vector_places.hpp); between given edges, by parallel searches; otherwise one by one.

/// The number of parallel searches: no branch depends on the samples, and the searches wait for
/// memory together.
inline constexpr int searches_at_once = 16;

/// Sets places[k] to the place of samples[k] for `searches_at_once` samples.
template <class Sample, class Edge>
void search_edges(edge_bins<Sample, Edge> const& rule, Sample const* samples, int* places) {
  Edge const* const edges = rule.edges();
  int const bins = rule.bins();
  int from[searches_at_once] = {};  // the sample's bin, if any, is among `left` bins from here
  // Without NaN: g++ may compare vectors by instructions that set flags for it.
  libscan::detail::sample_value<Sample> numbers[searches_at_once];
  for (int j = 0; j < searches_at_once; ++j) {
    auto const x = libscan::detail::value_of(samples[j]);
    numbers[j] = libscan::detail::is_nan(x) ? decltype(x)(0) : x;
  }
  for (int left = bins; left > 1; left -= left / 2) {
    for (int j = 0; j < searches_at_once; ++j) {
      int const middle = from[j] + left / 2;
      bool const past = libscan::detail::at_least(numbers[j], edges[middle]);
      from[j] = past ? middle : from[j];
    }
  }
  for (int j = 0; j < searches_at_once; ++j) {
    places[j] = rule.find_between(samples[j], edges[0], edges[bins], [&](auto) { return from[j]; });
  }
}

/// Finds the places of whole blocks by `rule`; `find` is its fastest form for one sample.
template <class Sample, class Rule, class Find>
class block_places {
 public:
  /// Whether a block may be checked to be all `inside`: then a sample's distance from the first bin
  /// is its place, which costs nothing to compute.
  static constexpr bool has_distances = has_inside_check<Sample, Rule>;

  block_places(Rule const& rule, Find find)
      : rule_(rule),
        find_(find),
        vector_rule_(detail::fixed_width_rule(rule)),
        vectors_(detail::best_place_finder<Sample>(rule)) {
    if constexpr (has_distances) {
      check_ = std::get<inside_code<Sample, Rule>>(best_inside_checks());
    }
  }

  bool inside(Sample const* samples) const requires has_distances {
    return check_(vector_rule_, detail::as_fixed_width(samples));
  }

  /// A function of a sample with its own copy of the rule: no increment of a counter can alias it.
  auto distances() const requires has_distances {
    return [first = static_cast<std::uint64_t>(rule_.first())](Sample sample) {
      return static_cast<index_t>(static_cast<std::uint64_t>(sample) - first);
    };
  }

  /// Sets places[k] to the place of samples[k] for k < `histogram_block`.
  void operator()(Sample const* samples, int* places) const {
    if (vectors_ != nullptr) {
      vectors_(vector_rule_, detail::as_fixed_width(samples), places);
    } else if constexpr (requires { detail::search_edges(rule_, samples, places); }) {
      for (int k = 0; k < histogram_block; k += searches_at_once) {
        detail::search_edges(rule_, samples + k, places + k);
      }
    } else {
      for (int k = 0; k < histogram_block; ++k) places[k] = find_(samples[k]);
    }
  }

 private:
  Rule const& rule_;
  Find find_;
  decltype(fixed_width_rule(std::declval<Rule const&>())) vector_rule_;
  place_code<Sample, Rule> vectors_;
  inside_code<Sample, Rule> check_ = nullptr;
};

/// Samples of a block that are counted alternately.
inline constexpr int samples_at_once = 8;

/// Whether all `items` > 1 samples at `in` have the same bits.
template <class Sample>
bool all_same(Sample const* in, index_t items) {
  // Comparing two excludes most blocks.
  return std::memcmp(in, in + 1, sizeof(Sample)) == 0 &&
         std::memcmp(in, in + items - 1, sizeof(Sample)) == 0 &&
         std::memcmp(in, in + 1, static_cast<std::size_t>(items - 1) * sizeof(Sample)) == 0;
}

/// Whether a block seems to have runs of equal samples: neighbors are equal in four places.
template <class Sample>
bool seems_sorted(Sample const* in) {
  bool equal = true;
  for (index_t i = 7; equal && i < histogram_block; i += histogram_block / 4) {
    equal = std::memcmp(in + i, in + i + 1, sizeof(Sample)) == 0;
  }
  return equal;
}

/// Prefetches samples 2 KiB after `in`: a late load would let increments of later samples overtake
/// its own, which costs far more than the wait if both have one place.
template <class Sample>
void fetch_ahead(Sample const* in) {
  __builtin_prefetch(reinterpret_cast<unsigned char const*>(in) + 2048);
}

/// Calls many(find(sample), eight) for each eight samples of a block that are all the same, and
/// each(k, place) for the others. Not inlined, since it would slow down the counting of other
/// blocks.
template <class Sample, class Find, class Many, class Each>
[[gnu::noinline]] void count_eights(Sample const* block, Find find, Many many, Each each) {
  for (index_t i = 0; i < histogram_block; i += samples_at_once) {
    detail::fetch_ahead(block + i);
    if (detail::all_same(block + i, samples_at_once)) {
      many(find(block[i]), samples_at_once);
    } else {
      for (int j = 0; j < samples_at_once; ++j) each(j, find(block[i + j]));
    }
  }
}

/// Calls each(k % 8, place_of(k)) for all k of a block.
template <class Sample, class PlaceOf, class Each>
void for_eights(Sample const* block, PlaceOf place_of, Each each) {
  for (index_t j = 0; j < histogram_block; j += samples_at_once) {
    detail::fetch_ahead(block + j);
    for (int k = 0; k < samples_at_once; ++k) each(k, place_of(j + k));
  }
}

/// Which runs of equal samples are counted together: whole blocks, or also eights if a block seems
/// sorted.
enum class equal_samples : std::uint8_t { blocks, eights };

/// Where the counters are. Near ones get places in integer bins from the samples themselves; for
/// far ones, a million, that took 1.2 times as long as precomputed places (Zen 4).
enum class counters : std::uint8_t { nearby, distant };

/// Calls many(find(sample), n) for n consecutive equal samples, and each(k, place) for the others;
/// neighbors have different k, except for the last few, with k = 0.
template <equal_samples Equal, counters Where, class Sample, class Rule, class Many, class Each>
void for_places(Sample const* in, index_t items, Rule const& rule, Many many, Each each) {
  Rule const own = rule;  // which no counter can alias
  libscan::detail::in_best_form(own, [&](auto find) {
    block_places<Sample, Rule, decltype(find)> const find_block(own, find);
    index_t i = 0;
    while (items - i >= histogram_block) {
      if (detail::all_same(in + i, histogram_block)) {
        many(find(in[i]), histogram_block);
        i += histogram_block;
        continue;
      }
      if constexpr (Equal == equal_samples::eights) {
        if (detail::seems_sorted(in + i)) {
          detail::count_eights(in + i, find, many, each);
          i += histogram_block;
          continue;
        }
      }
      if constexpr (Where == counters::nearby && find_block.has_distances) {
        if (find_block.inside(in + i)) {
          auto const distance = find_block.distances();
          detail::for_eights(
              in + i, [=](index_t k) { return distance(in[i + k]); }, each);
          i += histogram_block;
          continue;
        }
      }
      int places[histogram_block];
      find_block(in + i, places);
      detail::for_eights(
          in + i, [&](index_t k) { return index_t{places[k]}; }, each);
      i += histogram_block;
    }
    for (; i < items; ++i) each(0, find(in[i]));
  });
}

/// The most samples before 16-bit counters are added up: half of them may go to one counter, plus a
/// block.
inline constexpr index_t histogram_chunk = index_t{1} << 16;

/// Copies of a table; the counters of a place are `stride` counters apart. The distance is not a
/// multiple of 4 KiB, at which processors first assume equal addresses.
template <int Copies, int Stride>
struct table_form {
  static constexpr int copies = Copies;
  static constexpr int stride = Stride;
};

/// The tables of one thread: the count of every place, and if there are few places, 16-bit counters
/// in alternating copies, so that none is read while its last increment is still being stored.
/// Copies fill half of a 32 KiB L1 cache: all of it took 1.3 times as long (Zen 4).
class place_tables {
 public:
  explicit place_tables(int places) : counts_(static_cast<std::size_t>(places)) {
    in_form(
        [this](auto form) { copies_.resize(static_cast<std::size_t>(form.copies) * form.stride); });
  }

  /// Counts [in, in + items), at most `histogram_chunk`; fewer than 2^32 in total.
  template <class Sample, class Rule>
  void count(Sample const* in, index_t items, Rule const& rule) {
    std::uint32_t* const counts = counts_.data();
    std::uint16_t* const copies = copies_.data();
    in_form([&](auto form) {
      detail::for_places<equal_samples::blocks, counters::nearby>(
          in, items, rule,
          [=](index_t place, index_t n) { counts[place] += static_cast<std::uint32_t>(n); },
          [=](int k, index_t place) {
            if constexpr (form.copies == 0) {
              ++counts[place];
            } else {
              ++copies[k % form.copies * form.stride + place];
            }
          });
      for (int c = 0; c < form.copies; ++c) {
        std::uint16_t const* const copy = copies + c * form.stride;
        for (std::size_t p = 0; p < counts_.size(); ++p) counts[p] += copy[p];
      }
    });
    std::fill(copies_.begin(), copies_.end(), std::uint16_t{0});
  }

  /// Calls add(place, count) for every place with samples, and resets the counters.
  template <class Add>
  void take(Add add) {
    for (std::size_t p = 0; p < counts_.size(); ++p) {
      if (counts_[p] != 0) add(static_cast<int>(p), std::exchange(counts_[p], 0u));
    }
  }

 private:
  /// Calls body(form) with the form that has space for all places.
  template <class Body>
  void in_form(Body body) const {
    if (counts_.size() <= 1056) {
      body(table_form<8, 1056>{});
    } else if (counts_.size() <= 2112) {
      body(table_form<4, 2112>{});
    } else if (counts_.size() <= 4224) {
      body(table_form<2, 4224>{});
    } else {
      body(table_form<0, 0>{});
    }
  }

  std::vector<std::uint32_t> counts_;
  std::vector<std::uint16_t> copies_;
};

/// The same for 8-bit samples: counts values, eight at a time, each in a table of its own; places
/// are computed at the end.
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
        if (i % 64 == 0) fetch_ahead(bytes + i);
        for (index_t j = 0; j < width; ++j) ++tables_[static_cast<std::size_t>(j)][bytes[i + j]];
      }
    }
    for (; i < items; ++i) ++tables_[0][bytes[i]];
  }

  /// Calls add(place, count) for every value with samples, and resets the counters.
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
  // Four tables of 256 counters would be 4 KiB.
  std::array<std::array<std::uint32_t, 272>, width> tables_{};
};

/// The table of one thread for a great many places: an 8-bit counter each, a quarter of the memory
/// for random increments. Overflows of counters are recorded separately, for a few places at a
/// time.
class narrow_table {
 public:
  /// Undefined until `clear`.
  explicit narrow_table(int places)
      : counters_(std::make_unique_for_overwrite<std::uint8_t[]>(static_cast<std::size_t>(places))),
        losses_(std::make_unique<std::array<loss, max_losses>>()) {}

  /// Sets counters [begin, end) to 0.
  void clear(index_t begin, index_t end) {
    std::memset(counters_.get() + begin, 0, static_cast<std::size_t>(end - begin));
  }

  std::uint8_t const* counters() const { return counters_.get(); }

  /// Counts [in, in + items); calls carry(place, count) for overflows that cannot be recorded.
  template <class Sample, class Rule, class Carry>
  void count(Sample const* in, index_t items, Rule const& rule, Carry carry) {
    static_assert(histogram_block < wrap);
    std::uint8_t* const table = counters_.get();
    detail::for_places<equal_samples::eights, counters::distant>(
        in, items, rule,
        [this, table, &carry](index_t place, index_t n) {
          table[place] = static_cast<std::uint8_t>(table[place] + n);
          if (table[place] < n) lose(place, carry);
        },
        [this, table, &carry](int, index_t place) {
          if (++table[place] == 0) [[unlikely]]
            lose(place, carry);
        });
  }

  /// Calls add(place, count) for all recorded overflows.
  template <class Add>
  void take_losses(Add add) {
    for (loss& one : *losses_) {
      if (one.count != 0) add(one.place, std::exchange(one.count, 0u));
    }
  }

 private:
  static constexpr int wrap = 256;
  static constexpr int max_losses = 1024;
  struct loss {
    int place = 0;
    std::uint64_t count = 0;
  };

  template <class Carry>
  [[gnu::noinline]] void lose(index_t place, Carry& carry) {
    loss& one = (*losses_)[static_cast<std::size_t>(place % max_losses)];
    if (one.place != place) {
      if (one.count != 0) carry(one.place, one.count);
      one = {static_cast<int>(place), 0};
    }
    one.count += wrap;
  }

  std::unique_ptr<std::uint8_t[]> counters_;
  std::unique_ptr<std::array<loss, max_losses>> losses_;
};

}  // namespace libscan::inline v1::cpu::detail
