// SPDX-License-Identifier: Apache-2.0
// The pages and links of generate_hostweb(), page by page.
//
// A host is a run of neighbouring ids, as in graphs whose ids follow their URLs. Its size is
// kLeastHost / u for a random u, cut off at kLargestHost, so half as many hosts are twice as large.
// Its first page is its home page. One host in kChainEvery ends in a chain of pages that link only
// to the next and the previous one, such as articles in instalments or a calendar. The other pages,
// the content, lie in nested directories: the directory of 2^l pages that contains page p begins at
// p's offset with its last l bits cleared.
// p's offset without its last l bits.
//
// A page has `degree` * (1 / sqrt(u) - 1) links. They lead in runs to neighbouring pages, because
// pages link to menus and listings rather than to single pages. A run begins
//  - mostly at the head of a directory that contains the page, with each directory size in turn and
//    then further on in it: the menus that all pages of a directory share, whose pages become hubs;
//  - else at a distance whose logarithm is uniform, inside the host;
//  - else at the home page of a near or far host, at a distance of the same kind.
// The home page and some heads of directories also list all pages below them.
//
// docs/generators.md explains what the constants below were tuned against, and how close they come.
#pragma once

#include <cstdint>
#include <vector>

#include "common/ids.h"
#include "storage/container/builder.h"
#include "workloads/graphs/generate.h"

namespace outcore {

// Immutable once constructed; links() may be called from any thread. Memory: 4 bytes per host,
// about one host per 500 vertices.
class HostWeb {
 public:
  static constexpr std::uint64_t kLeastHost = 64;
  static constexpr std::uint64_t kLargestHost = 65536;
  static constexpr std::uint64_t kChainEvery = 8;
  static constexpr unsigned kLeastDirectoryBits = 6;
  static constexpr unsigned kMostDirectoryBits = 14;
  static constexpr unsigned kLeastListingBits = 4;
  static constexpr unsigned kMostListingBits = 11;
  static constexpr std::uint64_t kListsEvery = 4;
  static constexpr unsigned kRunSizes = 3;  // runs of 1, 2 or 4 links
  static constexpr double kHeadShare = 0.85;
  static constexpr double kOutsideShare = 0.03;

  struct Host {
    VertexId begin = 0;
    VertexId content = 0;  // number of pages without the chain's
    VertexId chain = 0;
    [[nodiscard]] VertexId end() const { return begin + content + chain; }
  };

  explicit HostWeb(const HostWebOptions& options);

  [[nodiscard]] std::uint64_t hosts() const { return begins_.size(); }
  [[nodiscard]] Host host(std::uint64_t number) const;
  [[nodiscard]] Host host_of(VertexId page) const;
  // Appends the page's links, including loops and duplicates.
  void add_links(VertexId page, std::vector<Edge>& links) const;

 private:
  void add_chain_links(VertexId page, const Host& host, std::vector<Edge>& links) const;
  void add_listing(VertexId page, const Host& host, std::vector<Edge>& links) const;
  void add_runs(VertexId page, const Host& host, std::vector<Edge>& links) const;
  [[nodiscard]] VertexId home_near(VertexId page, std::uint64_t random) const;

  HostWebOptions options_;
  std::vector<VertexId> begins_;  // the first page of each host
};

}  // namespace outcore
