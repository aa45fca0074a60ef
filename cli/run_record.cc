// SPDX-License-Identifier: Apache-2.0
#include "cli/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/run_device.h"
#include "cli/trials.h"
#include "cli/vertex_ids.h"
#include "cli/vertex_values.h"
#include "common/error.h"
#include "common/files.h"
#include "common/machine.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "engines/layout_graph.h"
#include "storage/cachesim/simulator.h"
#include "storage/container/container.h"
#include "storage/container/hashed_file.h"
#include "storage/io/backend.h"
#include "storage/io/device_model.h"
#include "storage/io/door.h"
#include "storage/io/kernel_counters.h"
#include "storage/io/timeline.h"
#include "storage/trace/trace.h"
#include "workloads/workload.h"

namespace outcore {

namespace {

constexpr double kColdResidency = 0.01;  // more than 1% of the pages resident: warm
constexpr double kInMemoryShare = 0.25;  // a pool of 25% of the layout or more: in-memory

nlohmann::json graph_json(const Container& container) {
  const GraphFacts& facts = container.facts();
  return {{"name", facts.name},
          {"vertices", facts.vertices},
          {"edges", facts.edges},
          {"symmetric", facts.symmetric},
          {"checksum", container.manifest().at("files").at("out.targets").at("hash")},
          {"provenance", facts.provenance}};
}

nlohmann::json layout_json(const RunRequest& request, const Layout& layout) {
  std::uint64_t blocks = 0;
  for (const BlockFile& file : layout.block_files()) blocks += file.blocks() * file.block_bytes;
  std::uint64_t total = 0;
  for (const auto& [name, file] : layout.manifest().at("files").items()) {
    total += file.at("bytes").get<std::uint64_t>();
  }
  return {{"name", request.layout},
          {"choices", layout.manifest().at("choices")},
          {"facts", layout.manifest().at("facts")},
          {"bytes", {{"blocks", blocks}, {"index", layout.index_bytes()}, {"total", total}}},
          {"checksum", layout.manifest().at("files").at("out.blocks").at("hash")}};
}

TraceHeader trace_header(const RunRequest& request, const Container& container,
                         const Layout& layout) {
  TraceHeader header{.graph = container.facts().name,
                     .layout = request.layout,
                     .engine = request.engine,
                     .workload = request.workload,
                     .raw_bytes = layout.facts().raw_bytes,
                     .workers = request.options.threads,
                     .file_units = {}};
  for (const BlockFile& file : layout.block_files()) {
    header.layout_bytes += file.blocks() * file.block_bytes;
    header.file_units.push_back(file.blocks() * file.block_bytes / header.unit_bytes);
  }
  return header;
}

// What the best of all caches of this run's pool would have read, which knows the order of accesses
// as it happened: another run, with other threads, has another order and another optimum.
nlohmann::json optimum(const RunRequest& request, std::uint64_t requested_bytes) {
  const std::uint64_t unit = TraceHeader().unit_bytes;
  const std::uint64_t units = std::max<std::uint64_t>(1, request.options.frames_bytes / unit);
  const CacheJob job{.policy = &opt_policy, .units = units};
  const Simulation found = simulate(file_source(request.trace), {&job, 1});
  const std::uint64_t bytes = found.results.front().misses * unit;
  nlohmann::json times;  // null: nothing had to be read
  if (bytes > 0) times = static_cast<double>(requested_bytes) / static_cast<double>(bytes);
  return {{"pool_units", units},
          {"distinct", found.distinct},
          {"bytes", bytes},
          {"times_optimal", times}};
}

nlohmann::json rounds_json(const EngineReport& report) {
  nlohmann::json rounds = nlohmann::json::array();
  for (const RoundReport& round : report.rounds) {
    rounds.push_back({{"round", rounds.size()},
                      {"frontier", round.frontier},
                      {"blocks", round.blocks},
                      {"requests", round.requests},
                      {"requested_bytes", round.requested_bytes},
                      {"edges", round.edges},
                      {"pull", round.pull},
                      {"seconds", round.seconds}});
  }
  return rounds;
}

// Null for an engine that keeps no blocks, or not in a cache.
nlohmann::json cache_json(const std::optional<CacheReport>& cache) {
  if (!cache) return nullptr;
  const CachePoolCounters& counters = cache->counters;
  return {{"policy", cache->policy},      {"slots", cache->slots},
          {"hits", counters.hits},        {"joins", counters.joins},
          {"misses", counters.loads},     {"evictions", counters.evictions},
          {"lock_waits", counters.waits}, {"lock_waited_s", counters.waited_seconds}};
}

void add_report(nlohmann::json& record, const RunRequest& request, const EngineReport& report,
                const KernelCounters::Reading& kernel) {
  nlohmann::json io = report.io.json();
  io["backend"] = report.backend;
  io["backend_traits"] = report.backend_traits.names();
  io["kernel_available"] = kernel.available;
  io["kernel_bytes"] = kernel.read_bytes;
  io["major_faults"] = kernel.major_faults;
  io["minor_faults"] = kernel.minor_faults;
  io["notes"] = report.notes;
  // With O_DIRECT what we ask for is what is read: say so where the kernel counts differently.
  const auto requested = static_cast<double>(report.io.requested_bytes);
  const auto read = static_cast<double>(kernel.read_bytes);
  if (kernel.available && request.options.direct && report.backend_traits.direct &&
      (read < 0.99 * requested || read > 1.01 * requested)) {
    io["notes"].push_back(fmt::format("the kernel read {} bytes where {} were requested",
                                      kernel.read_bytes, report.io.requested_bytes));
  }
  record["io"] = std::move(io);
  record["visibility"] = to_string(report.visibility);
  record["work"] = {{"rounds", report.rounds.size()},
                    {"vertices_processed", report.vertices_processed},
                    {"edges_processed", report.edges_processed},
                    {"activations", report.activations},
                    {"stack_splits", report.stack_splits}};
  record["rounds"] = rounds_json(report);
  record["cache"] = cache_json(report.cache);
}

using NamedBytes = std::vector<std::pair<std::string, std::uint64_t>>;

NamedBytes arrays_of(const Workload& workload, const Graph& graph, const Parameters& parameters) {
  NamedBytes arrays;
  for (const StateArray& array : workload.arrays) {
    arrays.emplace_back(array.name, array.bytes(graph, parameters));
  }
  return arrays;
}

// Who takes how much of the greatest resident set: the engine's parts and the workload's arrays.
void add_memory(nlohmann::json& record, const NamedBytes& engine, const NamedBytes& workload,
                std::uint64_t process) {
  nlohmann::json memory = {{"process_bytes", process}};
  for (const NamedBytes& parts : {engine, workload}) {
    for (const auto& [name, bytes] : parts) memory[name + "_bytes"] = bytes;
  }
  record["memory"] = std::move(memory);
  set_peak(record, peak_resident_bytes());
}

// Every file of a layout but its manifest.
std::vector<std::filesystem::path> layout_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() != ".json") {
      files.push_back(entry.path());
    }
  }
  return files;
}

