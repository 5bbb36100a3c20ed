// SPDX-License-Identifier: Apache-2.0
// The steps of scan-filter.
#include <apps/filter/program/run_filter.hpp>

#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include <apps/common/array_writer.hpp>
#include <apps/common/byte_source.hpp>
#include <apps/common/counted_source.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/lazy_buffer.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/steps.hpp>
#include <apps/filter/program/mask_file.hpp>
#include <apps/filter/program/verify.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/filter.hpp>
#include <libscan/predicate_parser.hpp>
#include <libscan/selection.hpp>

namespace libscan::apps {
namespace {

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

/// One run of the program over an input of known type.
class filter_run {
 public:
  explicit filter_run(filter_arguments const& arguments)
      : arguments_(checked(arguments)),
        tree_(tree_of(arguments)),
        engine_(engine::named(arguments.common.engine, arguments.common.threads)),
        output_(arguments.output),
        meter_(arguments.common.progress) {
    if (arguments.rejected) rejected_.emplace(*arguments.rejected);
  }

  exit_code run() {
    input_ = timed(read_seconds_, [&] {
      return read_counted(arguments_.input, arguments_.common.reading(&meter_), bytes_read_);
    });
    exit_code const code = visit_item_type(input_.type, [&]<class T>(std::type_identity<T>) {
      auto const values = input_.values<T>();
      if (tree_) return run_by(values, bind_predicate<T>(*tree_), kept_by_tree<T>(*tree_, values));
      auto const n = static_cast<index_t>(values.size());
      mask_file const file =
          timed(read_seconds_, [&] { return mask_file(*arguments_.mask, n, &meter_); });
      bytes_read_ += file.bytes_read();
      return run_by(values, file.mask(),
                    [&](std::size_t i) { return file.marks(static_cast<index_t>(i)); });
    });
    if (code == exit_code::done && arguments_.common.time) report_times();
    return code;
  }

 private:
  /// `keep`: a predicate or a mask; `keeps`: what --verify compares with.
  template <class T, class Keep, class Keeps>
  exit_code run_by(std::span<T const> values, Keep const& keep, Keeps const& keeps) {
    switch (arguments_.wanted) {
      case result::count:
        return run_count(values, keep, keeps);
      case result::indices:
        return run_kept<index_t>(
            values, keep, [&](auto out) { return indices(values, out, keep); },
            [&](auto kept) { return verify_indices(keeps, values.size(), kept); });
      default:
        if (rejected_) return run_split(values, keep, keeps);
        return run_kept<T>(
            values, keep, [&](auto out) { return filter<T>(engine_, values, out, keep); },
            [&](auto kept) { return verify_values<T>(keeps, values, kept); });
    }
  }

  template <class T>
  index_t indices(std::span<T const> values, std::span<index_t> out, predicate<T> const& keep) {
    return filter_indices(engine_, values, out, keep);
  }
  template <class T>
  index_t indices(std::span<T const>, std::span<index_t> out, item_mask const& mask) {
    return mask_indices(engine_, mask, out);
  }

  template <class T>
  index_t count(std::span<T const> values, predicate<T> const& keep) {
    return timed(filter_seconds_, [&] { return count_if(engine_, values, keep); });
  }
  template <class T>
  index_t count(std::span<T const>, item_mask const& mask) {
    return timed(filter_seconds_, [&] { return count_marked(engine_, mask); });
  }

  template <class T, class Keep, class Keeps>
  exit_code run_count(std::span<T const> values, Keep const& keep, Keeps const& keeps) {
    kept_ = count(values, keep);
    if (!verified([&] { return verify_count(keeps, values.size(), kept_); })) {
      return exit_code::difference;
    }
    // Text for people, unless the output's name asks for another format.
    write<index_t>(output_, arguments_.output, {&kept_, 1}, file_format::text);
    return exit_code::done;
  }

