// SPDX-License-Identifier: Apache-2.0
// The steps of scan-prefix.
#include <apps/prefix/run_prefix.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include <apps/common/algorithm.hpp>
#include <apps/common/array_writer.hpp>
#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/item_stream.hpp>
#include <apps/common/lazy_buffer.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/steps.hpp>
#include <apps/prefix/prefix_scan.hpp>
#include <apps/prefix/segment_file.hpp>
#include <apps/prefix/verify.hpp>
#include <libscan/cpu/staged_scan.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::apps {
namespace {

/// The scan's name in the --time line.
std::string words_for(prefix_arguments const& arguments, dtype accumulator) {
  return std::string(arguments.direction == scan_direction::reverse ? "reverse " : "") +
         (arguments.kind == scan_kind::inclusive ? "inclusive " : "exclusive ") +
         option_word(arguments.op) + " in " + std::string(name_of(accumulator));
}

/// Other libraries scan without segments.
verifier_set verifiers_of(prefix_arguments const& arguments) {
  if (arguments.segments == segmentation::form::none) return verifiers_for(arguments.common);
  verifier_set others = arguments.common.verify_by;
  others.remove(verifier::loop);
  if (others.empty()) return others;
  throw usage_error("--verify=" + names_in(others) +
                    " is for scans without segments, expected --verify");
}

/// One run of the program.
class prefix_run {
 public:
  explicit prefix_run(prefix_arguments const& arguments)
      : arguments_(arguments),
        verifiers_(verifiers_of(arguments)),
        engine_(engine_for(arguments.common, arguments.algorithm.has_value())),
        output_(arguments.output),
        meter_(arguments.common.progress) {}

  exit_code run() {
    timed(read_seconds_, [&] { open(); });
    std::size_t const result = size_of(accumulator_);
    if (input_->is_whole()) require_memory_for(static_cast<std::uint64_t>(*input_->count()));
    index_t const max_items = input_->is_whole() ? *input_->count() : piece_items_;
    lazy_buffer<std::byte> results(static_cast<std::size_t>(max_items) * result);
    call_.out = results.items().data();
    while (auto const piece = timed(read_seconds_, [&] { return input_->next(); })) {
      take(*piece);
      timed(scan_seconds_, [&] { scan(); });
      if (arguments_.common.verify && !verify()) return exit_code::difference;
      auto const items = results.items().first(static_cast<std::size_t>(call_.n) * result);
      timed(write_seconds_, [&] { output_.append(accumulator_, items); });
    }
    timed(write_seconds_, [&] { output_.commit(); });
    report_times();
    return exit_code::done;
  }

 private:
  bool has_segments() const { return arguments_.segments != segmentation::form::none; }

  /// Opens the input, and the segments beside it. The executor, segments on a GPU, strategies and
  /// --verify get everything in one piece, and so do outputs that cannot be written from their end.
  void open() {
    read_options options = arguments_.common.reading(&meter_);
    // Refused before an item is read, if the size of the file gives the number.
    options.before_items = [this](dtype type, std::uint64_t n) {
      accumulator_ = arguments_.accumulator.value_or(default_accumulator(type));
      require_memory_for(n);
    };
    bool const from_end = arguments_.direction == scan_direction::reverse;
    input_.emplace(arguments_.input, options,
                   item_stream::request{
                       .whole = takes_all_items(engine_) || (engine_.is_cuda() && has_segments()) ||
                                arguments_.common.verify || arguments_.algorithm.has_value(),
                       .from_end = from_end,
                       .known_count = has_segments()},
                   bytes_read_);
    if (from_end && !output_.may_begin_from_end(input_->format())) input_->join();
    accumulator_ = accumulator_for(arguments_, input_->type(), input_->truth_values());
    carry_ = init_ = make_init(accumulator_, arguments_.op, arguments_.init);
    begin(from_end);
  }

  void begin(bool from_end) {
    // Sums of floats do not depend on the pieces if these are whole chunks of the scan.
    index_t const chunk = cpu::staged_chunk_items;
    std::size_t const item = std::max(size_of(input_->type()), size_of(accumulator_));
    piece_items_ = item_stream::piece_items(chunk, item);
    bool const any_cut = !is_float(accumulator_) && !has_segments();
    index_t const unit = any_cut ? 1 : has_segments() ? piece_items_ : chunk;
    input_->begin(piece_items_, unit, [this] { output_.flush(); });
    if (from_end && !input_->is_whole()) {
      output_.begin_from_end(accumulator_, *input_->count(), input_->format());
    } else {
      output_.begin(accumulator_, input_->count(), input_->format());
    }
    call_ = {input_->type(),
             nullptr,
             0,
             arguments_.op,
             arguments_.kind,
             arguments_.direction,
             {},
             accumulator_,
             init_.bytes,
             nullptr,
             input_->is_whole() ? nullptr : carry_.bytes};
    if (!has_segments()) return;
    if (input_->is_whole()) {
      segments_ =
          segment_file(arguments_.segments, arguments_.segment_file, *input_->count(), &meter_);
      bytes_read_ += segments_.bytes_read();
      call_.segments = segments_.segments();
    } else {
      streamed_segments_.emplace(arguments_.segments, arguments_.segment_file, *input_->count(),
                                 piece_items_, arguments_.direction, &meter_, bytes_read_);
    }
  }

