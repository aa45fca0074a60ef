// SPDX-License-Identifier: Apache-2.0
#include "engines/async_block/async_block.h"

#include <fmt/format.h>

#include <limits>

#include "common/error.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "engines/vertex_ranges.h"
#include "engines/worker_share.h"
#include "storage/trace/trace.h"

namespace outcore {

namespace {

// No more than all blocks for each executor, and room for the lists that go through in pieces.
std::size_t ring_bytes(const Layout& layout, const EngineOptions& options) {
  const std::uint64_t block = layout.facts().block_bytes;
  std::uint64_t blocks = 0;
  for (const BlockFile& file : layout.block_files()) blocks = std::max(blocks, file.blocks());
  const std::uint64_t request = std::max<std::uint64_t>(options.max_request_bytes / block, 1);
  const std::uint64_t most = blocks + most_of_depth(options) * request;
  return std::min(options.frames_bytes, block * most * options.threads);
}

Worklist::Rules::First first_blocks(const std::string& priority) {
  using First = Worklist::Rules::First;
  return priority == "on" ? First::soonest : priority == "off" ? First::in_file : First::fullest;
}

// What an executor activates goes to the worklist.
class Submitter : public Activations {
 public:
  Submitter(Worklist& worklist, Worklist::Own& own) : worklist_(&worklist), own_(&own) {}
  [[nodiscard]] std::uint64_t reported() const { return reported_; }

 protected:
  void take(std::span<const Entry> entries) override {
    reported_ += entries.size();
    worklist_->submit(entries, *own_);
  }

