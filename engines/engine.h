// SPDX-License-Identifier: Apache-2.0
// The contract of all engines.
//
// An engine holds one opened graph (a layout, or a snapshot of a store) and runs Programs on it.
// For every program, and whatever its own order, threads and memory, it promises:
//   - the three points at the head of program.h (one message per activation; each edge of the list
//     exactly once with it; changed vertices reported);
//   - a vertex is processed only after it was activated, and no more often than it was activated;
//   - the declared visibility; and that it opens no file but its layout's.
//
// *Visibility* is what emit() may see of other vertices' accept():
//   round      only what was written before the round;
//   interval   also what earlier intervals of the same round wrote (LOSC, GraphChi);
//   immediate  whatever has been written (asynchronous).
// Programs that converge to one answer in any order may run under any of these. Programs that count
// rounds (PageRank by iterations) use round(), which is `round` or `interval` as the engine
// declares.
//
// Calls come from one thread; an engine runs its own workers inside them. An exception from a
// program or the device stops all workers and leaves the call; the engine is useless afterwards.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/parameters.h"
#include "engines/frontier.h"
#include "engines/program.h"
#include "engines/published_form.h"
#include "engines/state.h"
#include "engines/task_stack.h"
#include "engines/traits.h"
#include "storage/cache/cache_pool.h"
#include "storage/io/device_rates.h"
#include "storage/io/door.h"
#include "storage/io/merge.h"
#include "storage/layout/opened_graph.h"

namespace outcore {

class EventRecorder;
class ExecutorWatch;
class ModelledDevice;
class TraceWriter;

// Whose lists are read in a round: push reads those of active vertices, pull those of listening
// vertices. With `any` the engine decides.
enum class Mode : std::uint8_t { any, push, pull };

// Positions [begin, end) in one list.
struct ListRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};
// Different tasks are stepped at the same time, on any threads. The pieces of one task come one
// after another, in the order of the list. At least one piece comes: an empty one if nothing is
// wanted.
class TaskProgram {
 public:
  virtual ~TaskProgram() = default;
  // The part of v's list (of `degree` edges) that the task needs: one edge for a walker, all edges
  // for a search.
  virtual ListRange wants(const Task& task, std::uint32_t degree) = 0;
  // A piece of the part is there: do the step, and add the tasks that follow. The tasks added last
  // are taken first (a stack), except that an engine may pass the older half of a stack to another
  // worker.
  virtual void step(const Task& task, const Piece& piece, TaskStack& next) = 0;
  // Called between steps, from any thread: is nothing more needed, so that all tasks may be
  // dropped?
  [[nodiscard]] virtual bool done() const { return false; }
  // A stack with more tasks may be split (CAVE's max_stack_size).
  [[nodiscard]] virtual std::size_t stack_threshold() const { return 64; }
};

// What a user may choose. Sizes are in bytes.
struct EngineOptions {
  unsigned threads = 2;
  std::uint64_t frames_bytes = std::uint64_t{64} << 20;  // block buffers
  unsigned depth = 64;  // k_r: requests in flight, all workers together
  // With its parameters (io/backend.h). Empty: the engine's default.
  std::string backend = {};
  bool direct = true;
  std::uint32_t max_request_bytes = 64 << 10;  // neighbouring blocks are merged up to this
  std::optional<DeviceRates> rates;            // of the modelled or probed device; unset: unknown
  RequestCost request_cost;          // cost that decides which holes are read through; none: none
  std::optional<double> most_holes;  // limit of holes per needed block; unset: none
  std::string fault_plan;            // of backend `fault`
  std::shared_ptr<ModelledDevice> device;  // in front of the backend; null: none
  TraceWriter* trace = nullptr;            // not owned
  EventRecorder* events = nullptr;         // not owned
  // For a watcher, not owned: the number of finished rounds, and the requests.
  std::atomic<std::uint64_t>* rounds_done = nullptr;
  RequestGauge* gauge = nullptr;
  std::shared_ptr<StateStore> states;  // where programs' arrays are; null: in memory
  Parameters settings;                 // the engine's parameters; empty: their defaults
};

