// SPDX-License-Identifier: Apache-2.0
// The steps of scan-histogram.
#include <apps/histogram/program/run_histogram.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <apps/common/algorithm.hpp>
#include <apps/common/array_writer.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/item_stream.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/number.hpp>
#include <apps/common/output_file.hpp>
#include <apps/common/program.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/steps.hpp>
#include <apps/histogram/program/chart.hpp>
#include <apps/histogram/program/chosen_bins.hpp>
#include <apps/histogram/program/verify.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/histogram.hpp>

namespace libscan::apps {
namespace {

/// The most bars of a drawing: each is a line of the terminal, or some pixels of a picture.
constexpr int max_lines = 40;
constexpr int max_columns = 1200;

std::string words_of(sample_totals const& totals) {
  return std::to_string(totals.below) + " below, " + std::to_string(totals.inside) + " inside, " +
         std::to_string(totals.above) + " above, " + std::to_string(totals.nan) + " nan";
}

bool is_standard_output(std::optional<std::string> const& path) {
  return path && same_output(*path, "-");
}

/// What is written of bins beside their counts, whatever their type: how many there are, where bin
/// k begins, the name of bins k to end - 1, and the exact edges of bin k.
struct bin_words {
  int bins;
  std::function<double(int)> edge;
  std::function<std::string(int, int)> name;
  std::function<bin_bounds(int)> bounds;
};

/// The same of some bins, which must outlive it.
template <class Bins>
bin_words words_of(Bins const& bins) {
  return {bins.bins(), [&](int k) { return bins.edge(k); },
          [&](int k, int end) { return bins.name(k, end); }, [&](int k) { return bins.bounds(k); }};
}

/// One run of the program over an input of known type.
class histogram_run {
 public:
  explicit histogram_run(histogram_arguments const& arguments)
      : arguments_(checked(arguments)),
        verifiers_(verifiers_for(arguments.common)),
        engine_(engine_for(arguments.common, arguments.algorithm.has_value())),
        meter_(arguments.common.progress) {
    if (arguments.svg || arguments.png) require_gnuplot();
    if (arguments.output || arguments.table || !arguments.draws()) {
      output_name_ = arguments.output.value_or("-");
      output_.emplace(output_name_);
    }
    if (arguments.svg) svg_.emplace(*arguments.svg);
    if (arguments.png) png_.emplace(*arguments.png);
  }

  exit_code run() {
    timed(read_seconds_, [&] { open(); });
    exit_code const code = visit_item_type(
        input_->type(), [&]<class T>(std::type_identity<T>) { return run_with_bins<T>(); });
    if (code == exit_code::done) report_times();
    return code;
  }

 private:
  /// The executor, weighted sums and --verify get all items in one piece.
  void open() {
    bytes_read_ = 0;
    bool const whole =
        takes_all_items(engine_) || arguments_.common.verify || arguments_.weights.has_value();
    input_.emplace(arguments_.input, arguments_.common.reading(&meter_),
                   item_stream::request{.whole = whole}, bytes_read_);
    if (arguments_.weights && input_->count()) {  // refused before a weight is read
      require_memory(memory_held() + static_cast<std::uint64_t>(*input_->count()) * sizeof(double),
                     "reading " + input_name(*arguments_.weights));
    }
  }

  /// Reads a file other than the input.
  array read_beside(std::string const& file, stored_type const& type) {
    read_options const how = read_options::beside_input(&meter_, type);
    return timed(read_seconds_, [&] { return read_counted(file, how, bytes_beside_); });
  }

  void read_weights(std::size_t count) {
    std::string const& file = *arguments_.weights;
    array const weights = read_beside(file, arguments_.weights_type);
    if (weights.count() != count) {
      throw file_error(input_name(file), "holds " + std::to_string(weights.count()) +
                                             " items, expected a weight for each of the input's " +
                                             std::to_string(count));
    }
    weights_ = exact_items<double>(weights, file, "weight");
  }

  /// Calls work(samples) for each piece of the input; false as soon as one returns false.
  template <class T, class Work>
  bool for_each_piece(Work work) {
    while (auto const piece = timed(read_seconds_, [&] { return input_->next(); })) {
      if (!work(std::span<T const>(reinterpret_cast<T const*>(piece->data()),
                                   piece->size() / sizeof(T)))) {
        return false;
      }
    }
    return true;
  }

  /// Refuses bins whose counts or sums do not fit in memory: those of a piece, and of all.
  void require_memory_for(int bins) const {
    std::uint64_t const copies = input_->is_whole() ? 1 : 2;
    require_memory(memory_held() + static_cast<std::uint64_t>(bins) * copies * sizeof(index_t),
                   std::to_string(bins) + " bins");
  }

  void begin(std::size_t item) { input_->begin(item_stream::piece_items(1, item), 1); }

