// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/check_durable_store.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/sizes.h"
#include "storage/evolving/check_store.h"
#include "storage/evolving/durable/real_disk.h"
#include "storage/evolving/durable/store_view.h"

namespace outcore::evolving {

namespace {

struct ReadLists {
  EdgeDigest digest;
  std::uint64_t missed = 0;
};

// Reads every list, and by that every byte of every run in this direction.
ReadLists read_lists(StoreView& view, Direction direction) {
  ReadLists read;
  const auto lists = view.lists(direction);
  VertexId vertex = 0;
  std::vector<PairChange> copies;
  while (lists->next(vertex, copies)) {
    for (const PairChange& pair : copies) {
      const bool out = direction == Direction::out;
      read.digest.add(out ? vertex : pair.neighbour, out ? pair.neighbour : vertex, pair.adds);
    }
  }
  read.missed = view.removals_missed(*lists);
  return read;
}

void check_against(const StoreView& view, const StoreCheck& check, const ReadLists& lists) {
  const StreamEffect expected =
      effect_of_stream(check.against, check.stream, view.updates(), false);
  if (lists.digest.edges != expected.digest.edges)
    throw differs_from_stream("edges", lists.digest.edges, expected.digest.edges);
  if (lists.digest != expected.digest)
    throw differs_from_stream("digest of lists", lists.digest.sum, expected.digest.sum);
  if (lists.missed != expected.missed) {
    throw differs_from_stream("removals of edges that were not there", lists.missed,
                              expected.missed);
  }
}

}  // namespace

bool is_durable_store(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / StoreManifest::kName);
}

void check_durable_store(const std::filesystem::path& folder, const StoreCheck& check,
                         const std::function<void(const std::string&)>& held) {
  RealDisk disk(folder);
  StoreView view(disk, {.first = 0, .salvage = check.salvage});
  if (!view.lost().empty()) held(fmt::format("the log is damaged: lost are {}", view.lost()));
  held(fmt::format("store.json: {} runs have the first {} updates", view.runs().size(),
                   with_commas(view.flushed())));
  held(fmt::format("log: {} updates more, {} in all", with_commas(view.updates() - view.flushed()),
                   with_commas(view.updates())));
  const ReadLists out = read_lists(view, Direction::out);
  const ReadLists in = read_lists(view, Direction::in);
  held(fmt::format("runs: every checksum holds, {} edges stand", with_commas(out.digest.edges)));
  if (out.digest != in.digest || out.missed != in.missed) {
    throw Error(ExitCode::wrong_answer,
                fmt::format("{}: in-lists hold {} edges that are not the {} of the out-lists",
                            folder.string(), in.digest.edges, out.digest.edges));
  }
  held("in-lists have the edges of out-lists, turned");
  if (check.against.empty()) return;
  check_against(view, check, out);
  held(fmt::format("lists are those of the first {} updates of {}", with_commas(view.updates()),
                   check.against.string()));
}

}  // namespace outcore::evolving
