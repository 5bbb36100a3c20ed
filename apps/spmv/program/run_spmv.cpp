// SPDX-License-Identifier: Apache-2.0
// The steps of scan-spmv.
#include <apps/spmv/program/run_spmv.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <apps/common/algorithm.hpp>
#include <apps/common/array_writer.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/matrix_market.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/number.hpp>
#include <apps/common/output_file.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/steps.hpp>
#include <apps/common/table.hpp>
#include <apps/spmv/program/product_by.hpp>
#include <apps/spmv/program/row_lengths.hpp>
#include <apps/spmv/program/spy.hpp>
#include <apps/spmv/program/verify.hpp>
#include <apps/spmv/program/verify_others.hpp>
#include <libscan/core/engine.hpp>

namespace libscan::apps {
namespace {

semiring_kind semiring_named(std::string const& name) {
  auto const* const found = std::ranges::find(semiring_names, name);
  if (found != std::end(semiring_names)) {
    return static_cast<semiring_kind>(found - std::begin(semiring_names));
  }
  throw usage_error("--semiring: " + for_people(name) +
                    " is no semiring, expected plus-times, min-plus, max-times or or-and");
}

/// The seed in "random:SEED"; nothing if x is something else.
std::optional<std::uint64_t> seed_of(std::string const& x) {
  std::string const prefix = "random:";
  if (!x.starts_with(prefix)) return std::nullopt;
  std::uint64_t seed = 0;
  if (!parse_digits(std::string_view(x).substr(prefix.size()), seed)) {
    throw usage_error("--x: " + for_people(x) + ", expected random: and a whole number");
  }
  return seed;
}

/// Numbers from a counter and a mixing function (splitmix64): floats in [-1, 1), integers in [-8,
/// 8).
template <class T>
T random_component(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t word = seed * 0x9e3779b97f4a7c15u + i * 0xd1342543de82ef95u;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  word ^= word >> 31;
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(word >> 60) - 8;
  } else {
    constexpr int bits = std::numeric_limits<T>::digits;
    return std::ldexp(static_cast<T>(word >> (64 - bits)), 1 - bits) - 1;
  }
}

/// A number of a file as a T; refuses a finite one that would become infinite.
template <class T, class From>
T rounded(std::string const& path, From value) {
  T const result = static_cast<T>(value);
  if constexpr (std::is_floating_point_v<T> && std::is_floating_point_v<From>) {
    if (std::isinf(result) && !std::isinf(value)) {
      throw file_error(input_name(path), "the value " + number_text(value) +
                                             " is out of range, expected " + expected_number<T>());
    }
  }
  return result;
}

/// Refuses contradictory arguments.
spmv_arguments const& checked(spmv_arguments const& arguments) {
  if (arguments.matrix == "-" && arguments.x == "-") {
    throw usage_error("MATRIX and --x cannot both be standard input");
  }
  if (arguments.stats && arguments.output && same_output(*arguments.output, "-")) {
    throw usage_error("--stats and --output both write to standard output");
  }
  if (arguments.spy && !names_picture(*arguments.spy)) {
    throw usage_error("--spy: " + for_people(*arguments.spy) +
                      " is no picture, expected a name that ends in .svg or .png");
  }
  if (arguments.spy && arguments.output && same_output(*arguments.spy, *arguments.output)) {
    throw usage_error("--spy and --output both name " + *arguments.output);
  }
  if (arguments.spy && arguments.stats && same_output(*arguments.spy, "-")) {
    throw usage_error("--spy and --stats both write to standard output");
  }
  dtype const type = arguments.common.type.value_or(dtype::f64);
  if (type != dtype::f32 && type != dtype::f64 && type != dtype::i64) {
    throw usage_error("--dtype " + std::string(name_of(type)) +
                      " is no type of a product, expected float32, float64 or int64");
  }
  return arguments;
}

/// Who verifies beside the loop. Throws `engine_unavailable` if cuSPARSE is named and not there.
verifier_set verifiers_of(common_arguments const& common) {
  verifier_set others = verifiers_for(common);
  if (!others.has(verifier::cusparse)) return others;
  if constexpr (libscan::detail::has_cuda) {
    if (can_load_cusparse()) return others;
  }
  if (common.verify_by.has(verifier::cusparse)) {
    throw engine_unavailable(
        "--verify=cusparse: cuSPARSE is not there; expected cusparse.h when libscan is built, and "
        "libcusparse.so.12");
  }
  others.remove(verifier::cusparse);
  return others;
}

/// One run of the program.
class spmv_run {
 public:
  explicit spmv_run(spmv_arguments const& arguments)
      : arguments_(checked(arguments)),
        semiring_(semiring_named(arguments.semiring)),
        seed_(seed_of(arguments.x)),
        verifiers_(verifiers_of(arguments.common)),
        engine_(engine_for(arguments.common, arguments.algorithm.has_value())),
        meter_(arguments.common.progress) {
    if (arguments.multiplies()) output_.emplace(arguments.output.value_or("-"));
    if (arguments.spy) picture_.emplace(*arguments.spy);
  }