  /// The ends of the samples: reads them once more than the counting does. A pipe must fit in
  /// memory for that.
  template <class T>
  std::optional<range_ends<T>> extent() {
    timed(read_seconds_, [&] {
      if (!input_->may_rewind()) input_->join();
    });
    begin(sizeof(T));
    std::optional<range_ends<T>> ends;
    for_each_piece<T>([&](auto samples) {
      apps::extend(ends, samples);
      return true;
    });
    input_->rewind();
    return ends;
  }

  template <class T>
  exit_code run_with_bins() {
    if (arguments_.edges) return run_with_edges<T>();
    auto const ends = [&] { return extent<T>(); };
    if (arguments_.bins) require_memory_for(static_cast<int>(*arguments_.bins));
    if (!arguments_.integers) return run_by<T>(chosen_even_bins<T>::of(arguments_, ends));
    if constexpr (std::is_integral_v<T>) {
      return run_by<T>(chosen_integer_bins<T>::of(arguments_, ends));
    } else {
      throw usage_error("--integers is for integers, the items are " +
                        std::string(name_of(input_->type())) + " (see --dtype)");
    }
  }

  template <class T>
  exit_code run_with_edges() {
    std::string const& file = *arguments_.edges;
    edge_list edges(read_beside(file, arguments_.edges_type), file);
    // Doubles round large integers, but no edge that is a float.
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
      auto exact = edges.are_integers() ? edges_as<T>(edges.values()) : std::vector<T>{};
      if (!exact.empty()) {
        return run_by<T>(chosen_edge_bins<T, T>(std::move(edges), std::move(exact)));
      }
    }
    auto doubles = edges_as<double>(edges.values());
    bool const none_inside = doubles.empty();
    if (none_inside) {
      doubles = {*smallest_from<double>(edges[0]), std::numeric_limits<double>::infinity()};
    }
    return run_by<T>(
        chosen_edge_bins<T, double>(std::move(edges), std::move(doubles), none_inside));
  }

  template <class T, class Bins>
  exit_code run_by(Bins const& bins) {
    if (arguments_.weights) return run_weighted<T>(bins);
    require_memory_for(bins.bins());
    auto const size = static_cast<std::size_t>(bins.bins());
    // With more bins than samples in a piece, to add them up would take longer than to count.
    if (bins.bins() > item_stream::piece_items(1, sizeof(T)) && !input_->is_whole()) {
      timed(read_seconds_, [&] { input_->join(); });
    }
    begin(sizeof(T));
    std::vector<index_t> counts(size), all(input_->is_whole() ? 0 : size);
    bool const good = for_each_piece<T>([&](auto samples) {
      timed(count_seconds_, [&] {
        std::fill(counts.begin() + bins.rule.bins(), counts.end(), 0);
        auto found =
            histogram_by(engine_, arguments_.algorithm.value_or(histogram_algorithm::shared),
                         samples, std::span<index_t>(counts), bins.rule);
        correct(bins, counts, found);
        totals_ += found;
        for (std::size_t k = 0; k < all.size(); ++k) all[k] += counts[k];
      });
      return verified([&] {
        std::string const found =
            verify_counts(samples, bins.edges(), std::span<index_t const>(counts), totals_);
        if (!found.empty() || verifiers_.empty()) return found;
        auto const inside = placed_in(samples, {}, bins.edges());
        return difference_of_others(verifiers_, [&](verifier by) {
          auto const again = counts_by(by, inside, bins.bins());
          return verify_counts(samples, bins.edges(), std::span<index_t const>(again), totals_);
        });
      });
    });
    if (!good) return exit_code::difference;
    return finish(input_->is_whole() ? counts : all, words_of(bins));
  }

  template <class T, class Bins>
  exit_code run_weighted(Bins const& bins) {
    require_memory_for(bins.bins());
    std::vector<double> sums(static_cast<std::size_t>(bins.bins()));
    bool const good = for_each_piece<T>([&](auto samples) {
      read_weights(samples.size());
      totals_ = timed(count_seconds_, [&] {
        auto found = weighted_histogram(engine_, samples, weights_, sums, bins.rule);
        correct(bins, sums, found);
        return found;
      });
      return verified([&] {
        std::span<double const> const weights(weights_);
        std::string const found =
            verify_sums(samples, weights, bins.edges(), std::span<double const>(sums), totals_);
        if (!found.empty() || verifiers_.empty()) return found;
        auto const inside = placed_in(samples, weights, bins.edges());
        return difference_of_others(verifiers_, [&](verifier by) {
          auto const again = sums_by(by, inside, bins.bins());
          return verify_sums(samples, weights, bins.edges(), std::span<double const>(again),
                             totals_);
        });
      });
    });
    return good ? finish(sums, words_of(bins)) : exit_code::difference;
  }

