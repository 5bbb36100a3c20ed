// SPDX-License-Identifier: Apache-2.0
// Reading flags, bits, offsets and keys.
#include <apps/prefix/segment_file.hpp>

#include <algorithm>
#include <cstring>
#include <optional>

#include <apps/common/byte_source.hpp>
#include <apps/common/counted_source.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/number.hpp>

namespace libscan::apps {
namespace {

using form = segmentation::form;

/// The type that the file must have; none if several are allowed.
std::optional<dtype> type_wanted(form how, std::string const& path) {
  bool const raw = format_of_name(path) == file_format::raw;
  if (how == form::flags) return dtype::u8;
  if (how == form::bits && raw) return dtype::u8;
  if (how == form::offsets && raw) return dtype::i64;
  if (how == form::keys && raw) {
    throw usage_error("--keys " + path +
                      ": raw binary does not say its type, expected npy or text");
  }
  return std::nullopt;
}

/// The offsets, of any integer type, as index_t; -1 for values that index_t cannot hold.
std::vector<index_t> widened(array const& file, std::string const& name) {
  require_memory(memory_held() + file.count() * sizeof(index_t), "offsets of " + name);
  std::vector<index_t> result(file.count());
  visit_item_type(file.type, [&]<class T>(std::type_identity<T>) {
    auto const values = file.values<T>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_integral_v<T>) {
        bool const too_large =
            std::is_unsigned_v<T> && sizeof(T) == 8 && static_cast<index_t>(values[i]) < 0;
        result[i] = too_large ? -1 : static_cast<index_t>(values[i]);
      }
    }
  });
  return result;
}

[[noreturn]] void refuse_offset(std::string const& name, index_t at, index_t value,
                                std::string const& expected) {
  throw file_error(name, "offset " + std::to_string(at) + " is " +
                             (value < 0 ? "negative or beyond 2^63" : std::to_string(value)) +
                             ", expected " + expected);
}

void check_offsets(std::string const& name, index_t const* offsets, index_t count, index_t n) {
  if (count == 0) {
    throw file_error(name, "holds no offsets, expected one more than there are segments");
  }
  if (offsets[0] != 0) refuse_offset(name, 0, offsets[0], "0");
  for (index_t i = 1; i < count; ++i) {
    if (offsets[i] < offsets[i - 1]) {
      refuse_offset(name, i, offsets[i],
                    "at least " + std::to_string(offsets[i - 1]) + " as before it");
    }
    if (offsets[i] > n) {
      refuse_offset(name, i, offsets[i],
                    "at most " + std::to_string(n) + ", the number of items in the input");
    }
  }
  if (offsets[count - 1] != n) {
    refuse_offset(name, count - 1, offsets[count - 1],
                  std::to_string(n) + " for the last, the number of items in the input");
  }
}

}  // namespace

segment_file::segment_file(form how, std::string const& path, index_t n, progress* meter) {
  read_options options;
  options.type = type_wanted(how, path);
  options.meter = meter;
  file_ = read_counted(path, options, bytes_read_);
  std::string const name = input_name(path);
  segments_ = {how, file_.bytes.data(), 0, file_.type};
  if (how == form::flags) check_count(name, n, "head flag");
  if (how == form::bits) take_bits(name, n);
  if (how == form::offsets) take_offsets(name, n);
  if (how == form::keys) check_count(name, n, "key");
}

void segment_file::check_count(std::string const& name, index_t n, char const* what) const {
  if (file_.count() == static_cast<std::size_t>(n)) return;
  throw file_error(name, "holds " + std::to_string(file_.count()) + " items, expected " +
                             std::to_string(n) + ": a " + what + " for each item of the input");
}

void segment_file::take_bits(std::string const& name, index_t n) {
  bool const words = file_.type == dtype::u8 || file_.type == dtype::u16 ||
                     file_.type == dtype::u32 || file_.type == dtype::u64;
  if (!words) {
    throw file_error(name, "holds " + std::string(name_of(file_.type)) +
                               " items, expected unsigned ones (numpy.packbits makes uint8)");
  }
  auto const item_bits = static_cast<index_t>(8 * size_of(file_.type));
  auto const bits = static_cast<index_t>(file_.count()) * item_bits;
  index_t const fewest = ceil_div(n, item_bits) * item_bits;
  if (bits != fewest && bits != ceil_div(n, index_t{32}) * 32) {
    throw file_error(name, "holds " + std::to_string(bits) + " bits, expected " +
                               std::to_string(fewest) + ": one for each of the input's " +
                               std::to_string(n) + " items, in whole items of " +
                               std::string(name_of(file_.type)));
  }
  bool const aligned = reinterpret_cast<std::uintptr_t>(file_.bytes.data()) % 4 == 0;
  if (aligned && file_.bytes.size() % 4 == 0) return;
  words_.assign(file_.bytes.size() / 4 + 1, 0);
  if (!file_.bytes.empty()) {
    std::memcpy(words_.data(), file_.bytes.data(), file_.bytes.size());
  }
  segments_.data = words_.data();
}

void segment_file::take_offsets(std::string const& name, index_t n) {
  if (file_.type == dtype::f32 || file_.type == dtype::f64) {
    throw file_error(name, "holds " + std::string(name_of(file_.type)) +
                               " items, expected offsets of an integer type");
  }
  if (file_.type != dtype::i64) {
    offsets_ = widened(file_, name);
    segments_.data = offsets_.data();
  }
  auto const count = static_cast<index_t>(file_.count());
  check_offsets(name, static_cast<index_t const*>(segments_.data), count, n);
  segments_.segments = count - 1;
}

}  // namespace libscan::apps
