// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>

#include <bench/changes.hpp>

namespace libscan::bench {

namespace {

constexpr double min_noise = 0.02;

using key = std::tuple<std::string, std::string, std::string, index_t, std::string>;

key key_of(result const& r) { return {r.engine, r.operation, r.type, r.n, r.name}; }

}  // namespace

double change::noise() const { return std::max(min_noise, before.noise + after.noise); }

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
  std::string_view const word = std::string_view(name).substr(0, name.find(' '));
  return std::find(names_of_others.begin(), names_of_others.end(), word) == names_of_others.end();
}

}  // namespace libscan::bench
