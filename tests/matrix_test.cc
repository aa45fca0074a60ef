// SPDX-License-Identifier: Apache-2.0
// The matrix: every engine x workload x layout, on graphs of every shape, gives the verified
// answer, the same from all. New engines and workloads are found in their registries. Prints how
// many cells passed and how many were refused; an unexpected refusal fails.
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <map>

#include "common/error.h"
#include "storage/layout/parts.h"
#include "tests/readers.h"
#include "tests/sanitized.h"
#include "tests/toy_parameters.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

struct Cells {
  int passed = 0;
  int refused = 0;
};

EngineOptions small_options(unsigned threads) {
  EngineOptions options;
  options.threads = threads;
  options.frames_bytes = std::uint64_t{8} * 64 * 1024;
  options.depth = 8;
  return options;
}

// Both forms of lists in the index (one with virtual ids), weights, block sizes, codecs (each codec
// that is registered later gets a layout), and edges. Layouts that no engine reads are not built.
std::vector<LayoutChoices> matrix_layouts() {
  LayoutChoices grid;
  set_pack(grid, "grid:p=3");
  LayoutChoices psw = {.number = "random"};
  set_pack(psw, "psw:p=3");
  LayoutChoices wide;
  set_pack(wide, "psw:p=4,value=8");
  std::vector<LayoutChoices> all = {
      {.pack = "csr"},
      {.number = "random", .pack = "firstfit", .heads = 2, .block_bytes = 16384},
      layout_preset("acgraph"),
      {.pack = "csr", .codec = "varint", .weights = "hashed"},
      {.number = "bfs2", .pack = "lplf", .codec = "svb", .inline_edges = 2, .block_bytes = 65536},
      grid,
      psw,
      wide};
  for (const CodecPart& codec : codec_parts()) {
    const auto has_it = [&](const LayoutChoices& choices) { return choices.codec == codec.name; };
    if (std::none_of(all.begin(), all.end(), has_it)) all.push_back({.codec = codec.name});
  }
  std::erase_if(all, [](const LayoutChoices& choices) { return readers_of(choices).empty(); });
  return all;
}

// The thread sanitizer looks for races, which small graphs do not have. These four have every
// layout.
std::vector<Shape> tested_shapes() {
  std::vector<Shape> shapes = all_shapes();
  if (kThreadSanitized) {
    shapes = {grid(12, 17), small_kronecker(10, 8, 1), hub(1024 + 1), hub(4 * 1024 + 500)};
  }
  return shapes;
}

// Under a sanitizer a shape has every fourth layout alone, each shape others.
bool is_left_out(std::size_t layout, std::size_t shape) {
  return kSanitized && (layout + shape) % 4 != 0;
}

// One shape and direction.
class ShapeCells {
 public:
  ShapeCells(const Shape& shape, bool symmetric, Cells& cells)
      : toy_(shape, symmetric),
        container_(toy_.folder()),
        canonical_{container_.csr(Direction::out), container_.csr(Direction::in)},
        name_(shape.name + (symmetric ? " symmetric " : " directed ")),
        cells_(cells) {}