  /// Makes a piece the input of the next call.
  void take(std::span<std::byte const> piece) {
    call_.in = piece.data();
    call_.n = static_cast<index_t>(piece.size() / size_of(input_->type()));
    bool const from_end = arguments_.direction == scan_direction::reverse && !input_->is_whole();
    index_t const first = from_end ? *input_->count() - input_->items() : input_->items() - call_.n;
    check_convertible(input_->type(), piece, first, accumulator_, arguments_.input);
    if (!streamed_segments_) return;
    call_.segments = timed(read_seconds_, [&] { return streamed_segments_->next(first, call_.n); });
    if (streamed_segments_->begins()) carry_ = init_;
  }

  void scan() {
    if (arguments_.algorithm) {
      return prefix_scan_by(engine_, *arguments_.algorithm, call_);
    }
    prefix_scan(engine_, call_);
  }

  /// Refuses a result of `n` items that does not fit in memory beside what has been read.
  void require_memory_for(std::uint64_t n) const {
    require_memory(memory_held() + n * size_of(accumulator_),
                   "scanning " + input_name(arguments_.input));
  }

  bool verify() const {
    bool const own_scan = !arguments_.algorithm;
    verdict const found = verify_prefix(call_, own_scan ? deepest_sum(call_.n) : call_.n);
    std::string words = "a plain loop computes the same";
    if (!found.exact) words += ", except for rounding within its bound";
    if (found.unknown > 0) {
      words += "; " + std::to_string(found.unknown) + " sums near overflow were not checked";
    }
    std::string difference = found.difference;
    if (difference.empty()) {
      difference = difference_of_others(verifiers_, [&](verifier by) { return difference_of(by); });
    }
    return report_verified(difference, verifiers_, words);
  }

  /// Runs the call by another library, and compares its result with the plain loop, too.
  std::string difference_of(verifier by) const {
    prefix_call again = call_;
    std::vector<std::byte> out(static_cast<std::size_t>(call_.n) * size_of(accumulator_));
    again.out = out.data();
    if (by == verifier::standard) {
      prefix_by_standard(again);
    } else if constexpr (libscan::detail::has_cuda) {
      by == verifier::cub ? prefix_by_cub(again) : prefix_by_thrust(again);
    } else {
      libscan::detail::refuse_cuda();
    }
    return verify_prefix(again, call_.n).difference;
  }

  void report_times() const {
    std::size_t const item = size_of(input_->type()) + size_of(accumulator_);
    std::uint64_t const described =
        segments_.bytes() + (streamed_segments_ ? streamed_segments_->bytes() : 0);
    report_number("items", static_cast<std::uint64_t>(input_->items()));
    report_step("read", read_seconds_, bytes_read_, input_->words());
    report_step("scan", scan_seconds_,
                static_cast<std::uint64_t>(input_->items()) * item + described,
                words_for(arguments_, accumulator_) + ", " + place());
    report_step("write", write_seconds_, output_.bytes_written(),
                std::to_string(output_.bytes_written()) + " bytes");
  }

  std::string place() const {
    if (!arguments_.algorithm) return "on " + engine_.description();
    strategy_choice const& by = *arguments_.algorithm;
    return "by " + std::string(strategy_name(by.strategy)) +
           (by.block_scan ? " of " + std::string(block_algorithm_name(*by.block_scan)) : "") +
           (engine_.is_cuda() ? " on " + engine_.description() : " in the executor");
  }

  prefix_arguments const& arguments_;
  verifier_set verifiers_;  // beside the loop
  engine engine_;
  array_writer output_;  // opened, or refused, before the input is read
  progress meter_;
  std::optional<item_stream> input_;
  index_t piece_items_ = 0;
  segment_file segments_;  // of an input in one piece
  std::optional<segment_stream> streamed_segments_;
  dtype accumulator_ = dtype::i64;
  any_value init_{};
  any_value carry_{};             // into the next piece
  std::uint64_t bytes_read_ = 0;  // of the files, as stored
  prefix_call call_{};
  double read_seconds_ = 0;
  double scan_seconds_ = 0;
  double write_seconds_ = 0;
};

}  // namespace

exit_code run_prefix(prefix_arguments const& arguments) {
  bool const segmented = arguments.segments != segmentation::form::none;
  if (segmented && arguments.algorithm) {
    throw usage_error("--algorithm is for plain scans: the strategies know no segments");
  }
  if (segmented && arguments.input == "-" && arguments.segment_file == "-") {
    throw usage_error("only one of the input and the segments can be standard input");
  }
  return prefix_run(arguments).run();
}

}  // namespace libscan::apps
