// SPDX-License-Identifier: Apache-2.0
// From a few small functions to a Program: the inner loops, written once, compiled into each
// workload with its functions inlined.
//
// Derive `struct Mine : VertexProgram<Mine, Msg>` and write:
//
//   Msg emit(Source u)                         once per activation; may change u's state
//   Msg along(Msg m, VertexId u, VertexId v, float w)   what arrives over an edge (default: m)
//   Msg combine(Msg a, Msg b)                  for pull; accept(a) then accept(b) must equal
//                                              accept(combine(a, b)); only with Traits::combines
//   Msg nothing()                              combine(nothing(), m) is m (optional: spares pull
//                                              a branch a list, 1.15x of PageRank's time; and push
//                                              may keep messages back, see Combiner)
//   template <Access A> Priority accept(VertexId v, Msg m)
//                                              hear it; kQuiet unless v is to be activated
//   bool listens(VertexId v)                   for pull (default: true)
//   bool heeds(VertexId v)                     for push: false where v cannot change any more.
//                                              Asked first, so for where that is told from less
//                                              memory than accept looks at (optional)
//   Priority priority(VertexId v)              of an active vertex (default: 0, all alike)
//   Priority settle_one(VertexId v)            after a round (default: nothing)
//   const void* state(VertexId v)              where accept looks first: fetched ahead (optional)
//   Traits traits() const
//
// Binning asks listens too, before it spends a record. emit, listens and priority may run while
// other threads accept, even where accept is told that it has exclusive access (no one else writes,
// but online binning asks listens while bins are drained): read what accept writes through peek(),
// take it in emit with replace<Access::shared>(), and let accept write by lower, increase or
// replace.
#pragma once

#include <atomic>
#include <type_traits>
#include <utility>

#include "engines/program.h"

namespace outcore {

// State that several threads touch at once. All relaxed: each value stands for itself, nothing is
// inferred from one about another; what a round (or, async, an activation) wrote is published by
// the engine's barrier (or its queue).
template <typename T>
T peek(const T& state) {
  return std::atomic_ref(const_cast<T&>(state)).load(std::memory_order_relaxed);
}

// state = value, by the only writer, while others may peek.
template <typename T>
void poke(T& state, T value) {
  std::atomic_ref(state).store(value, std::memory_order_relaxed);
}

// state = min(state, value); true when it fell.
template <Access A, typename T>
bool lower(T& state, T value) {
  if constexpr (A == Access::exclusive) {
    if (!(value < state)) return false;
    poke(state, value);
    return true;
  } else {
    const std::atomic_ref shared(state);
    T old = shared.load(std::memory_order_relaxed);
    while (value < old) {
      if (shared.compare_exchange_weak(old, value, std::memory_order_relaxed)) return true;
    }
    return false;
  }
}

// state += value; returns what it was before.
template <Access A, typename T>
T increase(T& state, T value) {
  if constexpr (A == Access::exclusive) {
    const T old = state;
    poke(state, static_cast<T>(old + value));
    return old;
  } else {
    return std::atomic_ref(state).fetch_add(value, std::memory_order_relaxed);
  }
}

// state = value; returns what it was before.
template <Access A, typename T>
T replace(T& state, T value) {
  if constexpr (A == Access::exclusive) {
    const T old = state;
    poke(state, value);
    return old;
  } else {
    return std::atomic_ref(state).exchange(value, std::memory_order_relaxed);
  }
}

// Sets these bits of state; returns what it was before.
template <Access A, typename T>
T include(T& state, T bits) {
  if constexpr (A == Access::exclusive) {
    const T old = state;
    poke(state, static_cast<T>(old | bits));
    return old;
  } else {
    return std::atomic_ref(state).fetch_or(bits, std::memory_order_relaxed);
  }
}

template <typename Derived, typename Msg>
class VertexProgram : public Program {
  static_assert(sizeof(Msg) <= kLargestMessage && std::is_trivially_copyable_v<Msg>);

 public:
  using Message = Msg;

  Msg along(Msg m, VertexId /*u*/, VertexId /*v*/, float /*w*/) { return m; }
  bool listens(VertexId /*v*/) override { return true; }
  Priority settle_one(VertexId /*v*/) { return kQuiet; }

