// SPDX-License-Identifier: Apache-2.0
// The segments of a case, in the description that its form has.
#pragma once

#include <cstdint>
#include <span>

#include <apps/check/host_case.hpp>
#include <libscan/segmentation.hpp>

namespace libscan::apps {

/// A description and what it refers to.
class described_segments {
 public:
  described_segments(check_case const& c, placed in);

  operator segmentation const&() const { return segments_; }  // NOLINT: converts
  std::span<std::int32_t const> keys() const { return keys_; }
  std::span<double const> numbers() const { return {numbers_.data(), numbers_.size()}; }
  std::span<own_key const> own_keys() const { return {own_keys_.data(), own_keys_.size()}; }

 private:
  segmentation by_task(check_case const& c, placed in);
  segmentation by_form(check_case const& c);
  segmentation by_bounds(check_case const& c, std::span<index_t const> offsets);
  void make_keys(check_case const& c, std::span<index_t const> offsets);

  std::span<std::int32_t const> keys_;
  buffer<std::int32_t> own_memory_;
  buffer<std::uint8_t> flags_;
  buffer<std::uint32_t> bits_;
  buffer<std::int32_t> narrow_;
  buffer<double> numbers_;
  buffer<own_key> own_keys_;
  segmentation segments_;
};

}  // namespace libscan::apps