  exit_code run() {
    file_ = timed(read_seconds_, [&] {
      return read_matrix_market(arguments_.matrix, &meter_, arguments_.common.threads);
    });
    // Exchanging rows and columns transposes the matrix; the omitted part of a symmetric list stays
    // the same.
    if (arguments_.transpose) {
      std::swap(file_.rows, file_.columns);
      std::swap(file_.row_indices, file_.column_indices);
    }
    choose_verifiers();
    switch (type()) {
      case dtype::f32:
        return run_with<float>();
      case dtype::i64:
        return run_with<std::int64_t>();
      default:
        return run_with<double>();
    }
  }

 private:
  /// cuSPARSE has one semiring, and no integers.
  void choose_verifiers() {
    if (!verifiers_.has(verifier::cusparse)) return;
    if (type() != dtype::i64 && semiring_ == semiring_kind::plus_times) return;
    if (arguments_.common.verify_by.has(verifier::cusparse)) {
      throw usage_error("--verify=cusparse is for float32 and float64 in plus-times");
    }
    verifiers_.remove(verifier::cusparse);
  }

  /// The type of the product: the requested one, else that of the file's numbers.
  dtype type() const {
    dtype const of_file = file_.field == matrix_field::integer ? dtype::i64 : dtype::f64;
    dtype const wanted = arguments_.common.type.value_or(of_file);
    if (wanted == dtype::i64 && file_.field == matrix_field::real) {
      throw usage_error("--dtype int64: the values of " + input_name(arguments_.matrix) +
                        " are real, expected float32 or float64");
    }
    return wanted;
  }

  template <class T>
  exit_code run_with() {
    auto const entries = static_cast<std::uint64_t>(file_.entries());
    // The list with its values, and the rows with theirs, twice for a symmetric matrix.
    std::uint64_t const places = (file_.symmetry == matrix_symmetry::general ? 1 : 2) * entries;
    require_memory(entries * (16 + sizeof(T)) + places * (4 + sizeof(T)) +
                       static_cast<std::uint64_t>(file_.rows) * 8,
                   "the matrix of " + input_name(arguments_.matrix));
    std::vector<T> values = values_as<T>();
    coo_matrix<T> list{file_.rows,
                       file_.columns,
                       file_.entries(),
                       file_.row_indices.data(),
                       file_.column_indices.data(),
                       file_.field == matrix_field::pattern ? nullptr : values.data(),
                       static_cast<symmetry>(file_.symmetry)};
    sparse_matrix<T> matrix = timed(build_seconds_, [&] { return to_rows(engine_, list); });
    nonzeros_ = matrix.nonzeros();
    // Without values an entry is there or not. If a pattern repeats a place its ones add up, as all
    // values do; in min-plus they are zeros, whose sum is one of them.
    if (output_ && list.values == nullptr && semiring_ != semiring_kind::min_plus &&
        nonzeros_ < places_listed()) {
      values.assign(static_cast<std::size_t>(list.entries), T(1));
      list.values = values.data();
      matrix = timed(build_seconds_, [&] { return to_rows(engine_, list); });
    }
    has_values_ = list.values != nullptr;
    if (output_) {
      exit_code const code = multiply(list, matrix);
      if (code != exit_code::done) return code;
    }
    describe(matrix);
    // Only now, so that a full disk or a lost reader leaves no file.
    std::vector<output_file*> outputs;
    if (output_) outputs.push_back(&output_->complete());
    if (picture_) outputs.push_back(&*picture_);
    output_file::commit_together(outputs);
    report_times<T>();
    return exit_code::done;
  }

