// SPDX-License-Identifier: Apache-2.0
// The arguments of scan-prefix and scan-prefix-mpi.
#include <apps/prefix/run_prefix.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include <CLI/CLI.hpp>

#include <apps/common/byte_source.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/number.hpp>
#include <apps/common/table.hpp>
#include <libscan/core/operator_list.hpp>

namespace libscan::apps {
namespace {

/// The number `text` as T, exactly if T is an integer type.
template <class T>
T parse_init(std::string const& text) {
  T value{};
  parse_outcome const outcome = parse_number(text, value);
  if (outcome == parse_outcome::number) return value;
  bool const below = std::is_unsigned_v<T> && is_negative_integer(text);
  throw usage_error(
      "--init: " + for_people(text) + " is " +
      (below || outcome == parse_outcome::out_of_range ? "out of range" : "no such number") +
      ", expected " + expected_number<T>());
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

/// "sum, min, ...".
std::string operator_words() {
  std::string words;
  for (libscan::operator_kind const kind : libscan::all_operators)
    words.append(words.empty() ? "" : ", ").append(libscan::option_word(kind));
  return words;
}

}  // namespace

void add_scan_arguments(CLI::App& app, prefix_arguments& arguments) {
  static std::map<std::string, libscan::operator_kind> const operators = [] {
    std::map<std::string, libscan::operator_kind> named;
    for (libscan::operator_kind const kind : libscan::all_operators)
      named.emplace(libscan::option_word(kind), kind);
    return named;
  }();
  app.add_option_function<std::string>(
         "--op", [to = &arguments](std::string const& name) { to->op = operators.at(name); },
         "operator: " + operator_words() + " (default sum)")
      ->check(CLI::IsMember(&operators))
      ->type_name("OP");
  app.add_flag_function(
      "--exclusive",
      [to = &arguments](std::int64_t on) {
        if (on > 0) to->kind = libscan::scan_kind::exclusive;
      },
      "item i covers only the items before i");
  app.add_option("--init", arguments.init, "value before the first item")->type_name("X");
  app.add_flag_function(
      "--reverse",
      [to = &arguments](std::int64_t on) {
        if (on > 0) to->direction = libscan::scan_direction::reverse;
      },
      "scan from the end to the beginning");
  app.add_option_function<std::string>(
         "--accumulator",
         [to = &arguments](std::string const& name) {
           try {
             to->accumulator = dtype_from_name(name);
           } catch (usage_error const& e) {
             throw usage_error(std::string("--accumulator: ") + e.what());
           }
         },
         "type of the accumulator and the output, see below")
      ->type_name("TYPE");
}

void add_segment_arguments(CLI::App& app, prefix_arguments& arguments) {
  using form = libscan::segmentation::form;
  static constexpr struct {
    char const* flag;
    form how;
    char const* words;
  } ways[] = {
      {"--heads", form::flags, "a byte per item: where segments begin"},
      {"--head-bits", form::bits, "a bit per item: where segments begin"},
      {"--offsets", form::offsets, "the first item of each segment, and the end of the last"},
      {"--keys", form::keys, "segments are runs of equal keys"}};
  std::vector<CLI::Option*> options;
  for (auto const& way : ways) {
    auto const take = [to = &arguments, how = way.how](std::string const& path) {
      to->segments = how;
      to->segment_file = path;
    };
    auto* const option =
        app.add_option_function<std::string>(way.flag, take, way.words)->type_name("FILE");
    for (auto* const other : options) option->excludes(other);
    options.push_back(option);
  }
}

dtype default_accumulator(dtype type) {
  return visit_item_type(type, []<class T>(std::type_identity<T>) {
    if (std::is_floating_point_v<T>) return dtype_of<T>();
    return std::is_signed_v<T> ? dtype::i64 : dtype::u64;
  });
}

bool may_accumulate(dtype type, dtype accumulator) {
  return is_float(accumulator) || size_of(accumulator) >= size_of(type);
}

dtype accumulator_for(prefix_arguments const& arguments, dtype type, bool truth_values) {
  // NumPy's cumsum counts bools in int64.
  dtype const usual = truth_values ? dtype::i64 : default_accumulator(type);
  dtype const accumulator = arguments.accumulator.value_or(usual);
  std::string const name(name_of(accumulator));
  if (!may_accumulate(type, accumulator)) {
    throw usage_error("--accumulator " + name + " is not for items of " +
                      std::string(name_of(type)) + ", expected " + accumulators_for(type));
  }
  if (is_bitwise(arguments.op) && is_float(accumulator)) {
    throw usage_error("--op " + std::string(option_word(arguments.op)) +
                      " is for integers, but the accumulator is " + name +
                      " (--accumulator int64 takes the items' integer parts)");
  }
  return accumulator;
}

any_value make_init(dtype accumulator, operator_kind op, std::optional<std::string> const& text) {
  any_value result{};
  visit_item_type(accumulator, [&]<class T>(std::type_identity<T>) {
    T const value = text ? parse_init<T>(*text) : libscan::detail::any_operator<T>{op}.identity();
    std::memcpy(result.bytes, &value, sizeof value);
  });
  return result;
}

void check_convertible(dtype type, std::span<std::byte const> items, index_t first,
                       dtype accumulator, std::string const& path) {
  if (!is_float(type) || is_float(accumulator)) return;
  bool has_sign = false;
  int bits = 0;
  visit_item_type(accumulator, [&]<class A>(std::type_identity<A>) {
    has_sign = std::is_signed_v<A>;
    bits = std::numeric_limits<A>::digits;
  });
  visit_item_type(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_floating_point_v<T>) {
      T const beyond = std::ldexp(T(1), bits);
      std::span<T const> const values(reinterpret_cast<T const*>(items.data()),
                                      items.size() / sizeof(T));
      for (std::size_t i = 0; i < values.size(); ++i) {
        T const whole = std::trunc(values[i]);
        if (whole < beyond && whole >= (has_sign ? -beyond : T(0))) continue;
        throw file_error(input_name(path),
                         "item " + std::to_string(first + static_cast<index_t>(i)) + " is " +
                             number_text(values[i]) + ", which an accumulator of " +
                             std::string(name_of(accumulator)) + " cannot hold");
      }
    }
  });
}

}  // namespace libscan::apps
