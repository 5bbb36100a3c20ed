// SPDX-License-Identifier: Apache-2.0
// The steps of scan-filter.
#include <apps/filter/program/run_filter.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <apps/common/algorithm.hpp>
#include <apps/common/array_writer.hpp>
#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/item_stream.hpp>
#include <apps/common/lazy_buffer.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/on_threads.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/steps.hpp>
#include <apps/common/text_rows.hpp>
#include <apps/filter/program/filter_by.hpp>
#include <apps/filter/program/mask_file.hpp>
#include <apps/filter/program/plain_filter.hpp>
#include <apps/filter/program/verify.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/error.hpp>
#include <libscan/filter.hpp>
#include <libscan/host/on_engine.hpp>
#include <libscan/predicate_parser.hpp>
#include <libscan/selection.hpp>

namespace libscan::apps {

namespace {

/// Writes the positions of nonzero flags by a selected algorithm, and returns their number. Throws
/// `invalid_argument` for more flags than the executor takes, and for the cpu engine; as
/// `device_positions` and `on_engine`.
index_t positions_by(engine const& on, filter_algorithm which, std::span<std::uint8_t const> flags,
                     std::span<index_t> positions) {
  if (flags.empty()) return 0;
  return libscan::detail::on_engine(
      on, static_cast<index_t>(flags.size()),
      [&](auto device) {
        return device_positions<decltype(device)>::find(device, which, flags, positions.data());
      },
      [](int) -> index_t {
        throw invalid_argument("positions_by: the cpu engine; expected one that runs kernels");
      });
}

using result = filter_arguments::result;

std::string percent(index_t part, index_t whole) {
  char text[16];
  std::snprintf(text, sizeof text, "%.2f %%",
                whole == 0 ? 0.0 : 100 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

/// Refuses arguments that exclude each other.
filter_arguments const& checked(filter_arguments const& arguments) {
  if (!arguments.keep && !arguments.mask) throw usage_error("--keep or --mask is required");
  if (arguments.keep && arguments.mask) throw usage_error("--mask excludes --keep");
  if (arguments.mask == "-" && arguments.input == "-") {
    throw usage_error("INPUT and --mask cannot both be standard input");
  }
  if (arguments.rejected && arguments.wanted != result::values) {
    throw usage_error("--split writes items, and excludes --indices and --count-only");
  }
  if (arguments.rejected && same_output(*arguments.rejected, arguments.output)) {
    bool const other_name = arguments.rejected != arguments.output;
    throw usage_error("--split and --output both name " + arguments.output +
                      (other_name ? ", once as " + *arguments.rejected : ""));
  }
  return arguments;
}

/// The syntax of the predicate, if there is one.
std::optional<expression> tree_of(filter_arguments const& arguments) {
  if (!arguments.keep) return std::nullopt;
  return expression(*arguments.keep);
}

/// Whether rows of a text may be written to this output.
bool may_be_text(std::string const& path) {
  file_format const named = format_of_name(path);
  return named == file_format::text || named == file_format::automatic;
}

/// Whether the rows of a text stay whole.
bool keeps_rows(filter_arguments const& arguments) {
  return arguments.wanted == result::values && !arguments.only && may_be_text(arguments.output) &&
         (!arguments.rejected || may_be_text(*arguments.rejected));
}

/// Rows of a text come in pieces of so many, which stay in the processor's caches.
constexpr std::size_t many_rows = std::size_t{1} << 17;

/// `all`: also where all rows are plain; else these are filtered where they are read.
row_limit piece_of_rows(bool all) {
  return {memory_bound() / 4, sizeof(index_t), many_rows, false, all};
}

/// The positions below `n` that are not in `kept`, which ascend.
std::vector<index_t> positions_between(std::span<index_t const> kept, std::size_t n) {
  std::vector<index_t> others;
  others.reserve(n - kept.size());
  auto next = kept.begin();
  for (index_t i = 0; i < static_cast<index_t>(n); ++i) {
    if (next != kept.end() && *next == i) {
      ++next;
    } else {
      others.push_back(i);
    }
  }
  return others;
}

/// One run of the program over an input of known type.
class filter_run {
 public:
  explicit filter_run(filter_arguments const& arguments)
      : arguments_(checked(arguments)),
        tree_(tree_of(arguments)),
        verifiers_(verifiers_for(arguments.common)),
        engine_(engine_for(arguments.common, needs_kernels(arguments.algorithm))),
        output_(arguments.output),
        meter_(arguments.common.progress) {
    if (arguments.rejected) rejected_.emplace(*arguments.rejected);
  }

  exit_code run() {
    timed(read_seconds_, [&] { open(); });
    exit_code const code =
        has_rows() ? run_rows()
                   : with_keep<exit_code>(input_->type(),
                                          [&]<class T>(std::type_identity<T>, auto next_keep) {
                                            return run_by<T>(next_keep);
                                          });
    if (code == exit_code::done) report_times();
    return code;
  }

 private:
  /// Returns work(type tag, next_keep) for items of this type. next_keep(values, use) returns
  /// use(keep, keeps): `keep`, a predicate or a mask of a piece's values; `keeps`: what --verify
  /// compares with.
  template <class Result, class Work>
  Result with_keep(dtype type, Work work) {
    return visit_item_type(type, [&]<class T>(std::type_identity<T> tag) {
      if (!tree_)
        return work(tag, [&](std::span<T const> values, auto use) {
          item_mask const mask = timed(
              read_seconds_, [&] { return mask_->next(static_cast<index_t>(values.size())); });
          return use(mask, [&](std::size_t i) { return mask_->marks(i); });
        });
      predicate<T> const keep = bind_predicate<T>(*tree_);
      return work(tag, [&](std::span<T const> values, auto use) {
        return use(keep, kept_by_tree<T>(*tree_, values));
      });
    });
  }

  /// Opens the input and the mask. The executor and --verify get everything in one piece, and so
  /// do rows with a mask.
  void open() {
    item_stream::request how;
    how.whole = takes_all_items(engine_) || arguments_.common.verify;
    how.known_count = arguments_.mask.has_value();
    how.rows = keeps_rows(arguments_);
    if (!how.whole && !arguments_.mask) how.row_memory = piece_of_rows(engine_.runs_kernels());
    input_.emplace(arguments_.input, arguments_.common.reading(&meter_), how, bytes_read_);
    if (has_rows()) input_->join();
    bool const positions = arguments_.wanted == result::indices;
    std::size_t const item = positions ? sizeof(index_t) : size_of(input_->type());
    constexpr index_t mask_word = 32;
    index_t const piece = item_stream::piece_items(mask_word, item);
    index_t const unit = arguments_.mask ? piece : 1;
    if (arguments_.mask) {
      mask_.emplace(*arguments_.mask, *input_->count(), input_->is_whole(), piece, &meter_,
                    bytes_read_);
    }
    input_->begin(piece, unit, [this] {
      output_.flush();
      if (rejected_) rejected_->flush();
    });
    piece_items_ = input_->is_whole() ? *input_->count() : piece;
  }

  /// Whether rows of a text are written, instead of numbers. A sequence has no rows.
  bool has_rows() const { return input_->rows() != nullptr && !input_->rows()->is_sequence; }

  template <class T, class NextKeep>
  exit_code run_by(NextKeep const& next_keep) {
    switch (arguments_.wanted) {
      case result::count:
        return run_count<T>(next_keep);
      case result::indices:
        return run_kept<index_t, T>(
            next_keep,
            [&](auto values, auto out, auto const& keep, auto const& keeps) {
              return shifted(out, indices(values, out, keep, keeps), values.size());
            },
            [](auto values, auto kept, auto const& keeps) {
              return verify_indices(keeps, values.size(), kept);
            });
      default:
        if (rejected_) return run_split<T>(next_keep);
        return run_kept<T, T>(
            next_keep,
            [&](auto values, auto out, auto const& keep, auto const& keeps) {
              return items(values, out, keep, keeps);
            },
            [](auto values, auto kept, auto const& keeps) {
              return verify_values<T>(keeps, values, kept);
            });
    }
  }

  /// Calls work(values, keep, keeps) for each piece; false if one of them returns false.
  template <class T, class NextKeep, class Work>
  bool for_each_piece(NextKeep const& next_keep, Work work) {
    for (;;) {
      auto const piece = timed(read_seconds_, [&] { return input_->next(); });
      if (!piece) return true;
      std::span<T const> const values(reinterpret_cast<T const*>(piece->data()),
                                      piece->size() / sizeof(T));
      if (!filter_piece(values, next_keep, work)) return false;
    }
  }

  /// Returns work(values, keep, keeps); false if other libraries find a difference.
  template <class T, class NextKeep, class Work>
  bool filter_piece(std::span<T const> values, NextKeep const& next_keep, Work work) {
    return next_keep(values, [&](auto const& keep, auto const& keeps) {
      std::string const difference = difference_of_others(
          verifiers_, [&](verifier by) { return difference_of(by, keeps, values.size()); });
      if (!difference.empty()) return report_verified(difference);
      return work(values, keep, keeps);
    });
  }

  /// The positions of the n items that `keeps` keeps, by --algorithm.
  template <class Keeps>
  std::vector<index_t> chosen_positions(std::size_t n, Keeps const& keeps) const {
    std::vector<std::uint8_t> flags(n);
    for (std::size_t i = 0; i < n; ++i) flags[i] = keeps(i) ? 1 : 0;
    std::vector<index_t> positions(n);
    index_t const count = positions_by(engine_, *arguments_.algorithm, flags, positions);
    positions.resize(static_cast<std::size_t>(count));
    return positions;
  }

  bool chosen() const { return needs_kernels(arguments_.algorithm); }

  /// The kept items of a piece, and their positions in it.
  template <class T, class Keep, class Keeps>
  index_t items(std::span<T const> values, std::span<T> out, Keep const& keep, Keeps const& keeps) {
    if (!chosen()) return filter<T>(engine_, values, out, keep);
    return gather(values, chosen_positions(values.size(), keeps), out);
  }
  template <class T, class Keep, class Keeps>
  index_t indices(std::span<T const> values, std::span<index_t> out, Keep const& keep,
                  Keeps const& keeps) {
    if (!chosen()) return indices(values, out, keep);
    std::vector<index_t> const positions = chosen_positions(values.size(), keeps);
    std::copy(positions.begin(), positions.end(), out.begin());
    return static_cast<index_t>(positions.size());
  }

  /// The items at these positions; returns their number.
  template <class T>
  static index_t gather(std::span<T const> values, std::vector<index_t> const& positions,
                        std::span<T> out) {
    std::transform(positions.begin(), positions.end(), out.begin(),
                   [&](index_t i) { return values[static_cast<std::size_t>(i)]; });
    return static_cast<index_t>(positions.size());
  }

  template <class T>
  index_t indices(std::span<T const> values, std::span<index_t> out, predicate<T> const& keep) {
    return filter_indices(engine_, values, out, keep);
  }
  template <class T>
  index_t indices(std::span<T const>, std::span<index_t> out, item_mask const& mask) {
    return mask_indices(engine_, mask, out);
  }

  /// Kept and rejected items; returns the number of kept ones.
  template <class T, class Keep, class Keeps>
  index_t split_items(std::span<T const> values, std::span<T> kept, std::span<T> rejected,
                      Keep const& keep, Keeps const& keeps) {
    if (!chosen()) return split<T>(engine_, values, kept, rejected, keep);
    std::vector<index_t> const positions = chosen_positions(values.size(), keeps);
    gather(values, positions_between(positions, values.size()), rejected);
    return gather(values, positions, kept);
  }

  template <class T>
  index_t count(std::span<T const> values, predicate<T> const& keep) {
    return timed(filter_seconds_, [&] { return count_if(engine_, values, keep); });
  }
  template <class T>
  index_t count(std::span<T const>, item_mask const& mask) {
    return timed(filter_seconds_, [&] { return count_marked(engine_, mask); });
  }

  template <class T, class NextKeep>
  exit_code run_count(NextKeep const& next_keep) {
    bool const good =
        for_each_piece<T>(next_keep, [&](auto values, auto const& keep, auto const& keeps) {
          kept_ += chosen() ? static_cast<index_t>(chosen_positions(values.size(), keeps).size())
                            : count(values, keep);
          return verified([&] { return verify_count(keeps, values.size(), kept_); });
        });
    if (!good) return exit_code::difference;
    // Text for people, unless the output's name selects another format.
    output_.begin(dtype_of<index_t>(), 1, file_format::text);
    append<index_t>(output_, {&kept_, 1});
    return commit();
  }

  /// Makes the first `kept` positions in a piece of n values, the last one read, those in the
  /// input.
  index_t shifted(std::span<index_t> positions, index_t kept, std::size_t n) const {
    index_t const before = input_->items() - static_cast<index_t>(n);
    if (before == 0) return kept;
    for (index_t& at : positions.first(static_cast<std::size_t>(kept))) at += before;
    return kept;
  }

  /// `work` fills a span of items and returns how many it filled; `verify` compares them.
  template <class Item, class T, class NextKeep, class Work, class Verify>
  exit_code run_kept(NextKeep const& next_keep, Work work, Verify verify) {
    std::unique_ptr<lazy_buffer<Item>> space;
    bool const good =
        for_each_piece<T>(next_keep, [&](auto values, auto const& keep, auto const& keeps) {
          if (!space) space = space_for<Item>(values, [&] { return count(values, keep); });
          index_t const n =
              timed(filter_seconds_, [&] { return work(values, space->items(), keep, keeps); });
          std::span<Item const> const kept = space->items().first(static_cast<std::size_t>(n));
          kept_ += n;
          result_bytes_ += kept.size_bytes();
          if (!verified([&] { return verify(values, kept, keeps); })) return false;
          append(output_, kept);
          return true;
        });
    if (!good) return exit_code::difference;
    append<Item>(output_, {});
    return commit();
  }

  /// Keeps whole rows of a text, piece by piece. The numbers of each may have another type.
  exit_code run_rows() {
    text_row_reader* const more = input_->more_rows();
    text_rows rows = input_->take_rows();
    rows_read_ = 0;
    header_line_ = rows.header_line;
    timed(write_seconds_,
          [&] { for_each_output([&](auto& output) { begin_rows(output, rows); }); });
    while (take_rows(rows)) {
      if (more == nullptr || more->at_end()) return commit();
      bool const pauses =
          engine_.runs_kernels() ? rows.rows.size() < many_rows : pass_plain_rows(*more);
      // Where the input pauses, what is kept so far is shown.
      if (pauses) for_each_output([](auto& output) { output.flush(); });
      rows = {};  // its memory is used again
      timed(read_seconds_, [&] { rows = more->next(); });
      bytes_read_ = std::max(bytes_read_, more->bytes_by_blocks());
    }
    return exit_code::difference;
  }

  /// Filters plain rows that come next, on the cpu engine. True where the input pauses.
  bool pass_plain_rows(text_row_reader& in) {
    if (!plain_) plain_.emplace(*tree_, rejected_.has_value(), threads_for(engine_.threads()));
    double const filtered = plain_->seconds();
    double write_seconds = 0, seconds = 0;
    plain_row_use const use{[&](plain_rows const& rows, std::size_t slot) {
                              plain_->filter(rows, in.plain_type(), slot);
                            },
                            [&](plain_rows const& rows, std::size_t slot) {
                              plain_filter::part const& part = (*plain_)[slot];
                              timed(write_seconds, [&] {
                                output_.append_text(part.kept);
                                if (rejected_) rejected_->append_text(part.rejected);
                              });
                              *rows_read_ += static_cast<index_t>(rows.count);
                              kept_ += part.count;
                              result_bytes_ +=
                                  static_cast<std::uint64_t>(part.count) * sizeof(index_t);
                              return rows.count;
                            }};
    bool const pauses = timed(seconds, [&] { return in.pass_plain_rows(use); });
    // All steps run at the same time: each gets its share.
    write_seconds /= threads_for(engine_.threads());
    double const filter_seconds = plain_->seconds() - filtered;
    write_seconds_ += write_seconds;
    filter_seconds_ += filter_seconds;
    read_seconds_ += seconds - write_seconds - filter_seconds;
    return pauses;
  }

  /// Filters a piece of the rows; false if --verify finds a difference.
  bool take_rows(text_rows const& rows) {
    array const& numbers = rows.keys[0].numbers;
    *rows_read_ += static_cast<index_t>(numbers.count());
    return with_keep<bool>(numbers.type, [&]<class T>(std::type_identity<T>, auto next_keep) {
      return filter_piece(
          numbers.values<T>(), next_keep, [&](auto values, auto const& keep, auto const& keeps) {
            if (!row_space_ || row_space_->items().size() < values.size()) {
              row_space_ = space_for<index_t>(values, [&] { return count(values, keep); });
            }
            index_t const n = timed(
                filter_seconds_, [&] { return indices(values, row_space_->items(), keep, keeps); });
            auto const kept = row_space_->items().first(static_cast<std::size_t>(n));
            kept_ += n;
            result_bytes_ += kept.size_bytes();
            if (!verified([&] { return verify_indices(keeps, values.size(), kept); })) return false;
            timed(write_seconds_, [&] {
              append_rows(output_, rows, kept, engine_.threads());
              if (!rejected_) return;
              append_rows(*rejected_, rows, positions_between(kept, values.size()),
                          engine_.threads());
            });
            return true;
          });
    });
  }

  template <class Work>
  void for_each_output(Work work) {
    work(output_);
    if (rejected_) work(*rejected_);
  }

  template <class T, class NextKeep>
  exit_code run_split(NextKeep const& next_keep) {
    std::unique_ptr<lazy_buffer<T>> space, rest;
    bool const good =
        for_each_piece<T>(next_keep, [&](auto values, auto const& keep, auto const& keeps) {
          auto const n = static_cast<index_t>(values.size());
          if (!space) {
            space = space_for<T>(values, [&] { return count(values, keep); });
            rest = space_for<T>(values, [&] { return n - count(values, keep); });
          }
          auto const kept_items = static_cast<std::size_t>(timed(filter_seconds_, [&] {
            return split_items<T>(values, space->items(), rest->items(), keep, keeps);
          }));
          kept_ += static_cast<index_t>(kept_items);
          result_bytes_ += values.size_bytes();
          std::span<T const> const kept = space->items().first(kept_items);
          std::span<T const> const rejected = rest->items().first(values.size() - kept_items);
          if (!verified([&] {
                std::string const found = verify_values<T>(keeps, values, kept);
                return found.empty() ? verify_rejected<T>(keeps, values, rejected) : found;
              })) {
            return false;
          }
          append(output_, kept);
          append(*rejected_, rejected);
          return true;
        });
    if (!good) return exit_code::difference;
    append<T>(output_, {});
    append<T>(*rejected_, {});
    return commit();
  }

  /// Whether --verify, if given, finds no difference.
  template <class Verify>
  bool verified(Verify verify) const {
    if (!arguments_.common.verify) return true;
    return report_verified(verify(), verifiers_);
  }

  /// Space for the results of a piece: for as many items as possible, since only written pages take
  /// memory; or, where that much memory or address space is not available and there is only one
  /// piece, after counting, for their exact number.
  template <class Item, class T, class Count>
  std::unique_ptr<lazy_buffer<Item>> space_for(std::span<T const> values, Count count) {
    auto const max_items = static_cast<std::size_t>(
        input_->is_whole() ? static_cast<index_t>(values.size()) : piece_items_);
    if (!input_->is_whole() ||
        memory_held() + taken_ + max_items * sizeof(Item) <= memory_bound()) {
      try {
        auto space = std::make_unique<lazy_buffer<Item>>(max_items);
        taken_ += max_items * sizeof(Item);
        return space;
      } catch (std::bad_alloc const&) {
        if (!input_->is_whole()) throw;
      }
    }
    auto const items = static_cast<std::size_t>(count());
    taken_ += items * sizeof(Item);
    require_memory(memory_held() + taken_, "filtering " + input_name(arguments_.input));
    return std::make_unique<lazy_buffer<Item>>(items);
  }

  /// Appends items, the first time after what comes before them.
  template <class Item>
  void append(array_writer& output, std::span<Item const> items) {
    timed(write_seconds_, [&] {
      if (!output.begun()) {
        std::optional<index_t> count;
        if (input_->is_whole()) count = static_cast<index_t>(items.size());
        output.begin(dtype_of<Item>(), count, input_->format());
      }
      output.append(items);
    });
  }

  exit_code commit() {
    timed(write_seconds_, [&] {
      if (!rejected_) return output_.commit();
      rejected_->complete();
      output_file::commit_together({&output_.complete(), &rejected_->complete()});
    });
    return exit_code::done;
  }

  std::string by_algorithm() const {
    if (!chosen()) return "";
    return ", by " + std::string(filter_algorithm_names.name(*arguments_.algorithm));
  }

  void report_times() const {
    index_t const items = rows_read_.value_or(input_->items());
    auto const input_bytes = static_cast<std::uint64_t>(items) * size_of(input_->type());
    report_number("items", static_cast<std::uint64_t>(items));
    report_number("kept", static_cast<std::uint64_t>(kept_));
    report_step("read", read_seconds_, bytes_read_,
                rows_read_
                    ? items_read(static_cast<std::size_t>(items), input_->type(), header_line_)
                    : input_->words());
    report_step("filter", filter_seconds_, input_bytes + result_bytes_,
                "kept " + std::to_string(kept_) + " items (" + percent(kept_, items) + ")" +
                    by_algorithm() + ", on " + engine_.description());
    std::uint64_t const written =
        output_.bytes_written() + (rejected_ ? rejected_->bytes_written() : 0);
    report_step("write", write_seconds_, written, std::to_string(written) + " bytes");
  }

  filter_arguments const& arguments_;
  std::optional<expression> tree_;
  verifier_set verifiers_;  // beside the loop
  engine engine_;
  array_writer output_;  // opened, or refused, before the input is read
  std::optional<array_writer> rejected_;
  progress meter_;
  std::optional<item_stream> input_;
  std::optional<mask_file> mask_;
  std::optional<plain_filter> plain_;                // of a text whose rows stay whole
  std::optional<index_t> rows_read_;                 // of a text whose rows stay whole
  std::uint64_t header_line_ = 0;                    // above them
  std::unique_ptr<lazy_buffer<index_t>> row_space_;  // for positions of a piece of rows
  index_t piece_items_ = 0;
  index_t kept_ = 0;
  std::uint64_t bytes_read_ = 0;  // of the files, as stored
  std::uint64_t taken_ = 0;       // of memory, by results
  std::uint64_t result_bytes_ = 0;
  double read_seconds_ = 0;
  double filter_seconds_ = 0;
  double write_seconds_ = 0;
};

}  // namespace

exit_code run_filter(filter_arguments const& arguments) { return filter_run(arguments).run(); }

}  // namespace libscan::apps
