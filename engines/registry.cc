// SPDX-License-Identifier: Apache-2.0
#include "common/named.h"
#include "engines/async_block/async_block.h"
#include "engines/concurrent/concurrent.h"
#include "engines/engine.h"
#include "engines/in_memory/in_memory.h"

namespace outcore {

namespace {

template <typename E>
std::unique_ptr<Engine> make(const Layout& layout, const EngineOptions& options) {
  return std::make_unique<E>(layout, options);
}

}  // namespace

const std::vector<EngineEntry>& engines() {
  static const std::vector<EngineEntry> entries = {
      {"async_block", "blocks by priority, reused while active, no rounds (after ACGraph)",
       make<AsyncBlockEngine>, AsyncBlockEngine::parameters(), AsyncBlockEngine::kDepth},
      {"concurrent", "rounds over blocks with k_r reads in flight (after CAVE)",
       make<ConcurrentEngine>, ConcurrentEngine::parameters()},
      {.name = "in_memory",
       .help = "the whole graph in memory, OpenMP: the reference",
       .make = make<InMemoryEngine>,
       .has_lists = true},
  };
  return entries;
}

const EngineEntry& find_engine(const std::string& spec) {
  return find_named("engine", engines(), spec_name(spec));
}

Settings engine_settings(const std::string& spec) {
  const EngineEntry& entry = find_engine(spec);
  return spec_settings("engine " + entry.name, entry.parameters, spec);
}

}  // namespace outcore
