// SPDX-License-Identifier: Apache-2.0
// The steps of scan-sort.
#include <apps/radix_sort/program/run_sort.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <apps/common/algorithm.hpp>
#include <apps/common/byte_source.hpp>
#include <apps/common/item_stream.hpp>
#include <apps/common/lazy_buffer.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/steps.hpp>
#include <apps/radix_sort/program/external_input.hpp>
#include <apps/radix_sort/program/external_plan.hpp>
#include <apps/radix_sort/program/external_rows.hpp>
#include <apps/radix_sort/program/external_sort.hpp>
#include <apps/radix_sort/program/memory_needs.hpp>
#include <apps/radix_sort/program/narrow_keys.hpp>
#include <apps/radix_sort/program/sort_columns.hpp>
#include <apps/radix_sort/program/sort_output.hpp>
#include <apps/radix_sort/program/sort_records.hpp>
#include <apps/radix_sort/program/verify.hpp>
#include <libscan/core/engine.hpp>

namespace libscan::apps {
namespace {

/// The directory of a file that will be written; "/var/tmp" for a stream.
std::string directory_beside(std::string const& output) {
  if (output == "-" || output.starts_with("/dev/")) return "/var/tmp";
  std::size_t const slash = output.rfind('/');
  return slash == std::string::npos ? "." : output.substr(0, slash + 1);
}

/// One run of the program.
class sort_run {
 public:
  explicit sort_run(sort_arguments const& arguments)
      : arguments_(arguments),
        options_(checked_options(arguments)),
        verifiers_(verifiers_for(arguments.common)),
        engine_(engine_for(arguments.common, needs_kernels(arguments.algorithm))),
        meter_(arguments.common.progress),
        output_(arguments, meter_) {}

  exit_code run() {
    timed(read_seconds_, [&] { read(); });
    if (external_ && table_ != nullptr) return run_external_rows();
    if (external_) return run_external();
    exit_code const code = by_columns_ ? run_columns() : run_keys();
    if (code == exit_code::done) report_times();
    return code;
  }

 private:
  /// Reads keys and values, unless they are so many that the sort is external.
  void read() {
    open_keys();
    if (arguments_.values) open_values();
    bool const more_rows = items_->more_rows() != nullptr;
    external_ = more_rows || (may_be_external() && items_->count() && !fits(*items_->count()));
    if (!external_ && !by_columns_) load_keys();
    if (external_) return;
    count_ = table_ != nullptr ? table_->rows.size() : keys_.count();
    key_bytes_ = keys_.bytes.size();
    if (table_ != nullptr) text_bytes_ = table_->text.bytes.size();
    items_read_ = by_columns_ ? std::to_string(count_) + " rows" : items_read(keys_);
    if (!values_stream_) return;
    values_ = load(*values_stream_, {});
    check_value_count(arguments_, static_cast<index_t>(values_.count()),
                      static_cast<index_t>(count_));
  }

  void open_keys() {
    common_arguments const& common = arguments_.common;
    bool const columns = are_columns(common.columns, common.missing);
    item_stream::request how;
    how.rows = output_.may_be_rows() || columns;
    how.keys = common.columns;
    if (how.rows && rows_may_be_external()) how.row_memory = limit_of_rows(engine_.threads());
    read_options options = common.reading(&meter_);
    options.whole_rows = how.rows;
    items_.emplace(arguments_.input, options, how, bytes_read_);
    table_ = items_->rows();
    rows_ = output_.may_be_rows() && table_ != nullptr;
    by_columns_ = columns && table_ != nullptr;
    if (columns) check_columns();
  }

  /// Rows by columns are an order, which no other option can use.
  void check_columns() const {
    if (!by_columns_) {
      throw usage_error("--column: several keys, text and dates are for text, but " +
                        items_->name() + " is read as " + std::string(name_of(items_->format())));
    }
    if (!by_positions()) {
      throw usage_error(
          "keys of several columns, text, dates or missing values are no array, "
          "expected text as the output, or --argsort");
    }
    if (arguments_.bits) throw usage_error("--bits is for keys of one column of numbers");
    if (arguments_.algorithm) {
      throw usage_error("--algorithm is for keys of one column of numbers");
    }
    verifier_set libraries = arguments_.common.verify_by;
    for (verifier const each : {verifier::loop, verifier::standard}) libraries.remove(each);
    if (!libraries.empty()) {
      throw usage_error("--verify=" + names_in(libraries) +
                        " is for keys of one column of numbers, expected --verify");
    }
  }

