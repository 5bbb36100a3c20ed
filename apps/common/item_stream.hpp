// SPDX-License-Identifier: Apache-2.0
// The items of an input piece by piece, so that programs need little memory for files of any size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <apps/common/block_file.hpp>
#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/npy.hpp>
#include <apps/common/text_rows.hpp>
#include <libscan/core/types.hpp>

namespace libscan::apps {

/// An input of `read_array`, handed out in pieces. Raw binary and .npy are streamed: from files by
/// a `block_reader`, from pipes and gzip as bytes arrive. So is text of a given type, unless it is
/// a small file; a large file without a type is read once before, to find it. Other text, .npy in
/// Fortran order and inputs that cannot do what is requested are first read into memory.
class item_stream {
 public:
  /// How the caller wants the items.
  struct request {
    bool whole = false;        ///< in one piece, which is empty if there are no items
    bool from_end = false;     ///< the last piece first
    bool known_count = false;  ///< `count()` must be known
    bool any_npy = false;      ///< the type in `read_options` is not for .npy, which has its own
    bool rows = false;         ///< of text: its rows stay in memory, see `rows()`
    std::vector<column_key> keys = {};  ///< of these rows; none: the column in `read_options`
    std::optional<row_limit> row_memory = {};  ///< of these rows, if they may be a part of them
  };

  /// Opens `path` and reads up to its items; errors as `read_array`. Prints its notes. Adds the
  /// bytes that are read to `bytes_read`, which must outlive this object, as must `options.meter`.
  item_stream(std::string const& path, read_options const& options, request how,
              std::uint64_t& bytes_read);

  /// The same for decompressed content of a known format, whose bytes are counted already.
  item_stream(byte_reader in, file_format format, read_options const& options, request how,
              std::uint64_t& bytes_read);

  dtype type() const { return type_; }
  file_format format() const { return format_; }
  bool truth_values() const { return layout_.truth_values; }

  /// The name for messages.
  std::string const& name() const { return name_; }

  /// Whether all items come in one piece.
  bool is_whole() const { return how_.whole; }

  /// Reads all items into memory, to come in one piece. Only before `begin`.
  void join();

  /// Hands out only items [first, end) of all. Requires `may_rewind`, no `held` items, and `begin`
  /// after.
  void restrict_to(index_t first, index_t end);

  /// The regular file that holds the items as they are handed out, from `start` on; null if they
  /// are converted, or elsewhere.
  std::shared_ptr<descriptor const> plain_file(std::uint64_t& start) const;

  /// All items, if they are in memory already; else null.
  array const* held() const { return held_ ? &*held_ : nullptr; }

  /// The rows of a text, if they were requested; else null. The items are the numbers of the first
  /// key.
  text_rows const* rows() const { return rows_ ? &*rows_ : nullptr; }

  /// What reads further rows, if there are more than `request::row_memory` allows; else null.
  text_row_reader* more_rows() {
    return row_reader_ && !row_reader_->at_end() ? &*row_reader_ : nullptr;
  }

  /// Gives `rows()` away; there are no items then.
  text_rows take_rows();

  /// Whether the items can be read once more.
  bool may_rewind() const { return descriptor_ || held_; }

  /// Makes `begin` start at the first piece again.
  void rewind();

  /// The number of items, if it is known before they are read.
  std::optional<index_t> count() const { return count_; }

  /// The number of items handed out so far.
  index_t items() const { return items_; }

  /// The items of a piece of a file: `unit` or a multiple of it, that fill a block if an item takes
  /// `bytes`. Only the last piece has another number of items, and pieces of pipes that pause.
  static index_t piece_items(index_t unit, std::size_t bytes);

  /// Begins to read items: pieces of `piece` items. A pipe that pauses for a tenth of a second
  /// returns what it has brought, in multiples of `unit`; `on_pause`, if any, is called when that
  /// is nothing.
  void begin(index_t piece, index_t unit, std::function<void()> on_pause = {});

  /// The next piece, valid until the next call; nothing at the end.
  std::optional<std::span<std::byte const>> next();

  /// Items read so far, in the words of --time.
  std::string words() const;

 private:
  void start();
  bool converts() const;
  bool streams();
  void stream_raw();
  void stream_npy();
  bool stream_text();
  void find_type();
  void begin_text();
  void hold();
  void hold_rows();
  std::optional<std::span<std::byte const>> next_held();
  std::span<std::byte const> next_bytes();
  std::span<std::byte const> next_of_reader(byte_reader& in);
  void check_end();

  read_options options_;
  std::uint64_t& bytes_read_;
  std::optional<byte_reader> in_;
  std::optional<block_reader> file_;
  std::shared_ptr<descriptor const> descriptor_;  // of a file that `file_` will read
  std::string name_;
  request how_;
  bool at_items_ = false;  // of .npy, the header is read
  bool streams_text_ = false;
  std::unique_ptr<byte_reader> text_in_;  // of a text file, by blocks
  std::unique_ptr<byte_reader> numbers_;  // of text, as items
  std::uint64_t header_line_ = 0;         // of text that is streamed
  std::vector<std::string> notes_;        // of that
  bool notes_shown_ = false;
  file_format format_;
  std::uint64_t others_read_;  // in `bytes_read_`
  dtype type_ = dtype::u8;
  npy_layout layout_;           // of stored items; of raw ones, too
  std::uint64_t start_ = 0;     // offset of the first item
  std::uint64_t left_out_ = 0;  // bytes of items before it, see `restrict_to`
  std::optional<index_t> count_;
  std::optional<array> held_;  // all items, if they are in memory
  std::optional<text_row_reader> row_reader_;
  std::optional<text_rows> rows_;
  bool returned_all_ = false;
  std::optional<block_pool> pool_;  // one piece of a reader
  std::size_t piece_bytes_ = 0, unit_bytes_ = 1;
  std::size_t filled_ = 0, returned_ = 0;  // bytes in it
  std::uint64_t stored_bytes_ = 0;         // of all pieces so far
  bool at_end_ = false;
  std::function<void()> on_pause_;
  std::optional<array> converted_;  // the last piece, if it had to be converted
  index_t items_ = 0;
};

}  // namespace libscan::apps
