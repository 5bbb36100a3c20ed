// SPDX-License-Identifier: Apache-2.0
// The steps of scan-sort.
#include <apps/radix_sort/run_sort.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include <apps/common/array_writer.hpp>
#include <apps/common/byte_source.hpp>
#include <apps/common/lazy_buffer.hpp>
#include <apps/common/number.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/steps.hpp>
#include <apps/radix_sort/row_writer.hpp>
#include <apps/radix_sort/sort_input.hpp>
#include <apps/radix_sort/verify.hpp>
#include <libscan/core/engine.hpp>

namespace libscan::apps {
namespace {

/// "8:32" as the bits of the options.
void parse_bits(std::string const& text, sort_options& options) {
  std::string_view const words(text);
  std::size_t const colon = words.find(':');
  int first = 0;
  int end = 0;
  bool const good = colon != std::string_view::npos &&
                    parse_number(words.substr(0, colon), first) == parse_outcome::number &&
                    parse_number(words.substr(colon + 1), end) == parse_outcome::number &&
                    0 <= first && first <= end;
  if (!good) throw usage_error("--bits: '" + text + "', expected LO:HI with 0 <= LO <= HI");
  options.first_bit = first;
  options.end_bit = end;
}

/// Moves the first of each run of items that agree to the front; returns how many they are.
template <class Same, class Move>
std::size_t keep_first(std::size_t n, Same same, Move move) {
  if (n == 0) return 0;
  std::size_t kept = 1;
  for (std::size_t i = 1; i < n; ++i) {
    if (!same(kept - 1, i)) move(kept++, i);
  }
  return kept;
}

/// One run of the program.
class sort_run {
 public:
  explicit sort_run(sort_arguments const& arguments)
      : arguments_(arguments),
        options_(arguments.options),
        memory_(arguments.memory),
        engine_(engine::named(arguments.common.engine, arguments.common.threads)),
        meter_(arguments.common.progress) {
    if (arguments.bits) parse_bits(*arguments.bits, options_);
    file_format const named = format_of_name(arguments.output);
    may_be_rows_ =
        !arguments.positions && (named == file_format::text || named == file_format::automatic);
  }

  exit_code run() {
    open_outputs();
    timed(read_seconds_, [&] { read(); });
    memory_.require(bytes_needed(), "sorting " + input_name(arguments_.input));
    exit_code const code = visit_dtype(
        input_.keys.type, [&]<class T>(std::type_identity<T>) { return run_typed<T>(); });
    if (code == exit_code::done && arguments_.common.time) report_times();
    return code;
  }

 private:
  /// Refuses impossible outputs before anything is read.
  void open_outputs() {
    if (may_be_rows_) {
      row_output_.emplace(arguments_.output);
    } else {
      key_output_.emplace(arguments_.output);
    }
    if (arguments_.values) values_output_.emplace(arguments_.values_output);
  }

  void read() {
    auto const options = arguments_.common.reading(&meter_);
    input_ = read_sort_input(arguments_.input, options, may_be_rows_, memory_);
    rows_ = may_be_rows_ && input_.keys.format == file_format::text;
    count_ = input_.keys.count();
    if (may_be_rows_ && !rows_) {
      row_output_.reset();
      key_output_.emplace(arguments_.output);
    }
    if (!arguments_.values) return;
    read_options of_values;
    of_values.type = arguments_.values_type;
    of_values.meter = &meter_;
    values_ = read_sort_input(*arguments_.values, of_values, false, memory_).keys;
    if (values_.count() == count_) return;
    throw file_error(input_name(*arguments_.values),
                     std::to_string(values_.count()) + " values, expected " +
                         std::to_string(count_) + ", one for each key");
  }

  bool by_positions() const { return rows_ || arguments_.positions; }

  /// Of memory for all of it, unless keys are skewed.
  std::uint64_t bytes_needed() const {
    std::uint64_t const key = size_of(input_.keys.type);
    std::uint64_t const n = count_;
    std::uint64_t bytes = input_.bytes() + values_.bytes.size();
    if (by_positions()) {
      bytes += values_.bytes.size() + n * (8 + 2 * std::max<std::uint64_t>(key, 4));
    } else if (arguments_.values) {
      bytes += n * key + values_.bytes.size() + n * 2 * std::max<std::uint64_t>(key, 8);
    } else {
      bytes += n * key;
    }
    if (arguments_.common.verify) bytes += n * 16;
    return bytes;
  }

