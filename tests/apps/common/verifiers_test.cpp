// SPDX-License-Identifier: Apache-2.0
// The words of --verify=NAME, and what is called.
#include <string>
#include <vector>

#include <apps/common/verifiers.hpp>
#include <tests/support/catch.hpp>

using namespace libscan::apps;

TEST_CASE("who agrees beside the loop, in a sentence") {
  CHECK(also_agree({}).empty());
  CHECK(also_agree({verifier::loop}).empty());
  CHECK(also_agree({verifier::cub}) == "; so does CUB");
  CHECK(also_agree({verifier::thrust, verifier::cub}) == "; so do CUB and Thrust");
  CHECK(also_agree({verifier::loop, verifier::standard, verifier::cub, verifier::cusparse}) ==
        "; so do the standard library, CUB and cuSPARSE");
  CHECK(names_in({verifier::cusparse, verifier::loop, verifier::standard}) ==
        "loop, std, cusparse");
}

TEST_CASE("the first of the others that differs is named, and none after it is called") {
  std::vector<verifier> asked;
  auto const wrong_from = [&](verifier first) {
    asked.clear();
    return difference_of_others(
        {verifier::loop, verifier::standard, verifier::cub, verifier::thrust},
        [&](verifier by) -> std::string {
          asked.push_back(by);
          return by < first ? "" : "item 3 is 7, expected 8";
        });
  };
  CHECK(wrong_from(verifier::cub) == "CUB: item 3 is 7, expected 8");
  CHECK(asked == std::vector{verifier::standard, verifier::cub});
  CHECK(wrong_from(verifier::cusparse).empty());
  CHECK(asked == std::vector{verifier::standard, verifier::cub, verifier::thrust});
}
