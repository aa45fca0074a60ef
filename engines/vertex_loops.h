// SPDX-License-Identifier: Apache-2.0
// The loops over edges that VertexProgram generates: push (along, scatter), pull (gather) and edges
// with explicit sources.
//
// Each loop takes the program by its own type, so emit, along, combine and accept are compiled into
// it. Otherwise it is a plain function: the program's state stays addressable from one register.
// The program must be as the head of vertex_program.h describes. `A` says whether other threads
// write the same state meanwhile.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "engines/program.h"

namespace outcore {

template <typename Derived, typename Msg>
class VertexProgram;

namespace loops {

// How many edges ahead a target's state is prefetched: its address is random, and the branch of
// accept keeps the processor from running ahead by itself.
inline constexpr std::uint32_t kAhead = 16;

// The number of neighbours whose messages are combined before the vertex hears them. In single
// precision, a hub's long sum would lose to rounding what sums over its parts, as engines read them
// in blocks, do not.
inline constexpr std::uint32_t kFold = 1024;

template <typename P>
concept HasNothing = requires(P& program) {
  program.nothing();
};

template <typename P>
void fetch_ahead(P& program, VertexId v) {
  if constexpr (requires { program.state(v); }) __builtin_prefetch(program.state(v));
}

// How many lists ahead the start of a list is prefetched: short lists end before the processor has
// fetched the next ones by itself.
inline constexpr std::size_t kListsAhead = 4;

inline void fetch_list_ahead(std::span<const Piece> pieces, std::size_t p) {
  if (p + kListsAhead < pieces.size()) __builtin_prefetch(pieces[p + kListsAhead].ids);
}
// Pull: also prefetches the state of the list's vertex, which may be anywhere if lists do not
// follow ids.
template <typename P>
void fetch_list_ahead(P& program, std::span<const Piece> pieces, std::size_t p) {
  fetch_list_ahead(pieces, p);
  if (p + kListsAhead < pieces.size()) fetch_ahead(program, pieces[p + kListsAhead].v);
}

inline float weight(const float* weights, std::size_t i) {
  return weights == nullptr ? 0.0F : weights[i];
}

// Always inlined: as a call of its own it took 5% of WCC on a grid.
template <Access A, typename P>
[[gnu::always_inline]] inline void hear(P& program, VertexId v, typename P::Message message,
                                        Activations& out) {
  const Priority priority = program.template accept<A>(v, message);
  if (priority != kQuiet) out.add(v, priority);
}

// --- Push ---

// Calls tell(v, message) for each edge.
template <typename P, typename F>
void along_each(P& program, std::span<const Piece> pieces, Messages messages, F&& tell) {
  using Message = typename P::Message;
  const Message* slots = messages.as<Message>();
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    fetch_list_ahead(pieces, p);
    const Piece& piece = pieces[p];
    const Message message = slots[piece.slot];
    for (std::uint32_t i = 0; i < piece.count; ++i) {
      if (i + kAhead < piece.count) fetch_ahead(program, piece.ids[i + kAhead]);
      const VertexId v = piece.ids[i];
      tell(v, program.along(message, piece.v, v, weight(piece.weights, i)));
    }
  }
}

template <Access A, typename P>
void scatter_to_all(P& program, std::span<const Piece> pieces, Messages messages,
                    Activations& out) {
  along_each(program, pieces, messages,
             [&](VertexId v, auto message) { hear<A>(program, v, message, out); });
}

// Targets that do not listen are filtered without a branch: the branch would be mispredicted. The
// others, from many lists, are told together, so that their state can be prefetched.
template <Access A, typename P>
void scatter_to_listening(P& program, std::span<const Piece> pieces, Messages messages,
                          Activations& out) {
  using Message = typename P::Message;
  constexpr std::uint32_t kTold = 256;
  constexpr std::uint32_t kAsked = 64;
  struct {
    VertexId v;
    Message message;
  } told[kTold + kAsked];
  std::uint32_t count = 0;
  const auto tell = [&] {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (i + kAhead < count) fetch_ahead(program, told[i + kAhead].v);
      hear<A>(program, told[i].v, told[i].message, out);
    }
    count = 0;
  };
  const Message* slots = messages.as<Message>();
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    fetch_list_ahead(pieces, p);
    const Piece& piece = pieces[p];
    const Message message = slots[piece.slot];
    for (std::uint32_t first = 0; first < piece.count; first += kAsked) {
      const std::uint32_t end = std::min(piece.count, first + kAsked);
      for (std::uint32_t i = first; i < end; ++i) {
        const VertexId v = piece.ids[i];
        told[count] = {v, program.along(message, piece.v, v, weight(piece.weights, i))};
        count += program.P::listens(v) ? 1 : 0;
      }
      if (count >= kTold) tell();
    }
  }
  tell();
}

