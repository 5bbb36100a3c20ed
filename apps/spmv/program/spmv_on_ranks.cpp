// SPDX-License-Identifier: Apache-2.0
// The steps of scan-spmv-mpi: each rank reads the entries in a part of the file, all ranks share
// out the rows and multiply, each rank writes its part of y.
#include <apps/spmv/program/run_spmv.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <apps/common/memory_bound.hpp>
#include <apps/common/rank_files.hpp>
#include <apps/common/steps.hpp>
#include <apps/spmv/program/spmv_input.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/exchange.hpp>
#include <libscan/distributed/scan.hpp>
#include <libscan/distributed/spmv.hpp>

namespace libscan::apps {
namespace {

/// One run of the program on one rank.
class spmv_run {
 public:
  spmv_run(ranks const& on, spmv_arguments const& arguments)
      : on_(on),
        arguments_(arguments),
        semiring_(semiring_named(arguments.semiring)),
        seed_(seed_of(arguments.x)) {
    check_product_type(arguments);
    output_.emplace(on.comm(), *arguments.output, arguments.common.access);
    if (!seed_ && arguments.x != "ones") {
      x_file_.emplace(on.comm(), arguments.x, reading_of_x(arguments, nullptr),
                      arguments.common.access);
    }
  }

  void run() {
    file_ = timed(read_seconds_, [&] {
      return read_rank_matrix(on_.comm(), arguments_.matrix, on_.threads(),
                              arguments_.common.access);
    });
    if (arguments_.transpose) transpose(file_);
    with_product_type(arguments_, file_, [&]<class T>(std::type_identity<T>) { run_with<T>(); });
  }

 private:
  template <class T>
  void run_with() {
    std::optional<distributed_matrix<T>> a;
    timed(build_seconds_, [&] { a.emplace(on_, matrix_rows<T>()); });
    file_ = {};
    std::vector<T> const x = components<T>(*a);
    std::vector<T> y(static_cast<std::size_t>(a->rows().size(on_.rank())));
    product_options<T> how;
    how.semiring = semiring_;
    for (int i = 0; i < arguments_.repeat; ++i) {
      double seconds = 0;
      timed(seconds, [&] { a->multiply(x, y, how); });
      multiply_seconds_ = std::min(multiply_seconds_, seconds);
    }
    timed(write_seconds_, [&] {
      output_->write(dtype_of<T>(), a->rows().total(), a->rows().begin(on_.rank()),
                     std::as_bytes(std::span<T const>(y)), file_format::npy);
    });
    if (!arguments_.common.time) return;
    report_on_ranks(on_.comm(), std::vector<step_time>{{"read", read_seconds_},
                                                       {"build", build_seconds_},
                                                       {"product", multiply_seconds_},
                                                       {"write", write_seconds_}});
  }

  /// This rank's rows of the matrix.
  template <class T>
  distributed_rows<T> matrix_rows() {
    std::vector<T> values;
    libscan::detail::collective(on_.comm(), "matrix", [&](auto& call) {
      call.agree("values", [&] {
        auto const entries = static_cast<std::uint64_t>(file_.entries());
        // The list with its values; then entries as they are sent, received and sorted, twice for
        // a symmetric matrix.
        std::uint64_t const places = (file_.symmetry == matrix_symmetry::general ? 1 : 2) * entries;
        require_memory(entries * (16 + sizeof(T)) + places * 3 * (8 + sizeof(T)),
                       "a rank's part of the matrix of " + arguments_.matrix);
        values = values_as<T>(file_, arguments_.matrix);
      });
    });
    coo_matrix<T> list = list_of(file_, values);
    auto rows = to_rows(on_, list);
    // The same on all ranks, also on those without entries.
    bool const has_values = file_.field != matrix_field::pattern;
    if (has_values || semiring_ == semiring_kind::min_plus) return rows;
    // Ones of a place that a pattern repeats add up, as all values do.
    index_t const missing =
        libscan::reduce(on_, std::vector<index_t>{places_listed(file_) - rows.mine.nonzeros()});
    if (missing == 0) return rows;
    values.assign(static_cast<std::size_t>(list.entries), T(1));
    list.values = values.data();
    return to_rows(on_, list);
  }

  /// This rank's components of x.
  template <class T>
  std::vector<T> components(distributed_matrix<T> const& a) {
    index_t const begin = a.columns().begin(on_.rank());
    std::vector<T> x(static_cast<std::size_t>(a.columns().size(on_.rank())), T(1));
    if (seed_) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = random_component<T>(*seed_, static_cast<std::uint64_t>(begin) + i);
      }
    } else if (x_file_) {
      if (x_file_->parts().total() != a.columns().total()) {
        throw file_error(x_file_->name(),
                         std::to_string(x_file_->parts().total()) + " components, expected " +
                             std::to_string(a.columns().total()) + ", one for each column");
      }
      array const items = timed(
          read_seconds_, [&] { return x_file_->read(size_of(x_file_->type()) + 2 * sizeof(T)); });
      std::vector<T> even;
      libscan::detail::collective(on_.comm(), "x", [&](auto& call) {
        call.agree("components", [&] { components_as(items, arguments_.x, even); });
      });
      rebalance(on_, even, x);
    }
    return x;
  }

  ranks const& on_;
  spmv_arguments const& arguments_;
  semiring_kind semiring_;
  std::optional<std::uint64_t> seed_;
  std::optional<rank_output> output_;  // opened, or refused, before the input is read
  std::optional<rank_input> x_file_;
  matrix_file file_;
  double read_seconds_ = 0;
  double build_seconds_ = 0;
  double multiply_seconds_ = std::numeric_limits<double>::infinity();
  double write_seconds_ = 0;
};

}  // namespace

void spmv_on_ranks(ranks const& on, spmv_arguments const& arguments) {
  spmv_run(on, arguments).run();
}

}  // namespace libscan::apps
