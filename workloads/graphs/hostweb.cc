// SPDX-License-Identifier: Apache-2.0
#include "workloads/graphs/hostweb.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/error.h"
#include "workloads/graphs/edge_loop.h"

namespace outcore {

namespace {

// What a random number decides. It is part of the seed, so that the same number gives another draw.
enum class For : std::uint64_t { host_size, chain, page, listing };

constexpr std::uint64_t draw_for(For purpose, std::uint64_t seed, std::uint64_t number) {
  return draw(draw(seed, static_cast<std::uint64_t>(purpose)), number);
}

// A number from 2^l to 2^(l+1) - 1, for a uniform l below `bits`.
std::uint64_t log_uniform(std::uint64_t random, unsigned bits) {
  const std::uint64_t octave = std::uint64_t{1} << below(random << 32, bits);
  return octave | (random >> 32 & (octave - 1));
}

// Links of a page: P(at least x) = 1 / (1 + x / scale)^2, whose mean is about `scale`.
std::uint64_t number_of_links(std::uint64_t random, unsigned scale, std::uint64_t most) {
  const double u = static_cast<double>((random >> 11) + 1) * 0x1p-53;  // in (0, 1]
  const double links = scale * (1 / std::sqrt(u) - 1);
  return links < static_cast<double>(most) ? static_cast<std::uint64_t>(links) : most;
}

}  // namespace

HostWeb::HostWeb(const HostWebOptions& options) : options_(options) {
  for (std::uint64_t begin = 0; begin < options.vertices;) {
    const std::uint64_t random = draw_for(For::host_size, options.seed, begins_.size());
    begins_.push_back(static_cast<VertexId>(begin));
    begin += std::min((kLeastHost << 32) / ((random >> 32) + 1), kLargestHost);
  }
}

HostWeb::Host HostWeb::host(std::uint64_t number) const {
  const VertexId begin = begins_[number];
  const VertexId end =
      number + 1 < begins_.size() ? begins_[number + 1] : static_cast<VertexId>(options_.vertices);
  const bool has_chain = draw_for(For::chain, options_.seed, number) % kChainEvery == 0;
  const VertexId chain = has_chain ? std::min((end - begin) / 2, options_.chain) : 0;
  return {begin, end - begin - chain, chain};
}

HostWeb::Host HostWeb::host_of(VertexId page) const {
  const auto next = std::upper_bound(begins_.begin(), begins_.end(), page);
  return host(static_cast<std::uint64_t>(next - begins_.begin() - 1));
}

void HostWeb::add_links(VertexId page, std::vector<Edge>& links) const {
  const Host own = host_of(page);
  const VertexId first_of_chain = own.begin + own.content;
  if (page >= first_of_chain) {
    add_chain_links(page, own, links);
    return;
  }
  if (page == own.begin && own.chain > 0) links.emplace_back(page, first_of_chain);
  add_listing(page, own, links);
  add_runs(page, own, links);
}

void HostWeb::add_chain_links(VertexId page, const Host& host, std::vector<Edge>& links) const {
  links.emplace_back(page, page == host.begin + host.content ? host.begin : page - 1);
  if (page + 1 < host.end()) links.emplace_back(page, page + 1);
}

void HostWeb::add_listing(VertexId page, const Host& host, std::vector<Edge>& links) const {
  const VertexId offset = page - host.begin;
  const bool home = offset == 0;
  const auto zeros = static_cast<unsigned>(std::countr_zero(offset));
  const unsigned bits = home ? kMostListingBits : std::min(zeros, kMostListingBits);
  if (bits < kLeastListingBits) return;
  if (!home && draw_for(For::listing, options_.seed, page) % kListsEvery != 0) return;
  const VertexId end = std::min(offset + (VertexId{1} << bits), host.content);
  for (VertexId below_it = offset + 1; below_it < end; ++below_it) {
    links.emplace_back(page, host.begin + below_it);
  }
}

void HostWeb::add_runs(VertexId page, const Host& host, std::vector<Edge>& links) const {
  static constexpr std::uint64_t kHead = threshold32(kHeadShare);
  static constexpr std::uint64_t kInside = threshold32(1 - kOutsideShare);
  const std::uint64_t random = draw_for(For::page, options_.seed, page);
  const std::uint64_t count = number_of_links(random, options_.degree, host.content);
  const std::uint64_t run_links = std::uint64_t{1} << below(mix(random), kRunSizes);
  const VertexId offset = page - host.begin;
  const auto most_bits =
      std::min<unsigned>(static_cast<unsigned>(std::bit_width(host.content)), kMostDirectoryBits);
  const unsigned least_bits = std::min(most_bits, kLeastDirectoryBits);
  const unsigned directories = most_bits - least_bits + 1;
  for (std::uint64_t run = 0; run * run_links < count; ++run) {
    const std::uint64_t kind = draw(random, 2 * run) >> 32;
    const std::uint64_t where = draw(random, 2 * run + 1);
    Host target = host;
    std::uint64_t first = 0;
    if (kind < kHead) {
      const std::uint64_t turn = (random & 0xff) + run;
      const unsigned bits = least_bits + static_cast<unsigned>(turn % directories);
      first = (std::uint64_t{offset} >> bits << bits) + run / directories * run_links;
    } else if (kind < kInside) {
      const std::uint64_t distance = log_uniform(where, most_bits) % host.content;
      first = kind % 2 == 0 ? offset + distance : offset + host.content - distance;
    } else {
      target = host_of(home_near(page, where));
    }
    const std::uint64_t end = std::min((run + 1) * run_links, count);
    for (std::uint64_t link = run * run_links; link < end; ++link) {
      const std::uint64_t at = (first + link - run * run_links) % target.content;
      links.emplace_back(page, target.begin + static_cast<VertexId>(at));
    }
  }
}

VertexId HostWeb::home_near(VertexId page, std::uint64_t random) const {
  const auto bits = static_cast<unsigned>(std::bit_width(options_.vertices - 1));
  const std::uint64_t distance = log_uniform(random, std::max(bits, 1U)) % options_.vertices;
  const bool forward = random >> 63 != 0;
  return static_cast<VertexId>((page + (forward ? distance : options_.vertices - distance)) %
                               options_.vertices);
}

void generate_hostweb(const HostWebOptions& options, const std::filesystem::path& folder,
                      unsigned threads, bool force) {
  check_vertices_and_degree(options.vertices, options.degree);
  BuildOptions build = simple_graph(options.symmetric, threads, force);
  build.provenance = {{"generator", "hostweb"},   {"vertices", options.vertices},
                      {"degree", options.degree}, {"chain", options.chain},
                      {"seed", options.seed},     {"symmetric", options.symmetric}};
  const HostWeb web(options);
  generate_by_vertex(folder, static_cast<VertexId>(options.vertices), std::move(build),
                     {options.ids, options.seed},
                     [&](VertexId page, std::vector<Edge>& links) { web.add_links(page, links); });
}

}  // namespace outcore
