// SPDX-License-Identifier: Apache-2.0
#include <libscan/simt/executor/racecheck/line_lookup.hpp>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace libscan::inline v1_executor::simt::executor::racecheck {

namespace {

/// The instructions [begin, end) of a compilation unit or function.
struct extent {
  Dwarf_Addr begin, end;
  Dwarf_Die die;
};

std::vector<extent> extents_of(Dwarf_Die die) {
  std::vector<extent> found;
  Dwarf_Addr base = 0, begin = 0, end = 0;
  for (std::ptrdiff_t next = 0; (next = dwarf_ranges(&die, next, &base, &begin, &end)) > 0;) {
    if (begin != 0 && begin < end) found.push_back({begin, end, die});
  }
  return found;
}

template <class Visit>
void each_child(Dwarf_Die die, Visit const& visit) {
  Dwarf_Die child;
  if (dwarf_child(&die, &child) != 0) return;
  do {
    visit(child);
  } while (dwarf_siblingof(&child, &child) == 0);
}

/// All functions with code below `die`, however deeply nested in namespaces and classes.
void collect_functions(Dwarf_Die die, std::vector<extent>& functions) {
  each_child(die, [&](Dwarf_Die child) {
    switch (dwarf_tag(&child)) {
      case DW_TAG_subprogram: {
        std::vector<extent> const own = extents_of(child);
        functions.insert(functions.end(), own.begin(), own.end());
        break;
      }
      case DW_TAG_namespace:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
        collect_functions(child, functions);
        break;
      default:
        break;
    }
  });
}

void sort(std::vector<extent>& extents) {
  std::sort(extents.begin(), extents.end(),
            [](extent const& a, extent const& b) { return a.begin < b.begin; });
}

extent const* find(std::vector<extent> const& extents, Dwarf_Addr address) {
  auto const after =
      std::upper_bound(extents.begin(), extents.end(), address,
                       [](Dwarf_Addr wanted, extent const& e) { return wanted < e.begin; });
  if (after == extents.begin() || address >= (after - 1)->end) return nullptr;
  return &*(after - 1);
}

/// The calls inlined into `die` around `address`, outermost first.
void collect_inlined(Dwarf_Die die, Dwarf_Addr address, std::vector<Dwarf_Die>& calls) {
  each_child(die, [&](Dwarf_Die child) {
    int const tag = dwarf_tag(&child);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) return;
    if (dwarf_haspc(&child, address) != 1) return;
    if (tag == DW_TAG_inlined_subroutine) calls.push_back(child);
    collect_inlined(child, address, calls);
  });
}

Dwarf_Word number_of(Dwarf_Die die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dwarf_attr(&die, attribute, &found) == nullptr) return 0;
  return dwarf_formudata(&found, &value) == 0 ? value : 0;
}

source_position place_of_call(Dwarf_Die unit, Dwarf_Die call) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrcfiles(&unit, &files, &count) != 0) return {};
  char const* const file = dwarf_filesrc(files, number_of(call, DW_AT_call_file), nullptr, nullptr);
  return {{file != nullptr ? file : "", static_cast<int>(number_of(call, DW_AT_call_line))},
          static_cast<int>(number_of(call, DW_AT_call_column))};
}

}  // namespace

struct line_lookup::debug_information {
  Dwfl_Callbacks callbacks{};
  Dwfl* session = nullptr;
  Dwarf_Addr bias = 0;
  std::vector<extent> units;
  std::vector<extent> executor;
  std::map<Dwarf_Off, std::vector<extent>> functions;  // by unit

  debug_information() {
    callbacks.find_elf = dwfl_linux_proc_find_elf;
    callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
    session = dwfl_begin(&callbacks);
    if (session == nullptr || dwfl_linux_proc_report(session, getpid()) != 0) return;
    dwfl_report_end(session, nullptr, nullptr);
    // Kernels and executor are linked into one file: the one that contains this function.
    static char const here = 0;
    Dwfl_Module* const module = dwfl_addrmodule(session, reinterpret_cast<Dwarf_Addr>(&here));
    Dwarf* const dwarf = module != nullptr ? dwfl_module_getdwarf(module, &bias) : nullptr;
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    while (dwarf != nullptr &&
           dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
      std::vector<extent> const own = extents_of(die);
      units.insert(units.end(), own.begin(), own.end());
      char const* const name = dwarf_diename(&die);
      std::string_view const file = name != nullptr ? name : "";
      if (file.find("libscan/simt/executor/") != file.npos) {
        executor.insert(executor.end(), own.begin(), own.end());
      }
    }
    sort(units);
    sort(executor);
  }

  ~debug_information() {
    if (session != nullptr) dwfl_end(session);
  }

  /// A return address may be past the end of its function; the byte before it belongs to the call.
  Dwarf_Addr call_before(void const* return_address) const {
    return reinterpret_cast<Dwarf_Addr>(return_address) - 1 - bias;
  }

  std::vector<extent> const& functions_of(Dwarf_Die unit) {
    auto const [place, fresh] = functions.try_emplace(dwarf_dieoffset(&unit));
    if (fresh) {
      collect_functions(unit, place->second);
      sort(place->second);
    }
    return place->second;
  }
};

line_lookup::line_lookup() = default;
line_lookup::~line_lookup() = default;

void line_lookup::load() {
  if (program_ == nullptr) program_ = std::make_unique<debug_information>();
}

bool line_lookup::knows_executor() const { return !program_->executor.empty(); }

bool line_lookup::in_executor(void const* return_address) const {
  return find(program_->executor, program_->call_before(return_address)) != nullptr;
}

std::vector<source_position> line_lookup::frames(void const* return_address) const {
  Dwarf_Addr const address = program_->call_before(return_address);
  extent const* const unit = find(program_->units, address);
  if (unit == nullptr) return {};
  Dwarf_Die die = unit->die;
  std::vector<source_position> places;
  if (Dwarf_Line* const line = dwarf_getsrc_die(&die, address)) {
    source_position here;
    dwarf_lineno(line, &here.line.line);
    dwarf_linecol(line, &here.column);
    if (char const* const file = dwarf_linesrc(line, nullptr, nullptr)) here.line.file = file;
    places.push_back(here);
  }
  std::vector<Dwarf_Die> inlined;
  if (extent const* const function = find(program_->functions_of(die), address)) {
    collect_inlined(function->die, address, inlined);
  }
  for (auto call = inlined.rbegin(); call != inlined.rend(); ++call) {
    places.push_back(place_of_call(die, *call));
  }
  return places;
}

}  // namespace libscan::inline v1_executor::simt::executor::racecheck