template <Access A, typename P>
void scatter_combined(P& program, std::span<const Piece> pieces, Messages messages,
                      Combiner& combiner, Activations& out) {
  using Message = typename P::Message;
  Message* kept = combiner.slots<Message>(program.nothing());
  const VertexId end = combiner.vertices();
  std::uint64_t held = 0;
  along_each(program, pieces, messages, [&](VertexId v, Message message) {
    if (v < end) {
      kept[v] = program.combine(kept[v], message);
      combiner.use(v);
      ++held;
    } else {
      hear<A>(program, v, message, out);
    }
  });
  combiner.add_held(held);
}

// --- Binning ---

// Does the program say which vertices listen?
template <typename P>
inline constexpr bool kAsksListeners =
    !std::is_same_v<decltype(&P::listens),
                    bool (VertexProgram<P, typename P::Message>::*)(VertexId)>;

template <typename P>
void bin_listening(P& program, std::span<const Piece> pieces, Messages messages, Bins& out) {
  using Message = typename P::Message;
  const Message* slots = messages.as<Message>();
  const BinLines lines = out.lines();
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    fetch_list_ahead(pieces, p);
    const Piece& piece = pieces[p];
    const Message message = slots[piece.slot];
    for (std::uint32_t i = 0; i < piece.count; ++i) {
      if constexpr (kAsksListeners<P>) {
        if (i + kAhead < piece.count) fetch_ahead(program, piece.ids[i + kAhead]);
      }
      const VertexId v = piece.ids[i];
      const Message told = program.along(message, piece.v, v, weight(piece.weights, i));
      if (lines.put(v, told, program.P::listens(v))) out.take(v);
    }
  }
}

template <typename P>
void bin_messages(P& program, std::span<const Piece> pieces, Messages messages, Bins& out) {
  using Message = typename P::Message;
  const Message* slots = messages.as<Message>();
  const BinLines lines = out.lines();
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    fetch_list_ahead(pieces, p);
    const Piece& piece = pieces[p];
    const Message message = slots[piece.slot];
    for (std::uint32_t i = 0; i < piece.count; ++i) {
      const VertexId v = piece.ids[i];
      const Message told = program.along(message, piece.v, v, weight(piece.weights, i));
      if (lines.put_message(v, told)) out.take(v);
    }
  }
}

template <typename P>
void bin_combined(P& program, std::span<const Piece> pieces, Messages messages, Combiner& combiner,
                  Bins& out) {
  using Message = typename P::Message;
  Message* kept = combiner.slots<Message>(program.nothing());
  const VertexId end = combiner.vertices();
  const BinLines lines = out.lines();
  std::uint64_t held = 0;
  along_each(program, pieces, messages, [&](VertexId v, Message message) {
    if (v < end) {
      kept[v] = program.combine(kept[v], message);
      combiner.use(v);
      ++held;
    } else if (lines.put(v, message, program.P::listens(v))) {
      out.take(v);
    }
  });
  combiner.add_held(held);
}

template <typename P>
void drain(P& program, const Records& records, Activations& out) {
  using Message = typename P::Message;
  const auto* messages = reinterpret_cast<const Message*>(records.messages);
  for (std::size_t i = 0; i < records.count; ++i) {
    if (i + kAhead < records.count) fetch_ahead(program, records.targets[i + kAhead]);
    hear<Access::exclusive>(program, records.targets[i], messages[i], out);
  }
}

// --- Pull ---

// What the piece's vertex hears if its i-th neighbour says `said`.
template <typename P>
typename P::Message arriving(P& program, const Piece& piece, typename P::Message said,
                             std::uint32_t i) {
  return program.along(said, piece.ids[i], piece.v, weight(piece.weights, i));
}
template <typename P>
typename P::Message message_of(P& program, const Piece& piece, Messages dense, std::uint32_t i) {
  return arriving(program, piece, dense.as<typename P::Message>()[piece.ids[i]], i);
}

// The combined messages of the neighbours from `i` to `end`. REQUIRES: at least one.
template <typename P>
typename P::Message combined(P& program, const Piece& piece, Messages dense, std::uint32_t i,
                             std::uint32_t end) {
  typename P::Message all;
  if constexpr (HasNothing<P>) {
    all = program.nothing();
  } else {
    all = message_of(program, piece, dense, i++);
  }
  for (; i < end; ++i) all = program.combine(all, message_of(program, piece, dense, i));
  return all;
}

