// SPDX-License-Identifier: Apache-2.0
// The steps of scan-sort-mpi: each rank reads a part of the keys and values, all ranks sort them,
// each rank writes its part of the result.
#include <apps/radix_sort/program/run_sort.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <apps/common/lazy_buffer.hpp>
#include <apps/common/steps.hpp>
#include <libscan/distributed/radix_sort.hpp>

namespace libscan::apps {
namespace {

/// Calls body(std::type_identity<word>{}) with the unsigned type of `bytes` bytes.
template <class Body>
void with_word(std::size_t bytes, Body const& body) {
  switch (bytes) {
    case 1:
      return body(std::type_identity<std::uint8_t>{});
    case 2:
      return body(std::type_identity<std::uint16_t>{});
    case 4:
      return body(std::type_identity<std::uint32_t>{});
    default:
      return body(std::type_identity<std::uint64_t>{});
  }
}

/// One run of the program on one rank.
class sort_run {
 public:
  sort_run(ranks const& on, sort_arguments const& arguments)
      : on_(on),
        arguments_(arguments),
        options_(checked_options(arguments)),
        output_(on.comm(), arguments.output, arguments.common.access) {
    if (arguments.values)
      values_output_.emplace(on.comm(), arguments.values_output, arguments.common.access);
    input_.emplace(on.comm(), arguments.input, arguments.common.reading(), arguments.common.access);
    if (!arguments.values) return;
    auto const of_values = read_options::beside_input(nullptr, arguments.values_type);
    values_input_.emplace(on.comm(), *arguments.values, of_values, arguments.common.access);
    check_value_count(arguments, values_input_->parts().total(), input_->parts().total());
  }

  void run() {
    read();
    visit_item_type(input_->type(), [&]<class T>(std::type_identity<T>) {
      if (arguments_.positions) {
        lazy_buffer<index_t> positions(mine());
        timed(sort_seconds_, [&] { argsort(on_, keys_.values<T>(), positions.items(), options_); });
        keys_ = {};
        write(dtype_of<index_t>(), std::as_bytes(positions.items()), {});
      } else {
        sort<T>();
      }
    });
    if (!arguments_.common.time) return;
    report_on_ranks(on_.comm(), std::vector<step_time>{{"read", read_seconds_},
                                                       {"sort", sort_seconds_},
                                                       {"write", write_seconds_}});
  }

 private:
  /// The number of items of this rank, before the sort and after it.
  std::size_t mine() const { return static_cast<std::size_t>(input_->parts().size(on_.rank())); }

  void read() {
    // A sort takes the result and what is received. If many keys are in one bucket, it sorts them
    // through other memory: pairs through two copies. Values of 1 and 2 bytes have positions, too.
    std::size_t const key = size_of(input_->type());
    std::size_t const value = values_input_          ? size_of(values_input_->type())
                              : arguments_.positions ? sizeof(index_t)
                                                     : 0;
    std::size_t const pairs = 2 * 2 * sizeof(index_t) + (value < 4 ? sizeof(index_t) : 0);
    std::size_t const others = value == 0 ? 4 * key : 2 * (key + value) + pairs;
    timed(read_seconds_, [&] {
      keys_ = input_->read(key + others);
      if (values_input_) values_ = values_input_->read(value);
    });
  }

  template <class T>
  void sort() {
    lazy_buffer<T> sorted(mine());
    if (!values_input_) {
      timed(sort_seconds_, [&] { sort_keys(on_, keys_.values<T>(), sorted.items(), options_); });
      keys_ = {};
      return write(input_->type(), std::as_bytes(sorted.items()), {});
    }
    with_word(size_of(values_.type), [&]<class Word>(std::type_identity<Word>) {
      lazy_buffer<Word> moved(mine());
      std::span const own(reinterpret_cast<Word const*>(values_.bytes.data()), mine());
      timed(sort_seconds_, [&] {
        sort_pairs(on_, keys_.values<T>(), sorted.items(), own, moved.items(), options_);
      });
      keys_ = values_ = {};
      write(input_->type(), std::as_bytes(sorted.items()), std::as_bytes(moved.items()));
    });
  }

  /// Writes the results of this rank, and puts both outputs into place.
  void write(dtype type, std::span<std::byte const> items, std::span<std::byte const> values) {
    index_t const total = input_->parts().total(), first = input_->parts().begin(on_.rank());
    timed(write_seconds_, [&] {
      output_.fill(type, total, first, items, input_->format());
      if (!values_output_) return rank_output::commit_together(on_.comm(), {&output_});
      values_output_->fill(values_input_->type(), total, first, values, values_input_->format());
      rank_output::commit_together(on_.comm(), {&output_, &*values_output_});
    });
  }

  ranks const& on_;
  sort_arguments const& arguments_;
  sort_options options_;
  rank_output output_;  // opened, or refused, before the input is read
  std::optional<rank_output> values_output_;
  std::optional<rank_input> input_, values_input_;
  array keys_, values_;
  double read_seconds_ = 0, sort_seconds_ = 0, write_seconds_ = 0;
};

}  // namespace

void sort_on_ranks(ranks const& on, sort_arguments const& arguments) {
  sort_run(on, arguments).run();
}

}  // namespace libscan::apps
