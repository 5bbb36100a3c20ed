// SPDX-License-Identifier: Apache-2.0
// Agreement: each message ends with one byte that says whether its rank failed. Only then follows a
// second message, with the reasons.
#include <libscan/distributed/collective.hpp>

#include <algorithm>
#include <array>
#include <string>

#include <libscan/core/error.hpp>
#include <libscan/distributed/error.hpp>

namespace libscan::inline v1::detail {
namespace {

constexpr std::size_t reason_bytes = 256;
using reason_text = std::array<char, reason_bytes>;

/// The beginning of `words`, padded with zeros.
reason_text text_of(std::string_view words) {
  reason_text text{};
  std::ranges::copy(detail::beginning(words, reason_bytes - 1), text.begin());
  return text;
}

/// An exception, if any, and its message.
struct failure {
  std::exception_ptr exception;
  reason_text reason{};
};

template <class Work>
failure failure_of(Work const& work) {
  try {
    work();
    return {};
  } catch (std::exception const& e) {
    return {std::current_exception(), text_of(e.what())};
  } catch (...) {
    return {std::current_exception(), text_of("an exception of an unknown type")};
  }
}

}  // namespace

std::vector<std::byte> collective_call::gather_bytes(
    char const* step, std::size_t bytes, function_ref<void(std::span<std::byte>)> work) {
  auto const ranks = static_cast<std::size_t>(comm_.size());
  std::vector<std::byte> mine(bytes + 1);
  std::vector<std::byte> all(ranks * mine.size());
  failure const own = failure_of([&] { work(std::span(mine).first(bytes)); });
  mine.back() = std::byte{own.exception != nullptr};
  through().allgather(at(step), mine, all);

  std::size_t first_failed = ranks;
  for (std::size_t r = ranks; r-- > 0;) {
    if (all[r * mine.size() + bytes] != std::byte{0}) first_failed = r;
  }
  if (first_failed < ranks) {
    std::vector<reason_text> reasons(ranks);
    through().allgather(at("the reason of a failure"), std::as_bytes(std::span(own.reason)),
                        std::as_writable_bytes(std::span(reasons)));
    agreed_ = true;
    if (own.exception) std::rethrow_exception(own.exception);
    throw remote_error(static_cast<int>(first_failed), reasons[first_failed].data());
  }
  for (std::size_t r = 1; r < ranks; ++r) {
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(r * mine.size()), bytes,
                all.begin() + static_cast<std::ptrdiff_t>(r * bytes));
  }
  all.resize(ranks * bytes);
  return all;
}

void rethrow_own(std::vector<std::exception_ptr> const& of_ranks) {
  auto const is_own = [](std::exception_ptr const& one) {
    try {
      if (one) std::rethrow_exception(one);
      return false;
    } catch (remote_error const&) {
      return false;
    } catch (...) {
      return true;
    }
  };
  auto const own = std::ranges::find_if(of_ranks, is_own);
  if (own != of_ranks.end()) std::rethrow_exception(*own);
}

}  // namespace libscan::inline v1::detail
