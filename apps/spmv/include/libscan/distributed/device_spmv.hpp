// SPDX-License-Identifier: Apache-2.0
// Products over ranks of sparse matrices and vectors in device memory. Otherwise as spmv.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <libscan/distributed/device_exchange.hpp>
#include <libscan/distributed/spmv.hpp>
#include <libscan/host/device_memory.hpp>
#include <libscan/spmv_device_calls.hpp>

namespace libscan::inline v1 {

namespace detail {

/// A copy of host items on the queue's machine.
template <class T>
std::unique_ptr<device_array<T>> device_copy_of(device_queue const& queue,
                                                std::span<T const> items) {
  auto copy = std::make_unique<device_array<T>>(queue, static_cast<index_t>(items.size()));
  copy->upload(items);
  return copy;
}

/// Consecutive rows in device memory. Their arrays are their own, and so begin where kernels load
/// most at once.
template <class T>
struct device_rows {
  index_t first;   ///< of the rank's rows
  bool uses_halo;  ///< which x they multiply
  std::unique_ptr<device_array<std::int64_t>> offsets;
  std::unique_ptr<device_array<std::int32_t>> indices;
  std::unique_ptr<device_array<T>> values;
  std::unique_ptr<device_prepared_matrix<T>> matrix;
};

}  // namespace detail

/// A matrix on ranks whose engines run kernels, prepared for many products: each rank's rows are in
/// its device's memory. T is float, double or std::int64_t. One call at a time.
///
///   libscan::device_distributed_matrix<double> a(on, libscan::to_rows(on, entries));
///   a.multiply(x, y);  // device memory; x: a.columns().size(rank) components
template <class T>
class device_distributed_matrix {
 public:
  /// As `distributed_matrix`. Throws also `invalid_argument` on a rank whose engine is cpu, and
  /// `device_error`. Device memory: the rows, their plan, and the components that the rank sends
  /// and receives.
  device_distributed_matrix(ranks on, distributed_rows<T> rows,
                            std::optional<index_t> columns_here = {})
      : on_((std::move)(on)),
        plan_(detail::collective(
            on_.comm(), "device_distributed_matrix", [&](detail::collective_call& call) {
              call.agree("engine", [&] { detail::check_device_items(on_, device_span<T>{}); });
              return detail::halo_plan<T>(call, on_, (std::move)(rows.parts),
                                          (std::move)(rows.mine), columns_here,
                                          detail::halo_blocks::around_a_run);
            })) {
    detail::collective(on_.comm(), "device_distributed_matrix", [&](detail::collective_call& call) {
      call.agree("copy to the device", [&] { move_to_device(); });
    });
  }

  /// Which rank holds which components of y, and of x.
  distribution const& rows() const { return plan_.rows; }
  distribution const& columns() const { return plan_.columns; }

  /// The components of x that come from other ranks in each product.
  index_t halo() const { return plan_.halo(on_.rank()); }

  /// y = alpha A x + beta y; see `prepared_matrix::multiply` for `how`.
  /// Types: x and y are this rank's components, in device memory. y must not overlap x.
  /// Determinism: bitwise the same in every run with the same ranks. The order of a row's additions
  /// may differ with the number of ranks.
  /// Synchronization: collective, on the queue's stream; returns when y is complete. Ranks exchange
  /// the halo in a stream of their own while they multiply the rows that need none of it.
  /// Throws: as `distributed_matrix::multiply`; `device_error`.
  void multiply(device_span<T const> x, device_span<T> y, product_options<T> const& how = {}) {
    device_queue beside = on_.queue();  // with its memory functions
    beside.stream = halo_stream_->queue().stream;
    beside.workspace = nullptr;
    ranks const aside(on_.comm(), beside);
    detail::collective(on_.comm(), "multiply", [&](detail::collective_call& call) {
      call.agree("vectors", [&] {
        detail::check_device_items(on_, x);
        detail::check_device_items(on_, y);
        plan_.check_vectors(on_.rank(), detail::device_bytes(x.data, x.size), x.size,
                            detail::device_bytes(y.data, y.size), y.size);
        detail::follow(beside, on_.queue().stream);
        if (chosen_) chosen_->multiply(beside, x.data, out_->data());
        // If a rank gives up, x is read no longer than the queue's stream lasts.
        detail::follow(on_.queue(), beside.stream);
        multiply_rows(false, x.data, y.data, how);
      });
      detail::exchange_device_pieces<T>(call, aside, "halo", out_->data(), plan_.send,
                                        halo_->data(), plan_.receive);
      call.agree("product", [&] {
        multiply_rows(true, halo_->data(), y.data, how);
        detail::synchronize(on_.queue());
      });
    });
  }

