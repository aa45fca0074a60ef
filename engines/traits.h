// SPDX-License-Identifier: Apache-2.0
// What an engine can do, declared by its class and known before an engine is built.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace outcore {

// What emit() may see of other vertices' accept(): engine.h defines the three.
enum class Visibility : std::uint8_t { round, interval, immediate };
std::string to_string(Visibility visibility);

// The first neighbours of each vertex, from memory (Engine::heads).
enum class Heads : std::uint8_t {
  none,
  layout,  // those that the layout holds (--heads)
  any,     // any number, with any layout
};
std::string to_string(Heads heads);

// A class defines `static constexpr EngineTraits kTraits`. The command line, `outcore list`, the
// analysis and the tests read it. What a trait denies is refused with a usage error.
struct EngineTraits {
  Visibility converge = Visibility::round;  // the weakest that converge() may have
  Visibility round = Visibility::round;     // of round(); never `immediate`
  bool pull = false;
  bool drive = false;  // dependent lists: depth-first search, walks
  Heads heads = Heads::none;
  bool keeps_graph_in_memory = false;  // blocks are read once, however small the pool
  bool traces = true;                  // it knows which blocks it asks for (--trace)
  bool openmp = false;                 // its rounds run on OpenMP's threads
  bool frames_of_memory = false;       // without --frames it gets what --memory leaves
  std::string_view pack = {};          // the only pack that it reads; empty: any
};

}  // namespace outcore
