// SPDX-License-Identifier: Apache-2.0
#include "cli/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "cli/environment.h"
#include "cli/run_device.h"
#include "cli/run_trial.h"
#include "cli/store_graph.h"
#include "cli/suitable_layout.h"
#include "cli/symmetrising.h"
#include "cli/trials.h"
#include "cli/vertex_values.h"
#include "common/error.h"
#include "common/files.h"
#include "common/machine.h"
#include "common/sizes.h"
#include "storage/container/container.h"
#include "storage/io/backend.h"
#include "storage/io/device_model.h"
#include "storage/io/door.h"
#include "storage/layout/layout_command.h"
#include "workloads/workload.h"

namespace outcore {

namespace {

// Engines do not check these themselves. The limits are far above what helps on any machine.
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
    throw usage_error("--fault is the plan of --backend fault, so it needs that backend");
  }
  if (request.verify && !backend->traits().contents) {
    throw usage_error(fmt::format(
        "--verify: backend {} does not read the graph, so its answers are wrong; use another "
        "backend",
        options.backend));
  }
}

void check_swap(const RunRequest& request) {
  if (!request.swap) return;
  if (!request.memory_bytes)
    throw usage_error("--swap is for what is beyond --memory, so it needs --memory too");
  if (!has_swap_space()) {
    throw usage_error(
        "--swap: this machine has no swap space (/proc/swaps): make some with mkswap and swapon");
  }
}

// Refuses what cannot fit into the memory limit whatever the run does.
void check_memory(const RunRequest& request, const EngineEntry& engine) {
  check_swap(request);
  if (!request.memory_bytes) return;
  const std::uint64_t limit = *request.memory_bytes;
  const std::uint64_t program = resident_bytes();
  if (limit == 0) {
    throw usage_error(fmt::format(
        "--memory 0: no run fits; the program alone takes {}, and the layout's index, --frames "
        "and the workload's arrays come on top",
        human_size(program)));
  }
  const std::uint64_t frames = request.options.frames_bytes;
  if (request.frames_of_memory || engine.traits.keeps_graph_in_memory || frames <= limit) return;
  throw usage_error(fmt::format(
      "--frames of {} do not fit into --memory of {}; lower --frames, or raise --memory "
      "to their size plus everything else in memory (the program alone takes {})",
      human_size(frames), human_size(limit), human_size(program)));
}

// Sets `layout` where it was left open.
void settle_layout(RunRequest& request, Container& container, const EngineEntry& engine) {
  check_reads_layouts(engine, request.graph);
  const Parameters parameters = parameters_as_asked(request);
  const std::vector<std::string> layouts = container.layouts();
  if (layouts.empty()) {
    throw usage_error(fmt::format(
        "{} has no layout yet; {}", request.graph.string(),
        how_to_have(request.graph,
                    suitable_choices(request, parameters, container, plainest_choices(engine)))));
  }
  if (request.layout.empty()) {
    request.layout = usual_layout(request, parameters, container, engine);
  }
  if (std::find(layouts.begin(), layouts.end(), request.layout) == layouts.end()) {
    throw unknown_name("layout", request.layout, layouts);
  }
  const std::filesystem::path layout = container.layout_folder(request.layout);
  check_reads(engine, layout, read_json(layout / "layout.json"));
}

void check_store_options(const RunRequest& request) {
  if (!request.against.empty() && !request.verify)
    throw usage_error("--against is what --verify reads, so it needs that too");
  if (is_store(request.graph)) return;
  const char* const option = request.prefix ? "--prefix" : "--against";
  if (!request.prefix && request.against.empty()) return;
  throw usage_error(fmt::format("{} is for stores of graphs that change, and {} is none", option,
                                request.graph.string()));
}

void settle_state(RunRequest& request) {
  request.state_files = state_files(request.state);
  if (request.state_memory.empty()) return;
  if (!request.state_files) {
    throw usage_error("--state-memory limits --state file:FOLDER, so it needs --state too");
  }
  request.state_files->most_in_memory = parse_size(request.state_memory, "--state-memory");
}

// The values that differ between trials, without the rounds.
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

// The trial with the median time; for an even number the faster of the two in the middle.
std::size_t median_trial(const nlohmann::json& rows) {
  std::vector<std::pair<double, std::size_t>> times;
  for (const nlohmann::json& row : rows) {
    times.emplace_back(row.at("phases").at("run_s").get<double>(), times.size());
  }
  std::sort(times.begin(), times.end());
  return times[(times.size() - 1) / 2].second;
}

nlohmann::json rates_json(const std::optional<DeviceRates>& rates) {
  if (!rates) return nullptr;
  return {{"source", rates->source},
          {"k_r", rates->k_r},
          {"t_rr_mb_per_s", rates->random_mb_per_s},
          {"t_sr_mb_per_s", rates->sequential_mb_per_s},
          {"t_sw_mb_per_s", rates->write_mb_per_s},
          {"request_us", rates->request.us},
          {"request_us_per_kb", rates->request.us_per_kb}};
}

}  // namespace

