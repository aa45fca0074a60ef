// SPDX-License-Identifier: Apache-2.0
// What engines whose workers each read into frames of their own, by a channel each, have in common.
#pragma once

#include "engines/engine.h"

namespace outcore {

// Refuses, with a usage error, what leaves a worker without a frame. Of more threads than requests
// may be in flight only so many are taken: each worker waits for requests of its own.
EngineOptions checked(const Layout& layout, const EngineOptions& options);

// What a user should know of that.
std::vector<std::string> notes_on_threads(const EngineOptions& asked);

// Requests that a worker may have in flight: k_r over all of them. The first has the most.
inline unsigned share_of_depth(const EngineOptions& checked, unsigned worker) {
  return checked.depth / checked.threads + (worker < checked.depth % checked.threads ? 1 : 0);
}
inline unsigned most_of_depth(const EngineOptions& checked) { return share_of_depth(checked, 0); }

// What a round is to be: whether it pulls, and whose lists it reads. Left to choose, it pulls when
// everything is active, which needs no atomics.
struct RoundPlan {
  bool everything = false;  // is active
  bool pull = false;
  Direction read = Direction::out;
};
RoundPlan plan_round(const Traits& traits, const Graph& graph, const Frontier& frontier,
                     Direction direction, Mode mode);

// Tells the trace, if there is one, of blocks that are used.
void note_access(const EngineOptions& options, const Layout& layout, unsigned worker,
                 std::uint32_t file, const BlockRun& run);

// Of the door and of the channels that are still there. Not while workers are at work.
IoCounters io_so_far(const Door& door, std::span<const std::unique_ptr<DoorChannel>> channels);

// What the backend is, and what a user should know of it.
void add_backend(EngineReport& report, const Backend& backend);

}  // namespace outcore
