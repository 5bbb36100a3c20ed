// SPDX-License-Identifier: Apache-2.0
// Example: a lexer as a scan. Each character is a function from the state before it to the state
// after it, and a scan composes them (Hillis & Steele 1986, "Parsing a regular language").
#pragma once

#include <examples/kernels/frame.cuh>
#include <libscan/block/scan.cuh>

namespace examples {

/// Where a character leaves the lexer. `closed`: at the quote that ends a text; `wrong`: in a
/// number that runs into a letter.
enum class lexer_state : unsigned char { blank, name, number, text, escape, closed, mark, wrong };

/// A function from states to states: state s goes to hexadecimal digit s, counted from the right.
struct transition {
  unsigned digits;

  LIBSCAN_HOST_DEVICE constexpr unsigned operator()(unsigned state) const {
    return digits >> (4 * state) & 15u;
  }
};

/// First the earlier function, then the later one. Associative; does not commute.
struct compose_transitions {
  using value_type = transition;
  LIBSCAN_HOST_DEVICE static constexpr transition identity() { return {0x76543210}; }
  LIBSCAN_HOST_DEVICE constexpr transition operator()(transition earlier, transition later) const {
    transition both{0};
    for (unsigned s = 0; s < 8; ++s) both.digits |= later(earlier(s)) << (4 * s);
    return both;
  }
};

/// The function of one character: names, numbers, texts in quotes with escapes, marks, blanks.
LIBSCAN_HOST_DEVICE constexpr transition transition_of(char c) {
  if (c == '"') return {0x33335333};
  if (c == '\\') return {0x66634666};
  if (c == ' ' || c == '\t' || c == '\n') return {0x00033000};
  if (c >= '0' && c <= '9') return {0x72233212};
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_') return {0x71133711};
  return {0x66633666};
}

/// states[i] = the state after text[i]. One block walks along the text; the total of a tile takes
/// the state on into the next one.
struct lex_kernel {
  using shared_storage = block::scan_storage<transition, block_threads>;
  __device__ void operator()(shared_storage& shared, char const* text, index_t n,
                             lexer_state* states) const {
    unsigned start = static_cast<unsigned>(lexer_state::blank);
    for (index_t base = 0; base < n; base += block_threads) {
      index_t const i = base + threadIdx.x;
      transition const own = i < n ? transition_of(text[i]) : compose_transitions::identity();
      auto const lexed = block::inclusive_scan(shared, own, compose_transitions{});
      if (i < n) states[i] = static_cast<lexer_state>(lexed.prefix(start));
      start = lexed.total(start);
    }
  }
};

}  // namespace examples
