// SPDX-License-Identifier: Apache-2.0
// Faults planted in the store in persistent memory (pmem_mutants.toml) are noticed by its crash
// campaign, soon.
#include <gtest/gtest.h>

#include <iostream>

#include "common/hash.h"
#include "tests/crash/pmem_campaign.h"

namespace outcore::evolving {
namespace {

constexpr std::uint64_t kPoints = 2000;

// The points, spread over many lives and over all of each.
PmemPoint point_at(std::uint64_t i) { return {.seed = i % 40, .operation = 1 + mix(i) % 700}; }

TEST(PmemMutants, AreCaught) {
  ASSERT_GT(PmemMutant::all().size(), 0U);
  for (const PmemMutant* mutant : PmemMutant::all()) {
    std::uint64_t i = 0;
    std::string wrong;
    while (wrong.empty() && i < kPoints) wrong = try_point(*mutant->subject, point_at(i++));
    EXPECT_FALSE(wrong.empty()) << mutant->fault;
    std::cout << "point " << i << ": " << mutant->fault << ": " << wrong << "\n";
  }
}

}  // namespace
}  // namespace outcore::evolving
