// SPDX-License-Identifier: Apache-2.0
// The steps of scan-check.
#include <apps/check/run_check.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <new>
#include <random>
#include <span>

#include <apps/check/case_runner.hpp>
#include <apps/check/check_engine.hpp>
#include <apps/common/foreign_format.hpp>
#include <apps/common/output_file.hpp>
#include <apps/common/program.hpp>
#include <apps/common/progress.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::apps {
namespace {

using clock = std::chrono::steady_clock;

// Builds may have an engine without its device calls.
#ifdef LIBSCAN_CHECK_WITH_EXECUTOR
constexpr bool executor_has_device_calls = true;
#else
constexpr bool executor_has_device_calls = false;
#endif
#ifdef LIBSCAN_CHECK_WITH_CUDA
constexpr bool cuda_has_device_calls = true;
#else
constexpr bool cuda_has_device_calls = false;
#endif

/// Cases from this size on count as large.
constexpr index_t large_items = 1000001;

[[noreturn]] void refuse_device_calls(char const* where) {
  throw invalid_argument(std::string("this scan-check was built without device calls ") + where +
                         "; --host-api calls the same kernels");
}

std::unique_ptr<check_engine> engine_called(std::string const& name, bool host_api,
                                            engine_kind& kind) {
  kind = name == "executor"              ? engine_kind::executor
         : engine::named(name).is_cuda() ? engine_kind::cuda
                                         : engine_kind::cpu;
  switch (kind) {
    case engine_kind::executor:
      if constexpr (libscan::detail::has_executor) {
        if (host_api) return make_host_engine(kind);
        if constexpr (executor_has_device_calls) return make_executor_engine();
        refuse_device_calls("in the executor");
      }
      libscan::detail::refuse_executor();
    case engine_kind::cuda:
      if constexpr (libscan::detail::has_cuda) {
        if (host_api) return make_host_engine(kind);
        if constexpr (cuda_has_device_calls) return make_cuda_engine();
        refuse_device_calls("on a GPU");
      }
      libscan::detail::refuse_cuda();
    default:
      return make_host_engine(kind);
  }
}

/// How much has been checked.
struct tally {
  std::uint64_t cases = 0;
  std::uint64_t items = 0;

  void add(check_case const& c) {
    ++cases;
    items += static_cast<std::uint64_t>(c.n);
  }
};

/// One run of the program.
class check_run {
 public:
  explicit check_run(check_arguments const& arguments)
      : arguments_(arguments),
        on_(engine_called(arguments.engine, arguments.overrides.host_api, kind_)),
        runner_(*on_),
        seed_(arguments.seed ? *arguments.seed : std::random_device{}()),
        meter_(arguments.progress) {
    if (arguments.json_file) {
      refuse_foreign_ending(*arguments.json_file, ".json");
      json_.emplace(*arguments.json_file);
    }
    bool const taken = arguments.json_file && same_output(*arguments.json_file, "-");
    words_.emplace(taken ? "/dev/stderr" : "-");
  }

  exit_code run() {
    std::optional<failure> const found = check_all();
    seconds_ = elapsed();
    meter_.finish();
    if (json_) write_json(found.has_value());
    tell((found ? report(*found) : "") + summary());
    if (json_) json_->commit();
    return found ? exit_code::difference : exit_code::done;
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(clock::now() - begun_).count(); }

  /// The failure that ends the run, if one does.
  std::optional<failure> check_all() {
    meter_.start("checking", 0);
    if (arguments_.only) return check(*arguments_.only);
    double const most = arguments_.seconds.value_or(arguments_.cases ? 1e18 : 10);
    std::uint64_t const cases = arguments_.cases.value_or(~std::uint64_t{0});
    for (std::uint64_t number = 0; number < cases && elapsed() < most; ++number) {
      if (auto found = check(number)) return found;
    }
    return {};
  }

