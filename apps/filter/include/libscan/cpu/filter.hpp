// SPDX-License-Identifier: Apache-2.0
// The filter on CPU threads, by any rule. Each chunk of the input is packed into a private buffer
// without a branch; the chain of chunks is the scan of the chunks' counts, which gives each chunk
// its place in the output. Every item crosses memory once.
#pragma once

#include <algorithm>
#include <cfenv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include <apps/filter/cpu/rules.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/light_memory.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/read_ahead.hpp>
#include <libscan/cpu/small_buffer.hpp>
#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_pack.hpp>

namespace libscan::inline v1::cpu::detail {

/// Invalid floating-point operations of this thread set no flag and do not trap, until the end of
/// the scope: compilers make vectors of quiet comparisons that do both for NaN.
class invalid_is_quiet {
 public:
  invalid_is_quiet() {
#ifdef __SSE__
    _mm_setcsr(before_ | _MM_MASK_INVALID);
#else
    std::feholdexcept(&before_);
#endif
  }
  invalid_is_quiet(invalid_is_quiet const&) = delete;
  ~invalid_is_quiet() {
#ifdef __SSE__
    constexpr unsigned invalid = _MM_MASK_INVALID | _MM_EXCEPT_INVALID;
    _mm_setcsr((_mm_getcsr() & ~invalid) | (before_ & invalid));
#else
    int const others = std::fetestexcept(FE_ALL_EXCEPT & ~FE_INVALID);
    std::fesetenv(&before_);
    if (others != 0) std::feraiseexcept(others);
#endif
  }

 private:
#ifdef __SSE__
  unsigned before_ = _mm_getcsr();
#else
  std::fenv_t before_{};
#endif
};

struct needs_nothing {};

/// What a thread needs while it marks items by a rule.
template <class Rule>
struct marking_state {
  using type = invalid_is_quiet;
};
template <class Rule>
requires(Rule::compares_no_floats) struct marking_state<Rule> {
  using type = needs_nothing;
};

// One chunk of a filter on a CPU, on one core: its items are marked and packed into a buffer of the
// thread, a block at a time, and copied to their places when those are known.

/// Calls take(i, items, flags) for blocks of items i, i + 1, ... that make up chunk `c`, where
/// `flags` say which of them `rule` keeps; and take(i, items, nullptr) where it keeps none. First a
/// loop over the rule, in vector instructions, then one that packs; neither branches on the data.
template <class Rule, class Take>
void mark_blocks(Rule const& rule, chunk const& c, Take take) {
  std::uint8_t flags[mark_items];
  auto const next = detail::memory_read(rule, c.next_begin, c.next_end);
  index_t const share = next.bytes() / ceil_div(c.size(), mark_items) + 1;
  [[maybe_unused]] typename marking_state<Rule>::type const state{};
  read_ahead ahead(next);
  for (index_t i = c.begin; i < c.end; i += mark_items) {
    index_t const items = std::min(mark_items, c.end - i);
    ahead.request(share);
    take(i, items, rule.mark(i, items, flags) ? flags : nullptr);
  }
}

/// `pack_items` of items i, i + 1, ... of an iterator; items that may not be contiguous are copied
/// first.
template <class In, class T>
index_t pack_from(In in, index_t i, std::uint8_t const* flags, std::uint8_t wanted, index_t items,
                  T* to) {
  if constexpr (std::contiguous_iterator<In>) {
    return detail::pack_items<T>(std::to_address(in) + i, flags, wanted, items, to);
  } else if constexpr (sizeof(T) <= sizeof(std::uint64_t)) {
    small_buffer<T> const copies(items);
    for (index_t k = 0; k < items; ++k) std::construct_at(copies.data() + k, in[i + k]);
    return detail::pack_items<T>(copies.data(), flags, wanted, items, to);
  } else {
    index_t packed = 0;
    for (index_t k = 0; k < items; ++k) {
      if (flags[k] == wanted) to[packed++] = in[i + k];
    }
    return packed;
  }
}

/// Packs the items of chunk `c` that `rule` keeps at the front of `to`, which has space for all.
/// Returns their number.
template <class Rule, class In, class T>
index_t pack_kept(Rule const& rule, chunk const& c, In in, T* to) {
  index_t kept = 0;
  detail::mark_blocks(rule, c, [&](index_t i, index_t items, std::uint8_t const* flags) {
    if (flags) kept += detail::pack_from(in, i, flags, 1, items, to + kept);
  });
  return kept;
}

/// The same for the items' offsets from the chunk's begin, at most 2^32.
template <class Rule>
index_t pack_offsets(Rule const& rule, chunk const& c, std::uint32_t* to) {
  auto const positions = best_vector_packs().positions;
  index_t kept = 0;
  detail::mark_blocks(rule, c, [&](index_t i, index_t items, std::uint8_t const* flags) {
    auto const first = static_cast<std::uint32_t>(i - c.begin);
    if (flags) kept += positions(first, flags, items, to + kept);
  });
  return kept;
}

/// What one thread keeps of its current chunk.
template <class Item>
struct packed_chunk {
  small_buffer<Item> items;
  index_t count = 0;

