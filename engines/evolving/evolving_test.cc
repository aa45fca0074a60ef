// SPDX-License-Identifier: Apache-2.0
// What makes it the paper's engine: lists in pieces where the store has them, removals that are
// resolved before degrees are used, prefixes while the store goes on, and what a model counts.
#include "engines/evolving/evolving.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <numeric>
#include <thread>
#include <utility>

#include "common/error.h"
#include "storage/evolving/multiset_for_tests.h"
#include "storage/evolving/store.h"
#include "tests/contract/toy_programs.h"
#include "tests/readers.h"

namespace outcore {
namespace {

using evolving::LogEdge;
using evolving::OpenedStore;
using evolving::Store;
using evolving::StoreKnobs;
using ::testing::HasSubstr;

StoreKnobs small_store() {
  return {.threads = 1,
          .log_edges = std::uint64_t{1} << 17,
          .threshold = std::uint64_t{1} << 16,
          .bulk_bytes = std::uint64_t{1} << 16};
}

std::unique_ptr<OpenedStore> opened(const Store& store,
                                    std::shared_ptr<evolving::OptaneModel> model = nullptr) {
  const std::shared_ptr<evolving::Snapshot> snapshot = store.snapshot();
  snapshot->prepare(1);
  return std::make_unique<OpenedStore>("a-store", snapshot, 0, std::move(model));
}

EngineOptions with_threads(unsigned threads) {
  EngineOptions options;
  options.threads = threads;
  return options;
}

// The report after one round that pushes along the lists of `frontier`.
EngineReport after_push(const OpenedStore& store, const std::vector<VertexId>& frontier) {
  EvolvingEngine engine(store, with_threads(2));
  toys::Wcc labels(engine.graph());
  engine.round(labels, Frontier::of(engine.graph().id_space, frontier), Direction::out, Mode::push);
  return engine.report();
}

// A vertex with 200 neighbours: three full buffers of 62 and 14 more.
void add_hub(Store& store) {
  for (VertexId u = 1; u <= 200; ++u) store.add_edge(0, u);
}

TEST(Evolving, ReadsListsInThePiecesThatTheStoreHas) {
  const auto pieces = [](const Store& store) {
    const EngineReport report = after_push(*opened(store), {0});
    EXPECT_EQ(report.rounds.front().edges, report.edges_processed);
    return report.counts.at("pieces");
  };
  Store store(small_store());
  add_hub(store);
  EXPECT_EQ(pieces(store), 1U);  // of the log
  store.buffer_all();
  EXPECT_EQ(pieces(store), 4U);  // three blocks and the buffer
  store.add_edge(0, 201);
  EXPECT_EQ(pieces(store), 5U);
  store.flush_all();
  EXPECT_EQ(pieces(store), 4U);
  store.compact_all();
  EXPECT_EQ(pieces(store), 1U);
}

TEST(Evolving, LargerBuffersAreFewerPieces) {
  std::vector<std::uint64_t> pieces;
  for (const std::uint32_t bytes : {32U, 128U, 512U}) {
    StoreKnobs knobs = small_store();
    knobs.most_buffer = bytes;
    Store store(knobs);
    add_hub(store);
    store.flush_all();
    const EngineReport report = after_push(*opened(store), {0});
    EXPECT_EQ(report.edges_processed, 200U);
    pieces.push_back(report.counts.at("pieces"));
  }
  EXPECT_GT(pieces[0], pieces[1]);
  EXPECT_GT(pieces[1], pieces[2]);
}

TEST(Evolving, WhoHearsInTheFirstPieceIsNotReadFurther) {
  Store store(small_store());
  for (VertexId u = 1; u <= 200; ++u) store.add_edge(u, 0);
  store.buffer_all();
  const auto graph = opened(store);
  const auto pieces = [&](VertexId source) {
    EvolvingEngine engine(*graph, with_threads(1));
    toys::BfsByRounds search(engine.graph(), source);
    engine.round(search, Frontier::of(engine.graph().id_space, {&source, 1}), Direction::out,
                 Mode::pull);
    EXPECT_EQ(search.level[0], 1U);
    return engine.report().counts.at("pieces");
  };
  EXPECT_EQ(pieces(200), 1U);  // the newest is in the buffer
  EXPECT_EQ(pieces(1), 4U);    // the oldest in the last of three blocks
}

// Nodes that note which of them a thread is bound to.
class NotedNodes final : public evolving::MemoryNodes {
 public:
  static constexpr unsigned kNowhere = ~0U;
  explicit NotedNodes(unsigned count) : count_(count) {}
  [[nodiscard]] unsigned count() const override { return count_; }
  void bind_thread(unsigned node) override { here = node; }
  void free_thread() override { here = kNowhere; }
  void place(std::byte*, std::uint64_t, unsigned) override {}
  static thread_local unsigned here;

 private:
  unsigned count_;
};
thread_local unsigned NotedNodes::here = kNowhere;

// Labels, and how many edges were read by threads of another node than that of their list.
class WhereRead final : public VertexProgram<WhereRead, VertexId> {
 public:
  using NodeOf = std::function<unsigned(VertexId source, VertexId target)>;
  WhereRead(const Graph& graph, NodeOf node_of) : node_of_(std::move(node_of)), labels_(graph) {}
  static constexpr Saying kSaying = Saying::changing;
  static constexpr Hearing kHearing = Hearing::newest;

