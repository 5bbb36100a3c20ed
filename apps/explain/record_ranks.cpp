// SPDX-License-Identifier: Apache-2.0
// Runs the library's own distributed calls on simulated ranks, through a transport that writes down
// each of its calls.
#include <apps/explain/ranks.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include <apps/explain/run_scan.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/error.hpp>
#ifdef LIBSCAN_WITH_SIMULATED_RANKS
#include <libscan/distributed/radix_sort.hpp>
#include <libscan/distributed/scan.hpp>
#include <libscan/distributed/simulated_ranks.hpp>
#endif

namespace libscan::apps {

#ifdef LIBSCAN_WITH_SIMULATED_RANKS
namespace {

/// One call of one rank.
struct recorded_call {
  std::string name, words;
  std::vector<std::byte> told;
  std::vector<rank_message> messages;
};

/// Passes calls on, and writes them down.
class recording_transport final : public transport {
 public:
  recording_transport(communicator const& comm, std::vector<recorded_call>& calls)
      : comm_(comm), calls_(calls) {}

  int rank() const override { return comm_.rank(); }
  int size() const override { return comm_.size(); }

  void allgather(call_step at, std::span<std::byte const> mine, std::span<std::byte> all) override {
    note(at, "every rank tells all others " + std::to_string(mine.size()) +
                 (mine.size() == 1 ? " byte" : " bytes"));
    calls_.back().told.assign(mine.begin(), mine.end());
    comm_.through().allgather(at, mine, all);
  }

  void sum(call_step at, std::span<index_t> counters, summed_ranks which) override {
    note(at, "the ranks add " + std::to_string(counters.size()) + " counters each" +
                 (which == summed_ranks::all ? "" : ", of earlier ranks"));
    comm_.through().sum(at, counters, which);
  }

  void transpose(call_step at, std::span<index_t const> to, std::span<index_t> from) override {
    note(at, "every rank tells each other rank how many items it gets");
    comm_.through().transpose(at, to, from);
  }

  void exchange(call_step at, std::span<outgoing const> sends,
                std::span<incoming const> receives) override {
    note(at, "each rank sends other ranks their items");
    for (outgoing const& one : sends) {
      rank_message message{rank(), one.to, {}};
      message.items.resize(one.bytes.size() / sizeof(std::int32_t));
      std::memcpy(message.items.data(), one.bytes.data(), one.bytes.size());
      calls_.back().messages.push_back(std::move(message));
    }
    comm_.through().exchange(at, sends, receives);
  }

  void abandon(std::string_view reason) noexcept override { comm_.through().abandon(reason); }

 private:
  void note(call_step at, std::string words) {
    calls_.push_back({at.step, std::move(words), {}, {}});
  }

  communicator comm_;
  std::vector<recorded_call>& calls_;
};

/// The calls of all ranks, which are the same ones in the same order, as steps.
std::vector<rank_step> steps_of(std::vector<std::vector<recorded_call>> const& ranks) {
  std::vector<rank_step> steps;
  for (std::size_t k = 0; k < ranks[0].size(); ++k) {
    recorded_call const& first = ranks[0][k];
    bool const again = !steps.empty() && steps.back().name == first.name &&
                       steps.back().words == first.words && first.messages.empty();
    if (again) {
      ++steps.back().rounds;
      continue;
    }
    rank_step step{first.name, first.words, 1, {}, {}};
    for (auto const& calls : ranks) {
      recorded_call const& call = calls[k];
      step.messages.insert(step.messages.end(), call.messages.begin(), call.messages.end());
      if (step.name != "carries") continue;
      std::int32_t total = 0;
      std::memcpy(&total, call.told.data(), sizeof total);
      step.numbers.push_back(total);
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace

recorded_ranks record_ranks(ranks_request const& request) {
  if (request.ranks < 1 || request.ranks > max_shown_ranks) {
    throw invalid_argument("--ranks " + std::to_string(request.ranks) + ", expected 1 to " +
                           std::to_string(max_shown_ranks));
  }
  if (request.items.size() > static_cast<std::size_t>(max_items)) {
    throw invalid_argument(std::to_string(request.items.size()) + " numbers, expected at most " +
                           std::to_string(max_items));
  }
  recorded_ranks run;
  run.what = request.sorts ? "sort" : request.exclusive ? "exclusive scan" : "inclusive scan";
  auto const parts = distribution::even(static_cast<index_t>(request.items.size()), request.ranks);
  for (int r = 0; r < request.ranks; ++r) {
    auto const begin = request.items.begin() + parts.begin(r);
    run.items.emplace_back(begin, begin + parts.size(r));
  }
  run.results = run.items;
  std::vector<std::vector<recorded_call>> calls(static_cast<std::size_t>(request.ranks));
  simulated_ranks(request.ranks, request.seed).run([&](communicator const& comm) {
    auto const me = static_cast<std::size_t>(comm.rank());
    communicator const recorded(std::make_shared<recording_transport>(comm, calls[me]));
    ranks const on{recorded, engine::cpu(1)};
    if (request.sorts) {
      sort_keys(on, run.items[me], run.results[me]);
    } else if (request.exclusive) {
      exclusive_scan(on, run.items[me], run.results[me]);
    } else {
      inclusive_scan(on, run.items[me], run.results[me]);
    }
  });
  run.steps = steps_of(calls);
  // The total of the rank that ends the array enters no other rank, and is not computed.
  auto const before_end = [&](int r) { return r < request.ranks && parts.end(r) < parts.total(); };
  std::size_t needed = 0;
  while (before_end(static_cast<int>(needed))) ++needed;
  for (rank_step& step : run.steps) step.numbers.resize(std::min(needed, step.numbers.size()));
  return run;
}

#else

recorded_ranks record_ranks(ranks_request const&) {
  throw engine_unavailable(
      "--ranks: this build has no simulated ranks (Boost.Context was not found, or a sanitizer "
      "that cannot follow them is on)");
}

#endif

}  // namespace libscan::apps