  void open_values() {
    read_options const of_values = read_options::beside_input(&meter_, arguments_.values_type);
    values_stream_.emplace(*arguments_.values, of_values, item_stream::request{}, bytes_read_);
    values_.type = values_stream_->type();
    values_.format = values_stream_->format();
    auto const keys = by_columns_ ? std::nullopt : items_->count();
    if (keys && values_stream_->count())
      check_value_count(arguments_, *values_stream_->count(), *keys);
  }

  void load_keys() {
    if (items_->count() && !may_be_external()) {  // refused before a key is read
      auto const n = static_cast<std::uint64_t>(*items_->count());
      require(needs(items_->type(), n, n * size_of(items_->type()), false));
    }
    keys_ = load(*items_, [&](index_t n) { return !may_be_external() || fits(n); });
  }

  /// All items. If `goes_on` is false of a number of them, only that many, and the sort is
  /// external.
  template <class GoesOn = bool (*)(index_t)>
  array load(item_stream& from, GoesOn goes_on) {
    if (array const* const held = from.held()) return *held;
    std::size_t const item = size_of(from.type());
    from.begin(item_stream::piece_items(1, item), 1);
    byte_buffer buffer(from.name());
    if (auto const n = from.count()) {
      buffer.grow(static_cast<std::size_t>(*n) * item);
      buffer.shrink(0);
    }
    while (auto const piece = from.next()) {
      if (!piece->empty())
        std::memcpy(buffer.grow(piece->size()).data(), piece->data(), piece->size());
      if constexpr (!std::is_pointer_v<GoesOn>) {
        if (from.count() || goes_on(from.items())) continue;
        external_ = true;
        break;
      }
    }
    kept_bytes all = buffer.release();
    array result{from.type(), {from.items()}, from.format(), all.bytes, std::move(all.owner)};
    result.truth_values = from.truth_values();
    return result;
  }

  /// --verify and a GPU need all keys in memory, and rows are kept there.
  bool may_be_external() const {
    return !engine_.runs_kernels() && !arguments_.algorithm && !arguments_.common.verify &&
           items_->held() == nullptr;
  }

  /// Whether rows of a text may be sorted in pieces. Values of rows are moved in memory.
  bool rows_may_be_external() const {
    return !engine_.runs_kernels() && !arguments_.algorithm && !arguments_.common.verify &&
           !arguments_.values && !arguments_.bits;
  }

  /// Whether a sort of n keys fits in memory for certain.
  bool fits(index_t n) const {
    dtype const type = items_->type();
    auto const count = static_cast<std::uint64_t>(n);
    memory_needs needs = this->needs(type, count, count * size_of(type), is_float(type));
    std::uint64_t const values = values_stream_ ? count * size_of(values_.type) : 0;
    needs.add(values + memory_held());
    return needs.max_bytes <= memory_bound();
  }

  exit_code run_external() {
    item_stream& keys = *items_;
    std::size_t const value_bytes = arguments_.positions ? sizeof(index_t)
                                    : values_stream_     ? size_of(values_.type)
                                                         : 0;
    external_request request{engine_, options_, arguments_.unique, arguments_.positions,
                             directory_beside(arguments_.output)};
    timed(sort_seconds_, [&] {
      external_plan const plan =
          external_plan::of(keys.type(), value_bytes, engine_.threads(), "sorting " + keys.name());
      external_input const files(keys, keys_.bytes, values_stream_, request.directory);
      keys_ = {};
      if (values_stream_) check_value_count(arguments_, files.values(), files.keys());
      std::optional<index_t> count;
      if (!arguments_.unique) count = files.keys();
      dtype const type = arguments_.positions ? dtype_of<index_t>() : keys.type();
      output_.begin(type, count, keys.format(), with_type({}));
      request.put = [&](record_piece const& piece) {
        if (arguments_.positions) return output_.append(piece.values, {});
        output_.append(piece.keys, piece.values);
      };
      sort_records(keys.type(), value_bytes, request, plan, files.records());
      output_.commit();
      count_ = static_cast<std::size_t>(files.keys());
    });
    report_number("items", count_);
    report_step("sort", sort_seconds_, output_.bytes_written(),
                std::to_string(count_) + " items of " + std::string(name_of(keys.type())) +
                    ", through a temporary file, on " + engine_.description());
    return exit_code::done;
  }