  template <class T>
  exit_code run_typed() {
    auto const keys = input_.keys.values<T>();
    if (by_positions()) return run_positions(keys);
    lazy_buffer<T> sorted(count_);
    auto const out = sorted.items();
    if (!arguments_.values) {
      timed(sort_seconds_, [&] {
        sort_keys(engine_, keys, out, options_);
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
      sort_pairs(engine_, keys, out, values, values_out, options_);
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

  template <class T>
  exit_code run_positions(std::span<T const> keys) {
    lazy_buffer<index_t> order(count_);
    auto const positions = order.items();
    timed(sort_seconds_, [&] {
      argsort(engine_, keys, positions, options_);
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
    return finish_positions(positions.first(kept_));
  }

  exit_code finish_keys(std::span<std::byte const> keys, std::span<std::byte const> values) {
    if (arguments_.common.verify) {
      auto const expected = expected_positions(input_.keys, options_, arguments_.unique);
      if (!report(verify_items(input_.keys, expected, keys, "item"), expected, values)) {
        return exit_code::difference;
      }
    }
    timed(write_seconds_, [&] {
      begin_values(values);
      write_whole(*key_output_, arguments_.output, input_.keys.type, keys, input_.keys.format,
                  meter_);
      if (values_output_) values_output_->commit();
    });
    return exit_code::done;
  }

  exit_code finish_positions(std::span<index_t const> positions) {
    lazy_buffer<std::byte> moved(values_.bytes.empty() ? 0 : kept_ * size_of(values_.type));
    timed(sort_seconds_, [&] { move_values(positions, moved.items()); });
    if (arguments_.common.verify) {
      auto const expected = expected_positions(input_.keys, options_, arguments_.unique);
      if (!report(verify_positions(expected, positions), expected, moved.items())) {
        return exit_code::difference;
      }
    }
    timed(write_seconds_, [&] {
      begin_values(moved.items());
      if (rows_) {
        write_rows(positions);
      } else {
        write_whole(*key_output_, arguments_.output, dtype_of<index_t>(), std::as_bytes(positions),
                    input_.keys.format, meter_);
      }
      if (values_output_) values_output_->commit();
    });
    return exit_code::done;
  }

  /// Brings the values of rows into the rows' order.
  void move_values(std::span<index_t const> positions, std::span<std::byte> to) const {
    if (to.empty()) return;
    std::size_t const size = size_of(values_.type);
    for (std::size_t j = 0; j < positions.size(); ++j) {
      std::memcpy(to.data() + j * size,
                  values_.bytes.data() + static_cast<std::size_t>(positions[j]) * size, size);
    }
  }

  /// Writes all of the values; the file appears with `commit`, once the keys are there.
  void begin_values(std::span<std::byte const> values) {
    if (!values_output_) return;
    values_output_->begin(values_.type, static_cast<index_t>(kept_), values_.format);
    values_output_->append(values_.type, values);
  }

  void write_rows(std::span<index_t const> positions) {
    meter_.start(arguments_.output == "-" ? "writing" : "writing " + arguments_.output,
                 input_.text.bytes.size());
    row_output_->write(input_.mark);
    if (input_.header) write_row(*input_.header);
    for (index_t const position : positions) {
      write_row(input_.rows[static_cast<std::size_t>(position)]);
    }
    row_output_->commit();
    meter_.finish();
  }

  void write_row(std::string_view row) {
    row_output_->write(row);
    row_output_->write("\n");
    meter_.advance(row.size() + 1);
  }

  /// Says what --verify found, values included unless there is a difference already.
  bool report(std::string difference, std::span<index_t const> expected,
              std::span<std::byte const> values) const {
    if (difference.empty() && arguments_.values) {
      difference = verify_items(values_, expected, values, "value");
    }
    return report_verified(difference, "std::stable_sort gives the same");
  }

  void report_times() const {
    std::uint64_t const written = (key_output_ ? key_output_->bytes_written() : 0) +
                                  (row_output_ ? row_output_->bytes_written() : 0) +
                                  (values_output_ ? values_output_->bytes_written() : 0);
    std::uint64_t const key_bytes = input_.keys.bytes.size();
    report_step("read", read_seconds_,
                std::max<std::uint64_t>(input_.text.bytes.size(), key_bytes) + values_.bytes.size(),
                std::to_string(count_) + " items of " + std::string(name_of(input_.keys.type)));
    std::string words = "on " + engine_.description();
    if (arguments_.unique) words = "kept " + std::to_string(kept_) + " items, " + words;
    // Each key and value read once, each result written once.
    std::uint64_t const moved =
        by_positions() ? kept_ * sizeof(index_t) : kept_ * size_of(input_.keys.type);
    report_step("sort", sort_seconds_, key_bytes + moved + 2 * values_.bytes.size(), words);
    report_step("write", write_seconds_, written, std::to_string(written) + " bytes");
  }

  sort_arguments const& arguments_;
  sort_options options_;
  memory_bound memory_;
  engine engine_;
  bool may_be_rows_ = false;  // where the input is text
  bool rows_ = false;
  std::optional<row_writer> row_output_;  // opened, or refused, before the input is read
  std::optional<array_writer> key_output_;
  std::optional<array_writer> values_output_;
  progress meter_;
  sort_input input_;
  array values_;
  std::size_t count_ = 0;
  std::size_t kept_ = 0;
  double read_seconds_ = 0;
  double sort_seconds_ = 0;
  double write_seconds_ = 0;
};

/// Refuses arguments that do not go together.
void check(sort_arguments const& arguments) {
  if (arguments.unique && arguments.bits) {
    throw usage_error("--unique goes by whole keys, --bits by some of their bits: one of them");
  }
  if (!arguments.values) return;
  if (arguments.input == "-" && *arguments.values == "-") {
    throw usage_error("only one of the input and the values can be standard input");
  }
  if (arguments.output == arguments.values_output) {
    throw usage_error("--values-output and --output are the same, expected two outputs");
  }
}

}  // namespace

exit_code run_sort(sort_arguments const& arguments) {
  check(arguments);
  return sort_run(arguments).run();
}

}  // namespace libscan::apps
