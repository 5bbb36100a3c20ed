// SPDX-License-Identifier: Apache-2.0
// Reading flags, bits, offsets and keys.
#include <apps/prefix/segment_file.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>

#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/number.hpp>
#include <apps/prefix/run_prefix.hpp>
#include <libscan/core/floats.hpp>
#include <libscan/host/host_heads.hpp>

namespace libscan::apps {
namespace {

using form = segmentation::form;

[[noreturn]] void refuse_offset(std::string const& name, index_t at, index_t value,
                                std::string const& expected) {
  throw file_error(name, "offset " + std::to_string(at) + " is " +
                             (value < 0 ? "negative or beyond 2^63" : std::to_string(value)) +
                             ", expected " + expected);
}

/// Flags or keys in memory, as a description of segments.
segmentation described(form how, dtype type, std::span<std::byte const> bytes) {
  segmentation result;
  visit_item_type(type, [&]<class T>(std::type_identity<T>) {
    std::span<T const> const items(reinterpret_cast<T const*>(bytes.data()),
                                   bytes.size() / sizeof(T));
    if constexpr (sizeof(T) == 1) {
      result = how == form::flags ? segmentation::of_flags(items) : segmentation::of_keys(items);
    } else {
      result = segmentation::of_keys(items);
    }
  });
  return result;
}

void check_count(std::string const& name, index_t count, index_t n, char const* what) {
  if (count == n) return;
  throw file_error(name, "holds " + std::to_string(count) + " items, expected " +
                             std::to_string(n) + ": a " + what + " for each item of the input");
}

/// Bits of n items, in `count` items of `type`.
void check_bits(std::string const& name, dtype type, index_t count, index_t n) {
  if (!is_unsigned(type)) {
    throw file_error(name, "holds " + std::string(name_of(type)) +
                               " items, expected unsigned ones (numpy.packbits makes uint8)");
  }
  auto const item_bits = static_cast<index_t>(8 * size_of(type));
  index_t const bits = count * item_bits;
  index_t const fewest = ceil_div(n, item_bits) * item_bits;
  if (bits != fewest && bits != ceil_div(n, index_t{32}) * 32) {
    throw file_error(name, "holds " + std::to_string(bits) + " bits, expected " +
                               std::to_string(fewest) + ": one for each of the input's " +
                               std::to_string(n) + " items, in whole items of " +
                               std::string(name_of(type)));
  }
}

}  // namespace

std::optional<dtype> type_of_segments(form how, std::string const& path) {
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

std::vector<index_t> offsets_as_index(array const& file, std::string const& name) {
  if (is_float(file.type)) {
    throw file_error(name, "holds " + std::string(name_of(file.type)) +
                               " items, expected offsets of an integer type");
  }
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

void check_segment_count(form how, std::string const& name, dtype type, index_t count, index_t n) {
  if (how == form::flags) check_count(name, count, n, "head flag");
  if (how == form::keys) check_count(name, count, n, "key");
  if (how == form::bits) check_bits(name, type, count, n);
}

void check_segment_offsets(std::string const& name, index_t const* offsets, index_t count,
                           index_t first, index_t before, index_t all, index_t n) {
  if (all == 0) {
    throw file_error(name, "holds no offsets, expected one more than there are segments");
  }
  for (index_t i = 0; i < count; ++i) {
    index_t const value = offsets[i], at = first + i;
    if (at == 0 && value != 0) refuse_offset(name, 0, value, "0");
    index_t const previous = i > 0 ? offsets[i - 1] : before;
    if (at > 0 && value < previous) {
      refuse_offset(name, at, value, "at least " + std::to_string(previous) + " as before it");
    }
    if (value > n) {
      refuse_offset(name, at, value,
                    "at most " + std::to_string(n) + ", the number of items in the input");
    }
    if (at == all - 1 && value != n) {
      refuse_offset(name, at, value,
                    std::to_string(n) + " for the last, the number of items in the input");
    }
  }
}

segment_file::segment_file(form how, std::string const& path, index_t n, progress* meter) {
  read_options options = read_options::beside_input(meter);
  options.type = type_of_segments(how, path);
  file_ = read_counted(path, options, bytes_read_);
  std::string const name = input_name(path);
  auto const count = static_cast<index_t>(file_.count());
  check_segment_count(how, name, file_.type, count, n);
  if (how == form::bits) take_bits(n);
  if (how == form::offsets) take_offsets(name, n);
  if (how == form::flags || how == form::keys) segments_ = described(how, file_.type, file_.bytes);
}

void segment_file::take_bits(index_t n) {
  bool const aligned = reinterpret_cast<std::uintptr_t>(file_.bytes.data()) % 4 == 0;
  if (aligned && file_.bytes.size() % 4 == 0) {
    auto const* const words = reinterpret_cast<std::uint32_t const*>(file_.bytes.data());
    segments_ = segmentation::of_bits({words, file_.bytes.size() / 4}, n);
    return;
  }
  words_.assign(file_.bytes.size() / 4 + 1, 0);
  if (!file_.bytes.empty()) {
    std::memcpy(words_.data(), file_.bytes.data(), file_.bytes.size());
  }
  segments_ = segmentation::of_bits(words_, n);
}

void segment_file::take_offsets(std::string const& name, index_t n) {
  bool const wide = file_.type == dtype::i64;
  if (!wide) offsets_ = offsets_as_index(file_, name);
  std::span<index_t const> const offsets =
      wide ? file_.values<index_t>() : std::span<index_t const>(offsets_);
  index_t const count = std::ssize(offsets);
  check_segment_offsets(name, offsets.data(), count, 0, 0, count, n);
  segments_ = segmentation::of_offsets(offsets);
}

segment_stream::segment_stream(form how, std::string const& path, index_t n, index_t piece,
                               scan_direction direction, progress* meter, std::uint64_t& bytes_read)
    : how_(how), n_(n), reverse_(direction == scan_direction::reverse) {
  // Backwards, the bits of a piece would begin within a byte.
  if (how == form::offsets || (how == form::bits && reverse_)) {
    all_ = segment_file(how, path, n, meter);
    bytes_read += all_.bytes_read();
    bytes_ = all_.bytes();
    return;
  }
  read_options options = read_options::beside_input(meter);
  options.type = type_of_segments(how, path);
  in_.emplace(path, options, item_stream::request{.from_end = reverse_, .known_count = true},
              bytes_read);
  index_t const count = *in_->count();
  index_t items = piece;
  check_segment_count(how, in_->name(), in_->type(), count, n);
  if (how == form::bits) {
    items = piece / static_cast<index_t>(8 * size_of(in_->type()));
  }
  in_->begin(items, items);
}

segmentation segment_stream::next(index_t first, index_t count) {
  segmentation const result = in_                     ? next_streamed(count)
                              : how_ == form::offsets ? next_offsets(first, count)
                                                      : next_bits(first, count);
  first_piece_ = false;
  return result;
}

segmentation segment_stream::next_streamed(index_t count) {
  std::span<std::byte const> const bytes = in_->next().value_or(std::span<std::byte const>{});
  bytes_ += bytes.size();
  if (how_ == form::bits) {
    words_.assign(bytes.size() / sizeof(words_[0]) + 1, 0);
    std::memcpy(words_.data(), bytes.data(), bytes.size());
    begins_ = first_piece_ || (words_[0] & 1) != 0;
    return segmentation::of_bits(words_, count);
  }
  if (how_ == form::flags) {
    bool const head = bytes[0] != std::byte{0};
    begins_ = first_piece_ || (reverse_ ? edge_is_head_ : head);
    edge_is_head_ = head;
    return described(how_, in_->type(), bytes);
  }
  std::size_t const key = size_of(in_->type());
  std::byte const* const front = bytes.data();
  std::byte const* const back = front + static_cast<std::size_t>(count - 1) * key;
  begins_ = first_piece_ || changes(reverse_ ? back : front, edge_key_);
  std::memcpy(edge_key_, reverse_ ? front : back, key);
  return described(how_, in_->type(), bytes);
}

/// Whether two keys differ.
bool segment_stream::changes(std::byte const* key, std::byte const* other) const {
  return visit_item_type(in_->type(), [&]<class Key>(std::type_identity<Key>) {
    Key a, b;
    std::memcpy(&a, key, sizeof a);
    std::memcpy(&b, other, sizeof b);
    return !libscan::detail::equal(a, b);
  });
}

/// As offsets, by which a scan of all items rounds floats otherwise than by bits.
segmentation segment_stream::next_offsets(index_t first, index_t count) {
  segmentation const& all = all_.segments();
  auto const* const begin = static_cast<index_t const*>(all.data());
  auto const* const end = begin + all.count() + 1;
  auto const* const inner = std::upper_bound(begin, end, first);
  auto const* const past = std::lower_bound(inner, end, first + count);
  index_t const edge = reverse_ ? first + count : first;
  begins_ = first_piece_ || std::binary_search(begin, end, edge);
  offsets_.assign(1, 0);
  std::transform(inner, past, std::back_inserter(offsets_),
                 [=](index_t offset) { return offset - first; });
  offsets_.push_back(count);
  return segmentation::of_offsets(offsets_);
}

segmentation segment_stream::next_bits(index_t first, index_t count) {
  libscan::detail::described_heads const heads(all_.segments(), n_);
  auto const mark = [&](index_t begin, index_t items) {
    marks_.resize(static_cast<std::size_t>(ceil_div(items, cpu::word_heads)));
    heads.mark(begin, begin + items, marks_.data());
  };
  index_t const edge = reverse_ ? first + count : first;
  if (edge < n_) mark(edge, 1);
  begins_ = first_piece_ || (marks_[0] & 1) != 0;
  mark(first, count);
  words_.resize(2 * marks_.size());
  std::memcpy(words_.data(), marks_.data(), marks_.size() * sizeof(marks_[0]));
  return segmentation::of_bits(words_, count);
}

}  // namespace libscan::apps
