// SPDX-License-Identifier: Apache-2.0
// The compiled half of masks, splits and runs of the host API: checks a call and hands it to its
// engine.
#include <libscan/selection.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

#include <apps/filter/cpu/vector_predicate.hpp>
#include <apps/filter/host/filter_device.hpp>
#include <apps/filter/host/host_checks.hpp>
#include <libscan/buffer.hpp>
#include <libscan/core/error.hpp>
#include <libscan/cpu/filter.hpp>
#include <libscan/cpu/filter_with_indices.hpp>
#include <libscan/cpu/runs.hpp>
#include <libscan/host/input_types.hpp>
#include <libscan/host/on_engine.hpp>
#include <libscan/libscan.hpp>

namespace libscan::inline v1 {
namespace {

using detail::check_fits;
using detail::check_no_overlap;
using detail::filter_call;
using detail::filter_kind;
using detail::host_filter;
using detail::length;

void check_size(char const* call, item_mask const& mask, index_t n) {
  if (mask.size() == n) return;
  throw invalid_argument(std::string(call) + ": a mask of " + std::to_string(mask.size()) +
                         " items for " + std::to_string(n) + " values; expected one for each");
}

/// f(rule) with the rule of the cpu engine for the mask.
template <class F>
index_t with_rule(item_mask const& mask, F f) {
  if (mask.words() != nullptr) return f(cpu::keep_masked{mask.words()});
  return f(cpu::keep_flagged{mask.flags()});
}

/// Refuses outputs of a split that overlap, and one for both parts that is too short for both.
template <class T>
void check_split(std::span<T const> values, std::span<T> out,
                 std::optional<std::span<T>> rejected) {
  check_no_overlap("split", std::as_bytes(values), std::as_bytes(out), false);
  if (!rejected) return check_fits("split", length(values), length(out), "split");
  check_no_overlap("split", std::as_bytes(values), std::as_bytes(*rejected), false);
  check_no_overlap("split", std::as_bytes(out), std::as_bytes(*rejected), false, "out");
}

template <class T>
index_t checked_split(std::span<T const> values, std::span<T> out,
                      std::optional<std::span<T>> rejected, index_t kept) {
  if (!rejected) return kept;
  check_fits("split", kept, length(out));
  check_fits("split", length(values) - kept, length(*rejected), "rejected", "rejected");
  return kept;
}

/// Splits on the cpu engine.
template <class T, class Rule>
index_t split_by(int threads, std::span<T const> values, std::span<T> out,
                 std::optional<std::span<T>> rejected, Rule const& rule) {
  index_t const n = length(values);
  cpu::split_outputs<T*> to{out.data(), length(out), nullptr, 0};
  if (rejected) {
    to.rejected = rejected->data();
    to.rejected_capacity = length(*rejected);
  } else {
    to.kept_capacity = cpu::count_by(threads, n, rule);
    to.rejected = out.data() + to.kept_capacity;
    to.rejected_capacity = n - to.kept_capacity;
  }
  return cpu::split_by(threads, values.data(), to, n, rule);
}

/// The positions that a mask marks, on a machine with kernels.
host_filter positions_of(item_mask const& mask, std::span<index_t> out) {
  return {{.kind = filter_kind::positions, .n = mask.size(), .mask = mask, .positions = out.data()},
          0,
          length(out)};
}

/// A split into these outputs there.
template <class T>
host_filter split_of(filter_call call, std::span<T> out, std::optional<std::span<T>> rejected) {
  call.out = out.data();
  if (!rejected) return {call, length(out), 0, 0, true};
  call.rejected = rejected->data();
  return {call, length(out), 0, length(*rejected), false};
}

}  // namespace

index_t mask_indices(engine const& on, item_mask const& mask, std::span<index_t> out) {
  check_no_overlap("mask_indices", mask.bytes(), std::as_bytes(out), false, "the mask");
  index_t const marked = detail::on_engine(
      on, mask.size(),
      [&](auto device) {
        return detail::untyped_filters<decltype(device)>::run(device, positions_of(mask, out));
      },
      [&](int threads) {
        return with_rule(mask, [&](auto rule) {
          return cpu::indices_by(threads, out.data(), mask.size(), rule, length(out));
        });
      });
  check_fits("mask_indices", marked, length(out));
  return marked;
}

index_t count_marked(engine const& on, item_mask const& mask) {
  return detail::on_engine(
      on, mask.size(),
      [&](auto device) {
        return detail::untyped_filters<decltype(device)>::run(
            device, {{.kind = filter_kind::count, .n = mask.size(), .mask = mask}});
      },
      [&](int threads) {
        return with_rule(mask,
                         [&](auto rule) { return cpu::count_by(threads, mask.size(), rule); });
      });
}

namespace detail {

template <class T>
index_t selection<T>::filter(engine const& on, std::span<T const> values, std::span<T> out,
                             item_mask const& mask) {
  check_size("filter", mask, length(values));
  check_no_overlap("filter", std::as_bytes(values), std::as_bytes(out), true);
  check_no_overlap("filter", mask.bytes(), std::as_bytes(out), false, "the mask");
  index_t const kept = detail::on_engine(
      on, length(values),
      [&](auto device) {
        return device_selection<decltype(device), T>::run(
            device, {{.in = values.data(), .n = length(values), .mask = mask, .out = out.data()},
                     length(out)});
      },
      [&](int threads) {
        return with_rule(mask, [&](auto rule) {
          return cpu::filter_by(threads, values.data(), out.data(), length(values), rule,
                                length(out));
        });
      });
  check_fits("filter", kept, length(out));
  return kept;
}

template <class T>
index_t selection<T>::filter_with_indices(engine const& on, std::span<T const> values,
                                          std::span<T> out, std::span<index_t> indices,
                                          item_mask const& mask) {
  char const* const call = "filter_with_indices";
  check_size(call, mask, length(values));
  check_no_overlap(call, std::as_bytes(values), std::as_bytes(out), true);
  check_no_overlap(call, std::as_bytes(values), std::as_bytes(indices), false);
  check_no_overlap(call, std::as_bytes(out), std::as_bytes(indices), false, "out");
  check_no_overlap(call, mask.bytes(), std::as_bytes(out), false, "the mask");
  check_no_overlap(call, mask.bytes(), std::as_bytes(indices), false, "the mask");
  cpu::indexed_outputs<T*> const to{out.data(), length(out), indices.data(), length(indices)};
  index_t const kept = detail::on_engine(
      on, length(values),
      [&](auto device) {
        return detail::untyped_filters<decltype(device)>::run(device, positions_of(mask, indices));
      },
      [&](int threads) {
        return with_rule(mask, [&](auto rule) {
          return cpu::filter_with_indices_by(threads, values.data(), to, length(values), rule);
        });
      });
  check_fits(call, kept, length(out));
  check_fits(call, kept, length(indices), "kept", "indices");
  // The values are in host memory only.
  if (on.runs_kernels()) cpu::gather(values.data(), indices.data(), kept, out.data());
  return kept;
}

template <class T>
index_t selection<T>::split(engine const& on, std::span<T const> values, std::span<T> out,
                            std::optional<std::span<T>> rejected, predicate<T> const& keep) {
  check_split(values, out, rejected);
  index_t const kept = detail::on_engine(
      on, length(values),
      [&](auto device) {
        filter_call const call{
            .kind = filter_kind::split, .in = values.data(), .n = length(values), .keep = &keep};
        return device_selection<decltype(device), T>::run(device, split_of(call, out, rejected));
      },
      [&](int threads) {
        return split_by(threads, values, out, rejected,
                        cpu::keep_predicate<T>{values.data(), &keep});
      });
  return checked_split(values, out, rejected, kept);
}

template <class T>
index_t selection<T>::split(engine const& on, std::span<T const> values, std::span<T> out,
                            std::optional<std::span<T>> rejected, item_mask const& mask) {
  check_size("split", mask, length(values));
  check_split(values, out, rejected);
  check_no_overlap("split", mask.bytes(), std::as_bytes(out), false, "the mask");
  if (rejected)
    check_no_overlap("split", mask.bytes(), std::as_bytes(*rejected), false, "the mask");
  index_t const kept = detail::on_engine(
      on, length(values),
      [&](auto device) {
        filter_call const call{
            .kind = filter_kind::split, .in = values.data(), .n = length(values), .mask = mask};
        return device_selection<decltype(device), T>::run(device, split_of(call, out, rejected));
      },
      [&](int threads) {
        return with_rule(mask,
                         [&](auto rule) { return split_by(threads, values, out, rejected, rule); });
      });
  return checked_split(values, out, rejected, kept);
}

template <class Word>
index_t split_words(engine const& on, std::span<Word const> keys, std::span<Word> out, int bit) {
  constexpr int bits = 8 * static_cast<int>(sizeof(Word));
  if (bit < 0 || bit >= bits) {
    throw invalid_argument("split_by_bit: bit " + std::to_string(bit) + " of keys of " +
                           std::to_string(bits) + " bits; expected 0 to " +
                           std::to_string(bits - 1));
  }
  check_split<Word>(keys, out, std::nullopt);
  auto const is_clear = [bit](Word key) { return (key >> bit & 1u) == 0; };
  return detail::on_engine(
      on, length(keys),
      [&](auto device) {
        filter_call const call{
            .kind = filter_kind::split_bit, .in = keys.data(), .n = length(keys), .bit = bit};
        return device_selection<decltype(device), Word>::run(
            device, split_of(call, out, std::optional<std::span<Word>>{}));
      },
      [&](int threads) {
        return split_by<Word>(
            threads, keys, out, std::nullopt,
            cpu::keep_where<Word const*, decltype(is_clear)>{keys.data(), is_clear});
      });
}

template <class T>
index_t runs<T>::unique(engine const& on, std::span<T const> values, std::span<T> out) {
  check_no_overlap("unique", std::as_bytes(values), std::as_bytes(out), true);
  index_t const kept = detail::on_engine(
      on, length(values),
      [&](auto device) {
        return device_selection<decltype(device), T>::run(device, {{.kind = filter_kind::unique,
                                                                    .in = values.data(),
                                                                    .n = length(values),
                                                                    .out = out.data()},
                                                                   length(out)});
      },
      [&](int threads) {
        return cpu::unique(threads, values.data(), out.data(), length(values), {}, length(out));
      });
  check_fits("unique", kept, length(out));
  return kept;
}

template <class T>
index_t runs<T>::encode(engine const& on, std::span<T const> values, std::span<T> out,
                        std::span<index_t> lengths) {
  char const* const call = "run_length_encode";
  check_no_overlap(call, std::as_bytes(values), std::as_bytes(out), false);
  check_no_overlap(call, std::as_bytes(values), std::as_bytes(lengths), false);
  check_no_overlap(call, std::as_bytes(out), std::as_bytes(lengths), false, "out");
  cpu::run_outputs const to{out.data(), length(out), lengths.data(), length(lengths)};
  index_t const runs = detail::on_engine(
      on, length(values),
      [&](auto device) {
        return device_selection<decltype(device), T>::run(device,
                                                          {{.kind = filter_kind::run_lengths,
                                                            .in = values.data(),
                                                            .n = length(values),
                                                            .out = out.data(),
                                                            .positions = lengths.data()},
                                                           length(out),
                                                           length(lengths)});
      },
      [&](int threads) {
        return cpu::run_length_encode(threads, values.data(), to, length(values));
      });
  check_fits(call, runs, length(out), "first of a run");
  check_fits(call, runs, length(lengths), "first of a run", "lengths");
  return runs;
}

namespace {

/// The runs of at least `min_length` items: their numbers among all `runs`, to `kept`.
index_t long_runs(int threads, index_t const* lengths, index_t runs, index_t min_length,
                  index_t* kept) {
  return cpu::filter_indices(threads, lengths, kept, runs,
                             [min_length](index_t run) { return run >= min_length; });
}

/// The exclusive sum of lengths.
void find_offsets(engine const& on, std::span<index_t const> lengths, index_t* offsets) {
  engine const here = on.runs_kernels() ? engine::cpu() : on;
  libscan::exclusive_scan(here, lengths, std::span(offsets, lengths.size()));
}

}  // namespace

template <class T>
index_t runs<T>::encode(engine const& on, std::span<T const> values, std::span<T> out,
                        std::span<index_t> lengths, std::span<index_t> offsets,
                        index_t min_length) {
  char const* const call = "run_length_encode";
  check_min_length(min_length);
  check_no_overlap(call, std::as_bytes(values), std::as_bytes(out), false);
  check_no_overlap(call, std::as_bytes(values), std::as_bytes(lengths), false);
  check_no_overlap(call, std::as_bytes(values), std::as_bytes(offsets), false);
  check_no_overlap(call, std::as_bytes(out), std::as_bytes(lengths), false, "out");
  check_no_overlap(call, std::as_bytes(out), std::as_bytes(offsets), false, "out");
  check_no_overlap(call, std::as_bytes(lengths), std::as_bytes(offsets), false, "lengths");
  buffer<T> firsts(length(values));
  buffer<index_t> all(length(values));
  index_t const runs = encode(on, values, {firsts.data(), firsts.size()}, {all.data(), all.size()});
  buffer<index_t> begins(runs), kept(runs);
  find_offsets(on, {all.data(), static_cast<std::size_t>(runs)}, begins.data());
  int const threads = on.runs_kernels() ? cpu::default_threads() : on.threads();
  index_t const count = long_runs(threads, all.data(), runs, min_length, kept.data());
  index_t const fitting = std::min({count, length(out), length(lengths), length(offsets)});
  cpu::for_each_index(threads, fitting, [&, run_of = kept.data()](index_t k) {
    auto const from = static_cast<std::size_t>(run_of[k]), to = static_cast<std::size_t>(k);
    out[to] = firsts[from];
    lengths[to] = all[from];
    offsets[to] = begins[from];
  });
  check_fits(call, count, length(out), "first of a run");
  check_fits(call, count, length(lengths), "first of a run", "lengths");
  check_fits(call, count, length(offsets), "first of a run", "offsets");
  return count;
}

#define LIBSCAN_INSTANTIATE(name, T) \
  template index_t split_words(engine const&, std::span<T const>, std::span<T>, int);
LIBSCAN_UNSIGNED_BYTES(LIBSCAN_INSTANTIATE)
LIBSCAN_UNSIGNED_WORDS(LIBSCAN_INSTANTIATE)
#undef LIBSCAN_INSTANTIATE

#define LIBSCAN_INSTANTIATE(name, T) template struct runs<T>;
LIBSCAN_UNSIGNED_BYTES(LIBSCAN_INSTANTIATE)
LIBSCAN_UNSIGNED_WORDS(LIBSCAN_INSTANTIATE)
LIBSCAN_FLOATS(LIBSCAN_INSTANTIATE)
LIBSCAN_HALVES(LIBSCAN_INSTANTIATE)
#undef LIBSCAN_INSTANTIATE

#define LIBSCAN_INSTANTIATE(name, T) template struct selection<T>;
LIBSCAN_INPUT_TYPES(LIBSCAN_INSTANTIATE)
#undef LIBSCAN_INSTANTIATE

}  // namespace detail
}  // namespace libscan::inline v1
