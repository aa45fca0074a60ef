// SPDX-License-Identifier: Apache-2.0
// Each kind of stream: what it has, update by update, and that its bytes depend on its parameters
// alone.
#include "workloads/streams/streams.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "storage/evolving/kept_updates_for_tests.h"
#include "storage/evolving/stream.h"
#include "storage/evolving/timed_edges.h"
#include "storage/layout/broken_layout.h"
#include "tests/toy_container.h"

namespace outcore {
namespace {

using evolving::Update;
using EdgePair = std::pair<VertexId, VertexId>;
using EdgeCounts = std::map<EdgePair, std::uint64_t>;

class Streams : public testing::Test {
 protected:
  using Make = std::function<StreamCounts(const StreamTarget&)>;

  Streams() : toy_(small_kronecker(10, 8, 3), false) {
    Container container(toy_.folder());
    const CsrView csr = container.csr(Direction::out);
    for (VertexId v = 0; v < csr.vertices(); ++v) {
      for (const VertexId target : csr.list(v)) ++edges_[{v, target}];
    }
    edge_count_ = csr.edges();
  }
  [[nodiscard]] std::filesystem::path file() const { return toy_.folder() / "stream.ocs"; }
  [[nodiscard]] static std::string bytes_of(const std::filesystem::path& path) {
    std::string bytes(std::filesystem::file_size(path), '\0');
    File::open_read(path).read(std::as_writable_bytes(std::span(bytes)), 0);
    return bytes;
  }
  // The stream's updates. The bytes are those of any threads, and of so little memory that sorts
  // go to the disk.
  [[nodiscard]] std::vector<Update> updates_of(const Make& make) const {
    std::string bytes;
    for (const unsigned threads : {1U, 2U, 7U}) {
      const StreamCounts counts = make({.file = file(),
                                        .memory_bytes = threads == 7 ? 1U << 20 : 64U << 20,
                                        .threads = threads,
                                        .force = true});
      EXPECT_EQ(std::filesystem::file_size(file()), (counts.updates + 499) / 500 * 4096);
      if (bytes.empty()) bytes = bytes_of(file());
      EXPECT_TRUE(bytes == bytes_of(file())) << threads << " threads";
    }
    evolving::KeptUpdates kept(4096);
    read_stream(file(), {}, kept);
    std::set<std::string> left;
    for (const auto& entry : std::filesystem::directory_iterator(toy_.folder())) {
      if (entry.path().filename().string().starts_with("stream.ocs")) {
        left.insert(entry.path().filename().string());
      }
    }
    EXPECT_EQ(left, std::set<std::string>{"stream.ocs"}) << "nothing else is left";
    return kept.updates;
  }
  // What stands after each update; nothing is removed that does not stand.
  static EdgeCounts standing(
      std::span<const Update> updates,
      const std::function<void(std::uint64_t)>& look = [](auto) {}) {
    EdgeCounts counts;
    std::uint64_t edges = 0;
    for (const Update& update : updates) {
      const auto at = counts.try_emplace({update.source, update.target}, 0).first;
      EXPECT_TRUE(!update.removes || at->second > 0);
      update.removes ? --at->second : ++at->second;
      if (at->second == 0) counts.erase(at);
      edges = update.removes ? edges - 1 : edges + 1;
      look(edges);
    }
    return counts;
  }

