// SPDX-License-Identifier: Apache-2.0
// Scans of masks on the cpu engine: a byte or a bit per item, ranks of 32 bits. Beside it, scans
// that convert a mask to 0 and 1 as they read.
#include <bench/cpu/contenders.hpp>
#include <libscan/cpu/binary_scan.hpp>

namespace libscan::bench::cpu {

namespace {

using rank = std::int32_t;

/// 0 or 1 for each item of a mask, as an iterator that standard algorithms accept.
template <class At>
class mask_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = rank;
  using difference_type = index_t;
  using pointer = void;
  using reference = rank;

  mask_iterator(At at, index_t i) : at_(at), i_(i) {}
  rank operator*() const { return at_(i_); }
  rank operator[](index_t k) const { return at_(i_ + k); }
  mask_iterator& operator++() { return ++i_, *this; }
  mask_iterator& operator+=(index_t k) { return i_ += k, *this; }
  mask_iterator operator+(index_t k) const { return {at_, i_ + k}; }
  index_t operator-(mask_iterator const& other) const { return i_ - other.i_; }
  bool operator==(mask_iterator const& other) const { return i_ == other.i_; }
  bool operator!=(mask_iterator const& other) const { return i_ != other.i_; }
  bool operator<(mask_iterator const& other) const { return i_ < other.i_; }

 private:
  At at_;
  index_t i_;
};

/// Ranks by `mask`; at(i) is item i of it as 0 or 1.
template <class Mask, class At>
void binary_scan(engine const& on, session const& now, std::string const& name,
                 std::string const& type, scan_kind kind, index_t n, double mask_bytes, Mask mask,
                 At at) {
  host_array<rank> const out(n), expected(n);
  std::fill(out.begin(), out.end(), rank{0});
  bool const inclusive = kind == scan_kind::inclusive;
  auto const loop = [&, inclusive](host_array<rank> const& to) {
    rank count = 0;
    for (index_t i = 0; i < n; ++i) {
      rank const next = count + at(i);
      to[i] = inclusive ? next : count;
      count = next;
    }
  };
  loop(expected);
  auto const right = [&] {
    bool const equal = std::equal(out.begin(), out.end(), expected.begin());
    std::fill(out.begin(), out.end(), rank{-1});
    return equal;
  };
  mask_iterator<At> const begin(at, 0), end(at, n);
  auto const by_std = [&, inclusive](auto&&... policy) {
    if (inclusive) {
      std::inclusive_scan(policy..., begin, end, out.begin());
    } else {
      std::exclusive_scan(policy..., begin, end, out.begin(), rank{0});
    }
  };
  double const bytes = mask_bytes + static_cast<double>(n) * sizeof(rank);
  now.run({"cpu",
           name,
           type,
           n,
           bytes,
           {copy_of(bytes),
            {"libscan",
             [&, inclusive] {
               inclusive ? libscan::cpu::inclusive_binary_scan(on.threads(), mask, out.begin(), n)
                         : libscan::cpu::exclusive_binary_scan(on.threads(), mask, out.begin(), n);
             },
             right},
            {"sequential", [&] { loop(out); }, right},
            {"std", [&] { by_std(); }, right},
            {"std par_unseq", [&] { by_std(std::execution::par_unseq); }, right},
            {"tbb",
             [&, inclusive] {
               tbb::parallel_scan(
                   tbb::blocked_range<index_t>(0, n), rank{0},
                   [&](auto const& part, rank count, bool final) {
                     for (index_t i = part.begin(); i < part.end(); ++i) {
                       rank const next = count + at(i);
                       if (final) out[i] = inclusive ? next : count;
                       count = next;
                     }
                     return count;
                   },
                   plus<rank>{});
             },
             right}}});
}

void binary_scan(engine const& on, session const& now, std::string const& mask, scan_kind kind,
                 int per_mille, index_t n) {
  flag_at const flag{static_cast<std::uint32_t>(per_mille)};
  std::string const name = std::string(kind == scan_kind::inclusive ? "inclusive" : "exclusive") +
                           "_binary_scan " + std::to_string(per_mille / 10) + " %";
  if (mask == "bytes") {
    auto const flags = generated<std::uint8_t>(n, flag);
    binary_scan(on, now, name, "bytes->i32", kind, n, static_cast<double>(n),
                libscan::byte_mask{flags.begin()},
                [from = flags.begin()](index_t i) -> rank { return from[i] != 0 ? 1 : 0; });
  } else {
    auto const words = generated<std::uint32_t>(ceil_div(n, index_t{32}), flags_at{flag});
    binary_scan(on, now, name, "bits->i32", kind, n, 4.0 * static_cast<double>(words.size),
                libscan::bit_mask{words.begin()}, [from = words.begin()](index_t i) -> rank {
                  return static_cast<rank>(from[i / 32] >> i % 32 & 1u);
                });
  }
}

}  // namespace

void run_binary_scans(engine const& on, session const& now) {
  options const& wanted = now.wanted;
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24, 1 << 27})) {
    for (std::string const& mask : or_standard(wanted.masks, names_of(mask_axis))) {
      for (scan_kind const kind : or_standard(wanted.kinds, {scan_kind::exclusive})) {
        for (int const per_mille : or_standard<int>(wanted.per_mille, {500})) {
          binary_scan(on, now, mask, kind, per_mille, n);
        }
      }
    }
  }
}

}  // namespace libscan::bench::cpu
