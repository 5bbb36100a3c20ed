// SPDX-License-Identifier: Apache-2.0
// Parts of files. Rank 0 makes the output without a name. Ranks of the same machine open it through
// /proc. If a rank cannot, the file gets a temporary name in its directory.
#include <apps/common/rank_files.hpp>

#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include <apps/common/array_writer.hpp>
#include <apps/common/byte_source.hpp>
#include <apps/common/cleanup.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/npy.hpp>
#include <apps/common/program.hpp>
#include <libscan/distributed/collective.hpp>

namespace libscan::apps {
namespace {

using libscan::detail::collective;
using libscan::detail::collective_call;

/// Refuses an input that ranks cannot read in parts.
[[noreturn]] void refuse(std::string const& path, std::string const& what) {
  throw usage_error(input_name(path) + ": " + what +
                    ", expected an uncompressed .npy or raw file, since each rank reads a part");
}

/// Opens a file that ranks can read in parts. `format` becomes its own.
byte_reader open_parts(std::string const& path, file_format& format) {
  if (path == "-") refuse(path, "no file");
  byte_reader in(open_file(path, nullptr), input_name(path));
  if (format == file_format::automatic) format = format_of_name(path);
  if (format == file_format::automatic && starts_npy(in)) format = file_format::npy;
  if (format != file_format::npy && format != file_format::raw) refuse(path, "text, or compressed");
  if (named_gzip(path)) refuse(path, "compressed");
  if (!in.file() && !in.peek(1).empty()) refuse(path, "no regular file");
  return in;
}

/// How ranks find the unfinished file of rank 0.
struct unfinished_file {
  char path[PATH_MAX];
  char host[256];
  output_file::identity id;

  static unfinished_file of(output_file& file, bool named) {
    unfinished_file result{};
    std::string const path = file.unfinished_path(named);
    path.copy(result.path, sizeof result.path - 1);
    ::gethostname(result.host, sizeof result.host - 1);
    result.id = file.id();
    return result;
  }

  bool has_name() const { return !std::string(path).starts_with("/proc/"); }
};

}  // namespace

/// One rank's way to the output.
struct rank_output::part {
  std::unique_ptr<output_file> file;
  std::unique_ptr<doomed_file> unplaced;  // so that any rank that is left removes it