  std::optional<failure> check(std::uint64_t number) {
    failure now{draw_case(kind_, seed_, number, arguments_.overrides), arguments_.overrides, ""};
    try {
      now.difference = runner_.run(now.what, now.overrides);
      count(now.what);
      if (now.difference.empty()) return {};
      meter_.finish();
      say("case " + std::to_string(number) + " fails, looking for a smaller one");
      return arguments_.only && arguments_.overrides.n ? now : runner_.shrink(now);
    } catch (...) {
      meter_.finish();
      say("in case: " + command_for(now.what, now.overrides));
      throw;
    }
  }

  void count(check_case const& c) {
    all_.add(c);
    of_family_[static_cast<std::size_t>(family_of(c.what))].add(c);
    if (c.n >= large_items) large_.add(c);
    meter_.advance(static_cast<std::uint64_t>(c.n) * size_of(c.type));
  }

  static std::string report(failure const& found) {
    return "FAILED: " + describe(found.what) + "\n  " + found.difference +
           "\n  again: " + command_for(found.what, found.overrides) + "\n";
  }

  /// Writes text for people to standard output, or to standard error if that is taken.
  void tell(std::string const& text) {
    words_->write(std::as_bytes(std::span<char const>(text)));
    words_->commit();
  }

  std::string summary() const {
    std::string text = std::to_string(all_.cases) + " cases, " + std::to_string(all_.items) +
                       " items (" + std::to_string(large_.cases) + " cases beyond 1000000) in ";
    char number[32];
    std::snprintf(number, sizeof number, "%.1f s", seconds_);
    text += number;
    text.append(", seed ").append(std::to_string(seed_)).append(", ");
    text.append(on_->description()).append(":");
    for (int f = 0; f < family_count; ++f) {
      text.append(f == 0 ? " " : ", ").append(name_of(static_cast<family>(f)));
      text.append(" ").append(std::to_string(of_family_[static_cast<std::size_t>(f)].cases));
    }
    return text + "\n";
  }

  void write_json(bool failed) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.3f", seconds_);
    std::string text = "{\n  \"program\": \"scan-check\",\n  \"engine\": \"" +
                       std::string(name_of(kind_)) + "\",\n  \"machine\": \"" + on_->description() +
                       "\",\n  \"seed\": " + std::to_string(seed_) +
                       ",\n  \"seconds\": " + seconds +
                       ",\n  \"failed\": " + (failed ? "true" : "false") +
                       ",\n  \"cases\": " + std::to_string(all_.cases) +
                       ",\n  \"items\": " + std::to_string(all_.items) +
                       ",\n  \"cases_beyond_1000000_items\": " + std::to_string(large_.cases) +
                       ",\n  \"families\": {";
    for (int f = 0; f < family_count; ++f) {
      tally const& of = of_family_[static_cast<std::size_t>(f)];
      text.append(f == 0 ? "\n" : ",\n").append("    \"");
      text.append(name_of(static_cast<family>(f)));
      text.append("\": {\"cases\": ").append(std::to_string(of.cases));
      text.append(", \"items\": ").append(std::to_string(of.items)).append("}");
    }
    text += "\n  }\n}\n";
    json_->write(std::as_bytes(std::span<char const>(text)));
    json_->complete();
  }

  check_arguments const& arguments_;
  std::optional<output_file> json_;   // opened, or refused, before the first case
  std::optional<output_file> words_;  // standard output, or standard error if json_ goes there
  engine_kind kind_ = engine_kind::cpu;
  std::unique_ptr<check_engine> on_;
  case_runner runner_;
  std::uint64_t seed_;
  progress meter_;
  clock::time_point begun_ = clock::now();
  double seconds_ = 0;
  tally all_, large_;
  std::array<tally, family_count> of_family_;
};

}  // namespace

exit_code run_check(check_arguments const& arguments) { return check_run(arguments).run(); }

}  // namespace libscan::apps
