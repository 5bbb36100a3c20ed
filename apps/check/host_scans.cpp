// SPDX-License-Identifier: Apache-2.0
// Cases of scans, sums, neighbors and ranks for the host API.
#include <complex>

#include <apps/check/host_case.hpp>
#include <apps/prefix/prefix_scan.hpp>
#include <libscan/callables.hpp>
#include <libscan/libscan.hpp>
#include <libscan/segmented.hpp>

namespace libscan::apps {
namespace {

/// Calls body(items, results, op) with what a case passes to the host API, of every type.
template <class T, class Body>
void with_arguments(host_case<T> const& one, Body const& body) {
  check_case const& c = one.c;
  if constexpr (libscan::detail::complex_number<T>) {
    body(one.items(), one.result(), libscan::plus<T>{});
  } else if (c.form.callables) {
    body(one.items(), one.result(), own_operator<T>{c.op});
  } else {
    visit_source<T>(c, [&]<class Source>(std::type_identity<Source>) {
      libscan::visit_operator<T>(c.op, [&](auto op) {
        if constexpr (std::is_same_v<Source, T>) {
          body(one.items(), one.result(), op);
        } else {
          auto const items = converted<Source>(one.items());
          std::span<Source const> const from(items.data(), items.size());
          if constexpr (half_float<Source>) {
            if (c.form.half_results) {
              buffer<Source> rounded(static_cast<index_t>(one.result().size()));
              body(from, std::span<Source>(rounded.data(), rounded.size()), op);
              std::transform(rounded.begin(), rounded.end(), one.result().begin(),
                             [](Source x) { return static_cast<T>(x); });
              return;
            }
          }
          body(from, one.result(), op);
        }
      });
    });
  }
}

template <class T, class In, class Out, class Op>
T scan_by(host_case<T> const& one, In in, Out out, Op op) {
  T const init = first_of<T>(one.c);
  bool const inclusive = one.c.kind == scan_kind::inclusive;
  if (one.c.what == task::reverse_scan) {
    return inclusive ? reverse_inclusive_scan(one.on, in, out, op, init)
                     : reverse_exclusive_scan(one.on, in, out, op, init);
  }
  return inclusive ? inclusive_scan(one.on, in, out, op, init)
                   : exclusive_scan(one.on, in, out, op, init);
}

template <class T>
void scan_items(host_case<T> const& one) {
  T& total = *one.out.template at<T>(slot::total);
  if (one.c.what != task::reduce) {
    return with_arguments(
        one, [&](auto in, auto out, auto op) { total = scan_by<T>(one, in, out, op); });
  }
  with_arguments(one, [&]<class Out, class Op>(auto in, Out, Op op) {
    if constexpr (std::is_same_v<Out, std::span<T>>) {
      total = libscan::reduce(one.on, in, op, first_of<T>(one.c));
    }
  });
}

template <class T>
void combine_neighbors(host_case<T> const& one) {
  check_case const& c = one.c;
  if (!c.form.by_operator) return adjacent_difference(one.on, one.items(), one.result());
  if (c.form.callables) {
    return adjacent_difference(one.on, one.items(), one.result(), own_operator<T>{c.op});
  }
  libscan::visit_operator<T>(
      c.op, [&](auto op) { adjacent_difference(one.on, one.items(), one.result(), op); });
}

template <class T>
void rank_items(host_case<T> const& one) {
  check_case const& c = one.c;
  item_mask const mask = mask_of(c, one.in);
  with_integers(one, one.template array<index_t>(one.out, slot::places), [&](auto ranks) {
    *one.out.template at<index_t>(slot::count) = c.kind == scan_kind::inclusive
                                                     ? inclusive_binary_scan(one.on, mask, ranks)
                                                     : exclusive_binary_scan(one.on, mask, ranks);
  });
}

/// The sums of runs of the caller's keys. A key that is not the first of its run shows as -1.
template <class T, class In, class Op>
index_t sum_own_keys(host_case<T> const& one, described_segments const& segments, In in, Op op) {
  auto const keys = segments.own_keys();
  buffer<own_key> firsts(one.out.size(slot::items));
  index_t const runs =
      reduce_by_key(one.on, keys, in, firsts, one.result(), op, same_key{}, first_of<T>(one.c));
  auto* const found = one.out.template at<std::int32_t>(slot::keys);
  for (index_t s = 0; s < runs; ++s) {
    auto const [key, at] = firsts[static_cast<std::size_t>(s)];
    auto const place = static_cast<std::size_t>(at);
    found[s] = at == 0 || keys[place - 1].key != key ? key : -1;
  }
  return runs;
}

template <class T, class In, class Op>
index_t sum_keys(host_case<T> const& one, described_segments const& segments, In in, Op op) {
  T const init = first_of<T>(one.c);
  auto const firsts = one.template array<std::int32_t>(one.out, slot::keys);
  switch (one.c.form.segments) {
    case description::own_keys:
      return sum_own_keys(one, segments, in, op);
    case description::keys: {
      buffer<double> numbers(static_cast<index_t>(firsts.size()));
      index_t const runs =
          reduce_by_key(one.on, segments.numbers(), in, numbers, one.result(), op, init);
      std::transform(numbers.begin(), numbers.begin() + runs, firsts.begin(),
                     [](double key) { return static_cast<std::int32_t>(key); });
      return runs;
    }
    default:
      return reduce_by_key(one.on, segments.keys(), in, firsts, one.result(), op, init);
  }
}

template <class T>
void sum_segments(host_case<T> const& one) {
  described_segments const segments(one.c, one.in);
  index_t& count = *one.out.template at<index_t>(slot::count);
  with_arguments(one, [&]<class Out, class Op>(auto in, Out out, Op op) {
    if constexpr (std::is_same_v<Out, std::span<T>>) {
      count = one.c.what == task::sums_by_keys
                  ? sum_keys(one, segments, in, op)
                  : segmented_reduce(one.on, in, out, segments, op, first_of<T>(one.c));
    }
  });
}

template <class T>
void scan_segments(host_case<T> const& one) {
  described_segments const segments(one.c, one.in);
  with_arguments(one, [&](auto in, auto out, auto op) {
    T const init = first_of<T>(one.c);
    if (one.c.kind == scan_kind::inclusive) {
      inclusive_segmented_scan(one.on, in, out, segments, op, init);
    } else {
      exclusive_segmented_scan(one.on, in, out, segments, op, init);
    }
  });
}

/// From the end: as scan-prefix calls it.
template <class T>
void scan_segments_in_reverse(host_case<T> const& one) {
  check_case const& c = one.c;
  described_segments const segments(c, one.in);
  T const init = init_of<T>(c);
  prefix_scan(one.on, {c.type, one.items().data(), c.n, c.op, c.kind, scan_direction::reverse,
                       segments, c.type, &init, one.result().data()});
}

/// Calls body(case) with the items of a case as complex numbers, if they are.
template <class T, class Body>
void as_numbers(host_case<T> const& one, Body const& body) {
  auto const run = [&](auto const& numbers) {
    if (one.c.form.device_memory) return run_on_device_memory(numbers);
    body(numbers);
  };
  if constexpr (std::is_floating_point_v<T>) {
    if (one.c.form.complex_items) {
      return run(host_case<std::complex<T>>{one.c, one.on, one.in, one.out});
    }
  }
  run(one);
}

}  // namespace

item_mask mask_of(check_case const& c, placed in) {
  if (in.where.has(slot::flags)) {
    return item_mask::of_flags({in.at<std::uint8_t>(slot::flags), static_cast<std::size_t>(c.n)});
  }
  return item_mask::of_bits(
      {in.at<std::uint32_t>(slot::bits), static_cast<std::size_t>(in.size(slot::bits))}, c.n);
}

template <class T>
void run_scan(host_case<T> const& one) {
  bool const there = one.c.form.device_memory;
  if (there && (is_ranks(one.c.what) || one.c.what == task::difference)) {
    return run_on_device_memory(one);
  }
  if (is_ranks(one.c.what)) return rank_items(one);
  if (one.c.what == task::difference) return combine_neighbors(one);
  as_numbers(one, [](auto const& numbers) { scan_items(numbers); });
}

template <class T>
void run_segmented(host_case<T> const& one) {
  if (one.c.reverse) return scan_segments_in_reverse(one);
  as_numbers(one, [](auto const& numbers) {
    if (sums_segments(numbers.c.what)) {
      sum_segments(numbers);
    } else {
      scan_segments(numbers);
    }
  });
}

#define LIBSCAN_RUN(name, type)                       \
  template void run_scan(host_case<type> const& one); \
  template void run_segmented(host_case<type> const& one);
LIBSCAN_ITEM_TYPES(LIBSCAN_RUN)
#undef LIBSCAN_RUN

}  // namespace libscan::apps
