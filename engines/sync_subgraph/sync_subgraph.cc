// SPDX-License-Identifier: Apache-2.0
#include "engines/sync_subgraph/sync_subgraph.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "engines/frames_too_small.h"
#include "engines/lists/frame_sizes.h"
#include "storage/layout/layout_command.h"

namespace outcore {

namespace {

// Frames are cut in four: blocks of selected rounds, the slots of the loader, and what of the other
// half an interval's edges do not take when they are constructed is for shards that are kept.
constexpr unsigned kQuarters = 4;
constexpr unsigned kComing = 8;  // parts of shards on their way, while as many are processed

void check_layout(const Layout& layout) {
  LayoutChoices wanted = layout.choices();
  wanted.place = "id";
  wanted.inline_edges = 0;
  wanted.mini_data = false;
  if (wanted == layout.choices()) return;
  throw usage_error(fmt::format(
      "engine sync_subgraph reads shards, whose lists lie by id (place id) and not in the index "
      "(inline 0); {} has place {} and inline {}; {}",
      layout.folder().string(), layout.choices().place, layout.choices().inline_edges,
      how_to_have(graph_of_layout(layout.folder()), wanted)));
}

// A layout of shards, and a block a thread in the least of the four.
EngineOptions checked_options(const Layout& layout, const EngineOptions& options) {
  check_layout(layout);
  const std::uint64_t workers = std::min(options.threads, options.depth);
  const std::uint64_t least = kQuarters * workers * layout.facts().block_bytes;
  if (options.frames_bytes >= least) return options;
  throw FramesTooSmall(
      options.frames_bytes,
      fmt::format("they are cut in four, and {} threads need a block of {} each of a part", workers,
                  human_size(layout.facts().block_bytes)),
      least);
}

std::vector<Shards> shards_of(const Layout& layout, Executor& executor) {
  std::vector<Shards> shards;
  shards.emplace_back(layout, Direction::out, executor);
  if (!layout.facts().symmetric) shards.emplace_back(layout, Direction::in, executor);
  return shards;
}

BenefitModel::Kind benefit_of(const Parameters& settings) {
  const std::string& text = settings.text("benefit");
  if (text == "paper") return BenefitModel::Kind::paper;
  return text == "interval" ? BenefitModel::Kind::interval : BenefitModel::Kind::requests;
}

Construction construction_of(const Parameters& settings) {
  const std::string& text = settings.text("construction");
  if (text == "serial") return Construction::serial;
  // What is updated more than once must be there.
  if (text == "parallel" || settings.whole("reenter") > 1) return Construction::parallel;
  return Construction::fused;
}

// Does a probe, or a model, tell what the benefit model divides by?
bool are_known(const std::optional<DeviceRates>& rates) {
  return rates && rates->random_mb_per_s > 0 && rates->sequential_mb_per_s > 0;
}

IntervalRoom room_of(const Layout& layout, const EngineOptions& options) {
  const std::uint64_t half = options.frames_bytes / 2;
  const std::uint64_t edge_bytes = layout.pieces().weighted() ? 8 : 4;
  return {.loaded_bytes = half, .constructed_edges = half / edge_bytes};
}

}  // namespace

std::vector<Parameter> SyncSubgraphEngine::parameters() {
  constexpr auto kWhole = Parameter::Kind::whole;
  return ListEngine::parameters(
      {{.name = "p",
        .fallback = "auto",
        .help = "intervals; auto: the fewest whose shards fit into the frames",
        .kind = kWhole,
        .least = 1,
        .most = kNoVertex,
        .choices = {"auto"}},
       {.name = "schedule",
        .fallback = "auto",
        .help = "rounds: full, by all in-shards; selected, by the lists of active vertices; or "
                "whichever costs less",
        .choices = {"auto", "full", "selected"}},
       {.name = "benefit",
        .fallback = "requests",
        .help = "the costs that schedule=auto compares: those of requests; the paper's (3.6); "
                "those of requests, for each interval of a full round too",
        .choices = {"requests", "paper", "interval"}},
       {.name = "construction",
        .fallback = "fused",
        .help = "an interval's arrays of edges: none, each block goes to the program as it comes; "
                "by all workers; by one (LOSC-v1)",
        .choices = {"fused", "parallel", "serial"}},
       {.name = "visibility",
        .fallback = "interval",
        .help = "what a converging program sees in a full round: what earlier intervals wrote, "
                "where that is allowed, or nothing of the round",
        .choices = {"interval", "round"}},
       {.name = "shards",
        .fallback = "needed",
        .help = "what a full round loads of a directed graph: the in-shards that are heard, or "
                "the out-shards too, as the paper does",
        .choices = {"needed", "both"}},
       {.name = "keep",
        .fallback = "off",
        .help = "shards that frames have room for stay from round to round",
        .choices = {"off", "on"}},
       {.name = "reenter",
        .fallback = "1",
        .help = "how many times an interval is updated at most while it is there (CLIP, Lumos), "
                "where visibility is interval",
        .kind = kWhole,
        .least = 1,
        .most = 1 << 20}});
}

// Sections 3.2 to 3.6: both shards are loaded, their arrays are made by all workers, and the
// paper's model decides.
PublishedForm SyncSubgraphEngine::published() {
  return {.settings = {"benefit=paper", "construction=parallel", "shards=both", "combine=off"}};
}

SyncSubgraphEngine::SyncSubgraphEngine(const Layout& layout, const EngineOptions& options)
    : ListEngine(layout, checked_options(layout, options), parameters()),
      directions_(shards_of(layout, executor_)),
      intervals_(cut()),
      schedule_(settings_.text("schedule") == "full"       ? Schedule::full
                : settings_.text("schedule") == "selected" ? Schedule::selected
                                                           : Schedule::automatic),
      benefit_kind_(benefit_of(settings_)),
      by_interval_(settings_.text("visibility") == "interval") {
  open_selected_rounds();
  open_full_rounds();
  benefit_.emplace(
      BenefitModel::Costs{.kind = benefit_kind_,
                          .rates = are_known(options.rates) ? *options.rates : guessed_rates(),
                          .merging = merge_limits(sources_.front()->most_blocks()),
                          .processors = executor_.size()});
  if (schedule_ == Schedule::automatic && !are_known(options_.rates)) {
    report_.notes.emplace_back(
        "the device's rates are guessed, which decide between full and selected rounds: there is "
        "no probe of this device, or none with T_rr and T_sr (outcore probe)");
  } else if (schedule_ == Schedule::automatic && options_.rates->write_mb_per_s == 0) {
    report_.notes.push_back(fmt::format(
        "{} has no rate of writes (T_sw): values on disk are taken to be written as fast as they "
        "are read",
        options_.rates->source));
  }
}

// Both shards of an interval must fit where both are loaded; else only whichever is.
Intervals SyncSubgraphEngine::cut() const {
  ShardRows rows;
  for (const Shards& shards : directions_) {
    if (rows.empty() || settings_.text("shards") == "needed") rows.emplace_back();
    rows.back().push_back(&shards);
  }
  const IntervalRoom room = room_of(layout_, options_);
  if (settings_.text("p") == "auto") return cut_intervals(rows, graph_.id_space, room);
  return cut_intervals(rows, graph_.id_space, room, settings_.whole("p"));
}

// Requests beyond what keeps the device busy would only make each of them smaller.
std::uint64_t SyncSubgraphEngine::selected_in_flight() const {
  const std::uint64_t by_depth = std::uint64_t{depth_of(0)} * options_.threads;
  if (!are_known(options_.rates)) return by_depth;
  const std::uint64_t busy = 2 * std::max(options_.rates->k_r, options_.threads);
  return std::min(by_depth, busy);
}

void SyncSubgraphEngine::open_selected_rounds() {
  const FrameSizes sizes(options_.frames_bytes / kQuarters, layout_.facts().block_bytes,
                         selected_in_flight(), options_.max_request_bytes);
  frames_.emplace(sizes.pool, sizes.slot, executor_.size());
  for (unsigned worker = 0; worker < executor_.size(); ++worker) {
    sources_.push_back(frame_source(door_, frames_->arena(worker), depth_of(worker)));
  }
}

void SyncSubgraphEngine::open_full_rounds() {
  const FrameSizes sizes(options_.frames_bytes / kQuarters, layout_.facts().block_bytes, kComing,
                         options_.max_request_bytes);
  FullRoundChoices choices{.construction = construction_of(settings_),
                           .both_shards = settings_.text("shards") == "both",
                           .updates = static_cast<unsigned>(settings_.whole("reenter")),
                           .room = room_of(layout_, options_),
                           .slot_bytes = sizes.slot,
                           .slots_in_turn = sizes.pool / sizes.slot};
  if (settings_.text("keep") == "on") {
    const std::uint64_t constructed =
        choices.construction == Construction::fused ? 0 : options_.frames_bytes / 2;
    const std::uint64_t room = options_.frames_bytes - constructed - frames_->bytes() -
                               choices.slots_in_turn * choices.slot_bytes;
    choices.kept_bytes = std::min(room, most_kept(choices.slot_bytes));
  }
  full_.emplace(layout_, directions_, intervals_, choices, executor_, door_, options_.trace);
}

// Of all shards, each interval's in parts of so many bytes.
std::uint64_t SyncSubgraphEngine::most_kept(std::uint64_t part_bytes) const {
  std::uint64_t bytes = 0;
  for (const Shards& shards : directions_) {
    bytes += shards.blocks() * shards.block_bytes() + 2 * part_bytes * intervals_.count();
  }
  return bytes;
}

void SyncSubgraphEngine::converge(Program& program, Frontier&& frontier) {
  const Traits traits = program.traits();
  converging_by_interval_ = by_interval_ && traits.newest_is_enough() && !traits.settles;
  ListEngine::converge(program, std::move(frontier));
  converging_by_interval_ = false;
}

bool SyncSubgraphEngine::pulls(Program& program, const Frontier& frontier, Direction direction,
                               Mode mode) {
  if (!program.traits().combines) return false;
  if (mode != Mode::any) return mode == Mode::pull;
  if (schedule_ == Schedule::selected) return false;
  if (schedule_ == Schedule::full || frontier.size() == graph_.vertices) return true;
  const Stopwatch watch;
  estimate_ = benefit_->estimate(full_costs(direction), frontier,
                                 directions_[layout_.file(direction)], executor_);
  evaluate_seconds_ += watch.seconds();
  return !estimate_->selects();
}

BenefitModel::Full SyncSubgraphEngine::full_costs(Direction direction) const {
  const std::uint32_t along = layout_.file(direction);
  BenefitModel::Full full{.kept = full_->kept(), .edges = graph_.edges};
  for (const auto& [name, bytes] : options_.states->in_files()) full.value_bytes += bytes;
  for (const Shards& shards : directions_) {
    const bool heard = directions_.size() == 1 || shards.file() != along;
    if (heard || settings_.text("shards") == "both") {
      full.bytes += shards.blocks() * shards.block_bytes();
      full.requests += shards.blocks() / full_->part_blocks();
      full.intervals += intervals_.count();
    }
  }
  return full;
}

void SyncSubgraphEngine::read(Round& round, const Frontier& readers,
                              std::span<Activations* const> outs) {
  const double before = processor_seconds();
  if (round.pull) {
    read_full(round, readers, outs);
  } else {
    read_selected(round, readers);
  }
  processor_seconds_ = processor_seconds() - before;
}

void SyncSubgraphEngine::read_full(Round& round, const Frontier& readers,
                                   std::span<Activations* const> outs) {
  if (converging_by_interval_) report_.visibility = Visibility::interval;
  const std::uint64_t before = full_->counts().intervals;
  const std::vector<std::uint8_t> by_list = intervals_by_list(round, readers);
  if (!by_list.empty()) read_by_list(round, readers, by_list, outs);
  full_->run(round, readers,
             {.by_interval = converging_by_interval_,
              .skip = schedule_ == Schedule::automatic,
              .elsewhere = by_list,
              .windows = windows()},
             hands(), outs);
  intervals_read_ += full_->counts().intervals - before;
}

// None is where every vertex listens, and where no interval is to be looked at by itself.
std::vector<std::uint8_t> SyncSubgraphEngine::intervals_by_list(const Round& round,
                                                                const Frontier& readers) {
  const bool asked =
      schedule_ == Schedule::automatic && benefit_kind_ == BenefitModel::Kind::interval;
  if (!asked || readers.size() == graph_.vertices) return {};
  const Stopwatch watch;
  std::vector<std::uint8_t> by_list(intervals_.count());
  executor_.parallel_for(0, by_list.size(), 1, [&](unsigned, std::size_t i, std::size_t end) {
    for (; i < end; ++i) {
      const VertexRange interval = intervals_[static_cast<std::uint32_t>(i)];
      if (!readers.bits().any(interval.begin, interval.end)) continue;
      const Shards& lists = directions_[round.lists.file];
      by_list[i] = benefit_->selects(interval, readers.bits(), lists, full_->kept()) ? 1 : 0;
    }
  });
  evaluate_seconds_ += watch.seconds();
  return by_list;
}

// Before the shards, as one interval: what it changes speaks in the next round.
void SyncSubgraphEngine::read_by_list(Round& round, const Frontier& readers,
                                      std::span<const std::uint8_t> by_list,
                                      std::span<Activations* const> outs) {
  Bitmap chosen(graph_.id_space);
  for (std::uint32_t i = 0; i < by_list.size(); ++i) {
    if (by_list[i] == 0) continue;
    readers.bits().for_each(intervals_[i].begin, intervals_[i].end,
                            [&](std::size_t v) { chosen.set_alone(v); });
    ++intervals_by_list_;
  }
  intervals_read_ += intervals_by_list_;
  if (intervals_by_list_ == 0) return;
  read_blocks(round, Frontier::from_bits(std::move(chosen)), queue_, sources_, &full_->kept());
  if (!round.traits.settles) return;
  executor_.parallel_for(0, by_list.size(), 1,
                         [&](unsigned worker, std::size_t i, std::size_t end) {
                           for (; i < end; ++i) {
                             const VertexRange interval = intervals_[static_cast<std::uint32_t>(i)];
                             if (by_list[i] != 0) round.program.settle(interval, *outs[worker]);
                           }
                         });
}

void SyncSubgraphEngine::read_selected(Round& round, const Frontier& readers) {
  intervals_read_ = active_intervals(readers);
  read_blocks(round, readers, queue_, sources_, &full_->kept());
}

// The paper's interval bitmap, counted.
std::uint64_t SyncSubgraphEngine::active_intervals(const Frontier& active) const {
  if (!active.is_sparse()) {
    std::uint64_t count = 0;
    for (std::uint32_t i = 0; i < intervals_.count(); ++i) {
      count += active.bits().any(intervals_[i].begin, intervals_[i].end) ? 1 : 0;
    }
    return count;
  }
  std::vector<std::uint32_t> intervals;
  for (const VertexId v : active.list()) intervals.push_back(intervals_.of(v));
  std::sort(intervals.begin(), intervals.end());
  return static_cast<std::uint64_t>(std::unique(intervals.begin(), intervals.end()) -
                                    intervals.begin());
}

void SyncSubgraphEngine::tell_own(RoundReport& round) {
  if (round.pull) {
    benefit_->learn_full(processor_seconds_);
  } else {
    benefit_->learn_selected(processor_seconds_, round.edges);
    ++selected_rounds_;
  }
  round.own["intervals_skipped"] = static_cast<double>(intervals_.count() - intervals_read_);
  round.own["intervals_by_list"] = static_cast<double>(intervals_by_list_);
  round.own["kept_bytes"] = static_cast<double>(full_->kept().bytes());
  selected_intervals_ += intervals_by_list_;
  intervals_read_ = 0;
  intervals_by_list_ = 0;
  if (!estimate_) return;
  round.own["full_estimate_s"] = estimate_->full;
  round.own["selected_estimate_s"] = estimate_->selected;
  estimate_.reset();
}

void SyncSubgraphEngine::add_own(EngineReport& report) const {
  report.memory.emplace_back("frames", frames_->bytes() + full_->load_bytes());
  report.memory.emplace_back("subgraph", full_->subgraph_bytes());
  report.memory.emplace_back("block_queue", queue_.memory_bytes());
  report.stages["load"] = full_->load_seconds();
  report.stages["construct"] = full_->construct_seconds().wall;
  report.stages["construct_processors"] = full_->construct_seconds().processors;
  report.stages["update"] = full_->update_seconds().wall;
  report.stages["update_processors"] = full_->update_seconds().processors;
  report.stages["synchronise"] = full_->synchronise_seconds();
  report.stages["evaluate"] = evaluate_seconds_;
  report.counts["intervals"] = intervals_.count();
  report.counts["intervals_loaded"] = full_->counts().intervals;
  report.counts["edges_loaded"] = full_->counts().edges_loaded;
  report.counts["edges_constructed"] = full_->counts().edges_constructed;
  report.counts["selected_rounds"] = selected_rounds_;
  report.counts["selected_intervals"] = selected_intervals_;
}

}  // namespace outcore
