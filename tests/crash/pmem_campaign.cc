// SPDX-License-Identifier: Apache-2.0
#include "tests/crash/pmem_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "common/error.h"
#include "storage/evolving/multiset_for_tests.h"

namespace outcore::evolving {

namespace {

constexpr VertexId kVertices = 12;
constexpr std::uint64_t kUpdates = 700;

void expect(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

class Life {
 public:
  Life(const PmemSubject& subject, std::uint64_t seed)
      : subject_(subject),
        stream_(make_stream({.updates = kUpdates,
                             .vertices = kVertices,
                             .removals = 0.3,
                             .seed = static_cast<unsigned>(seed)})),
        random_(seed),
        memory_(std::static_pointer_cast<SimMemory>(subject.create(seed))) {}

  SimMemory& memory() { return *memory_; }

  // Lives on, from whatever the memory has, to the end of the stream.
  void live() {
    open();
    while (submitted_ < kUpdates) step();
    check(store_->contents());
    store_.reset();
  }

  // Power was cut; what the process held went with it.
  void lose_power() {
    store_.reset();
    memory_->after_power_cut();
  }
  void end_process() { store_.reset(); }

  // A reader finds what a writer finds.
  void check_reader() {
    const std::unique_ptr<OpenPmemStore> reader = subject_.open(memory_->copy());
    read_ = reader->contents();
    check(read_);
  }
  [[nodiscard]] bool is_complete() const { return acknowledged_ == kUpdates; }

 private:
  void open() {
    store_ = subject_.open(memory_);
    const PmemContents contents = store_->contents();
    check(contents);
    acknowledged_ = submitted_ = contents.updates;
  }

  void check(const PmemContents& found) {
    expect(found.updates >= acknowledged_,
           fmt::format("{} were acknowledged, {} are there", acknowledged_, found.updates));
    expect(found.updates <= submitted_,
           fmt::format("{} were handed over, {} are there", submitted_, found.updates));
    const EdgeMultiset expected(std::span<const LogEdge>(stream_).first(found.updates), false);
    for (const Direction direction : {Direction::out, Direction::in}) {
      const auto& lists = found.lists[static_cast<unsigned>(direction)];
      expect(lists.size() <= kVertices, "vertices that no update has");
      const auto expected_lists = lists_of(expected, kVertices, direction);
      for (VertexId v = 0; v < kVertices; ++v) {
        const auto& list = v < lists.size() ? lists[v] : std::vector<VertexId>();
        expect(list == expected_lists[v],
               fmt::format("the {}-list of {} has {} edges that are not the {} of {} updates",
                           direction == Direction::out ? "out" : "in", v, list.size(),
                           expected_lists[v].size(), found.updates));
      }
    }
    expect(found.removals_missed == expected.missed(),
           fmt::format("{} removals were of nothing, expected {}", found.removals_missed,
                       expected.missed()));
  }

  void add(std::uint64_t count) {
    const std::uint64_t begin = submitted_;
    count = std::min(count, kUpdates - begin);
    submitted_ += count;
    store_->add(std::span(stream_).subspan(begin, count));
    acknowledged_ = submitted_;
  }

  void step() {
    add(random_() % 20 == 0 ? 100 + random_() % 150 : 1 + random_() % 30);
    if (random_() % 15 == 0) store_->flush_all();
    if (random_() % 10 == 0) store_->compact(static_cast<VertexId>(random_() % kVertices));
    if (random_() % 25 == 0) store_->compact_all();
    if (random_() % 20 == 0) check(store_->contents());
    if (random_() % 20 == 0) {
      store_.reset();
      open();
    }
  }

  const PmemSubject& subject_;
  std::vector<LogEdge> stream_;
  std::mt19937_64 random_;
  std::shared_ptr<SimMemory> memory_;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t submitted_ = 0;
  PmemContents read_;
  std::unique_ptr<OpenPmemStore> store_;
};

// Lives until the fault strikes or to the end. Did it strike?
bool live_until(Life& life, SimMemory::Fault fault) {
  try {
    life.live();
    return false;
  } catch (const PowerCut&) {
    life.lose_power();
  } catch (const Error& error) {
    if (fault != SimMemory::Fault::full || error.code() != ExitCode::io) throw;
    life.end_process();
    life.memory().make_room_again();
  }
  return true;
}

}  // namespace

std::uint64_t operations_of_life(const PmemSubject& subject, std::uint64_t seed) {
  Life life(subject, seed);
  life.live();
  return life.memory().operations();
}

std::string try_point(const PmemSubject& subject, const PmemPoint& point) {
  std::mt19937_64 random(point.seed * 1'000'003 + point.operation);
  try {
    Life life(subject, point.seed);
    life.memory().plan(point.fault, life.memory().operations() + point.operation);
    for (int faults = 0; live_until(life, point.fault) && faults < 2; ++faults) {
      life.check_reader();
      const std::uint64_t soon = random() % 4 != 0 ? 12 : 150;
      if (faults > 0) continue;
      life.memory().plan(SimMemory::Fault::power_cut,
                         life.memory().operations() + 1 + random() % soon);
    }
    if (!life.is_complete()) life.live();
    life.check_reader();
    expect(life.is_complete(), "not all of the stream went in");
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace outcore::evolving