  /// The number of places in the list, including those above the diagonal, counting repetitions.
  index_t places_listed() const {
    if (file_.symmetry == matrix_symmetry::general) return file_.entries();
    index_t places = 0;
    for (std::size_t k = 0; k < file_.row_indices.size(); ++k) {
      places += file_.row_indices[k] == file_.column_indices[k] ? 1 : 2;
    }
    return places;
  }

  template <class T>
  std::vector<T> values_as() const {
    std::vector<T> values;
    values.reserve(file_.reals.size() + file_.integers.size());
    for (std::int64_t const value : file_.integers) values.push_back(static_cast<T>(value));
    for (double const value : file_.reals) {
      values.push_back(rounded<T>(arguments_.matrix, value));
    }
    return values;
  }

  template <class T>
  exit_code multiply(coo_matrix<T> const& list, sparse_matrix<T> const& matrix) {
    std::vector<T> const x = components<T>();
    std::vector<T> y(static_cast<std::size_t>(matrix.rows));
    if (arguments_.algorithm) {
      multiply_seconds_ =
          product_by<T>(engine_, *arguments_.algorithm, matrix, x, y, semiring_, arguments_.repeat);
    } else {
      multiply_prepared<T>(matrix, x, y);
    }
    if (arguments_.common.verify && !report_verified(verify(list, matrix, x, y), verifiers_)) {
      return exit_code::difference;
    }
    timed(write_seconds_, [&] {
      write_completely(*output_, arguments_.output.value_or("-"), dtype_of<T>(),
                       std::as_bytes(std::span<T const>(y)), file_format::text, meter_);
    });
    return exit_code::done;
  }

  /// The first difference of the result, or of another library's, from the loop's.
  template <class T>
  std::string verify(coo_matrix<T> const& list, sparse_matrix<T> const& matrix,
                     std::vector<T> const& x, std::vector<T> const& y) const {
    auto const by_loop = [&](std::vector<T> const& result) {
      return libscan::detail::with_semiring<T>(
          semiring_, [&](auto s) { return verify_product(s, list, x, result); });
    };
    std::string const found = by_loop(y);
    if (!found.empty()) return found;
    return difference_of_others(verifiers_, [&](verifier by) {
      return by_loop(product_again<T>(by, matrix, x, semiring_));
    });
  }

  template <class T>
  void multiply_prepared(sparse_matrix<T> const& matrix, std::vector<T> const& x,
                         std::vector<T>& y) {
    auto ready = timed(prepare_seconds_, [&] { return prepared_matrix<T>(engine_, matrix); });
    product_options<T> how;
    how.semiring = semiring_;
    for (int i = 0; i < arguments_.repeat; ++i) {
      multiply_seconds_ = std::min(multiply_seconds_, ready.multiply(x, y, how));
    }
  }