  exit_code run_external_rows() {
    external_row_request request{engine_, columns_order(), arguments_.unique, arguments_.positions,
                                 directory_beside(arguments_.output)};
    timed(sort_seconds_, [&] {
      if (rows_) {
        output_.begin_rows(*table_);
        request.put = [&](std::string_view row) { output_.append_row(row); };
      } else {
        output_.begin(dtype_of<index_t>(), {}, file_format::text, with_type({}));
        request.put = [&](std::string_view position) {
          output_.append(std::as_bytes(std::span<char const>(position)), {});
        };
      }
      text_row_reader& more = *items_->more_rows();
      count_ = static_cast<std::size_t>(sort_external_rows(request, items_->take_rows(), more));
      output_.commit();
    });
    report_number("items", count_);
    report_step(
        "sort", sort_seconds_, output_.bytes_written(),
        std::to_string(count_) + " rows, through a temporary file, on " + engine_.description());
    return exit_code::done;
  }

  column_order columns_order() const {
    missing_rule const& missing = arguments_.common.missing;
    using choice = missing_rule::choice;
    return {options_.direction == sort_direction::descending, missing.what == choice::first,
            missing.what == choice::first || missing.what == choice::last};
  }

  bool by_positions() const { return rows_ || arguments_.positions; }

  /// Whether all keys are sorted as words: not floats that include -0 or NaN.
  bool are_words() const {
    return visit_item_type(keys_.type, [&]<class T>(std::type_identity<T>) {
      auto const keys = keys_.values<T>();
      return std::none_of(keys.begin(), keys.end(), [](T key) {
        if constexpr (std::is_floating_point_v<T>) {
          return std::isnan(key) || (key == 0 && std::signbit(key));
        } else {
          return false;
        }
      });
    });
  }

  /// A given bound must cover all that the sort may need; without one, the available memory must
  /// cover what it needs at least.
  void require(memory_needs const& needs) const {
    std::string const what = "sorting " + input_name(arguments_.input);
    require_memory(needs.min_bytes, what);
    if (memory_bound_given()) require_memory(needs.max_bytes, what, " may take as much as ");
  }

  /// The memory for `n` keys of `bytes`, including what is stored beside them.
  memory_needs needs(dtype type, std::uint64_t n, std::uint64_t bytes, bool odd_floats) const {
    std::uint64_t const value = values_stream_ ? size_of(values_.type) : 0;
    sort_shape shape{n, size_of(type), by_positions() ? 0 : value, by_positions()};
    memory_needs needs;
    if (engine_.runs_kernels()) {
      needs.add(n * (shape.positions ? 8 : shape.key + shape.value));
    } else {
      shape.words = shape.positions || !odd_floats;
      shape.threads = engine_.threads();
      needs = needs_of(shape);
    }
    needs.add(bytes + values_.bytes.size());
    if (by_positions()) needs.add(values_.bytes.size());
    if (arguments_.common.verify) needs.add(n * 16);
    if (arguments_.algorithm) needs.add(n * 48);  // words, positions, and both together twice
    return needs;
  }

  /// The same for rows by columns.
  memory_needs needs_of_columns() const {
    sort_shape shape{count_, sizeof(std::uint64_t), sizeof(index_t)};
    shape.threads = engine_.runs_kernels() ? 1 : engine_.threads();
    memory_needs needs = needs_of(shape);
    needs.add(table_->bytes() + 2 * values_.bytes.size());
    if (arguments_.common.verify) needs.add(count_ * 16);
    return needs;
  }

  exit_code run_columns() {
    require(needs_of_columns());
    column_order const how = columns_order();
    std::span<key_column const> const keys(table_->keys);
    lazy_buffer<index_t> order(count_);
    auto const positions = order.items();
    timed(sort_seconds_, [&] {
      order_by_columns(engine_, keys, how, positions);
      kept_ = count_;
      if (!arguments_.unique) return;
      kept_ = keep_first(
          count_,
          [&](std::size_t a, std::size_t b) {
            return same_keys(keys, static_cast<std::size_t>(positions[a]),
                             static_cast<std::size_t>(positions[b]));
          },
          [&](std::size_t to, std::size_t from) { positions[to] = positions[from]; });
    });
    return finish_positions(positions.first(kept_),
                            [&] { return expected_order(keys, how, count_, arguments_.unique); });
  }

  exit_code run_keys() {
    std::uint64_t const bytes = rows_ ? table_->bytes() : keys_.bytes.size();
    // All keys are looked at only if those with -0 or NaN might not fit.
    memory_needs most = needs(keys_.type, count_, bytes, true);
    if (most.max_bytes > memory_bound()) most = needs(keys_.type, count_, bytes, !are_words());
    require(most);
    return visit_item_type(keys_.type,
                           [&]<class T>(std::type_identity<T>) { return run_typed<T>(); });
  }

