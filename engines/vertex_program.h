// SPDX-License-Identifier: Apache-2.0
// Makes a Program from a few small functions: the inner loops are written once, and compiled into
// each workload with its functions inlined.
//
// Derive `struct Mine : VertexProgram<Mine, Msg>` and write:
//
//   Msg emit(Source u)                         once per activation; may change u's state
//   Msg along(Msg m, VertexId u, VertexId v, float w)   what arrives over an edge (default: m)
//   Msg combine(Msg a, Msg b)                  for pull: accept(a) then accept(b) must equal
//                                              accept(combine(a, b)) (optional: else it only
//                                              pushes)
//   Msg nothing()                              combine(nothing(), m) is m (optional: spares pull
//                                              a branch a list, 1.15x of PageRank's time; and push
//                                              may keep messages back, see Combiner)
//   template <Access A> Priority accept(VertexId v, Msg m)
//                                              hear it; kQuiet unless v is to be activated
//   bool listens(VertexId v)                   could v still hear anything (default: true)
//   Priority priority(VertexId v)              of an active vertex (default: 0, all alike)
//   Priority settle_one(VertexId v)            after a round (default: nothing)
//   const void* state(VertexId v)              where accept looks first: fetched ahead (optional)
//
// and say what may be reordered or left out, if the default does not hold (program.h):
//
//   static constexpr Saying kSaying            default: Saying::fixed
//   static constexpr Hearing kHearing          default: Hearing::every
//   static constexpr bool kSettles             default: false
//   static constexpr bool kEchoes              may it matter to a vertex to hear what it said
//                                              itself, told back by the vertex that heard it?
//                                              (default: true)
//   static constexpr bool kFilterPush          push asks listens() of each target first. For
//                                              programs whose listens() looks at less memory than
//                                              accept() (default: false; then only pull and binning
//                                              ask it)
//
// emit, listens and priority may run while other threads accept, even if accept is told that it has
// exclusive access (online binning calls listens while bins are drained). So they must read what
// accept writes through peek(), emit must take it with replace<Access::shared>(), and accept must
// write with lower, increase or replace.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "engines/atomic_state.h"
#include "engines/program.h"
#include "engines/vertex_loops.h"

namespace outcore {

template <typename Derived, typename Msg>
class VertexProgram : public Program {
  static_assert(sizeof(Msg) <= kLargestMessage && std::is_trivially_copyable_v<Msg>);

 public:
  using Message = Msg;

  static constexpr Saying kSaying = Saying::fixed;
  static constexpr Hearing kHearing = Hearing::every;
  static constexpr bool kSettles = false;
  static constexpr bool kEchoes = true;
  static constexpr bool kFilterPush = false;

  Msg along(Msg m, VertexId /*u*/, VertexId /*v*/, float /*w*/) { return m; }
  bool listens(VertexId /*v*/) override { return true; }
  Priority settle_one(VertexId /*v*/) { return kQuiet; }

  [[nodiscard]] Traits traits() const final { return constant_traits(); }

