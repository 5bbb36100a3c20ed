// SPDX-License-Identifier: Apache-2.0
// The work of scan-spmv and scan-spmv-mpi, without their command lines: read, multiply, verify,
// write, report.
#pragma once

#include <optional>
#include <string>

#include <apps/common/arguments.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/spmv/core/spmv_algorithm.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/spmv.hpp>

namespace libscan::apps {

/// The request for scan-spmv.
struct spmv_arguments {
  std::string matrix;      ///< Matrix Market file, or "-"
  std::string x = "ones";  ///< "ones", "random:SEED", or a file
  bool transpose = false;  ///< multiply by the transpose
  std::string semiring = "plus-times";
  std::optional<spmv_algorithm> algorithm;  ///< none: the engine's own
  int repeat = 1;                           ///< products, for --time
  std::optional<std::string> output;        ///< output of y: file, or "-"
  bool stats = false;                       ///< describe the matrix on standard output
  std::optional<std::string> spy;           ///< output of a picture of the matrix: .svg or .png
  common_arguments common;

  /// Whether a product is requested: it has an output, or nothing else is requested.
  bool multiplies() const { return output || (!stats && !spy); }
};

/// Runs scan-spmv. Returns `done`, or `difference` if --verify found one: then there is no output.
/// Throws `usage_error` for contradictory arguments, and as its callees.
exit_code run_spmv(spmv_arguments const& arguments);

/// Multiplies the matrix in the file `arguments.matrix` by x on all ranks, into the file
/// `arguments.output`. Statistics, pictures and --algorithm are not supported. Collective.
/// Throws: as `read_rank_matrix`, `rank_input`, `rank_output`, `to_rows` and `distributed_matrix`;
/// `usage_error` for arguments that do not fit.
void spmv_on_ranks(ranks const& on, spmv_arguments const& arguments);

}  // namespace libscan::apps
