// SPDX-License-Identifier: Apache-2.0
#include "storage/container/symmetrise.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/graph_building.h"
#include "cli/verbs.h"
#include "common/stopwatch.h"

namespace outcore {

namespace {

struct SymmetriseArgs : SymmetriseOptions {
  std::string from;
  std::string to;
  std::string memory_text = "1G";
  bool json = false;
};

void run_symmetrise(SymmetriseArgs& args) {
  args.memory = parse_sort_memory(args.memory_text);
  const Stopwatch watch;
  const BuildCounts counts = symmetrise(args.from, args.to, args);
  print_built(args.to, counts, watch.seconds(), args.json);
}

}  // namespace

void add_symmetrise(CLI::App& app) {
  const auto args = std::make_shared<SymmetriseArgs>();
  CLI::App* verb = app.add_subcommand("symmetrise", "Make an undirected graph from a directed one");
  verb->add_option("graph", args->from, "Folder of a directed graph")->required();
  verb->add_option("new", args->to, "Folder of the new graph")->required();
  verb->add_flag("--keep-loops", args->keep_loops, "Keep edges from a vertex to itself");
  verb->add_flag("--keep-parallel", args->keep_parallel,
                 "Keep all edges between the same ends, including an edge and its reverse");
  verb->add_option("--memory", args->memory_text, "Memory limit of the sort")
      ->capture_default_str();
  verb->add_option("--threads", args->threads, "Threads; 0: every core")->capture_default_str();
  verb->add_flag("--force", args->force, "Replace an existing graph");
  verb->add_flag("--json", args->json, "Print the counts for programs");
  verb->footer(
      "Example: outcore symmetrise graphs/web graphs/web-symmetric\n"
      "         outcore layout graphs/web-symmetric\n"
      "         outcore run graphs/web-symmetric --engine async_block --workload wcc --layout "
      "firstfit\n"
      "The new graph has the vertices, ids and weights of the directed one. Its connected\n"
      "components are the weakly connected components of the directed graph. Of several edges\n"
      "between the same ends, in either direction, the one of least weight is kept.");
  verb->callback([args] { run_symmetrise(*args); });
}

}  // namespace outcore