template <Access A, typename P>
[[gnu::noinline]] void gather_folded(P& program, const Piece& piece, Messages dense,
                                     Activations& out) {
  for (std::uint32_t i = 0; i < piece.count; i += kFold) {
    hear<A>(program, piece.v, combined(program, piece, dense, i, std::min(piece.count, i + kFold)),
            out);
  }
}

// All neighbours speak and are heard. This is a function of its own and not inlined, because the
// compiler considers what follows gather's tests as rare and aligns no loop there. Lists that need
// no folding take a path of their own: after the unpredictable branch at the end of a list, all
// work before the first edge of the next list is waited for (contract_benchmark, Kronecker 19: from
// 1.10 to 1.05 of the fused loop's time).
template <Access A, typename P>
[[gnu::noinline]] void gather_all(P& program, std::span<const Piece> pieces, Messages dense,
                                  Activations& out) {
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const Piece& piece = pieces[p];
    fetch_list_ahead(program, pieces, p);
    if (piece.count > kFold) {
      gather_folded<A>(program, piece, dense, out);
    } else if (piece.count > 0) {
      hear<A>(program, piece.v, combined(program, piece, dense, 0, piece.count), out);
    }
  }
}

// Active neighbours speak; said(u) is the message of neighbour u. `active` null: all are active.
template <Access A, typename P, typename Said>
void gather_active(P& program, const Piece& piece, Said&& said, const Bitmap* active,
                   Activations& out) {
  const auto speaks = [&](std::uint32_t i) {
    return active == nullptr || active->get(piece.ids[i]);
  };
  const auto arrives = [&](std::uint32_t i) {
    return arriving(program, piece, said(piece.ids[i]), i);
  };
  for (std::uint32_t i = 0; i < piece.count;) {
    const std::uint32_t end = std::min(piece.count, i + kFold);
    while (i < end && !speaks(i)) ++i;
    if (i == end) continue;
    auto heard = arrives(i);
    for (++i; i < end; ++i) {
      if (speaks(i)) heard = program.combine(heard, arrives(i));
    }
    hear<A>(program, piece.v, heard, out);
  }
}

// The first active neighbour speaks.
template <Access A, typename P>
void gather_first(P& program, const Piece& piece, const Bitmap* active, Activations& out) {
  for (std::uint32_t i = 0; i < piece.count; ++i) {
    const VertexId u = piece.ids[i];
    if (active != nullptr && !active->get(u)) continue;
    hear<A>(program, piece.v, arriving(program, piece, program.emit(Source{.v = u}), i), out);
    return;
  }
}

// --- Edges ---

template <Access A, typename P>
[[gnu::always_inline]] inline void tell_edge(P& program, const EdgeRun& run, Messages messages,
                                             std::size_t i, Activations& out) {
  const VertexId u = run.sources[i];
  const VertexId v = run.targets[i];
  const auto message = messages.as<typename P::Message>()[run.message_each ? i : u];
  hear<A>(program, v, program.along(message, u, v, weight(run.weights, i)), out);
}

template <Access A, typename P>
void edges_all(P& program, const EdgeRun& run, Messages messages, Activations& out) {
  const std::size_t count = run.sources.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) fetch_ahead(program, run.targets[i + kAhead]);
    tell_edge<A>(program, run, messages, i, out);
  }
}

// Those for which wanted(i) holds. They are sorted out first, without a branch: whether a source is
// active, or a target listens, would be mispredicted.
template <Access A, typename P, typename Wanted>
void edges_where(P& program, const EdgeRun& run, Messages messages, const Wanted& wanted,
                 Activations& out) {
  constexpr std::size_t kAsked = 1024;
  std::uint32_t kept[kAsked];
  for (std::size_t first = 0; first < run.sources.size(); first += kAsked) {
    const std::size_t end = std::min(run.sources.size(), first + kAsked);
    std::size_t count = 0;
    for (std::size_t i = first; i < end; ++i) {
      kept[count] = static_cast<std::uint32_t>(i);
      count += wanted(i) ? 1 : 0;
    }
    for (std::size_t k = 0; k < count; ++k) {
      if (k + kAhead < count) fetch_ahead(program, run.targets[kept[k + kAhead]]);
      tell_edge<A>(program, run, messages, kept[k], out);
    }
  }
}

}  // namespace loops

}  // namespace outcore
