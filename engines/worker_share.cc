// SPDX-License-Identifier: Apache-2.0
#include "engines/worker_share.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/sizes.h"
#include "storage/trace/trace.h"

namespace outcore {

EngineOptions checked(const Layout& layout, const EngineOptions& options) {
  if (options.threads == 0) throw usage_error("--threads 0: at least one is needed");
  if (options.depth == 0) throw usage_error("--depth 0: at least one request must be in flight");
  EngineOptions checked = options;
  checked.threads = std::min(options.threads, options.depth);
  const std::uint64_t block = layout.facts().block_bytes;
  if (options.frames_bytes < block * checked.threads) {
    throw usage_error(fmt::format("--frames {} is too small: {} threads need a block of {} each",
                                  options.frames_bytes, checked.threads, human_size(block)));
  }
  return checked;
}

std::vector<std::string> notes_on_threads(const EngineOptions& asked) {
  if (asked.threads <= asked.depth) return {};
  return {
      fmt::format("{} of {} threads: each waits for requests of its own, and --depth {} is how "
                  "many may be in flight",
                  asked.depth, asked.threads, asked.depth)};
}

RoundPlan plan_round(const Traits& traits, const Graph& graph, const Frontier& frontier,
                     Direction direction, Mode mode) {
  const bool everything = frontier.size() == graph.vertices;
  const bool pull = traits.combines && (mode == Mode::pull || (mode == Mode::any && everything));
  const Direction reverse = direction == Direction::out ? Direction::in : Direction::out;
  return {.everything = everything, .pull = pull, .read = pull ? reverse : direction};
}

void note_access(const EngineOptions& options, const Layout& layout, unsigned worker,
                 std::uint32_t file, const BlockRun& run) {
  if (options.trace == nullptr) return;
  const auto units = static_cast<std::uint32_t>(layout.facts().block_bytes / 4096);
  options.trace->note(worker, file, run.first * units, run.blocks * units);
}

IoCounters io_so_far(const Door& door, std::span<const std::unique_ptr<DoorChannel>> channels) {
  IoCounters sum = door.counters();  // of channels that went with an error
  for (const auto& channel : channels) {
    if (channel) sum.add(channel->counters());
  }
  return sum;
}

void add_backend(EngineReport& report, const Backend& backend) {
  report.backend = backend.name();
  report.backend_traits = backend.traits();
  const std::vector<std::string> notes = backend.notes();
  report.notes.insert(report.notes.end(), notes.begin(), notes.end());
}

}  // namespace outcore
