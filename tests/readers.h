// SPDX-License-Identifier: Apache-2.0
// How tests choose engines: by the traits in their entries, never by name. So an engine that is
// added to the registry is tested without a change here.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "engines/engine.h"
#include "storage/layout/edges/edge_layout.h"
#include "storage/layout/open_layout.h"
#include "tests/toy_container.h"
#include "tests/toy_store.h"

namespace outcore {

inline GraphKind kind_of(const LayoutChoices& choices) {
  return find_edge_pack(choices.pack) == nullptr ? GraphKind::lists : GraphKind::edges;
}

// The engines that read layouts of these choices.
inline std::vector<const EngineEntry*> readers_of(const LayoutChoices& choices) {
  std::vector<const EngineEntry*> readers;
  for (const EngineEntry& entry : engines()) {
    if (can_read(entry, kind_of(choices), choices.pack)) readers.push_back(&entry);
  }
  return readers;
}

// An engine of lists that keeps the whole graph in memory: other engines' answers are compared with
// its own.
inline const EngineEntry& reference_engine() {
  for (const EngineEntry* entry : readers_of({})) {
    if (entry->traits.keeps_graph_in_memory) return *entry;
  }
  throw std::logic_error("no engine keeps the graph in memory");
}

// Engines of lists that read blocks into frames.
inline std::vector<const EngineEntry*> block_engines() {
  std::vector<const EngineEntry*> found = readers_of({});
  std::erase_if(found, [](const EngineEntry* e) { return e->traits.keeps_graph_in_memory; });
  return found;
}

// Names of tests that have an engine as their parameter.
inline constexpr auto name_of_engine = [](const auto& tested) { return tested.param->name; };

// An engine's default settings, each other value of each parameter by itself, and all of them
// together.
inline std::vector<Parameters> ways_of(const EngineEntry& entry) {
  const auto way = [&](const std::vector<std::string>& assignments) {
    return Parameters("engine " + entry.name, entry.parameters, assignments);
  };
  std::vector<Parameters> ways = {way({})};
  std::vector<std::string> all;
  for (const Parameter& parameter : entry.parameters) {
    for (const std::string& value : parameter.choices) {
      if (value == parameter.fallback) continue;
      all.push_back(parameter.name + "=" + value);
      ways.push_back(way({all.back()}));
    }
  }
  if (all.size() > 1) ways.push_back(way(all));
  return ways;
}

// The layouts of a toy, and its store, each built and opened once.
class ToyLayouts {
 public:
  explicit ToyLayouts(const ToyContainer& toy) : toy_(toy) {}

  // A layout of these choices if the engine reads it, otherwise the plainest that the engine reads,
  // with room for any message. For an engine that reads stores, one that has been changed a lot, on
  // the disk if the engine reads it there with these settings.
  const OpenedGraph& of(const EngineEntry& engine, const LayoutChoices& choices,
                        const Parameters& settings = {}) {
    if (engine.reads == GraphKind::store) {
      const bool in_memory = engine.with(settings).traits.keeps_graph_in_memory;
      std::unique_ptr<OpenedGraph>& store = opened_[in_memory ? "a store" : "a store on the disk"];
      if (!store) {
        Container container(toy_.folder());
        store = toy_store(container, in_memory ? StoreLife::changed : StoreLife::stored_in_parts);
      }
      return *store;
    }
    const bool readable = can_read(engine, kind_of(choices), choices.pack);
    LayoutChoices chosen = readable ? choices : plainest_choices(engine);
    if (engine.traits.messages_on_edges) set_pack(chosen, chosen.pack + ":value=16");
    std::unique_ptr<OpenedGraph>& opened = opened_[layout_name(chosen)];
    if (!opened) opened = open_layout(toy_.layout(chosen));
    return *opened;
  }

 private:
  const ToyContainer& toy_;
  std::map<std::string, std::unique_ptr<OpenedGraph>> opened_;
};

}  // namespace outcore
