// SPDX-License-Identifier: Apache-2.0
// crash_campaign [--seed S [--point K] | --seeds N]: crashes at every operation of N lives, of one,
// or at one operation. Prints each point that fails; ends with 1 if one did.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "storage/evolving/durable/durable_store.h"
#include "tests/crash/campaign.h"

namespace {

using namespace outcore::evolving;

const SubjectOf<DurableStore> subject;

std::uint64_t run(std::uint64_t seed, std::uint64_t first, std::uint64_t last) {
  std::uint64_t failures = 0;
  for (std::uint64_t operation = first; operation <= last; ++operation) {
    for (const auto fault :
         {SimDisk::Fault::power_cut, SimDisk::Fault::error, SimDisk::Fault::full}) {
      const std::string wrong = try_point(subject, {seed, operation, fault});
      if (wrong.empty()) continue;
      ++failures;
      fmt::print("--seed {} --point {} (fault {}): {}\n", seed, operation, static_cast<int>(fault),
                 wrong);
    }
  }
  return failures;
}

}  // namespace

int main(int count, char** values) {
  std::uint64_t seed = 0;
  std::uint64_t point = 0;
  std::uint64_t seeds = 0;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::uint64_t value = std::strtoull(values[i + 1], nullptr, 10);
    if (std::strcmp(values[i], "--seed") == 0) seed = value;
    if (std::strcmp(values[i], "--point") == 0) point = value;
    if (std::strcmp(values[i], "--seeds") == 0) seeds = value;
  }
  std::uint64_t failures = 0;
  std::uint64_t points = 0;
  const std::uint64_t end = seeds == 0 ? seed + 1 : seed + seeds;
  for (; seed < end; ++seed) {
    const std::uint64_t operations = operations_of_life(subject, seed);
    failures += point == 0 ? run(seed, 1, operations) : run(seed, point, point);
    points += 3 * (point == 0 ? operations : 1);
  }
  fmt::print("{} points, {} failures\n", points, failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
