// SPDX-License-Identifier: Apache-2.0
// The outputs of scan-sort.
#include <apps/radix_sort/program/sort_output.hpp>

#include <apps/common/steps.hpp>

namespace libscan::apps {

sort_output::sort_output(sort_arguments const& arguments, progress& meter)
    : path_(arguments.output), meter_(meter) {
  file_format const named = format_of_name(path_);
  if (!arguments.positions && (named == file_format::text || named == file_format::automatic)) {
    rows_.emplace(path_);
  } else {
    items_.emplace(path_);
  }
  if (arguments.values) values_.emplace(arguments.values_output);
}

bool sort_output::takes_rows(file_format input) {
  if (rows_ && input != file_format::text) {
    rows_.reset();
    items_.emplace(path_);
  }
  return rows_.has_value();
}

void sort_output::write_items(dtype type, std::span<std::byte const> items, file_format input,
                              sorted_values const& values) {
  begin_values(values);
  write_completely(*items_, path_, type, items, input, meter_);
  commit_with(items_->complete());
}

void sort_output::begin(dtype type, std::optional<index_t> count, file_format input,
                        sorted_values const& values) {
  type_ = type;
  values_type_ = values.type;
  items_->begin(type, count, input);
  if (values_) values_->begin(values.type, count, values.format);
}

void sort_output::append(std::span<std::byte const> items, std::span<std::byte const> values) {
  items_->append(type_, items);
  if (values_) values_->append(values_type_, values);
}

void sort_output::commit() { commit_with(items_->complete()); }

void sort_output::write_rows(sort_input const& input, std::span<index_t const> positions,
                             sorted_values const& values) {
  begin_values(values);
  meter_.start(path_ == "-" ? "writing" : "writing " + path_, input.text.bytes.size());
  rows_->write(input.mark);
  char const* const text_end =
      reinterpret_cast<char const*>(input.text.bytes.data()) + input.text.bytes.size();
  auto const write_row = [&](std::string_view text) {
    bool const last = text.data() + text.size() == text_end;
    rows_->write(text);
    rows_->write(last ? input.last_end : "\n");
    meter_.advance(text.size() + 1);
  };
  if (input.header) write_row(*input.header);
  // Lines are at random places: the next ones are prefetched, and before that their addresses.
  constexpr std::size_t ahead = 16;
  auto const row = [&](std::size_t i) -> std::string_view const& {
    return input.rows[static_cast<std::size_t>(positions[i])];
  };
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (i + 2 * ahead < positions.size()) __builtin_prefetch(&row(i + 2 * ahead));
    if (i + ahead < positions.size()) __builtin_prefetch(row(i + ahead).data());
    write_row(row(i));
  }
  output_file& rows = rows_->complete();
  meter_.finish();
  commit_with(rows);
}

std::uint64_t sort_output::bytes_written() const {
  return (items_ ? items_->bytes_written() : 0) + (rows_ ? rows_->bytes_written() : 0) +
         (values_ ? values_->bytes_written() : 0);
}

/// Writes all of the values; their file appears together with that of the keys.
void sort_output::begin_values(sorted_values const& values) {
  if (!values_) return;
  auto const count = static_cast<index_t>(values.items.size() / size_of(values.type));
  values_->begin(values.type, count, values.format);
  values_->append(values.type, values.items);
}

void sort_output::commit_with(output_file& keys) {
  if (!values_) return keys.commit();
  output_file::commit_together({&keys, &values_->complete()});
}

}  // namespace libscan::apps