  void begin(std::span<const Source> sources, Messages out) final {
    // By way of an array that nothing else can point into, so that the compiler may emit several
    // at once (PageRank's messages, contract_benchmark: 1.15 to 1.05 ms).
    Msg taken[kTaken];
    for (std::size_t first = 0; first < sources.size(); first += kTaken) {
      const std::size_t count = std::min(kTaken, sources.size() - first);
      for (std::size_t i = 0; i < count; ++i) taken[i] = self().emit(sources[first + i]);
      std::memcpy(out.as<Msg>() + first, taken, count * sizeof(Msg));
    }
  }

  void scatter(const AdjacencyBatch& batch, Messages messages, Activations& out) final {
    by_access(batch.access, [&]<Access A>() {
      if constexpr (can_keep_back<Derived>()) {
        if (batch.combiner != nullptr) {
          scatter_combined<A>(batch, messages, *batch.combiner, out);
          return;
        }
      }
      if constexpr (requires(Derived & d, VertexId v) { d.heeds(v); }) {
        scatter_to_heeding<A>(batch, messages, out);
      } else {
        along_each(batch, messages, [&](VertexId v, Msg message) { hear<A>(v, message, out); });
      }
    });
  }

  void deliver(Combiner& combiner, Activations& out) final {
    if constexpr (can_keep_back<Derived>()) {
      Msg* kept = combiner.slots(self().nothing());
      combiner.take_used([&](VertexId v) {
        if (kept[v] == self().nothing()) return;
        hear<Access::shared>(v, std::exchange(kept[v], self().nothing()), out);
      });
    }
  }

  void listening(VertexRange range, Bitmap& out) final {
    out.set_where(range.begin, range.end,
                  [&](std::size_t v) { return self().Derived::listens(static_cast<VertexId>(v)); });
  }

  void gather(const AdjacencyBatch& batch, Messages dense, const Bitmap* active,
              Activations& out) final {
    if constexpr (requires(Derived & d, Msg m) { d.combine(m, m); }) {
      const Traits traits = self().Derived::traits();
      by_access(batch.access, [&]<Access A>() {
        if (active == nullptr && traits.takes_all_messages(true)) {
          gather_all<A>(batch.pieces, dense, out);
          return;
        }
        for (std::size_t p = 0; p < batch.pieces.size(); ++p) {
          fetch_list_ahead(batch.pieces, p);
          if (traits.first_is_enough) {
            gather_first<A>(batch.pieces[p], active, out);
          } else if (traits.all_say_the_same) {
            gather_active<A>(
                batch.pieces[p], [&](VertexId u) { return self().emit(Source{.v = u}); }, active,
                out);
          } else {
            gather_active<A>(
                batch.pieces[p], [&](VertexId u) { return dense.as<Msg>()[u]; }, active, out);
          }
        }
      });
    }
  }

  void edges(const EdgeRun& run, Messages dense, const Bitmap* active, Activations& out) final {
    by_access(run.access, [&]<Access A>() {
      const Msg* slots = dense.as<Msg>();
      for (std::size_t i = 0; i < run.sources.size(); ++i) {
        const VertexId u = run.sources[i];
        if (active != nullptr && !active->get(u)) continue;
        const VertexId v = run.targets[i];
        hear<A>(v, self().along(slots[run.message_each ? i : u], u, v, weight(run.weights, i)),
                out);
      }
    });
  }

  void bin(const AdjacencyBatch& batch, Messages messages, Bins& out) final {
    const Msg* slots = messages.as<Msg>();
    for (const Piece& piece : batch.pieces) {
      for (std::uint32_t i = 0; i < piece.count; ++i) {
        const VertexId v = piece.ids[i];
        if (!self().Derived::listens(v)) continue;
        out.put(v, self().along(slots[piece.slot], piece.v, v, weight(piece.weights, i)));
      }
    }
  }

