// SPDX-License-Identifier: Apache-2.0
// The steps of scan-filter.
#include <apps/filter/run_filter.hpp>

#include <cstdio>
#include <memory>
#include <new>
#include <string>

#include <apps/common/array_writer.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/lazy_buffer.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/steps.hpp>
#include <apps/filter/filter.hpp>
#include <apps/filter/predicate_parser.hpp>
#include <apps/filter/verify.hpp>
#include <libscan/core/engine.hpp>

namespace libscan::apps {
namespace {

using result = filter_arguments::result;

std::string percent(index_t part, index_t whole) {
  char text[16];
  std::snprintf(text, sizeof text, "%.2f %%",
                whole == 0 ? 0.0 : 100 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

/// One run of the program over an input of known type.
class filter_run {
 public:
  explicit filter_run(filter_arguments const& arguments)
      : arguments_(arguments),
        tree_(arguments.keep),
        engine_(engine::named(arguments.common.engine, arguments.common.threads)),
        output_(arguments.output),
        meter_(arguments.common.progress) {}

  exit_code run() {
    input_ = timed(read_seconds_, [&] {
      return read_array(arguments_.input, arguments_.common.reading(&meter_));
    });
    exit_code const code =
        visit_dtype(input_.type, [&]<class T>(std::type_identity<T>) { return run_typed<T>(); });
    if (code == exit_code::done && arguments_.common.time) report_times();
    return code;
  }

 private:
  template <class T>
  exit_code run_typed() {
    auto const values = input_.values<T>();
    auto const keep = bind_predicate<T>(tree_);
    switch (arguments_.wanted) {
      case result::count:
        return run_count(values, keep);
      case result::indices:
        return run_kept<index_t>(
            values, keep, [&](auto out) { return filter_indices(engine_, values, out, keep); },
            verify_indices<T>);
      default:
        return run_kept<T>(
            values, keep, [&](auto out) { return filter(engine_, values, out, keep); },
            verify_values<T>);
    }
  }

  template <class T>
  exit_code run_count(std::span<T const> values, predicate<T> const& keep) {
    kept_ = timed(filter_seconds_, [&] { return count_if(engine_, values, keep); });
    if (arguments_.common.verify && !report_verified(verify_count<T>(tree_, values, kept_))) {
      return exit_code::difference;
    }
    // A number for people, unless the output's name says otherwise.
    write(std::span<index_t const>(&kept_, 1), file_format::text);
    return exit_code::done;
  }

  /// Runs `work`, which fills a span of items and returns how many it filled.
  template <class Item, class T, class Work, class Verify>
  exit_code run_kept(std::span<T const> values, predicate<T> const& keep, Work work,
                     Verify verify) {
    auto const room = room_for<Item>(values, keep);
    kept_ = timed(filter_seconds_, [&] { return work(room->items()); });
    result_bytes_ = static_cast<std::uint64_t>(kept_) * sizeof(Item);
    std::span<Item const> const kept = room->items().first(static_cast<std::size_t>(kept_));
    if (arguments_.common.verify && !report_verified(verify(tree_, values, kept))) {
      return exit_code::difference;
    }
    write(kept, input_.format);
    return exit_code::done;
  }

  /// As many items as there are values, as only what is written takes memory; or, where that much
  /// address space is refused, after counting, as many as are kept.
  template <class Item, class T>
  std::unique_ptr<lazy_buffer<Item>> room_for(std::span<T const> values, predicate<T> const& keep) {
    try {
      return std::make_unique<lazy_buffer<Item>>(values.size());
    } catch (std::bad_alloc const&) {
      auto const kept = timed(filter_seconds_, [&] { return count_if(engine_, values, keep); });
      return std::make_unique<lazy_buffer<Item>>(static_cast<std::size_t>(kept));
    }
  }

  template <class Item>
  void write(std::span<Item const> items, file_format otherwise) {
    timed(write_seconds_, [&] {
      write_whole(output_, arguments_.output, dtype_of<Item>(), std::as_bytes(items), otherwise,
                  meter_);
    });
  }

  void report_times() const {
    auto const items = static_cast<index_t>(input_.count());
    report_step("read", read_seconds_, input_.bytes.size(),
                std::to_string(items) + " items of " + std::string(name_of(input_.type)));
    report_step("filter", filter_seconds_, input_.bytes.size() + result_bytes_,
                "kept " + std::to_string(kept_) + " items (" + percent(kept_, items) + "), on " +
                    engine_.description());
    report_step("write", write_seconds_, output_.bytes_written(),
                std::to_string(output_.bytes_written()) + " bytes");
  }

  filter_arguments const& arguments_;
  expression tree_;
  engine engine_;
  array_writer output_;  // opened, or refused, before the input is read
  progress meter_;
  array input_;
  index_t kept_ = 0;
  std::uint64_t result_bytes_ = 0;
  double read_seconds_ = 0;
  double filter_seconds_ = 0;
  double write_seconds_ = 0;
};

}  // namespace

exit_code run_filter(filter_arguments const& arguments) { return filter_run(arguments).run(); }

}  // namespace libscan::apps
