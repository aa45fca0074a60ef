// SPDX-License-Identifier: Apache-2.0
#include "engines/async_block/async_block.h"

#include <limits>
#include <mutex>
#include <utility>

#include "engines/note_found.h"
#include "storage/events/event_recorder.h"

namespace outcore {

namespace {

// No more than all blocks for each executor, and room for the lists that go through in pieces.
std::size_t ring_bytes(const Layout& layout, const EngineOptions& options) {
  const std::uint64_t block = layout.facts().block_bytes;
  std::uint64_t blocks = 0;
  for (const BlockFile& file : layout.block_files()) blocks = std::max(blocks, file.blocks());
  const std::uint64_t request = std::max<std::uint64_t>(options.max_request_bytes / block, 1);
  const std::uint64_t in_flight = (options.depth + options.threads - 1) / options.threads;
  const std::uint64_t most = blocks + in_flight * request;
  return std::min(options.frames_bytes, block * most * options.threads);
}

Worklist::Rules rules_of(const Parameters& settings) {
  using First = Worklist::Rules::First;
  const std::string& priority = settings.text("priority");
  return {.first = priority == "on"    ? First::soonest
                   : priority == "off" ? First::in_file
                                       : First::fullest,
          .keep = settings.text("keep") == "on",
          .early_stop = static_cast<std::uint8_t>(settings.whole("early_stop"))};
}

// What an executor activates goes to the worklist.
class Submitter : public Activations {
 public:
  Submitter(Worklist& worklist, Worklist::Own& own, EventRecorder* events)
      : worklist_(&worklist), own_(&own), events_(events) {}
  [[nodiscard]] std::uint64_t reported() const { return reported_; }
  // Notes the activations that have not been noted yet.
  void note_activated() {
    if (events_ == nullptr || reported_ == noted_) return;
    events_->note(EventKind::activated, 0, 0, reported_ - std::exchange(noted_, reported_));
  }

 protected:
  void take(std::span<const Entry> entries) override {
    reported_ += entries.size();
    if (events_ != nullptr) {
      note_found(*events_, entries);
      if (reported_ - noted_ >= kActivationsInEvent) note_activated();
    }
    worklist_->submit(entries, *own_);
  }