void prepare(RunRequest& request, const std::string& frames) {
  request.options.settings = engine_settings(request.engine);
  request.engine = spec_name(request.engine);
  const EngineEntry engine = find_engine(request.engine).with(request.options.settings);
  request.options.depth = request.depth.value_or(engine.depth);
  request.options.max_request_bytes = request.max_request.value_or(engine.max_request);
  if (request.options.backend.empty()) {
    // The kernel kills a group that reads past the page cache into memory that it should swap.
    const bool fills_swap = request.swap && engine.traits.keeps_graph_in_memory;
    request.options.backend = fills_swap ? "mmap" : engine.usual_backend(request.options.settings);
  }
  const Workload& workload = find_workload(request.workload);
  check_engine_suits(engine, workload, !request.trace.empty());
  check_store_options(request);
  if (is_store(request.graph)) settle_store(request, engine, workload);
  Container container = container_of(request);
  const bool named = container.facts().has_names;
  settle_sources(request, named);
  parameters_as_asked(request);
  check_options(request);
  settle_state(request);
  settle_trials(request);
  // A bad path is better reported before the run than after it.
  if (!request.output.empty()) {
    check_values_file(request.output, named);
    check_writable(request.output);
  }
  if (!request.trace.empty()) check_writable(request.trace);
  if (!request.events.empty()) check_writable(request.events);
  prepare_device(request);
  // The first trials use each source once.
  for (std::size_t trial = 0; trial == 0 || trial < request.sources.size(); ++trial) {
    assignments_of(request, trial, container);
  }
  check_symmetric(workload, container);
  check_reverse(engine, workload, container);
  if (!is_store(request.graph)) settle_layout(request, container, engine);
  request.frames_of_memory =
      frames.empty() && request.memory_bytes && engine.traits.frames_of_memory;
  if (!frames.empty()) {
    const EdgeIndex edges =
        is_store(request.graph) ? flushed_updates(request.graph) : container.facts().edges;
    request.options.frames_bytes = parse_size(frames, "--frames", edges * sizeof(VertexId));
  }
  check_memory(request, engine);
}

nlohmann::json unfinished_record(const RunRequest& request) {
  const auto changed = request.options.settings.changed();
  nlohmann::json asked = {{"graph", request.graph.string()},
                          {"layout", request.layout},
                          {"engine", request.engine},
                          {"settings", std::map(changed.begin(), changed.end())},
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
                          {"state", request.state},
                          {"verify", request.verify},
                          {"command", command_as_given()}};
  asked["max_request_bytes"] = request.options.max_request_bytes;
  if (request.frames_of_memory) asked["frames_bytes"] = nullptr;  // not known yet
  if (is_published(request.options.settings)) {
    asked["published"] = find_engine(request.engine).published->knobs();
  }
  if (request.model) asked["device"] = request.device.string();
  if (request.memory_bytes) asked["memory_bytes"] = *request.memory_bytes;
  if (request.swap) asked["swap"] = true;
  if (const RequestCost& cost = request.options.request_cost; cost != RequestCost{}) {
    asked["request_cost"] = {{"us", cost.us}, {"us_per_kb", cost.us_per_kb}};
  }
  if (request.state_files) asked["state_memory_bytes"] = request.state_files->most_in_memory;
  if (request.options.most_holes) asked["most_holes"] = *request.options.most_holes;
  nlohmann::json record = {{"record_version", 1}, {"asked", std::move(asked)}};
  record["machine"] = machine_facts();
  record["device"] = device_facts(request.graph);
  record["device"]["rates"] = rates_json(request.options.rates);
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

// Also records the memory that no part accounts for: the answer, frontiers, what workers collect,
// what the allocator keeps.
void set_peak(nlohmann::json& record, std::uint64_t peak) {
  nlohmann::json& memory = record.at("memory");
  memory.erase("peak_rss_bytes");
  memory.erase("unaccounted_bytes");
  std::int64_t rest = static_cast<std::int64_t>(peak);
  for (const auto& bytes : memory) rest -= bytes.get<std::int64_t>();
  memory["peak_rss_bytes"] = peak;
  memory["unaccounted_bytes"] = rest;
}

void run_into(const RunRequest& request, const TellRecord& tell, nlohmann::json& record,
              const MemoryLimit* limit) {
  const nlohmann::json before = record;
  nlohmann::json rows = nlohmann::json::array();
  std::vector<nlohmann::json> records;
  for (std::size_t trial = 0; std::cmp_less(trial, request.trials.value()); ++trial) {
    record = before;
    record["trials"] = rows;
    try {
      run_trial(request, trial, tell, record, limit);
    } catch (const Error& e) {
      // The trial still has a time, and a reason why it is wrong.
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
