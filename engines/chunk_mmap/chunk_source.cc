// SPDX-License-Identifier: Apache-2.0
#include "engines/chunk_mmap/chunk_source.h"

#include <algorithm>
#include <utility>

namespace outcore {

ChunkSource::ChunkSource(Door& door, ChunkStore& store, const Lists& lists, std::size_t depth,
                         std::uint32_t most_blocks, std::function<bool()> stopping)
    : BlockSource(door, {}, depth, depth),
      store_(store),
      lists_(lists),
      most_blocks_(most_blocks),
      stopping_(std::move(stopping)),
      runs_(depth) {}

bool ChunkSource::ask(Ticket ticket, std::uint32_t /*file*/, const BlockRun& run) {
  runs_[ticket] = run;
  if (lists_.residency == nullptr) {
    if (lists_.checked != nullptr) {
      check_once(store_, *lists_.checked, {lists_.file, run.first, run.blocks});
    }
    return true;
  }
  std::vector<ChunkId> absent;
  bool all_there = true;
  for (std::uint32_t i = 0; i < run.blocks; ++i) {
    const ChunkId chunk = lists_.table.at(run.first + i);
    const Residency::Found found = lists_.residency->pin(chunk);
    all_there = all_there && found == Residency::Found::there;
    if (found == Residency::Found::absent) absent.push_back(chunk);
  }
  if (!absent.empty()) {
    bring(std::move(absent), ticket);
  } else if (!all_there) {
    waiting_.push_back(ticket);
  }
  return all_there;
}

void ChunkSource::ask(std::span<const Request> requests, std::uint32_t file,
                      std::vector<Ticket>& there) {
  for (const Request& request : requests) {
    if (ask(request.ticket, file, request.run)) there.push_back(request.ticket);
  }
}

void ChunkSource::bring(std::vector<ChunkId> absent, Ticket ticket) {
  leaving_.clear();
  lists_.residency->admit(absent, /*dense=*/false, leaving_);
  drop(leaving_);
  find_runs(absent);
  started_.push_back({ticket, std::move(absent)});
  store_.start(to_store_);
}

const std::byte* ChunkSource::data(Ticket ticket) const {
  const BlockRun& run = runs_[ticket];
  const std::uint32_t block_bytes = lists_.table.block_bytes();
  const std::byte* const at = store_.base(lists_.file, false) + run.first * block_bytes;
  if (!lists_.encoded || run.first + run.blocks < lists_.table.end_block()) return at;
  return padded({at, std::size_t{run.blocks} * block_bytes}, padded_);
}

std::span<const BlockSource::Ticket> ChunkSource::arrived(bool wait) {
  arrived_.clear();
  take_arrived();
  while (wait && arrived_.empty() && coming() > 0) {
    if (!started_.empty()) {
      finish_oldest();
    } else {
      await_others();
    }
    take_arrived();
  }
  return arrived_;
}

void ChunkSource::finish_oldest() {
  store_.finish();
  const Started oldest = std::move(started_.front());
  started_.pop_front();
  for (const ChunkId chunk : oldest.chunks) lists_.residency->publish(chunk, /*window=*/false);
  waiting_.push_back(oldest.ticket);
}

void ChunkSource::take_arrived() {
  const auto there = std::stable_partition(waiting_.begin(), waiting_.end(),
                                           [&](Ticket ticket) { return !is_there(ticket); });
  arrived_.insert(arrived_.end(), there, waiting_.end());
  waiting_.erase(there, waiting_.end());
}

bool ChunkSource::is_there(Ticket ticket) const {
  for (std::uint32_t i = 0; i < runs_[ticket].blocks; ++i) {
    if (!lists_.residency->is_there(lists_.table.at(runs_[ticket].first + i))) return false;
  }
  return true;
}

// For the first ticket's. Where another worker failed, what it was to bring may never come: its
// error is on the way, and the tickets are given back.
void ChunkSource::await_others() {
  const BlockRun run = runs_[waiting_.front()];
  for (std::uint32_t i = 0; i < run.blocks; ++i) {
    lists_.residency->wait_for(lists_.table.at(run.first + i), stopping_);
  }
  if (!stopping_()) return;
  for (const Ticket ticket : waiting_) give_back(ticket);
  waiting_.clear();
}

void ChunkSource::release(Ticket ticket) {
  if (lists_.residency == nullptr) return;
  leaving_.clear();
  for (std::uint32_t i = 0; i < runs_[ticket].blocks; ++i) {
    const ChunkId chunk = lists_.table.at(runs_[ticket].first + i);
    if (lists_.residency->hot()) lists_.residency->use(chunk, lists_.table.block_bytes());
    if (lists_.residency->unpin(chunk)) leaving_.push_back(chunk);
  }
  drop(leaving_);
}

void ChunkSource::abandon() {
  started_.clear();
  store_.abandon();
  waiting_.clear();
  channel_.reset();
}

void ChunkSource::find_runs(const std::vector<ChunkId>& chunks) {
  to_store_.clear();
  for (const ChunkId chunk : chunks) {
    append_chunk(lists_.table, lists_.file, chunk, /*window=*/false, to_store_);
  }
}

void ChunkSource::drop(std::vector<ChunkId>& chunks) {
  if (chunks.empty()) return;
  std::sort(chunks.begin(), chunks.end());
  find_runs(chunks);
  store_.release(to_store_);
  lists_.residency->gone(chunks);
}

}  // namespace outcore