  /// Whether --verify, if requested, finds no difference.
  template <class Verify>
  bool verified(Verify verify) const {
    return !arguments_.common.verify || report_verified(verify(), verifiers_);
  }

  /// Writes the requested results.
  template <class Result>
  exit_code finish(std::vector<Result> const& results, bin_words const& bins) {
    result_bytes_ = results.size() * sizeof(Result);
    std::vector<output_file*> outputs;
    chart const picture = svg_ || png_ ? chart_of(results, bins, max_columns) : chart{};
    if (svg_) draw_picture(picture, picture_format::svg, *svg_);
    if (png_) draw_picture(picture, picture_format::png, *png_);
    for (auto* const each : {&svg_, &png_}) {
      if (*each) outputs.push_back(&**each);
    }
    for (output_file* const each : outputs) each->complete();
    if (output_) {
      timed(write_seconds_, [&] {
        if (arguments_.table) return write_table(results, bins);
        write_completely(*output_, output_name_, dtype_of<Result>(),
                         std::as_bytes(std::span<Result const>(results)), input_->format(), meter_);
      });
      outputs.push_back(&output_->complete());
    }
    if (arguments_.plot) plot(chart_of(results, bins, max_lines));
    output_file::commit_together(outputs);
    return exit_code::done;
  }

  /// A line for each bin, after a header.
  template <class Result>
  void write_table(std::vector<Result> const& results, bin_words const& bins) {
    output_->begin_text();
    output_->append_text(arguments_.weights ? "from,to,sum\n" : "from,to,count\n");
    for (std::size_t k = 0; k < results.size(); ++k) {
      bin_bounds const bounds = bins.bounds(static_cast<int>(k));
      output_->append_text(bounds.lower + "," + bounds.upper + "," + number_text(results[k]) +
                           "\n");
    }
    output_->complete();
  }

  template <class Result>
  chart chart_of(std::vector<Result> const& results, bin_words const& bins, int max_bars) const {
    std::vector<double> const heights(results.begin(), results.end());
    chart what;
    what.title = arguments_.input == "-" ? "standard input" : arguments_.input;
    what.title +=
        ": " + std::to_string(input_->items()) + " samples, " + std::to_string(bins.bins) + " bins";
    what.values = "value";
    what.counts = arguments_.weights ? "sum of weights" : "samples";
    what.log = arguments_.log;
    what.bars = join_bins(heights, max_bars, bins.edge, bins.name);
    return what;
  }

  /// To standard output, or to standard error if the results or a picture go there.
  void plot(chart const& what) const {
    bool const taken = is_standard_output(arguments_.output) ||
                       is_standard_output(arguments_.svg) || is_standard_output(arguments_.png);
    std::string const text =
        drawn_in_text(what, terminal_columns(taken ? STDERR_FILENO : STDOUT_FILENO)) +
        words_of(totals_) + "\n";
    output_file out(taken ? "/dev/stderr" : "-");
    out.write(std::as_bytes(std::span<char const>(text)));
    out.commit();
  }

  std::string by_algorithm() const {
    if (!arguments_.algorithm) return "";
    return ", " + std::string(histogram_algorithm_names.name(*arguments_.algorithm));
  }

  void report_times() const {
    auto const items = static_cast<std::uint64_t>(input_->items());
    report_number("items", items);
    report_number("below", static_cast<std::uint64_t>(totals_.below));
    report_number("inside", static_cast<std::uint64_t>(totals_.inside));
    report_number("above", static_cast<std::uint64_t>(totals_.above));
    report_number("nan", static_cast<std::uint64_t>(totals_.nan));
    report_step("read", read_seconds_, bytes_read_ + bytes_beside_, input_->words());
    report_step("count", count_seconds_, items * size_of(input_->type()) + result_bytes_,
                words_of(totals_) + by_algorithm() + ", on " + engine_.description());
    if (!output_) return;
    report_step("write", write_seconds_, output_->bytes_written(),
                std::to_string(output_->bytes_written()) + " bytes");
  }

  histogram_arguments const& arguments_;
  verifier_set verifiers_;  // beside the loop
  engine engine_;
  progress meter_;
  std::string output_name_;
  std::optional<array_writer> output_;  // opened, or refused, before the input is read
  std::optional<output_file> svg_, png_;
  std::optional<item_stream> input_;
  std::vector<double> weights_;
  sample_totals totals_;
  std::uint64_t bytes_read_ = 0;    // of the input, as stored
  std::uint64_t bytes_beside_ = 0;  // of other files
  std::uint64_t result_bytes_ = 0;
  double read_seconds_ = 0;
  double count_seconds_ = 0;
  double write_seconds_ = 0;
};

}  // namespace

exit_code run_histogram(histogram_arguments const& arguments) {
  return histogram_run(arguments).run();
}

}  // namespace libscan::apps
