// SPDX-License-Identifier: Apache-2.0
// The readers under arbitrary bytes. As a program: answers length-prefixed inputs on standard input
// with what the readers made of them (the frames are described at `answer`). Under libFuzzer: the
// same harness, without answers.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/exit_code.hpp>

namespace apps = libscan::apps;

namespace {

/// One input: its bytes, and how the reader is called.
struct request {
  std::string name;
  apps::read_options options;
  std::span<std::byte const> bytes;
};

/// What came of it: an array, or the words of a refusal.
struct outcome {
  std::optional<apps::array> data;
  std::string refusal;
};

/// The bytes in pieces of changing size, each in memory of its own that goes with the next piece.
class dripping_source final : public apps::byte_source {
 public:
  explicit dripping_source(std::span<std::byte const> bytes) : bytes_(bytes) {}

  std::span<std::byte const> next() override {
    step_ = step_ * 5 + 1;
    std::size_t const n = std::min<std::size_t>(bytes_.size(), 1 + step_ % 61);
    piece_ = std::make_unique<std::byte[]>(std::max<std::size_t>(n, 1));
    std::copy_n(bytes_.begin(), n, piece_.get());
    bytes_ = bytes_.subspan(n);
    return {piece_.get(), n};
  }

 private:
  std::span<std::byte const> bytes_;
  std::unique_ptr<std::byte[]> piece_;
  unsigned step_ = 0;
};

outcome read(request const& input, std::unique_ptr<apps::byte_source> source) {
  try {
    return {apps::read_array(std::move(source), input.name, input.options), {}};
  } catch (apps::file_error const& e) {
    return {std::nullopt, e.what()};
  } catch (apps::usage_error const& e) {
    return {std::nullopt, e.what()};
  }
}

[[noreturn]] void disagree(request const& input, std::string const& words) {
  std::fprintf(stderr, "fuzz-readers: %s: %s\n", input.name.c_str(), words.c_str());
  std::abort();
}

/// Reads the input as a file in memory and as a stream, which must agree.
outcome read_both_ways(request const& input) {
  // An allocation of its own, so that a sanitizer sees reads beyond it.
  std::shared_ptr<std::byte[]> const memory(new std::byte[input.bytes.size()]);
  std::copy(input.bytes.begin(), input.bytes.end(), memory.get());
  outcome const whole =
      read(input, apps::from_memory({{memory.get(), input.bytes.size()}, memory}));
  outcome const streamed = read(input, std::make_unique<dripping_source>(input.bytes));
  if (whole.refusal != streamed.refusal) {
    disagree(input, "refused differently: " + whole.refusal + " | " + streamed.refusal);
  }
  if (!whole.data) return whole;
  apps::array const& a = *whole.data;
  apps::array const& b = *streamed.data;
  if (a.type != b.type || a.shape != b.shape || a.format != b.format ||
      !std::equal(a.bytes.begin(), a.bytes.end(), b.bytes.begin(), b.bytes.end())) {
    disagree(input, "read differently from memory and from a stream");
  }
  if (reinterpret_cast<std::uintptr_t>(a.bytes.data()) % libscan::size_of(a.type) != 0) {
    disagree(input, "the items are not aligned");
  }
  return whole;
}

/// The names an input can go by: they decide on decompression.
char const* const names[] = {"input", "input.gz", "<stdin>"};

/// `how`: name, format, dtype (255: none), column.
request make_request(std::uint8_t const (&how)[4], std::span<std::byte const> bytes) {
  request input;
  input.name = names[how[0] % 3];
  input.options.format = static_cast<apps::file_format>(how[1] % 4);
  if (how[2] != 255) input.options.type = libscan::all_item_types[how[2] % 10];
  input.options.column = how[3];
  input.bytes = bytes;
  return input;
}

}  // namespace

#ifdef LIBSCAN_LIBFUZZER

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 4) return 0;
  std::uint8_t how[4];
  std::memcpy(how, data, 4);
  how[3] = static_cast<std::uint8_t>(how[3] % 4);
  read_both_ways(make_request(how, std::as_bytes(std::span(data + 4, size - 4))));
  return 0;
}

#else

namespace {

void put(void const* bytes, std::size_t size) {
  if (size > 0 && std::fwrite(bytes, 1, size, stdout) != size) std::abort();
}

template <class T>
void put_number(T value) {
  put(&value, sizeof value);
}

/// Refused: u8 0, u32 length, words. Accepted: u8 1, u8 dtype, u8 format, u64 number of dimensions,
/// i64 each, u64 length, bytes of the items. Little-endian.
void answer(outcome const& result) {
  put_number<std::uint8_t>(result.data ? 1 : 0);
  if (!result.data) {
    put_number(static_cast<std::uint32_t>(result.refusal.size()));
    put(result.refusal.data(), result.refusal.size());
    return;
  }
  apps::array const& a = *result.data;
  put_number(static_cast<std::uint8_t>(a.type));
  put_number(static_cast<std::uint8_t>(a.format));
  put_number(static_cast<std::uint64_t>(a.shape.size()));
  for (libscan::index_t const n : a.shape) put_number(n);
  put_number(static_cast<std::uint64_t>(a.bytes.size()));
  put(a.bytes.data(), a.bytes.size());
}

}  // namespace

/// Each input: u32 length, the four bytes of `make_request`, the bytes.
int main() {
  std::uint32_t length = 0;
  while (std::fread(&length, sizeof length, 1, stdin) == 1) {
    std::uint8_t how[4];
    std::vector<std::byte> bytes(length);
    if (std::fread(how, 1, sizeof how, stdin) != sizeof how ||
        std::fread(bytes.data(), 1, length, stdin) != length) {
      return 2;
    }
    answer(read_both_ways(make_request(how, bytes)));
  }
  return 0;
}

#endif