// Engines take these as they are. The limits are far above what any device or machine rewards.
void check_options(const RunRequest& request) {
  const EngineOptions& options = request.options;
  constexpr unsigned kMostThreads = 1024;
  constexpr unsigned kMostDepth = 4096;
  constexpr unsigned kMostRequest = 1U << 30;
  const auto check = [](const char* name, std::size_t value, std::size_t least, std::size_t most) {
    if (value >= least && value <= most) return;
    throw usage_error(
        fmt::format("{} {}: expected a whole number from {} to {}", name, value, least, most));
  };
  check("--threads", options.threads, 1, kMostThreads);
  check("--depth", options.depth, 1, kMostDepth);
  check("--max-request", options.max_request_bytes, kAlignment, kMostRequest);
  const auto backend = make_backend(options.backend, {.fault_plan = options.fault_plan});
  if (!options.fault_plan.empty() && backend->name() != "fault") {
    throw usage_error("--fault is a plan for --backend fault");
  }
  if (request.verify && !backend->traits().contents) {
    throw usage_error(fmt::format(
        "--verify: backend {} does not read the graph, so its answers are wrong; verify "
        "with another one",
        options.backend));
  }
}

void check_same_graph(const Container& container, const Layout& layout) {
  const nlohmann::json& files = container.manifest().at("files");
  if (layout.manifest().at("graph").at("files") == files) return;
  throw bad_input(Place::file(layout.folder() / "layout.json"), "a layout of another graph",
                  fmt::format("one of {}", container.folder().string()), "build the layout again");
}

