// SPDX-License-Identifier: Apache-2.0
#include "engines/binning/binning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "common/sizes.h"
#include "engines/lists/frame_sizes.h"

namespace outcore {

namespace {

bool is_fixed(const Parameters& settings) { return settings.text("roles") == "fixed"; }

}  // namespace

std::vector<Parameter> BinningEngine::parameters() {
  constexpr auto kWhole = Parameter::Kind::whole;
  return ListEngine::parameters(
      {{.name = "apply",
        .fallback = "bins",
        .help = "messages: into bins, applied by one worker each; or to the vertices at once, with "
                "atomics (Blaze without binning)",
        .choices = {"bins", "atomic"}},
       {.name = "roles",
        .fallback = "any",
        .help = "workers: each scatters and gathers; or some of them the one and some the other, "
                "with a thread that reads beside them (the paper)",
        .choices = {"any", "fixed"}},
       {.name = "ratio",
        .fallback = "0.67",
        .help = "roles=fixed: the share of workers that scatter",
        .kind = Parameter::Kind::real,
        .least = 0,
        .most = 1},
       {.name = "bins",
        .fallback = "auto",
        .help = "bins, a power of two; auto: of 65,536 vertices",
        .kind = kWhole,
        .least = 1,
        .most = kNoVertex,
        .choices = {"auto"}},
       {.name = "bin-space",
        .fallback = "64M",
        .help = "bytes for records that were scattered and are not gathered yet"},
       {.name = "staging",
        .fallback = "128",
        .help = "records of a worker's line for each bin, a power of two",
        .kind = kWhole,
        .least = 16,
        .most = 65536},
       {.name = "ids",
        .fallback = "written",
        .help = "targets of records: written in every round; or kept from the first round in which "
                "everything is active to the next",
        .choices = {"written", "kept"}},
       {.name = "ids-space", .fallback = "256M", .help = "ids=kept: bytes for the targets"},
       {.name = "spill",
        .fallback = "off",
        .help = "what outgrows bin-space: off: the fullest bin is gathered; or a folder on a disk, "
                "to which full bins are written until the round ends (X-Stream)"}});
}

// Blaze's threads have fixed roles, and a request is four pages at most.
PublishedForm BinningEngine::published() {
  return {.settings = {"roles=fixed", "combine=off"}, .max_request = 16 << 10};
}

BinningEngine::BinningEngine(const Layout& layout, const EngineOptions& options)
    : ListEngine(
          layout, options, parameters(),
          is_fixed(options.settings.or_defaults(parameters())) ? Readers::one : Readers::each) {
  fix_roles();
  if (settings_.text("apply") == "bins") open_bins();
  if (space_ && settings_.text("spill") != "off") open_spill();
  open_frames();
  note_idle_knobs();
}

// Of what was asked for, what makes no difference.
void BinningEngine::note_idle_knobs() {
  const auto depends_on = [&](const std::string& knob) -> std::string {
    if (knob == "form" || knob == "apply" || knob == "roles" || knob == "combine") return {};
    if (!space_) return "apply";
    if (knob == "ratio" && with_reader_ == nullptr) return "roles";
    if (knob == "ids-space" && !kept_) return "ids";
    return {};
  };
  for (const auto& [knob, value] : settings_.changed()) {
    const std::string other = depends_on(knob);
    if (other.empty()) continue;
    report_.notes.push_back(fmt::format("{}={} makes no difference with {}={}", knob, value, other,
                                        settings_.text(other)));
  }
}

// Workers hold buffers of both kinds of bins, so each kind counts as a worker of its own.
void BinningEngine::open_bins() {
  const unsigned workers = executor_.size();
  const bool keeps = settings_.text("ids") == "kept";
  space_.emplace(BinSizes::of(settings_, graph_.id_space, keeps ? 2 * workers : workers));
  if (keeps) kept_.emplace(space_->sizes(), parse_size(settings_.text("ids-space"), "ids-space"));
  bins_.reserve(std::size_t{2} * workers);
  for (unsigned worker = 0; worker < workers; ++worker) bins_.emplace_back(*space_);
  if (!keeps) return;
  for (unsigned worker = 0; worker < workers; ++worker) bins_.emplace_back(*space_, false);
}

void BinningEngine::open_spill() {
  spill_ = std::make_unique<Spill>(settings_.text("spill"), space_->sizes(), graph_.edges,
                                   options_.backend, backend_options(options_, depth_of(0)));
  for (unsigned worker = 0; worker < executor_.size(); ++worker) {
    spill_ports_.push_back(std::make_unique<SpillPort>(*spill_, depth_of(worker)));
  }
}

IoCounters BinningEngine::io() const {
  IoCounters io = ListEngine::io();
  if (spill_) io.add(spill_->counters());
  return io;
}

void BinningEngine::fix_roles() {
  if (!is_fixed(settings_)) return;
  const unsigned workers = executor_.size();
  const bool binned = settings_.text("apply") == "bins";
  if (binned && workers < 2) {
    throw usage_error(fmt::format(
        "roles=fixed with {} thread: at least one scatters and one gathers; give --threads 2 (and "
        "--depth 2) or more, or roles=any",
        workers));
  }
  const double share = settings_.real("ratio") * workers;
  scatterers_ =
      binned ? std::clamp(static_cast<unsigned>(std::lround(share)), 1U, workers - 1) : workers;
  with_reader_ = std::make_unique<Executor>(workers + 1, watch_of(options_));
}

// One way to the device for each who reads.
void BinningEngine::open_frames() {
  const FrameSizes sizes(options_.frames_bytes, layout_.facts().block_bytes,
                         std::uint64_t{depth_of(0)} * options_.threads, options_.max_request_bytes);
  const bool fixed = with_reader_ != nullptr;
  const unsigned readers = fixed ? 1 : executor_.size();
  frames_.emplace(sizes.pool, sizes.slot, readers);
  for (unsigned reader = 0; reader < readers; ++reader) {
    sources_.push_back(
        frame_source(door_, frames_->arena(reader), fixed ? options_.depth : depth_of(reader)));
  }
}

bool BinningEngine::pulls(Program& /*program*/, const Frontier& /*frontier*/,
                          Direction /*direction*/, Mode mode) {
  if (mode == Mode::pull) {
    throw usage_error("engine binning only pushes: records go from active vertices to bins");
  }
  return false;
}

void BinningEngine::read(Round& round, const Frontier& readers,
                         std::span<Activations* const> outs) {
  touched_before_ = io().touched_bytes;
  if (spill_) {
    spill_->start_round();
    spill_read_before_ = spill_->counters().requested_bytes;
  }
  const bool same =
      !queue_.build(executor_, readers, round.lists.index, round.lists.blocks(),
                    round.dense ? BlockQueue::Edgeless::left_out : BlockQueue::Edgeless::named);
  if (!round.dense) take_straddlers(round, queue_.straddlers());
  Requests requests(round, queue_, merge_limits(sources_.front()->most_blocks()),
                    hole_budgets_.front(), Requests::Order::ascending);
  KeptIds* kept = kept_ && round.active == nullptr ? &*kept_ : nullptr;
  const bool keeping = kept != nullptr && !kept->begin_round(requests.runs(), same);
  Scatter scatter(round, requests, queue_.blockless(),
                  {.executor = executor_,
                   .hands = hands(),
                   .sources = sources_,
                   .bins = bins_,
                   .space = space_ ? &*space_ : nullptr,
                   .kept = kept,
                   .keeping = keeping,
                   .spill = spill_ports_},
                  outs);
  if (with_reader_ != nullptr) {
    scatter.by_fixed(*with_reader_, scatterers_);
  } else {
    scatter.by_any();
  }
  scatter.gather_rest();
  count(scatter, round.traits.message_bytes);
}

void BinningEngine::count(const Scatter& scatter, std::size_t message_bytes) {
  const Gatherer::Counts gathered = scatter.gathered();
  round_pages_ = queue_.blocks().size();
  round_records_ = gathered.records;
  pages_wanted_ += round_pages_;
  record_bytes_ +=
      gathered.records * (sizeof(VertexId) + message_bytes) - gathered.kept * sizeof(VertexId);
  for (const WorkerBins& bins : bins_) short_ += bins.short_of_buffers();
  if (space_) fullest_bin_ = std::max(fullest_bin_, space_->most_drained());
  gathered_.add(gathered);
  scatter_seconds_ += scatter.seconds().scattering;
  waiting_seconds_ += scatter.seconds().waiting;
}

void BinningEngine::tell_own(RoundReport& round) {
  round.own["pages_wanted"] = static_cast<double>(round_pages_);
  round.own["records"] = static_cast<double>(round_records_);
  const std::uint64_t spilled =
      spill_ ? spill_->counters().requested_bytes - spill_read_before_ : 0;
  const std::uint64_t pages_bytes = round.requested_bytes - spilled;
  if (pages_bytes == 0) return;
  const auto used = static_cast<double>(io().touched_bytes - touched_before_);
  round.own["io_use"] = used / static_cast<double>(pages_bytes);
}

// Bins take memory as records fill them: up to all of their space, but no more than the records of
// every edge and a buffer that each worker has begun in each bin.
NamedBytes BinningEngine::memory_to_come(bool /*drives*/) const {
  if (!space_) return {};
  constexpr std::size_t kLargestRecord = sizeof(VertexId) + 16;
  const BinSizes& sizes = space_->sizes();
  const std::uint64_t begun = sizes.workers * sizes.bins * sizes.buffer_bytes;
  return {{"bins", std::min(sizes.space(), graph().edges * kLargestRecord + begun)}};
}

void BinningEngine::add_own(EngineReport& report) const {
  report.memory.emplace_back("page_frontier", queue_.memory_bytes());
  report.memory.emplace_back("frames", frames_->bytes());
  report.counts["pages_wanted"] = pages_wanted_;
  report.counts["scatterers"] = with_reader_ != nullptr ? scatterers_ : executor_.size();
  report.stages["scatter"] = scatter_seconds_;
  report.stages["waiting"] = waiting_seconds_;
  if (!space_) return;
  std::uint64_t lines = 0;
  for (const WorkerBins& bins : bins_) lines += bins.used_bytes();
  report.memory.emplace_back("bins", space_->used_bytes());
  report.memory.emplace_back("staging", lines);
  report.stages["gather"] = gathered_.processor_seconds;
  report.counts["bins"] = space_->sizes().bins;
  report.counts["records"] = gathered_.records;
  report.counts["record_bytes"] = record_bytes_;
  report.counts["records_kept"] = gathered_.kept;
  if (kept_) report.memory.emplace_back("kept_ids", kept_->bytes());
  report.counts["bins_early"] = gathered_.early;
  report.counts["bins_at_end"] = gathered_.at_end;
  report.counts["bins_short"] = short_;
  report.counts["records_in_one_bin"] = fullest_bin_;
  if (!spill_) return;
  report.counts["bins_spilled"] = gathered_.bins_spilled;
  report.counts["records_spilled"] = gathered_.records_spilled;
  std::uint64_t spill_bytes = spill_->sums_bytes();
  for (const auto& port : spill_ports_) spill_bytes += port->memory_bytes();
  report.memory.emplace_back("spill", spill_bytes);
}

}  // namespace outcore
