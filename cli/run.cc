// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/output_paths.h"
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
  app.add_option("graph", request.graph, "Folder of the graph")->required();
  app.add_option("--engine", request.engine,
                 "Execution model; parameters follow a colon: see outcore list")
      ->required();
  app.add_option("--workload", request.workload, "Algorithm: see outcore list")->required();
  app.add_option("--layout", request.layout,
                 "Layout that the engine reads; default: the only one that suits");
  app.add_option("-r,--source", request.sources,
                 "max-degree, random:SEED or a vertex id; several with commas: a trial each;\n"
                 "ID+ID: several at once, for bc and ppr;\n"
                 "default: max-degree, in every trial (random:1: another vertex in each, as GAP)")
      ->allow_extra_args(false);
  app.add_option("-n,--trials", request.trials,
                 "Runs in one process, each from the beginning; default: one for each source");
  app.add_option("--set", request.assignments, "A parameter of the workload: name=value")
      ->allow_extra_args(false);
  app.add_option("--frames", args.frames,
                 "Block buffers: a size, or % of 4 bytes an edge; default: 64M, or what --memory\n"
                 "leaves for engines with frames_of_memory (outcore list)");
  app.add_option("--memory", args.memory,
                 "Limit for the whole process: its control group's, or, where none can be had,\n"
                 "of anonymous memory, watched");
  app.add_flag("--swap", request.swap,
               "What --memory does not hold goes to the machine's swap space, as with an engine\n"
               "that keeps the graph in memory; needs a control group");
  app.add_option("--state", request.state,
                 "Where programs keep what they know of each vertex: memory, or file:FOLDER, in\n"
                 "mapped files there, which are gone with the run")
      ->capture_default_str();
  app.add_option("--state-memory", args.request.state_memory,
                 "How much of it stays in memory all the same: a size; default: nothing")
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
         "k_r: reads in flight over all workers; device: as many as the modelled device or the\n"
         "probed one serves at once; default: the engine's (outcore list)")
      ->type_name("UINT or device");
  app.add_option("--max-request", request.max_request,
                 "Neighbouring blocks are merged up to this many bytes; default: the engine's\n"
                 "(outcore list)")
      ->transform(CLI::AsSizeValue(false));
  app.add_option(
         "--holes", request.holes,
         "Read through holes between blocks where that is cheaper than another request: "
         "off, on (its cost from the model or the probe, where they say so), or US+US_PER_KB")
      ->capture_default_str();
  app.add_option("--most-holes", request.most_holes,
                 "Holes are at most so many % of the blocks that are needed; default: any number")
      ->type_name("PERCENT");
  app.add_option(
      "--backend", request.options.backend,
      "How blocks are read; parameters follow a colon: see outcore list. Default: uring, "
      "or mmap for engines that use blocks where they are mapped");
  app.add_option("--device", request.device,
                 "A modelled device in front of the backend: configs/devices/NAME.toml");
  app.add_option("--dilation", request.dilation,
                 "By how much its times are multiplied; default: what the probed device needs");
  app.add_option("--fault", request.options.fault_plan, "Plan of the backend fault");
  app.add_flag("!--buffered", request.options.direct, "Through the page cache, not O_DIRECT");
  app.add_flag("--warm", request.warm, "Leave what the page cache holds of the layout");
  app.add_flag("-v,--verify", request.verify, "Check each answer by an independent program");
  app.add_option(
      "--output", request.output,
      "Write the value of every vertex, by the name's ending: .csv, .tsv (with a header),\n"
      ".parquet, .npy; else text");
  app.add_option("--top", request.top,
                 "Print so many vertices with the largest values; of components the largest ones")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--trace", request.trace, "Write the access trace (outcore cachesim reads it)");
  app.add_option("--record", args.record,
                 "Write the run's record (JSON) here, also of a run that fails or is killed; what\n"
                 "is refused before it starts leaves none");
  CLI::Option* json = app.add_flag("--json", args.json, "Print the record");
  app.add_flag("--gap-output", args.gap, "Print times as the GAP Benchmark Suite does")
      ->excludes(json);
}

void run_trials_of(RunArgs& args) {
  RunRequest& request = args.request;
  if (!args.memory.empty()) request.memory_bytes = parse_size(args.memory, "--memory");
  check_output_paths(
      {{"--output", request.output}, {"--trace", request.trace}, {"--record", args.record}});
  prepare(request, args.frames);
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
      "Starts cold: what the page cache holds of the layout is dropped first. Each trial of "
      "several\n"
      "does so, and opens the layout and builds the engine anew; the record is that of the trial\n"
      "with the median time, with a row for each. -n 16 takes max-degree 16 times. The GAP suite\n"
      "draws 16 sources, as -n 16 -r random:1 does, and always the same: random:1 to random:16.\n"
      "-r 3,17 -n 4 takes 3, 17, 3, 17.");
  verb->callback([args] { run_trials_of(*args); });
}

}  // namespace outcore
