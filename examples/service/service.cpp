// SPDX-License-Identifier: Apache-2.0
// A service in plain C++ that uses a GPU if there is one: it answers each line of numbers with
// their running sums. A GPU that fails is left, and the CPU answers.
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <libscan/buffer.hpp>
#include <libscan/libscan.hpp>

namespace {

/// Short requests are not worth a transfer to a GPU.
constexpr std::size_t worth_a_transfer = std::size_t{1} << 20;

class summing_service {
 public:
  summing_service() { std::cerr << "long requests run on " << best_.description() << '\n'; }

  /// The sums of `numbers`, by the GPU if that is worth it.
  libscan::buffer<double> answer(std::vector<double> const& numbers) {
    libscan::buffer<double> sums(static_cast<libscan::index_t>(numbers.size()));
    if (best_.is_cuda() && numbers.size() >= worth_a_transfer) {
      try {
        libscan::inclusive_scan(best_, numbers, sums);
        return sums;
      } catch (libscan::device_error const& lost) {
        std::cerr << "continuing on the CPU: " << lost.what() << '\n';
        best_ = cpu_;
      }
    }
    libscan::inclusive_scan(cpu_, numbers, sums);
    return sums;
  }

 private:
  libscan::engine cpu_ = libscan::engine::cpu();
  libscan::engine best_ = libscan::engine::best();
};

}  // namespace

int main() {
  summing_service service;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::vector<double> numbers;
    for (double number = 0; in >> number;) numbers.push_back(number);
    char const* separator = "";
    for (double const sum : service.answer(numbers)) {
      std::cout << separator << sum;
      separator = " ";
    }
    std::cout << '\n';
  }
}
