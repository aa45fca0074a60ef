// SPDX-License-Identifier: Apache-2.0
// The smallest engine of lists, to copy from (docs/adding-an-engine.md). It stands in a test, so
// that it is compiled and run without being offered to users. The first worker alone reads list
// after list, with one block in memory and one read at a time. ListEngine does the rest. drive()
// uses all workers, so each has its own source.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "engines/lists/list_engine.h"
#include "engines/lists/list_read.h"
#include "storage/cache/frame_pool.h"
#include "tests/toy_container.h"
#include "tests/toy_parameters.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

class SkeletonEngine final : public ListEngine {
 public:
  using Reads = Layout;
  static constexpr EngineTraits kTraits = {.pull = true, .drive = true, .heads = Heads::layout};
  static std::vector<Parameter> parameters() { return ListEngine::parameters({/* your own */}); }

  SkeletonEngine(const Layout& layout, const EngineOptions& options)
      : ListEngine(layout, options, parameters()),
        frames_(std::size_t{executor_.size()} * layout.facts().block_bytes,
                layout.facts().block_bytes, executor_.size()) {
    for (unsigned worker = 0; worker < executor_.size(); ++worker) {
      sources_.push_back(frame_source(door_, frames_.arena(worker), depth_of(worker)));
    }
  }

  [[nodiscard]] EngineTraits traits() const override { return kTraits; }

 private:
  void read(Round& round, const Frontier& readers, std::span<Activations* const>) override {
    readers.for_each([&](VertexId v) { read_list(round, v); });
  }

  void read_list(const Round& round, VertexId v) {
    HandOver& hands = this->hands().front();
    const Source source = source_of(round.lists.index, v);
    if (round.lists.index.is_inline(source.degree)) {  // no block holds it
      hands.add_inline(v);
      hands.flush();
      return;
    }
    BlockSource& blocks = *sources_.front();
    alignas(kLargestMessage) std::byte message[kLargestMessage];
    const Messages own(message, round.traits.message_bytes);
    hands.take_message(source, own);
    ListRead list = ListRead::whole(round.lists.index, v);
    while (list.next < list.end) {
      list.fly(1);
      round.lists.note(0, list.flight);
      const BlockSource::Ticket ticket = blocks.take();
      blocks.ask(ticket, round.lists.file, list.flight);
      blocks.arrived(true);  // verified on the way in; throws if the device fails
      hands.list_piece(v, list.list, list.flight.first, blocks.data(ticket), own);
      blocks.release(ticket);
      blocks.give_back(ticket);
    }
  }

  BlockSource& list_source(Direction /*direction*/, unsigned worker) override {
    return *sources_[worker];
  }
  void add_own(EngineReport& report) const override {
    report.memory.emplace_back("frames", frames_.bytes());
  }

  FramePool frames_;
  std::vector<std::unique_ptr<BlockSource>> sources_;  // one a worker
};

EngineOptions skeleton_options(const std::string& backend = "mem", const std::string& plan = {}) {
  EngineOptions result;
  result.threads = 1;
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
        if (!can_run(SkeletonEngine::kTraits, layout, workload)) continue;
        SkeletonEngine engine(layout, skeleton_options());
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
