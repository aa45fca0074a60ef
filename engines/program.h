// SPDX-License-Identifier: Apache-2.0
// What a workload tells an engine: programs in batches.
//
// A workload says what a vertex emits and what hearing it does. The engine decides the order, the
// threads and the blocks. An engine calls a Program once per block or run of lists, never per edge.
// VertexProgram (vertex_program.h) generates the inner loops from a few small functions and
// compiles them into the workload.
//
// Words:
//   active      a vertex that has something to say; the frontier is the set of active vertices
//   emit, say   an active vertex gives its message, once per activation
//   hear        a vertex takes in what arrives over one of its edges (VertexProgram: accept)
//   activate    what was heard makes a vertex active
//   listen      a vertex listens while there is still something that it could hear
//   push, pull  the lists that are read are those of active vertices (push) or of listening
//               vertices (pull)
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
// In a pull round the roles are exchanged: begin() takes the messages of all active vertices into a
// dense array, if Traits::takes_all_messages() says so, and gather() gets the lists of the vertices
// that listen.
//
// Ids are layout ids (graph.h).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "common/bitmap.h"
#include "common/ids.h"
#include "engines/atomic_state.h"
#include "engines/bins.h"
#include "engines/combiner.h"
#include "engines/graph.h"

namespace outcore {

// When a vertex should be taken up, among those that wait: smaller means sooner. Synchronous
// engines ignore it. kQuiet: never.
using Priority = std::int32_t;
inline constexpr Priority kQuiet = std::numeric_limits<Priority>::max();

// A map from finite floats to priorities that preserves the order: a < b as floats if and only if
// as priorities. (Sign-magnitude to two's complement.)
inline Priority priority_of(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value);
  return bits >= 0 ? bits : std::numeric_limits<std::int32_t>::min() - bits;
}

