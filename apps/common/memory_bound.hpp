// SPDX-License-Identifier: Apache-2.0
// The memory that a program may take: --memory, or a share of what the machine and its limits
// leave. Work that needs more is refused before it begins.
#pragma once

#include <cstdint>
#include <string>

namespace libscan::apps {

/// The most bytes this process can have: the smallest of the physical memory, the limits of its
/// cgroup and of the groups around it (v2 and v1), RLIMIT_AS and RLIMIT_DATA. `root` is a prefix of
/// /proc and /sys, for tests.
std::uint64_t usable_memory(std::string const& root = "");

/// Whether RLIMIT_AS limits the addresses of this process. What it reserves then counts as taken.
bool addresses_are_limited();

/// The largest file that may be mapped: a fifth of RLIMIT_AS, since buffers may take three fifths,
/// and code and stacks need the rest. Without RLIMIT_AS any file may be.
std::uint64_t mappable_bytes();

/// Sets the bound of this process in bytes; 0: the default, 60 % of `usable_memory()`, and less if
/// the program's own code takes more than a fifth of RLIMIT_AS.
void set_memory_bound(std::uint64_t bytes);

/// The bound in bytes.
std::uint64_t memory_bound();

/// Whether the bound was set to anything other than the default.
bool memory_bound_given();

/// Throws `error` if `bytes` exceed the bound. `what` needs them ("reading x.csv"); `how` continues
/// the message.
void require_memory(std::uint64_t bytes, std::string const& what,
                    char const* how = " takes at least ");

/// A number of bytes such as "4G": decimal digits, optionally with K, M, G, T, P or E for powers of
/// 1024 (as K, KB or KiB, in any case). Throws `usage_error`.
std::uint64_t parse_size(std::string const& text);

}  // namespace libscan::apps
