// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/output_paths.h"
#include "cli/planner.h"
#include "cli/run_record.h"
#include "cli/run_text.h"
#include "cli/supervised_run.h"
#include "cli/verbs.h"
#include "common/error.h"
#include "common/sizes.h"

namespace outcore {

namespace {

struct RunArgs {
  RunRequest request;
  std::string frames;
  std::string memory;
  std::filesystem::path record;
  bool json = false;
  bool gap = false;
};

void add_options(CLI::App& app, RunArgs& args) {
  RunRequest& request = args.request;
  app.add_option("graph", request.graph, "Folder of the graph, or of a store (outcore ingest)")
      ->required();
  app.add_option("--engine", request.engine,
                 "Execution model; parameters follow a colon: see outcore list engines")
      ->required();
  app.add_option("--workload", request.workload, "Algorithm: see outcore list workloads")
      ->required();
  app.add_option(
      "--layout", request.layout,
      "Layout that the engine reads; default: of those that suit, the one of fewest bytes");
  app.add_option("--prefix", request.prefix,
                 "Of a store: only its first so many updates; default: all");
  app.add_option("-r,--source", request.sources,
                 "max-degree, random:SEED or a vertex id; several, separated by commas: one trial "
                 "each; ID+ID: several in one trial, for bc and ppr; default: max-degree in every "
                 "trial (random:1 takes another vertex in each trial, as GAP does)")
      ->allow_extra_args(false);
  app.add_option("-n,--trials", request.trials,
                 "Trials in one process, each from the beginning; default: one for each source");
  app.add_option("--set", request.assignments, "A parameter of the workload: name=value")
      ->allow_extra_args(false);
  app.add_option(
      "--frames", args.frames,
      "Block buffers: a size, or % of 4 bytes an edge; default: 64M, or for engines with "
      "frames_of_memory (outcore list) what --memory leaves");
  app.add_option("--memory", args.memory,
                 "Limit of the whole process, enforced by a control group; where none can be made, "
                 "a limit of anonymous memory that outcore itself watches");
  app.add_flag(
      "--swap", request.swap,
      "What --memory does not hold goes to the machine's swap space, as with an engine "
      "that keeps the graph in memory, which then reads by mmap unless --backend is given; "
      "needs a control group");
  app.add_option("--state", request.state,
                 "Where programs keep their arrays of vertices: memory, or file:FOLDER for mapped "
                 "files in that folder, which are deleted with the run")
      ->capture_default_str();
  app.add_option("--state-memory", args.request.state_memory,
                 "How much of these arrays stays in memory with --state file: a size; default: 0")
      ->type_name("SIZE");
  app.add_option("--threads", request.options.threads, "Worker threads")->capture_default_str();
  app.add_option_function<std::string>(
         "--depth",
         [&request](const std::string& text) {
           request.depth_of_device = text == "device";
           if (request.depth_of_device) return;
           if (!CLI::detail::lexical_cast(text, request.depth.emplace()))
             throw CLI::ConversionError(text, "--depth");
         },
         "k_r: reads in flight, all workers together; device: as many as the modelled or the "
         "probed device serves at once; default: the engine's (outcore list)")
      ->type_name("UINT or device");
  app.add_option("--max-request", request.max_request,
                 "Neighbouring blocks are read in one request of up to this many bytes; default: "
                 "the engine's (outcore list)")
      ->transform(CLI::AsSizeValue(false));
  app.add_option(
         "--holes", request.holes,
         "Read through holes between blocks where that is cheaper than another request: off, "
         "on (with the cost of a request from the model or the probe, if they state it), or "
         "that cost as US+US_PER_KB")
      ->capture_default_str();
  app.add_option("--most-holes", request.most_holes,
                 "Limit of the holes, as % of the blocks that are needed; default: no limit")
      ->type_name("PERCENT");
  app.add_option(
      "--backend", request.options.backend,
      "How blocks are read; parameters follow a colon: see outcore list backends. Default: uring, "
      "or mmap for engines that use blocks where they are mapped");
  app.add_option("--device", request.device,
                 "A modelled device in front of the backend: its name, as optane, or a file of it");
  app.add_option("--dilation", request.dilation,
                 "Factor on the model's times; default: what the probed device needs to keep up");
  app.add_option("--fault", request.options.fault_plan, "Plan for --backend fault");
  app.add_flag("!--buffered", request.options.direct,
               "Read through the page cache, without O_DIRECT");
  app.add_flag("--warm", request.warm, "Keep what the page cache holds of the layout");
  app.add_flag("-v,--verify", request.verify, "Check each answer with an independent program");
  app.add_option("--against", request.against,
                 "Of a store: the stream that it took in. --verify then reads that, not the store");
  app.add_option(
      "--output", request.output,
      "Write the value of every vertex, in the format of the name's ending: .csv or .tsv (with "
      "a header), .parquet, .npy; else text");
  app.add_option("--top", request.top,
                 "Print this many vertices with the largest values; for components, the largest "
                 "components")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--trace", request.trace, "Write the access trace (outcore cachesim reads it)");
  app.add_option("--events", request.events,
                 "Write what happens when (requests, blocks, rounds, waiting), for the viewer and "
                 "outcore trace --to; it can be read up to where a run was killed");
  app.add_flag("--watch", request.watch,
               "Draw the run while it goes on, in 24 lines of the terminal: blocks, requests in "
               "flight, bytes a second, frontier; where there is no terminal or no room, as if it "
               "were not given");
  app.add_option("--record", args.record,
                 "Write the run's record (JSON) here, even if the run fails or is killed, but not "
                 "if it is refused before it starts");
  CLI::Option* json = app.add_flag("--json", args.json, "Print the record");
  app.add_flag("--gap-output", args.gap, "Print times as the GAP Benchmark Suite does")
      ->excludes(json);
}

void run_trials_of(RunArgs& args) {
  RunRequest& request = args.request;
  if (!args.memory.empty()) request.memory_bytes = parse_size(args.memory, "--memory");
  check_output_paths({{"--output", request.output},
                      {"--trace", request.trace},
                      {"--events", request.events},
                      {"--record", args.record}});
  prepare(request, args.frames);
  tell_plan(request);
  const nlohmann::json record = supervised_run(request, args.record);
  if (args.json) {
    fmt::print("{}\n", record.dump(2));
  } else if (args.gap && !record.value("trials", nlohmann::json()).empty()) {
    fmt::print("{}", in_gap_form(record));
  } else if (record.at("outcome").at("status") == "ok") {
    fmt::print("{}", describe(record));
  }
  const ExitCode code = exit_code_of(record);
  if (code != ExitCode::ok) throw Error(code, record.at("outcome").at("reason"));
}

}  // namespace

void add_run(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("run", "Run a workload on an engine; verify; record");
  const auto args = std::make_shared<RunArgs>();
  add_options(*verb, *args);
  verb->footer(
      "Example: outcore run graphs/kron16 --engine concurrent --workload bfs --layout firstfit \\\n"
      "           --source max-degree --frames 6% --verify --record results/bfs.json\n"
      "A trial starts cold: it drops the layout from the page cache, opens it and constructs the\n"
      "engine again. The record is that of the trial with the median time, plus a row for each\n"
      "trial. -n 16 uses the source max-degree 16 times. The GAP suite draws 16 random sources:\n"
      "-n 16 -r random:1 does the same, and takes random:1 to random:16 in every run.\n"
      "-r 3,17 -n 4 takes 3, 17, 3, 17.");
  verb->callback([args] { run_trials_of(*args); });
}

}  // namespace outcore
