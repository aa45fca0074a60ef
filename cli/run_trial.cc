// SPDX-License-Identifier: Apache-2.0
#include "cli/run_trial.h"

#include <fmt/format.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#include <valgrind/callgrind.h>

#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include "cli/answer_record.h"
#include "cli/memory_plan.h"
#include "cli/run_device.h"
#include "cli/run_screen.h"
#include "cli/store_graph.h"
#include "cli/suitable_layout.h"
#include "cli/trials.h"
#include "cli/vertex_ids.h"
#include "cli/vertex_values.h"
#include "common/error.h"
#include "common/machine.h"
#include "common/memory_limit.h"
#include "common/stopwatch.h"
#include "storage/cachesim/simulator.h"
#include "storage/container/container.h"
#include "storage/container/hashed_file.h"
#include "storage/events/event_recorder.h"
#include "storage/io/kernel_counters.h"
#include "storage/io/probe/bound_by.h"
#include "storage/io/timeline.h"
#include "storage/layout/open_layout.h"
#include "storage/trace/trace.h"
#include "workloads/workload.h"

namespace outcore {

namespace {

constexpr double kColdResidency = 0.01;  // more than 1% of the pages resident: warm
constexpr double kInMemoryShare = 0.25;  // a pool of 25% of the layout or more: in-memory

// A layout is identified by the checksum of its first block file.
nlohmann::json layout_json(const RunRequest& request, const OpenedGraph& layout) {
  const BlockFile& front = layout.block_files().front();
  const std::string first = (front.stripes.empty() ? front.path : front.stripes[0]).filename();
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
          {"checksum", layout.manifest().at("files").at(first).at("hash")}};
}

TraceHeader trace_header(const RunRequest& request, const Container& container,
                         const OpenedGraph& layout) {
  TraceHeader header{.graph = container.facts().name,
                     .layout = request.layout,
                     .engine = request.engine,
                     .workload = request.workload,
                     .raw_bytes = layout.facts().raw_bytes,
                     .workers = request.options.threads,
                     .file_units = {}};
  for (const std::uint64_t blocks : layout.file_blocks()) {
    const std::uint64_t bytes = blocks * layout.facts().block_bytes;
    header.layout_bytes += bytes;
    header.file_units.push_back(bytes / header.unit_bytes);
  }
  return header;
}

// A graph that is small enough to be drawn: its edges by canonical ids, one after another, and the
// canonical id of each id of the layout (none: they are the same).
nlohmann::json drawn_graph(Container& container, const OpenedGraph& layout) {
  constexpr EdgeIndex kMostEdges = 40'000;
  const GraphFacts& facts = container.facts();
  if (facts.vertices > EventSampling::kDrawnVertices || facts.edges > kMostEdges) return nullptr;
  const CsrView lists = container.csr(Direction::out);
  nlohmann::json edges = nlohmann::json::array();
  for (VertexId u = 0; u < facts.vertices; ++u) {
    for (const VertexId v : lists.list(u)) {
      if (facts.symmetric && v < u) continue;
      edges.push_back(u);
      edges.push_back(v);
    }
  }
  return {{"edges", edges}, {"canonical", layout.original_table()}};
}

// What a viewer needs to know of the run before its first event.
nlohmann::json events_header(const nlohmann::json& record, Container& container,
                             const OpenedGraph& layout, const Parameters& parameters) {
  nlohmann::json header = {
      {"build", record.at("build")},           {"asked", record.at("asked")},
      {"graph", record.at("graph")},           {"symmetric", container.facts().symmetric},
      {"id_space", layout.facts().id_space},   {"parameters", parameters.json()},
      {"started_at", record.at("started_at")}, {"layout", nullptr},
      {"raw_bytes", layout.facts().raw_bytes}, {"block_bytes", layout.facts().block_bytes},
      {"layout_blocks", layout.file_blocks()}, {"drawn", nullptr}};
  if (const auto found = record.find("layout"); found != record.end() && !found->is_null()) {
    header["layout"] = {{"name", found->at("name")},
                        {"choices", found->at("choices")},
                        {"checksum", found->at("checksum")}};
    header["drawn"] = drawn_graph(container, layout);
  }
  return header;
}

// How a run went, behind its last event.
nlohmann::json events_end(const nlohmann::json& record, const Answer& answer) {
  nlohmann::json end = {{"status", "ok"}};
  for (const char* part : {"work", "io", "phases", "cache", "visibility"}) {
    if (record.contains(part)) end[part] = record.at(part);
  }
  end["digest"] = record.at("answer").at("digest");
  end["summary"] = answer.summary;  // vertices by canonical ids
  return end;
}

// What Belady's OPT would have read with this run's pool and this order of accesses. A run with
// other threads has another order and another optimum.
nlohmann::json optimum(const std::filesystem::path& trace, std::uint64_t frames_bytes,
                       std::uint64_t requested_bytes) {
  const std::uint64_t unit = TraceHeader().unit_bytes;
  const std::uint64_t units = std::max<std::uint64_t>(1, frames_bytes / unit);
  const CacheJob job{.policy = &opt_policy, .units = units};
  const Simulation found = simulate(file_source(trace), {&job, 1});
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
    if (!round.own.empty()) rounds.back()["own"] = round.own;
  }
  return rounds;
}