void verify(const Workload& workload, const Parameters& parameters, Container& container,
            const Answer& answer, nlohmann::json& record) {
  const Timeline progress("verifying " + workload.name);
  // The verifier trusts these files, so that damage to them must not look like a wrong answer.
  for (const auto& [name, entry] : container.manifest().at("files").items()) {
    check_file_hash(container.folder() / name, entry);
  }
  const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
  const Verdict verdict = workload.verify(canonical, answer, parameters);
  record["answer"]["verified"] = {
      {"how", verdict.how}, {"passed", verdict.passed}, {"detail", verdict.detail}};
  if (!verdict.passed) {
    throw Error(ExitCode::wrong_answer, fmt::format("{} gave a wrong answer ({}): {}",
                                                    workload.name, verdict.how, verdict.detail));
  }
}

// What differs from trial to trial, but for the rounds.
nlohmann::json trial_row(const RunRequest& request, std::size_t trial,
                         const nlohmann::json& record) {
  const nlohmann::json& answer = record.at("answer");
  const nlohmann::json& verified = answer.at("verified");
  return {{"source", request.sources.empty() ? nlohmann::json(nullptr)
                                             : nlohmann::json(source_of(request, trial))},
          {"start", record.at("start")},
          {"phases", record.at("phases")},
          {"requested_bytes", record.at("io").at("requested_bytes")},
          {"digest", answer.at("digest")},
          {"summary", answer.at("summary")},
          {"verified", verified.is_null() ? verified : verified.at("passed")},
          {"shown", false}};
}

// The trial with the median time; of two, the faster one.
std::size_t median_trial(const nlohmann::json& rows) {
  std::vector<std::pair<double, std::size_t>> times;
  for (const nlohmann::json& row : rows) {
    times.emplace_back(row.at("phases").at("run_s").get<double>(), times.size());
  }
  std::sort(times.begin(), times.end());
  return times[(times.size() - 1) / 2].second;
}

