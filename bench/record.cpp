// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include <apps/common/exit_code.hpp>
#include <apps/common/output_file.hpp>
#include <bench/changes.hpp>
#include <bench/commit.hpp>
#include <bench/record.hpp>

namespace libscan::bench {

namespace {

constexpr std::string_view byte_model =
    "least traffic: each input (items, descriptors, masks) read once, each output written once; of "
    "items that a mask chooses among, the sectors that hold chosen ones; of a sort, all keys once "
    "and keys and values in and out for each 8 bits, but within segments once in all";

nlohmann::json to_json(result const& r) {
  nlohmann::json j{{"engine", r.engine},
                   {"operation", r.operation},
                   {"type", r.type},
                   {"n", r.n},
                   {"name", r.name},
                   {"bytes", r.bytes},
                   {"median_us", r.median_us},
                   {"least_us", r.min_us},
                   {"most_us", r.max_us},
                   {"p95_us", r.p95_us},
                   {"noise", r.noise},
                   {"samples", r.samples},
                   {"calls", r.calls},
                   {"repetitions", r.repetitions},
                   {"shared_bytes", r.shared_bytes}};
  if (r.resident_blocks > 0) j["resident_blocks"] = r.resident_blocks;
  if (r.ratio > 0) j["ratio"] = r.ratio;
  if (r.beside > 0) j["beside"] = r.beside;
  return j;
}

result from_json(nlohmann::json const& j) {
  result r;
  r.engine = j.at("engine");
  r.operation = j.at("operation");
  r.type = j.at("type");
  r.name = j.at("name");
  r.n = j.at("n");
  r.bytes = j.at("bytes");
  r.median_us = j.at("median_us");
  r.min_us = j.at("least_us");
  r.max_us = j.at("most_us");
  // If the middle half is unknown, half of the whole range stands for it.
  r.noise = j.value("noise", (r.max_us - r.min_us) / 2 / r.median_us);
  r.ratio = j.value("ratio", 0.0);
  r.samples = j.value("samples", 0);
  return r;
}

std::string today() {
  std::time_t const now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

/// A wrong result in words.
std::string in_full(result const& r) {
  return r.engine + " " + r.operation + " " + r.type + ", n = " + std::to_string(r.n) + ": " +
         r.name + ": " + r.problem;
}

/// Whether speed is given in keys, as usual for sorts.
bool moves_keys(std::string const& operation) {
  auto const begins = [&](std::string_view word) { return operation.rfind(word, 0) == 0; };
  return begins("sort ") || begins("argsort") || begins("split by key");
}

/// The values of facts in one line.
std::string in_words(facts const& known) {
  std::string line;
  for (auto const& [name, value] : known) {
    if (value.empty() || name == "host") continue;
    bool const says_itself = name == "processor" || name == "GPU";
    line += (line.empty() ? "" : ", ") + (says_itself ? value : name + " " + value);
  }
  return line;
}

}  // namespace

struct record::content {
  nlohmann::json json;
  facts cpu, gpu;
};

record::record(options const& wanted) : content_(std::make_unique<content>()) {
  auto const requested = [&](char const* engine) {
    return std::count(wanted.engines.begin(), wanted.engines.end(), engine) > 0;
  };
  if (requested("cpu")) content_->cpu = cpu_facts(wanted.threads);
  if (requested("cuda")) content_->gpu = cuda_facts();
  nlohmann::json machine;
  for (auto const* known : {&content_->cpu, &content_->gpu}) {
    for (auto const& [name, value] : *known) machine[name] = value;
  }
  content_->json = {{"date", today()},
                    {"commit", LIBSCAN_BENCH_COMMIT},
                    {"rounds", wanted.rounds},
                    {"bytes", byte_model},
                    {"cpu", in_words(content_->cpu)},
                    {"gpu", in_words(content_->gpu)},
                    {"machine", machine},
                    {"results", nlohmann::json::array()},
                    {"wrong", nlohmann::json::array()}};
}

record::~record() = default;

void record::print_header() const {
  auto const line = [&](char const* what) {
    std::string const text = content_->json[what];
    std::printf("%-7s %s\n", what, text.empty() ? "not measured" : text.c_str());
  };
  for (char const* what : {"commit", "cpu", "gpu", "bytes"}) line(what);
  flush_lines();
}

void record::add(std::vector<result> const& results) {
  for (result const& r : results) {
    if (r.problem.empty()) {
      content_->json["results"].push_back(to_json(r));
    } else {
      content_->json["wrong"].push_back(in_full(r));
    }
  }
}

int record::wrong() const { return static_cast<int>(content_->json["wrong"].size()); }

bool record::empty() const { return content_->json["results"].empty(); }

void record::write(std::string const& path) const {
  std::string const text = content_->json.dump(1) + "\n";
  apps::output_file out(path);
  out.write(std::as_bytes(std::span<char const>(text)));
  out.commit();
}

std::vector<result> read_record(std::string const& path) {
  std::ifstream in(path);
  if (!in) throw apps::file_error::from_errno(path, "cannot open for reading", errno);
  try {
    std::vector<result> results;
    nlohmann::json const json = nlohmann::json::parse(in);
    for (nlohmann::json const& each : json.at("results")) results.push_back(from_json(each));
    return results;
  } catch (nlohmann::json::exception const& problem) {
    throw apps::file_error(path, std::string("is not a record of scan-bench: ") + problem.what());
  }
}

void flush_lines() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw apps::file_error::from_errno("<stdout>", "cannot write", errno == 0 ? EIO : errno);
}

void print(std::vector<result> const& results) {
  double memcpy_us = 0, competitor_ratio = 0;
  for (result const& r : results) {
    if (!r.problem.empty()) continue;
    if (r.name == "memcpy") memcpy_us = r.median_us;
    bool const competitor = !is_ours(r.name) && r.name.substr(0, 3) != "mem";
    if (competitor && r.ratio > 0 && (competitor_ratio == 0 || r.ratio < competitor_ratio))
      competitor_ratio = r.ratio;
  }
  for (result const& r : results) {
    if (!r.problem.empty()) {
      std::fprintf(stderr, "scan-bench: not timed: %s\n", in_full(r).c_str());
      continue;
    }
    int const digits = r.median_us < 1 ? 3 : 1;
    std::printf("%-4s %-42s %-7s %10lld  %-20s %11.*f us %10.*f .. %-10.*f noise %4.1f %%",
                r.engine.c_str(), r.operation.c_str(), r.type.c_str(), static_cast<long long>(r.n),
                r.name.c_str(), digits, r.median_us, digits, r.min_us, digits, r.max_us,
                100 * r.noise);
    if (r.beside > 0) std::printf("  p95 %.*f us", digits, r.p95_us);
    std::printf(" %7.1f GB/s", r.bytes / r.median_us / 1e3);
    if (memcpy_us > 0) std::printf("  %5.1f %% of memcpy", 100 * memcpy_us / r.median_us);
    if (moves_keys(r.operation))
      std::printf("  %6.2f Gkey/s", static_cast<double>(r.n) / r.median_us / 1e3);
    if (is_libscan(r.name) && competitor_ratio > 0)
      std::printf("  %.2fx the best competitor", competitor_ratio);
    std::printf("\n");
  }
  flush_lines();
}

}  // namespace libscan::bench