  explicit packed_chunk(index_t capacity) : items(capacity) {}
};

/// Packs chunk `c`: what `rule` keeps into one buffer, the rest into the other.
template <class Rule, class In, class T>
void pack_both(Rule const& rule, chunk const& c, In in, packed_chunk<T>& kept,
               packed_chunk<T>& rejected) {
  kept.count = rejected.count = 0;
  detail::mark_blocks(rule, c, [&](index_t i, index_t items, std::uint8_t const* flags) {
    T* const to = rejected.items.data() + rejected.count;
    if (!flags) {
      std::copy_n(in + i, items, to);
      rejected.count += items;
      return;
    }
    kept.count += detail::pack_from(in, i, flags, 1, items, kept.items.data() + kept.count);
    rejected.count += detail::pack_from(in, i, flags, 0, items, to);
  });
}

/// Copies the first `count` of some packed items to an output, from `place` on, as many as fit.
template <class T, class Out>
void copy_fitting(store_policy policy, T const* items, index_t count, Out out, index_t capacity,
                  index_t place) {
  index_t const fitting = std::clamp<index_t>(capacity - place, 0, count);
  if (fitting == 0) return;
  if constexpr (std::contiguous_iterator<Out> && std::same_as<std::iter_value_t<Out>, T>) {
    cpu::copy_by(policy, items, fitting, std::to_address(out) + place);
  } else {
    using item = std::iter_value_t<Out>;
    for (index_t k = 0; k < fitting; ++k) out[place + k] = static_cast<item>(items[k]);
  }
}

/// The same for positions, as distances from `begin`.
template <class Out>
void put_fitting(std::uint32_t const* offsets, index_t begin, index_t count, Out out,
                 index_t capacity, index_t place) {
  using position = std::iter_value_t<Out>;
  index_t const fitting = std::clamp<index_t>(capacity - place, 0, count);
  for (index_t k = 0; k < fitting; ++k) {
    out[place + k] = static_cast<position>(begin + offsets[k]);
  }
}

}  // namespace libscan::inline v1::cpu::detail

