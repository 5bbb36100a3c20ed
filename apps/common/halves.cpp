// SPDX-License-Identifier: Apache-2.0
#include <apps/common/halves.hpp>

#include <cstring>
#include <utility>

#include <apps/common/byte_source.hpp>
#include <libscan/core/half.hpp>

namespace libscan::apps {

namespace {

template <class Half>
void widen(std::byte const* from, std::byte* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    Half half;
    std::memcpy(&half, from + i * sizeof half, sizeof half);
    auto const number = static_cast<float>(half);
    std::memcpy(to + i * sizeof number, &number, sizeof number);
  }
}

}  // namespace

std::optional<half_dtype> half_from_name(std::string_view name) {
  if (name == "f16" || name == "float16" || name == "<f2") return half_dtype::f16;
  if (name == "bf16" || name == "bfloat16") return half_dtype::bf16;
  return std::nullopt;
}

std::string_view name_of(half_dtype type) {
  return type == half_dtype::f16 ? "float16" : "bfloat16";
}

array widened(array const& bits, half_dtype type) {
  std::size_t const count = bits.bytes.size() / sizeof(std::uint16_t);
  array result{dtype::f32, bits.shape, bits.format, {}, nullptr};
  if (count == 0) return result;
  byte_buffer buffer;
  std::byte* const to = buffer.grow(count * sizeof(float)).data();
  auto const widen_all = type == half_dtype::f16 ? widen<float16> : widen<bfloat16>;
  widen_all(bits.bytes.data(), to, count);
  kept_bytes floats = buffer.release();
  result.bytes = floats.bytes;
  result.owner = std::move(floats.owner);
  return result;
}

}  // namespace libscan::apps
