// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/store_view.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/error.h"
#include "storage/evolving/durable/sorted_stretch.h"

namespace outcore::evolving {

StoreView::StoreView(Disk& disk, const Opening& opening) : opening_(opening) {
  for (std::string before;;) {
    try {
      open(disk);
      return;
    } catch (const Error& error) {
      if (error.code() != ExitCode::bad_input || error.what() == before) throw;
      before = error.what();
    }
  }
}

void StoreView::open(Disk& disk) {
  logged_.clear();
  const auto keep = [&](std::span<const Update> updates) {
    for (const Update& update : updates) logged_.push_back(as_logged(update));
  };
  store_ = std::make_unique<DurableStore>(
      disk, DurableStore::Opening{.access = Access::read, .salvage = opening_.salvage}, keep);
  vertices_ = std::max(store_->vertices(), vertices_of({logged_, {}}));
  for (const Direction direction : {Direction::out, Direction::in}) {
    runs_[static_cast<unsigned>(direction)] = store_->open_runs(direction, opening_.first);
  }
}

std::unique_ptr<StandingCopies> StoreView::lists(Direction direction) {
  std::vector<LogEdge> newest;
  for (const LogEdge& edge : logged_) {
    const bool out = direction == Direction::out;
    if ((out ? edge.source : neighbour(edge.target)) >= opening_.first) newest.push_back(edge);
  }
  DurableStore::Sources sources = std::move(runs_[static_cast<unsigned>(direction)]);
  sources.push_back(sorted_now({newest, {}}, direction));
  return std::make_unique<StandingCopies>(std::move(sources));
}

}  // namespace outcore::evolving
