// SPDX-License-Identifier: Apache-2.0
// Filters that know no type of items, on a machine with kernels: by masks without items, and of
// runs by their lengths.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include <apps/filter/host/filter_copies.cuh>
#include <apps/filter/host/filter_device.hpp>
#include <libscan/device/item_count.cuh>
#include <libscan/filter.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

namespace {

/// The items [begin, end) are equal.
struct item_run {
  index_t begin;
  index_t end;
};

/// The runs from the one that begins at *at on: an iterator. The last of `all` ends with the items.
struct run_iterator {
  using value_type = item_run;
  using difference_type = index_t;
  using pointer = item_run const*;
  using reference = item_run;
  using iterator_category = std::random_access_iterator_tag;

  index_t const* at;
  libscan::detail::run_begins all;
  item_count n;

  __device__ item_run operator[](index_t i) const {
    index_t const* const run = at + i;
    bool const last = run + 1 == all.at + *all.d_count;
    return {run[0], last ? n.get() : run[1]};
  }
};

struct at_least {
  index_t min_length;
  __device__ bool operator()(item_run const& run) const {
    return run.end - run.begin >= min_length;
  }
};

/// The outputs of a run-length encoding, written together.
struct run_results {
  struct place {
    run_results const* to;
    index_t k;
    __device__ void operator=(item_run const& run) const {
      to->copy_item(run.begin, k);
      to->lengths[k] = run.end - run.begin;
      if (to->offsets != nullptr) to->offsets[k] = run.begin;
    }
  };

  void const* in;
  void* out;
  std::size_t item_bytes;
  index_t* lengths;
  index_t* offsets;

  __device__ place operator[](index_t k) const { return {this, k}; }

  __device__ void copy_item(index_t from, index_t to) const {
    switch (item_bytes) {
      case 1:
        return copy_word<std::uint8_t>(from, to);
      case 2:
        return copy_word<std::uint16_t>(from, to);
      case 4:
        return copy_word<std::uint32_t>(from, to);
      default:
        return copy_word<std::uint64_t>(from, to);
    }
  }
  template <class Word>
  __device__ void copy_word(index_t from, index_t to) const {
    static_cast<Word*>(out)[to] = static_cast<Word const*>(in)[from];
  }
};

}  // namespace

}  // namespace libscan::inline LIBSCAN_MACHINE::device

namespace libscan::inline v1::detail {

template <class Machine>
void untyped_filters<Machine>::enqueue(Machine on, queue_place const& place,
                                       filter_call const& call) {
  device::on_machine const here(on);
  workspace ws = device::workspace_of(place);
  visit_mask(*call.mask, [&](auto const& mask) {
    if (call.kind == filter_kind::positions) {
      mask_indices(ws, mask, call.positions, count_of(call), call.d_count);
    } else {
      count_if(ws, static_cast<char const*>(nullptr), count_of(call), mask, call.d_count);
    }
  });
}

template <class Machine>
index_t untyped_filters<Machine>::run(Machine on, host_filter const& filter) {
  return run_on_host_memory<char>(
      on, filter, &filter_workspace_bytes<char>,
      [on](queue_place const& place, filter_call const& call) { enqueue(on, place, call); });
}

template <class Machine>
void untyped_filters<Machine>::keep_long_runs(Machine on, queue_place const& place,
                                              filter_call const& call, run_begins const& begins) {
  device::on_machine const here(on);
  workspace ws = device::workspace_of(place);
  filter(ws, device::run_iterator{begins.at, begins, count_of(call)},
         device::run_results{call.in, call.out, detail::size_of(call.type), call.positions,
                             call.offsets},
         item_count::on_device(begins.d_count, call.n), device::at_least{call.min_length},
         call.d_count);
}

template <class Machine>
std::size_t untyped_filters<Machine>::workspace_bytes(index_t n) {
  return std::max(filter_workspace_bytes<char>(n), filter_workspace_bytes<device::item_run>(n));
}

template struct untyped_filters<device::this_machine>;

}  // namespace libscan::inline v1::detail