nlohmann::json stages_json(const EngineReport& report) {
  nlohmann::json stages = nlohmann::json::object();
  for (const auto& [name, seconds] : report.stages) stages[name + "_s"] = seconds;
  return stages;
}

// Null for an engine that keeps no blocks, or keeps them outside a cache.
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
  io["kernel_written_bytes"] = kernel.written_bytes;
  io["major_faults"] = kernel.major_faults;
  io["minor_faults"] = kernel.minor_faults;
  io["notes"] = report.notes;
  // With O_DIRECT the kernel should read and write what we request; note it if the kernel counts
  // otherwise.
  const auto compare = [&](const char* did, std::uint64_t found, std::uint64_t asked) {
    const auto wanted = static_cast<double>(asked);
    const auto done = static_cast<double>(found);
    if (done >= 0.99 * wanted && done <= 1.01 * wanted) return;
    io["notes"].push_back(
        fmt::format("the kernel {} {} bytes where {} were requested", did, found, asked));
  };
  if (kernel.available && request.options.direct && report.backend_traits.direct) {
    compare("read", kernel.read_bytes, report.io.requested_bytes);
    if (report.io.written_bytes > 0) {
      compare("wrote", kernel.written_bytes, report.io.written_bytes);
    }
  }
  record["io"] = std::move(io);
  record["visibility"] = to_string(report.visibility);
  record["work"] = {{"rounds", report.rounds.size()},
                    {"vertices_processed", report.vertices_processed},
                    {"edges_processed", report.edges_processed},
                    {"activations", report.activations}};
  record["stages"] = stages_json(report);
  record["counts"] = report.counts;
  record["rounds"] = rounds_json(report);
  record["cache"] = cache_json(report.cache);
}

// The known parts of the peak resident set: the engine's and the program's arrays. Arrays in files
// are listed apart, because the kernel may keep them in memory or write them back.
void add_memory(nlohmann::json& record, const NamedBytes& engine, const StateStore& states,
                std::uint64_t process) {
  nlohmann::json memory = {{"process_bytes", process}};
  for (const NamedBytes& parts : {engine, states.in_memory()}) {
    for (const auto& [name, bytes] : parts) memory[name + "_bytes"] = bytes;
  }
  record["memory"] = std::move(memory);
  set_peak(record, peak_resident_bytes());
  nlohmann::json files;  // null: there are none
  for (const auto& [name, bytes] : states.in_files()) files[name + "_bytes"] = bytes;
  record["state_files"] = std::move(files);
}

void check_same_graph(const Container& container, const OpenedGraph& layout) {
  const nlohmann::json& files = container.manifest().at("files");
  if (layout.manifest().at("graph").at("files") == files) return;
  throw bad_input(Place::file(layout.folder() / "layout.json"), "a layout of another graph",
                  fmt::format("one of {}", container.folder().string()), "build the layout again");
}

