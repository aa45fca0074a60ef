// SPDX-License-Identifier: Apache-2.0
// What an engine can do, said once by its class and known before it is built.
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
  any,     // as many as are asked for, of any layout
};
std::string to_string(Heads heads);

// A class says `static constexpr EngineTraits kTraits`. The command line, `outcore list`, the
// analysis and the tests read it; a false one is refused with a usage error.
struct EngineTraits {
  Visibility converge = Visibility::round;  // the weakest that converge() may have
  Visibility round = Visibility::round;     // of round(); never `immediate`
  bool pull = false;
  bool reverse = true;  // rounds along the in-edges of a directed graph (Direction::in)
  bool drive = false;   // dependent lists: depth-first search, walks
  Heads heads = Heads::none;
  bool keeps_graph_in_memory = false;  // blocks are read once, however small the pool
  bool traces = true;                  // it knows which blocks it asks for (--trace)
  bool openmp = false;                 // its rounds run on OpenMP's threads
  bool messages_on_edges = false;  // they lie on the layout's values, which must have room for them
  bool frames_of_memory = false;   // without --frames it has what --memory leaves for them
  std::string_view pack = {};      // the one pack of layouts that it reads; empty: any
};

}  // namespace outcore
