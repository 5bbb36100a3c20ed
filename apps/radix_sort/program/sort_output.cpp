// SPDX-License-Identifier: Apache-2.0
// The outputs of scan-sort.
#include <apps/radix_sort/program/sort_output.hpp>

#include <apps/common/steps.hpp>

namespace libscan::apps {

sort_output::sort_output(sort_arguments const& arguments, progress& meter)
    : path_(arguments.output), meter_(meter), keys_(path_) {
  file_format const named = format_of_name(path_);
  rows_ = !arguments.positions && (named == file_format::text || named == file_format::automatic);
  if (arguments.values) values_.emplace(arguments.values_output);
}

void sort_output::write_items(dtype type, std::span<std::byte const> items, file_format input,
                              sorted_values const& values) {
  begin_values(values);
  write_completely(keys_, path_, type, items, input, meter_);
  commit();
}

void sort_output::begin(dtype type, std::optional<index_t> count, file_format input,
                        sorted_values const& values) {
  type_ = type;
  values_type_ = values.type;
  keys_.begin(type, count, input);
  if (values_) values_->begin(values.type, count, values.format);
}

void sort_output::append(std::span<std::byte const> items, std::span<std::byte const> values) {
  keys_.append(type_, items);
  if (values_) values_->append(values_type_, values);
}

void sort_output::write_rows(text_rows const& input, std::span<index_t const> positions,
                             int threads, sorted_values const& values) {
  begin_values(values);
  apps::write_rows(keys_, path_, input, positions, threads, meter_);
  commit();
}

void sort_output::write_lines(text_rows const& input, std::span<std::uint32_t const> begins,
                              int threads) {
  apps::write_lines(keys_, path_, input, begins, threads, meter_);
  commit();
}

std::uint64_t sort_output::bytes_written() const {
  return keys_.bytes_written() + (values_ ? values_->bytes_written() : 0);
}

/// Writes all of the values; their file appears together with that of the keys.
void sort_output::begin_values(sorted_values const& values) {
  if (!values_) return;
  auto const count = static_cast<index_t>(values.items.size() / size_of(values.type));
  values_->begin(values.type, count, values.format);
  values_->append(values.type, values.items);
}

void sort_output::begin_rows(text_rows const& input) { apps::begin_rows(keys_, input); }

void sort_output::commit() {
  if (!values_) return keys_.commit();
  output_file::commit_together({&keys_.complete(), &values_->complete()});
}

}  // namespace libscan::apps
