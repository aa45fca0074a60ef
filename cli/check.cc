// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "cli/verbs.h"
#include "storage/inspect/check_graph.h"

namespace outcore {

void add_check(CLI::App& app) {
  const auto graph = std::make_shared<std::string>();
  CLI::App* check = app.add_subcommand("check", "Check a graph and its layouts for damage");
  check->add_option("graph", *graph, "Folder of the graph")->required();
  check->footer(
      "Example: outcore check graphs/kron20\n"
      "Prints a line for each invariant that held; the first broken place ends it with exit code "
      "3.");
  check->callback([graph] {
    check_graph(*graph, [](const std::string& line) {
      fmt::print("{}\n", line);
      std::fflush(stdout);  // prints what held before the error
    });
  });
}

}  // namespace outcore
