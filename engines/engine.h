// SPDX-License-Identifier: Apache-2.0
// The contract of all engines.
//
// An engine holds one opened graph (a layout, later a snapshot of a store) and runs Programs over
// it. It promises, for every program and whatever its own order, threads and memory:
//   - the three points at the head of program.h (one message per activation; each edge of the list
//     exactly once with it; changed vertices reported);
//   - a vertex is processed only after it was activated, and no more often than it was activated;
//   - the declared visibility; and that it opens no file but its layout's.
//
// *Visibility* is what emit() may see of other vertices' accept():
//   round      only what was written before the round;
//   interval   also what earlier intervals of the same round wrote (LOSC, GraphChi);
//   immediate  whatever has been written (asynchronous).
// Programs that converge to one answer in any order may run under each; those that count rounds
// (PageRank by iterations) use round(), which is `round` or `interval` as the engine declares.
//
// Calls come from one thread; an engine runs its own workers inside them. An exception from a
// program or the device stops all workers and comes out of the call; the engine is then of no
// further use.
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
#include "engines/state.h"
#include "engines/task_stack.h"
#include "engines/traits.h"
#include "storage/cache/cache_pool.h"
#include "storage/io/device_rates.h"
#include "storage/io/door.h"
#include "storage/io/merge.h"
#include "storage/layout/opened_graph.h"

namespace outcore {

class ModelledDevice;
class TraceWriter;

// Who reads whose lists in a round: push reads those of active vertices, pull those of listening
// ones. `any` leaves it to the engine.
enum class Mode : std::uint8_t { any, push, pull };

// Positions [begin, end) in one list.
struct ListRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};
// Different tasks are stepped at once, on any threads. One task's pieces come in the order of the
// list, one after another, and at least one piece comes, an empty one if nothing is wanted.
class TaskProgram {
 public:
  virtual ~TaskProgram() = default;
  // Which part of v's list (of `degree` edges) the task needs; a walker needs one edge, a search
  // all of them.
  virtual ListRange wants(const Task& task, std::uint32_t degree) = 0;
  // A piece of the part is there: do the step, and add the tasks that follow. Those added last are
  // taken first (a stack), except that an engine may hand a stack's older half to somebody else.
  virtual void step(const Task& task, const Piece& piece, TaskStack& next) = 0;
  // Asked between steps, from any thread: nothing more is needed, all tasks may be dropped.
  [[nodiscard]] virtual bool done() const { return false; }
  // A stack of more tasks may be split (CAVE's max_stack_size).
  [[nodiscard]] virtual std::size_t stack_threshold() const { return 64; }
};

// What a user may vary. Sizes in bytes.
struct EngineOptions {
  unsigned threads = 2;
  std::uint64_t frames_bytes = std::uint64_t{64} << 20;  // block buffers
  unsigned depth = 64;                                   // k_r: requests in flight over all workers
  // With its parameters: io/backend.h. Empty: the engine's usual one.
  std::string backend = {};
  bool direct = true;
  std::uint32_t max_request_bytes = 64 << 10;  // neighbouring blocks are merged up to this
  std::optional<DeviceRates> rates;            // of the device, modelled or probed; none: not known
  RequestCost request_cost;          // by which holes between blocks are read through; none: never
  std::optional<double> most_holes;  // a share of the needed blocks that holes may be; none: any
  std::string fault_plan;            // of backend `fault`
  std::shared_ptr<ModelledDevice> device;  // in front of the backend; null: none
  TraceWriter* trace = nullptr;            // not owned
  // For who watches meanwhile, not owned: rounds that have ended, and the requests.
  std::atomic<std::uint64_t>* rounds_done = nullptr;
  RequestGauge* gauge = nullptr;
  std::shared_ptr<StateStore> states;  // where arrays of programs lie; null: in memory
  Parameters settings;                 // the engine's own parameters; none: their defaults
};

// What the backend is told, with `depth` of its requests in one channel.
BackendOptions backend_options(const EngineOptions& options, unsigned depth);

// One barriered round, as the record shows it.
struct RoundReport {
  std::uint64_t frontier = 0;
  std::uint64_t blocks = 0;
  std::uint64_t requests = 0;
  std::uint64_t requested_bytes = 0;
  std::uint64_t edges = 0;
  bool pull = false;
  double seconds = 0;
  // What only some engines tell of a round, by name (run.schema.json has what each means).
  std::map<std::string, double> own = {};
};

