// SPDX-License-Identifier: Apache-2.0
// The steps of scan-prefix.
#include <apps/prefix/run_prefix.hpp>

#include <cmath>
#include <cstring>
#include <limits>

#include <apps/common/array_writer.hpp>
#include <apps/common/byte_source.hpp>
#include <apps/common/counted_source.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/lazy_buffer.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/number.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/steps.hpp>
#include <apps/prefix/operators.hpp>
#include <apps/prefix/prefix_scan.hpp>
#include <apps/prefix/segment_file.hpp>
#include <apps/prefix/verify.hpp>

namespace libscan::apps {
namespace {

bool is_float(dtype type) { return type == dtype::f32 || type == dtype::f64; }

/// Space for a value of any accumulator.
struct any_value {
  alignas(8) std::byte bytes[8];
};

/// The number `text` as T, exactly if T is an integer type.
template <class T>
T parse_init(std::string const& text) {
  T value{};
  parse_outcome const outcome = parse_number(text, value);
  if (outcome == parse_outcome::number) return value;
  bool const below = std::is_unsigned_v<T> && is_negative_integer(text);
  throw usage_error(
      "--init: '" + text + "' is " +
      (below || outcome == parse_outcome::out_of_range ? "out of range" : "no such number") +
      ", expected " + expected_number<T>());
}

/// The value before the first item: `text` as a number, or the operator's identity.
any_value make_init(dtype accumulator, operator_kind op, std::optional<std::string> const& text) {
  any_value result{};
  visit_item_type(accumulator, [&]<class T>(std::type_identity<T>) {
    T const value = text ? parse_init<T>(*text) : chosen_operator<T>{op}.identity();
    std::memcpy(result.bytes, &value, sizeof value);
  });
  return result;
}

/// Refuses floats that have no integer part in `accumulator`, an integer type: such conversions are
/// undefined.
void check_convertible(array const& input, dtype accumulator, std::string const& path) {
  if (!is_float(input.type) || is_float(accumulator)) return;
  bool has_sign = false;
  int bits = 0;
  visit_item_type(accumulator, [&]<class A>(std::type_identity<A>) {
    has_sign = std::is_signed_v<A>;
    bits = std::numeric_limits<A>::digits;
  });
  visit_item_type(input.type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_floating_point_v<T>) {
      T const beyond = std::ldexp(T(1), bits);
      auto const values = input.values<T>();
      for (std::size_t i = 0; i < values.size(); ++i) {
        T const whole = std::trunc(values[i]);
        if (whole < beyond && whole >= (has_sign ? -beyond : T(0))) continue;
        throw file_error(input_name(path), "item " + std::to_string(i) + " is " +
                                               number_text(values[i]) +
                                               ", which an accumulator of " +
                                               std::string(name_of(accumulator)) + " cannot hold");
      }
    }
  });
}

/// All accumulators that `may_accumulate` items of `type`, as text.
std::string accumulators_for(dtype type) {
  std::string words;
  for (dtype const accumulator : all_item_types) {
    if (may_accumulate(type, accumulator)) {
      words.append(words.empty() ? "" : " or ").append(name_of(accumulator));
    }
  }
  return words;
}

/// The scan's name in the --time line.
std::string words_for(prefix_arguments const& arguments, dtype accumulator) {
  static constexpr char const* names[] = {"sum", "min", "max", "and", "or", "xor"};
  return std::string(arguments.direction == scan_direction::reverse ? "reverse " : "") +
         (arguments.kind == scan_kind::inclusive ? "inclusive " : "exclusive ") +
         names[static_cast<std::size_t>(arguments.op)] + " in " + std::string(name_of(accumulator));
}

/// One run of the program.
class prefix_run {
 public:
  explicit prefix_run(prefix_arguments const& arguments)
      : arguments_(arguments),
        engine_(engine::named(arguments.common.engine, arguments.common.threads)),
        output_(arguments.output),
        meter_(arguments.common.progress) {}

  exit_code run() {
    timed(read_seconds_, [&] { read(); });
    require_room(input_.count());
    lazy_buffer<std::byte> room(input_.count() * size_of(accumulator_));
    auto const result = room.items();
    call_.out = result.data();
    timed(scan_seconds_, [&] {
      if (arguments_.algorithm) {
        prefix_scan_by(engine_, *arguments_.algorithm, call_);
      } else {
        prefix_scan(engine_, call_);
      }
    });
    if (arguments_.common.verify && !verify()) return exit_code::difference;
    timed(write_seconds_, [&] {
      write_whole(output_, arguments_.output, accumulator_, result, input_.format, meter_);
    });
    if (arguments_.common.time) report_times(result.size());
    return exit_code::done;
  }

