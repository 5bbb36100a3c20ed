// SPDX-License-Identifier: Apache-2.0
// Lexical analysis of a whole file. Each character is a function from the state before it to the
// state after it. A scan composes these functions, and a filter finds where tokens begin (Hillis &
// Steele 1986). The automaton is that of examples/kernels/lexer.cuh.
#include <fstream>
#include <iterator>
#include <string>

#include <examples/kernels/lexer.cuh>
#include <examples/uses/program.hpp>

namespace examples {

/// Whether a token begins at a character with this state, after one with the state `before`.
LIBSCAN_HOST_DEVICE constexpr bool begins_token(lexer_state before, lexer_state state) {
  using enum lexer_state;
  if (state == blank || state == closed || state == escape) return false;
  bool const inside = before == text || before == escape;
  if (state == text) return !inside;
  return state == mark || state != before;
}

/// Where the tokens begin.
template <class Engine>
std::vector<index_t> find_tokens(Engine& on, std::string const& text) {
  auto const letters = on.array(std::vector<char>(text.begin(), text.end()));
  index_t const n = letters.size();
  auto const functions = generate<transition>(
      on, n,
      [letters = letters.data()] __device__(index_t i) { return transition_of(letters[i]); });
  auto const composed = on.inclusive_scan(functions, compose_transitions{});
  auto const begins = generate<std::uint8_t>(on, n, [f = composed.data()] __device__(index_t i) {
    auto const blank = static_cast<unsigned>(lexer_state::blank);
    return begins_token(static_cast<lexer_state>(i == 0 ? blank : f[i - 1](blank)),
                        static_cast<lexer_state>(f[i](blank)));
  });
  return on.positions(begins).copy();
}

/// The loop.
inline std::vector<index_t> find_tokens_by_loop(std::string const& text) {
  std::vector<index_t> places;
  for (std::size_t i = 0; i < text.size();) {
    auto const in_name = [&](std::size_t k) {
      char const c = k < text.size() ? text[k] : ' ';
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    bool const digit = text[i] >= '0' && text[i] <= '9';
    if (text[i] == ' ' || text[i] == '\t' || text[i] == '\n') {
      ++i;
    } else if (text[i] == '"') {
      places.push_back(static_cast<index_t>(i));
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\';
      ++i;
    } else if (in_name(i)) {
      places.push_back(static_cast<index_t>(i));
      if (digit) {  // letters after a number begin a wrong token, to its end
        while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
        if (in_name(i)) places.push_back(static_cast<index_t>(i));
      }
      while (in_name(i)) ++i;
    } else {
      places.push_back(static_cast<index_t>(i++));
    }
  }
  return places;
}

}  // namespace examples

int main(int argc, char** argv) {
  using namespace examples;
  return run(
      argc, argv,
      [](auto& on, words given) {
        std::string text = "x1 = 42; print(\"a \\\"b\\\" c\");";
        if (!given.empty()) {
          std::ifstream file(given[0]);
          if (!file) throw invalid_argument(std::string(given[0]) + ": cannot be read");
          text.assign(std::istreambuf_iterator<char>(file), {});
        }
        auto const tokens = find_tokens(on, text);
        std::printf("%lld characters, %lld tokens\n", static_cast<long long>(text.size()),
                    static_cast<long long>(tokens.size()));
        for (std::size_t t = 0; t < tokens.size() && t < 8; ++t) {
          auto const from = static_cast<std::size_t>(tokens[t]);
          auto const to =
              t + 1 < tokens.size() ? static_cast<std::size_t>(tokens[t + 1]) : text.size();
          std::string token = text.substr(from, to - from);
          token.erase(token.find_last_not_of(" \t\n") + 1);
          std::printf("%4lld  %s\n", static_cast<long long>(from), token.c_str());
        }
      },
      [](auto& on, index_t n, random_numbers& random) {
        std::string const marks = "ab_Z019 \t\n\"\"\\;+aaaaaaaaaa    ";
        std::string text;
        for (index_t i = 0; i < n; ++i) {
          text += marks[static_cast<std::size_t>(random.below(std::ssize(marks)))];
        }
        return find_tokens(on, text) == find_tokens_by_loop(text);
      });
}
