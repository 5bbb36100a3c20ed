// SPDX-License-Identifier: Apache-2.0
// The kernels for a request.
#include <apps/explain/run_scan.hpp>

#include <algorithm>
#include <iterator>
#include <optional>

namespace libscan::apps {
namespace {

constexpr int default_block = 4;  // threads of a strategy's blocks

void check_block_size(int block) {
  if (block >= 1 && block <= max_threads) return;
  throw invalid_argument("blocks of " + std::to_string(block) + " threads; expected 1 to " +
                         std::to_string(max_threads));
}

/// There must be fewer sums of blocks than items.
void check_fan(int block_items) {
  if (block_items > 1) return;
  throw invalid_argument(
      "blocks of 1 thread, each with an item: their sums are as many as the items; expected "
      "--block 2 or more");
}

/// Blocks of 4 threads unless the request says otherwise.
recorded_run walkthrough(scan_request request) {
  if (request.block == 0) request.block = default_block;
  check_block_size(request.block);
  check_fan(request.block);
  return record_walkthrough(request);
}

/// One block for all items.
recorded_run one_barrier(scan_request request) {
  auto const count = static_cast<int>(request.items.size());
  if (request.block == 0) request.block = count;
  check_block_size(request.block);
  if (request.block >= count && !request.exclusive) return record_incorrect(request);
  throw invalid_argument(request.algorithm +
                         " is one block's inclusive scan; expected a --block for all items, and "
                         "no --exclusive");
}

struct named_algorithm {
  char const* name;
  char const* words;
  std::optional<block_algorithm> block;
  scan_strategy strategy = scan_strategy::one_block;
  recorded_run (*as_printed)(scan_request) = nullptr;
};

// In the order of the sources; a strategy's blocks run Kogge-Stone.
named_algorithm const algorithms[] = {
    {"sequential", "one thread adds up everything", block_algorithm::sequential},
    {"quadratic", "each thread adds up all it needs", block_algorithm::quadratic},
    {"hillis-steele", "log n steps in two buffers; also: naive", block_algorithm::hillis_steele},
    {"kogge-stone", "the same in place, two barriers a step", block_algorithm::kogge_stone},
    {"kogge-stone-double-buffered", "two buffers, one barrier a step",
     block_algorithm::kogge_stone_double_buffered},
    {"blelloch", "up-sweep and down-sweep of a tree; also: work-efficient",
     block_algorithm::blelloch},
    {"blelloch-padded", "the same without most bank conflicts", block_algorithm::blelloch_padded},
    {"blelloch-fully-padded", "and without any", block_algorithm::blelloch_fully_padded},
    {"brent-kung", "reduce, then distribute", block_algorithm::brent_kung},
    {"global-hillis-steele",
     "log n steps of all blocks, a launch for each",
     {},
     scan_strategy::global_hillis_steele},
    {"scan-then-fan",
     "scan blocks, scan their sums, add those; also: hierarchical, gpu-gems",
     {},
     scan_strategy::scan_then_fan},
    {"scan-then-propagate",
     "the same with vectors of 4 items a thread; also: cudpp",
     {},
     scan_strategy::scan_then_propagate},
    {"reduce-then-scan",
     "sum up blocks, scan the sums, scan blocks; also: merrill",
     {},
     scan_strategy::reduce_then_scan},
    {"chained-scan",
     "each block waits for the one before it; also: streamscan",
     {},
     scan_strategy::chained_scan},
    {"decoupled-look-back",
     "blocks look back for sums of others; also: merrill-garland",
     {},
     scan_strategy::decoupled_look_back},
    {"walkthrough",
     "scan-then-fan as that page prints it: block 0 adds nothing",
     {},
     scan_strategy::scan_then_fan,
     walkthrough},
    {"kogge-stone-one-barrier",
     "the lecture's incorrect kernel, in one block",
     {},
     scan_strategy::one_block,
     one_barrier},
};

named_algorithm const& find(std::string const& name) {
  std::string_view const wanted = own_algorithm_name(name);
  auto const found = std::find_if(std::begin(algorithms), std::end(algorithms),
                                  [&](named_algorithm const& a) { return a.name == wanted; });
  if (found != std::end(algorithms)) return *found;
  std::string names;
  for (named_algorithm const& a : algorithms) {
    names += std::string(names.empty() ? "" : ", ") + a.name;
  }
  throw invalid_argument("algorithm \"" + name + "\" is unknown; expected one of " + names);
}

recorded_run record_fan(scan_request const& request, block_algorithm which) {
  check_fan(request.block * items_per_thread(which));
  return record_strategy(request, scan_strategy::scan_then_fan, which);
}

/// A strategy whose blocks run a block scan.
void check_block_scan(scan_request const& request, named_algorithm const& wanted) {
  if (!request.block_scan) return;
  if (wanted.block) {
    throw invalid_argument(request.algorithm + " is a block scan itself; expected no --block-scan");
  }
  if (wanted.as_printed != nullptr || !runs_block_scan(wanted.strategy)) {
    throw invalid_argument("--block-scan is for the blocks of a strategy; " + request.algorithm +
                           " has a scan of its own");
  }
}

}  // namespace

std::string algorithm_list() {
  std::string text;
  for (named_algorithm const& a : algorithms) {
    std::string name = a.name;
    name.resize(29, ' ');
    text += "  " + name + a.words + '\n';
  }
  return text;
}

recorded_run record_scan(scan_request const& request) {
  named_algorithm const& wanted = find(request.algorithm);
  int const count = static_cast<int>(request.items.size());
  if (count == 0 || count > max_items) {
    throw invalid_argument(std::to_string(count) + " numbers to scan; expected 1 to " +
                           std::to_string(max_items));
  }
  scan_request complete = request;
  complete.algorithm = wanted.name;
  check_block_scan(complete, wanted);
  if (wanted.as_printed != nullptr) return wanted.as_printed(complete);
  if (!wanted.block) {
    if (complete.block == 0) complete.block = default_block;
    check_block_size(complete.block);
    block_algorithm const scan = complete.block_scan.value_or(block_algorithm::kogge_stone);
    return wanted.strategy == scan_strategy::scan_then_fan
               ? record_fan(complete, scan)
               : record_strategy(complete, wanted.strategy, scan);
  }
  int const each = items_per_thread(*wanted.block);
  int const needed = (count + each - 1) / each;
  if (complete.block == 0) complete.block = std::min(needed, max_threads);
  check_block_size(complete.block);
  if (complete.block >= needed) return record_one_block(complete, *wanted.block);
  return record_fan(complete, *wanted.block);
}

}  // namespace libscan::apps
