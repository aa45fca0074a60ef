// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/verbs.h"
#include "common/sizes.h"
#include "storage/cachesim/cache_sizes.h"
#include "storage/cachesim/simulator.h"
#include "storage/trace/trace.h"

namespace outcore {

namespace {

struct Args {
  std::string trace;
  std::vector<std::string> policies = {"opt", "sub", "lru"};
  std::vector<std::string> sizes = {"4M", "1%", "2%", "5%", "10%", "20%"};
  std::uint64_t seed = 1;
  bool json = false;
};

// A policy and a size, and what came of them.
struct Row {
  CacheJob job;
  CacheSize size;
  CacheResult result;
};

std::vector<Row> plan(const Args& args, const TraceHeader& header) {
  std::vector<Row> rows;
  const auto sizes = parse_cache_sizes(args.sizes, header.raw_bytes, header.unit_bytes);
  for (const std::string& name : args.policies) {
    const PolicyKind& policy = find_policy(name);
    for (const CacheSize& size : sizes) {
      const CacheJob job{
          .policy = &policy, .units = size.bytes / header.unit_bytes, .seed = args.seed};
      rows.push_back({job, size, {}});
    }
  }
  return rows;
}

void print_json(const Args& args, const TraceHeader& header, const CacheSimulator& simulator,
                const std::vector<Row>& rows) {
  nlohmann::json listed = nlohmann::json::array();
  for (const Row& row : rows) {
    nlohmann::json percent;  // null: the size was given in bytes
    if (row.size.percent) percent = *row.size.percent;
    listed.push_back({{"policy", row.job.policy->name},
                      {"size_bytes", row.size.bytes},
                      {"size_percent", percent},
                      {"units", row.job.units},
                      {"misses", row.result.misses},
                      {"miss_bytes", row.result.misses * header.unit_bytes},
                      {"seconds", row.result.seconds}});
  }
  const nlohmann::json document = {{"trace", args.trace},
                                   {"header", header.json()},
                                   {"unit_bytes", header.unit_bytes},
                                   {"accesses", simulator.accesses()},
                                   {"distinct", simulator.distinct()},
                                   {"rounds", simulator.rounds()},
                                   {"rows", listed}};
  fmt::print("{}\n", document.dump(2));
}

void print_text(const Args& args, const TraceHeader& header, const CacheSimulator& simulator,
                const std::vector<Row>& rows) {
  fmt::print("{}: {} of {} over {}, {} rounds\n", args.trace, header.workload, header.graph,
             header.layout, simulator.rounds());
  fmt::print("{} accesses ({}) to {} units ({})\n\n", simulator.accesses(),
             human_size(simulator.accesses() * header.unit_bytes), simulator.distinct(),
             human_size(simulator.distinct() * header.unit_bytes));
  fmt::print("{:<10}{:>12}{:>9}{:>12}{:>14}{:>14}{:>10}\n", "policy", "size", "of raw", "units",
             "misses", "read", "seconds");
  for (const Row& row : rows) {
    const std::string percent =
        row.size.percent ? fmt::format("{:.2f}%", *row.size.percent) : std::string("-");
    fmt::print("{:<10}{:>12}{:>9}{:>12}{:>14}{:>14}{:>10.3f}\n", row.job.policy->name,
               human_size(row.size.bytes), percent, row.job.units, row.result.misses,
               human_size(row.result.misses * header.unit_bytes), row.result.seconds);
  }
}

void simulate(const Args& args) {
  TraceReader reader(args.trace);
  const TraceHeader& header = reader.header();
  std::vector<Row> rows = plan(args, header);  // before the trace is read: mistakes show at once
  const Replay replay = load_replay(reader);
  const CacheSimulator simulator(replay);

  std::vector<CacheJob> jobs;
  for (const Row& row : rows) jobs.push_back(row.job);
  const std::vector<CacheResult> results = simulator.run_all(jobs);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].result = results[i];
  (args.json ? print_json : print_text)(args, header, simulator, rows);
}

}  // namespace

void add_cachesim(CLI::App& app) {
  const auto args = std::make_shared<Args>();
  CLI::App* cachesim = app.add_subcommand(
      "cachesim", "What caches of other sizes and policies would have read, from a trace");
  cachesim->add_option("trace", args->trace, "Trace, as 'outcore run --trace' writes it")
      ->required();
  std::string known;
  for (const PolicyKind* kind : policies()) {
    known += fmt::format("\n{}: {}", kind->name, kind->summary);
  }
  cachesim->add_option("--policy", args->policies, "Policies, with commas between:" + known)
      ->delimiter(',')
      ->capture_default_str();
  cachesim
      ->add_option("--sizes", args->sizes,
                   fmt::format("Sizes, with commas between: 4M; 5% of the graph's raw bytes (4 an "
                               "edge); 1%..20%: {} evenly spaced ones",
                               kSizesInRange))
      ->delimiter(',')
      ->capture_default_str();
  cachesim->add_option("--seed", args->seed, "Of random choices: same seed, same misses")
      ->capture_default_str();
  cachesim->add_flag("--json", args->json, "Print JSON, for programs");
  cachesim->footer("Example: outcore cachesim kron20.oct --policy opt,sub,lru --sizes 4M,1%..20%");
  cachesim->callback([args] { simulate(*args); });
}

}  // namespace outcore
