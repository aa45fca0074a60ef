// SPDX-License-Identifier: Apache-2.0
// What workloads say that they hold is what they take from the allocator or map: measured whenever
// they call an engine that has nothing itself and reads nothing.
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

// What the process has mapped by other ways than the allocator's (ZeroPages).
std::uint64_t mapped_besides() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const struct mallinfo2 info = ::mallinfo2();
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) - info.arena - info.hblkhd;
}

// Sanitizers have allocators of their own, which mallinfo2 knows nothing of.
bool allocations_are_seen() {
  const std::uint64_t before = allocated();
  const std::vector<char> memory(1 << 20);
  return allocated() >= before + memory.size();
}

// One less than a power of two, so that arrays that grow by doubling are as large as is said; and
// so few that none is large enough to be rounded up to huge pages (common/huge_pages.cc).
constexpr VertexId kVertices = (1 << 18) - 1;

// Reads nothing; its first round activates everything.
class IdleEngine final : public Engine {
 public:
  [[nodiscard]] EngineTraits traits() const override {
    return {.pull = true, .drive = true, .heads = Heads::any};
  }
  [[nodiscard]] const Graph& graph() const override { return graph_; }
  void for_each_vertex(const VertexFn& f) override { f({0, kVertices}, degrees_); }
  void converge(Program& /*program*/, Frontier&& /*frontier*/) override { look(); }
  Frontier round(Program& /*program*/, Frontier&& /*frontier*/, Direction /*direction*/,
                 Mode /*mode*/) override {
    look();
    return rounds_++ == 0 ? Frontier::all(graph_) : Frontier(kVertices);
  }
  void heads(unsigned /*k*/, const HeadsFn& /*f*/) override {}
  void drive(TaskProgram& /*program*/, std::span<const Task> /*tasks*/) override { look(); }
  [[nodiscard]] EngineReport report() const override { return {}; }

  // The most that was allocated since construction, whenever it was to work.
  std::uint64_t most = 0;

 private:
  void look() { most = std::max(most, allocated() + mapped_besides() - before_); }

  Graph graph_ = {.id_space = kVertices,
                  .vertices = kVertices,
                  .edges = kVertices,
                  .symmetric = true,
                  .ranked = true};
  std::vector<std::uint32_t> degrees_ = std::vector<std::uint32_t>(kVertices, 1);
  int rounds_ = 0;
  std::uint64_t before_ = allocated() + mapped_besides();
};

class Arrays : public testing::TestWithParam<const Workload*> {};

TEST_P(Arrays, AreWhatTheWorkloadAllocates) {
  if (!allocations_are_seen()) GTEST_SKIP() << "the allocator does not say what it gave";
  const Workload& workload = *GetParam();
  const Parameters parameters(workload.name, workload.parameters, {});
  IdleEngine engine;
  std::uint64_t said = 0;
  for (const StateArray& array : workload.arrays) said += array.bytes(engine.graph(), parameters);
  workload.run(engine, parameters);
  constexpr std::uint64_t kFrontier = 2 * kVertices / 8;  // bits
  EXPECT_GE(engine.most, said);
  EXPECT_LE(engine.most, said + kFrontier + (64 << 10));
}

TEST_P(Arrays, HaveNamesThatTheAccountOfMemoryHasNot) {
  std::set<std::string> names = {"peak_rss", "process",  "unaccounted", "index", "frames",
                                 "messages", "worklist", "block_queue", "lists"};
  EXPECT_FALSE(GetParam()->arrays.empty());
  for (const StateArray& array : GetParam()->arrays) {
    EXPECT_TRUE(names.insert(array.name).second) << array.name;
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
