// SPDX-License-Identifier: Apache-2.0
#include "storage/cachesim/rounds_ahead.h"

#include <algorithm>

namespace outcore {

RoundsAhead::RoundsAhead(std::unique_ptr<TraceEvents> events) : events_(std::move(events)) {
  // The accesses before the first round begins count as a round too, possibly an empty one. There
  // is no cache yet to which anything could be announced.
  std::vector<std::uint32_t> nobody;
  begin_round(nobody);
  begin_round(nobody);
}

void RoundsAhead::begin_round(std::vector<std::uint32_t>& announced) {
  for (TraceEvent event; events_->next(event) && event.kind == TraceEvent::Kind::run;) {
    const std::size_t end = std::size_t{event.run.first} + event.run.units;
    if (end > needed_.size()) needed_.resize(std::max(end, needed_.size() * 3 / 2), 0);
    for (auto unit = event.run.first; unit < end; ++unit) {
      if (needed_[unit]++ == 0) announced.push_back(unit);
    }
  }
}

}  // namespace outcore
