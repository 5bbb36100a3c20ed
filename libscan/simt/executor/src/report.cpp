// SPDX-License-Identifier: Apache-2.0
// Text of errors: which threads wait where, by the calls' CUDA names. Also the counts per line.
#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <libscan/simt/executor/src/grid_run.hpp>

namespace libscan::inline v1_executor::simt::executor {

namespace {

std::string demangled(std::string const& name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = text != nullptr ? text : name;
  std::free(text);
  return result;
}

std::string describe_wait(thread_state const& thread) {
  if (has_returned(thread)) return "returned";
  if (!waits(thread)) return "can go on";
  if (thread.wait.what >= call::sync_warp && thread.wait.what <= call::reduce_xor) {
    return "in " + describe(*thread.wait.collective);
  }
  std::string text = std::string("in ") + cuda_name(thread.wait.what);
  if (thread.wait.what == call::mbarrier_wait) {
    auto const found = thread.block->mbarriers.find(thread.wait.address);
    if (found != thread.block->mbarriers.end()) {
      text += " (" + std::to_string(found->second.pending) + " arrivals and " +
              std::to_string(found->second.bytes) + " bytes missing)";
    }
  }
  return text + " at " + describe(thread.wait.site);
}

}  // namespace

// Appended one by one: g++ 12 warns of overlapping copies in "(" + std::to_string(...).
std::string coordinates(uint3 index) {
  std::string text;
  for (unsigned const coordinate : {index.x, index.y, index.z}) {
    text += text.empty() ? '(' : ',';
    text += std::to_string(coordinate);
  }
  return text + ')';
}

std::string describe(call_site site) {
  std::string const file = site.file;
  return file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(site.line);
}

std::string describe(warp_call const& made) {
  char mask[24];
  std::snprintf(mask, sizeof mask, " (mask %08x)", made.mask);
  return cuda_name(made.what) + std::string(mask) + " at " + describe(made.site);
}

std::string describe_waits(block_state const& block) {
  std::string text;
  for (std::size_t first = 0; first < block.threads.size();) {
    std::string const what = describe_wait(block.threads[first]);
    std::size_t last = first;
    while (last + 1 < block.threads.size() && describe_wait(block.threads[last + 1]) == what) {
      ++last;
    }
    if (!text.empty()) text += "; ";
    text += first == last ? "thread " + std::to_string(first)
                          : "threads " + std::to_string(first) + "-" + std::to_string(last);
    text += " " + what;
    first = last + 1;
  }
  return text;
}

std::string grid_run::message(block_state const& block, std::string const& text) const {
  return demangled(work_.kernel) + ", block " + coordinates(block.index) + ": " + text;
}

void grid_run::fail(std::string const& text) const { fail(*current_->block, text); }

void grid_run::fail(block_state const& block, std::string const& text) const {
  throw kernel_error(message(block, text));
}

char const* cuda_name(call what) {
  static constexpr char const* names[] = {
      "nothing",           "__syncwarp",        "__ballot_sync",
      "__any_sync",        "__all_sync",        "__shfl_sync",
      "__shfl_up_sync",    "__shfl_down_sync",  "__shfl_xor_sync",
      "__match_any_sync",  "__match_all_sync",  "__reduce_add_sync",
      "__reduce_min_sync", "__reduce_min_sync", "__reduce_max_sync",
      "__reduce_max_sync", "__reduce_and_sync", "__reduce_or_sync",
      "__reduce_xor_sync", "__syncthreads",     "__syncthreads_count",
      "__syncthreads_and", "__syncthreads_or",  "barrier.cluster.wait",
      "grid.barrier_wait", "grid.sync",         "mbarrier wait",
      "an atomic load",    "__activemask"};
  static_assert(std::size(names) == static_cast<std::size_t>(call::active_mask) + 1);
  return names[static_cast<std::size_t>(what)];
}

line_counts& line_counts::operator+=(line_counts const& other) {
  warp_calls += other.warp_calls;
  barriers += other.barriers;
  operator_calls += other.operator_calls;
  shared_accesses += other.shared_accesses;
  shared_wavefronts += other.shared_wavefronts;
  shared_ideal += other.shared_ideal;
  shared_worst = std::max(shared_worst, other.shared_worst);
  global_accesses += other.global_accesses;
  global_sectors += other.global_sectors;
  return *this;
}

line_counts counts::total() const {
  line_counts sum;
  for (auto const& [line, count] : by_line) sum += count;
  return sum;
}

void grid_run::hand_over_counts() {
  for (auto const& [site, count] : tallies_) how_.count->at({site.file, site.line}) += count;
}

void count_operator(call_site site) {
  if (running_grid != nullptr) {
    if (running_grid->how().count != nullptr) ++running_grid->tally(site).operator_calls;
  } else if (counts* const count = current_settings().count) {
    ++count->at(site).operator_calls;
  }
}

}  // namespace libscan::inline v1_executor::simt::executor
