// SPDX-License-Identifier: Apache-2.0
// A record of a run: the size of the key, twice, plus 1 if the row is comparable; the size of the
// row; the key; the row. Sizes have 7 bits a byte, the lowest first; the last byte is below 128.
#include <apps/radix_sort/program/row_runs.hpp>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace libscan::apps {
namespace {

constexpr std::size_t buffered = std::size_t{1} << 16;
constexpr std::uint64_t sector = 4096;
constexpr std::uint64_t min_block = 4 * sector;
constexpr std::uint64_t around_block = 2 * sector;  // that a block_reader takes besides

void append_size(std::uint64_t size, std::string& to) {
  for (; size >= 128; size >>= 7) to += static_cast<char>(size | 128);
  to += static_cast<char>(size);
}

/// Reads a run row by row.
class run_reader {
 public:
  run_reader(std::shared_ptr<descriptor const> file, std::string const& name, byte_range run,
             std::size_t block)
      : blocks_(std::move(file), name, pieces_of(run, block), block_reader::reading::on_request),
        left_(run.end - run.begin) {
    next();
  }

  /// Moves to the next row; `at_end` if there is none.
  void next() {
    if (left_ == 0) {
      at_end_ = true;
      return;
    }
    std::uint64_t const key = take_size();
    std::uint64_t const row = take_size();
    row_.comparable = (key & 1) != 0;
    std::string_view const both = take(static_cast<std::size_t>((key >> 1) + row));
    row_.key = both.substr(0, static_cast<std::size_t>(key >> 1));
    row_.row = both.substr(row_.key.size());
    prefix_ = 0;
    std::memcpy(&prefix_, row_.key.data(), std::min(row_.key.size(), sizeof prefix_));
    prefix_ = __builtin_bswap64(prefix_);
  }

  bool at_end() const { return at_end_; }

  /// Valid until `next`.
  keyed_row const& row() const { return row_; }

  /// Whether this row's key is smaller (-1), equal (0) or greater (1) than another one.
  int compare(run_reader const& other) const {
    if (at_end_ || other.at_end_) return int{at_end_} - int{other.at_end_};
    if (prefix_ != other.prefix_) return prefix_ < other.prefix_ ? -1 : 1;
    int const found = row_.key.compare(other.row_.key);
    return (found > 0) - (found < 0);
  }

 private:
  void load() {
    auto const bytes = blocks_.next();
    ahead_ = {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
  }

  std::uint64_t take_size() {
    std::uint64_t size = 0;
    for (int shift = 0;; shift += 7) {
      if (ahead_.empty()) load();
      auto const byte = static_cast<unsigned char>(ahead_.front());
      ahead_.remove_prefix(1);
      --left_;
      size |= std::uint64_t{byte & 127u} << shift;
      if (byte < 128) return size;
    }
  }

  /// The next bytes in one piece.
  std::string_view take(std::size_t size) {
    left_ -= size;
    if (size <= ahead_.size()) {
      std::string_view const bytes = ahead_.substr(0, size);
      ahead_.remove_prefix(size);
      return bytes;
    }
    joined_ = ahead_;
    while (joined_.size() < size) {
      load();
      std::size_t const more = std::min(size - joined_.size(), ahead_.size());
      joined_ += ahead_.substr(0, more);
      ahead_.remove_prefix(more);
    }
    return joined_;
  }

  block_reader blocks_;
  std::uint64_t left_;
  std::string_view ahead_;
  std::string joined_;  // a row of several blocks
  keyed_row row_;
  std::uint64_t prefix_ = 0;  // the first bytes of its key, as a number
  bool at_end_ = false;
};

/// The smallest of the rows of several runs, by a tournament in which each inner node keeps the
/// loser.
class tournament {
 public:
  explicit tournament(std::vector<std::unique_ptr<run_reader>> runs)
      : runs_(std::move(runs)), nodes_(runs_.size(), none) {
    for (std::size_t i = 0; i < runs_.size(); ++i) play(i);
  }

