// SPDX-License-Identifier: Apache-2.0
// What a workload tells an engine: programs in batches.
//
// A workload says what a vertex emits and what hearing it does; the engine decides in which order,
// on which thread and from which blocks. An engine calls a Program once per block or run of lists,
// never per edge. The inner loops are generated from a handful of small functions by VertexProgram
// (vertex_program.h) and compiled into the workload.
//
// Words:
//   active      a vertex that has something to say; the frontier is the set of them
//   emit, say   an active vertex gives its message, once per activation
//   hear        a vertex takes in what arrives over one of its edges (VertexProgram: accept)
//   activate    what was heard makes a vertex active
//   listen      a vertex listens while there is still something that it could hear
//   push, pull  the lists that are read are those of active vertices, or of listening ones
//   settle      what a program does to each vertex after a round
//
// The pieces of one activation of vertex u, as every engine must arrange them:
//   1. begin() takes u's message, exactly once per activation (Hearing names the exceptions),
//      before any of u's list is used, and also when u has no edges;
//   2. scatter() is given u's list in pieces, in any order, on any threads, each edge exactly once,
//      always with that one message;
//   3. vertices that changed by it are reported through Activations, possibly more than once;
//   4. activations of one vertex do not overlap: a vertex that is activated again while its pieces
//      are under way is begun again only after the last of them, and sees what was written before
//      that activation was reported.
// In a pull round the roles turn: begin() takes the messages of all active vertices into a dense
// array, if Traits::takes_all_messages() says so, and gather() is given the lists of the vertices
// that listen.
//
// Ids are layout ids (graph.h).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "common/bitmap.h"
#include "common/ids.h"
#include "engines/atomic_state.h"
#include "engines/bins.h"
#include "engines/combiner.h"
#include "engines/graph.h"

namespace outcore {

// When a vertex should be taken up, among those that wait: smaller is sooner. Synchronous engines
// ignore it. kQuiet: not at all.
using Priority = std::int32_t;
inline constexpr Priority kQuiet = std::numeric_limits<Priority>::max();

// The documented order-preserving map from finite floats to priorities: a < b as floats if and only
// if as priorities. (Sign-magnitude to two's complement.)
inline Priority priority_of(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value);
  return bits >= 0 ? bits : std::numeric_limits<std::int32_t>::min() - bits;
}

