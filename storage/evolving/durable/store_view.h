// SPDX-License-Identifier: Apache-2.0
// A durable store as it is at one moment, for reading: exactly its first P updates. Nothing is
// written, and the process that writes to the store need not stop.
//
// Lists are streamed, from all runs and from what no run has yet, side by side: memory is a few MB
// a run and 8 bytes an update of the log.
//
// One thread uses a view.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "storage/evolving/durable/disk.h"
#include "storage/evolving/durable/durable_store.h"
#include "storage/evolving/log_edge.h"

namespace outcore::evolving {

class StoreView {
 public:
  struct Opening {
    VertexId first = 0;    // lists before that of this vertex are not wanted
    bool salvage = false;  // a damaged log is read up to its last good page, and lost() says what
                           // is gone
  };
  // Throws bad_input for damage. What a writer does meanwhile may look like damage, so opening is
  // tried again; what fails twice in the same way is damage.
  StoreView(Disk& disk, const Opening& opening);
  explicit StoreView(Disk& disk) : StoreView(disk, Opening()) {}

  [[nodiscard]] std::uint64_t updates() const { return store_->acknowledged(); }  // P
  [[nodiscard]] std::uint64_t flushed() const { return store_->flushed(); }       // in runs
  // Ids are below.
  [[nodiscard]] VertexId vertices() const { return vertices_; }
  [[nodiscard]] const std::string& lost() const { return store_->lost(); }
  [[nodiscard]] std::vector<Run> runs() const { return store_->runs(); }
  [[nodiscard]] const DurableStore& store() const { return *store_; }

  // The lists of a direction, ascending: how often each neighbour stands in them. Once for each.
  [[nodiscard]] std::unique_ptr<StandingCopies> lists(Direction direction);
  // Removals of copies that were not there, when all of lists() has been read.
  [[nodiscard]] std::uint64_t removals_missed(const StandingCopies& all) const {
    return store_->removals_missed() + all.missed();
  }

 private:
  void open(Disk& disk);

  Opening opening_;
  std::unique_ptr<DurableStore> store_;
  std::vector<LogEdge> logged_;  // what no run has
  VertexId vertices_ = 0;
  // Of out-lists and in-lists. They are open from the beginning: a writer may merge these runs and
  // remove them.
  std::array<DurableStore::Sources, 2> runs_;
};

}  // namespace outcore::evolving
