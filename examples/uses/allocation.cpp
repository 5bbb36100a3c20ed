// SPDX-License-Identifier: Apache-2.0
// Memory for parallel threads. Each thread writes its number as text, whose length differs. An
// exclusive scan of the lengths gives each thread its part of one buffer (ECE408, lecture 12).
#include <cstdlib>
#include <string>

#include <examples/uses/program.hpp>

namespace examples {

/// Characters of the number's text and of the comma after it.
LIBSCAN_HOST_DEVICE constexpr index_t text_length(unsigned number) {
  index_t length = 2;
  while (number >= 10) number /= 10, ++length;
  return length;
}

/// The numbers in decimal, each followed by a comma.
template <class Engine>
std::string to_text(Engine& on, std::vector<unsigned> const& given) {
  auto const numbers = on.array(given);
  auto const lengths = generate<index_t>(
      on, numbers.size(),
      [numbers = numbers.data()] __device__(index_t i) { return text_length(numbers[i]); });
  auto const [begins, total] = on.exclusive_scan(lengths, plus<index_t>{});
  auto text = on.array(std::vector<char>(static_cast<std::size_t>(total), ','));
  on.each(numbers.size(), [numbers = numbers.data(), lengths = lengths.data(),
                           begins = begins.data(), text = text.data()] __device__(index_t i) {
    char* digit = text + begins[i] + lengths[i] - 1;  // the comma
    unsigned rest = numbers[i];
    do *--digit = static_cast<char>('0' + rest % 10);
    while ((rest /= 10) != 0);
  });
  auto const copied = text.copy();
  return {copied.begin(), copied.end()};
}

/// The loop.
inline std::string to_text_by_loop(std::vector<unsigned> const& numbers) {
  std::string text;
  for (unsigned const number : numbers) text += std::to_string(number) + ',';
  return text;
}

}  // namespace examples

int main(int argc, char** argv) {
  using namespace examples;
  return run(
      argc, argv,
      [](auto& on, words given) {
        std::vector<unsigned> numbers{3, 1000, 7, 0, 42, 123456};
        if (!given.empty()) numbers.clear();
        for (auto const word : given) {
          numbers.push_back(static_cast<unsigned>(std::strtoul(word, nullptr, 10)));
        }
        auto const text = to_text(on, numbers);
        std::printf("%s %d bytes\n", text.c_str(), static_cast<int>(text.size()));
      },
      [](auto& on, index_t n, random_numbers& random) {
        auto numbers = random.vector<unsigned>(n, 1000);
        for (unsigned& number : numbers) number *= number * number;  // of 1 to 9 digits
        return to_text(on, numbers) == to_text_by_loop(numbers);
      });
}
