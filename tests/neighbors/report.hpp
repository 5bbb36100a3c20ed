// SPDX-License-Identifier: Apache-2.0
// What the libscans of one process tell of themselves, each through a function of its own.
#pragma once

namespace neighbors {

/// Filled by the code of one libscan.
struct report {
  int wrong_items;    ///< of its scans
  int tile_items;     ///< as its header says: of a thread of the look-back scan
  char message[128];  ///< what it throws for a negative number of items
};

}  // namespace neighbors

extern "C" {
void own_report(neighbors::report* result);
void other_build_report(neighbors::report* result);
void other_version_report(neighbors::report* result);
}
