// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/verbs.h"
#include "common/error.h"
#include "storage/evolving/durable/check_durable_store.h"
#include "storage/evolving/pmem_store.h"
#include "storage/inspect/check_graph.h"

namespace outcore {

namespace {

struct CheckArgs {
  std::string graph;
  std::string against;
  std::string format = "auto";
  bool salvage = false;
  bool json = false;
};

void check_folder(const CheckArgs& args, const std::function<void(const std::string&)>& held) {
  if (evolving::is_durable_store(args.graph)) {
    return evolving::check_durable_store(
        args.graph,
        {.against = args.against, .stream = {.format = args.format}, .salvage = args.salvage},
        held);
  }
  if (evolving::is_pmem_store(args.graph)) {
    if (args.salvage) throw usage_error("--salvage is for damaged logs of stores on a disk");
    return evolving::check_pmem_store(args.graph, args.against, {.format = args.format}, held);
  }
  if (!args.against.empty() || args.salvage) {
    throw usage_error(
        fmt::format("{}: --against and --salvage are for stores, and this is a graph", args.graph));
  }
  check_graph(args.graph, held);
}

void run_check(const CheckArgs& args) {
  nlohmann::json held = nlohmann::json::array();
  check_folder(args, [&](const std::string& line) {
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
  CLI::App* check =
      app.add_subcommand("check", "Check a graph and its layouts, or a store, for damage");
  check->add_option("graph", args->graph, "Folder of the graph or of the store")->required();
  check->add_option(
      "--against", args->against,
      "For a store: the stream that it was made from, of which it must hold the first updates");
  check->add_option("--format", args->format, "Format of that stream: pairs32, text or auto")
      ->capture_default_str();
  check->add_flag(
      "--salvage", args->salvage,
      "For a store with a damaged log: check what lies before the damage, and say what is lost");
  check->add_flag("--json", args->json, "Print for programs what held");
  check->footer(
      "Example: outcore check graphs/kron20\n"
      "         outcore check stores/live --against edges.pairs\n"
      "Prints a line for each invariant that held; the first broken place ends it with exit code "
      "3.");
  check->callback([args] { run_check(*args); });
}

}  // namespace outcore
