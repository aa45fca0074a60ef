// SPDX-License-Identifier: Apache-2.0
// Workloads keep no arrays of their own: everything that grows with the graph comes from the
// engine. Measured whenever a workload calls an engine that itself allocates and reads nothing.
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "workloads/workload.h"

namespace outcore {
namespace {

std::uint64_t allocated() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

// What the process has mapped outside the allocator (State).
std::uint64_t mapped_besides() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const struct mallinfo2 info = ::mallinfo2();
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) - info.arena - info.hblkhd;
}

// Sanitizers have their own allocators, which mallinfo2 does not see.
bool allocations_are_seen() {
  const std::uint64_t before = allocated();
  const std::vector<char> memory(1 << 20);
  return allocated() >= before + memory.size();
}

// Small enough that no array is rounded up to huge pages (common/huge_pages.cc).
constexpr VertexId kVertices = (1 << 18) - 1;

// Reads nothing and activates nothing.
class IdleEngine final : public Engine {
 public:
  IdleEngine() { keep_states_in(states); }
  [[nodiscard]] EngineTraits traits() const override {
    return {.pull = true, .drive = true, .heads = Heads::any};
  }
  [[nodiscard]] const Graph& graph() const override { return graph_; }
  void for_each_vertex(const VertexFn& f) override { f({0, kVertices}, degrees_); }
  void converge(Program& /*program*/, Frontier&& /*frontier*/) override { look(); }
  Frontier round(Program& /*program*/, Frontier&& /*frontier*/, Direction /*direction*/,
                 Mode /*mode*/) override {
    look();
    return Frontier(kVertices);
  }
  void heads(unsigned /*k*/, const HeadsFn& /*f*/) override {}
  void drive(TaskProgram& /*program*/, std::span<const Task> /*tasks*/,
             Direction /*direction*/) override {
    look();
  }
  [[nodiscard]] EngineReport report() const override { return {}; }

  // The most that was allocated since construction, measured at each call.
  std::uint64_t most = 0;
  std::shared_ptr<StateStore> states = std::make_shared<StateStore>();

 private:
  void look() { most = std::max(most, allocated() + mapped_besides() - before_); }

  Graph graph_ = {.id_space = kVertices,
                  .vertices = kVertices,
                  .edges = kVertices,
                  .symmetric = true,
                  .ranked = true};
  std::vector<std::uint32_t> degrees_ = std::vector<std::uint32_t>(kVertices, 1);
  std::uint64_t before_ = allocated() + mapped_besides();
};

class Arrays : public testing::TestWithParam<const Workload*> {};

TEST_P(Arrays, ComeFromTheEngine) {
  if (!allocations_are_seen()) GTEST_SKIP() << "the allocator does not say what it gave";
  const Workload& workload = *GetParam();
  IdleEngine engine;
  workload.run(engine, Parameters(workload.name, workload.parameters, {}));
  std::uint64_t accounted = 0;
  for (const auto& [name, bytes] : engine.states->in_memory()) accounted += bytes;
  EXPECT_GE(accounted, kVertices / 8);
  constexpr std::uint64_t kFrontier = 2 * kVertices / 8;  // bits
  EXPECT_LE(engine.most, accounted + kFrontier + (64 << 10));
}

TEST_P(Arrays, HaveNamesThatTheAccountOfMemoryHasNot) {
  const Workload& workload = *GetParam();
  IdleEngine engine;
  workload.run(engine, Parameters(workload.name, workload.parameters, {}));
  const std::set<std::string> taken = {"peak_rss", "process",  "unaccounted", "index", "frames",
                                       "messages", "worklist", "block_queue", "lists"};
  for (const auto& [name, bytes] : engine.states->in_memory()) {
    EXPECT_FALSE(taken.contains(name)) << name;
  }
}

std::vector<const Workload*> all() {
  std::vector<const Workload*> all;
  for (const Workload& workload : workloads()) all.push_back(&workload);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Workloads, Arrays, testing::ValuesIn(all()), [](const auto& tested) {
  std::string name = tested.param->name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace outcore