  template <class T>
  exit_code run_typed() {
    auto const keys = keys_.values<T>();
    if (by_positions()) return run_positions(keys);
    lazy_buffer<T> sorted(count_);
    auto const out = sorted.items();
    if (!arguments_.values) {
      timed(sort_seconds_, [&] {
        sort_by(engine_, arguments_.algorithm, keys, out, options_);
        kept_ = count_;
        if (arguments_.unique) {
          kept_ = keep_first(
              count_, [&](std::size_t a, std::size_t b) { return out[a] == out[b]; },
              [&](std::size_t to, std::size_t from) { out[to] = out[from]; });
        }
      });
      return finish_keys(std::as_bytes(out.first(kept_)), {});
    }
    switch (size_of(values_.type)) {
      case 1:
        return run_values<T, std::uint8_t>(keys, out);
      case 2:
        return run_values<T, std::uint16_t>(keys, out);
      case 4:
        return run_values<T, std::uint32_t>(keys, out);
      default:
        return run_values<T, std::uint64_t>(keys, out);
    }
  }

  template <class T, class Value>
  exit_code run_values(std::span<T const> keys, std::span<T> out) {
    std::span<Value const> const values(reinterpret_cast<Value const*>(values_.bytes.data()),
                                        count_);
    lazy_buffer<Value> moved(count_);
    auto const values_out = moved.items();
    timed(sort_seconds_, [&] {
      sort_by(engine_, arguments_.algorithm, keys, out, options_, values, values_out);
      kept_ = count_;
      if (arguments_.unique) {
        kept_ = keep_first(
            count_, [&](std::size_t a, std::size_t b) { return out[a] == out[b]; },
            [&](std::size_t to, std::size_t from) {
              out[to] = out[from];
              values_out[to] = values_out[from];
            });
      }
    });
    return finish_keys(std::as_bytes(out.first(kept_)), std::as_bytes(values_out.first(kept_)));
  }

  /// Keys less than 2^32 apart are sorted as 32-bit distances from the smallest, together with
  /// 32-bit positions: half as many bytes are moved.
  template <class T>
  void sort_positions(std::span<T const> keys, std::span<index_t> positions) const {
    if constexpr (std::is_integral_v<T> && sizeof(T) > sizeof(std::uint32_t)) {
      bool const any = arguments_.algorithm || arguments_.bits || engine_.runs_kernels();
      auto const narrow = any ? nullptr : narrowed(keys, engine_.threads());
      if (narrow) {
        std::span<std::uint32_t const> const words = narrow->items();
        return argsort(engine_, words, positions, options_);
      }
    }
    argsort_by(engine_, arguments_.algorithm, keys, positions, options_);
  }

  /// Whether rows may be sorted by where they begin, without their positions.
  bool may_sort_lines() const {
    return rows_ && table_->rows.are_lines() && !arguments_.unique && !arguments_.values &&
           !arguments_.common.verify && !arguments_.algorithm && !arguments_.bits &&
           !engine_.runs_kernels();
  }

  /// Sorts lines by where they begin, with these keys. Takes half the memory of positions, and
  /// finds each line at once.
  exit_code run_lines(std::unique_ptr<lazy_buffer<std::uint32_t>> keys) {
    text_rows rows = items_->take_rows();
    keys_.bytes = {};  // this memory is used again
    keys_.owner.reset();
    rows.keys.clear();
    auto sorted = std::make_unique<lazy_buffer<std::uint32_t>>(count_);
    lazy_buffer<std::uint32_t> order(count_);
    std::span<std::uint32_t const> const begins = rows.rows.begins(), words = keys->items();
    timed(sort_seconds_,
          [&] { sort_pairs(engine_, words, sorted->items(), begins, order.items(), options_); });
    kept_ = count_;
    keys.reset();
    sorted.reset();
    table_ = nullptr;
    timed(write_seconds_, [&] { output_.write_lines(rows, order.items(), engine_.threads()); });
    return exit_code::done;
  }

  template <class T>
  exit_code run_positions(std::span<T const> keys) {
    // Smaller keys free less memory than this takes.
    if constexpr (std::is_integral_v<T> && sizeof(T) == sizeof(std::uint64_t)) {
      if (may_sort_lines()) {
        auto narrow = timed(sort_seconds_, [&] { return narrowed(keys, engine_.threads()); });
        if (narrow) return run_lines(std::move(narrow));
      }
    }
    lazy_buffer<index_t> order(count_);
    auto const positions = order.items();
    timed(sort_seconds_, [&] {
      sort_positions(keys, positions);
      kept_ = count_;
      if (arguments_.unique) {
        auto const key = [&](std::size_t j) {
          return keys[static_cast<std::size_t>(positions[j])];
        };
        kept_ = keep_first(
            count_, [&](std::size_t a, std::size_t b) { return key(a) == key(b); },
            [&](std::size_t to, std::size_t from) { positions[to] = positions[from]; });
      }
    });
    return finish_positions(positions.first(kept_),
                            [&] { return expected_positions(keys_, options_, arguments_.unique); });
  }