// The cache that an engine kept blocks in, as it was at the end.
struct CacheReport {
  std::string policy;
  std::uint64_t slots = 0;
  CachePoolCounters counters;
};

struct EngineReport {
  // Who read, as it turned out.
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
  // What the engine itself has in memory: "index", "frames", "messages", ...
  NamedBytes memory;
  // What only some engines tell apart, by name (configs/columns.yaml says what each name means):
  // seconds of their stages over the whole run, and counts. Each is a column of the tables.
  std::map<std::string, double> stages;
  std::map<std::string, std::uint64_t> counts;
};

class Engine {
 public:
  // A range of vertices with their out-degrees; called in parallel on disjoint ranges that cover
  // the id space.
  using VertexFn = std::function<void(VertexRange, std::span<const std::uint32_t> degrees)>;
  using RangeFn = std::function<void(VertexRange)>;
  using HeadsFn = std::function<void(VertexId v, std::span<const VertexId> heads)>;

  virtual ~Engine() = default;
  [[nodiscard]] virtual EngineTraits traits() const = 0;  // kTraits of its class
  [[nodiscard]] virtual const Graph& graph() const = 0;
  virtual void for_each_vertex(const VertexFn& f) = 0;
  // The same for who does not ask for degrees, which engines need not look up then.
  virtual void for_each_range(const RangeFn& f);
  // The sum of the frontier's out-degrees. Engines that have each vertex's degree at hand need no
  // pass over all vertices, which is what it takes here.
  virtual std::uint64_t edges_of(const Frontier& frontier);

  // Arrays for programs (state.h). `name` is the array's in the account of memory: a name of the
  // program's own, and none of EngineReport::memory.
  //
  // `count` zeros, which take memory where they are written to.
  template <typename T>
  State<T> zeros(const std::string& name, std::size_t count) {
    return states_->zeros<T>(name, count);
  }
  // A zero for each id.
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
  // REQUIRES: no array was made yet.
  void keep_states_in(std::shared_ptr<StateStore> states) { states_ = std::move(states); }

  // Until nothing is active; under traits().converge, or by rounds if the program settles.
  virtual void converge(Program& program, Frontier&& frontier) = 0;
  // One round; returns what it activated. Messages travel along `direction`.
  virtual Frontier round(Program& program, Frontier&& frontier, Direction direction, Mode mode) = 0;

  // Refused with a usage error unless the engine says it can.
  virtual void heads(unsigned k, const HeadsFn& f);
  virtual void drive(TaskProgram& program, std::span<const Task> tasks);

  // What was done since construction. Not while a call is under way.
  [[nodiscard]] virtual EngineReport report() const = 0;
  // What it will have in memory at most, beside that, when it runs a program, or tasks (`drives`).
  // Asked before either.
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
  std::vector<Parameter> parameters = {};  // of its own
  // EngineOptions::depth and ::max_request_bytes where the user leaves them open.
  unsigned depth = 64;
  std::uint32_t max_request = 64 << 10;
  // EngineOptions::backend where the user leaves it open, with these settings of the engine.
  std::function<std::string(const Parameters&)> usual_backend = {};
  // Builds the engine. REQUIRES: check_reads() lets the graph pass.
  std::function<std::unique_ptr<Engine>(const OpenedGraph&, const EngineOptions&)> build = {};

  // check_reads(), then build().
  [[nodiscard]] std::unique_ptr<Engine> make(const OpenedGraph& graph,
                                             const EngineOptions& options) const;
};
bool can_read(const EngineEntry& engine, GraphKind kind, std::string_view pack);
// Throws a usage Error that names the command which builds a layout that the engine reads, unless
// the layout with this manifest (layout.json) in `folder` is one.
void check_reads(const EngineEntry& engine, const std::filesystem::path& folder,
                 const nlohmann::json& manifest);
// The plainest layout that the engine reads.
LayoutChoices plainest_choices(const EngineEntry& engine);
const std::vector<EngineEntry>& engines();
// Adds an engine that is linked from elsewhere, as a test does. REQUIRES: no other thread asks for
// engines meanwhile, and no reference to an earlier entry is kept.
void add_engine(EngineEntry entry);
// Throw a usage Error that has the known names and the nearest of them. A spec is a name, with
// parameters if wanted (common/parameters.h).
const EngineEntry& find_engine(const std::string& spec);
Parameters engine_settings(const std::string& spec);

}  // namespace outcore