// Opens, runs and verifies once; `record` takes what becomes known on the way.
void run_trial(const RunRequest& request, std::size_t trial, const TellRecord& tell,
               nlohmann::json& record) {
  Stopwatch total;
  Stopwatch phase;
  nlohmann::json phases;
  const std::uint64_t process = resident_bytes();  // of earlier trials too, if there were some
  Container container(request.graph);
  record["graph"] = graph_json(container);
  const std::filesystem::path folder = container.layout_folder(request.layout);

  const std::vector<std::filesystem::path> files = layout_files(folder);
  if (!request.warm) evict_pages(files);
  const double residency = page_residency(files);
  record["start"] = {{"residency", residency},
                     {"temperature", residency > kColdResidency ? "warm" : "cold"}};

  phase.lap();
  Layout layout(folder);
  check_same_graph(container, layout);
  record["layout"] = layout_json(request, layout);
  phases["open_s"] = phase.lap();

  const double share = static_cast<double>(request.options.frames_bytes) /
                       static_cast<double>(std::max<std::uint64_t>(1, layout.facts().raw_bytes));
  record["pool"] = {{"frames_bytes", request.options.frames_bytes},
                    {"share_of_layout", share},
                    {"in_memory", request.engine == "in_memory" || share >= kInMemoryShare}};

  EngineOptions options = request.options;
  std::unique_ptr<TraceWriter> trace;
  if (!request.trace.empty()) {
    trace = std::make_unique<TraceWriter>(request.trace, trace_header(request, container, layout));
    options.trace = trace.get();
  }
  const Workload& workload = find_workload(request.workload);
  const Parameters parameters(
      workload.name, workload.parameters,
      in_canonical_ids(workload, assignments_of(request, trial), container));

  if (request.model) {
    options.device =
        std::make_shared<ModelledDevice>(*request.model, *request.dilation, real_clock());
  }

  const KernelCounters kernel;
  const std::int64_t trials = request.trials.value();
  std::atomic<std::uint64_t> rounds{0};
  options.rounds_done = &rounds;
  std::atomic<std::int64_t> in_flight{0};
  options.in_flight = &in_flight;
  Timeline timeline(
      fmt::format("{} on {}{}", request.workload, request.engine,
                  trials == 1 ? std::string() : fmt::format(", trial {} of {}", trial + 1, trials)),
      {.rounds = &rounds, .in_flight = &in_flight});
  const NamedBytes arrays = arrays_of(workload, graph_of(layout), parameters);
  add_memory(record, {{"index", layout.index_bytes()}}, arrays, process);
  tell(record);
  std::unique_ptr<Engine> engine = find_engine(request.engine).make(layout, options);
  if (const std::string lacks = missing(engine->capabilities(), workload); !lacks.empty()) {
    throw usage_error(fmt::format("{} cannot run {}: it does not offer {}", request.engine,
                                  workload.name, lacks));
  }
  phases["prepare_s"] = phase.lap();
  add_memory(record, engine->report().memory, arrays, process);
  tell(record);
  phase.lap();
  const Finish finish = workload.run(*engine, parameters);
  phases["run_s"] = phase.lap();
  record["timeline"] = timeline.finish();
  add_report(record, request, engine->report(), kernel.since_start());
  if (options.device) add_device(record, *options.device);
  add_memory(record, engine->report().memory, arrays, process);
  if (trace) {
    const TraceTotals totals = trace->close();
    record["trace"] = {{"path", request.trace.string()},
                       {"accesses", totals.accesses},
                       {"optimum", optimum(request, engine->report().io.requested_bytes)}};
  }

  phase.lap();
  engine.reset();  // its memory and the lists' need not stand beside the answer's
  layout.forget_lists();
  const Answer answer = finish();
  record["answer"] = {
      {"digest", answer.digest()},
      {"exact", answer.exact},
      {"summary", answer.summary.is_null() ? nlohmann::json::object() : answer.summary},
      {"verified", nullptr},
      {"output", nullptr}};
  name_by_file_ids(record["answer"]["summary"], container);
  if (!request.output.empty()) {
    write_values(request.output, answer, container.ids());
    record["answer"]["output"] = request.output.string();
  }
  phases["collect_s"] = phase.lap();
  phases["total_s"] = total.seconds();
  record["phases"] = phases;
  if (request.verify) {
    verify(workload, parameters, container, answer, record);
    record["phases"]["verify_s"] = phase.lap();
  }
  if (options.device) check_honoured(*options.device);
}

// What makes a graph symmetric, by its own edges and the ids of its file.
std::string symmetrising_commands(const std::filesystem::path& graph, bool weighted) {
  const std::string folder = (graph / "").parent_path().string();  // without a slash at its end
  return fmt::format(
      "outcore export {0} {0}.{1} && outcore import {0}.{1} {0}-symmetric --symmetric "
      "--drop-duplicates",
      folder, weighted ? "wel" : "el");
}

}  // namespace

void prepare(RunRequest& request, const std::string& frames) {
  request.options.settings = engine_settings(request.engine);
  request.engine = spec_name(request.engine);
  request.options.depth = request.depth.value_or(find_engine(request.engine).depth);
  const Workload& workload = find_workload(request.workload);
  parameters_as_asked(request);
  check_options(request);
  settle_trials(request);
  // A path that cannot be is better told before the run than after it.
  if (!request.output.empty()) check_values_path(request.output);
  if (!request.trace.empty()) make_parent_folder(request.trace);
  Container container(request.graph);
  prepare_device(request);
  // The first trials have all the sources that there are.
  for (std::size_t trial = 0; trial == 0 || trial < request.sources.size(); ++trial) {
    in_canonical_ids(workload, assignments_of(request, trial), container);
  }
  if (workload.needs_symmetric && !container.facts().symmetric) {
    throw usage_error(fmt::format(
        "{} needs a symmetric graph and {} is directed; build one with: {}", workload.name,
        request.graph.string(), symmetrising_commands(request.graph, container.facts().weighted)));
  }
  const std::vector<std::string> layouts = container.layouts();
  if (std::find(layouts.begin(), layouts.end(), request.layout) == layouts.end()) {
    if (layouts.empty()) {
      throw usage_error(
          fmt::format("{} has no layout yet; build one with: outcore layout {} "
                      "--pack firstfit",
                      request.graph.string(), request.graph.string()));
    }
    throw unknown_name("layout", request.layout, layouts);
  }
  request.options.frames_bytes =
      parse_size(frames, "--frames", container.facts().edges * sizeof(VertexId));
}