  // All engines of layouts over all layouts, those of stores over stores of all lives.
  void check(std::size_t number) {
    const std::vector<LayoutChoices> layouts = matrix_layouts();
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      if (is_left_out(i, number)) continue;
      const auto layout = open_layout(toy_.layout(layouts[i]));
      for (const EngineEntry* engine : readers_of(layouts[i])) {
        check(*engine, *layout, layout_name(layouts[i]));
      }
    }
    for (const EngineEntry& engine : engines()) {
      if (engine.reads != GraphKind::store) continue;
      for (std::size_t i = 0; i < kStoreLives.size(); ++i) {
        if (is_left_out(i, number)) continue;
        check(engine, *toy_store(container_, kStoreLives[i]), "store " + std::to_string(i));
      }
    }
  }

 private:
  // All workloads.
  void check(const EngineEntry& engine, const OpenedGraph& graph, const std::string& what) {
    const bool symmetric = container_.facts().symmetric;
    for (const Workload& workload : workloads()) {
      SCOPED_TRACE(name_ + what + " " + engine.name + " " + workload.name);
      if (refused_on(workload, symmetric, canonical_.out.edges())) {
        ++cells_.refused;
        continue;
      }
      for (const Parameters& parameters : toy_forms(workload)) {
        EngineOptions options = small_options(2);
        if (!symmetric) options.backend = "mem";  // the slow device only once
        check(workload, parameters, graph, *engine.make(graph, options));
      }
    }
  }

  void check(const Workload& workload, const Parameters& parameters, const OpenedGraph& graph,
             Engine& engine) {
    if (!can_run(engine.traits(), graph, workload)) {
      // On some shapes a workload comes to nothing that could be refused: it answers right.
      try {
        const Answer answer = workload.run(engine, parameters)();
        EXPECT_TRUE(workload.verify(canonical_, answer, parameters).passed);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage) << error.what();
      }
      ++cells_.refused;
      return;
    }
    const Answer answer = workload.run(engine, parameters)();
    const Verdict verdict = workload.verify(canonical_, answer, parameters);
    EXPECT_TRUE(verdict.passed) << verdict.detail;
    if (answer.exact) {
      // Another direction is another question, and so is which edges count.
      std::string asked = workload.name;
      for (const char* choice : {"direction", "edges"})
        asked += parameters.json().value(choice, std::string());
      const auto [at, first] = digests_.emplace(asked, answer.digest());
      EXPECT_EQ(at->second, answer.digest()) << (first ? "" : "differs from another engine's");
    }
    if (verdict.passed) ++cells_.passed;
  }

  const ToyContainer toy_;
  Container container_;
  const Canonical canonical_;
  const std::string name_;
  Cells& cells_;
  std::map<std::string, std::string> digests_;  // of exact answers, by what was asked
};

// A test for each shape, so that the shapes are shared out among the processors.
class ShapeMatrix : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Shapes, ShapeMatrix,
                         ::testing::Range(std::size_t{0}, tested_shapes().size()),
                         [](const auto& chosen) {
                           std::string name = tested_shapes()[chosen.param].name;
                           std::erase_if(name, [](unsigned char c) { return !std::isalnum(c); });
                           return name;
                         });

TEST_P(ShapeMatrix, EveryEngineAnswersEveryWorkload) {
  const Shape shape = tested_shapes()[GetParam()];
  Cells cells;
  ShapeCells(shape, true, cells).check(GetParam());
  ShapeCells(shape, false, cells).check(GetParam() + 2);
  std::cout << "matrix: " << shape.name << ": " << cells.passed << " cells passed, "
            << cells.refused << " refused\n";
  EXPECT_GT(cells.passed, kSanitized ? 100 : 500);
}

// Engines that read blocks into frames, with the fewest frames that each thread can work with.
class BlockEngineMatrix : public ::testing::TestWithParam<const EngineEntry*> {};
INSTANTIATE_TEST_SUITE_P(Engines, BlockEngineMatrix, ::testing::ValuesIn(block_engines()),
                         name_of_engine);

TEST_P(BlockEngineMatrix, AnswersDoNotHangOnThreadsFramesDepthOrBackend) {
  const ToyContainer toy(small_kronecker(9, 8, 1), true);
  Container container(toy.folder());
  const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
  const Layout layout(toy.layout("firstfit"));
  std::vector<std::string> backends = {"uring", "threads", "mem"};
  if (const std::string own = GetParam()->usual_backend({}); own != "uring") backends = {own};
  std::vector<unsigned> depths = {1, 64};
  if (kSanitized) depths = {64};
  for (const Workload& workload : workloads()) {
    if (!can_run(GetParam()->traits, layout, workload)) continue;
    std::string digest;  // of an exact answer that was verified
    for (const unsigned threads : {1U, 2U, 7U}) {
      for (const unsigned depth : depths) {
        for (const std::string& backend : backends) {
          SCOPED_TRACE(testing::Message()
                       << workload.name << " " << threads << " " << depth << " " << backend);
          EngineOptions options = small_options(threads);
          options.depth = depth;
          options.backend = backend;
          options.frames_bytes = std::uint64_t{threads} * 4096;  // one block each: the minimum
          const auto engine = GetParam()->make(layout, options);
          const Parameters parameters = toy_parameters(workload);
          const Answer answer = workload.run(*engine, parameters)();
          if (answer.exact && answer.digest() == digest) continue;
          EXPECT_EQ(digest, "") << "another answer";
          const Verdict verdict = workload.verify(canonical, answer, parameters);
          EXPECT_TRUE(verdict.passed) << verdict.detail;
          if (answer.exact) digest = answer.digest();
        }
      }
    }
  }
}