 private:
  /// The rows that multiply x, or those that multiply the halo.
  void multiply_rows(bool halo, T const* x, T* y, product_options<T> const& how) {
    for (detail::device_rows<T> const& part : parts_) {
      if (part.uses_halo == halo) part.matrix->multiply(on_.queue(), x, y + part.first, how);
    }
  }

  /// Copies the rows, in parts that multiply one x each, and frees them on the host.
  void move_to_device() {
    device_queue const& queue = on_.queue();
    for (std::size_t b = 0, end = 0; b < plan_.blocks.size(); b = end) {
      while (end < plan_.blocks.size() && plan_.blocks[end].uses_halo == plan_.blocks[b].uses_halo)
        ++end;
      add_rows(plan_.blocks[b].row, plan_.blocks[end - 1].last_row, plan_.blocks[b].uses_halo);
    }
    choose_sent();
    out_ = std::make_unique<detail::device_array<T>>(queue, std::ssize(plan_.sent));
    halo_ =
        std::make_unique<detail::device_array<T>>(queue, static_cast<index_t>(plan_.received()));
    halo_stream_ = std::make_unique<detail::own_stream>(queue.on);
    plan_.matrix = {};
    plan_.blocks = {};
  }

  void add_rows(index_t first, index_t last, bool uses_halo) {
    auto const begin = plan_.matrix.offsets.begin() + first;
    std::vector<std::int64_t> offsets(begin, begin + (last - first) + 1);
    auto const entry = static_cast<std::size_t>(offsets[0]);
    for (std::int64_t& one : offsets) one -= static_cast<std::int64_t>(entry);
    index_t const entries = offsets.back();
    auto const own = [&](auto const& all) {  // a matrix of ones has no values
      return all.empty() ? std::span(all)
                         : std::span(all).subspan(entry, static_cast<std::size_t>(entries));
    };
    detail::device_rows<T> part{
        first,
        uses_halo,
        detail::device_copy_of<std::int64_t>(on_.queue(), offsets),
        detail::device_copy_of<std::int32_t>(on_.queue(), own(plan_.matrix.indices)),
        detail::device_copy_of<T>(on_.queue(), own(plan_.matrix.values)),
        nullptr};
    index_t const components =
        uses_halo ? static_cast<index_t>(plan_.received()) : plan_.columns.size(on_.rank());
    csr_matrix<T> const view{last - first,
                             components,
                             entries,
                             part.offsets->data(),
                             part.indices->data(),
                             part.values->size() == 0 ? nullptr : part.values->data()};
    part.matrix = std::make_unique<device_prepared_matrix<T>>(on_.queue(), view);
    parts_.push_back((std::move)(part));
  }

  /// The components that other ranks need are a product, too: of a matrix with one entry in each
  /// row.
  void choose_sent() {
    index_t const n = std::ssize(plan_.sent);
    if (n == 0) return;
    std::vector<std::int64_t> offsets(plan_.sent.size() + 1);
    std::iota(offsets.begin(), offsets.end(), std::int64_t{0});
    chosen_offsets_ = detail::device_copy_of<std::int64_t>(on_.queue(), offsets);
    chosen_indices_ = detail::device_copy_of<std::int32_t>(on_.queue(), plan_.sent);
    csr_matrix<T> const view{n, plan_.columns.size(on_.rank()), n, chosen_offsets_->data(),
                             chosen_indices_->data()};
    chosen_ = std::make_unique<device_prepared_matrix<T>>(on_.queue(), view);
  }

  ranks on_;
  detail::halo_plan<T> plan_;
  std::unique_ptr<detail::device_array<std::int32_t>> chosen_indices_;
  std::unique_ptr<detail::device_array<std::int64_t>> chosen_offsets_;
  std::unique_ptr<detail::device_array<T>> out_, halo_;
  std::vector<detail::device_rows<T>> parts_;
  std::unique_ptr<device_prepared_matrix<T>> chosen_;
  std::unique_ptr<detail::own_stream> halo_stream_;
};

}  // namespace libscan::inline v1