class Trial {
 public:
  Trial(const RunRequest& request, std::size_t number, const TellRecord& tell,
        nlohmann::json& record, const MemoryLimit* limit)
      : request_(request),
        number_(number),
        tell_(tell),
        record_(record),
        limit_(limit),
        container_(container_of(request)),
        engine_(find_engine(request.engine).with(request.options.settings)),
        workload_(find_workload(request.workload)),
        options_(request.options) {
    if (!is_store(request.graph)) record_["graph"] = graph_json(container_);
#ifdef _OPENMP
    // Code that processes the answer gets as many threads as the engine had, and no more.
    omp_set_num_threads(static_cast<int>(options_.threads));
#endif
  }

  void run() {
    empty_page_cache();
    open();
    const Parameters parameters = this->parameters();
    check_layout_suits(request_, parameters, container_, *layout_);
    record_events(parameters);
    const Answer answer = run_with_events(parameters);
    phases_["total_s"] = total_.seconds();
    record_["phases"] = phases_;
    if (events_) events_->close(events_end(record_, answer));
    if (screen_ && number_ + 1 == static_cast<std::size_t>(*request_.trials)) screen_->print_last();
    if (request_.verify) {
      if (limit_ != nullptr) limit_->lift();
      verify(parameters, answer);
      record_["phases"]["verify_s"] = phase_.lap();
    }
    if (options_.device) check_honoured(*options_.device);
  }

 private:
  [[nodiscard]] std::vector<std::filesystem::path> files() const {
    if (is_store(request_.graph)) return files_of_store(request_.graph);
    const std::filesystem::path folder = container_.layout_folder(request_.layout);
    return layout_files(folder, read_json(folder / "layout.json"));
  }

  void empty_page_cache() {
    const std::vector<std::filesystem::path> files = this->files();
    if (!request_.warm) evict_pages(files);
    const double residency = page_residency(files);
    record_["start"] = {{"residency", residency},
                        {"temperature", residency > kColdResidency ? "warm" : "cold"}};
  }

  void open() {
    phase_.lap();
    if (is_store(request_.graph)) {
      open_store();
    } else {
      open_container();
    }
    phases_["open_s"] = phase_.lap();
    if (request_.frames_of_memory) size_frames();
    const double share =
        static_cast<double>(options_.frames_bytes) /
        static_cast<double>(std::max<std::uint64_t>(1, layout_->facts().raw_bytes));
    record_["pool"] = {
        {"frames_bytes", options_.frames_bytes},
        {"share_of_layout", share},
        {"in_memory", engine_.traits.keeps_graph_in_memory || share >= kInMemoryShare}};
    if (!request_.trace.empty()) {
      trace_.emplace(request_.trace, trace_header(request_, container_, *layout_));
      options_.trace = &*trace_;
    }
    if (request_.model) {
      options_.device =
          std::make_shared<ModelledDevice>(*request_.model, *request_.dilation, real_clock());
    }
  }

  void open_container() {
    layout_ = open_layout(container_.layout_folder(request_.layout));
    check_same_graph(container_, *layout_);
    // What was edited since it was built would go into the record as if it were so.
    check_seal(container_.manifest(), container_.folder() / "graph.json");
    check_seal(layout_->manifest(), layout_->folder() / "layout.json");
    record_["layout"] = layout_json(request_, *layout_);
  }

  void open_store() {
    StoreOfRun opened = outcore::open_store(request_, engine_);
    layout_ = std::move(opened.graph);
    container_ = Container::without_files(request_.graph, opened.facts);
    record_["graph"] = graph_json(opened.facts, opened.checksum);
    record_["layout"] = nullptr;
    if (layout_->kind() != GraphKind::store) record_["layout"] = layout_json(request_, *layout_);
    record_["store"] = opened.record;
    prefix_ = opened.prefix;
  }