// A weighted graph's own weights, some of them 0, over codecs and lists in the index.
TEST(Matrix, WeightsAreTheSameFromEveryLayoutThatHoldsThem) {
  const Shape shape = small_kronecker(9, 8, 1);
  std::vector<WeightedEdge> edges;
  for (const auto& [u, v] : shape.edges) {
    edges.push_back({u, v, static_cast<float>(mix(u * shape.vertices + v) % 100) / 8});
  }
  const ToyContainer toy(shape, false);
  const std::filesystem::path folder = toy.folder().parent_path() / "weighted";
  make_weighted_container(folder, shape.vertices, edges, false);
  Container container(folder);
  const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
  std::map<std::string, std::string> digests;  // of exact answers, by the weights asked for
  const auto check = [&](const std::string& name, const std::string& wanted, Engine& engine) {
    const Workload& workload = find_workload(name);
    const Parameters parameters(name, workload.parameters, {"weights=" + wanted});
    if (engine.graph().stored_weights == Graph::Weights::none && wanted == "auto") {
      EXPECT_THROW(workload.run(engine, parameters), Error);
      return;
    }
    const Answer answer = workload.run(engine, parameters)();
    const Verdict verdict = workload.verify(canonical, answer, parameters);
    EXPECT_TRUE(verdict.passed) << verdict.detail;
    if (!answer.exact) return;
    EXPECT_EQ(digests.emplace(wanted, answer.digest()).first->second, answer.digest());
  };
  for (LayoutChoices choices : matrix_layouts()) {
    if (choices.pack == "psw" && choices.pack_parameters.whole("value") < 8) continue;  // for sssp
    for (const char* stored : {"given", "none"}) {
      choices.weights = stored;
      const auto layout = open_layout(folder / "layouts" / build_layout(folder, choices, "", true));
      for (const EngineEntry* entry : readers_of(choices)) {
        for (const char* wanted : {"auto", "hashed"}) {
          for (const char* name : {"sssp", "spmv"}) {
            SCOPED_TRACE(testing::Message() << layout_name(choices) << " " << entry->name << " "
                                            << name << " " << wanted);
            check(name, wanted, *entry->make(*layout, small_options(2)));
          }
        }
      }
    }
  }
  EXPECT_NE(digests["auto"], digests["hashed"]);
}

// Engines open the files of their layout and no others.
TEST(Matrix, EnginesAnswerWithThePoisonedCanonicalLists) {
  const ToyContainer toy(small_kronecker(9, 8, 1), true);
  ToyLayouts layouts(toy);
  for (const EngineEntry& entry : engines()) layouts.of(entry, {});
  const auto answers = [&] {
    std::vector<std::string> digests;
    for (const EngineEntry& entry : engines()) {
      const OpenedGraph& layout = layouts.of(entry, {});
      for (const Workload& workload : workloads()) {
        if (!can_run(entry.traits, layout, workload)) continue;
        const auto engine = entry.make(layout, small_options(2));
        const Answer answer = workload.run(*engine, toy_parameters(workload))();
        if (answer.exact) digests.push_back(answer.digest());
      }
    }
    return digests;
  };
  const std::vector<std::string> before = answers();
  for (const char* name : {"out.offsets", "out.targets", "graph.json"}) {
    std::ofstream(toy.folder() / name, std::ios::trunc) << "poison";
  }
  EXPECT_EQ(answers(), before);
}

}  // namespace
}  // namespace outcore
