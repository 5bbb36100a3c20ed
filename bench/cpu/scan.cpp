// SPDX-License-Identifier: Apache-2.0
// Scans on the cpu engine, for every type that the host API is compiled for, and of maps by an
// operator that does not commute; and, at the sizes of the paper's Table 2, the sequential loop
// beside what uses all cores.
#include <string>
#include <type_traits>

#include <bench/cpu/contenders.hpp>
#include <libscan/core/operator_list.hpp>

namespace libscan::bench::cpu {

namespace {

/// Scans In into the type of the operator.
template <class In, class Op, class T = typename Op::value_type>
void scan(engine const& on, session const& now, std::string const& name, std::string const& items,
          scan_kind kind, index_t n, Op op) {
  auto const in = items_of<In>(items, n);
  host_array<T> const out(n);
  auto const expected = scanned<T>(in, kind, op);
  std::fill(out.begin(), out.end(), T{});
  std::string const type =
      std::is_same_v<In, T> ? type_name<T>() : type_name<In>() + "->" + type_name<T>();
  now.run({"cpu", name, type, n, static_cast<double>(n) * (sizeof(In) + sizeof(T)),
           scan_contenders(on, kind, in, out, expected, op)});
}

/// Calls body(Op{}) for the operator of that name; all except the sum are compiled only for i32.
template <class T, class Body>
void with_operator(std::string const& name, Body body) {
  if constexpr (std::is_same_v<T, affine_map>) {
    if (name == "sum") return body(affine_composition{});
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    for (operator_kind const kind : all_operators) {
      if (name == option_word(kind)) return visit_operator<T>(kind, body);
    }
  } else {
    if (name == "sum") return body(plus<T>{});
  }
  throw invalid_argument("scan-bench has no " + name + " of " + type_name<T>() +
                         " on the cpu engine; operators other than sum take i32");
}

/// Calls body(T{}) for the type of that name.
template <class Body>
void with_type(std::string const& name, Body body) {
  bool found = false;
  auto const among = [&](auto... types) {
    ((name == type_name<decltype(types)>() ? (found = true, body(types)) : void()), ...);
  };
  among(std::int8_t{}, std::uint8_t{}, std::int16_t{}, std::uint16_t{}, std::int32_t{},
        std::uint32_t{}, std::int64_t{}, std::uint64_t{}, float{}, double{}, affine_map{});
  if (!found) {
    throw invalid_argument("scan-bench has no items of type " + name + " on the cpu engine");
  }
}

}  // namespace

void run_scans(engine const& on, session const& now) {
  options const& wanted = now.wanted;
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24, 1 << 27})) {
    for (std::string const& type : or_standard<std::string>(wanted.types, {"i32", "f64"})) {
      for (std::string const& op : wanted.operators) {
        for (scan_kind const kind : or_standard(wanted.kinds, {scan_kind::exclusive})) {
          for (std::string const& items : wanted.items) {
            std::string const name = scan_name(kind, op, items);
            if (type == "i8->i32" && op == "sum") {
              scan<std::int8_t>(on, now, name, items, kind, n, plus<std::int32_t>{});
              continue;
            }
            now.where_known([&] {
              with_type(type, [&](auto item) {
                using T = decltype(item);
                with_operator<T>(
                    op, [&](auto function) { scan<T>(on, now, name, items, kind, n, function); });
              });
            });
          }
        }
      }
    }
  }
}

void run_algorithms(engine const& on, session const& now) {
  for (index_t const n : or_standard(now.wanted.sizes, paper_sizes())) {
    scan<std::int32_t>(on, now, "algorithms", "random", scan_kind::exclusive, n,
                       plus<std::int32_t>{});
  }
}

}  // namespace libscan::bench::cpu