// The same for unsigned values such as labels; kNoVertex becomes kQuiet.
inline Priority priority_of(std::uint32_t value) {
  return std::bit_cast<std::int32_t>(value ^ 0x8000'0000U);
}

// A vertex whose message is wanted, with its degree in the direction in which messages travel.
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

// A decoded part of v's list: `count` ids, the first of which is the list's `first`-th. Ids may be
// in any order and occur more than once. Deleted edges appear neither here nor in `degree`.
struct Piece {
  VertexId v = kNoVertex;
  std::uint32_t slot = 0;  // of v's message (scatter)
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t degree = 0;
  const VertexId* ids = nullptr;
  const float* weights = nullptr;  // null: none are stored
};

struct AdjacencyBatch {
  std::span<const Piece> pieces;
  Access access = Access::shared;
  // Scatter: messages to the combiner's vertices may be kept back in it. Null: none may.
  Combiner* combiner = nullptr;
};

// Edges with explicit sources, as edge-centric engines (grid, psw) hold them.
struct EdgeRun {
  std::span<const VertexId> sources;
  std::span<const VertexId> targets;
  const float* weights = nullptr;
  Access access = Access::shared;
  // Messages are on the edges (psw): slot i belongs to edge i. Otherwise slots are the sources'.
  bool message_each = false;
};

// Programs report here which vertices became active. There is one per thread. The engine's subclass
// takes full buffers (flush), and removes duplicates if necessary.
class Activations {
 public:
  struct Entry {
    VertexId v;
    Priority priority;
  };
  virtual ~Activations() = default;
  // These are never activated, whatever programs report (Traits::echoes).
  void leave_out(VertexRange silent) {
    silent_ = silent.begin;
    silent_count_ = silent.end - silent.begin;
  }
  // The turn of these comes next, whether they are activated or not. Until the next call they are
  // only counted; returns how many times those of the last call were activated.
  std::size_t come_next(VertexRange coming) {
    coming_ = coming.begin;
    coming_count_ = coming.end - coming.begin;
    return std::exchange(early_, 0);
  }
  void add(VertexId v, Priority priority) {
    if (v - silent_ < silent_count_) return;
    if (v - coming_ < coming_count_) {
      ++early_;
      return;
    }
    buffer_[size_++] = {v, priority};
    if (size_ == kCapacity) drain();
  }
  // Passes on what is left; engines call it after a batch or a worker's share.
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
  VertexId silent_ = 0;
  VertexId silent_count_ = 0;
  VertexId coming_ = 0;
  VertexId coming_count_ = 0;
  std::size_t early_ = 0;
};

// What emit() says for an active vertex.
enum class Saying : std::uint8_t {
  // The message stays the same during a round: emit() reads nothing that accept() writes in it.
  fixed,
  // emit() reads what accept() writes (labels, distances, residuals). Visibility `round` then
  // requires that the messages of the whole frontier are taken before the first accept.
  changing,
  // The message is the same for every vertex: emit() needs no degree and changes nothing ("I have
  // left"). In pull no message need be kept, because gather() calls emit() as it goes.
  common,
};

// Which messages a program needs to hear. In all cases except `every`, emit() changes nothing.
enum class Hearing : std::uint8_t {
  // Each message, exactly once (residuals, "I have left").
  every,
  // A vertex's newest message, once: it replaces the earlier ones (ranks). Pull engines of
  // visibility `interval` may begin() a vertex again between two intervals, so that later intervals
  // hear only the newer message, and may let a changed vertex speak at once. Vertices without edges
  // need not be begun.
  newest,
  // As `newest`, and sending an old message again is harmless (minimums, unions), so an engine may
  // treat every vertex as active.
  repeatable,
  // One message in a round, whichever comes first (levels of a search). emit() needs no degree, and
  // gather() calls it as it goes, because few of the active vertices are heard. Only under
  // visibility `round`, because elsewhere a later message may be the better one; so never with
  // Saying::changing.
  first,
};

// What may be reordered or left out. VertexProgram fills it in from a program's constants.
struct Traits {
  std::size_t message_bytes = 0;
  Saying saying = Saying::fixed;
  Hearing hearing = Hearing::every;
  // Pull rounds give the same answer: accept() may get the combination of several messages.
  bool combines = false;
  // settle() has work to do for every vertex after a round. Such programs always run in rounds.
  bool settles = false;
  // May it matter to a vertex what it said itself, told back to it by the vertex that heard it?
  // Where not (levels, least labels), a vertex of one edge in a symmetric graph need not speak of
  // what it heard: only its speaker would hear it.
  bool echoes = true;

  // Does a round begin() by taking the messages of all its active vertices?
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

  // When v, which is active, should be taken up. Called for the vertices of a first frontier (a
  // Frontier stores no priorities), and wherever an engine did not keep the result of accept();
  // from any thread.
  virtual Priority priority(VertexId /*v*/) { return 0; }

  // Slot i of `out` receives the message of sources[i].
  virtual void begin(std::span<const Source> sources, Messages out) = 0;
  // Push: each piece's message (by slot) goes along its edges.
  virtual void scatter(const AdjacencyBatch& batch, Messages messages, Activations& out) = 0;
  // Sends what scatter kept back. An engine that gives combiners must call this before it may end.
  virtual void deliver(Combiner& combiner, Activations& out) = 0;

  // Pull: sets the bits of those vertices in the range that listen at all in this round.
  virtual void listening(VertexRange range, Bitmap& out) = 0;
  // Can v still be told anything? Engines ask before they fetch more of a long list.
  virtual bool listens(VertexId v) = 0;
  // Pull: each piece's vertex hears the combined messages of its active neighbours. `dense` has a
  // slot per vertex, and is unused unless traits().takes_all_messages(true). `active` null: all are
  // active.
  virtual void gather(const AdjacencyBatch& batch, Messages dense, const Bitmap* active,
                      Activations& out) = 0;

  // Edge-centric: like scatter, over edges with explicit sources; inactive sources are skipped.
  virtual void edges(const EdgeRun& run, Messages dense, const Bitmap* active,
                     Activations& out) = 0;

  // Binning: scatters into bins instead of into vertices, without targets that do not listen (a
  // record costs memory, which Blaze's `cond` saves too), and then what a combiner kept back. Then
  // one thread at a time applies the records of each bin.
  virtual void bin(const AdjacencyBatch& batch, Messages messages, Bins& out) = 0;
  virtual void bin_kept(Combiner& combiner, Bins& out) = 0;
  virtual void drain(const Records& records, Activations& out) = 0;

  // After a round (or, under visibility `interval`, after an interval), once for each vertex of the
  // range, after the last piece that concerns it.
  virtual void settle(VertexRange range, Activations& out) = 0;
};

}  // namespace outcore
