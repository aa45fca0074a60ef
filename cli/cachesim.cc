// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>
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

struct CachesimArgs {
  std::vector<std::string> traces;
  std::vector<std::string> policies = {"opt", "sub", "lru"};
  std::vector<std::string> sizes = {"4M", "1%", "2%", "5%", "10%", "20%"};
  std::uint64_t seed = 1;
  bool json = false;
};

// A policy and a cache size, and the result.
struct Row {
  CacheJob job;
  CacheSize size;
  CacheResult result;
};

std::vector<Row> plan(const CachesimArgs& args, const TraceHeader& header) {
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

nlohmann::json as_json(const std::string& path, const TraceHeader& header,
                       const Simulation& simulation, const std::vector<Row>& rows) {
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
  return {{"trace", path},
          {"header", header.json()},
          {"unit_bytes", header.unit_bytes},
          {"accesses", simulation.accesses},
          {"distinct", simulation.distinct},
          {"rounds", simulation.rounds},
          {"seconds", simulation.seconds},
          {"rows", listed}};
}

std::string as_text(const std::string& path, const TraceHeader& header,
                    const Simulation& simulation, const std::vector<Row>& rows) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{}: {} of {} over {}, {} rounds\n", path, header.workload, header.graph,
                 header.layout, simulation.rounds);
  fmt::format_to(out, "{} accesses ({}) to {} units ({})\n\n", simulation.accesses,
                 human_size(simulation.accesses * header.unit_bytes), simulation.distinct,
                 human_size(simulation.distinct * header.unit_bytes));
  fmt::format_to(out, "{:<10}{:>12}{:>9}{:>12}{:>14}{:>14}{:>10}\n", "policy", "size", "of raw",
                 "units", "misses", "read", "seconds");
  for (const Row& row : rows) {
    const std::string percent =
        row.size.percent ? fmt::format("{:.2f}%", *row.size.percent) : std::string("-");
    fmt::format_to(out, "{:<10}{:>12}{:>9}{:>12}{:>14}{:>14}{:>10.3f}\n", row.job.policy->name,
                   human_size(row.size.bytes), percent, row.job.units, row.result.misses,
                   human_size(row.result.misses * header.unit_bytes), row.result.seconds);
  }
  return text;
}

// Nothing is printed before all traces are simulated, so a broken trace leaves no half answer.
void run_cachesim(const CachesimArgs& args) {
  nlohmann::json documents = nlohmann::json::array();
  std::string text;
  for (const std::string& path : args.traces) {
    const TraceHeader header = TraceReader(path).header();
    std::vector<Row> rows = plan(args, header);  // mistakes show before the trace is read
    std::vector<CacheJob> jobs;
    for (const Row& row : rows) jobs.push_back(row.job);
    const Simulation simulation = simulate(file_source(path), jobs);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].result = simulation.results[i];
    if (args.json) {
      documents.push_back(as_json(path, header, simulation, rows));
    } else {
      text += (text.empty() ? "" : "\n") + as_text(path, header, simulation, rows);
    }
  }
  if (args.json) text = (documents.size() == 1 ? documents[0] : documents).dump(2) + "\n";
  fmt::print("{}", text);
}

}  // namespace

void add_cachesim(CLI::App& app) {
  const auto args = std::make_shared<CachesimArgs>();
  CLI::App* cachesim = app.add_subcommand(
      "cachesim", "Compute from a trace what caches of other sizes and policies would have read");
  cachesim
      ->add_option("trace", args->traces,
                   "Traces written by 'outcore run --trace'; --json prints a list for several")
      ->required();
  std::string known;
  for (const PolicyKind* kind : policies()) {
    known += fmt::format("\n{}: {}", kind->name, kind->summary);
  }
  cachesim->add_option("--policy", args->policies, "Policies, separated by commas:" + known)
      ->delimiter(',')
      ->capture_default_str();
  cachesim
      ->add_option("--sizes", args->sizes,
                   fmt::format("Sizes, separated by commas: 4M; 5% of the graph's raw bytes (4 an "
                               "edge); 1%..20%: {} evenly spaced ones",
                               kSizesInRange))
      ->delimiter(',')
      ->capture_default_str();
  cachesim->add_option("--seed", args->seed, "Seed of random choices: same seed, same misses")
      ->capture_default_str();
  cachesim->add_flag("--json", args->json, "Print JSON, for programs");
  cachesim->footer("Example: outcore cachesim kron20.oct --policy opt,sub,lru --sizes 4M,1%..20%");
  cachesim->callback([args] { run_cachesim(*args); });
}

}  // namespace outcore
