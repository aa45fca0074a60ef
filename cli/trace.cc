// SPDX-License-Identifier: Apache-2.0
#include "storage/trace/trace.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/verbs.h"
#include "common/sizes.h"
#include "storage/trace/summary.h"

namespace outcore {

namespace {

void print_text(const TraceReader& reader, const TraceSummary& summary) {
  const TraceHeader& header = reader.header();
  const auto line = [](const char* name, const std::string& value) {
    fmt::print("{:<10}{}\n", name, value);
  };
  const auto units = [&](std::uint64_t count) {
    return fmt::format("{} ({})", count, human_size(count * header.unit_bytes));
  };
  line("trace", reader.path().string());
  line("graph", fmt::format("{} ({} raw)", header.graph, human_size(header.raw_bytes)));
  line("layout", fmt::format("{} ({})", header.layout, human_size(header.layout_bytes)));
  line("engine", fmt::format("{} with {} workers", header.engine, header.workers));
  line("workload", header.workload);
  line("unit", fmt::format("{} bytes", header.unit_bytes));
  line("accesses", units(summary.accesses));
  line("distinct", units(summary.distinct));
  line("rounds", fmt::format("{}", summary.rounds.size()));
  fmt::print("\n{:>10}{:>16}{:>16}\n", "round", "accesses", "distinct");
  for (const TraceSummary::Round& round : summary.rounds) {
    fmt::print("{:>10}{:>16}{:>16}\n", round.round, round.accesses, round.distinct);
  }
}

void show_trace(const std::string& path, bool json) {
  TraceReader reader(path);
  const TraceSummary summary = summarise(reader);
  if (!json) return print_text(reader, summary);
  nlohmann::json document = summary.json();
  document["trace"] = path;
  document["header"] = reader.header().json();
  document["unit_bytes"] = reader.header().unit_bytes;
  fmt::print("{}\n", document.dump(2));
}

}  // namespace

void add_trace(CLI::App& app) {
  struct Args {
    std::string trace;
    bool json = false;
  };
  const auto args = std::make_shared<Args>();
  CLI::App* trace = app.add_subcommand("trace", "What an access trace holds, round by round");
  trace->add_option("trace", args->trace, "Trace, as 'outcore run --trace' writes it")->required();
  trace->add_flag("--json", args->json, "Print JSON, for programs");
  trace->footer("Example: outcore trace kron20.oct");
  trace->callback([args] { show_trace(args->trace, args->json); });
}

}  // namespace outcore
