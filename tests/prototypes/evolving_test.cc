// SPDX-License-Identifier: Apache-2.0
#include "tests/prototypes/evolving.h"

#include <thread>

namespace outcore::toys {
namespace {

// A stream that leaves exactly the edges of g: shuffled, among edges that come and go.
std::vector<Update> stream_of(const ToyGraph& g) {
  std::vector<Update> edges;
  for (VertexId u = 0; u < g.id_space(); ++u) {
    for (const VertexId v : g.out[u]) edges.push_back({u, v});
  }
  std::shuffle(edges.begin(), edges.end(), std::minstd_rand(5));
  std::vector<Update> stream;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto [u, v, removal] = edges[i];
    stream.push_back(edges[i]);
    // Also for edges of g: a removal removes one of the duplicates.
    if (i % 4 == 0) stream.insert(stream.end(), {{u, v}, {u, u}, {u, v, true}, {u, u, true}});
  }
  return stream;
}
// Keeps the store alive that an engine's snapshot reads.
struct Held {
  explicit Held(const ToyGraph& g) : store(g.id_space()) {
    for (const Update& update : stream_of(g)) store.ingest(update);
    engine.emplace(store, g.view());
  }
  Evolving* operator->() { return &*engine; }
  Evolving& operator*() { return *engine; }
  EvolvingStore store;
  std::optional<Evolving> engine;
};

std::vector<VertexId> list_of(const Snapshot& snapshot, Direction direction, VertexId v) {
  std::vector<VertexId> list;
  snapshot.read(direction, v, [&](const Piece& piece) {
    EXPECT_EQ(piece.first, list.size());
    list.insert(list.end(), piece.ids, piece.ids + piece.count);
  });
  return list;
}

TEST(Evolving, AnswersEveryToyUnderAnyNumbering) {
  const auto make = [](const ToyGraph& g) { return std::make_unique<Held>(g); };
  struct Handle {
    std::unique_ptr<Held> held;
    Evolving* operator->() const { return &**held; }
    Evolving& operator*() const { return **held; }
  };
  const auto handle = [&](const ToyGraph& g) { return Handle{make(g)}; };
  expect_right_answers(handle);
  expect_right_ranks(handle, 5);
}

TEST(Evolving, TakesOneMessageForAListInPieces) {
  const ToyGraph g = star(40);
  Held held(g);
  PagerankDelta delta(g.view());
  Spy spy(delta, g, Frontier::all(g.view()));
  held->converge(spy, Frontier::all(g.view()));
  spy.expect_each_edge_once();
  EXPECT_GT(spy.begun(0), 1U);
}

TEST(Evolving, ShowsOnlyWhatWasThereBeforeTheRound) {
  const ToyGraph g = path(12);
  Held held(g);
  Wcc wcc(g.view());
  held->round(wcc, Frontier::all(g.view()), Direction::out, Mode::push);
  for (VertexId v = 1; v < 12; ++v) EXPECT_EQ(wcc.label[v], v - 1);
}

TEST(Evolving, KeepsDuplicatesAndTakesOneAwayPerRemovalInWhateverPlaceItStands) {
  // The number of further updates before the snapshot moves entries from log to buffer to chain.
  for (VertexId further = 0; further < 20; ++further) {
    EvolvingStore store(4);
    for (const Update& update : {Update{0, 1}, {0, 2}, {0, 1}, {0, 1}, {0, 1, true}, {0, 3, true}})
      store.ingest(update);
    for (VertexId i = 0; i < further; ++i) store.ingest({0, 2});
    store.ingest({0, 3, true});
    const Snapshot snapshot(store);
    EXPECT_EQ(snapshot.degrees(Direction::out)[0], 3 + further);
    const auto list = list_of(snapshot, Direction::out, 0);
    EXPECT_EQ(std::count(list.begin(), list.end(), 1U), 2);
    EXPECT_EQ(std::count(list.begin(), list.end(), 2U), 1 + further);
    EXPECT_EQ(list.size(), snapshot.degrees(Direction::out)[0]);
    EXPECT_EQ(list_of(snapshot, Direction::in, 1), (std::vector<VertexId>{0, 0}));
    for (int i = 0; i < 6; ++i) store.ingest({1, 1});  // so that everything is buffered
    EXPECT_EQ(store.removals_missed(), 2U);
  }
}

TEST(Evolving, SeesAPrefixOfTheStreamForGoodWhileIngestGoesOn) {
  constexpr VertexId kVertices = 400;
  EvolvingStore store(kVertices);
  const Graph graph{.id_space = kVertices, .vertices = kVertices};
  std::jthread ingest([&] {
    for (VertexId v = 0; v + 1 < kVertices; ++v) store.ingest({v, v + 1});
  });
  std::vector<std::unique_ptr<Evolving>> engines;
  while (engines.empty() || engines.back()->snapshot().updates() + 1 < kVertices)
    engines.push_back(std::make_unique<Evolving>(store, graph));
  const auto expect_prefix = [&](Evolving& engine) {
    const auto updates = static_cast<VertexId>(engine.snapshot().updates());
    Bfs forth(graph, 0);
    Bfs back(graph, updates);
    const std::vector<VertexId> first = {0};
    const std::vector<VertexId> last = {updates};
    engine.converge(forth, Frontier::of(kVertices, first));
    for (Frontier f = Frontier::of(kVertices, last); !f.empty();)
      f = engine.round(back, std::move(f), Direction::in, Mode::push);
    for (VertexId v = 0; v < kVertices; ++v) {
      EXPECT_EQ(forth.level[v], v <= updates ? v : Bfs::kUnreached);
      EXPECT_EQ(back.level[v], v <= updates ? updates - v : Bfs::kUnreached);
    }
    EXPECT_EQ(engine.report().notes[0], "prefix of " + std::to_string(updates) + " updates");
  };
  for (std::size_t i = 0; i < engines.size(); i += 1 + engines.size() / 5)
    expect_prefix(*engines[i]);
}

}  // namespace
}  // namespace outcore::toys
