// SPDX-License-Identifier: Apache-2.0
// Cases by themselves: that every kind is drawn, and that a wrong bit in any output of any is seen.
#include <cstring>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <tests/support/catch.hpp>

#include <apps/check/case_data.hpp>
#include <apps/check/check_case.hpp>
#include <apps/check/image.hpp>
#include <apps/check/oracle.hpp>

namespace libscan::apps {
namespace {

/// What tells kinds of cases apart.
using kind = std::tuple<task, dtype, key_kind, int, bool, bool>;

kind kind_of(check_case const& c) {
  return {c.what,        c.type,
          c.keys,        with_values(c.what) ? c.value_bytes : 0,
          c.two_buffers, c.form.complex_items};
}

/// A case of some items for each kind that is drawn.
std::map<kind, check_case> cases_of(engine_kind on, bool host_api = false) {
  std::map<kind, check_case> result;
  for (std::uint64_t number = 0; number < 60000; ++number) {
    case_overrides few;
    few.n = 40;
    few.host_api = host_api;
    check_case const c = draw_case(on, 1, number, few);
    // Something is kept, and segments are; no result is NaN, since any NaN is right.
    bool const numbers = c.values != distribution::special;
    if (c.keep_percent == 50 && numbers) result.emplace(kind_of(c), c);
  }
  return result;
}

/// What the drawn cases of a task are like: its types of keys, sizes of values, kinds of memory.
struct variety {
  std::set<std::pair<dtype, key_kind>> keys;
  std::set<int> value_bytes;
  std::set<bool> two_buffers;
};

std::map<task, variety> varieties_of(engine_kind on, bool host_api = false) {
  std::map<task, variety> result;
  for (auto const& [drawn, c] : cases_of(on, host_api)) {
    variety& of = result[c.what];
    of.keys.emplace(c.type, c.keys);
    of.value_bytes.insert(c.value_bytes);
    of.two_buffers.insert(c.two_buffers);
  }
  return result;
}

}  // namespace

TEST_CASE("the cpu engine gets every kind of case") {
  auto drawn = varieties_of(engine_kind::cpu);
  CHECK(drawn.size() == 53);
  std::set<int> const sizes{1, 2, 4, 8, 16};
  for (task const what : {task::sort_pairs, task::sort_pairs_in_segments, task::split_by_number}) {
    CHECK(drawn[what].value_bytes == sizes);
  }
  for (task const what : {task::sort_keys, task::sort_pairs, task::argsort}) {
    CHECK(drawn[what].keys.size() == 13);
    CHECK(drawn[what].keys.count({dtype::u32, key_kind::record}) == 1);
    CHECK(drawn[what].two_buffers == std::set<bool>{false});
  }
  for (task const what :
       {task::sort_keys_in_segments, task::sort_pairs_in_segments, task::argsort_in_segments}) {
    CHECK(drawn[what].keys.size() == 12);
  }
  for (task const what : {task::indexed_if, task::indexed_flagged, task::indexed_masked}) {
    CHECK(drawn[what].keys.size() == 10);
  }
}

TEST_CASE("devices get every kind of case that kernels are compiled for") {
  for (engine_kind const on : {engine_kind::executor, engine_kind::cuda}) {
    auto drawn = varieties_of(on);
    CHECK(drawn.size() == 38);
    CHECK(drawn[task::sort_pairs].value_bytes == std::set<int>{1, 2, 4, 8, 16});
    for (task const what : {task::sort_keys, task::sort_pairs}) {
      CHECK(drawn[what].keys.size() == 7);
      CHECK(drawn[what].two_buffers == std::set<bool>{false, true});
    }
    CHECK(drawn[task::sort_keys_in_segments].keys.count({dtype::u16, key_kind::half}) == 1);
    CHECK(drawn[task::split_by_key].value_bytes == std::set<int>{4, 8});
    for (task const what : {task::scan, task::segmented_by_keys, task::split_if}) {
      CHECK(drawn[what].keys.count({dtype::i16, key_kind::number}) == 1);
    }
    for (task const what : {task::indexed_if, task::indexed_flagged, task::indexed_masked}) {
      CHECK(drawn[what].keys.count({dtype::f64, key_kind::number}) == 1);
    }
  }
}

TEST_CASE("the host API has the same kinds of cases on each engine, except what is a header") {
  auto on_cpu = varieties_of(engine_kind::cpu);
  on_cpu.erase(task::split_by_key);
  for (engine_kind const on : {engine_kind::executor, engine_kind::cuda}) {
    auto drawn = varieties_of(on, true);
    REQUIRE(drawn.size() == on_cpu.size());
    for (auto& [what, of] : on_cpu) {
      INFO(static_cast<int>(what));
      of.keys.erase({dtype::u32, key_kind::record});
      CHECK(drawn[what].keys == of.keys);
      if (with_values(what)) CHECK(drawn[what].value_bytes == of.value_bytes);
      CHECK(drawn[what].two_buffers == std::set<bool>{false});
    }
  }
}

TEST_CASE("the host API is called in every form, and device calls in the first one") {
  std::set<std::pair<task, description>> described;
  std::map<task, std::set<item_source>> sources;
  std::map<std::string, std::set<task>> tasks;
  for (std::uint64_t number = 0; number < 60000; ++number) {
    check_case const device = draw_case(engine_kind::executor, 1, number, {});
    REQUIRE(device.form == call_form{});
    check_case const c = draw_case(engine_kind::cpu, 1, number, {});
    call_form const& form = c.form;
    described.emplace(c.what, form.segments);
    sources[c.what].insert(form.source);
    if (form.complex_items) tasks["complex"].insert(c.what);
    case_overrides on_machine;
    on_machine.host_api = true;
    call_form const there = draw_case(engine_kind::executor, 1, number, on_machine).form;
    REQUIRE(!form.device_memory);
    if (there.device_memory) {
      tasks[there.complex_items ? "complex in device memory" : "device memory"].insert(
          draw_case(engine_kind::executor, 1, number, on_machine).what);
    }
    if (form.half_results) tasks["half results"].insert(c.what);
    if (form.narrow_places) tasks["narrow"].insert(c.what);
    if (form.own_memory) tasks["own memory"].insert(c.what);
    if (form.callables) tasks["callables"].insert(c.what);
    if (form.by_operator) tasks["by an operator"].insert(c.what);
    if (form.no_values) tasks["no values"].insert(c.what);
    if (form.min_length > 1) tasks["at least so long"].insert(c.what);
  }
  for (task const what : {task::scan, task::reverse_scan, task::reduce, task::segmented_by_flags,
                          task::segmented_by_ranges, task::sums_by_keys, task::sums_by_length}) {
    CHECK(sources[what].size() == 5);
    CHECK(tasks["complex"].count(what) == 1);
    CHECK(tasks["callables"].count(what) == 1);
    CHECK(tasks["device memory"].count(what) == 1);
    CHECK(tasks["complex in device memory"].count(what) == 1);
  }
  for (auto const& [what, of] : varieties_of(engine_kind::executor, true)) {
    INFO(static_cast<int>(what));
    CHECK(tasks["device memory"].count(what) == 1);
  }
  for (description const how : {description::narrow, description::ranges, description::flags,
                                description::bits, description::keys, description::own_keys}) {
    CHECK(described.count({task::argsort_in_segments, how}) == 1);
  }
  CHECK(described.count({task::sums_by_keys, description::own_keys}) == 1);
  CHECK(described.count({task::segmented_by_ranges, description::narrow}) == 1);
  CHECK(tasks["half results"].count(task::segmented_by_bits) == 1);
  CHECK(tasks["narrow"].size() == 8);
  CHECK(tasks["own memory"].size() == 5);
  CHECK(tasks["callables"].count(task::count_if) == 1);
  CHECK(tasks["by an operator"] == std::set<task>{task::difference});
  CHECK(tasks["no values"] == std::set<task>{task::product, task::rows_of_list});
  CHECK(tasks["at least so long"] == std::set<task>{task::run_lengths});
}

TEST_CASE("sorts count ranges of bits of every kind of key, in both directions") {
  std::set<std::tuple<key_kind, bool, bool>> drawn;
  bool beyond_words = false;
  for (std::uint64_t number = 0; number < 20000; ++number) {
    case_overrides sorts;
    sorts.what = family::sort;
    check_case const c = draw_case(engine_kind::cpu, 2, number, sorts);
    drawn.emplace(c.keys, c.descending, c.end_bit >= 0);
    int const bits = 8 * static_cast<int>(size_of(c.type)) * words_of_item(c);
    REQUIRE(c.end_bit <= bits);
    beyond_words = beyond_words || (c.first_bit > 32 && c.end_bit > 64);
  }
  CHECK(drawn.size() == 16);
  CHECK(beyond_words);
}

TEST_CASE("a wrong bit is seen in every output of every kind of case, and beside it") {
  for (engine_kind const on : {engine_kind::cpu, engine_kind::executor}) {
    for (auto const& [drawn, c] : cases_of(on)) {
      INFO(describe(c));
      index_t const segments = count_segments(c);
      layout const inputs = input_layout(c, segments);
      layout const outputs = output_layout(c, segments);
      image memory, more, again;
      placed const in{inputs, memory.reserve(inputs.bytes())};
      placed const expected{outputs, more.reserve(outputs.bytes())};
      placed const got{outputs, again.reserve(outputs.bytes())};
      make_inputs(c, in);
      prepare_outputs(c, in, expected);
      tolerances allowed;
      compute_expected(c, in, expected, allowed);
      std::memcpy(got.base, expected.base, outputs.bytes());
      REQUIRE(first_difference(c, expected, got, allowed).empty());
      for (int s = 0; s < slot_count; ++s) {
        auto const which = static_cast<slot>(s);
        if (!outputs.has(which) || outputs[which].bytes() == 0) continue;
        bool const free = which == slot::spare || which == slot::spare_values;
        bool const rounded = !allowed.empty();
        std::byte* const last = got.at<std::byte>(which) + outputs[which].bytes() - 1;
        for (std::byte* const at : {got.at<std::byte>(which), last}) {
          *at ^= std::byte{1};
          bool const seen = !first_difference(c, expected, got, allowed).empty();
          if (!rounded) CHECK(seen != free);
          *at ^= std::byte{1};
        }
        last[1] ^= std::byte{1};
        CHECK(!first_difference(c, expected, got, allowed).empty());
        last[1] ^= std::byte{1};
      }
      REQUIRE(first_difference(c, expected, got, allowed).empty());
    }
  }
}

}  // namespace libscan::apps
