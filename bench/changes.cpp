// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>

#include <bench/changes.hpp>

namespace libscan::bench {

namespace {

constexpr double least_noise = 0.02;

using key = std::tuple<std::string, std::string, std::string, index_t, std::string>;

key key_of(result const& r) { return {r.engine, r.operation, r.type, r.n, r.name}; }

}  // namespace

double change::noise() const { return std::max(least_noise, before.noise + after.noise); }

std::vector<change> changes(std::vector<result> const& before, std::vector<result> const& after) {
  std::map<key, result const*> known;
  for (result const& r : before) known[key_of(r)] = &r;
  std::vector<change> common;
  for (result const& r : after) {
    auto const found = known.find(key_of(r));
    if (found != known.end()) common.push_back({*found->second, r});
  }
  return common;
}

bool is_ours(std::string const& name) {
  constexpr std::array<std::string_view, 16> others{
      "memcpy",     "memset",         "cub",      "cub-newest", "thrust", "std",   "tbb",
      "sequential", "cpu-sequential", "cusparse", "eigen",      "openmp", "merge", "vqsort",
      "parlaylib",  "boost"};
  std::string_view const word = std::string_view(name).substr(0, name.find(' '));
  return std::find(others.begin(), others.end(), word) == others.end();
}

}  // namespace libscan::bench
