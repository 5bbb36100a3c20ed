// SPDX-License-Identifier: Apache-2.0
// Splits of 32-bit items in two on the cpu engine, by a predicate or by flags, beside loops and the
// standard library's partitions.
#include <bench/cpu/contenders.hpp>
#include <bench/cpu/loops.hpp>
#include <libscan/selection.hpp>

namespace libscan::bench::cpu {

namespace {

using item = std::uint32_t;

/// The outputs of a split into two outputs or one, and their expected contents.
struct split_parts {
  bool two;
  std::vector<item> kept, others;
  host_array<item> out, rejected;  // with space for one more
  index_t reported = -1;           // the number of kept items

  template <class Marked>
  split_parts(host_array<item> const& in, bool two, Marked marked)
      : two(two), out(in.size + 1), rejected(in.size + 1) {
    for (index_t i = 0; i < in.size; ++i) (marked(i) ? kept : others).push_back(in[i]);
    spoil();
  }

  /// Overwrites the outputs, so that the next contender must write them all.
  void spoil() {
    for (auto const* each : {&out, &rejected}) std::fill(each->begin(), each->end(), ~item{0});
    reported = -1;
  }

  bool right() {
    item const* const past = two ? rejected.begin() : out.begin() + kept.size();
    bool const equal = reported == static_cast<index_t>(kept.size()) &&
                       std::equal(kept.begin(), kept.end(), out.begin()) &&
                       std::equal(others.begin(), others.end(), past);
    spoil();
    return equal;
  }

  /// `split` returns the number of kept items.
  template <class Split>
  contender by(std::string name, Split split) {
    return {std::move(name), [this, split] { reported = split(); }, [this] { return right(); }};
  }
};

/// By the host API: `how` is a predicate or a mask.
template <class How>
index_t our_split(engine const& on, host_array<item> const& in, split_parts const& to,
                  How const& how) {
  auto const size = static_cast<std::size_t>(in.size);
  std::span<item> const out(to.out.begin(), size), rejected(to.rejected.begin(), size);
  return to.two ? split<item>(on, in.view(), out, rejected, how)
                : split<item>(on, in.view(), out, how);
}

/// By a loop; into one buffer by a second loop over the predicate or flags.
template <class Marked>
index_t by_loop(host_array<item> const& in, split_parts const& to, Marked marked) {
  return split_loop(in, marked, to.out.begin(),
                    to.two ? to.rejected.begin() : to.out.begin() + count_loop(in.size, marked));
}

/// The same without data-dependent branches.
template <class Marked>
index_t by_steady_loop(host_array<item> const& in, split_parts const& to, Marked marked) {
  if (to.two) return steady_split_loop(in, marked, to.out.begin(), to.rejected.begin());
  index_t const kept = steady_filter_loop(in, marked, to.out.begin());
  steady_filter_loop(
      in, [&](index_t i) { return !marked(i); }, to.out.begin() + kept);
  return kept;
}

/// By the standard library, under a policy or without one: policy... is one or none. Into one
/// buffer it partitions the items in place; `out` then starts as a copy of them.
template <class Keep, class... Policy>
index_t by_std(host_array<item> const& in, split_parts const& to, Keep keep, Policy&&... policy) {
  item* const out = to.out.begin();
  if (to.two) {
    return std::partition_copy(policy..., in.begin(), in.end(), out, to.rejected.begin(), keep)
               .first -
           out;
  }
  return std::stable_partition(policy..., out, out + in.size, keep) - out;
}

/// Into one buffer by a count of the first part.
template <class Keep>
index_t by_std_count(host_array<item> const& in, split_parts const& to, Keep keep) {
  auto const policy = std::execution::par_unseq;
  index_t const kept = std::count_if(policy, in.begin(), in.end(), keep);
  item* const out = to.out.begin();
  std::partition_copy(policy, in.begin(), in.end(), out, out + kept, keep);
  return kept;
}

void split_u32(engine const& on, session const& now, std::string const& outputs, bool by_flags,
               int per_mille, index_t n) {
  auto const limit = static_cast<item>(per_mille);
  flag_at const flag{limit};
  auto const in = generated<item>(n, split_item_at{});
  auto const flags = generated<std::uint8_t>(n, flag);
  split_parts parts(in, outputs == "two", [&](index_t i) { return flag(i) != 0; });
  predicate<item> const interval(in_interval<item>{0, limit - 1});
  item_mask const mask = item_mask::of_flags(flags.view());
  double const bytes = static_cast<double>(n) * (2 * sizeof(item) + (by_flags ? 1 : 0));
  std::vector<contender> all{copy_of(bytes)};
  auto const add_ours = [&](auto const& how) {
    all.push_back(parts.by("libscan", [&] { return our_split(on, in, parts, how); }));
  };
  auto const add_loops = [&](auto marked) {
    all.push_back(parts.by("sequential", [&, marked] { return by_loop(in, parts, marked); }));
    all.push_back(parts.by("sequential branchless",
                           [&, marked] { return by_steady_loop(in, parts, marked); }));
  };
  if (by_flags) {
    add_ours(mask);
    add_loops([&](index_t i) { return flags[i] != 0; });
  } else {
    below const keep{limit};
    add_ours(interval);
    add_loops([&, keep](index_t i) { return keep(in[i]); });
    auto const add_std = [&](std::string name, auto... policy) {
      all.push_back(parts.by(std::move(name),
                             [&, keep, policy...] { return by_std(in, parts, keep, policy...); }));
      if (parts.two) return;
      all.back().prepare = [&] { std::copy(in.begin(), in.end(), parts.out.begin()); };
    };
    add_std("std");
    add_std("std par_unseq", std::execution::par_unseq);
    if (!parts.two) {
      all.push_back(
          parts.by("std par_unseq counted", [&, keep] { return by_std_count(in, parts, keep); }));
    }
  }
  split_call const call{in.begin(),        by_flags ? flags.begin() : nullptr,           limit,
                        parts.out.begin(), parts.two ? parts.rejected.begin() : nullptr, n};
  for (library const& other : other_libraries()) {
    auto const split = other.split;
    if (split != nullptr) all.push_back(parts.by(other.name, [=] { return split(call); }));
  }
  now.run({"cpu", split_name(outputs, by_flags, per_mille), "u32", n, bytes, std::move(all)});
}

}  // namespace

void run_splits(engine const& on, session const& now) {
  options const& wanted = now.wanted;
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24})) {
    for (std::string const& outputs : or_standard<std::string>(wanted.outputs, {"two", "one"})) {
      for (int const per_mille : or_standard<int>(wanted.per_mille, {500})) {
        for (std::string const& by : or_standard<std::string>(wanted.masks, {"items"})) {
          now.where_known([&] {
            if (outputs == "reversed") {
              throw invalid_argument("the cpu engine's splits fill no buffer from both ends");
            }
            split_u32(on, now, outputs, by == "bytes", per_mille, n);
          });
        }
      }
    }
  }
}

}  // namespace libscan::bench::cpu