 private:
  Worklist* worklist_;
  Worklist::Own* own_;
  // An event for each batch would be as many again as of the blocks.
  static constexpr std::uint64_t kActivationsInEvent = 1024;
  EventRecorder* events_;
  std::uint64_t reported_ = 0;
  std::uint64_t noted_ = 0;
};

}  // namespace

std::vector<Parameter> AsyncBlockEngine::parameters() {
  using Kind = Parameter::Kind;
  return ListEngine::parameters(
      {{.name = "mode",
        .fallback = "auto",
        .help =
            "async: blocks as they become active; sync: rounds (section 4.3); auto: async, but a "
            "search goes by rounds while its frontier doubles or is much of the graph",
        .choices = {"auto", "async", "sync"}},
       {.name = "priority",
        .fallback = "on",
        .help = "blocks with the soonest vertices first; benefit: with the most active edges for "
                "each byte; off: as they lie in the file",
        .choices = {"on", "benefit", "off"}},
       {"early_stop", "0", "uses of a block until it must be read again; 0: no limit", Kind::whole,
        0, std::numeric_limits<std::uint8_t>::max()},
       {.name = "keep",
        .fallback = "on",
        .help = "keep blocks that are done with until their frames are needed",
        .choices = {"on", "off"}},
       {"ahead", "0",
        "blocks that wait in memory at most before an executor reads on; 0: a quarter of its "
        "frames, or 8 where what is processed too soon is processed again (distances from a "
        "source)",
        Kind::whole, 0, std::numeric_limits<std::uint32_t>::max()}});
}

// Section 4.3: asynchronous. A block is given back when it is done with, a request is a block, and
// each message is told as it comes. Reading long lists apart from the pool is no knob.
PublishedForm AsyncBlockEngine::published() {
  return {.settings = {"mode=async", "keep=off", "combine=off"}, .max_request = 4 << 10};
}

AsyncBlockEngine::AsyncBlockEngine(const Layout& layout, const EngineOptions& options)
    : ListEngine(layout, options, parameters()),
      synchronous_(settings_.text("mode") == "sync"),
      looks_(settings_.text("mode") == "auto"),
      frames_(ring_bytes(layout, options_), layout.facts().block_bytes, options_.threads) {
  for (unsigned worker = 0; worker < executor_.size(); ++worker) {
    states_.emplace_back(worker,
                         FrameRing(frames_.arena(worker).memory(), layout.facts().block_bytes));
  }
  // Each by its own worker: a backend that registers frames clears all of their memory.
  executor_.run([&](unsigned worker) {
    states_[worker].channel = std::make_unique<DoorChannel>(door_, frames_.arena(worker).memory());
  });
}

Worklist& AsyncBlockEngine::worklist(Direction direction) {
  auto& worklist = worklists_[layout_.file(direction)];
  if (!worklist) {
    worklist = std::make_unique<Worklist>(layout_, direction, rules_of(settings_), executor_);
  }
  return *worklist;
}

void AsyncBlockEngine::keep_in_frames(Worklist* worklist) {
  forget_lists();
  if (in_frames_ != nullptr && in_frames_ != worklist) {
    for (ExecutorState& state : states_) {
      state.ring.give_all(
          [&](std::uint32_t block, const std::byte* frame) { in_frames_->let_go(block, frame); });
    }
  }
  in_frames_ = worklist;
}

// Does what is active begin somewhere and spread? Labels begin everywhere: their blocks come as
// they lie in the file.
bool AsyncBlockEngine::is_wave(const Frontier& first) const {
  constexpr std::size_t kEverywhere = 8;  // of all vertices, one in so many
  return first.size() < graph_.vertices / kEverywhere;
}

// How many cached blocks an executor keeps before it brings in no more. A quarter of its frames
// keeps the device busy. But where blocks have to be fresh, as in a wave of messages of which a
// later one may be better, those that came early are out of order when they are processed, and what
// they say too soon is said again: a search of a grid takes 1.4 s with 8 blocks ahead, and 2.1 s
// with 128.
std::size_t AsyncBlockEngine::blocks_ahead(bool fresh) const {
  constexpr std::size_t kFresh = 8;
  const std::size_t frames = states_.front().ring.size();
  std::size_t ahead = settings_.whole("ahead");
  if (ahead == 0) ahead = fresh ? kFresh : frames / 4;
  return std::clamp<std::size_t>(ahead, 1, std::max<std::size_t>(frames / 2, 1));
}

// How many neighbours may be read with the blocks that a wave or a label wants before they are
// used: so few that they may be lost.
std::uint32_t AsyncBlockEngine::blocks_beside() const {
  constexpr std::size_t kShare = 8;  // of all frames, one in so many
  return static_cast<std::uint32_t>(states_.size() * states_.front().ring.size() / kShare);
}

// Executors are in each other's way where labels begin everywhere and most lists are in blocks.
Company AsyncBlockEngine::company(bool labels) {
  constexpr std::size_t kLeast = 1024;
  const std::size_t blocks = worklist(Direction::out).assignment().blocks();
  const std::size_t in_blocks = layout_.index(Direction::out).first_mini_id();
  const bool few = blocks == 0 || 4 * in_blocks < graph_.vertices;
  if (!labels || executor_.size() == 1 || few) return {};
  const std::size_t held =
      std::min<std::size_t>(states_.front().ring.size(),
                            blocks_ahead(false) + std::size_t{depth_of(0)} * request_blocks());
  return {blocks, std::max(kLeast, held * in_blocks / blocks / 4)};
}

// A search whose frontier is much of the graph gains nothing from order: no path to a vertex is
// much longer than another, while each vertex that is met costs the worklist more than a bit in a
// frontier (Kronecker 22: 1.5 times the time). So it goes by rounds while the frontier doubles or
// has a good part of the edges. Chains and grids do neither, and need order. Searches in which all
// say the same have no order.
Frontier AsyncBlockEngine::by_rounds_while_wide(Program& program, Frontier&& frontier) {
  constexpr std::uint64_t kWide = 64;  // of the edges, one in so many
  std::uint64_t before = 0;
  while (!frontier.empty()) {
    const std::uint64_t edges = edges_of(frontier);
    if (edges < 2 * before && edges < layout_.facts().edges / kWide) break;
    before = edges;
    frontier = round(program, std::move(frontier), Direction::out, Mode::push);
  }
  return std::move(frontier);
}

void AsyncBlockEngine::converge(Program& program, Frontier&& frontier) {
  const Traits traits = program.traits();
  if (traits.settles || synchronous_) {
    ListEngine::converge(program, std::move(frontier));
    return;
  }
  const bool search = traits.hearing == Hearing::first && traits.saying != Saying::common;
  if (looks_ && search) {
    frontier = by_rounds_while_wide(program, std::move(frontier));
    if (frontier.empty()) return;
  }
  report_.visibility = Visibility::immediate;
  std::vector<Submitter> submitters;
  std::vector<Activations*> outs;
  submitters.reserve(states_.size());
  for (ExecutorState& state : states_) {
    outs.push_back(&submitters.emplace_back(worklist(Direction::out), state.own, options_.events));
  }
  const Round everything{.program = program,
                         .traits = traits,
                         .lists = DirectedLists(layout_, Direction::out, options_),
                         .slots = messages_,
                         .access = access(),
                         .combined = combined_vertices(traits)};
  // A better message may follow, so what is processed too early is processed again.
  const bool again = traits.hearing != Hearing::every;
  const bool wave = is_wave(frontier);
  const bool labels = again && !wave;
  Run run{.round = everything,
          .worklist = worklist(Direction::out),
          .executor = executor_,
          .first = frontier,
          .ordered = true,
          .again = again,
          .labels = labels,
          .says_once = !again && traits.saying != Saying::changing,
          .symmetric = graph_.symmetric,
          .silent = silent(traits),
          .ahead = blocks_ahead(again && wave),
          .beside = again || wave ? blocks_beside() : 0,
          .limits = merge_limits(request_blocks()),
          .company = company(labels)};
  begin(everything, outs);
  process_until_done(run, outs);
  report_.vertices_processed += end().vertices;
  for (Submitter& submitter : submitters) {
    submitter.note_activated();
    report_.activations += submitter.reported();
  }
}

// The worklist of a round, whose activations are the next frontier.
void AsyncBlockEngine::read(Round& round, const Frontier& readers,
                            std::span<Activations* const> outs) {
  Run run{.round = round,
          .worklist = worklist(round.lists.direction),
          .executor = executor_,
          .first = readers,
          .symmetric = graph_.symmetric,
          .ahead = blocks_ahead(false),
          .limits = merge_limits(request_blocks())};
  process_until_done(run, outs);
}

void AsyncBlockEngine::process_until_done(Run& run, std::span<Activations* const> outs) {
  keep_in_frames(&run.worklist);
  run.worklist.expect(executor_.size(),
                      {.again = run.again, .labels = run.labels, .ahead = run.beside});
  executor_.run([&](unsigned worker) {
    try {
      BlockExecutor(run, states_[worker], hands()[worker], *outs[worker], hole_budgets_[worker],
                    depth_of(worker))
          .work();
    } catch (...) {
      run.worklist.fail();
      throw;
    }
  });
}

BlockSource& AsyncBlockEngine::list_source(Direction /*direction*/, unsigned worker) {
  if (list_sources_.empty()) keep_lists_in_frames();
  return *list_sources_[worker];
}

// A list is often in the block of another: with the cache a search in depth of a grid asks for 0.3
// of the bytes.
void AsyncBlockEngine::keep_lists_in_frames() {
  keep_in_frames(nullptr);
  const auto files = static_cast<std::uint32_t>(layout_.block_files().size());
  for (unsigned w = 0; w < executor_.size(); ++w) {
    BlockCache& cache = *list_caches_.emplace_back(
        std::make_unique<BlockCache>(door_, files, find_policy("clock"), frames_.arena(w)));
    const std::size_t tickets = std::min<std::size_t>(depth_of(w), cache.pool().slots());
    list_sources_.push_back(cache.source(door_, 0, tickets));
  }
  was_used_.policy = list_caches_.front()->policy();
  was_used_.slots = 0;
  for (const auto& cache : list_caches_) was_used_.slots += cache->pool().slots();
}

void AsyncBlockEngine::forget_lists() {
  for (const auto& cache : list_caches_) was_used_.counters += cache->pool().counters();
  list_sources_.clear();
  list_caches_.clear();
}

void AsyncBlockEngine::add_own(EngineReport& report) const {
  std::uint64_t queues = 0;
  for (const auto& worklist : worklists_) queues += worklist ? worklist->memory_bytes() : 0;
  for (const ExecutorState& state : states_) queues += state.own.memory_bytes();
  if (was_used_.slots > 0) {
    report.cache = was_used_;
    for (const auto& cache : list_caches_) report.cache->counters += cache->pool().counters();
  }
  report.memory.emplace_back("frames", frames_.bytes());
  report.memory.emplace_back("worklist", queues);
}

}  // namespace outcore
