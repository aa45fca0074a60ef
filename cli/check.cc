// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/verbs.h"
#include "storage/inspect/check_graph.h"

namespace outcore {

namespace {

struct CheckArgs {
  std::string graph;
  bool json = false;
};

void run_check(const CheckArgs& args) {
  nlohmann::json held = nlohmann::json::array();
  check_graph(args.graph, [&](const std::string& line) {
    held.push_back(line);
    if (args.json) return;
    fmt::print("{}\n", line);
    std::fflush(stdout);  // what held stands before what did not
  });
  const nlohmann::json checked = {{"graph", args.graph}, {"held", held}};
  if (args.json) fmt::print("{}\n", checked.dump(2));
}

}  // namespace

void add_check(CLI::App& app) {
  const auto args = std::make_shared<CheckArgs>();
  CLI::App* check = app.add_subcommand("check", "Check a graph and its layouts for damage");
  check->add_option("graph", args->graph, "Folder of the graph")->required();
  check->add_flag("--json", args->json, "Print for programs what held");
  check->footer(
      "Example: outcore check graphs/kron20\n"
      "Prints a line for each invariant that held; the first broken place ends it with exit code "
      "3.");
  check->callback([args] { run_check(*args); });
}

}  // namespace outcore