  part(std::string const& name, unfinished_file const& where) {
    file = output_file::shared(name, where.path);
    char host[sizeof where.host] = "";
    ::gethostname(host, sizeof host - 1);
    bool const same_machine = std::strcmp(host, where.host) == 0;
    if (!where.has_name() && (!same_machine || file->id() != where.id)) {
      throw file_error(name, "another rank's file is on another machine");
    }
    if (where.has_name()) unplaced = std::make_unique<doomed_file>(where.path);
  }
};

namespace {

/// Opens the file of rank 0 on the other ranks.
template <class Part>
std::unique_ptr<Part> open_part(collective_call& call, std::string const& name, output_file* own) {
  std::unique_ptr<Part> part;
  for (bool const named : {false, true}) {
    auto const where = call.gather("path of the output", [&] {
      return own != nullptr ? unfinished_file::of(*own, named) : unfinished_file{};
    });
    auto const opened = call.gather("opening the output", [&] {
      if (own != nullptr) return true;
      try {
        part = std::make_unique<Part>(name, where[0]);
      } catch (file_error const&) {
        if (named) throw;
      }
      return part != nullptr;
    });
    if (std::ranges::find(opened, false) == opened.end()) break;
    part.reset();
  }
  return part;
}

}  // namespace

rank_input::rank_input(communicator const& comm, std::string const& path,
                       read_options const& options, rank_access access)
    : comm_(comm), access_(access), name_(input_name(path)) {
  collective(comm_, "open_input", [&](collective_call& call) {
    bool const opens = access == rank_access::all_ranks || comm_.rank() == 0;
    auto const seen = call.gather("header", [&] {
      if (!opens) return header{};
      file_format format = options.format;
      byte_reader in = open_parts(path, format);
      items_.emplace(std::move(in), format, options, item_stream::request{.known_count = true},
                     bytes_read_);
      if (items_->held() != nullptr && *items_->count() > 0) refuse(path, "items in Fortran order");
      return header{*items_->count(), items_->type(), items_->format(), items_->truth_values()};
    });
    header_ = seen[0];
    call.agree("header", [&] {
      header const& mine = seen[static_cast<std::size_t>(comm_.rank())];
      if (!opens || (mine.items == header_.items && mine.type == header_.type)) return;
      throw file_error(name_, std::to_string(mine.items) + " items of " +
                                  std::string(name_of(mine.type)) + ", expected " +
                                  std::to_string(header_.items) + " of " +
                                  std::string(name_of(header_.type)) + " as on rank 0");
    });
    parts_ = distribution::even(header_.items, comm_.size());
  });
}

array rank_input::read(std::size_t item_bytes) {
  return read(item_bytes, parts_->begin(comm_.rank()), parts_->end(comm_.rank()));
}

array rank_input::read(std::size_t item_bytes, index_t first, index_t end) {
  return collective(comm_, "read_input", [&](collective_call& call) {
    array mine{type(), {0}, format(), {}, nullptr};
    call.agree("memory", [&] {
      require_memory(static_cast<std::uint64_t>(end - first) * item_bytes,
                     "a rank's part of " + name_);
    });
    if (parts_->total() == 0) return mine;
    if (access_ == rank_access::rank_0) return send_parts(call, first, end);
    call.agree("items", [&] { mine = read_part(first, end); });
    return mine;
  });
}

array rank_input::read_part(index_t first, index_t end) {
  array result{type(), {end - first}, format(), {}, nullptr};
  items_->restrict_to(first, end);
  std::size_t const item = size_of(type());
  items_->begin(item_stream::piece_items(1, item), 1);
  byte_buffer buffer(name_);
  buffer.grow(static_cast<std::size_t>(end - first) * item);
  buffer.shrink(0);
  while (auto const piece = items_->next()) {
    if (!piece->empty()) {
      std::memcpy(buffer.grow(piece->size()).data(), piece->data(), piece->size());
    }
  }
  kept_bytes all = buffer.release();
  result.bytes = all.bytes;
  result.owner = std::move(all.owner);
  return result;
}

array rank_input::send_parts(collective_call& call, index_t first, index_t end) {
  struct range {
    index_t first, end;
  };
  array mine{type(), {end - first}, format(), {}, nullptr};
  byte_buffer buffer(name_);
  auto const ranges = call.gather("range", [&] { return range{first, end}; });
  for (int r = comm_.size() - 1; r >= 0; --r) {
    range const& one = ranges[static_cast<std::size_t>(r)];
    std::size_t const bytes = static_cast<std::size_t>(one.end - one.first) * size_of(type());
    array part;
    std::span<std::byte> space;
    call.agree("items", [&] {
      if (comm_.rank() == 0) part = read_part(one.first, one.end);
      if (comm_.rank() == r && r > 0) space = buffer.grow(bytes);
    });
    if (r == 0 && comm_.rank() == 0) return part;
    if (r == 0 || bytes == 0) continue;
    std::vector<outgoing> sends;
    std::vector<incoming> receives;
    if (comm_.rank() == 0) sends.push_back({r, part.bytes});
    if (comm_.rank() == r) receives.push_back({0, space});
    call.through().exchange(call.at("items"), sends, receives);
  }
  kept_bytes all = buffer.release();
  mine.bytes = all.bytes;
  mine.owner = std::move(all.owner);
  return mine;
}

rank_output::rank_output(communicator const& comm, std::string const& path, rank_access access)
    : comm_(comm), access_(access), path_(path) {
  collective(comm_, "open_output", [&](collective_call& call) {
    call.agree("file", [&] {
      if (comm_.rank() != 0) return;
      if (format_to_write(path) == file_format::text || named_gzip(path)) {
        throw usage_error(path + ": expected an uncompressed .npy or raw file, which ranks write");
      }
      file_ = std::make_unique<output_file>(path);
      if (file_->appears_at_commit()) return;
      throw usage_error(file_->name() + ": expected the name of a regular file, which ranks write");
    });
    if (access == rank_access::all_ranks) part_ = open_part<part>(call, path_, file_.get());
  });
}

rank_output::~rank_output() = default;

void rank_output::write(dtype type, index_t total, index_t first, std::span<std::byte const> items,
                        file_format otherwise) {
  fill(type, total, first, items, otherwise);
  commit_together(comm_, {this});
}

void rank_output::fill(dtype type, index_t total, index_t first, std::span<std::byte const> items,
                       file_format otherwise) {
  bool const has_header = output_format(path_, otherwise) == file_format::npy;
  std::string const header = has_header ? npy_header(type, total) : "";
  std::uint64_t const item = size_of(type);
  collective(comm_, "write_output", [&](collective_call& call) {
    call.agree("space", [&] {
      if (!file_) return;
      file_->reserve(header.size() + static_cast<std::uint64_t>(total) * item);
      file_->write_at(0, std::as_bytes(std::span<char const>(header)));
    });
    std::uint64_t const offset = header.size() + static_cast<std::uint64_t>(first) * item;
    if (access_ == rank_access::rank_0) return receive_parts(call, offset, items);
    call.agree("items", [&] {
      output_file& to = part_ ? *part_->file : *file_;
      to.write_at(offset, items);
      to.complete();
    });
  });
}

void rank_output::receive_parts(collective_call& call, std::uint64_t offset,
                                std::span<std::byte const> items) {
  struct place {
    std::uint64_t offset, bytes;
  };
  auto const places = call.gather("places", [&] { return place{offset, items.size()}; });
  std::vector<std::byte> buffer;
  for (int r = 0; r < comm_.size(); ++r) {
    place const& one = places[static_cast<std::size_t>(r)];
    if (r > 0 && one.bytes > 0) {
      call.agree("space", [&] {
        if (comm_.rank() == 0) buffer.resize(static_cast<std::size_t>(one.bytes));
      });
      std::vector<outgoing> sends;
      std::vector<incoming> receives;
      if (comm_.rank() == r) sends.push_back({0, items});
      if (comm_.rank() == 0) receives.push_back({r, buffer});
      call.through().exchange(call.at("items"), sends, receives);
    }
    call.agree("items", [&] {
      if (file_) file_->write_at(one.offset, r == 0 ? items : std::span<std::byte const>(buffer));
    });
    buffer.clear();
  }
}

void rank_output::commit_together(communicator const& comm,
                                  std::initializer_list<rank_output*> files) {
  collective(comm, "write_output", [&](collective_call& call) {
    call.agree("name", [&] {
      std::vector<output_file*> own;
      for (rank_output const* one : files) {
        if (one->file_) own.push_back(one->file_.get());
      }
      output_file::commit_together(own);
    });
    for (rank_output const* one : files) {
      if (one->part_ && one->part_->unplaced) one->part_->unplaced->spare();
    }
  });
}

matrix_file read_rank_matrix(communicator const& comm, std::string const& path, int threads,
                             rank_access access) {
  struct summary {
    index_t rows, columns, claimed;
    matrix_field field;
    matrix_symmetry symmetry;
    std::uint64_t bytes;
    line_counts counts;
  };
  return collective(comm, "read_matrix", [&](collective_call& call) {
    bool const alone = access == rank_access::rank_0;
    bool const reads = !alone || comm.rank() == 0;
    std::unique_ptr<matrix_market_part> part;
    auto const seen = call.gather("lines", [&] {
      if (!reads) return summary{};
      part = std::make_unique<matrix_market_part>(path, alone ? 0 : comm.rank(),
                                                  alone ? 1 : comm.size(), threads);
      matrix_file const& sizes = part->matrix();
      return summary{sizes.rows,     sizes.columns, part->claimed(), sizes.field,
                     sizes.symmetry, sizes.bytes,   part->counts()};
    });
    line_counts before, all;
    for (std::size_t r = 0; r < seen.size(); ++r) {
      if (r == static_cast<std::size_t>(comm.rank())) before = all;
      all.lines += seen[r].counts.lines;
      all.entries += seen[r].counts.entries;
    }
    matrix_file mine;
    mine.rows = seen[0].rows;
    mine.columns = seen[0].columns;
    mine.field = seen[0].field;
    mine.symmetry = seen[0].symmetry;
    auto const above = call.gather("entries", [&] {
      summary const& own = seen[static_cast<std::size_t>(comm.rank())];
      if (!reads) return index_t{0};
      if (own.rows != seen[0].rows || own.columns != seen[0].columns ||
          own.claimed != seen[0].claimed || own.bytes != seen[0].bytes) {
        throw file_error(input_name(path), "other sizes than on rank 0, expected the same file");
      }
      mine = part->parse(before, all);
      return mine.above_diagonal;
    });
    index_t const total = std::reduce(above.begin(), above.end());
    if (comm.rank() == 0) note_above_diagonal(input_name(path), mine.symmetry, total);
    return mine;
  });
}

void report_on_ranks(communicator const& comm, std::span<step_time const> steps) {
  collective(comm, "times", [&](collective_call& call) {
    for (step_time const& one : steps) {
      auto const seconds = call.gather(one.step, [&] { return one.seconds; });
      if (comm.rank() != 0) continue;
      char line[64];
      std::snprintf(line, sizeof line, "%-7s %11.6f s  ", one.step,
                    *std::ranges::max_element(seconds));
      say(line + std::to_string(comm.size()) + " ranks");
    }
  });
}

}  // namespace libscan::apps
