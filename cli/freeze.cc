// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/freeze.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/verbs.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "storage/evolving/durable/freeze_durable_store.h"
#include "storage/evolving/pmem_store.h"

namespace outcore {

namespace {

struct FreezeArgs {
  std::string store;
  std::string graph;
  std::string memory = "256M";
  unsigned threads = 0;
  bool force = false;
  bool json = false;
};

void run_freeze(const FreezeArgs& args) {
  check_new_graph(args.graph, args.force);
  const Stopwatch watch;
  const evolving::FreezeOptions options{.memory = parse_size(args.memory, "--memory"),
                                        .threads = threads_or_all(args.threads),
                                        .force = args.force};
  const BuildCounts made =
      evolving::is_pmem_store(args.store)
          ? evolving::freeze(*evolving::PmemReader(args.store, options.threads).snapshot,
                             args.graph, options)
          : evolving::freeze_durable_store(args.store, args.graph, options);
  if (args.json) {
    const nlohmann::json document = {{"graph", args.graph},
                                     {"vertices", made.vertices},
                                     {"edges", made.edges},
                                     {"seconds", watch.seconds()}};
    fmt::print("{}\n", document.dump(2));
  } else {
    fmt::print("{}: {} vertices and {} edges; {:.2f} s\n", args.graph, with_commas(made.vertices),
               with_commas(made.edges), watch.seconds());
  }
}

}  // namespace

void add_freeze(CLI::App& app) {
  const auto args = std::make_shared<FreezeArgs>();
  CLI::App* verb =
      app.add_subcommand("freeze", "Write what stands in a store as a graph, for every engine");
  verb->add_option("store", args->store, "Folder of the store")->required();
  verb->add_option("graph", args->graph, "Folder of the new graph")->required();
  verb->add_option("--memory", args->memory, "For sorting")->capture_default_str();
  verb->add_option("--threads", args->threads, "Threads; 0: every core")->capture_default_str();
  verb->add_flag("--force", args->force, "Replace an existing graph");
  verb->add_flag("--json", args->json, "Print for programs what was made");
  verb->footer(
      "Example: outcore freeze stores/live graphs/now\n"
      "The graph is the one that import makes of the updates that the store had at the beginning; "
      "outcore ingest\nmay go on meanwhile.");
  verb->callback([args] { run_freeze(*args); });
}

}  // namespace outcore
