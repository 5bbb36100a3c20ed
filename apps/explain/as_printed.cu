// SPDX-License-Identifier: Apache-2.0
// What the documents print and the library does otherwise: the walkthrough's scan of block sums,
// the lecture's exclusive kernel by shifted loading, and its incorrect kernel. Compiled for the
// executor only.
#include <string>
#include <type_traits>
#include <vector>

#include <apps/explain/layout.hpp>
#include <apps/explain/run_scan.hpp>
#include <libscan/textbook/catalog.cuh>

namespace libscan::apps {

namespace textbook = block::textbook;
namespace strategies = device::strategies;

namespace {

/// Item i - 1 in place of item i, and one identity before them all.
struct shifted_items {
  traced const* in;
  __device__ traced operator[](index_t i) const {
    return textbook::load_shifted(in, i, traced_plus{});
  }
};

/// Adds to each block what the inclusive scan of sums has for the one before it; block 0 adds
/// nothing.
struct add_previous_kernel {
  __device__ void operator()(traced const* scanned_sums, traced* items, index_t n) const {
    index_t const i = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n) items[i] = traced_plus{}(scanned_sums[blockIdx.x - 1], items[i]);
  }
};

/// The lecture's incorrect kernel: a thread may read an item before or after another has added to
/// it in the same step. Unlike the lecture, it does not store past the last item.
struct one_barrier_kernel {
  static constexpr int block_threads = max_threads;
  struct shared_storage {
    textbook::tile<traced, max_threads> item;
  };

  __device__ void operator()(shared_storage& shared, traced const* in, traced* out, int n) const {
    int const j = textbook::this_thread();
    shared.item.at(j) = j < n ? in[j] : new_identity();
    for (int stride = 1; stride < textbook::block_threads(); stride *= 2) {
      simt::sync_block();
      if (j >= stride) {
        shared.item.at(j) = traced_plus{}(shared.item.at(j - stride), shared.item.at(j));
      }
    }
    if (j < n) out[j] = shared.item.at(j);
  }
};

using block_scan = textbook::kogge_stone;
using scan_kernel =
    strategies::scan_tiles_kernel<scan_kind::inclusive, block_scan, max_threads, traced_plus>;

/// The items, their blocks' sums, the sums of these, and so on.
struct level {
  traced* begin;
  index_t count;
};

template <class In>
void scan_blocks(recorder& session, int threads, std::string const& title, int number, In in,
                 level const& out, traced* sums) {
  session.expect({title, number, threads, std::is_same_v<In, shifted_items> ? 1 : 0});
  auto const blocks = static_cast<unsigned>(ceil_div(out.count, index_t{threads}));
  simt::launch<scan_kernel>({.blocks = blocks, .threads = static_cast<unsigned>(threads)}, in,
                            out.begin, out.count, traced_plus{}, sums);
}

template <class In>
void scan_as_the_walkthrough(recorder& session, int threads, In in,
                             std::vector<level> const& levels, traced* total) {
  know<scan_kernel>(session, threads);
  auto const last = static_cast<int>(levels.size()) - 1;
  auto const at = [&](int number) { return levels[static_cast<std::size_t>(number)]; };
  auto const sums_of = [&](int number) { return number < last ? at(number + 1).begin : total; };
  scan_blocks(session, threads, "scan each block", 0, in, at(0), sums_of(0));
  for (int number = 1; number <= last; ++number) {
    scan_blocks(session, threads, "scan the " + name_of_sums(number), number,
                static_cast<traced const*>(at(number).begin), at(number), sums_of(number));
  }
  for (int number = last; number-- > 0;) {
    session.expect({"add to each block the scanned sum of the one before it", number, threads});
    auto const blocks = static_cast<unsigned>(ceil_div(at(number).count, index_t{threads}));
    simt::launch<add_previous_kernel>({.blocks = blocks, .threads = static_cast<unsigned>(threads)},
                                      static_cast<traced const*>(at(number + 1).begin),
                                      at(number).begin, at(number).count);
  }
}

recorded_run record_one_barrier(scan_request const& request, bool checked) {
  recorder session(request.items, request.seed, request.banks);
  if (!checked) session.ignore_checker();
  traced* const out = session.new_array("output", 0, request.items.size());
  know<one_barrier_kernel>(session, request.block);
  session.expect({"scan in one block, with one barrier a step", 0, request.block});
  simt::launch<one_barrier_kernel>({.blocks = 1, .threads = static_cast<unsigned>(request.block)},
                                   session.input(), out, static_cast<int>(request.items.size()));
  return session.take(request.algorithm, false);
}

}  // namespace

recorded_run record_walkthrough(scan_request const& request) {
  recorder session(request.items, request.seed, request.banks);
  auto const n = static_cast<index_t>(request.items.size());
  std::vector<level> levels{{session.new_array("output", 0, request.items.size()), n}};
  while (levels.back().count > request.block) {
    auto const number = static_cast<int>(levels.size());
    index_t const blocks = ceil_div(levels.back().count, index_t{request.block});
    levels.push_back(
        {session.new_array(name_of_sums(number), number, static_cast<std::size_t>(blocks)),
         blocks});
  }
  // Shifted loading drops the last item.
  traced* const total =
      session.new_array(request.exclusive ? "total of items but the last" : "total",
                        static_cast<int>(levels.size()), 1);
  if (request.exclusive) {
    scan_as_the_walkthrough(session, request.block, shifted_items{session.input()}, levels, total);
  } else {
    scan_as_the_walkthrough(session, request.block, session.input(), levels, total);
  }
  return session.take(request.algorithm, request.exclusive);
}

recorded_run record_incorrect(scan_request const& request) {
  std::string race;
  try {
    record_one_barrier(request, true);
  } catch (simt::kernel_error const& found) {
    race = found.what();
  }
  recorded_run run = record_one_barrier(request, false);
  run.race = race;
  return run;
}

}  // namespace libscan::apps