// The same for unsigned values, such as labels; kNoVertex becomes kQuiet.
inline Priority priority_of(std::uint32_t value) {
  return std::bit_cast<std::int32_t>(value ^ 0x8000'0000U);
}

// A vertex whose message is wanted, with its degree in the direction that messages travel.
struct Source {
  VertexId v = kNoVertex;
  std::uint32_t degree = 0;
};

// Engines keep small batches of messages on the stack.
inline constexpr std::size_t kLargestMessage = 16;

// Messages of some vertices: slot i holds one value of Traits::message_bytes.
class Messages {
 public:
  Messages(std::byte* data, std::size_t message_bytes) : data_(data), bytes_(message_bytes) {}
  template <typename M>
  [[nodiscard]] M* as() const {
    return reinterpret_cast<M*>(data_);
  }
  [[nodiscard]] Messages from(std::size_t slot) const { return {data_ + slot * bytes_, bytes_}; }

 private:
  std::byte* data_;
  std::size_t bytes_;
};

// A part of the list of v, decoded: `count` ids, the first of them being the list's `first`-th.
// Ids may stand in any order and more than once; edges that were deleted do not appear, neither
// here nor in `degree`.
struct Piece {
  VertexId v = kNoVertex;
  std::uint32_t slot = 0;  // of v's message (scatter)
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t degree = 0;
  const VertexId* ids = nullptr;
  const float* weights = nullptr;  // null: none stored
};

struct AdjacencyBatch {
  std::span<const Piece> pieces;
  Access access = Access::shared;
  // Scatter: messages to its vertices may be kept back there. Null: none are.
  Combiner* combiner = nullptr;
};

// Edges with explicit sources, as edge-centric engines (grid, psw) hold them.
struct EdgeRun {
  std::span<const VertexId> sources;
  std::span<const VertexId> targets;
  const float* weights = nullptr;
  Access access = Access::shared;
  // Messages lie on the edges (psw): slot i is edge i's own. Else slots are those of the sources.
  bool message_each = false;
};

// Where programs report vertices that became active. One per thread; the engine's subclass takes
// full buffers (flush) and removes doubles where it must.
class Activations {
 public:
  struct Entry {
    VertexId v;
    Priority priority;
  };
  virtual ~Activations() = default;
  void add(VertexId v, Priority priority) {
    buffer_[size_++] = {v, priority};
    if (size_ == kCapacity) drain();
  }
  // Hands on what is left; engines call it after a batch or a worker's share.
  void drain() {
    take({buffer_, size_});
    size_ = 0;
  }

 protected:
  virtual void take(std::span<const Entry> entries) = 0;

 private:
  static constexpr std::size_t kCapacity = 256;
  Entry buffer_[kCapacity] = {};
  std::size_t size_ = 0;
};

// What emit() says of an active vertex.
enum class Saying : std::uint8_t {
  // The same all through a round: emit() reads nothing that accept() writes in it.
  fixed,
  // emit() reads what accept() writes (labels, distances, residuals). Visibility `round` then needs
  // the messages of the whole frontier taken before the first accept.
  changing,
  // The same of every vertex: emit() needs no degree and changes nothing ("I have left"). In pull
  // no
  // message need be kept: gather() asks emit() as it goes.
  common,
};

// Which messages a program needs to hear. But for `every`, emit() changes nothing.
enum class Hearing : std::uint8_t {
  // Each message, exactly once (residuals, "I have left").
  every,
  // A vertex's newest message, once: it makes the earlier ones needless (ranks). Pull engines of
  // visibility `interval` may begin() a vertex anew between two intervals, the later ones hearing
  // only the newer message, and let a vertex that changed speak at once. Vertices without edges
  // need not be begun.
  newest,
  // As `newest`, and sending an old message again is harmless (minimums, unions), so an engine may
  // treat every vertex as active.
  repeatable,
  // One message in a round, whichever comes first (levels of a search). emit() needs no degree, and
  // gather() asks it as it goes: few of the active vertices are heard. Under visibility `round`
  // only, for elsewhere a later message may be the better one; so never with Saying::changing.
  first,
};

// What may be reordered or left out. VertexProgram fills it in from a program's constants.
struct Traits {
  std::size_t message_bytes = 0;
  Saying saying = Saying::fixed;
  Hearing hearing = Hearing::every;
  // Pull rounds give the same answer: accept() may be told the combination of several messages.
  bool combines = false;
  // settle() has work to do after a round, for every vertex. Such programs always run by rounds.
  bool settles = false;

  // Does a round begin() with the messages of all its active vertices?
  [[nodiscard]] constexpr bool takes_all_messages(bool pull) const {
    return pull ? hearing != Hearing::first && saying != Saying::common
                : saying == Saying::changing;
  }
  [[nodiscard]] constexpr bool newest_is_enough() const {
    return hearing == Hearing::newest || hearing == Hearing::repeatable;
  }
};

class Program {
 public:
  virtual ~Program() = default;
  [[nodiscard]] virtual Traits traits() const = 0;

  // When v, which is active, should be taken up. Asked for the vertices of a first frontier (a
  // Frontier holds none), and wherever an engine did not keep what accept() said; from any thread.
  virtual Priority priority(VertexId /*v*/) { return 0; }

  // Slot i of `out` receives the message of sources[i].
  virtual void begin(std::span<const Source> sources, Messages out) = 0;
  // Push: each piece's message (by slot) goes along its edges.
  virtual void scatter(const AdjacencyBatch& batch, Messages messages, Activations& out) = 0;
  // Tells what scatter kept back. An engine that gives combiners asks for this before it may end.
  virtual void deliver(Combiner& combiner, Activations& out) = 0;

  // Pull: which vertices of the range listen at all in this round; sets bits only.
  virtual void listening(VertexRange range, Bitmap& out) = 0;
  // Is v still to be told anything? Engines ask before fetching more of a long list.
  virtual bool listens(VertexId v) = 0;
  // Pull: each piece's vertex hears the combined messages of its active neighbours. `dense` has a
  // slot per vertex, unused unless traits().takes_all_messages(true). `active` null: all are.
  virtual void gather(const AdjacencyBatch& batch, Messages dense, const Bitmap* active,
                      Activations& out) = 0;

  // Edge-centric: as scatter, over edges with explicit sources; inactive sources are skipped.
  virtual void edges(const EdgeRun& run, Messages dense, const Bitmap* active,
                     Activations& out) = 0;

  // Binning: scatter into bins instead of into vertices, leaving out targets that do not listen (a
  // record is paid for in memory, as Blaze's `cond` saves it); what a combiner kept back goes there
  // too. Then records of one bin are applied, by one thread at a time.
  virtual void bin(const AdjacencyBatch& batch, Messages messages, Bins& out) = 0;
  virtual void bin_kept(Combiner& combiner, Bins& out) = 0;
  virtual void drain(const Records& records, Activations& out) = 0;

  // After a round (or, under `interval` visibility, after an interval), once for each vertex of the
  // range, after the last piece that concerns it.
  virtual void settle(VertexRange range, Activations& out) = 0;
};

}  // namespace outcore