  /// x, with one component per column of the matrix.
  template <class T>
  std::vector<T> components() {
    auto const n = static_cast<std::size_t>(file_.columns);
    if (arguments_.x == "ones") return std::vector<T>(n, T(1));
    std::vector<T> x;
    if (seed_) {
      x.reserve(n);
      for (std::size_t i = 0; i < n; ++i) x.push_back(random_component<T>(*seed_, i));
      return x;
    }
    // --dtype is the product's type: the file of x has its own type.
    read_options options = arguments_.common.reading(&meter_);
    if (options.format != file_format::raw && format_of_name(arguments_.x) != file_format::raw) {
      options.type.reset();
    }
    array const read = timed(read_seconds_, [&] { return read_array(arguments_.x, options); });
    if (read.count() != n) {
      throw file_error(input_name(arguments_.x), std::to_string(read.count()) +
                                                     " components, expected " + std::to_string(n) +
                                                     ", one for each column");
    }
    visit_item_type(read.type, [&]<class From>(std::type_identity<From>) {
      if constexpr (std::is_integral_v<T> &&
                    (std::is_floating_point_v<From> || std::is_same_v<From, std::uint64_t>)) {
        throw usage_error("--x: " + std::string(name_of(read.type)) +
                          " components for an int64 matrix, expected integers of at most 64 bits "
                          "with sign, or --dtype float64");
      } else {
        for (From const value : read.values<From>()) x.push_back(rounded<T>(arguments_.x, value));
      }
    });
    return x;
  }

  template <class T>
  void describe(sparse_matrix<T> const& matrix) {
    if (arguments_.stats) {
      std::string const text = describe_rows(matrix.offsets, matrix.columns);
      output_file out("-");
      out.write(std::as_bytes(std::span<char const>(text)));
      out.complete();
    }
    if (!picture_) return;
    std::string const drawn = draw_matrix(*arguments_.spy, matrix.rows, matrix.columns,
                                          matrix.offsets.data(), matrix.indices.data());
    picture_->write(std::as_bytes(std::span<char const>(drawn)));
    picture_->complete();
  }

  std::string by_algorithm() const {
    if (!arguments_.algorithm) return "";
    return ", " + std::string(spmv_algorithm_names.name(*arguments_.algorithm));
  }

  template <class T>
  void report_times() const {
    report_number("rows", static_cast<std::uint64_t>(file_.rows));
    report_number("columns", static_cast<std::uint64_t>(file_.columns));
    report_number("nonzeros", static_cast<std::uint64_t>(nonzeros_));
    std::string const shape = std::to_string(file_.rows) + " x " + std::to_string(file_.columns);
    report_step("read", read_seconds_, file_.bytes,
                std::to_string(file_.entries()) + " entries of " + shape);
    report_step("build", build_seconds_,
                static_cast<std::uint64_t>(file_.entries()) * (8 + sizeof(T)),
                std::to_string(nonzeros_) + " nonzeros by rows, on " + engine_.description());
    if (!output_) return;
    auto const value_bytes = has_values_ ? sizeof(T) : 0;
    auto const matrix_bytes = static_cast<std::uint64_t>(nonzeros_) * (4 + value_bytes) +
                              static_cast<std::uint64_t>(file_.rows) * 8;
    if (!arguments_.algorithm) {
      report_step("prepare", prepare_seconds_, matrix_bytes,
                  engine_.is_cuda() ? "checked and copied to the device" : "checked");
    }
    auto const vector_bytes = static_cast<std::uint64_t>(file_.rows + file_.columns) * sizeof(T);
    report_step("product", multiply_seconds_, matrix_bytes + vector_bytes,
                arguments_.semiring + by_algorithm() + ", the fastest of " +
                    std::to_string(arguments_.repeat));
    report_step("write", write_seconds_, output_->bytes_written(),
                std::to_string(output_->bytes_written()) + " bytes");
  }

  spmv_arguments const& arguments_;
  semiring_kind semiring_;
  std::optional<std::uint64_t> seed_;
  verifier_set verifiers_;  // beside the loop
  engine engine_;
  std::optional<array_writer> output_;  // opened, or refused, before the input is read
  std::optional<output_file> picture_;
  progress meter_;
  matrix_file file_;
  index_t nonzeros_ = 0;
  bool has_values_ = false;
  double read_seconds_ = 0;
  double build_seconds_ = 0;
  double prepare_seconds_ = 0;
  double multiply_seconds_ = std::numeric_limits<double>::infinity();
  double write_seconds_ = 0;
};

}  // namespace

exit_code run_spmv(spmv_arguments const& arguments) { return spmv_run(arguments).run(); }

}  // namespace libscan::apps
