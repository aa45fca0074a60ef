// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "cli/output_paths.h"
#include "cli/run_record.h"
#include "cli/run_text.h"
#include "cli/supervisor.h"
#include "cli/verbs.h"
#include "common/error.h"
#include "common/files.h"
#include "common/memory_limit.h"
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
  app.add_option("--layout", request.layout, "Layout that the engine reads")->required();
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
  app.add_option("--output", request.output,
                 "Write the value of every vertex: text, or NumPy's format for FILE.npy");
  app.add_option("--trace", request.trace, "Write the access trace (outcore cachesim reads it)");
  app.add_option("--record", args.record,
                 "Write the run's record (JSON) here, also of a run that fails or is killed; what\n"
                 "is refused before it starts leaves none");
  CLI::Option* json = app.add_flag("--json", args.json, "Print the record");
  app.add_flag("--gap-output", args.gap, "Print times as the GAP Benchmark Suite does")
      ->excludes(json);
}

// What the run does in its own process; the record stands in `path` afterwards.
ExitCode work(const RunRequest& request, const MemoryLimit* limit,
              const std::filesystem::path& path) {
  nlohmann::json record = unfinished_record(request);
  ExitCode code = ExitCode::internal;
  std::string reason;
  try {
    run_into(
        request, [&](const nlohmann::json& known) { write_json_atomically(path, known); }, record);
    if (limit != nullptr) limit->check();
    code = ExitCode::ok;
  } catch (const Error& e) {
    code = e.code();
    reason = e.what();
  } catch (const std::filesystem::filesystem_error& e) {
    code = ExitCode::io;
    reason = io_error(e).what();
  } catch (const std::bad_alloc&) {
    code = ExitCode::memory;
    reason = "out of memory";
  } catch (const std::exception& e) {
    reason = e.what();
  }
  const char* failed = code == ExitCode::memory ? "out_of_memory" : "failed";
  set_outcome(record, code == ExitCode::ok ? "ok" : failed, reason, static_cast<int>(code));
  write_json_atomically(path, record);
  return code;
}

void supervise(const RunRequest& request, const std::filesystem::path& path) {
  std::unique_ptr<MemoryLimit> limit;
  if (request.memory_bytes) limit = std::make_unique<MemoryLimit>(*request.memory_bytes);
  write_json_atomically(path, unfinished_record(request));
  const Ending ending =
      run_supervised([&] { return work(request, limit.get(), path); }, limit.get());
  nlohmann::json record = read_json(path);
  if (limit) set_limit(record, *limit);
  // Who did not come to an answer could not say how much it took at most.
  if (record.contains("memory") && !record.contains("answer")) {
    set_peak(record, ending.peak_resident_bytes);
  }
  if (ending.kind == Ending::Kind::exited) {
    if (record.at("outcome").at("status") == "unfinished") {
      set_outcome(record, "failed", ending.reason, ending.exit_code);
    }
    write_json_atomically(path, record);
    return;
  }
  const char* status = ending.kind == Ending::Kind::killed          ? "killed"
                       : ending.kind == Ending::Kind::out_of_memory ? "out_of_memory"
                                                                    : "interrupted";
  set_outcome(record, status, ending.reason, ending.exit_code);
  write_json_atomically(path, record);
}

ExitCode exit_code(const nlohmann::json& record) {
  const std::string status = record.at("outcome").at("status");
  if (status == "out_of_memory") return ExitCode::memory;
  if (status == "interrupted") return ExitCode::interrupted;
  const int code = record.at("outcome").at("exit_code");
  return code < 0 ? ended_by(-code) : static_cast<ExitCode>(code);
}

// A folder for temporary files, which nobody else can have put links into.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = std::filesystem::temp_directory_path() / "outcore-run-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) {
      throw io_error(Place::file(name), "cannot create the folder", errno);
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;  // nothing more can be done about remains in a destructor
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

nlohmann::json record_of_run(const RunArgs& args) {
  if (!args.record.empty()) {
    supervise(args.request, args.record);
    return read_json(args.record);
  }
  // The supervisor and the run still need a place to meet.
  const TemporaryFolder folder;
  supervise(args.request, folder.path() / "record.json");
  return read_json(folder.path() / "record.json");
}

void run_trials_of(RunArgs& args) {
  RunRequest& request = args.request;
  if (!args.memory.empty()) request.memory_bytes = parse_size(args.memory, "--memory");
  check_output_paths(
      {{"--output", request.output}, {"--trace", request.trace}, {"--record", args.record}});
  prepare(request, args.frames);
  const nlohmann::json record = record_of_run(args);
  if (args.json) {
    fmt::print("{}\n", record.dump(2));
  } else if (args.gap && !record.value("trials", nlohmann::json()).empty()) {
    fmt::print("{}", in_gap_form(record));
  } else if (record.at("outcome").at("status") == "ok") {
    fmt::print("{}", describe(record));
  }
  const ExitCode code = exit_code(record);
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