  run_reader& winner() { return *runs_[nodes_[0]]; }

  /// To be called after the winner has moved to its next row.
  void play_again() { play(nodes_[0]); }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  /// Among equal rows, that of the earlier run precedes.
  bool precedes(std::size_t a, std::size_t b) const {
    int const found = runs_[a]->compare(*runs_[b]);
    return found < 0 || (found == 0 && a < b);
  }

  void play(std::size_t run) {
    for (std::size_t node = (run + nodes_.size()) / 2; node > 0; node /= 2) {
      if (nodes_[node] == none) {  // waits for an opponent
        nodes_[node] = run;
        return;
      }
      if (precedes(nodes_[node], run)) std::swap(nodes_[node], run);
    }
    nodes_[0] = run;
  }

  std::vector<std::unique_ptr<run_reader>> runs_;
  std::vector<std::size_t> nodes_;
};

/// Calls `put` with the rows of some runs, in order.
template <class Put>
void merge(run_writer const& from, std::span<byte_range const> runs, merge_plan const& plan,
           bool unique, Put put) {
  std::size_t const block = plan.block_bytes(runs.size());
  std::vector<std::unique_ptr<run_reader>> readers;
  for (byte_range const& run : runs) {
    readers.push_back(std::make_unique<run_reader>(from.file(), from.name(), run, block));
  }
  first_rows firsts;
  for (tournament rows(std::move(readers)); !rows.winner().at_end(); rows.play_again()) {
    keyed_row const& row = rows.winner().row();
    if (!unique || firsts.begins(row)) put(row);
    rows.winner().next();
  }
}

}  // namespace

void run_writer::add(keyed_row const& row) {
  append_size(2 * row.key.size() + (row.comparable ? 1 : 0), buffer_);
  append_size(row.row.size(), buffer_);
  buffer_ += row.key;
  buffer_ += row.row;
  if (buffer_.size() < buffered) return;
  file_.write(std::as_bytes(std::span<char const>(buffer_)));
  buffer_.clear();
}

void run_writer::end_run() {
  file_.write(std::as_bytes(std::span<char const>(buffer_)));
  buffer_.clear();
  if (file_.size() > begin_) runs_.push_back({begin_, file_.size()});
  file_.pad();  // the next run begins where direct I/O may begin
  begin_ = file_.size();
}

void run_writer::finish() { file_.finish(); }

std::size_t merge_plan::ways() const {
  return std::clamp<std::size_t>(static_cast<std::size_t>(bytes / (min_block + around_block)), 2,
                                 max_ways);
}

std::size_t merge_plan::block_bytes(std::size_t runs) const {
  constexpr std::uint64_t max_block = std::uint64_t{1} << 20;
  std::uint64_t const share = bytes / runs;
  std::uint64_t const fit = share > around_block ? (share - around_block) / sector * sector : 0;
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(fit, min_block, max_block));
}

void merge_runs(std::unique_ptr<run_writer> from, merge_plan const& plan, bool unique,
                std::string const& directory, std::function<void(std::string_view)> const& put) {
  while (from->runs().size() > plan.ways()) {
    auto longer = std::make_unique<run_writer>(directory);
    if (!unique) longer->require_space(from->size());
    std::span<byte_range const> left(from->runs());
    while (!left.empty()) {
      auto const some = left.first(std::min(plan.ways(), left.size()));
      left = left.subspan(some.size());
      merge(*from, some, plan, unique, [&](keyed_row const& row) { longer->add(row); });
      longer->end_run();
    }
    longer->finish();
    from = std::move(longer);
  }
  if (from->runs().empty()) return;
  merge(*from, from->runs(), plan, unique, [&](keyed_row const& row) { put(row.row); });
}

bool first_rows::begins(keyed_row const& row) {
  bool const same = comparable_ && row.comparable && row.key == last_;
  if (!same) last_ = row.key;
  comparable_ = row.comparable;
  return !same;
}

}  // namespace libscan::apps
