// SPDX-License-Identifier: Apache-2.0
// fault_campaign FIRST END: runs the seeds [FIRST, END) and prints the results.
#include <fmt/format.h>

#include <cstdlib>

#include "tests/fault_campaign.h"

int main(int argc, char** argv) {
  const std::uint64_t first = argc == 3 ? std::strtoull(argv[1], nullptr, 10) : 0;
  const std::uint64_t end = argc == 3 ? std::strtoull(argv[2], nullptr, 10) : 0;
  if (first >= end) {
    fmt::print(stderr, "usage: fault_campaign FIRST END, seeds from FIRST up to END\n");
    return 2;
  }
  outcore::FaultCampaign campaign;
  std::uint64_t failures = 0;
  for (std::uint64_t seed = first; seed < end; ++seed) {
    const std::string wrong = campaign.run(seed);
    if (wrong.empty()) continue;
    fmt::print("{}\n", wrong);
    ++failures;
  }
  std::uint64_t stopped = 0;
  std::uint64_t answered = 0;
  fmt::print("{:<44}{:>10}{:>10}\n", "", "stopped", "answered");
  for (const auto& [name, row] : campaign.rows()) {
    fmt::print("{:<44}{:>10}{:>10}\n", name, row.stopped, row.answered);
    stopped += row.stopped;
    answered += row.answered;
  }
  fmt::print("{:<44}{:>10}{:>10}\n", fmt::format("{} seeds, {} failures", end - first, failures),
             stopped, answered);
  return failures == 0 ? 0 : 1;
}