nlohmann::json unfinished_record(const RunRequest& request) {
  nlohmann::json asked = {{"graph", request.graph.string()},
                          {"layout", request.layout},
                          {"engine", request.engine},
                          {"settings", request.options.settings},
                          {"workload", request.workload},
                          {"parameters", parameters_as_asked(request).json()},
                          {"trials", request.trials.value()},
                          {"threads", request.options.threads},
                          {"frames_bytes", request.options.frames_bytes},
                          {"memory_bytes", nullptr},
                          {"device", nullptr},
                          {"depth", request.options.depth},
                          {"backend", request.options.backend},
                          {"direct", request.options.direct},
                          {"verify", request.verify},
                          {"command", command_words()}};
  if (request.model) asked["device"] = request.device.string();
  if (request.memory_bytes) asked["memory_bytes"] = *request.memory_bytes;
  if (const RequestCost& cost = request.options.request_cost; cost != RequestCost{}) {
    asked["request_cost"] = {{"us", cost.us}, {"us_per_kb", cost.us_per_kb}};
  }
  nlohmann::json record = {{"record_version", 1}, {"asked", std::move(asked)}};
  record["machine"] = machine_facts();
  record["device"] = device_facts(request.graph);
  record["build"] = build_facts();
  record["modelled"] = nullptr;
  record["memory_limit"] = nullptr;
  record["started_at"] = timestamp();
  set_outcome(record, "unfinished", "the process vanished before it could say", 0);
  return record;
}

void set_outcome(nlohmann::json& record, const std::string& status, const std::string& reason,
                 int exit_code) {
  record["outcome"] = {{"status", status}, {"reason", reason}, {"exit_code", exit_code}};
}

void set_limit(nlohmann::json& record, const MemoryLimit& limit) {
  const bool group = limit.kind() != MemoryLimit::Kind::residency_budget;
  const std::uint64_t peak = limit.peak();
  record["memory_limit"] = {{"kind", limit.name()},
                            {"bytes", limit.bytes()},
                            {"counts_page_cache", group},
                            {"peak_bytes", peak == 0 ? nlohmann::json() : nlohmann::json(peak)}};
}

// What nobody names is said too: the answer, frontiers, what workers collect, what the allocator
// keeps.
void set_peak(nlohmann::json& record, std::uint64_t peak) {
  nlohmann::json& memory = record.at("memory");
  memory.erase("peak_rss_bytes");
  memory.erase("unaccounted_bytes");
  std::int64_t rest = static_cast<std::int64_t>(peak);
  for (const auto& bytes : memory) rest -= bytes.get<std::int64_t>();
  memory["peak_rss_bytes"] = peak;
  memory["unaccounted_bytes"] = rest;
}

void run_into(const RunRequest& request, const TellRecord& tell, nlohmann::json& record) {
  const nlohmann::json before = record;
  nlohmann::json rows = nlohmann::json::array();
  std::vector<nlohmann::json> records;
  for (std::size_t trial = 0; std::cmp_less(trial, request.trials.value()); ++trial) {
    record = before;
    record["trials"] = rows;
    try {
      run_trial(request, trial, tell, record);
    } catch (const Error& e) {
      // Its time is known, and what was wrong.
      if (e.code() == ExitCode::wrong_answer) {
        record["trials"].push_back(trial_row(request, trial, record));
      }
      throw;
    }
    rows.push_back(trial_row(request, trial, record));
    records.push_back(record);
  }
  const std::size_t shown = median_trial(rows);
  rows[shown]["shown"] = true;
  record = std::move(records[shown]);
  record["trials"] = std::move(rows);
}

}  // namespace outcore
