// SPDX-License-Identifier: Apache-2.0
#include "engines/evolving/on_disk.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engines/evolving/stored_task_lists.h"
#include "engines/lists/process_queue_block.h"
#include "storage/layout/codec.h"

namespace outcore {

using evolving::LoggedLists;
using evolving::StandingIds;
using evolving::StoredLists;
using evolving::StoredRun;

namespace {

// The parameters are those of the store; none is of the rounds.
EngineOptions without_settings(EngineOptions options) {
  options.settings = {};
  return options;
}

}  // namespace

EvolvingOnDisk::EvolvingOnDisk(const StoredLists& stored, const EngineOptions& options)
    : ListEngine(stored.lists(), without_settings(options), ListEngine::parameters({})),
      stored_(stored),
      frames_(open_frames()),
      queues_(stored.side(Direction::out).runs.size()),
      workers_(executor_.size()) {
  for (Worker& worker : workers_)
    worker.standing.resize(evolving::most_ids(layout_.facts().block_bytes));
  room_ = options_.frames_bytes - std::min(options_.frames_bytes, frames_->bytes());
  const std::uint64_t blocks = stored.blocks(Direction::out) + stored.blocks(Direction::in);
  room_ = std::min<std::uint64_t>(room_, blocks * layout_.facts().block_bytes);
  if (room_ > 0) keeping_ = numa::allocate(room_ + kReadAhead, 0);
  report_.counts["pieces"] = 0;
  report_.counts["list_parts"] = 0;
  report_.counts["resolved_lists"] = stored.counts().resolved_lists;
}

// A list's pieces come from several blocks, by several workers.
bool EvolvingOnDisk::takes_beforehand(const Traits& traits, bool pull) const {
  return !pull || traits.takes_all_messages(pull);
}

std::unique_ptr<TaskLists> EvolvingOnDisk::task_lists(Direction direction, unsigned worker) {
  return std::make_unique<StoredTaskLists>(stored_, direction, hands()[worker]);
}

BlockId EvolvingOnDisk::blocks_of(const DirectedLists& lists) const {
  return stored_.blocks(lists.direction);
}

void EvolvingOnDisk::read(Round& round, const Frontier& readers,
                          std::span<Activations* const> /*outs*/) {
  const StoredLists::Side& side = stored_.side(round.lists.direction);
  degrees_ = &round.lists.index;
  hand_over_logged(side.logged, readers);
  std::vector<WantedOfFile> wanted;
  for (std::size_t i = 0; i < side.runs.size(); ++i) {
    const StoredRun& run = side.runs[i];
    queues_[i].build(executor_, readers, run.index, run.blocks, BlockQueue::Edgeless::left_out);
    wanted.push_back({&queues_[i], run.file});
  }
  Requests requests(round, wanted, merge_limits(frames_->sources().front()->most_blocks()),
                    hole_budgets_.front(), Requests::Order::ascending, &kept_);
  const RoundWorkers workers{round, executor_, hands(), frames_->sources(), &kept_};
  read_requests(workers, requests, [&](unsigned worker, std::size_t run, const std::byte* data) {
    return hand_over_run(worker, requests, run, side.runs[requests.place(run)], data);
  });
  end_round();
}

// What the log adds to the lists of `readers`.
void EvolvingOnDisk::hand_over_logged(const LoggedLists& logged, const Frontier& readers) {
  const std::vector<VertexId>& vertices = logged.vertices;
  if (readers.is_sparse() && readers.size() < vertices.size()) {
    for (const VertexId v : readers.list()) hand_over(0, v, logged.find(v));
    hands()[0].flush();
    return;
  }
  executor_.parallel_for(0, vertices.size(), kVertexRange,
                         [&](unsigned worker, std::size_t first, std::size_t last) {
                           for (std::size_t i = first; i < last; ++i) {
                             if (!readers.contains(vertices[i])) continue;
                             hand_over(worker, vertices[i], logged.list(i));
                           }
                           hands()[worker].flush();
                         });
}

void EvolvingOnDisk::hand_over(unsigned worker, VertexId v, std::span<const VertexId> ids) {
  if (ids.empty()) return;
  ++workers_[worker].pieces;
  hands()[worker].add(Piece{.v = v,
                            .slot = v,
                            .count = static_cast<std::uint32_t>(ids.size()),
                            .degree = static_cast<std::uint32_t>(degrees_->degree(v)),
                            .ids = ids.data()});
}

std::uint64_t EvolvingOnDisk::hand_over_run(unsigned worker, const Requests& requests,
                                            std::size_t run, const StoredRun& of,
                                            const std::byte* data) {
  const std::uint64_t holes = requests.for_each_block(
      run, data, [&](std::span<const VertexId> vertices, BlockId block, const std::byte* at) {
        hand_over_block(worker, of, vertices, block, at);
      });
  if (requests.kept(run) == nullptr) keep(worker, of.file, requests.run(run), data);
  return holes;
}

void EvolvingOnDisk::hand_over_block(unsigned worker, const StoredRun& of,
                                     std::span<const VertexId> vertices, BlockId block,
                                     const std::byte* data) {
  Worker& mine = workers_[worker];
  HandOver& hands = this->hands()[worker];
  hands.use(of.first + block);
  std::size_t copied = 0;
  for (const VertexId v : vertices) {
    const ListAddress list = of.index.address(v);
    const BlockPart part = of.index.part(list, block);
    if (part.first == 0) ++mine.parts;
    VertexId* const room = mine.standing.data() + copied;
    const StandingIds standing = of.standing(v, list, part, data, room);
    hands.touched(standing.bytes);
    if (standing.ids.data() == room) copied += standing.ids.size();
    hand_over(worker, v, standing.ids);
  }
  hands.flush();
}

void EvolvingOnDisk::keep(unsigned worker, std::uint32_t file, const BlockRun& run,
                          const std::byte* data) {
  if (used_.load(std::memory_order_relaxed) >= room_) return;
  const std::size_t bytes = std::size_t{run.blocks} * layout_.facts().block_bytes;
  const std::size_t at = used_.fetch_add(bytes, std::memory_order_relaxed);
  if (at + bytes > room_) return;
  std::memcpy(keeping_.get() + at, data, bytes);
  workers_[worker].kept.push_back({file, run, keeping_.get() + at});
}

void EvolvingOnDisk::end_round() {
  for (Worker& worker : workers_) {
    report_.counts["pieces"] += std::exchange(worker.pieces, 0);
    report_.counts["list_parts"] += std::exchange(worker.parts, 0);
    for (const Worker::Kept& kept : worker.kept)
      kept_.add(kept.file, kept.run, kept.data, layout_.facts().block_bytes);
    worker.kept.clear();
  }
}

void EvolvingOnDisk::tell_own(RoundReport& round) {
  round.own["kept_bytes"] = static_cast<double>(kept_.bytes());
}

void EvolvingOnDisk::add_own(EngineReport& report) const {
  std::uint64_t queues = 0;
  for (const BlockQueue& queue : queues_) queues += queue.memory_bytes();
  for (auto& [name, bytes] : report.memory) {
    if (name == "index") bytes = stored_.memory_bytes();
  }
  report.memory.emplace_back("block_queue", queues);
  report.memory.emplace_back("frames", frames_->bytes() + room_);
}

}  // namespace outcore
