// SPDX-License-Identifier: Apache-2.0
// The steps of scan-histogram.
#include <apps/histogram/program/run_histogram.hpp>

#include <unistd.h>

#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <apps/common/array_writer.hpp>
#include <apps/common/counted_source.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/output_file.hpp>
#include <apps/common/program.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/steps.hpp>
#include <apps/histogram/program/chart.hpp>
#include <apps/histogram/program/chosen_bins.hpp>
#include <apps/histogram/program/picture.hpp>
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
/// k begins, and the name of bins k to end - 1.
struct bin_words {
  int bins;
  std::function<double(int)> edge;
  std::function<std::string(int, int)> name;
};

/// One run of the program over an input of known type.
class histogram_run {
 public:
  explicit histogram_run(histogram_arguments const& arguments)
      : arguments_(checked(arguments)),
        engine_(engine::named(arguments.common.engine, arguments.common.threads)),
        meter_(arguments.common.progress) {
    if (arguments.svg || arguments.png) require_gnuplot();
    if (arguments.output || !arguments.draws()) {
      output_name_ = arguments.output.value_or("-");
      output_.emplace(output_name_);
    }
    if (arguments.svg) svg_.emplace(*arguments.svg);
    if (arguments.png) png_.emplace(*arguments.png);
  }

  exit_code run() {
    input_ = timed(read_seconds_, [&] {
      return read_counted(arguments_.input, arguments_.common.reading(&meter_), bytes_read_);
    });
    if (arguments_.weights) read_weights();
    exit_code const code = visit_item_type(input_.type, [&]<class T>(std::type_identity<T>) {
      return run_with_bins(input_.values<T>());
    });
    if (code == exit_code::done && arguments_.common.time) report_times();
    return code;
  }

 private:
  /// Reads a file other than the input.
  array read_beside(std::string const& file, std::optional<dtype> type) {
    read_options how;
    how.type = type;
    how.meter = &meter_;
    return timed(read_seconds_, [&] { return read_counted(file, how, bytes_read_); });
  }

  void read_weights() {
    std::string const& file = *arguments_.weights;
    array const weights = read_beside(file, arguments_.weights_type);
    if (weights.count() != input_.count()) {
      throw file_error(input_name(file), "holds " + std::to_string(weights.count()) +
                                             " items, expected a weight for each of the input's " +
                                             std::to_string(input_.count()));
    }
    weights_ = exact_items<double>(weights, file, "weight");
  }

  template <class T>
  exit_code run_with_bins(std::span<T const> samples) {
    if (arguments_.edges) return run_with_edges(samples);
    if (!arguments_.integers) {
      return run_by(samples, chosen_even_bins<T>::of(arguments_, samples));
    }
    if constexpr (std::is_integral_v<T>) {
      return run_by(samples, chosen_integer_bins<T>::of(arguments_, samples));
    } else {
      throw usage_error("--integers is for integers, the items are " +
                        std::string(name_of(input_.type)) + " (see --dtype)");
    }
  }

  template <class T>
  exit_code run_with_edges(std::span<T const> samples) {
    std::string const& file = *arguments_.edges;
    array const edges = read_beside(file, arguments_.edges_type);
    bool const integers = edges.type != dtype::f32 && edges.type != dtype::f64;
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
      if (integers && are_exact<T>(edges)) {
        return run_by(samples, chosen_edge_bins<T, T>(exact_items<T>(edges, file, "edge"), file));
      }
      if (integers && !are_exact<double>(edges)) {
        return run_by(samples, chosen_edge_bins<T, T>(clamped_edges<T>(edges, file), file));
      }
    }
    if constexpr (std::is_integral_v<T> && sizeof(T) < 8) {
      // Edges that a double rounds are beyond all samples, and stay there.
      if (integers) {
        return run_by(samples, chosen_edge_bins<T, double>(nearest_items(edges), file));
      }
    }
    return run_by(samples,
                  chosen_edge_bins<T, double>(exact_items<double>(edges, file, "edge"), file));
  }

  template <class T, class Bins>
  exit_code run_by(std::span<T const> samples, Bins const& bins) {
    auto const size = static_cast<std::size_t>(bins.rule.bins());
    bin_words const words{bins.rule.bins(), [&](int k) { return bins.edge(k); },
                          [&](int k, int end) { return bins.name(k, end); }};
    if (!arguments_.weights) {
      std::vector<index_t> counts(size);
      totals_ =
          timed(count_seconds_, [&] { return histogram(engine_, samples, counts, bins.rule); });
      if (!verified([&] {
            return verify_counts(samples, bins.edges(), std::span<index_t const>(counts), totals_);
          })) {
        return exit_code::difference;
      }
      return finish(counts, words);
    }
    std::vector<double> sums(size);
    totals_ = timed(count_seconds_, [&] {
      return weighted_histogram(engine_, samples, weights_, sums, bins.rule);
    });
    if (!verified([&] {
          return verify_sums(samples, std::span<double const>(weights_), bins.edges(),
                             std::span<double const>(sums), totals_);
        })) {
      return exit_code::difference;
    }
    return finish(sums, words);
  }

  /// Whether --verify, if requested, finds no difference.
  template <class Verify>
  bool verified(Verify verify) const {
    return !arguments_.common.verify || report_verified(verify());
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
        write_completely(*output_, output_name_, dtype_of<Result>(),
                         std::as_bytes(std::span<Result const>(results)), input_.format, meter_);
      });
      outputs.push_back(&output_->complete());
    }
    if (arguments_.plot) plot(chart_of(results, bins, max_lines));
    output_file::commit_together(outputs);
    return exit_code::done;
  }

  template <class Result>
  chart chart_of(std::vector<Result> const& results, bin_words const& bins, int max_bars) const {
    std::vector<double> const heights(results.begin(), results.end());
    chart what;
    what.title = arguments_.input == "-" ? "standard input" : arguments_.input;
    what.title +=
        ": " + std::to_string(input_.count()) + " samples, " + std::to_string(bins.bins) + " bins";
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

  void report_times() const {
    report_step("read", read_seconds_, bytes_read_, items_read(input_));
    report_step("count", count_seconds_, input_.bytes.size() + result_bytes_,
                words_of(totals_) + ", on " + engine_.description());
    if (!output_) return;
    report_step("write", write_seconds_, output_->bytes_written(),
                std::to_string(output_->bytes_written()) + " bytes");
  }

  histogram_arguments const& arguments_;
  engine engine_;
  progress meter_;
  std::string output_name_;
  std::optional<array_writer> output_;  // opened, or refused, before the input is read
  std::optional<output_file> svg_, png_;
  array input_;
  std::vector<double> weights_;
  sample_totals totals_;
  std::uint64_t bytes_read_ = 0;  // of all files, as stored
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
