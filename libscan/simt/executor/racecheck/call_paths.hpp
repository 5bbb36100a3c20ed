// SPDX-License-Identifier: Apache-2.0
// Where an access happens: its instruction and the calls that led there. Both are kept as numbers
// until a line is needed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <libscan/simt/executor/racecheck/line_lookup.hpp>
#include <libscan/simt/executor/settings.hpp>

namespace libscan::inline v1_executor::simt::executor::racecheck {

/// An instruction reached by certain calls.
using site_id = std::uint32_t;

/// A chain of calls of instrumented functions.
using path_id = std::uint32_t;

class call_paths {
 public:
  static constexpr path_id outside = 0;  ///< before a thread enters the kernel

  explicit call_paths(line_lookup& lines) : lines_(lines) {}

  /// `path` extended by a call from the instruction before `return_address`.
  path_id enter(path_id path, void const* return_address) {
    return number(path, return_address, known_calls_, calls_, callers_);
  }
  path_id leave(path_id path) const { return callers_[path].path; }

  /// The access announced by the call before `return_address`.
  site_id access(path_id path, void const* return_address) {
    return number(path, return_address, known_accesses_, accesses_, sites_);
  }

  /// A bulk copy issued there.
  site_id bulk_copy(call_site issued);

  /// Whether the site does not belong to the kernel. The executor's own work for a thread runs
  /// through instrumented copies of inline functions if the linker chose those.
  bool is_foreign(site_id site) const { return sites_[site].foreign; }
  void declare_foreign(site_id site) { sites_[site].foreign = true; }

  /// The line of a kernel or device function that the site belongs to: the innermost one, inlined
  /// calls included, outside system headers, libscan/simt and libscan/core (so the work of an
  /// operator or a vector access counts for the line that calls it). Empty for the passing of
  /// arguments.
  std::optional<source_line> const& line(site_id site) { return resolved(site).line; }

  /// One site for all sites that stand for the same expression, reached by the same calls:
  /// compilers make several instructions from one expression.
  site_id representative(site_id site) { return resolved(site).representative; }

 private:
  struct place {
    path_id path = 0;
    void const* return_address = nullptr;
    bool foreign = false;
    bool is_resolved = false;
    site_id representative = 0;
    std::optional<source_line> line;
  };
  struct cached {
    path_id path = 0;
    void const* return_address = nullptr;
    std::uint32_t id = 0;
  };
  using cache = std::array<cached, 1024>;
  struct place_key {
    path_id path;
    void const* return_address;
    friend bool operator==(place_key const&, place_key const&) = default;
  };
  struct hash {
    std::size_t operator()(place_key const& key) const { return mix(key.path, key.return_address); }
  };
  using numbers = std::unordered_map<place_key, std::uint32_t, hash>;

  static std::size_t mix(path_id path, void const* return_address) {
    return (reinterpret_cast<std::uintptr_t>(return_address) ^ path * 0x9e3779b97f4a7c15u) *
               0xff51afd7ed558ccdu >>
           20;
  }

  std::uint32_t number(path_id path, void const* return_address, cache& recent, numbers& all,
                       std::vector<place>& places) {
    cached& known = recent[mix(path, return_address) % recent.size()];
    if (known.path != path || known.return_address != return_address) {
      known = {path, return_address, look_up(path, return_address, all, places)};
    }
    return known.id;
  }
  std::uint32_t look_up(path_id path, void const* return_address, numbers& all,
                        std::vector<place>& places);
  place const& resolved(site_id site) {
    if (!sites_[site].is_resolved) resolve(site);
    return sites_[site];
  }
  void resolve(site_id site);
  std::vector<source_position> calls_to(place const& at) const;

  line_lookup& lines_;
  cache known_calls_{}, known_accesses_{};
  numbers calls_, accesses_;
  std::vector<place> callers_{1};  // by path_id
  std::vector<place> sites_{1};    // by site_id
  std::map<source_line, site_id> copies_;
  std::unordered_map<std::string, site_id> positions_;
};

}  // namespace libscan::inline v1_executor::simt::executor::racecheck
