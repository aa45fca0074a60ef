// SPDX-License-Identifier: Apache-2.0
// The smallest engine that keeps the contract of engines/engine.h, to copy from
// (docs/adding-an-engine.md). It stands in a test so that it is compiled and run without being
// offered to users: one thread, one block in memory, one read at a time, messages of a whole round
// taken before the first of them is heard.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/numa.h"
#include "engines/layout_graph.h"
#include "tests/toy_container.h"
#include "tests/toy_parameters.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

class SkeletonEngine final : public Engine {
 public:
  SkeletonEngine(const Layout& layout, const EngineOptions& options)
      : layout_(layout),
        graph_(graph_of(layout)),
        frame_(numa::allocate(layout.facts().block_bytes + kReadAhead, 0)),
        decoded_(layout.pieces()),
        door_(layout.block_files(), options.backend, backend_options(options, 1)),
        channel_(door_, {frame_.get(), layout.facts().block_bytes}) {}

  // What this engine is: rounds that see only what was written before them, and push alone.
  [[nodiscard]] Capabilities capabilities() const override { return {}; }
  [[nodiscard]] const Graph& graph() const override { return graph_; }

  void for_each_vertex(const VertexFn& f) override {
    std::vector<std::uint32_t> degrees(graph_.id_space);
    for (VertexId v = 0; v < graph_.id_space; ++v) {
      degrees[v] = source_of(layout_.index(Direction::out), v).degree;
    }
    f({0, graph_.id_space}, degrees);
  }

  void converge(Program& program, Frontier&& frontier) override {
    while (!frontier.empty()) {
      frontier = round(program, std::move(frontier), Direction::out, Mode::any);
    }
  }

  Frontier round(Program& program, Frontier&& frontier, Direction direction, Mode mode) override {
    if (mode == Mode::pull) throw usage_error("the skeleton only pushes");
    const Traits traits = program.traits();
    const ListIndex& index = layout_.index(direction);
    Frontier next(graph_.id_space);
    Collector activated(next);

    // Each message once, before anything is heard: this is what makes visibility `round`.
    std::vector<std::byte> memory(std::size_t{graph_.id_space} * traits.message_bytes);
    const Messages messages(memory.data(), traits.message_bytes);
    frontier.for_each([&](VertexId v) { take_messages(program, index, {&v, 1}, messages); });

    frontier.for_each([&](VertexId v) {
      if (index.is_inline(index.degree(v))) {  // no block holds it
        const Piece piece = inline_piece(index, v, v);
        program.scatter({{&piece, 1}, Access::exclusive}, messages, activated);
        return;
      }
      const ListAddress list = index.address(v);
      for (BlockId block = index.first_block(list); block <= index.last_block(list); ++block) {
        const std::byte* data = read(layout_.file(direction), block);
        const DecodedPiece part =
            layout_.pieces().read(index.part(list, block), data, decoded_.behind(0));
        const Piece piece = decoded_piece(v, v, list, part);
        program.scatter({{&piece, 1}, Access::exclusive}, messages, activated);
        channel_.touched(part.bytes);
      }
    });
    if (traits.settles) program.settle({0, graph_.id_space}, activated);
    activated.drain();
    next.adopt({&activated, 1});
    report_.vertices_processed += frontier.size();
    report_.activations += activated.reported();
    report_.rounds.push_back({.frontier = frontier.size()});
    return next;
  }

  [[nodiscard]] EngineReport report() const override {
    EngineReport report = report_;
    report.io = channel_.counters();
    report.backend = door_.backend().name();
    report.backend_traits = door_.backend().traits();
    report.notes = door_.backend().notes();
    report.memory = {{"index", layout_.index_bytes()}, {"frames", layout_.facts().block_bytes}};
    return report;
  }

 private:
  const std::byte* read(std::uint32_t file, BlockId block) {
    std::uint64_t tag = 0;
    channel_.read(file, block, 1, frame_.get(), tag);
    channel_.reap({&tag, 1}, 1);  // checked on the way in; throws where the device fails
    return frame_.get();
  }

  const Layout& layout_;
  Graph graph_;
  numa::Memory frame_;
  DecodeSpace decoded_;
  Door door_;
  DoorChannel channel_;
  EngineReport report_;
};

EngineOptions skeleton_options(const std::string& backend = "mem", const std::string& plan = {}) {
  EngineOptions result;
  result.backend = backend;
  result.fault_plan = plan;
  return result;
}

TEST(SkeletonEngine, AnswersEveryWorkloadOnEveryShape) {
  for (const Shape& shape : all_shapes()) {
    const ToyContainer toy(shape, true);
    Container container(toy.folder());
    const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
    for (const char* preset : {"csr", "cave", "acgraph", "losc"}) {
      const Layout layout(toy.layout(layout_preset(preset)));
      for (const Workload& workload : workloads()) {
        if (refused_on(workload, true, canonical.out.edges())) continue;
        SkeletonEngine engine(layout, skeleton_options());
        if (!can_run(engine.capabilities(), workload)) continue;
        const Parameters parameters = toy_parameters(workload);
        const Verdict verdict =
            workload.verify(canonical, workload.run(engine, parameters)(), parameters);
        EXPECT_TRUE(verdict.passed)
            << shape.name << " " << preset << " " << workload.name << ": " << verdict.detail;
      }
    }
  }
}

TEST(SkeletonEngine, ReadsABlockForEachPieceAndTouchesEachEdgeOnce) {
  const ToyContainer toy(star(2000), true);  // the hub's list lies in two blocks
  const Layout layout(toy.layout("csr"));
  SkeletonEngine engine(layout, skeleton_options("uring"));
  const Workload& pagerank = find_workload("pagerank");
  pagerank.run(engine, {"pagerank", pagerank.parameters, {"iterations=1"}});
  EXPECT_EQ(engine.report().io.requests, 2000U + 2U);
  EXPECT_EQ(engine.report().io.touched_bytes, 4000U * sizeof(VertexId));
}

TEST(SkeletonEngine, StopsWithFileAndOffsetWhenTheDeviceFails) {
  const ToyContainer toy(star(10), true);
  const Layout layout(toy.layout("csr"));
  SkeletonEngine engine(layout, skeleton_options("fault", "eio@0"));
  const Workload& bfs = find_workload("bfs");
  try {
    bfs.run(engine, {"bfs", bfs.parameters, {}});
    ADD_FAILURE() << "went unnoticed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::io);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("out.blocks at offset 0"));
  }
}

}  // namespace
}  // namespace outcore
