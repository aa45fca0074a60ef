// SPDX-License-Identifier: Apache-2.0
#include "engines/concurrent/concurrent.h"

#include "engines/concurrent/process_queue.h"

namespace outcore {

namespace {

constexpr const char* kLooks = "auto";
constexpr const char* kNoCache = "frames";
constexpr const char* kByVertices = "vertices";

}  // namespace

std::vector<Parameter> ConcurrentEngine::parameters() {
  Parameter cache = {
      .name = "cache",
      .fallback = kLooks,
      .help =
          "what frames are: buffers that keep nothing, or the slots of a cache; "
          "auto: those of a clock cache while rounds want few blocks, and for dependent lists",
      .choices = {kLooks, kNoCache}};
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
      looks_(settings_.text("cache") == kLooks),
      chooses_(looks_),
      by_vertices_(settings_.text("queue") == kByVertices) {
  const std::string& cache = settings_.text("cache");
  if (looks_ || cache == kNoCache) {
    use_buffers();
  } else {
    use_cache(find_policy(cache), options_.depth);
  }
}

void ConcurrentEngine::use_buffers() {
  if (cache_) {
    was_used_.counters += cache_->pool().counters();
    cached_.clear();
    cache_.reset();
  }
  frames_ = open_frames();
}

void ConcurrentEngine::use_cache(const PolicyKind& policy, unsigned depth) {
  frames_.reset();
  cache_.emplace(door_, static_cast<std::uint32_t>(layout_.block_files().size()), policy,
                 options_.frames_bytes, depth, executor_.size());
  const std::uint64_t most = cache_slots() / executor_.size();
  for (unsigned worker = 0; worker < executor_.size(); ++worker) {
    cached_.push_back(
        cache_->source(door_, worker, std::min<std::uint64_t>(depth_of(worker), most)));
  }
  was_used_.policy = cache_->policy();
  was_used_.slots = cache_->pool().slots();
}

// A small cache has fewer requests in flight. What wants few blocks does not miss them.
void ConcurrentEngine::use_clock() {
  const std::uint64_t depth = std::min<std::uint64_t>(options_.depth, cache_slots());
  use_cache(find_policy("clock"), static_cast<unsigned>(depth));
}

BlockSource& ConcurrentEngine::list_source(Direction /*direction*/, unsigned worker) {
  if (chooses_ && !cache_ && cache_slots() >= executor_.size()) use_clock();
  return *sources()[worker];
}

// A search of a grid of 4096 x 4096 goes on for 8190 rounds, each of which wants nearly the blocks
// of the one before. With buffers it reads 64 GB, with a cache 0.3. Where rounds want other blocks
// each time, buffers allow for larger requests.
void ConcurrentEngine::choose_frames(const Round& round, const Frontier& readers) {
  constexpr unsigned kFewReaders = 64;  // at most one vertex in so many
  constexpr unsigned kUntilUsed = 3;    // a search of a small world begins with two such rounds
  constexpr unsigned kUntilJudged = 8;
  const bool fits = fits_cache(round, readers);
  const bool few = fits && readers.size() <= layout_.facts().vertices / kFewReaders;
  fitting_ = fits ? fitting_ + 1 : 0;
  few_ = few ? few_ + 1 : 0;
  if (cache_ && fitting_ % kUntilJudged == 0) {
    const CachePoolCounters counters = cache_->pool().counters();
    if (counters.loads > counters.hits) looks_ = false;
  }
  const bool wanted = looks_ && (few_ >= kUntilUsed || fitting_ >= kUntilJudged);
  if (wanted == cache_.has_value()) return;
  if (wanted) {
    use_clock();
  } else {
    use_buffers();
  }
}

std::uint64_t ConcurrentEngine::cache_slots() const {
  return options_.frames_bytes / layout_.facts().block_bytes;
}

bool ConcurrentEngine::fits_cache(const Round& round, const Frontier& readers) {
  const std::uint64_t slots = cache_slots();
  if (slots < executor_.size() || readers.size() > slots) return false;
  const std::uint64_t edges = edges_of(readers, round.lists.index);
  return readers.size() + edges / (layout_.facts().block_bytes / sizeof(VertexId)) <= slots;
}

void ConcurrentEngine::read(Round& round, const Frontier& readers,
                            std::span<Activations* const> /*outs*/) {
  if (looks_) choose_frames(round, readers);
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
  if (was_used_.slots > 0) {
    report.cache = was_used_;
    if (cache_) report.cache->counters += cache_->pool().counters();
  }
  if (cache_) {
    const CachePool& pool = cache_->pool();
    report.memory.emplace_back("frames", pool.memory().size());
    report.memory.emplace_back("cache_map", pool.map_bytes());
  } else {
    report.memory.emplace_back("frames", frames_->bytes());
  }
}

}  // namespace outcore
