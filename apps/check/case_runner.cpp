// SPDX-License-Identifier: Apache-2.0
// A case: make inputs, compute the expected results, run, compare; on failure, again with a smaller
// case.
#include <apps/check/case_runner.hpp>

#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <system_error>

#include <apps/check/case_data.hpp>
#include <apps/check/crash_note.hpp>
#include <libscan/core/error.hpp>

namespace libscan::apps {

namespace {

/// After a crash nothing can look for a smaller case.
std::string words_for_crash(check_case const& c, case_overrides const& overrides) {
  return "CRASHED: " + describe(c) + "\n  again: " + command_for(c, overrides) +
         "\n  (not made smaller; --n, --values, --aligned and --plain may do that by hand)\n";
}

}  // namespace

std::string case_runner::run(check_case const& c, case_overrides const& overrides) {
  crash_note const note(words_for_crash(c, overrides));
  index_t const segments = count_segments(c);
  layout const inputs = input_layout(c, segments);
  layout const outputs = output_layout(c, segments);
  placed const in{inputs, in_.reserve(inputs.bytes())};
  placed const expected{outputs, expected_.reserve(outputs.bytes())};
  placed const got{outputs, got_.reserve(outputs.bytes())};
  make_inputs(c, in);
  prepare_outputs(c, in, expected);
  prepare_outputs(c, in, got);
  compute_expected(c, in, expected, allowed_);
  try {
    on_.run(c, in, got);
  } catch (device_error const&) {
    throw;
  } catch (std::bad_alloc const&) {
    throw;
  } catch (std::system_error const&) {  // a thread that the system refuses
    throw;
  } catch (std::exception const& e) {
    return std::string("threw: ") + e.what();
  } catch (...) {
    return "threw what is no std::exception";
  }
  auto const difference = first_difference(c, expected, got, allowed_);
  if (!difference.empty()) return difference;
  if (c.in_place) return "";
  prepare_outputs(c, in, got);
  if (!on_.run_competitor(c, in, got)) return "";
  if (auto* const total = got.at<std::byte>(slot::total)) {
    std::memcpy(total, expected.at<std::byte>(slot::total), outputs[slot::total].bytes());
  }
  // CUB may take a run's value from another of its items: a zero's sign may differ.
  if (c.what == task::run_lengths && allowed_.empty()) {
    allowed_.assign(static_cast<std::size_t>(c.n) + 1, std::numeric_limits<double>::denorm_min());
  }
  auto const competitor = first_difference(c, expected, got, allowed_);
  return competitor.empty() ? "" : "CUB, Thrust or cuSPARSE differs: " + competitor;
}

/// Whether the case still fails with other `overrides`; keeps them if so.
bool case_runner::fails(failure& found, case_overrides const& overrides) {
  check_case const c = draw_case(found.what.on, found.what.seed, found.what.number, overrides);
  auto difference = run(c, overrides);
  if (difference.empty()) return false;
  found = {c, overrides, std::move(difference)};
  return true;
}

/// Fewer items, in steps that get smaller.
void case_runner::shrink_size(failure& found) {
  for (index_t step = found.what.n / 2; step > 0; step /= 2) {
    for (;;) {
      if (found.what.n < step) break;
      case_overrides less = found.overrides;
      less.n = found.what.n - step;
      if (!fails(found, less)) break;
    }
  }
}

failure case_runner::shrink(failure found) {
  found.overrides.what = family_of(found.what.what);
  found.overrides.n = found.what.n;
  found.overrides.large = false;
  shrink_size(found);
  case_overrides simpler = found.overrides;
  simpler.plain = true;
  fails(found, simpler);
  simpler = found.overrides;
  simpler.aligned = true;
  fails(found, simpler);
  for (auto const values :
       {distribution::constant, distribution::sorted, distribution::few, distribution::small}) {
    simpler = found.overrides;
    simpler.values = values;
    if (found.what.values == values || fails(found, simpler)) break;
  }
  shrink_size(found);
  return found;
}

std::string command_for(check_case const& c, case_overrides const& overrides) {
  std::string text = "scan-check --what ";
  text.append(name_of(family_of(c.what))).append(" --engine ").append(name_of(c.on));
  if (overrides.host_api) text += " --host-api";
  text += " --seed " + std::to_string(c.seed) + " --case " + std::to_string(c.number);
  text += " --n " + std::to_string(c.n);
  if (overrides.values) text.append(" --values ").append(name_of(*overrides.values));
  if (overrides.aligned) text += " --aligned";
  if (overrides.plain) text += " --plain";
  return text;
}

}  // namespace libscan::apps