 private:
  Worklist* worklist_;
  Worklist::Own* own_;
  std::uint64_t reported_ = 0;
};

}  // namespace

std::vector<Parameter> AsyncBlockEngine::parameters() {
  const std::vector<std::string> on_off = {"on", "off"};
  return {
      {"mode", "blocks as they become active, or rounds (section 4.3)", "async", {"async", "sync"}},
      {"priority",
       "blocks with the soonest vertices first; benefit: with the most active edges for each byte; "
       "off: as they lie in the file",
       "on",
       {"on", "benefit", "off"}},
      {"early_stop",
       "uses of a block until it must be read again; 0: no limit",
       "0",
       {},
       {{0, std::numeric_limits<std::uint8_t>::max()}}},
      {"keep", "keep blocks that are done with until their frames are needed", "on", on_off},
      {"ahead",
       "blocks that wait in memory at most before an executor reads on; 0: a quarter of its "
       "frames, or 8 where what is processed too soon is processed again (labels, distances)",
       "0",
       {},
       {{0, std::numeric_limits<std::uint32_t>::max()}}},
      {"combine",
       "where ids go by degree: executors add up messages to the first of them before they tell "
       "them",
       "on", on_off}};
}

AsyncBlockEngine::Knobs::Knobs(const Settings& settings)
    : synchronous(settings.at("mode") == "sync"),
      ahead(whole_setting(settings, "ahead")),
      combine(settings.at("combine") == "on"),
      rules{.first = first_blocks(settings.at("priority")),
            .keep = settings.at("keep") == "on",
            .early_stop = static_cast<std::uint8_t>(whole_setting(settings, "early_stop"))} {}

AsyncBlockEngine::AsyncBlockEngine(const Layout& layout, const EngineOptions& options)
    : layout_(layout),
      options_(checked(layout, options)),
      knobs_(complete_settings(parameters(), options.settings)),
      graph_(graph_of(layout)),
      executor_(options_.threads),
      frames_(ring_bytes(layout, options_), layout.facts().block_bytes, options_.threads),
      door_(layout.block_files(), options_.backend,
            backend_options(options_, most_of_depth(options_))),
      own_(executor_.size()),
      decoded_(executor_.size(), DecodeSpace(layout.pieces())) {
  // Each by its own worker: a backend that registers frames clears all of their memory.
  channels_.resize(executor_.size());
  executor_.run([&](unsigned worker) {
    channels_[worker] = std::make_unique<DoorChannel>(door_, frames_.arena(worker).memory());
  });
  for (unsigned worker = 0; worker < executor_.size(); ++worker) {
    rings_.emplace_back(frames_.arena(worker).memory(), layout.facts().block_bytes);
    own_[worker].executor = worker;
  }
  report_.notes = notes_on_threads(options);
}

Capabilities AsyncBlockEngine::capabilities() const {
  return {.converge = Visibility::immediate,
          .round = Visibility::round,
          .pull = true,
          .heads = layout_.choices().heads > 0,
          .drive = false};
}

void AsyncBlockEngine::for_each_vertex(const VertexFn& f) {
  outcore::for_each_vertex(executor_, layout_, f);
}

void AsyncBlockEngine::for_each_range(const RangeFn& f) {
  outcore::for_each_range(executor_, graph_.id_space, f);
}

std::uint64_t AsyncBlockEngine::edges_of(const Frontier& frontier) {
  return outcore::edges_of(executor_, layout_, frontier);
}

void AsyncBlockEngine::heads(unsigned k, const HeadsFn& f) {
  for_each_head(executor_, layout_, k, f);
}

Worklist& AsyncBlockEngine::worklist(Direction direction) {
  auto& worklist = worklists_[layout_.file(direction)];
  if (!worklist) {
    worklist = std::make_unique<Worklist>(layout_, direction, knobs_.rules, executor_);
  }
  return *worklist;
}

// Those that executors would take from one another: as many as half of a usual second-level cache
// holds messages for, and few beside those whose messages are not kept back.
VertexId AsyncBlockEngine::combined_vertices(const Traits& traits) const {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  constexpr VertexId kOneIn = 64;
  const bool by_degree = layout_.choices().number == "degree";
  if (!knobs_.combine || !by_degree || !traits.combines || executor_.size() == 1) return 0;
  const std::size_t most = kBytes / std::max<std::size_t>(traits.message_bytes, 1);
  return static_cast<VertexId>(std::min<std::size_t>(most, graph_.id_space / kOneIn));
}

void AsyncBlockEngine::use(Run& run) {
  if (in_frames_ != nullptr && in_frames_ != &run.worklist) {
    for (FrameRing& ring : rings_) {
      ring.give_all(
          [&](std::uint32_t block, const std::byte* frame) { in_frames_->let_go(block, frame); });
    }
  }
  in_frames_ = &run.worklist;
}

void AsyncBlockEngine::converge(Program& program, Frontier&& frontier) {
  const Traits traits = program.traits();
  if (traits.settles || knobs_.synchronous) {
    while (!frontier.empty()) {
      frontier = round(program, std::move(frontier), Direction::out, Mode::any);
    }
    return;
  }
  report_.visibility = Visibility::immediate;
  std::vector<Submitter> submitters;
  for (Worklist::Own& own : own_) submitters.emplace_back(worklist(Direction::out), own);
  Run run{.program = program,
          .message_bytes = traits.message_bytes,
          .worklist = worklist(Direction::out),
          .index = layout_.index(Direction::out),
          .file = layout_.file(Direction::out),
          .first = frontier,
          .ordered = true,
          .again = traits.newest_is_enough || traits.first_is_enough,  // a better one may follow
          .combined = combined_vertices(traits),
          .activations = {}};
  for (Submitter& submitter : submitters) run.activations.push_back(&submitter);
  process_until_done(run);
  for (const Submitter& submitter : submitters) report_.activations += submitter.reported();
}

Frontier AsyncBlockEngine::round(Program& program, Frontier&& frontier, Direction direction,
                                 Mode mode) {
  const Stopwatch watch;
  const Traits traits = program.traits();
  const auto [everything, pull, read] = plan_round(traits, graph_, frontier, direction, mode);
  const Frontier listening =
      pull ? listeners(executor_, program, graph_.id_space) : Frontier(graph_.id_space);
  Run run{.program = program,
          .message_bytes = traits.message_bytes,
          .worklist = worklist(read),
          .index = layout_.index(read),
          .file = layout_.file(read),
          .first = pull ? listening : frontier,
          .dense = pull || traits.emits_what_it_hears,
          .pull = pull,
          .first_is_enough = traits.first_is_enough,
          .active = everything ? nullptr : &frontier.bits(),
          .combined = pull ? 0 : combined_vertices(traits),
          .activations = {}};
  Frontier next(graph_.id_space);
  std::vector<Collector> collectors(executor_.size(), Collector(next));
  for (Collector& collector : collectors) run.activations.push_back(&collector);
  if (traits.takes_all_messages(pull)) {
    messages_.resize(std::size_t{graph_.id_space} * traits.message_bytes);
    take_all_messages(executor_, program, frontier, layout_.index(direction),
                      {messages_.data(), traits.message_bytes});
  }
  const IoCounters before = io_so_far(door_, channels_);
  const std::uint64_t edges_before = report_.edges_processed;
  process_until_done(run);
  if (pull) report_.vertices_processed += frontier.size();
  if (traits.settles) settle_all(executor_, program, graph_.id_space, collectors);
  for (Collector& collector : collectors) {
    collector.drain();
    report_.activations += collector.reported();
  }
  next.adopt(collectors);
  const IoCounters after = io_so_far(door_, channels_);
  report_.rounds.push_back(
      {.frontier = frontier.size(),
       .blocks = (after.requested_bytes - before.requested_bytes) / layout_.facts().block_bytes,
       .requests = after.requests - before.requests,
       .requested_bytes = after.requested_bytes - before.requested_bytes,
       .edges = report_.edges_processed - edges_before,
       .pull = pull,
       .seconds = watch.seconds()});
  if (options_.rounds_done != nullptr) ++*options_.rounds_done;
  return next;
}

EngineReport AsyncBlockEngine::report() const {
  EngineReport report = report_;
  report.io = io_so_far(door_, channels_);
  add_backend(report, door_.backend());
  std::uint64_t blocks = 0;
  for (const auto& worklist : worklists_) blocks += worklist ? worklist->memory_bytes() : 0;
  for (const Worklist::Own& own : own_) blocks += own.memory_bytes();
  report.memory = {{"index", layout_.index_bytes()},
                   {"frames", ring_bytes(layout_, options_)},
                   {"messages", messages_.capacity() + combiner_bytes_},
                   {"worklist", blocks}};
  return report;
}

}  // namespace outcore
