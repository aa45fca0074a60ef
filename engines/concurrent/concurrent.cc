// SPDX-License-Identifier: Apache-2.0
#include "engines/concurrent/concurrent.h"

#include "engines/concurrent/process_queue.h"

namespace outcore {

namespace {

constexpr const char* kNoCache = "frames";
constexpr const char* kByVertices = "vertices";

}  // namespace

std::vector<Parameter> ConcurrentEngine::parameters() {
  Parameter cache = {.name = "cache",
                     .fallback = kNoCache,
                     .help = "what frames are: buffers that keep nothing, or the slots of a cache",
                     .choices = {kNoCache}};
  for (const PolicyKind* policy : policies()) {
    if (policy->knows == Knowledge::past) cache.choices.emplace_back(policy->name);
  }
  return ListEngine::parameters(
      {{.name = "queue",
        .fallback = "blocks",
        .help = "how a round goes: each wanted block once, or vertex by vertex (section 4.2)",
        .choices = {"blocks", kByVertices}},
       cache});
}

// Sections 4.2 and 5: threads with blocking reads of a block each, and a clock cache.
PublishedForm ConcurrentEngine::published() {
  return {.settings = {"cache=clock", "combine=off"}, .max_request = 4 << 10, .backend = "threads"};
}

ConcurrentEngine::ConcurrentEngine(const Layout& layout, const EngineOptions& options)
    : ListEngine(layout, options, parameters()),
      by_vertices_(settings_.text("queue") == kByVertices) {
  const std::string& cache = settings_.text("cache");
  if (cache == kNoCache) {
    frames_ = open_frames();
    return;
  }
  cache_.emplace(door_, static_cast<std::uint32_t>(layout_.block_files().size()),
                 find_policy(cache), options_.frames_bytes, options_.depth, executor_.size());
  for (unsigned worker = 0; worker < executor_.size(); ++worker) {
    cached_.push_back(cache_->source(door_, worker, depth_of(worker)));
  }
}

void ConcurrentEngine::read(Round& round, const Frontier& readers,
                            std::span<Activations* const> /*outs*/) {
  if (by_vertices_) {
    read_vertices(round, readers);
  } else {
    read_blocks(round, readers, queue_, sources());
  }
}

void ConcurrentEngine::read_vertices(Round& round, const Frontier& readers) {
  listed_.clear();
  blockless_.clear();
  const ListIndex& index = round.lists.index;
  readers.for_each(
      [&](VertexId v) { (index.is_inline(index.degree(v)) ? blockless_ : listed_).push_back(v); });
  read_blockless(blockless_);
  process_queue({round, executor_, hands(), sources()}, listed_);
}

void ConcurrentEngine::add_own(EngineReport& report) const {
  const std::size_t vertices = listed_.capacity() + blockless_.capacity();
  report.memory.emplace_back("block_queue", queue_.memory_bytes() + vertices * sizeof(VertexId));
  if (cache_) {
    const CachePool& pool = cache_->pool();
    report.cache = {{cache_->policy(), pool.slots(), pool.counters()}};
    report.memory.emplace_back("frames", pool.memory().size());
    report.memory.emplace_back("cache_map", pool.map_bytes());
  } else {
    report.memory.emplace_back("frames", frames_->bytes());
  }
}

}  // namespace outcore
