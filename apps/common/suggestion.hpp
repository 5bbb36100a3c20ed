// SPDX-License-Identifier: Apache-2.0
// The word that was perhaps meant by another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace libscan::apps {

/// The one of `words` that `word` becomes by the fewest edits: one character inserted, removed,
/// replaced, changed in case or exchanged with the next. Empty if that takes more than a third of
/// the word's characters (at least one edit), or if there are no words. The first of several.
std::string closest_word(std::string_view word, std::vector<std::string> const& words);

}  // namespace libscan::apps
