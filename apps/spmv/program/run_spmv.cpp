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
#include <apps/common/block_file.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/matrix_market.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/number.hpp>
#include <apps/common/output_file.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/steps.hpp>
#include <apps/common/table.hpp>
#include <apps/spmv/program/product_by.hpp>
#include <apps/spmv/program/spmv_input.hpp>
#include <apps/spmv/program/spy.hpp>
#include <apps/spmv/program/verify.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::apps {
namespace {

/// y = A x by a selected algorithm; the seconds of the fastest product. Throws `invalid_argument`
/// for the cpu engine, and too many rows and entries for the executor; as `device_product`.
template <class T>
double product_by(engine const& on, spmv_algorithm which, sparse_matrix<T> const& matrix,
                  std::span<T const> x, std::span<T> y, semiring_kind semiring, int repeat) {
  return libscan::detail::on_engine(
      on, matrix.rows + matrix.nonzeros(),
      [&](auto device) {
        return device_product<decltype(device), T>::run(device, which, matrix.view(), x, y,
                                                        semiring, repeat);
      },
      [](int) -> double {
        throw invalid_argument("product_by: the cpu engine; expected an engine that runs kernels");
      });
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
  check_product_type(arguments);
  return arguments;
}

/// The verifiers beside the loop. Throws `engine_unavailable` if cuSPARSE is named and not there.
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
    matrix_stream in(arguments_.matrix, &meter_, arguments_.common.threads);
    if (is_streamed(in)) {
      file_ = in.head()->matrix;
      return with_product_type(arguments_, file_,
                               [&]<class T>(std::type_identity<T>) { return run_streamed<T>(in); });
    }
    file_ = timed(read_seconds_, [&] { return in.read_all(); });
    if (arguments_.transpose) transpose(file_);
    choose_verifiers();
    return with_product_type(arguments_, file_,
                             [&]<class T>(std::type_identity<T>) { return run_with<T>(); });
  }

 private:
  /// cuSPARSE has one semiring, and no integers.
  void choose_verifiers() {
    if (!verifiers_.has(verifier::cusparse)) return;
    if (product_type(arguments_, file_) != dtype::i64 && semiring_ == semiring_kind::plus_times)
      return;
    if (arguments_.common.verify_by.has(verifier::cusparse)) {
      throw usage_error("--verify=cusparse is for float32 and float64 in plus-times");
    }
    verifiers_.remove(verifier::cusparse);
  }

  /// The memory of a matrix: the list with its values, and the rows with theirs, twice for a
  /// symmetric matrix.
  static std::uint64_t matrix_bytes(matrix_file const& matrix, index_t count, std::size_t value) {
    auto const entries = static_cast<std::uint64_t>(count);
    std::uint64_t const places = (matrix.symmetry == matrix_symmetry::general ? 1 : 2) * entries;
    return entries * (16 + value) + places * (4 + value) +
           static_cast<std::uint64_t>(matrix.rows) * 8;
  }

  /// Whether the matrix does not fit in memory, and its product can be computed entry by entry: in
  /// other semirings the entries of one place would have to meet first.
  bool is_streamed(matrix_stream const& in) const {
    bool const possible = semiring_ == semiring_kind::plus_times && !engine_.runs_kernels() &&
                          !arguments_.algorithm && !arguments_.common.verify && !arguments_.stats &&
                          !arguments_.spy && arguments_.repeat == 1;
    if (!possible || !in.head()) return false;
    std::uint64_t const needed =
        matrix_bytes(in.head()->matrix, in.head()->entries, sizeof(double)) + in.text_bytes();
    return needed > memory_bound();
  }

  /// Multiplies while the matrix is read: only the vectors are in memory.
  template <class T>
  exit_code run_streamed(matrix_stream& in) {
    if (arguments_.transpose) std::swap(file_.columns, file_.rows);
    constexpr std::uint64_t of_pieces = 16;  // blocks: their text, entries and values
    require_memory(static_cast<std::uint64_t>(file_.rows + file_.columns) * sizeof(T) +
                       of_pieces * block_bytes(),
                   "the product with " + input_name(arguments_.matrix));
    std::vector<T> const x = components<T>();
    std::vector<T> y(static_cast<std::size_t>(file_.rows));
    matrix_file piece;
    while (timed(read_seconds_, [&] { return in.next(piece); })) {
      if (arguments_.transpose) std::swap(piece.row_indices, piece.column_indices);
      timed(product_seconds_, [&] { add_entries<T>(piece, x, y); });
      nonzeros_ += piece.entries();
    }
    timed(write_seconds_, [&] { write<T>(y); });
    output_->commit();
    report_streamed();
    return exit_code::done;
  }

  /// y += A x, with the entries of a piece of A.
  template <class T>
  void add_entries(matrix_file const& piece, std::span<T const> x, std::span<T> y) const {
    plus_times<T> const semiring;
    plus<T> const add;
    std::vector<T> const values = values_as<T>(piece, arguments_.matrix);
    for (std::size_t k = 0; k < piece.row_indices.size(); ++k) {
      auto const r = static_cast<std::size_t>(piece.row_indices[k]);
      auto const c = static_cast<std::size_t>(piece.column_indices[k]);
      T const value = values.empty() ? T(1) : values[k];
      y[r] = add(y[r], semiring.multiply(value, x[c]));
      if (piece.symmetry == matrix_symmetry::general || r == c) continue;
      bool const skew = piece.symmetry == matrix_symmetry::skew_symmetric;
      T const other = skew ? semiring.multiply(T(-1), value) : value;
      y[c] = add(y[c], semiring.multiply(other, x[r]));
    }
  }

  void report_streamed() const {
    report_number("rows", static_cast<std::uint64_t>(file_.rows));
    report_number("columns", static_cast<std::uint64_t>(file_.columns));
    report_number("entries", static_cast<std::uint64_t>(nonzeros_));
    std::string const entries = std::to_string(nonzeros_) + " entries";
    report_step("read", read_seconds_, 0, entries + ", piece by piece");
    report_step("product", product_seconds_, 0, arguments_.semiring + ", on one thread");
    report_step("write", write_seconds_, output_->bytes_written(),
                std::to_string(output_->bytes_written()) + " bytes");
  }

  template <class T>
  exit_code run_with() {
    require_memory(matrix_bytes(file_, file_.entries(), sizeof(T)),
                   "the matrix of " + input_name(arguments_.matrix));
    std::vector<T> values = values_as<T>(file_, arguments_.matrix);
    coo_matrix<T> list = list_of(file_, values);
    sparse_matrix<T> matrix = timed(build_seconds_, [&] { return to_rows(engine_, list); });
    nonzeros_ = matrix.nonzeros();
    // Without values an entry is there or not. If a pattern repeats a place its ones add up, as all
    // values do; in min-plus they are zeros, whose sum is one of them.
    if (output_ && list.values == nullptr && semiring_ != semiring_kind::min_plus &&
        nonzeros_ < places_listed(file_)) {
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
    timed(write_seconds_, [&] { write<T>(y); });
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
  void write(std::span<T const> y) {
    write_completely(*output_, arguments_.output.value_or("-"), dtype_of<T>(), std::as_bytes(y),
                     file_format::text, meter_);
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
    read_options const options = reading_of_x(arguments_, &meter_);
    array const read = timed(read_seconds_, [&] { return read_array(arguments_.x, options); });
    if (read.count() != n) {
      throw file_error(input_name(arguments_.x), std::to_string(read.count()) +
                                                     " components, expected " + std::to_string(n) +
                                                     ", one for each column");
    }
    components_as(read, arguments_.x, x);
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
  double product_seconds_ = 0;  // of a matrix that is streamed
  double write_seconds_ = 0;
};

}  // namespace

exit_code run_spmv(spmv_arguments const& arguments) { return spmv_run(arguments).run(); }

}  // namespace libscan::apps