  // For a file, for a picture of the run, or both.
  void record_events(const Parameters& parameters) {
    if (request_.watch && RunScreen::fits()) {
      std::uint64_t blocks = 0;
      for (const std::uint64_t of_file : layout_->file_blocks()) blocks += of_file;
      screen_.emplace(RunOnScreen{title_on_screen(), blocks, layout_->facts().block_bytes});
    }
    if (request_.events.empty() && !screen_) return;
    // Of a picture that is drawn at once nothing is kept, so nothing need be left out.
    const std::uint64_t kept =
        request_.events.empty() ? std::numeric_limits<std::uint64_t>::max() : EventRecorder::kKept;
    events_.emplace(request_.events, events_header(record_, container_, *layout_, parameters), kept,
                    screen_ ? &screen_->listener() : nullptr);
    events_->set_vertices(layout_->facts().id_space);
    options_.events = &*events_;
  }

  void verify(const Parameters& parameters, const Answer& answer) {
    const Timeline progress("verifying " + workload_.name);
    if (!is_store(request_.graph)) {
      verify_into(record_, workload_, parameters, checked_lists(container_), answer);
      return;
    }
    const evolving::CanonicalLists lists = canonical_lists(request_, container_.facts(), prefix_);
    verify_into(record_, workload_, parameters,
                {lists.csr(Direction::out), lists.csr(Direction::in)}, answer);
  }

  void size_frames() {
    options_.frames_bytes =
        frames_of_memory(request_, engine_, *layout_, workload_, this->parameters());
    record_["asked"]["frames_bytes"] = options_.frames_bytes;
  }

  Parameters parameters() {
    return {workload_.name, workload_.parameters, assignments_of(request_, number_, container_)};
  }

  Finish run_engine(const Parameters& parameters) {
    const KernelCounters kernel;
    std::atomic<std::uint64_t> rounds{0};
    RequestGauge requests;
    EngineOptions options = options_;
    options.rounds_done = &rounds;
    options.gauge = &requests;
    Watched watched = {.rounds = &rounds,
                       .requests = &requests,
                       .tell = [this](const auto& samples) { tell_so_far(samples); }};
    if (screen_) watched.show = [this](const auto& sample) { screen_->sample(sample); };
    Timeline timeline(title(), watched);
    options.states = std::make_shared<StateStore>(request_.state_files, [this] { tell_memory(); });
    states_ = options.states;
    std::unique_ptr<Engine> engine;
    Finish finish;
    try {
      engine = make_engine(options);
      // For callgrind started with --instr-atstart=no: it counts from here. Without callgrind these
      // macros cost a few rotations of a register.
      CALLGRIND_START_INSTRUMENTATION;
      finish = workload_.run(*engine, parameters);
      CALLGRIND_STOP_INSTRUMENTATION;
      end_phase("run_s");
    } catch (...) {
      end_timeline(timeline);
      throw;
    }
    end_timeline(timeline);
    record_["bound"] = bound_by(record_["timeline"], processors(), request_.pace);
    add_report(record_, request_, engine->report(), kernel.since_start());
    if (options_.device) add_device(record_, *options_.device);
    add_memory(record_, engine->report().memory, *states_, process_);
    if (trace_) {
      const TraceTotals totals = trace_->close();
      record_["trace"] = {{"path", request_.trace.string()},
                          {"accesses", totals.accesses},
                          {"optimum", optimum(request_.trace, options_.frames_bytes,
                                              engine->report().io.requested_bytes)}};
    }
    phase_.lap();
    return finish;
  }

  // If the run fails, its events say so and why.
  Answer run_with_events(const Parameters& parameters) {
    try {
      const Finish finish = run_engine(parameters);
      return collect(finish);
    } catch (const std::exception& error) {
      if (events_) events_->close({{"status", "failed"}, {"reason", error.what()}});
      throw;
    }
  }

  std::unique_ptr<Engine> make_engine(const EngineOptions& options) {
    engine_memory_ = {{"index", layout_->index_bytes()}};
    tell_memory();
    std::unique_ptr<Engine> engine = engine_.make(*layout_, options);
    end_phase("prepare_s");
    engine_memory_ = engine->report().memory;
    tell_memory();
    const std::lock_guard lock(telling_);
    phase_.lap();
    return engine;
  }

