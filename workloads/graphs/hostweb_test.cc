// SPDX-License-Identifier: Apache-2.0
#include "workloads/graphs/hostweb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "common/error.h"
#include "common/hash.h"
#include "storage/container/container.h"
#include "workloads/graphs/edge_loop.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

fs::path web_folder(const std::string& name) {
  return fs::path(testing::TempDir()) / "hostweb_test" / name;
}

std::vector<VertexId> targets_of(const HostWeb& web, VertexId page) {
  std::vector<Edge> links;
  web.add_links(page, links);
  std::vector<VertexId> targets;
  for (const auto& [source, target] : links) {
    EXPECT_EQ(source, page);
    targets.push_back(target);
  }
  return targets;
}

std::vector<HostWeb::Host> hosts_of(const HostWeb& web) {
  std::vector<HostWeb::Host> hosts;
  for (std::uint64_t number = 0; number < web.hosts(); ++number) hosts.push_back(web.host(number));
  return hosts;
}

// A host of at least 1000 pages that ends in a chain.
HostWeb::Host large_host_with_chain(const HostWeb& web) {
  for (const HostWeb::Host& host : hosts_of(web)) {
    if (host.chain > 0 && host.content > 1000) return host;
  }
  ADD_FAILURE() << "no such host";
  return {};
}

TEST(HostWeb, IsBitIdenticalAtAnyThreadCount) {
  const HostWebOptions options{.vertices = 300001, .degree = 5, .seed = 3};
  const auto hashes = [&](unsigned threads) {
    generate_hostweb(options, web_folder("threads"), threads, true);
    std::map<std::string, std::string> by_name;
    for (const auto& entry : fs::directory_iterator(web_folder("threads"))) {
      by_name[entry.path().filename()] = hash_file(entry);
    }
    return by_name;
  };
  const auto expected = hashes(1);
  EXPECT_EQ(expected.size(), 5U);  // graph.json and two CSRs of two files
  EXPECT_GT(Container(web_folder("threads")).facts().edges, kGeneratorBatch);
  EXPECT_EQ(hashes(2), expected);
  EXPECT_EQ(hashes(7), expected);
}

TEST(HostWeb, HostsCoverAllPagesAndAreTwiceAsRareWhenTwiceAsLarge) {
  const HostWeb web({.vertices = 5000000, .seed = 2});
  std::uint64_t next = 0;
  std::vector<std::uint64_t> of_size(3);
  std::uint64_t chains = 0;
  for (const HostWeb::Host& host : hosts_of(web)) {
    EXPECT_EQ(host.begin, next);
    next = host.end();
    EXPECT_LE(host.end() - host.begin, HostWeb::kLargestHost);
    for (unsigned i = 0; i < 3; ++i) of_size[i] += host.end() - host.begin >= 128U << i ? 1 : 0;
    chains += host.chain > 0 ? 1 : 0;
    EXPECT_EQ(web.host_of(host.begin).begin, host.begin);
    EXPECT_EQ(web.host_of(host.end() - 1).begin, host.begin);
  }
  EXPECT_EQ(next, 5000000U);
  const auto hosts = static_cast<double>(web.hosts());
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_NEAR(static_cast<double>(of_size[i]) / hosts, 0.5 / (1U << i), 0.02);
  }
  EXPECT_NEAR(static_cast<double>(chains) / hosts, 0.125, 0.02);
}