  VertexId emit(Source u) { return labels_.emit(u); }
  VertexId along(VertexId m, VertexId u, VertexId v, float /*weight*/) {
    ++(NotedNodes::here == node_of_(u, v) ? there : elsewhere);
    return m;
  }
  VertexId combine(VertexId a, VertexId b) { return labels_.combine(a, b); }
  template <Access A>
  Priority accept(VertexId v, VertexId m) {
    return labels_.accept<A>(v, m);
  }
  std::atomic<std::uint64_t> elsewhere{0};
  std::atomic<std::uint64_t> there{0};

 private:
  NodeOf node_of_;
  toys::Wcc labels_;
};

TEST(Evolving, ThreadsReadTheListsOfTheirOwnNode) {
  const auto stream = evolving::make_stream({.updates = 20'000, .vertices = 3'000});
  for (const auto how : {evolving::PlaceLists::sub_graphs, evolving::PlaceLists::directions}) {
    NotedNodes nodes(2);
    StoreKnobs knobs = small_store();
    knobs.threads = 4;
    knobs.nodes = &nodes;
    knobs.place = how;
    Store store(knobs);
    store.add_edges(stream);
    store.flush_all();
    const auto graph = opened(store);
    for (const unsigned threads : {1U, 4U}) {
      for (const Mode mode : {Mode::push, Mode::pull}) {
        EvolvingEngine engine(*graph, with_threads(threads));
        const bool by_vertex = how == evolving::PlaceLists::sub_graphs;
        const bool pushes = mode == Mode::push;  // along out-lists, else along in-lists
        WhereRead labels(engine.graph(), [=](VertexId source, VertexId target) {
          if (!by_vertex) return pushes ? 0U : 1U;
          return (pushes ? source : target) % 2;
        });
        const Frontier all = Frontier::all(engine.graph());
        engine.round(labels, Frontier::all(engine.graph()), Direction::out, mode);
        EXPECT_EQ(labels.elsewhere, 0U);
        EXPECT_EQ(labels.there, stream.size());
        EXPECT_EQ(engine.report().edges_processed, stream.size());
        const std::uint64_t divided = engine.report().counts.at("vertices_by_node");
        if (pushes) {
          EXPECT_EQ(divided, all.size());
        }
        EXPECT_GT(divided, 1000U);
        EXPECT_EQ(NotedNodes::here, NotedNodes::kNowhere) << "the caller's thread is still bound";
      }
    }
  }
}

TEST(Evolving, NothingIsDividedOnOneNode) {
  Store store(small_store());
  add_hub(store);
  EXPECT_EQ(after_push(*opened(store), {0}).counts.count("vertices_by_node"), 0U);
}

TEST(Evolving, ResolvesRemovalsBeforeDegreesAreUsed) {
  Store store(small_store());
  for (const VertexId u : {1, 2, 3, 3, 4}) store.add_edge(0, u);
  store.buffer_all();
  store.delete_edge(0, 3);
  store.delete_edge(0, 2);
  store.delete_edge(0, 9);  // which is not there
  const auto graph = opened(store);
  EvolvingEngine engine(*graph, with_threads(2));
  std::vector<std::uint32_t> degrees;
  engine.for_each_vertex([&](VertexRange, std::span<const std::uint32_t> some) {
    degrees.insert(degrees.end(), some.begin(), some.end());
  });
  EXPECT_EQ(degrees.front(), 3U);
  EXPECT_EQ(engine.graph().edges, 3U);
  EXPECT_FALSE(engine.graph().ranked);
  // The out-list of 0; the in-lists of 2, 3 and 9.
  EXPECT_EQ(engine.report().counts.at("resolved_lists"), 4U);
  EXPECT_EQ(after_push(*graph, {0}).edges_processed, 3U);
}

TEST(Evolving, TheMoreIsRemovedTheMoreListsAreResolvedAndTheFewerPiecesAreRead) {
  constexpr VertexId kVertices = 2000;
  std::vector<VertexId> all(kVertices);
  std::iota(all.begin(), all.end(), VertexId{0});
  const auto report_with = [&](double removals) {
    Store store(small_store());
    const std::vector<LogEdge> stream =
        evolving::make_stream({.updates = 40000, .vertices = kVertices, .removals = removals});
    store.add_edges(stream);
    store.flush_all();
    return after_push(*opened(store), all);
  };
  const EngineReport none = report_with(0);
  const EngineReport few = report_with(0.01);
  const EngineReport half = report_with(0.5);
  EXPECT_EQ(none.counts.at("resolved_lists"), 0U);
  EXPECT_GT(few.counts.at("resolved_lists"), 0U);
  EXPECT_GT(half.counts.at("resolved_lists"), few.counts.at("resolved_lists"));
  EXPECT_LT(half.counts.at("pieces"), none.counts.at("pieces"));
  EXPECT_LT(half.edges_processed, few.edges_processed);
}

TEST(Evolving, TasksGetTheirPartOfAListOverAllItsPieces) {
  class Reader : public TaskProgram {
   public:
    ListRange wants(const Task& /*task*/, std::uint32_t degree) override {
      EXPECT_EQ(degree, 200U);
      return {10, 190};
    }
    void step(const Task& /*task*/, const Piece& piece, TaskStack& /*next*/) override {
      EXPECT_EQ(piece.first, 10 + seen.size());
      seen.insert(seen.end(), piece.ids, piece.ids + piece.count);
    }
    std::vector<VertexId> seen;
  };
  Store store(small_store());
  add_hub(store);
  store.buffer_all();
  const auto graph = opened(store);
  EvolvingEngine engine(*graph, with_threads(1));
  Reader reader;
  const Task task{.v = 0};
  engine.drive(reader, {&task, 1}, Direction::out);
  EXPECT_EQ(reader.seen.size(), 180U);
  std::sort(reader.seen.begin(), reader.seen.end());
  EXPECT_EQ(std::unique(reader.seen.begin(), reader.seen.end()), reader.seen.end());
  EXPECT_EQ(engine.report().edges_processed, 180U);
}

TEST(Evolving, CountsWhatTheModelOfTheMediumMoves) {
  constexpr VertexId kVertices = 200;
  const auto model = std::make_shared<evolving::OptaneModel>(
      evolving::OptaneParameters{.cache_bytes = 1024, .dimms = 1});
  StoreKnobs knobs = small_store();
  knobs.medium = model.get();
  Store store(knobs);
  for (VertexId v = 0; v < kVertices; ++v) {
    for (VertexId u = 0; u < 62; ++u) store.add_edge(v, u);  // one block of 256 bytes each
  }
  store.flush_all();
  std::vector<VertexId> all(kVertices);
  for (VertexId v = 0; v < kVertices; ++v) all[v] = v;
  const EngineReport report = after_push(*opened(store, model), all);
  // Each block is four lines. What the cache of 16 lines had may be spared.
  const std::uint64_t bytes = report.counts.at("bus_read_bytes");
  EXPECT_LE(bytes, kVertices * 256U);
  EXPECT_GE(bytes, kVertices * 256U - 1024U);
  EXPECT_GE(report.counts.at("medium_read_bytes"), kVertices * 256U - 1024U);
  EXPECT_THAT(report.notes, ::testing::Contains(HasSubstr("one thread")));
  EXPECT_EQ(after_push(*opened(store), all).counts.count("bus_read_bytes"), 0U);
}

TEST(Evolving, AndEnginesOfLayoutsRefuseWhatTheyCannotRead) {
  const auto refusal = [](const EngineEntry& engine, const OpenedGraph& graph) -> std::string {
    try {
      static_cast<void>(engine.make(graph, {}));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return error.what();
    }
    return "none";
  };
  Store store(small_store());
  add_hub(store);
  const auto graph = opened(store);
  for (const EngineEntry& engine : engines()) {
    if (engine.reads == GraphKind::store) continue;
    EXPECT_THAT(refusal(engine, *graph), HasSubstr("outcore freeze a-store")) << engine.name;
  }
  const ToyContainer toy(path(3), false);
  EXPECT_THAT(refusal(find_engine("evolving"), *open_layout(toy.layout("csr"))),
              HasSubstr("outcore ingest"));
}

std::vector<VertexId> labels_of(const OpenedStore& store) {
  EvolvingEngine engine(store, with_threads(2));
  toys::Wcc labels(engine.graph());
  engine.converge(labels, Frontier::all(engine.graph()));
  return labels.label;
}

// Under the thread sanitizer this is the test that queries and ingest share nothing unguarded.
TEST(Evolving, SeesPrefixesWhileTheStoreGoesOn) {
  constexpr std::size_t kUpdates = 40000;
  constexpr std::size_t kPortion = 500;
  const auto stream =
      evolving::make_stream({.updates = kUpdates, .vertices = 3000, .removals = 0.3});
  StoreKnobs knobs = small_store();
  knobs.threads = 2;
  knobs.log_edges = 1 << 13;
  knobs.threshold = 1 << 10;
  Store store(knobs);
  std::atomic<bool> done{false};
  std::jthread ingest([&] {
    for (std::size_t i = 0; i < kUpdates; i += kPortion) {
      store.add_edges(std::span(stream).subspan(i, kPortion));
      if (i % (kPortion * 32) == 0) store.compact_all();
    }
    done.store(true);
  });
  int compared = 0;
  for (bool last = false; !last; ++compared) {
    last = done.load();
    const auto seen = opened(store);
    const std::uint64_t prefix = seen->snapshot().updates();
    if (prefix == 0) continue;
    const std::vector<VertexId> labels = labels_of(*seen);
    Store alone(small_store());
    alone.add_edges(std::span(stream).first(prefix));
    EXPECT_EQ(labels, labels_of(*opened(alone))) << prefix << " updates";
  }
  EXPECT_GT(compared, 1);
}

}  // namespace
}  // namespace outcore