namespace libscan::inline v1::cpu {

/// The default number of items of a chunk of the filter: with its packed items, a small part of a
/// core's L2 cache for every type.
inline constexpr index_t filter_chunk_items = 16 * 1024;

/// The capacity of an output that has space for all results.
inline constexpr index_t unlimited = std::numeric_limits<index_t>::max();

namespace detail {

/// How many of in[0..items-1] `keep` accepts.
template <class In, class Keep>
index_t count(In in, index_t items, Keep const& keep) {
  using T = std::iter_value_t<In>;
  // Lanes of a vector as wide as the items' own: short blocks keep bytes from overflowing.
  using lane = std::conditional_t<
      sizeof(T) == 1, std::uint8_t,
      std::conditional_t<sizeof(T) == 2, std::uint16_t,
                         std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
  constexpr index_t block = 128;
  invalid_is_quiet const comparisons;
  index_t total = 0;
  for (index_t i = 0; i < items; i += block) {
    lane in_block = 0;
    for (index_t k = i; k < std::min(i + block, items); ++k) {
      in_block = static_cast<lane>(in_block + (keep(in[k]) ? 1 : 0));
    }
    total += static_cast<index_t>(in_block);
  }
  return total;
}

/// Whether items are certainly not written where they are read, from the memory of the iterators.
template <class In, class Out>
bool surely_no_overlap(In const& in, Out const& out) {
  return std::contiguous_iterator<In> && std::contiguous_iterator<Out> &&
         !detail::in_place(in, out);
}

/// Whether the kept items of chunk `c` are to be left where they are. The next chunk may still read
/// this one's last item, if `Rule` looks back. In place that is overwritten only by itself, where
/// all items so far are kept.
template <class Rule, class In, class Out>
bool stays(Rule const&, In const& in, Out const& out, chunk const& c, index_t place, index_t kept) {
  return looks_back<Rule> && place == c.begin && kept == c.size() && detail::goes_over(in, out);
}

/// Throws unless 32 bits hold the offsets within chunks.
inline void check_offsets(char const* call, index_t chunk_items) {
  if (chunk_items <= index_t{1} << 32) return;
  throw invalid_argument(std::string(call) + ": chunk_items of at most 2^32 expected, got " +
                         std::to_string(chunk_items));
}

}  // namespace detail

/// out[k] = item k of those of in[0..n-1] that `rule` (see rules.hpp) keeps; returns how many
/// it keeps. Writes at most `capacity` items, in order, whatever it returns.
///
/// Types: `in` and `out` are random-access iterators or pointers; the items are of a trivially
/// copyable type, and copied from `in` once. Writes to different items must not race; those of
/// std::vector<bool> do, and are refused.
/// Aliasing: `out` may begin where `in` does: a chunk is written after all chunks up to it have
/// been read, and never beyond its own end. Otherwise the part of `out` that may be written must
/// not overlap `in` or what the rule reads.
/// Concurrency: the rule is applied to items concurrently, at least once to each. On a busy machine
/// a thread may apply it again to the items of another thread that has lost its core; both results
/// must be the same. In place, and where the memory of iterators is unknown, it is applied once to
/// each, and threads wait for each other.
/// Workspace: one chunk a thread if it is of more than 8 KiB, and one more for work in place that
/// is done for another thread.
/// Throws: `invalid_argument` if threads < 1, n < 0 or chunk_items < 1, and for such an overlap of
/// contiguous memory; std::bad_alloc; and what a predicate or the iterators throw.
template <std::random_access_iterator In, std::random_access_iterator Out, class Rule>
index_t filter_by(int threads, In in, Out out, index_t n, Rule rule, index_t capacity = unlimited,
                  index_t chunk_items = filter_chunk_items) {
  using T = std::iter_value_t<In>;
  detail::refuse_memory<T>();
  detail::refuse_results<T, Out>();
  using packed_chunk = detail::packed_chunk<T>;
  detail::require_output_in_place_or_no_overlap("filter", in, rule, n, out, capacity);
  store_policy const policy =
      cpu::store_policy_for(n * static_cast<index_t>(sizeof(T)), detail::in_place(in, out));
  return cpu::run_chunks(
      threads, n, chunk_items, plus<index_t>{}, 0,
      [&] { return packed_chunk(std::min(n, chunk_items)); },
      [&](packed_chunk& packed, chunk const& c) {
        packed.count = detail::pack_kept(rule, c, in, packed.items.data());
        return packed.count;
      },
      [&](packed_chunk const& packed, chunk const& c, index_t place) {
        if (detail::stays(rule, in, out, c, place, packed.count)) return;
        detail::copy_fitting(policy, packed.items.data(), packed.count, out, capacity, place);
      },
      detail::surely_no_overlap<In, Out>(in, out) ? aggregates::repeatable : aggregates::once);
}

/// `filter_by` of a predicate, which is called as often for each item. For iterators other than
/// pointers it is called with what `in` returns, which is an additional read.
template <std::random_access_iterator In, std::random_access_iterator Out, class Keep>
index_t filter(int threads, In in, Out out, index_t n, Keep keep, index_t capacity = unlimited,
               index_t chunk_items = filter_chunk_items) {
  libscan::detail::refuse_predicate<detail::given_item<In>, Keep>();
  return cpu::filter_by(threads, in, out, n, keep_where<In, Keep>{in, keep}, capacity, chunk_items);
}

/// out[k] = the position of item k of those of n items that `rule` keeps. `out` is an iterator of
/// any integers that can hold the positions, and must not overlap what the rule reads. Otherwise as
/// `filter_by`, with 4 bytes an item of a chunk; chunk_items of more than 2^32 are refused, too.
template <std::random_access_iterator Out, class Rule>
index_t indices_by(int threads, Out out, index_t n, Rule rule, index_t capacity = unlimited,
                   index_t chunk_items = filter_chunk_items) {
  detail::refuse_results<index_t, Out>();
  detail::check_offsets("filter_indices", chunk_items);
  detail::require_no_overlap("filter_indices", "positions and what decides",
                             detail::memory_read(rule, 0, n),
                             detail::memory_of(out, std::min(capacity, n)));
  // Offsets within a chunk: half the cache of positions.
  using packed_chunk = detail::packed_chunk<std::uint32_t>;
  return cpu::run_chunks(
      threads, n, chunk_items, plus<index_t>{}, 0,
      [&] { return packed_chunk(std::min(n, chunk_items)); },
      [&](packed_chunk& packed, chunk const& c) {
        packed.count = detail::pack_offsets(rule, c, packed.items.data());
        return packed.count;
      },
      [&](packed_chunk const& packed, chunk const& c, index_t place) {
        detail::put_fitting(packed.items.data(), c.begin, packed.count, out, capacity, place);
      },
      aggregates::repeatable);
}

/// `indices_by` of a predicate, which is called for each item at least once.
template <std::random_access_iterator In, std::random_access_iterator Out, class Keep>
index_t filter_indices(int threads, In in, Out out, index_t n, Keep keep,
                       index_t capacity = unlimited, index_t chunk_items = filter_chunk_items) {
  libscan::detail::refuse_predicate<detail::given_item<In>, Keep>();
  (void)detail::memory_of(in, n);  // refuses misaligned items
  return cpu::indices_by(threads, out, n, keep_where<In, Keep>{in, keep}, capacity, chunk_items);
}

/// The outputs of `split_by`, and their capacities.
template <class Kept, class Rejected = Kept>
struct split_outputs {
  Kept kept;
  index_t kept_capacity;
  Rejected rejected;
  index_t rejected_capacity;
};

/// kept[k] = item k of those of in[0..n-1] that `rule` keeps, rejected[k] = item k of the others;
/// returns how many are kept. The parts of the outputs that may be written must not overlap each
/// other or what is read. A thread has two chunks. Otherwise as `filter_by`. A `rejected` of
/// std::make_reverse_iterator(kept + n) fills one buffer from both ends.
template <std::random_access_iterator In, class Rule, class Kept = std::iter_value_t<In>*,
          class Rejected = Kept>
index_t split_by(int threads, In in, split_outputs<Kept, Rejected> const& out, index_t n, Rule rule,
                 index_t chunk_items = filter_chunk_items) {
  using T = std::iter_value_t<In>;
  detail::refuse_memory<T>();
  detail::refuse_results<T, Kept>();
  detail::refuse_results<T, Rejected>();
  using packed_chunk = detail::packed_chunk<T>;
  struct split_chunk {
    packed_chunk kept, rejected;
  };
  detail::require_no_output_overlap("split", in, rule, n, out.kept, out.kept_capacity);
  detail::require_no_output_overlap("split", in, rule, n, out.rejected, out.rejected_capacity);
  detail::require_no_overlap_of_outputs("split", out.kept, out.kept_capacity, out.rejected,
                                        out.rejected_capacity, n);
  store_policy const policy = store_policy_for(n * static_cast<index_t>(sizeof(T)));
  return cpu::run_chunks(
      threads, n, chunk_items, plus<index_t>{}, 0,
      [&] {
        index_t const capacity = std::min(n, chunk_items);
        return split_chunk{packed_chunk(capacity), packed_chunk(capacity)};
      },
      [&](split_chunk& packed, chunk const& c) {
        detail::pack_both(rule, c, in, packed.kept, packed.rejected);
        return packed.kept.count;
      },
      [&](split_chunk const& packed, chunk const& c, index_t place) {
        detail::copy_fitting(policy, packed.kept.items.data(), packed.kept.count, out.kept,
                             out.kept_capacity, place);
        detail::copy_fitting(policy, packed.rejected.items.data(), packed.rejected.count,
                             out.rejected, out.rejected_capacity, c.begin - place);
      },
      aggregates::repeatable);
}

/// `split_by` of a predicate, which is called for each item at least once.
template <std::random_access_iterator In, class Keep, class Kept = std::iter_value_t<In>*,
          class Rejected = Kept>
index_t split(int threads, In in, split_outputs<Kept, Rejected> const& out, index_t n, Keep keep,
              index_t chunk_items = filter_chunk_items) {
  libscan::detail::refuse_predicate<detail::given_item<In>, Keep>();
  return cpu::split_by(threads, in, out, n, keep_where<In, Keep>{in, keep}, chunk_items);
}

/// The number of n items that `rule` keeps. Reads what the rule reads, allocates nothing. Errors as
/// for `filter_by`.
template <class Rule>
index_t count_by(int threads, index_t n, Rule rule, index_t chunk_items = filter_chunk_items) {
  struct nothing {};
  return cpu::sum_chunks(
      threads, n, chunk_items, [] { return nothing{}; },
      [&](nothing, chunk const& c) {
        index_t count = 0;
        detail::mark_blocks(rule, c, [&](index_t, index_t items, std::uint8_t const* flags) {
          auto const set = [](std::uint8_t flag) { return flag != 0; };
          if (flags) count += detail::count(flags, items, set);
        });
        return count;
      });
}

/// The number of items of in[0..n-1] that `keep` accepts. `keep` and errors as for `filter`.
template <std::random_access_iterator In, class Keep>
index_t count_if(int threads, In in, index_t n, Keep keep,
                 index_t chunk_items = filter_chunk_items) {
  libscan::detail::refuse_predicate<detail::given_item<In>, Keep>();
  (void)detail::memory_of(in, n);  // refuses misaligned items
  struct nothing {};
  return cpu::sum_chunks(
      threads, n, chunk_items, [] { return nothing{}; },
      [&](nothing, chunk const& c) { return detail::count(in + c.begin, c.size(), keep); });
}

}  // namespace libscan::inline v1::cpu
