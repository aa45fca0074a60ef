// SPDX-License-Identifier: Apache-2.0
// Faults planted in every workload's program (mutants.toml), and faults in the way its lists
// arrive, are noticed by its verifier.
#include "tests/mutants/mutants.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "common/error.h"
#include "tests/readers.h"
#include "tests/toy_parameters.h"

namespace outcore {
namespace {

// Two components except for one edge, which is not among the first two neighbours of any vertex,
// and is at the end of the list of 2, the smaller component's hub.
Shape late_link() {
  Shape shape{"late link", 3500, {{2, 3499}}};
  for (VertexId v = 3; v < 1200; ++v) shape.edges.emplace_back(2, v);
  for (VertexId v = 1200; v < 3500; ++v) {
    for (const VertexId u : {0, 1}) shape.edges.emplace_back(u, v);
  }
  return shape;
}

// Before the giant component a small one of two stars, whose link is in nobody's first two
// neighbours: those of 5 are 0 and 1, those of 2 are 3 and 4.
Shape small_one_first() {
  Shape shape{"small one first", 2000, {{0, 5}, {1, 5}, {2, 5}, {2, 3}, {2, 4}}};
  for (VertexId v = 7; v < 2000; ++v) shape.edges.emplace_back(6, v);
  return shape;
}

// A graph with a layout that keeps its ids, one that does not, and one in which hubs come first.
struct Case {
  Case(const Shape& shape, bool is_symmetric)
      : toy(shape, is_symmetric),
        symmetric(is_symmetric),
        container(toy.folder()),
        canonical{container.csr(Direction::out), container.csr(Direction::in)} {
    layouts.emplace_back(toy.layout(LayoutChoices{.pack = "csr", .heads = 2}));
    layouts.emplace_back(
        toy.layout(LayoutChoices{.number = "random", .pack = "firstfit", .heads = 2}));
    layouts.emplace_back(toy.layout(LayoutChoices{.number = "degree", .heads = 2}));
  }

  ToyContainer toy;
  bool symmetric;
  Container container;
  Canonical canonical;
  std::deque<Layout> layouts;
};

// The hubs' lists are in several blocks and come in pieces.
const std::deque<Case>& cases() {
  static const std::deque<Case> all = [] {
    std::deque<Case> made;
    for (const Shape& shape : {path(30), late_link(), small_one_first(), hub(1500), disconnected(),
                               small_kronecker(8, 8, 1)}) {
      for (const bool symmetric : {true, false}) made.emplace_back(shape, symmetric);
    }
    return made;
  }();
  return all;
}

EngineOptions without_a_disk() {
  EngineOptions options;
  options.backend = "mem";
  return options;
}

// Calls f(case, engine) for all that can run the workload, until it returns true; did it?
template <typename F>
bool any_case(const Workload& workload, F&& f) {
  for (const Case& on : cases()) {
    if (refused_on(workload, on.symmetric, on.canonical.out.edges())) continue;
    for (const Layout& layout : on.layouts) {
      for (const EngineEntry* entry : readers_of(layout.choices())) {
        if (!can_run(entry->traits, layout, workload)) continue;
        const auto engine = entry->make(layout, without_a_disk());
        if (f(on, *engine)) return true;
      }
    }
  }
  return false;
}

bool passes(const Workload& workload, const Case& on, Engine& engine) {
  const std::vector<Parameters> forms = toy_forms(workload);
  return std::all_of(forms.begin(), forms.end(), [&](const Parameters& parameters) {
    const Answer answer = workload.run(engine, parameters)();
    return workload.verify(on.canonical, answer, parameters).passed;
  });
}

TEST(Mutants, AreCaught) {
  std::set<std::string> with_faults;
  for (const Mutant* mutant : Mutant::all()) {
    const Workload& workload = mutant->subject;
    with_faults.insert(workload.name);
    EXPECT_TRUE(any_case(
        workload, [&](const Case& on, Engine& engine) { return !passes(workload, on, engine); }))
        << workload.name << ": " << mutant->fault;
  }
  std::cout << "mutants: " << Mutant::all().size() << " of " << with_faults.size()
            << " workloads\n";
  for (const Workload& workload : workloads()) {
    EXPECT_TRUE(with_faults.contains(workload.name))
        << workload.name << " has no fault in tests/mutants/mutants.toml";
  }
}

TEST(Mutants, AreOfWorkloadsThatPassWithoutThem) {
  for (const Workload& workload : workloads()) {
    any_case(workload, [&](const Case& on, Engine& engine) {
      EXPECT_TRUE(passes(workload, on, engine)) << workload.name;
      return false;
    });
  }
}

// --- Faults in the way lists arrive ---

// Passes everything from an engine to a program, except the pieces of a list after its first one.
class InPieces : public Program {
 public:
  explicit InPieces(Program& program) : inner(program) {}
  [[nodiscard]] Traits traits() const override { return inner.traits(); }
  Priority priority(VertexId v) override { return inner.priority(v); }
  void begin(std::span<const Source> sources, Messages out) override { inner.begin(sources, out); }
  void scatter(const AdjacencyBatch& batch, Messages messages, Activations& out) override {
    for (const Piece& piece : batch.pieces) {
      const AdjacencyBatch alone{{&piece, 1}, batch.access, batch.combiner};
      if (piece.first == 0) {
        inner.scatter(alone, messages, out);
      } else {
        later_piece(alone, messages, out);
      }
    }
  }
  void deliver(Combiner& combiner, Activations& out) override { inner.deliver(combiner, out); }
  void listening(VertexRange range, Bitmap& out) override { inner.listening(range, out); }
  bool listens(VertexId v) override { return inner.listens(v); }
  void gather(const AdjacencyBatch& batch, Messages dense, const Bitmap* active,
              Activations& out) override {
    for (const Piece& piece : batch.pieces) {
      if (piece.first == 0) inner.gather({{&piece, 1}, batch.access}, dense, active, out);
    }
  }
  void edges(const EdgeRun& run, Messages dense, const Bitmap* active, Activations& out) override {
    inner.edges(run, dense, active, out);
  }
  void bin(const AdjacencyBatch& batch, Messages messages, Bins& out) override {
    inner.bin(batch, messages, out);
  }
  void bin_kept(Combiner& combiner, Bins& out) override { inner.bin_kept(combiner, out); }
  void drain(const Records& records, Activations& out) override { inner.drain(records, out); }
  void settle(VertexRange range, Activations& out) override { inner.settle(range, out); }