  void drain(std::span<const std::byte> bin, Activations& out) final {
    constexpr std::size_t kRecord = sizeof(VertexId) + sizeof(Msg);
    for (std::size_t at = 0; at < bin.size(); at += kRecord) {
      VertexId v = 0;
      Msg message;
      std::memcpy(&v, bin.data() + at, sizeof(v));
      std::memcpy(&message, bin.data() + at + sizeof(v), sizeof(message));
      hear<Access::exclusive>(v, message, out);
    }
  }

  void settle(VertexRange range, Activations& out) override {
    for (VertexId v = range.begin; v < range.end; ++v) {
      const Priority priority = self().settle_one(v);
      if (priority != kQuiet) out.add(v, priority);
    }
  }

 private:
  // How many edges ahead of the one in hand a target's state is fetched: its address is random, and
  // the branch of accept keeps the processor from running ahead by itself.
  static constexpr std::uint32_t kAhead = 16;

  // Neighbours whose messages are combined before the vertex hears them. A hub's long sum in single
  // precision would round away what one of its parts, as engines read them in blocks, does not.
  static constexpr std::uint32_t kFold = 1024;

  static constexpr std::size_t kTaken = 64;  // messages that are taken at once

  Derived& self() { return static_cast<Derived&>(*this); }

  // The start of a list that is some lists ahead of the one in hand: short ones end before the
  // processor has fetched them by itself.
  static void fetch_list_ahead(std::span<const Piece> pieces, std::size_t p) {
    constexpr std::size_t kLists = 4;
    if (p + kLists < pieces.size()) __builtin_prefetch(pieces[p + kLists].ids);
  }

  void fetch_ahead(VertexId v) {
    if constexpr (requires(Derived & d) { d.state(v); }) __builtin_prefetch(self().state(v));
  }

  static float weight(const float* weights, std::size_t i) {
    return weights == nullptr ? 0.0F : weights[i];
  }

  template <typename F>
  static void by_access(Access access, F&& f) {
    if (access == Access::exclusive) {
      f.template operator()<Access::exclusive>();
    } else {
      f.template operator()<Access::shared>();
    }
  }

  template <typename D>
  static constexpr bool can_keep_back() {
    return requires(D & d, Msg m) { d.combine(m, d.nothing()); };
  }

  // Calls tell(v, message) for each edge.
  template <typename F>
  void along_each(const AdjacencyBatch& batch, Messages messages, F&& tell) {
    const Msg* slots = messages.as<Msg>();
    for (std::size_t p = 0; p < batch.pieces.size(); ++p) {
      fetch_list_ahead(batch.pieces, p);
      const Piece& piece = batch.pieces[p];
      const Msg message = slots[piece.slot];
      for (std::uint32_t i = 0; i < piece.count; ++i) {
        if (i + kAhead < piece.count) fetch_ahead(piece.ids[i + kAhead]);
        const VertexId v = piece.ids[i];
        tell(v, self().along(message, piece.v, v, weight(piece.weights, i)));
      }
    }
  }

  // Whom it is no use to tell is left out without a branch, which nobody could foresee; the others,
  // of many lists, are told together, so that their state is fetched ahead.
  template <Access A>
  void scatter_to_heeding(const AdjacencyBatch& batch, Messages messages, Activations& out) {
    constexpr std::uint32_t kTold = 256;
    constexpr std::uint32_t kAsked = 64;
    struct {
      VertexId v;
      Msg message;
    } told[kTold + kAsked];
    std::uint32_t count = 0;
    const auto tell = [&] {
      for (std::uint32_t i = 0; i < count; ++i) {
        if (i + kAhead < count) fetch_ahead(told[i + kAhead].v);
        hear<A>(told[i].v, told[i].message, out);
      }
      count = 0;
    };
    const Msg* slots = messages.as<Msg>();
    for (std::size_t p = 0; p < batch.pieces.size(); ++p) {
      fetch_list_ahead(batch.pieces, p);
      const Piece& piece = batch.pieces[p];
      const Msg message = slots[piece.slot];
      for (std::uint32_t first = 0; first < piece.count; first += kAsked) {
        const std::uint32_t end = std::min(piece.count, first + kAsked);
        for (std::uint32_t i = first; i < end; ++i) {
          const VertexId v = piece.ids[i];
          told[count] = {v, self().along(message, piece.v, v, weight(piece.weights, i))};
          count += self().heeds(v) ? 1 : 0;
        }
        if (count >= kTold) tell();
      }
    }
    tell();
  }

