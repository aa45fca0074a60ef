// SPDX-License-Identifier: Apache-2.0
#include "storage/trace/trace.h"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <string>

#include "cli/output_paths.h"
#include "cli/verbs.h"
#include "common/error.h"
#include "common/sizes.h"
#include "storage/events/event_convert.h"
#include "storage/events/event_reader.h"
#include "storage/trace/convert.h"
#include "storage/trace/summary.h"

namespace outcore {

namespace {

struct TraceArgs {
  std::string trace;
  std::string output;
  std::string to;
  bool events = false;
  std::uint64_t head = std::numeric_limits<std::uint64_t>::max();
  bool json = false;
};

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

void show_trace(const TraceArgs& args) {
  TraceReader reader(args.trace);
  const TraceSummary summary = summarise(reader);
  if (!args.json) return print_text(reader, summary);
  nlohmann::json document = summary.json();
  document["trace"] = args.trace;
  document["header"] = reader.header().json();
  document["unit_bytes"] = reader.header().unit_bytes;
  fmt::print("{}\n", document.dump(2));
}

// Prints while it reads, so that the first events of a long trace appear at once. JSON: one event a
// line.
void print_events(const TraceArgs& args) {
  TraceReader reader(args.trace);
  TraceEvent event;
  for (std::uint64_t i = 0; i < args.head && reader.next(event); ++i) {
    const TraceRun& run = event.run;
    const bool begins = event.kind == TraceEvent::Kind::round;
    if (args.json) {
      const nlohmann::json line = begins
                                      ? nlohmann::json{{"round", run.round}}
                                      : nlohmann::json{{"unit", run.first}, {"units", run.units}};
      fmt::print("{}\n", line.dump());
    } else if (begins) {
      fmt::print("round {}\n", run.round);
    } else if (run.units == 1) {
      fmt::print("  {}\n", run.first);
    } else {
      fmt::print("  {}..{}\n", run.first, std::uint64_t{run.first} + run.units - 1);
    }
  }
}

// What a file of events holds, with the exact sums of what was left out too.
void show_events(const TraceArgs& args) {
  const EventsOfRun run = read_events(args.trace);
  std::uint64_t held = 0;
  for (const EventsOfLane& lane : run.lanes) held += lane.events.size();
  nlohmann::json totals = nlohmann::json::object();
  for (std::size_t kind = 0; kind < kEventKinds; ++kind) {
    const EventTotal total = run.total(static_cast<EventKind>(kind));
    if (total.events == 0) continue;
    totals[std::string(kEventNames[kind])] = {
        {"events", total.events}, {"count", total.count}, {"value", total.value}};
  }
  if (args.json) {
    fmt::print("{}\n", nlohmann::json{{"events", args.trace},
                                      {"header", run.header},
                                      {"files", run.files},
                                      {"lanes", run.lanes.size()},
                                      {"held", held},
                                      {"sampled", std::uint64_t{1} << run.sampled()},
                                      {"totals", totals},
                                      {"end", run.end}}
                           .dump(2));
    return;
  }
  const std::string state =
      run.cut ? fmt::format("the run was killed: its events end at byte {}", *run.cut)
              : run.end.value("status", "?");
  fmt::print("events    {}\nlanes     {}\nheld      {}{}\nrun       {}\n\n", args.trace,
             run.lanes.size(), held,
             run.sampled() == 0
                 ? std::string()
                 : fmt::format(" (sampled: one in {} at last)", std::uint64_t{1} << run.sampled()),
             state);
  fmt::print("{:>14}{:>16}{:>16}{:>16}\n", "kind", "events", "count", "value");
  for (const auto& [name, total] : totals.items()) {
    fmt::print("{:>14}{:>16}{:>16}{:>16}\n", name, total["events"].get<std::uint64_t>(),
               total["count"].get<std::uint64_t>(), total["value"].get<std::uint64_t>());
  }
}

void convert_events(const TraceArgs& args) {
  const EventsOfRun run = read_events(args.trace);
  (args.to == "perfetto" ? write_perfetto : write_speedscope)(run, args.output);
  if (run.cut) {
    fmt::print(stderr, "{}: the run was killed; written up to where its events end\n", args.trace);
  }
}

void convert_trace(const TraceArgs& args) {
  if (args.output.empty()) {
    throw usage_error(fmt::format("--to {}: say where to: outcore trace {} --to {} FILE", args.to,
                                  args.trace, args.to));
  }
  check_output_paths({{"--to " + args.to, args.output}});
  std::error_code not_there;
  if (std::filesystem::equivalent(args.trace, args.output, not_there)) {
    throw usage_error(fmt::format("--to {} {}: that is the trace itself; give another file's name",
                                  args.to, args.output));
  }
  const bool of_events = args.to == "perfetto" || args.to == "speedscope";
  if (of_events) return convert_events(args);
  if (are_events(args.trace)) {
    throw usage_error(fmt::format(
        "--to {}: {} holds the events of a run, not an access trace; give --to perfetto or --to "
        "speedscope",
        args.to, args.trace));
  }
  TraceReader reader(args.trace);
  (args.to == "csv" ? write_csv : write_oracle_general)(reader, args.output);
}

void run_trace(const TraceArgs& args) {
  if (!args.to.empty()) return convert_trace(args);
  if (!args.output.empty()) {
    throw usage_error(
        fmt::format("{}: give a format: --to csv or --to oracle, of events --to "
                    "perfetto or --to speedscope",
                    args.output));
  }
  if (are_events(args.trace)) return show_events(args);
  args.events ? print_events(args) : show_trace(args);
}

}  // namespace

void add_trace(CLI::App& app) {
  const auto args = std::make_shared<TraceArgs>();
  CLI::App* trace = app.add_subcommand(
      "trace", "Show an access trace or the events of a run; convert them for other tools");
  trace->add_option("trace", args->trace, "Access trace (outcore run --trace) or events (--events)")
      ->required();
  trace->add_option("output", args->output, "File to write, with --to");
  trace
      ->add_option("--to", args->to,
                   "Write all accesses as csv (round,unit,bytes) or oracle (libCacheSim's "
                   "oracleGeneral; the round is the time); events as perfetto or speedscope")
      ->check(CLI::IsMember({"csv", "oracle", "perfetto", "speedscope"}));
  CLI::Option* events = trace->add_flag("--events", args->events,
                                        "Print the events: rounds, and the units asked for");
  trace->add_option("--head", args->head, "Print at most this many events")->needs(events);
  trace->add_flag("--json", args->json, "Print JSON, for programs (events: one per line)");
  trace->footer(
      "Examples: outcore trace kron20.oct\n"
      "          outcore trace kron20.oct --events --head 20\n"
      "          outcore trace kron20.oct --to oracle kron20.oracleGeneral\n"
      "          outcore trace bfs.events --to perfetto bfs.json");
  trace->callback([args] { run_trace(*args); });
}

}  // namespace outcore