  /// Runs `work`, which fills a span of items and returns how many it filled.
  template <class Item, class T, class Keep, class Work, class Verify>
  exit_code run_kept(std::span<T const> values, Keep const& keep, Work work, Verify verify) {
    auto const room = room_for<Item>(values.size(), [&] { return count(values, keep); });
    kept_ = timed(filter_seconds_, [&] { return work(room->items()); });
    result_bytes_ = static_cast<std::uint64_t>(kept_) * sizeof(Item);
    std::span<Item const> const kept = room->items().first(static_cast<std::size_t>(kept_));
    if (!verified([&] { return verify(kept); })) return exit_code::difference;
    write(output_, arguments_.output, kept, input_.format);
    return exit_code::done;
  }

  template <class T, class Keep, class Keeps>
  exit_code run_split(std::span<T const> values, Keep const& keep, Keeps const& keeps) {
    auto const n = static_cast<index_t>(values.size());
    auto const room = room_for<T>(values.size(), [&] { return count(values, keep); });
    auto const rest = room_for<T>(values.size(), [&] { return n - count(values, keep); });
    kept_ = timed(filter_seconds_,
                  [&] { return split<T>(engine_, values, room->items(), rest->items(), keep); });
    result_bytes_ = values.size_bytes();
    auto const kept_items = static_cast<std::size_t>(kept_);
    std::span<T const> const kept = room->items().first(kept_items);
    std::span<T const> const rejected = rest->items().first(values.size() - kept_items);
    if (!verified([&] {
          std::string const found = verify_values<T>(keeps, values, kept);
          return found.empty() ? verify_rejected<T>(keeps, values, rejected) : found;
        })) {
      return exit_code::difference;
    }
    complete(*rejected_, *arguments_.rejected, rejected);
    complete(output_, arguments_.output, kept);
    output_file::commit_together({&output_.complete(), &rejected_->complete()});
    return exit_code::done;
  }

  /// Whether --verify, if given, finds no difference.
  template <class Verify>
  bool verified(Verify verify) const {
    return !arguments_.common.verify || report_verified(verify());
  }

  /// Space for as many items as possible, since only written pages take memory; or, where that much
  /// memory or address space is not available, after counting, for their exact number.
  template <class Item, class Count>
  std::unique_ptr<lazy_buffer<Item>> room_for(std::size_t most, Count count) {
    if (memory_held() + taken_ + most * sizeof(Item) <= memory_bound()) {
      try {
        auto room = std::make_unique<lazy_buffer<Item>>(most);
        taken_ += most * sizeof(Item);
        return room;
      } catch (std::bad_alloc const&) {
      }
    }
    auto const items = static_cast<std::size_t>(count());
    taken_ += items * sizeof(Item);
    require_memory(memory_held() + taken_, "filtering " + input_name(arguments_.input));
    return std::make_unique<lazy_buffer<Item>>(items);
  }

  template <class Item>
  void write(array_writer& output, std::string const& path, std::span<Item const> items,
             file_format otherwise) {
    timed(write_seconds_, [&] {
      write_whole(output, path, dtype_of<Item>(), std::as_bytes(items), otherwise, meter_);
    });
  }

  template <class Item>
  void complete(array_writer& output, std::string const& path, std::span<Item const> items) {
    timed(write_seconds_, [&] {
      write_completely(output, path, dtype_of<Item>(), std::as_bytes(items), input_.format, meter_);
    });
  }

  void report_times() const {
    auto const items = static_cast<index_t>(input_.count());
    report_step("read", read_seconds_, bytes_read_, items_read(input_));
    report_step("filter", filter_seconds_, input_.bytes.size() + result_bytes_,
                "kept " + std::to_string(kept_) + " items (" + percent(kept_, items) + "), on " +
                    engine_.description());
    std::uint64_t const written =
        output_.bytes_written() + (rejected_ ? rejected_->bytes_written() : 0);
    report_step("write", write_seconds_, written, std::to_string(written) + " bytes");
  }

  filter_arguments const& arguments_;
  std::optional<expression> tree_;
  engine engine_;
  array_writer output_;  // opened, or refused, before the input is read
  std::optional<array_writer> rejected_;
  progress meter_;
  array input_;
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
