// SPDX-License-Identifier: Apache-2.0
// Names of an enum's values, for programs that offer a choice of algorithms: our name for each, and
// the names that the literature has for some of them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <libscan/core/error.hpp>

namespace libscan::inline v1 {

/// A name that the literature uses, and the one here.
struct other_name {
  std::string_view other, own;
};

/// The names of the values 0, 1, ... of an enum, and other names for them.
template <class Enum, std::size_t Names, std::size_t Others>
struct name_table {
  char const* what;  ///< what they name, for messages: "scan strategy"
  std::array<std::string_view, Names> names;
  std::array<other_name, Others> others;

  /// The name of a value, as users write it.
  constexpr std::string_view name(Enum which) const {
    return names[static_cast<std::size_t>(which)];
  }

  /// The name here for what the literature calls `name`; `name` itself if it is no such name.
  constexpr std::string_view own(std::string_view name) const {
    for (other_name const& each : others) {
      if (each.other == name) return each.own;
    }
    return name;
  }

  /// The value of that name, or of the literature's name for it; none if there is no such name.
  constexpr std::optional<Enum> find(std::string_view name) const {
    std::string_view const wanted = own(name);
    for (std::size_t i = 0; i < Names; ++i) {
      if (names[i] == wanted) return static_cast<Enum>(i);
    }
    return std::nullopt;
  }

  /// The names here, with commas between them.
  std::string list() const {
    std::string valid;
    for (std::string_view const each : names) {
      valid.append(valid.empty() ? "" : ", ").append(each);
    }
    return valid;
  }

  /// The same as `find`. Throws `invalid_argument`, which lists the valid names.
  Enum named(std::string_view name) const {
    if (std::optional<Enum> const found = find(name)) return *found;
    throw invalid_argument(std::string(what) + " \"" + std::string(name) +
                           "\" is unknown; expected one of " + list());
  }

  /// All values, in order.
  constexpr std::array<Enum, Names> values() const {
    std::array<Enum, Names> all{};
    for (std::size_t i = 0; i < Names; ++i) all[i] = static_cast<Enum>(i);
    return all;
  }
};

}  // namespace libscan::inline v1