  // The processors that the engine can keep busy.
  [[nodiscard]] double processors() const {
    return std::min(options_.threads, std::max(1U, std::thread::hardware_concurrency()));
  }

  // The engine is gone. Its memory and the layout's lists are freed before the answer is collected.
  Answer collect(const Finish& finish) {
    layout_->forget_lists();
    Answer answer = finish();
    record_["answer"] = answer_json(answer, workload_, container_.facts());
    name_by_file_ids(record_["answer"]["summary"], container_);
    if (!request_.output.empty()) {
      write_values(request_.output, answer, VertexLabels(container_));
      record_["answer"]["output"] = request_.output.string();
    }
    if (request_.top) {
      record_["answer"]["top"] = largest_values(answer, VertexLabels(container_), *request_.top);
    }
    phases_["collect_s"] = phase_.lap();
    return answer;
  }

  [[nodiscard]] std::string title() const {
    const std::int64_t trials = *request_.trials;
    const std::string which =
        trials == 1 ? std::string() : fmt::format(", trial {} of {}", number_ + 1, trials);
    return fmt::format("{} on {}{}", request_.workload, request_.engine, which);
  }
  // With the graph, and what differs from the engine's defaults: what tells two screens apart.
  [[nodiscard]] std::string title_on_screen() const {
    std::string text = fmt::format("{}, {}", title(), container_.facts().name);
    for (const auto& [name, value] : request_.options.settings.changed()) {
      text += fmt::format(", {}={}", name, value);
    }
    return text;
  }
  void end_phase(const char* name) {
    const std::lock_guard lock(telling_);
    phases_[name] = phase_.lap();
  }
  void end_timeline(Timeline& timeline) {
    add_so_far(timeline.finish());
    if (screen_) screen_->close();
  }
  // REQUIRES: the lock is held while there is a timeline. Counts the current phase of the engine up
  // to now.
  void add_so_far(const nlohmann::json& samples) {
    const char* phase = phases_.contains("prepare_s") ? "run_s" : "prepare_s";
    record_["timeline"] = samples;
    record_["phases"] = phases_;
    if (!phases_.contains(phase)) record_["phases"][phase] = phase_.seconds();
  }
  // Called by the timeline's thread. An error here does not fail the run: if the record cannot be
  // written, the run's own final record will report it.
  void tell_so_far(const nlohmann::json& samples) noexcept {
    try {
      const std::lock_guard lock(telling_);
      add_so_far(samples);
      tell_(record_);
    } catch (const std::exception&) {
      return;
    }
  }
  // Before the memory is taken: a run killed by taking it then leaves a record that names what it
  // was about to take.
  void tell_memory() {
    const std::lock_guard lock(telling_);
    add_memory(record_, engine_memory_, *states_, process_);
    tell_(record_);
  }

  Stopwatch total_;
  Stopwatch phase_;
  const std::uint64_t process_ = resident_bytes();  // includes earlier trials, if any
  const RunRequest& request_;
  std::size_t number_;
  const TellRecord& tell_;
  nlohmann::json& record_;
  const MemoryLimit* const limit_;
  Container container_;
  const EngineEntry engine_;
  const Workload& workload_;
  EngineOptions options_;
  std::unique_ptr<OpenedGraph> layout_;
  std::uint64_t prefix_ = 0;  // of a store
  std::optional<TraceWriter> trace_;
  std::optional<RunScreen> screen_;
  std::optional<EventRecorder> events_;  // outlived by the screen, which hears it
  std::shared_ptr<StateStore> states_;
  NamedBytes engine_memory_;  // as the engine reported before the run began
  nlohmann::json phases_;
  // Guards record_, phases_ and phase_ while there is a timeline, whose thread reads them too.
  std::mutex telling_;
};

}  // namespace

void run_trial(const RunRequest& request, std::size_t trial, const TellRecord& tell,
               nlohmann::json& record, const MemoryLimit* limit) {
  if (limit != nullptr) limit->bind();
  Trial(request, trial, tell, record, limit).run();
}

}  // namespace outcore
