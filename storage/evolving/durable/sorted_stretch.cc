// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/sorted_stretch.h"

#include <algorithm>
#include <future>
#include <vector>

#include "common/unfilled.h"
#include "storage/sort/parallel_sort.h"

namespace outcore::evolving {

namespace {

// Calls f(list's vertex, neighbour, is it a removal) for each update.
template <typename F>
void for_each_end(const Stretch& updates, Direction direction, F&& f) {
  for (const std::span<const LogEdge> part : {updates.first, updates.second}) {
    for (const LogEdge& edge : part) {
      const VertexId target = neighbour(edge.target);
      const bool out = direction == Direction::out;
      f(out ? edge.source : target, out ? target : edge.source, removes(edge.target));
    }
  }
}

// An addition is a number: vertex, then neighbour. What is sorted among equal ones does not matter.
struct Additions {
  using Record = EdgeKey;
  static Record record(VertexId vertex, VertexId neighbour, bool, std::uint32_t) {
    return std::uint64_t{vertex} << 32 | neighbour;
  }
  static bool removes(Record) { return false; }
};

// With removals among them, updates of a pair stay in their order: the third word has it, and the
// removal in its lowest bit.
struct AdditionsAndRemovals {
  using Record = WeightedKey;
  static Record record(VertexId vertex, VertexId neighbour, bool removal, std::uint32_t number) {
    return {vertex, neighbour, number << 1 | (removal ? 1U : 0U)};
  }
  static bool removes(const Record& record) { return (record.weight & 1) != 0; }
};

template <typename Kind>
class SortedStretch final : public ChangeSource {
  using Record = typename Kind::Record;

 public:
  SortedStretch(const Stretch& updates, Direction direction, std::launch when)
      : sorting_(std::async(when, [this, updates, direction] { sort(updates, direction); })) {}

  void wait() { sorting_.get(); }

  bool next(VertexId& vertex, std::vector<PairChange>& changes) override {
    if (sorting_.valid()) sorting_.get();
    while (!left_.empty()) {
      vertex = parts_of(left_.front()).source;
      changes.clear();
      std::size_t at = 0;
      for (; at < left_.size() && parts_of(left_[at]).source == vertex; ++at)
        add(changes, left_[at]);
      left_ = left_.subspan(at);
      std::erase_if(changes, [](const PairChange& c) { return c.removes == 0 && c.adds == 0; });
      if (!changes.empty()) return true;
    }
    return false;
  }

 private:
  static void add(std::vector<PairChange>& changes, const Record& record) {
    const VertexId neighbour = parts_of(record).target;
    const bool removal = Kind::removes(record);
    const PairChange change{neighbour, removal ? 1U : 0U, removal ? 0U : 1U};
    if (!changes.empty() && changes.back().neighbour == neighbour) {
      changes.back() = then(changes.back(), change);
    } else {
      changes.push_back(change);
    }
  }

  void sort(const Stretch& updates, Direction direction) {
    records_.resize(updates.first.size() + updates.second.size());
    scratch_.resize(records_.size());
    std::uint32_t number = 0;
    for_each_end(updates, direction, [&](VertexId vertex, VertexId neighbour, bool removal) {
      records_[number] = Kind::record(vertex, neighbour, removal, number);
      ++number;
    });
    left_ = parallel_sort(std::span<Record>(records_), std::span<Record>(scratch_), 1);
  }

  std::vector<Record, UnfilledAllocator<Record>> records_;
  std::vector<Record, UnfilledAllocator<Record>> scratch_;
  std::span<const Record> left_;  // in one of the two
  std::future<void> sorting_;
};

bool has_removals(const Stretch& updates) {
  return facts_of(updates.first).removals > 0 || facts_of(updates.second).removals > 0;
}

template <typename Kind>
std::unique_ptr<ChangeSource> sort_at_once(const Stretch& updates, Direction direction) {
  auto sorted = std::make_unique<SortedStretch<Kind>>(updates, direction, std::launch::deferred);
  sorted->wait();
  return sorted;
}

}  // namespace

std::unique_ptr<ChangeSource> sorted_stretch(const Stretch& updates, Direction direction) {
  constexpr auto kNow = std::launch::async;
  if (has_removals(updates)) {
    return std::make_unique<SortedStretch<AdditionsAndRemovals>>(updates, direction, kNow);
  }
  return std::make_unique<SortedStretch<Additions>>(updates, direction, kNow);
}

std::unique_ptr<ChangeSource> sorted_now(const Stretch& updates, Direction direction) {
  return has_removals(updates) ? sort_at_once<AdditionsAndRemovals>(updates, direction)
                               : sort_at_once<Additions>(updates, direction);
}

VertexId vertices_of(const Stretch& updates) {
  if (updates.first.empty() && updates.second.empty()) return 0;
  return std::max(facts_of(updates.first).greatest, facts_of(updates.second).greatest) + 1;
}

}  // namespace outcore::evolving
