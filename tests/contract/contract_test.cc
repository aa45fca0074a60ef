// SPDX-License-Identifier: Apache-2.0
// Every engine keeps the contract at the head of engines/program.h, as observed by the Spy: one
// message per activation, and each edge exactly once with it, even if a list is in many blocks or
// in the index, or if the vertex has no edges.
#include <gtest/gtest.h>

#include <set>

#include "tests/contract/toys.h"
#include "tests/readers.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

// The same graph as the spy knows it and as a container holds it.
struct Watched {
  explicit Watched(const Shape& shape)
      : container(shape, true),
        toy(toys::graph_of(shape.name, shape.vertices, shape.edges, true)) {}

  ToyContainer container;
  toys::ToyGraph toy;
};

// Without loops: the spy's toys mirror every edge, so a loop would be in them twice.
std::vector<Shape> shapes() {
  std::vector<Shape> all = {path(50), star(300), hub(2500), disconnected(),
                            small_kronecker(8, 8, 3)};
  for (Shape& shape : all)
    std::erase_if(shape.edges, [](const auto& e) { return e.first == e.second; });
  return all;
}

EngineOptions options_of(const Parameters& settings) {
  EngineOptions options;
  options.frames_bytes = std::uint64_t{16} * 4096;
  options.depth = 4;
  options.settings = settings;
  return options;
}

// With lplf, as in ACGraph's layout, lists of up to two edges are in the index; but ids are kept,
// because the spy knows them.
LayoutChoices choices_of(const std::string& pack) {
  return {.pack = pack, .inline_edges = pack == "lplf" ? 2U : 0U};
}

