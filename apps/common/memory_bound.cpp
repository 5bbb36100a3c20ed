// SPDX-License-Identifier: Apache-2.0
// The memory bound, and the limits that it is computed from.
#include <apps/common/memory_bound.hpp>

#include <link.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <string_view>

#include <apps/common/exit_code.hpp>
#include <apps/common/number.hpp>
#include <apps/common/table.hpp>

namespace libscan::apps {
namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

std::uint64_t bound = 0;  // 0: the default

/// The number in a cgroup's file; without one ("max", or no such file) there is no limit.
std::uint64_t limit_in(std::string const& path) {
  std::ifstream file(path);
  std::string word;
  std::uint64_t limit = 0;
  if (!(file >> word) || parse_number(std::string_view(word), limit) != parse_outcome::number) {
    return no_limit;
  }
  return limit;
}

/// The smallest limit of a group and of all groups around it. A container may see its own group as
/// the root, under a path that does not exist there; the root always counts.
std::uint64_t limit_of_group(std::string const& mount, std::string group, std::string const& file) {
  std::uint64_t lowest = limit_in(mount + "/" + file);
  for (; group.size() > 1; group.resize(group.rfind('/'))) {
    lowest = std::min(lowest, limit_in(mount + group + "/" + file));
    if (group.rfind('/') == std::string::npos) break;
  }
  return lowest;
}

/// Whether a comma-separated list of names contains "memory".
bool names_memory(std::string_view controllers) {
  std::string const all = std::string(",").append(controllers).append(",");
  return all.find(",memory,") != std::string::npos;
}

std::uint64_t cgroup_limit(std::string const& root) {
  std::string const groups = root + "/sys/fs/cgroup";
  std::uint64_t lowest = std::min(limit_in(groups + "/memory.max"),
                                  limit_in(groups + "/memory/memory.limit_in_bytes"));
  std::ifstream membership(root + "/proc/self/cgroup");
  for (std::string line; std::getline(membership, line);) {  // "4:memory:/path", or "0::/path"
    std::size_t const first = line.find(':');
    std::size_t const second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    std::string const controllers = line.substr(first + 1, second - first - 1);
    std::string const group = line.substr(second + 1);
    if (controllers.empty()) {
      for (char const* const mount : {"", "/unified"}) {
        lowest = std::min(lowest, limit_of_group(groups + mount, group, "memory.max"));
      }
    } else if (names_memory(controllers)) {
      lowest = std::min(lowest, limit_of_group(groups + "/memory", group, "memory.limit_in_bytes"));
    }
  }
  return lowest;
}

/// The limit of this process for RLIMIT_AS or RLIMIT_DATA.
std::uint64_t process_limit(int resource) {
  rlimit limit = {};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_limit;
  return std::uint64_t{limit.rlim_cur};
}

std::uint64_t address_space() { return process_limit(RLIMIT_AS); }

/// The bytes that the program and its libraries take of the address space.
std::uint64_t program_bytes() {
  std::uint64_t bytes = 0;
  auto const add = [](dl_phdr_info* object, std::size_t, void* sum) {
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      auto const& part = object->dlpi_phdr[i];
      if (part.p_type == PT_LOAD) *static_cast<std::uint64_t*>(sum) += part.p_memsz;
    }
    return 0;
  };
  ::dl_iterate_phdr(add, &bytes);
  return bytes;
}

/// What data may take: three fifths. Of a small address space less, if the program itself takes
/// more than one of the other two, but at least one.
std::uint64_t default_bound() {
  std::uint64_t const most = usable_memory() / 5 * 3;
  std::uint64_t const space = address_space();
  if (space == no_limit) return most;
  std::uint64_t const fifth = space / 5;
  std::uint64_t const code = std::min(program_bytes(), 3 * fifth);
  return std::min(most, 4 * fifth - code);
}

std::string in_units(std::uint64_t bytes, int places = 1) {
  constexpr char const* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s", places, value, units[unit]);
  return text;
}

}  // namespace

std::uint64_t usable_memory(std::string const& root) {
  auto const physical = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return std::min({physical, address_space(), process_limit(RLIMIT_DATA), cgroup_limit(root)});
}

bool addresses_are_limited() { return address_space() != no_limit; }

std::uint64_t mappable_bytes() {
  std::uint64_t const space = address_space();
  return space == no_limit ? no_limit : space / 5;
}

void set_memory_bound(std::uint64_t bytes) { bound = bytes; }

std::uint64_t memory_bound() {
  static std::uint64_t const by_default = default_bound();
  return bound != 0 ? bound : by_default;
}

bool memory_bound_given() { return bound != 0; }

void require_memory(std::uint64_t bytes, std::string const& what, char const* how) {
  if (bytes <= memory_bound()) return;
  std::string needed = in_units(bytes), bound = in_units(memory_bound());
  constexpr int max_places = 12;
  for (int places = 2; needed == bound && places <= max_places; ++places) {
    needed = in_units(bytes, places);
    bound = in_units(memory_bound(), places);
  }
  throw error(what + how + needed + " of memory, more than the " + bound +
              (memory_bound_given() ? " of --memory" : " that may be taken here (see --memory)"));
}

std::uint64_t parse_size(std::string const& text) {
  std::size_t const digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string unit = text.substr(digits);
  for (char& c : unit) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  constexpr std::string_view powers = "KMGTPE";
  std::size_t const power = unit.empty() ? std::string_view::npos : powers.find(unit[0]);
  std::string_view const end =
      std::string_view(unit).substr(power == std::string_view::npos ? 0 : 1);
  bool const known = end.empty() || end == "B" || (end == "IB" && power != std::string_view::npos);
  std::uint64_t bytes = 0;
  bool good = known && parse_digits(std::string_view(text).substr(0, digits), bytes);
  if (power != std::string_view::npos) {
    for (std::size_t i = 0; i <= power; ++i) {
      good = good && !__builtin_mul_overflow(bytes, std::uint64_t{1024}, &bytes);
    }
  }
  if (!good) throw usage_error(for_people(text) + ", expected a size such as 4G, below 16E");
  return bytes;
}

}  // namespace libscan::apps
