// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/pair_changes.h"

namespace outcore::evolving {

void changes_of(std::vector<ListUpdate>& updates, std::vector<PairChange>& changes) {
  std::stable_sort(updates.begin(), updates.end(), [](const ListUpdate& a, const ListUpdate& b) {
    return a.neighbour < b.neighbour;
  });
  changes.clear();
  for (const ListUpdate& update : updates) {
    const PairChange change{.neighbour = update.neighbour,
                            .removes = update.removes ? 1U : 0U,
                            .adds = update.removes ? 0U : 1U};
    if (!changes.empty() && changes.back().neighbour == update.neighbour) {
      changes.back() = then(changes.back(), change);
    } else {
      changes.push_back(change);
    }
  }
  std::erase_if(changes, [](const PairChange& c) { return c.removes == 0 && c.adds == 0; });
}

}  // namespace outcore::evolving