 private:
  void read() {
    read_options options = arguments_.common.reading(&meter_);
    // Refused before an item is read, if the size of the file gives the number.
    options.before_items = [this](dtype type, std::uint64_t n) {
      accumulator_ = arguments_.accumulator.value_or(default_accumulator(type));
      require_room(n);
    };
    input_ = read_counted(arguments_.input, options, bytes_read_);
    // NumPy's cumsum counts bools in int64.
    dtype const usual = input_.truth_values ? dtype::i64 : default_accumulator(input_.type);
    accumulator_ = arguments_.accumulator.value_or(usual);
    check_accumulator();
    init_ = make_init(accumulator_, arguments_.op, arguments_.init);
    check_convertible(input_, accumulator_, arguments_.input);
    auto const n = static_cast<index_t>(input_.count());
    if (arguments_.segments != segmentation::form::none) {
      segments_ = segment_file(arguments_.segments, arguments_.segment_file, n, &meter_);
      bytes_read_ += segments_.bytes_read();
    }
    call_ = {input_.type,
             input_.bytes.data(),
             n,
             arguments_.op,
             arguments_.kind,
             arguments_.direction,
             segments_.segments(),
             accumulator_,
             init_.bytes,
             nullptr};
  }

  /// Refuses a result of `n` items that does not fit in memory beside what has been read.
  void require_room(std::uint64_t n) const {
    require_memory(memory_held() + n * size_of(accumulator_),
                   "scanning " + input_name(arguments_.input));
  }

  void check_accumulator() const {
    std::string const name(name_of(accumulator_));
    if (!may_accumulate(input_.type, accumulator_)) {
      throw usage_error("--accumulator " + name + " is not for items of " +
                        std::string(name_of(input_.type)) + ", expected " +
                        accumulators_for(input_.type));
    }
    if (is_bitwise(arguments_.op) && is_float(accumulator_)) {
      throw usage_error("--op and, or and xor are for integers, but the accumulator is " + name +
                        " (--accumulator int64 takes the items' integer parts)");
    }
  }

  bool verify() const {
    bool const own_scan = !arguments_.algorithm;
    verdict const found = verify_prefix(call_, own_scan ? deepest_sum(call_.n) : call_.n);
    std::string words = "a plain loop computes the same";
    if (!found.exact) words += ", except for rounding within its bound";
    if (found.unknown > 0) {
      words += "; " + std::to_string(found.unknown) + " sums near overflow were not checked";
    }
    return report_verified(found.difference, words.c_str());
  }

  void report_times(std::size_t result_bytes) const {
    report_step("read", read_seconds_, bytes_read_, items_read(input_));
    report_step("scan", scan_seconds_, input_.bytes.size() + segments_.bytes() + result_bytes,
                words_for(arguments_, accumulator_) + ", " + place());
    report_step("write", write_seconds_, output_.bytes_written(),
                std::to_string(output_.bytes_written()) + " bytes");
  }

  std::string place() const {
    if (!arguments_.algorithm) return "on " + engine_.description();
    return "by " + std::string(strategy_name(*arguments_.algorithm)) +
           (engine_.is_cuda() ? " on " + engine_.description() : " in the executor");
  }

  prefix_arguments const& arguments_;
  engine engine_;
  array_writer output_;  // opened, or refused, before the input is read
  progress meter_;
  array input_;
  segment_file segments_;
  dtype accumulator_ = dtype::i64;
  any_value init_{};
  std::uint64_t bytes_read_ = 0;  // of the files, as stored
  prefix_call call_{};
  double read_seconds_ = 0;
  double scan_seconds_ = 0;
  double write_seconds_ = 0;
};

}  // namespace

dtype default_accumulator(dtype type) {
  return visit_item_type(type, []<class T>(std::type_identity<T>) {
    if (std::is_floating_point_v<T>) return dtype_of<T>();
    return std::is_signed_v<T> ? dtype::i64 : dtype::u64;
  });
}

bool may_accumulate(dtype type, dtype accumulator) {
  return is_float(accumulator) || size_of(accumulator) >= size_of(type);
}

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
