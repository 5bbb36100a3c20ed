// SPDX-License-Identifier: Apache-2.0
// Busy processes beside a measurement: how long calls take on a machine with other work.
#pragma once

#include <sys/types.h>

#include <vector>

namespace libscan::bench {

/// Processes that count in a loop until this object is destroyed or the program ends. Throws
/// `libscan::error` if one cannot be started.
class busy_processes {
 public:
  explicit busy_processes(int count);
  ~busy_processes();
  busy_processes(busy_processes const&) = delete;
  busy_processes& operator=(busy_processes const&) = delete;

 private:
  void end();

  std::vector<pid_t> started_;
};

}  // namespace libscan::bench