class Contract : public ::testing::TestWithParam<const char*> {
 protected:
  template <typename F>
  void for_each_engine(F&& f) {
    const std::vector<Shape> all = shapes();
    for (std::size_t number = 0; number < all.size(); ++number) {
      const Shape& shape = all[number];
      Watched watched(shape);
      ToyLayouts layouts(watched.container);
      for (const EngineEntry& entry : engines()) {
        const std::vector<Parameters> ways = ways_of(entry);
        for (std::size_t way = 0; way < ways.size(); ++way) {
          // The default settings on every shape, each of the others on one: the spy looks at every
          // edge.
          if (way > 0 && way % all.size() != number) continue;
          SCOPED_TRACE(shape.name + " " + entry.name + " " + ways[way].json().dump());
          const OpenedGraph& layout = layouts.of(entry, choices_of(GetParam()), ways[way]);
          EngineOptions options = options_of(ways[way]);
          // Where messages lie on edges, a part of the graph is there with them.
          if (entry.traits.messages_on_edges) options.frames_bytes *= 32;
          f(*entry.make(layout, options), watched.toy);
        }
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Packs, Contract, ::testing::Values("csr", "firstfit", "lplf"),
                         [](const auto& tested) { return std::string(tested.param); });

// Otherwise vertices that need no block would not be tested.
TEST(ContractLayouts, ListsStandInTheIndexAndIdsAreKept) {
  for (const Shape& shape : {path(50), star(300), small_kronecker(8, 8, 3)}) {
    const ToyContainer container(shape, true);
    const Layout layout(container.layout(choices_of("lplf")));
    EXPECT_GT(layout.facts().inline_edges, 0U) << shape.name;
    EXPECT_EQ(layout.facts().id_space, shape.vertices) << shape.name;
  }
}

// edges_processed means the same in every engine: the edges of all pieces that programs were given.
void expect_counted(const Engine& engine, const toys::Spy& spy) {
  EXPECT_EQ(engine.report().edges_processed, spy.edges_handed);
}

// Residuals are taken with the message, so a message that is taken twice, or lost with a piece,
// shows.
TEST_P(Contract, TakesOneMessageAnActivationAndCarriesItOverEachEdgeOnce) {
  for_each_engine([](Engine& engine, const toys::ToyGraph& toy) {
    toys::PagerankDelta delta(engine.graph());
    const Frontier all = Frontier::all(engine.graph());
    toys::Spy spy(delta, toy, all);
    engine.converge(spy, Frontier(all));
    spy.expect_each_edge_once();
    expect_counted(engine, spy);
    spy.expect_nobody_waits();
    for (VertexId v = 0; v < toy.id_space(); ++v) {
      EXPECT_GE(spy.begun(v), 1U) << "vertex " << v << ", of degree " << toy.out[v].size();
    }
  });
}

TEST_P(Contract, TakesMessagesOfEmittersThatHearBeforeTheRound) {
  for_each_engine([](Engine& engine, const toys::ToyGraph& toy) {
    toys::Wcc wcc(engine.graph());
    toys::Spy spy(wcc, toy, Frontier::all(engine.graph()));
    engine.round(spy, Frontier::all(engine.graph()), Direction::out, Mode::push);
    spy.expect_each_edge_once();
    expect_counted(engine, spy);
    ASSERT_EQ(engine.traits().round, Visibility::round);
    for (VertexId v = 0; v < toy.id_space(); ++v) {
      VertexId least = v;
      for (const VertexId u : toy.out[v]) least = std::min(least, u);
      EXPECT_EQ(wcc.label[v], least)
          << "heard more than its neighbours' labels of before the round";
    }
  });
}

TEST_P(Contract, PullTellsListenersWhatPushWouldHave) {
  for_each_engine([](Engine& engine, const toys::ToyGraph& toy) {
    if (!engine.traits().pull) return;
    toys::Wcc pushed(engine.graph());
    toys::Wcc pulled(engine.graph());
    toys::Spy spy(pulled, toy, Frontier::all(engine.graph()));
    const Frontier after_push =
        engine.round(pushed, Frontier::all(engine.graph()), Direction::out, Mode::push);
    const std::uint64_t edges_pushed = engine.report().edges_processed;
    const Frontier after_pull =
        engine.round(spy, Frontier::all(engine.graph()), Direction::out, Mode::pull);
    spy.expect_each_edge_once();
    EXPECT_EQ(engine.report().edges_processed - edges_pushed, spy.edges_handed);
    EXPECT_EQ(engine.report().rounds.back().edges, spy.edges_handed);
    EXPECT_EQ(pulled.label, pushed.label);
    EXPECT_EQ(after_pull.size(), after_push.size());
    EXPECT_TRUE(engine.report().rounds.back().pull);
  });
}

// Levels in rounds: no message is taken from a vertex that no other vertex hears.
TEST_P(Contract, PullAsksThoseWhoAreHeardWhereTheFirstIsEnough) {
  for_each_engine([](Engine& engine, const toys::ToyGraph& toy) {
    if (!engine.traits().pull) return;
    toys::BfsByRounds pushed(engine.graph(), 0);
    toys::BfsByRounds pulled(engine.graph(), 0);
    const VertexId source = 0;
    const Frontier first = Frontier::of(engine.graph().id_space, {&source, 1});
    toys::Spy spy(pulled, toy, first);
    Frontier by_push = first;
    Frontier by_pull = first;
    std::uint64_t edges_pulled = 0;
    while (!by_push.empty()) {
      by_push = engine.round(pushed, std::move(by_push), Direction::out, Mode::push);
      by_pull = engine.round(spy, std::move(by_pull), Direction::out, Mode::pull);
      edges_pulled += engine.report().rounds.back().edges;
      ASSERT_EQ(by_pull.size(), by_push.size());
    }
    EXPECT_EQ(edges_pulled, spy.edges_handed);
    EXPECT_EQ(pulled.level, pushed.level);
    for (VertexId v = 0; v < toy.id_space(); ++v) ASSERT_EQ(spy.begun(v), 0U) << "vertex " << v;
  });
}

// rounds[].blocks: the number of different blocks from which lists were used, however they were
// read.
TEST_P(Contract, CountsTheDifferentBlocksOfARound) {
  for (const Shape& shape : shapes()) {
    Watched watched(shape);
    const Layout layout(watched.container.layout(choices_of(GetParam())));
    const ListIndex& index = layout.index(Direction::out);
    std::vector<VertexId> every_third;
    std::set<BlockId> blocks;
    for (VertexId v = 0; v < watched.toy.id_space(); v += 3) {
      every_third.push_back(v);
      if (index.is_inline(index.degree(v))) continue;
      const ListAddress list = index.address(v);
      for (BlockId b = index.first_block(list); b <= index.last_block(list); ++b) blocks.insert(b);
    }
    for (const EngineEntry* entry : block_engines()) {
      for (const Parameters& way : ways_of(*entry)) {
        SCOPED_TRACE(shape.name + " " + entry->name + " " + way.json().dump());
        const auto engine = entry->make(layout, options_of(way));
        toys::Wcc wcc(engine->graph());
        engine->round(wcc, Frontier::of(engine->graph().id_space, every_third), Direction::out,
                      Mode::push);
        EXPECT_EQ(engine->report().rounds.back().blocks, blocks.size());
      }
    }
  }
}

TEST_P(Contract, TellsAlongHowManyEdgesAFrontierSpeaks) {
  for_each_engine([](Engine& engine, const toys::ToyGraph& toy) {
    std::vector<VertexId> every_third;
    for (VertexId v = 0; v < toy.id_space(); v += 3) every_third.push_back(v);
    for (const std::size_t some : {std::size_t{0}, std::size_t{1}, every_third.size()}) {
      const auto vertices = std::span(every_third).first(some);
      std::uint64_t edges = 0;
      for (const VertexId v : vertices) edges += toy.out[v].size();
      EXPECT_EQ(engine.edges_of(Frontier::of(engine.graph().id_space, vertices)), edges);
    }
    EXPECT_EQ(engine.edges_of(Frontier::all(engine.graph())), engine.graph().edges);
  });
}

}  // namespace
}  // namespace outcore