TEST(HostWeb, PagesOfAChainKnowTheNextAndThePreviousOnly) {
  const HostWeb web({.vertices = 200000, .chain = 20});
  const HostWeb::Host host = large_host_with_chain(web);
  ASSERT_EQ(host.chain, 20U);
  const VertexId first = host.begin + host.content;
  EXPECT_THAT(targets_of(web, first), ElementsAre(host.begin, first + 1));
  EXPECT_THAT(targets_of(web, first + 7), ElementsAre(first + 6, first + 8));
  EXPECT_THAT(targets_of(web, first + 19), ElementsAre(first + 18));
  EXPECT_THAT(targets_of(web, host.begin), testing::Contains(first));
  // No other page links into a chain; otherwise it would be no deeper than the rest.
  std::set<VertexId> from;
  for (VertexId page = 0; page < 200000; ++page) {
    for (const VertexId target : targets_of(web, page)) {
      if (target >= first && target < host.end()) from.insert(page);
    }
  }
  EXPECT_EQ(*from.begin(), host.begin);
  EXPECT_EQ(from.size(), 21U);
  EXPECT_EQ(*from.rbegin(), host.end() - 1);
}

TEST(HostWeb, HomePagesListWhatStandsBelowThem) {
  const HostWeb web({.vertices = 200000});
  const HostWeb::Host host = large_host_with_chain(web);
  const std::vector<VertexId> targets = targets_of(web, host.begin);
  const std::set<VertexId> listed(targets.begin(), targets.end());
  for (VertexId page = host.begin + 1; page < host.begin + 1000; ++page) {
    EXPECT_TRUE(listed.contains(page)) << page - host.begin;
  }
}

TEST(HostWeb, LinksStayInTheHostAndNear) {
  const HostWeb web({.vertices = 500000});
  double links = 0;
  double inside = 0;
  double near = 0;
  double beside = 0;  // the page before is linked too: a run
  for (VertexId page = 0; page < 500000; page += 7) {
    const HostWeb::Host host = web.host_of(page);
    std::vector<VertexId> targets = targets_of(web, page);
    std::sort(targets.begin(), targets.end());
    for (std::size_t i = 0; i < targets.size(); ++i) {
      ASSERT_LT(targets[i], 500000U);
      links += 1;
      inside += targets[i] >= host.begin && targets[i] < host.end() ? 1 : 0;
      near += (targets[i] > page ? targets[i] - page : page - targets[i]) <= 1024 ? 1 : 0;
      beside += i > 0 && targets[i] == targets[i - 1] + 1 ? 1 : 0;
    }
  }
  EXPECT_GT(inside / links, 0.9);
  EXPECT_LT(inside / links, 0.995);
  EXPECT_GT(near / links, 0.8);
  EXPECT_GT(beside / links, 0.4);
}

TEST(HostWeb, IsDeepBecauseOfItsChains) {
  const auto depth = [](VertexId chain) {
    generate_hostweb({.vertices = 200000, .chain = chain, .symmetric = true}, web_folder("deep"), 2,
                     true);
    Container container(web_folder("deep"));
    const CsrView csr = container.csr(Direction::out);
    std::vector<bool> seen(csr.vertices());
    std::vector<VertexId> frontier = {0};
    seen[0] = true;
    unsigned levels = 0;
    for (; !frontier.empty(); ++levels) {
      std::vector<VertexId> next;
      for (const VertexId v : frontier) {
        for (const VertexId u : csr.list(v)) {
          if (!seen[u]) next.push_back(u);
          seen[u] = true;
        }
      }
      frontier.swap(next);
    }
    EXPECT_GT(std::count(seen.begin(), seen.end(), true), 199000);
    return levels;
  };
  EXPECT_LT(depth(0), 25U);
  EXPECT_GT(depth(200), 200U);
}

TEST(HostWeb, SmallestGraphsAndRefusals) {
  for (const std::uint64_t vertices : {1U, 2U, 3U, 65U}) {
    generate_hostweb({.vertices = vertices}, web_folder("tiny"), 1, true);
    EXPECT_EQ(Container(web_folder("tiny")).facts().vertices, vertices);
  }
  try {
    generate_hostweb({.vertices = 0}, web_folder("refused"), 1, false);
    ADD_FAILURE() << "--vertices 0 was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), HasSubstr("--vertices 0"));
  }
  EXPECT_FALSE(fs::exists(web_folder("refused")));
}

}  // namespace
}  // namespace outcore
