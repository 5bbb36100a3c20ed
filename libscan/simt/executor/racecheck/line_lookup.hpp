// SPDX-License-Identifier: Apache-2.0
// From instructions of this program to source lines, by its DWARF debug information (libdw of
// elfutils).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <libscan/simt/executor/settings.hpp>

namespace libscan::inline v1_executor::simt::executor::racecheck {

/// A place in a source file.
struct source_position {
  source_line line;
  int column = 0;
};

class line_lookup {
 public:
  line_lookup();
  ~line_lookup();
  line_lookup(line_lookup const&) = delete;
  line_lookup& operator=(line_lookup const&) = delete;

  /// Reads where the executor's own code is. On the host's stack; later calls do nothing.
  void load();

  /// Whether the program has debug information of the executor.
  bool knows_executor() const;

  /// Whether the call before `return_address` is compiled into the executor itself.
  bool in_executor(void const* return_address) const;

  /// The place of the call before `return_address`, then those of the inlined calls that contain
  /// it, innermost first. Empty without debug information.
  std::vector<source_position> frames(void const* return_address) const;

 private:
  struct debug_information;
  std::unique_ptr<debug_information> program_;
};

}  // namespace libscan::inline v1_executor::simt::executor::racecheck