  ToyContainer toy_;
  EdgeCounts edges_;
  std::uint64_t edge_count_ = 0;
};

TEST_F(Streams, ShuffleHasTheEdgesOfTheGraphInAnotherOrder) {
  const auto of_seed = [&](std::uint64_t seed) {
    return updates_of([&](const StreamTarget& target) {
      return stream_shuffle({.graph = toy_.folder(), .seed = seed}, target);
    });
  };
  const std::vector<Update> updates = of_seed(1);
  EXPECT_EQ(updates.size(), edge_count_);
  EXPECT_EQ(standing(updates), edges_);
  std::uint64_t ascending = 0;
  for (std::size_t i = 1; i < updates.size(); ++i) {
    ascending += updates[i - 1].source <= updates[i].source ? 1 : 0;
  }
  EXPECT_GT(ascending, edge_count_ * 4 / 10);
  EXPECT_LT(ascending, edge_count_ * 6 / 10) << "by chance every other goes up";
  EXPECT_NE(of_seed(2), updates);
}

TEST_F(Streams, ShuffleHasEachEdgeOfASymmetricGraphOnce) {
  const std::vector<Edge> edges = {{0, 1}, {2, 2}, {1, 3}, {3, 1}, {4, 4}, {4, 4}, {5, 0}};
  const ToyContainer graph({.name = "repeated", .vertices = 6, .edges = edges}, true);
  const EdgeCounts once = {{{0, 1}, 1}, {{2, 2}, 1}, {{1, 3}, 2}, {{4, 4}, 2}, {{0, 5}, 1}};
  const auto of = [&](bool one_direction) {
    return updates_of([&](const StreamTarget& target) {
      return stream_shuffle({.graph = graph.folder(), .once = one_direction}, target);
    });
  };
  std::vector<Update> both = of(false);
  EXPECT_EQ(both.size(), 2 * edges.size() - 3) << "a loop has one direction";
  EXPECT_EQ(standing(of(true)), once) << "loops and repeated edges keep their number";
  std::erase_if(both, [](const Update& update) { return update.source > update.target; });
  EXPECT_EQ(of(true), both) << "in the order that they have among the others";
  expect_error(ExitCode::usage, "is directed: --once leaves out the second direction", [&] {
    stream_shuffle({.graph = toy_.folder(), .once = true}, {.file = file(), .force = true});
  });
}

TEST_F(Streams, SortedHasThemBySource) {
  const std::vector<Update> updates = updates_of(
      [&](const StreamTarget& target) { return stream_sorted({.graph = toy_.folder()}, target); });
  EXPECT_EQ(standing(updates), edges_);
  EXPECT_TRUE(std::is_sorted(updates.begin(), updates.end(), [](const Update& a, const Update& b) {
    return EdgePair(a.source, a.target) < EdgePair(b.source, b.target);
  }));
}

TEST_F(Streams, WindowNeverHasMoreStandingThanItsLength) {
  for (const std::uint64_t length :
       {std::uint64_t{1}, std::uint64_t{100}, edge_count_ - 1, edge_count_, edge_count_ + 5}) {
    const std::vector<Update> updates = updates_of([&](const StreamTarget& target) {
      return stream_window({.graph = toy_.folder(), .edges = length}, target);
    });
    std::uint64_t most = 0;
    const EdgeCounts counts =
        standing(updates, [&](std::uint64_t edges) { most = std::max(most, edges); });
    const std::uint64_t stay = std::min(length, edge_count_);
    EXPECT_EQ(most, stay);
    EXPECT_EQ(updates.size(), 2 * edge_count_ - stay);
    // In the order of their addition.
    std::vector<EdgePair> added;
    std::size_t removed = 0;
    for (const Update& update : updates) {
      if (!update.removes) added.emplace_back(update.source, update.target);
      if (update.removes) {
        EXPECT_EQ(added.at(removed++), EdgePair(update.source, update.target));
      }
    }
    if (length >= edge_count_) {
      EXPECT_EQ(counts, edges_);
    }
  }
}

TEST_F(Streams, AgingEndsInExactlyTheGraph) {
  for (const std::uint64_t factor : {1U, 2U, 10U}) {
    const std::vector<Update> updates = updates_of([&](const StreamTarget& target) {
      return stream_aging({.graph = toy_.folder(), .factor = factor}, target);
    });
    EXPECT_EQ(updates.size(), edge_count_ + (factor - 1) * edge_count_ / 2 * 2);
    std::uint64_t most = 0;
    EXPECT_EQ(standing(updates, [&](std::uint64_t edges) { most = std::max(most, edges); }),
              edges_);
    if (factor == 10) {
      EXPECT_GT(most, edge_count_ * 2) << "temporary edges stand beside them";
    }
    // A source that has a tenth of the edges has a tenth of the additions.
    std::map<VertexId, std::uint64_t> degrees;
    std::map<VertexId, std::uint64_t> additions;
    for (const auto& [edge, count] : edges_) degrees[edge.first] += count;
    for (const Update& update : updates) additions[update.source] += update.removes ? 0 : 1;
    for (const auto& [source, degree] : degrees) {
      EXPECT_GE(additions[source], degree * (factor + 1) / 2 - degree);
      EXPECT_LE(additions[source], degree * (factor + 1) / 2 + degree);
    }
  }
}

TEST_F(Streams, GrowthLeadsFromEachNewVertexToEarlierOnes) {
  constexpr std::uint64_t kVertices = 20'000;
  constexpr unsigned kDegree = 4;
  const std::vector<Update> updates = updates_of([&](const StreamTarget& target) {
    return stream_growth({.vertices = kVertices, .degree = kDegree}, target);
  });
  ASSERT_EQ(updates.size(), (kVertices - 1) * kDegree);
  std::vector<std::uint64_t> in_degrees(kVertices);
  for (std::size_t i = 0; i < updates.size(); ++i) {
    EXPECT_EQ(updates[i].source, 1 + i / kDegree);
    EXPECT_LT(updates[i].target, updates[i].source);
    ++in_degrees[updates[i].target];
  }
  EXPECT_GT(in_degrees[0] + in_degrees[1] + in_degrees[2], 100U) << "the first become hubs";
}

TEST_F(Streams, BurstsHaveHotVerticesThatAreOthersLater) {
  constexpr std::uint64_t kUpdates = 100'000;
  const BurstsOptions options = {.vertices = 100'000,
                                 .updates = kUpdates,
                                 .exponent = 1,
                                 .hot = 64,
                                 .drift = 5'000,
                                 .seed = 1};
  const std::vector<Update> updates =
      updates_of([&](const StreamTarget& target) { return stream_bursts(options, target); });
  ASSERT_EQ(updates.size(), kUpdates);
  const auto sources = [&](std::size_t first, std::size_t end) {
    std::map<VertexId, std::uint64_t> counts;
    for (; first < end; ++first) ++counts[updates[first].source];
    return counts;
  };
  const auto early = sources(0, options.drift);
  EXPECT_LE(early.size(), options.hot);
  std::uint64_t hottest = 0;
  for (const auto& [source, count] : early) hottest = std::max(hottest, count);
  EXPECT_GT(hottest, options.drift / 6) << "1 / (1 + 1/2 + ... + 1/64) is 0.21";
  EXPECT_LT(hottest, options.drift / 4);
  std::size_t both = 0;
  for (const auto& [source, count] : sources(8 * options.drift, 9 * options.drift)) {
    both += early.contains(source) ? 1 : 0;
  }
  EXPECT_EQ(both, 0U) << "after eight exchanges of an eighth nobody is left";
  for (const Update& update : updates) {
    EXPECT_NE(update.source, update.target);
    EXPECT_LT(std::max(update.source, update.target), options.vertices);
  }
}

class TimedStreams : public Streams {
 protected:
  [[nodiscard]] std::filesystem::path timed(std::span<const evolving::TimedEdge> edges) const {
    const std::filesystem::path path = toy_.folder() / "real.tel32";
    File::create(path).write(std::as_bytes(edges));
    return path;
  }
};

TEST_F(TimedStreams, RemoveEdgesOnceTheyAreOld) {
  const std::vector<evolving::TimedEdge> edges = {
      {1, 2, 100}, {1, 2, 100}, {3, 4, 105}, {5, 6, 110}, {7, 8, 4'000'000'000}};
  const auto of_window = [&](std::uint64_t window) {
    return updates_of([&](const StreamTarget& target) {
      return stream_times({.file = timed(edges), .window_seconds = window}, target);
    });
  };
  EXPECT_THAT(of_window(0), testing::ElementsAre(Update{1, 2}, Update{1, 2}, Update{3, 4},
                                                 Update{5, 6}, Update{7, 8}));
  EXPECT_THAT(of_window(10),
              testing::ElementsAre(Update{1, 2}, Update{1, 2}, Update{3, 4}, Update{1, 2, true},
                                   Update{1, 2, true}, Update{5, 6}, Update{3, 4, true},
                                   Update{5, 6, true}, Update{7, 8}));
  EXPECT_THAT(of_window(4'294'967'296), testing::SizeIs(5));
}

TEST_F(TimedStreams, OfManyEdgesAreReadInPieces) {
  std::vector<evolving::TimedEdge> edges;
  for (std::uint32_t i = 0; i < 200'000; ++i) edges.push_back({i % 100, i % 77 + 100, i / 3});
  std::uint64_t most = 0;
  const std::vector<Update> updates = updates_of([&](const StreamTarget& target) {
    return stream_times({.file = timed(edges), .window_seconds = 30'000}, target);
  });
  standing(updates, [&](std::uint64_t standing) { most = std::max(most, standing); });
  EXPECT_EQ(most, 90'000U);
}

TEST_F(TimedStreams, ThatFallOrAreCutAreRefusedByTheirOffset) {
  const auto refused = [&](std::span<const evolving::TimedEdge> edges, const std::string& text) {
    const std::filesystem::path path = timed(edges);
    expect_error(ExitCode::bad_input, text,
                 [&] { stream_times({.file = path}, {.file = file(), .force = true}); });
    EXPECT_FALSE(std::filesystem::exists(file())) << "no half of a stream";
  };
  const std::vector<evolving::TimedEdge> falling = {{1, 2, 5}, {1, 2, 7}, {1, 2, 6}};
  refused(falling, "offset 24: found time 6, expected 7 or later");
  const std::vector<evolving::TimedEdge> large = {{1, 2, 5}, {0xffffffff, 2, 7}};
  refused(large, "offset 12: found vertex 4294967295");
  std::ofstream(timed(falling), std::ios::trunc) << std::string(17, '\0');
  expect_error(ExitCode::bad_input, "offset 12: found 5 bytes at the end", [&] {
    stream_times({.file = toy_.folder() / "real.tel32"}, {.file = file(), .force = true});
  });
}

TEST_F(Streams, RefuseWhatCannotBe) {
  const StreamTarget target = {.file = file()};
  const auto refused = [](const std::string& text, const std::function<void()>& make) {
    expect_error(ExitCode::usage, text, make);
  };
  refused("--edges 0", [&] { stream_window({.graph = toy_.folder()}, target); });
  refused("--factor 0", [&] { stream_aging({.graph = toy_.folder(), .factor = 0}, target); });
  refused("--hot 0", [&] { stream_bursts({.hot = 0}, target); });
  refused("--drift 0", [&] { stream_bursts({.drift = 0}, target); });
  refused("--exponent", [&] { stream_bursts({.exponent = -1}, target); });
  refused("1 vertices", [&] { stream_growth({.vertices = 1}, target); });
  stream_sorted({.graph = toy_.folder()}, target);
  refused("give --force", [&] { stream_sorted({.graph = toy_.folder()}, target); });
}

TEST_F(Streams, OfAGraphWithoutEdgesAreEmpty) {
  const ToyContainer empty({.name = "empty", .vertices = 5, .edges = {}}, true);
  for (const auto& make : std::vector<Make>{
           [&](const auto& target) { return stream_shuffle({.graph = empty.folder()}, target); },
           [&](const auto& target) { return stream_aging({.graph = empty.folder()}, target); },
           [&](const auto& target) {
             return stream_window({.graph = empty.folder(), .edges = 3}, target);
           }}) {
    EXPECT_TRUE(updates_of(make).empty());
  }
}

}  // namespace
}  // namespace outcore
