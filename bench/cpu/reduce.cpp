// SPDX-License-Identifier: Apache-2.0
// Reductions on the cpu engine beside the standard library's and oneTBB's.
#include <memory>

#include <tbb/parallel_reduce.h>

#include <bench/cpu/contenders.hpp>
#include <libscan/cpu/reduce.hpp>

namespace libscan::bench::cpu {

namespace {

/// The sum of In in the type of the operator.
template <class In, class Op, class T = typename Op::value_type>
void reduction(engine const& on, session const& now, index_t n, Op op) {
  auto const in = items_of<In>("random", n);
  T const expected = reduced(in, op);
  // Read by `verify`; a contender that did nothing would leave the previous sum.
  auto const sum = std::make_shared<T>();
  auto const right = [sum, expected] { return std::exchange(*sum, T{}) == expected; };
  auto const by = [sum](auto reduce) { return [sum, reduce] { *sum = reduce(); }; };
  std::string const type =
      std::is_same_v<In, T> ? type_name<T>() : type_name<In>() + "->" + type_name<T>();
  double const bytes = static_cast<double>(n) * sizeof(In);
  std::vector<contender> all{
      copy_of(bytes),
      {"libscan", by([&, op] { return libscan::cpu::reduce(on.threads(), in.begin(), n, op); }),
       right},
      {"sequential", by([&, op] {
         T x{};
         for (index_t i = 0; i < n; ++i) x = op(x, static_cast<T>(in[i]));
         return x;
       }),
       right},
      {"std", by([&, op] { return std::reduce(in.begin(), in.end(), T{}, op); }), right},
      {"std par_unseq", by([&, op] {
         return std::reduce(std::execution::par_unseq, in.begin(), in.end(), T{}, op);
       }),
       right},
      {"tbb", by([&, op] {
         return tbb::parallel_reduce(
             tbb::blocked_range<index_t>(0, n), T{},
             [&](auto const& part, T x) {
               for (index_t i = part.begin(); i < part.end(); ++i) x = op(x, static_cast<T>(in[i]));
               return x;
             },
             op);
       }),
       right}};
  for (library const& other : other_libraries()) {
    auto const reduce = other.reduction_of<In, T>();
    if (reduce == nullptr) continue;
    all.push_back({other.name, by([&, reduce] { return reduce(in.begin(), n); }), right});
  }
  now.run({"cpu", "reduce", type, n, bytes, std::move(all)});
}

}  // namespace

void run_reductions(engine const& on, session const& now) {
  options const& wanted = now.wanted;
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24, 1 << 27})) {
    for (std::string const& type : or_standard<std::string>(wanted.types, {"i32", "f64"})) {
      now.where_known([&] {
        if (wanted.operators != std::vector<std::string>{"sum"}) {
          throw invalid_argument("scan-bench has no reductions but sums on the cpu engine");
        }
        if (type == "i32") return reduction<std::int32_t>(on, now, n, plus<std::int32_t>{});
        if (type == "i64") return reduction<std::int64_t>(on, now, n, plus<std::int64_t>{});
        if (type == "f32") return reduction<float>(on, now, n, plus<float>{});
        if (type == "f64") return reduction<double>(on, now, n, plus<double>{});
        if (type == "i8->i32") return reduction<std::int8_t>(on, now, n, plus<std::int32_t>{});
        throw invalid_argument("scan-bench has no reduction of " + type + " on the cpu engine");
      });
    }
  }
}

}  // namespace libscan::bench::cpu
