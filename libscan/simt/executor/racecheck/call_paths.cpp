// SPDX-License-Identifier: Apache-2.0
#include <libscan/simt/executor/racecheck/call_paths.hpp>

#include <string_view>
#include <thread>

namespace libscan::inline v1_executor::simt::executor::racecheck {

namespace {

bool is_kernel_code(source_line const& at) {
  std::string_view const file = at.file;
  auto const within = [&](std::string_view part) { return file.find(part) != file.npos; };
  bool const system = file.starts_with("/usr/include/") || file.starts_with("/usr/lib/") ||
                      within("/include/c++/") || within("/lib/clang/");
  return at.line != 0 && !system && !within("libscan/simt/executor/") &&
         !within("libscan/simt/simt.cuh") && !within("libscan/core/");
}

}  // namespace

std::uint32_t call_paths::look_up(path_id path, void const* return_address, numbers& all,
                                  std::vector<place>& places) {
  auto const [entry, fresh] =
      all.try_emplace({path, return_address}, static_cast<std::uint32_t>(places.size()));
  if (fresh) {
    // The executor makes the first call, that of the kernel.
    bool const first = &places == &callers_ && path == outside;
    bool const foreign = callers_[path].foreign || (!first && lines_.in_executor(return_address));
    place next;
    next.path = path;
    next.return_address = return_address;
    next.foreign = foreign;
    places.push_back(next);
  }
  return entry->second;
}

site_id call_paths::bulk_copy(call_site issued) {
  auto const [entry, fresh] =
      copies_.try_emplace({issued.file, issued.line}, static_cast<site_id>(sites_.size()));
  if (fresh) {
    place copy;
    copy.is_resolved = true;
    copy.representative = entry->second;
    copy.line = entry->first;
    sites_.push_back(copy);
  }
  return entry->second;
}

/// The place itself and all calls that led there, innermost first, without the executor's call of
/// the kernel.
std::vector<source_position> call_paths::calls_to(place const& at) const {
  std::vector<source_position> all = lines_.frames(at.return_address);
  for (place const* call = &callers_[at.path]; call->path != outside;
       call = &callers_[call->path]) {
    std::vector<source_position> const more = lines_.frames(call->return_address);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

void call_paths::resolve(site_id site) {
  place& at = sites_[site];
  at.is_resolved = true;
  at.representative = site;
  if (at.foreign) return;
  // libdw needs more stack than a kernel thread has.
  std::vector<source_position> calls;
  std::thread([&] { calls = calls_to(at); }).join();
  if (calls.empty()) {
    at.line = source_line{"(no debug information)", 0};
    return;
  }
  std::string text;
  for (source_position const& call : calls) {
    if (!at.line && is_kernel_code(call.line)) at.line = call.line;
    text += call.line.file + ':' + std::to_string(call.line.line) + ':' +
            std::to_string(call.column) + ' ';
  }
  at.representative = positions_.try_emplace(text, site).first->second;
}

}  // namespace libscan::inline v1_executor::simt::executor::racecheck