// The options of the backend, with `depth` requests in each channel.
BackendOptions backend_options(const EngineOptions& options, unsigned depth);

// What notes the work and the barriers of an executor; null if no events are recorded.
std::unique_ptr<ExecutorWatch> watch_of(const EngineOptions& options);

// Note that a round begins, with its number, or has ended and activated so many vertices.
void note_round_began(const EngineOptions& options, std::uint64_t round, std::uint64_t frontier,
                      bool pull);
void note_round_ended(const EngineOptions& options, std::uint64_t round, std::uint64_t activations);

// One round with its barrier, as in the record.
struct RoundReport {
  std::uint64_t frontier = 0;
  std::uint64_t blocks = 0;
  std::uint64_t requests = 0;
  std::uint64_t requested_bytes = 0;
  std::uint64_t edges = 0;
  bool pull = false;
  double seconds = 0;
  // What only some engines report of a round, by name (run.schema.json explains the names).
  std::map<std::string, double> own = {};
};

// The cache in which an engine kept blocks, at the end of the run.
struct CacheReport {
  std::string policy;
  std::uint64_t slots = 0;
  CachePoolCounters counters;
};

struct EngineReport {
  // The backend that was really used.
  std::string backend;
  BackendTraits backend_traits;
  Visibility visibility = Visibility::round;  // the weakest that held in this run
  std::uint64_t vertices_processed = 0;
  std::uint64_t edges_processed = 0;
  std::uint64_t activations = 0;
  std::vector<RoundReport> rounds;
  std::optional<CacheReport> cache;  // of engines that have one
  IoCounters io;
  std::vector<std::string> notes;
  // The engine's own memory: "index", "frames", "messages", ...
  NamedBytes memory;
  // What only some engines report, by name (configs/columns.yaml explains the names): seconds of
  // their stages over the whole run, and counts. Each is a column of the tables.
  std::map<std::string, double> stages;
  std::map<std::string, std::uint64_t> counts;
};

class Engine {
 public:
  // A range of vertices with their out-degrees. Called in parallel for disjoint ranges that cover
  // the id space.
  using VertexFn = std::function<void(VertexRange, std::span<const std::uint32_t> degrees)>;
  using RangeFn = std::function<void(VertexRange)>;
  using HeadsFn = std::function<void(VertexId v, std::span<const VertexId> heads)>;

  virtual ~Engine() = default;
  [[nodiscard]] virtual EngineTraits traits() const = 0;  // kTraits of its class
  [[nodiscard]] virtual const Graph& graph() const = 0;
  virtual void for_each_vertex(const VertexFn& f) = 0;
  // The same without degrees, which engines then need not look up.
  virtual void for_each_range(const RangeFn& f);
  // The sum of the frontier's out-degrees. This implementation passes over all vertices; engines
  // that have each vertex's degree at hand do better.
  virtual std::uint64_t edges_of(const Frontier& frontier);
  // How many bytes a round would ask the device for, each block once. Null: the engine does not
  // tell.
  virtual std::optional<std::uint64_t> bytes_of(Program& /*program*/, const Frontier& /*frontier*/,
                                                Mode /*mode*/) {
    return std::nullopt;
  }

  // Arrays for programs (state.h). `name` is the array's name in the account of memory: it must
  // differ from the program's other arrays and from the names in EngineReport::memory.
  //
  // `count` zeros, which use memory only where they are written.
  template <typename T>
  State<T> zeros(const std::string& name, std::size_t count) {
    return states_->zeros<T>(name, count);
  }
  // One zero per id.
  template <typename T>
  State<T> state(const std::string& name) {
    return zeros<T>(name, graph().id_space);
  }
  // `value` for each id, written by the engine's threads.
  template <typename T>
  State<T> state(const std::string& name, T value) {
    State<T> array = state<T>(name);
    for_each_range([&](VertexRange range) {
      std::fill(array.begin() + range.begin, array.begin() + range.end, value);
    });
    return array;
  }
  // A clear bit for each id.
  StateBits state_bits(const std::string& name);
  // REQUIRES: no array has been made yet.
  void keep_states_in(std::shared_ptr<StateStore> states) { states_ = std::move(states); }