  template <Access A>
  void scatter_combined(const AdjacencyBatch& batch, Messages messages, Combiner& combiner,
                        Activations& out) {
    Msg* kept = combiner.slots(self().nothing());
    const VertexId end = combiner.vertices();
    std::uint64_t held = 0;
    along_each(batch, messages, [&](VertexId v, Msg message) {
      if (v < end) {
        kept[v] = self().combine(kept[v], message);
        combiner.use(v);
        ++held;
      } else {
        hear<A>(v, message, out);
      }
    });
    combiner.add_held(held);
  }

  template <Access A>
  void hear(VertexId v, Msg message, Activations& out) {
    const Priority priority = self().template accept<A>(v, message);
    if (priority != kQuiet) out.add(v, priority);
  }

  // What the piece's vertex hears of its i-th neighbour, who said this.
  Msg arriving(const Piece& piece, Msg said, std::uint32_t i) {
    return self().along(said, piece.ids[i], piece.v, weight(piece.weights, i));
  }
  Msg message_of(const Piece& piece, Messages dense, std::uint32_t i) {
    return arriving(piece, dense.as<Msg>()[piece.ids[i]], i);
  }

  // All neighbours speak, and are heard. Functions of their own, because the compiler takes what
  // stands behind gather's tests for rare, and aligns no loop there; and lists that are not folded
  // go by a path of their own, because what lies between the end of one list and the first edge of
  // the next, after a branch that nobody can foresee, is waited for (contract_benchmark, Kronecker
  // 19: 1.10 to 1.05 of the fused loop's time).
  template <Access A>
  [[gnu::noinline]] void gather_all(std::span<const Piece> pieces, Messages dense,
                                    Activations& out) {
    for (const Piece& piece : pieces) {
      if (piece.count > kFold) {
        gather_folded<A>(piece, dense, out);
      } else if (piece.count > 0) {
        hear<A>(piece.v, combined(piece, dense, 0, piece.count), out);
      }
    }
  }
  template <Access A>
  [[gnu::noinline]] void gather_folded(const Piece& piece, Messages dense, Activations& out) {
    for (std::uint32_t i = 0; i < piece.count; i += kFold) {
      hear<A>(piece.v, combined(piece, dense, i, std::min(piece.count, i + kFold)), out);
    }
  }
  // What the neighbours from `i` to `end`, at least one, say together.
  Msg combined(const Piece& piece, Messages dense, std::uint32_t i, std::uint32_t end) {
    Msg all;
    if constexpr (requires(Derived & d) { d.nothing(); }) {
      all = self().nothing();
    } else {
      all = message_of(piece, dense, i++);
    }
    for (; i < end; ++i) all = self().combine(all, message_of(piece, dense, i));
    return all;
  }

  // Those who are active speak, each what `said` tells of him.
  template <Access A, typename Said>
  void gather_active(const Piece& piece, Said&& said, const Bitmap* active, Activations& out) {
    const auto speaks = [&](std::uint32_t i) {
      return active == nullptr || active->get(piece.ids[i]);
    };
    const auto arrives = [&](std::uint32_t i) { return arriving(piece, said(piece.ids[i]), i); };
    for (std::uint32_t i = 0; i < piece.count;) {
      const std::uint32_t end = std::min(piece.count, i + kFold);
      while (i < end && !speaks(i)) ++i;
      if (i == end) continue;
      Msg heard = arrives(i);
      for (++i; i < end; ++i) {
        if (speaks(i)) heard = self().combine(heard, arrives(i));
      }
      hear<A>(piece.v, heard, out);
    }
  }

  // The first of those who are active speaks.
  template <Access A>
  void gather_first(const Piece& piece, const Bitmap* active, Activations& out) {
    for (std::uint32_t i = 0; i < piece.count; ++i) {
      const VertexId u = piece.ids[i];
      if (active != nullptr && !active->get(u)) continue;
      hear<A>(piece.v, arriving(piece, self().emit(Source{.v = u}), i), out);
      return;
    }
  }
};

}  // namespace outcore
