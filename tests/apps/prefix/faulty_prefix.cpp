// SPDX-License-Identifier: Apache-2.0
// A scan whose items from the fourth on are wrong. Linked into scan-prefix in place of the real
// one, it shows that --verify notices.
#include <apps/prefix/prefix_scan.hpp>

namespace libscan::apps {

void prefix_scan(engine const&, prefix_call const& call) {
  visit_item_type(call.accumulator, [&]<class T>(std::type_identity<T>) {
    libscan::detail::cpu_items<T>::scan(1, host_scan_of(call));
    T* const out = static_cast<T*>(call.out);
    for (index_t i = 3; i < call.n; ++i) out[i] = static_cast<T>(out[i] + T(1));
  });
}

void prefix_scan_by(engine const& on, strategy_choice const&, prefix_call const& call) {
  prefix_scan(on, call);
}

}  // namespace libscan::apps