  // Runs until no vertex is active, under traits().converge, or in rounds if the program settles.
  virtual void converge(Program& program, Frontier&& frontier) = 0;
  // Runs one round and returns what it activated. Messages travel along `direction`.
  virtual Frontier round(Program& program, Frontier&& frontier, Direction direction, Mode mode) = 0;

  // Both throw a usage error unless the engine's traits offer them.
  virtual void heads(unsigned k, const HeadsFn& f);
  // The tasks' lists are those of the edges in `direction`.
  virtual void drive(TaskProgram& program, std::span<const Task> tasks, Direction direction);

  // What was done since construction. REQUIRES: no call is in progress.
  [[nodiscard]] virtual EngineReport report() const = 0;
  // The memory that will be added to that, at most, when a program or (with `drives`) tasks run.
  // REQUIRES: neither has run yet.
  [[nodiscard]] virtual NamedBytes memory_to_come(bool /*drives*/) const { return {}; }

 private:
  std::shared_ptr<StateStore> states_ = std::make_shared<StateStore>();
};

// --- The registry (registry.cc has one line per engine; engine_entry.h makes the entry) ---

struct EngineEntry {
  std::string name;
  std::string help;
  GraphKind reads = GraphKind::lists;
  EngineTraits traits = {};
  std::vector<Parameter> parameters = {};       // of its own
  std::optional<PublishedForm> published = {};  // if its paper comes with a program
  // EngineOptions::depth and ::max_request_bytes if the user does not choose them.
  unsigned depth = 64;
  std::uint32_t max_request = 64 << 10;
  // EngineOptions::backend if the user does not choose it, given these settings of the engine.
  std::function<std::string(const Parameters&)> usual_backend = {};
  // The traits with these settings of the engine: `traits`, unless a parameter changes them.
  std::function<EngineTraits(const Parameters&)> traits_with = {};
  // `choices`, with what it should be for a graph of that many edges where the engine has frames of
  // that many bytes.
  std::function<LayoutChoices(const LayoutChoices& choices, EdgeIndex edges, std::uint64_t frames)>
      choices_for = {};
  // Builds the engine. REQUIRES: check_reads() accepts the graph.
  std::function<std::unique_ptr<Engine>(const OpenedGraph&, const EngineOptions&)> build = {};

  // The values of its parameters. Throws as Parameters does.
  [[nodiscard]] Parameters settings(const std::vector<std::string>& assignments) const;
  // This entry, with the traits and the defaults that it has with these settings.
  [[nodiscard]] EngineEntry with(const Parameters& settings) const;
  // check_reads(), then build().
  [[nodiscard]] std::unique_ptr<Engine> make(const OpenedGraph& graph,
                                             const EngineOptions& options) const;
};
bool can_read(const EngineEntry& engine, GraphKind kind, std::string_view pack);
// These throw a usage Error unless the engine reads what is in `folder`: a store, some layout of a
// graph, the layout with this manifest (layout.json). It names the command that makes what does.
void check_reads_store(const EngineEntry& engine, const std::filesystem::path& folder);
void check_reads_layouts(const EngineEntry& engine, const std::filesystem::path& folder);
void check_reads(const EngineEntry& engine, const std::filesystem::path& folder,
                 const nlohmann::json& manifest);
// The plainest layout that the engine reads. REQUIRES: it reads layouts.
LayoutChoices plainest_choices(const EngineEntry& engine);
const std::vector<EngineEntry>& engines();
// Adds an engine that is linked from elsewhere, as in a test. REQUIRES: no other thread uses
// engines() meanwhile, and no reference to an earlier entry is kept.
void add_engine(EngineEntry entry);
// Both throw a usage Error with the known names and the nearest one. A spec is a name, with
// parameters if wanted (common/parameters.h).
const EngineEntry& find_engine(const std::string& spec);
Parameters engine_settings(const std::string& spec);

}  // namespace outcore
