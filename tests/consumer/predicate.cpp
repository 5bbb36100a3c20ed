// SPDX-License-Identifier: Apache-2.0
// A user's program that has a predicate parsed, and calls no engine.
#include <libscan/predicate_parser.hpp>

int main() { return libscan::parse_predicate<int>("> 3")(4) ? 0 : 1; }