  exit_code finish_keys(std::span<std::byte const> keys, std::span<std::byte const> values) {
    if (arguments_.common.verify) {
      auto const expected = expected_positions(keys_, options_, arguments_.unique);
      if (!report(verify_items(keys_, expected, keys, "item"), expected, values)) {
        return exit_code::difference;
      }
    }
    timed(write_seconds_,
          [&] { output_.write_items(keys_.type, keys, keys_.format, with_type(values)); });
    return exit_code::done;
  }

  template <class Expected>
  exit_code finish_positions(std::span<index_t const> positions, Expected expect) {
    lazy_buffer<std::byte> moved(values_.bytes.empty() ? 0 : kept_ * size_of(values_.type));
    timed(sort_seconds_, [&] { move_values(positions, moved.items()); });
    if (arguments_.common.verify) {
      std::vector<index_t> const expected = expect();
      if (!report(verify_positions(expected, positions), expected, moved.items())) {
        return exit_code::difference;
      }
    }
    timed(write_seconds_, [&] {
      auto const values = with_type(moved.items());
      if (rows_) return output_.write_rows(*table_, positions, engine_.threads(), values);
      output_.write_items(dtype_of<index_t>(), std::as_bytes(positions), items_->format(), values);
    });
    return exit_code::done;
  }

  /// Moves the values of rows into the rows' order.
  void move_values(std::span<index_t const> positions, std::span<std::byte> to) const {
    if (to.empty()) return;
    std::size_t const size = size_of(values_.type);
    for (std::size_t j = 0; j < positions.size(); ++j) {
      std::memcpy(to.data() + j * size,
                  values_.bytes.data() + static_cast<std::size_t>(positions[j]) * size, size);
    }
  }

  sorted_values with_type(std::span<std::byte const> values) const {
    return {values_.type, values_.format, values};
  }

  /// Reports the result of --verify; checks values unless there is a difference already.
  bool report(std::string difference, std::span<index_t const> expected,
              std::span<std::byte const> values) const {
    if (difference.empty() && arguments_.values) {
      difference = verify_items(values_, expected, values, "value");
    }
    verifier_set libraries = by_columns_ ? verifier_set{} : verifiers_;
    libraries.remove(verifier::standard);
    if (difference.empty()) {
      difference = difference_of_others(
          libraries, [&](verifier by) { return difference_of(by, keys_, options_); });
    }
    return report_verified(difference, libraries, "std::stable_sort gives the same");
  }

  void report_times() const {
    std::uint64_t const written = output_.bytes_written();
    report_number("items", count_);
    report_number("kept", kept_);
    report_step("read", read_seconds_, std::max(text_bytes_, key_bytes_) + values_.bytes.size(),
                items_read_);
    std::string words = "on " + engine_.description();
    if (arguments_.algorithm) {
      words = "by " + std::string(sort_algorithm_names.name(*arguments_.algorithm)) + " " + words;
    }
    if (arguments_.unique) words = "kept " + std::to_string(kept_) + " items, " + words;
    // Each key and value read once, each result written once.
    std::uint64_t const moved =
        by_positions() ? kept_ * sizeof(index_t) : kept_ * size_of(keys_.type);
    report_step("sort", sort_seconds_, key_bytes_ + moved + 2 * values_.bytes.size(), words);
    report_step("write", write_seconds_, written, std::to_string(written) + " bytes");
  }

  sort_arguments const& arguments_;
  sort_options options_;
  verifier_set verifiers_;  // beside the loop
  engine engine_;
  progress meter_;
  sort_output output_;
  std::optional<item_stream> items_;
  text_rows const* table_ = nullptr;  // of `items_`, if they are text whose rows stay whole
  bool rows_ = false;                 // whether rows of it are written
  bool by_columns_ = false;           // whether its keys are more than `keys_`
  array keys_;
  std::optional<item_stream> values_stream_;
  array values_;
  bool external_ = false;
  std::uint64_t bytes_read_ = 0;
  std::size_t key_bytes_ = 0, text_bytes_ = 0;
  std::string items_read_;
  std::size_t count_ = 0;
  std::size_t kept_ = 0;
  double read_seconds_ = 0;
  double sort_seconds_ = 0;
  double write_seconds_ = 0;
};

}  // namespace

exit_code run_sort(sort_arguments const& arguments) { return sort_run(arguments).run(); }

}  // namespace libscan::apps