  void begin(std::span<const Source> sources, Messages out) final {
    // Through an array that no other pointer can alias, so that the compiler may emit several
    // messages at once (PageRank's messages, contract_benchmark: from 1.15 to 1.05 ms).
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
          loops::scatter_combined<A>(self(), batch.pieces, messages, *batch.combiner, out);
          return;
        }
      }
      if constexpr (Derived::kFilterPush) {
        loops::scatter_to_listening<A>(self(), batch.pieces, messages, out);
      } else {
        loops::scatter_to_all<A>(self(), batch.pieces, messages, out);
      }
    });
  }

  void deliver(Combiner& combiner, Activations& out) final {
    if constexpr (can_keep_back<Derived>()) {
      Msg* kept = combiner.slots<Msg>(self().nothing());
      combiner.take_used([&](VertexId v) {
        if (kept[v] == self().nothing()) return;
        loops::hear<Access::shared>(self(), v, std::exchange(kept[v], self().nothing()), out);
      });
    }
  }

  void listening(VertexRange range, Bitmap& out) final {
    out.set_where(range.begin, range.end,
                  [&](std::size_t v) { return self().Derived::listens(static_cast<VertexId>(v)); });
  }

  void gather(const AdjacencyBatch& batch, Messages dense, const Bitmap* active,
              Activations& out) final {
    if constexpr (combines<Derived>()) {
      constexpr Traits kTraits = constant_traits();
      by_access(batch.access, [&]<Access A>() {
        if constexpr (kTraits.takes_all_messages(true)) {
          if (active == nullptr) {
            loops::gather_all<A>(self(), batch.pieces, dense, out);
            return;
          }
        }
        for (std::size_t p = 0; p < batch.pieces.size(); ++p) {
          loops::fetch_list_ahead(self(), batch.pieces, p);
          if constexpr (kTraits.hearing == Hearing::first) {
            loops::gather_first<A>(self(), batch.pieces[p], active, out);
          } else if constexpr (kTraits.saying == Saying::common) {
            loops::gather_active<A>(
                self(), batch.pieces[p], [&](VertexId u) { return self().emit(Source{.v = u}); },
                active, out);
          } else {
            loops::gather_active<A>(
                self(), batch.pieces[p], [&](VertexId u) { return dense.as<Msg>()[u]; }, active,
                out);
          }
        }
      });
    }
  }

  void edges(const EdgeRun& run, Messages dense, const Bitmap* active, Activations& out) final {
    const auto speaks = [&](std::size_t i) { return active->get(run.sources[i]); };
    const auto listens = [&](std::size_t i) { return self().Derived::listens(run.targets[i]); };
    by_access(run.access, [&]<Access A>() {
      if constexpr (Derived::kFilterPush) {
        if (active == nullptr) {
          loops::edges_where<A>(self(), run, dense, listens, out);
        } else {
          loops::edges_where<A>(
              self(), run, dense, [&](std::size_t i) { return speaks(i) & listens(i); }, out);
        }
      } else if (active == nullptr) {
        loops::edges_all<A>(self(), run, dense, out);
      } else {
        loops::edges_where<A>(self(), run, dense, speaks, out);
      }
    });
  }

  void bin(const AdjacencyBatch& batch, Messages messages, Bins& out) final {
    if (out.lines().targets == nullptr) {
      loops::bin_messages(self(), batch.pieces, messages, out);
      return;
    }
    if constexpr (can_keep_back<Derived>()) {
      if (batch.combiner != nullptr) {
        loops::bin_combined(self(), batch.pieces, messages, *batch.combiner, out);
        return;
      }
    }
    loops::bin_listening(self(), batch.pieces, messages, out);
  }

  void bin_kept(Combiner& combiner, Bins& out) final {
    if constexpr (can_keep_back<Derived>()) {
      Msg* kept = combiner.slots<Msg>(self().nothing());
      combiner.take_used([&](VertexId v) {
        if (kept[v] == self().nothing()) return;
        if (out.lines().put(v, std::exchange(kept[v], self().nothing()))) out.take(v);
      });
    }
  }

  void drain(const Records& records, Activations& out) final { loops::drain(self(), records, out); }

  void settle(VertexRange range, Activations& out) override {
    for (VertexId v = range.begin; v < range.end; ++v) {
      const Priority priority = self().settle_one(v);
      if (priority != kQuiet) out.add(v, priority);
    }
  }

 private:
  static constexpr std::size_t kTaken = 64;  // messages that are taken at once

  Derived& self() { return static_cast<Derived&>(*this); }

  template <typename F>
  static void by_access(Access access, F&& f) {
    if (access == Access::exclusive) {
      f.template operator()<Access::exclusive>();
    } else {
      f.template operator()<Access::shared>();
    }
  }

  static constexpr Traits constant_traits() {
    static_assert(Derived::kHearing != Hearing::first || Derived::kSaying != Saying::changing,
                  "the first message is enough only if all of a round are alike");
    static_assert(Derived::kEchoes || Derived::kHearing == Hearing::first ||
                      Derived::kHearing == Hearing::repeatable,
                  "what counts each time that it is heard counts when it is told back");
    return {.message_bytes = sizeof(Msg),
            .saying = Derived::kSaying,
            .hearing = Derived::kHearing,
            .combines = combines<Derived>(),
            .settles = Derived::kSettles,
            .echoes = Derived::kEchoes};
  }

  template <typename D>
  static constexpr bool combines() {
    return requires(D & d, Msg m) { d.combine(m, m); };
  }
  template <typename D>
  static constexpr bool can_keep_back() {
    return requires(D & d, Msg m) { d.combine(m, d.nothing()); };
  }
};

}  // namespace outcore