 protected:
  virtual void later_piece(const AdjacencyBatch& piece, Messages messages, Activations& out) = 0;
  Program& inner;
};

// The pieces are lost.
class LosesPieces final : public InPieces {
  using InPieces::InPieces;
  void later_piece(const AdjacencyBatch&, Messages, Activations&) override {}
};

// The message is taken once more for each piece.
class TakesForEachPiece final : public InPieces {
  using InPieces::InPieces;
  void later_piece(const AdjacencyBatch& batch, Messages, Activations& out) override {
    Piece piece = batch.pieces[0];
    const Source source{piece.v, piece.degree};
    alignas(kLargestMessage) std::byte taken[kLargestMessage];
    const Messages messages(taken, inner.traits().message_bytes);
    inner.begin({&source, 1}, messages);
    piece.slot = 0;
    inner.scatter({{&piece, 1}, batch.access}, messages, out);
  }
};

// What was kept back is lost.
class ForgetsWhatItKept final : public InPieces {
  using InPieces::InPieces;
  void later_piece(const AdjacencyBatch& batch, Messages messages, Activations& out) override {
    inner.scatter(batch, messages, out);
  }
  void deliver(Combiner& combiner, Activations&) override {
    combiner.take_used([](VertexId) {});
  }
};

// The same for tasks.
class LosesPiecesOfTasks final : public TaskProgram {
 public:
  explicit LosesPiecesOfTasks(TaskProgram& program) : inner_(program) {}
  ListRange wants(const Task& task, std::uint32_t degree) override {
    return inner_.wants(task, degree);
  }
  void step(const Task& task, const Piece& piece, TaskStack& next) override {
    if (piece.first == inner_.wants(task, piece.degree).begin) inner_.step(task, piece, next);
  }
  [[nodiscard]] bool done() const override { return inner_.done(); }
  [[nodiscard]] std::size_t stack_threshold() const override { return inner_.stack_threshold(); }

 private:
  TaskProgram& inner_;
};

// An engine with one of these faults between it and every program.
template <typename Fault>
class Faulty final : public Engine {
 public:
  explicit Faulty(Engine& engine) : engine_(engine) {}
  [[nodiscard]] EngineTraits traits() const override { return engine_.traits(); }
  [[nodiscard]] const Graph& graph() const override { return engine_.graph(); }
  void for_each_vertex(const VertexFn& f) override { engine_.for_each_vertex(f); }
  void converge(Program& program, Frontier&& frontier) override {
    Fault fault(program);
    engine_.converge(fault, std::move(frontier));
  }
  Frontier round(Program& program, Frontier&& frontier, Direction direction, Mode mode) override {
    Fault fault(program);
    return engine_.round(fault, std::move(frontier), direction, mode);
  }
  void heads(unsigned k, const HeadsFn& f) override { engine_.heads(k, f); }
  void drive(TaskProgram& program, std::span<const Task> tasks, Direction direction) override {
    LosesPiecesOfTasks fault(program);
    engine_.drive(fault, tasks, direction);
  }
  [[nodiscard]] EngineReport report() const override { return engine_.report(); }

 private:
  Engine& engine_;
};

template <typename Fault>
bool caught(const Workload& workload) {
  return any_case(workload, [&](const Case& on, Engine& engine) {
    Faulty<Fault> faulty(engine);
    return !passes(workload, on, faulty);
  });
}

TEST(Mutants, LoseWhatOtherPiecesOfAListWouldHaveTold) {
  for (const Workload& workload : workloads()) {
    EXPECT_TRUE(caught<LosesPieces>(workload)) << workload.name;
  }
}

TEST(Mutants, LoseMassWhenAListComesInPieces) {
  for (const char* name : {"ppr", "pagerank-push"}) {
    EXPECT_TRUE(caught<TakesForEachPiece>(find_workload(name))) << name;
  }
}

TEST(Mutants, ForgetWhatACombinerKeptBack) {
  for (const char* name : {"ppr", "pagerank-push", "pagerank-delta"}) {
    EXPECT_TRUE(caught<ForgetsWhatItKept>(find_workload(name))) << name;
  }
}

}  // namespace
}  // namespace outcore
