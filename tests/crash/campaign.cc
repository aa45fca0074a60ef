// SPDX-License-Identifier: Apache-2.0
#include "tests/crash/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>
#include <utility>

namespace outcore::evolving {

namespace {

constexpr VertexId kVertices = 20;
constexpr std::uint64_t kUpdates = 1000;
constexpr std::uint64_t kLogPages = 6;

void expect(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

// How often each edge stands, by source and target.
using Copies = std::vector<std::uint32_t>;

std::uint32_t& copies_of(Copies& copies, VertexId source, VertexId target) {
  return copies[source * kVertices + target];
}

// Returns how many removals were of copies that are not there: none or one.
std::uint64_t replay(Copies& copies, const Update& update) {
  std::uint32_t& count = copies_of(copies, update.source, update.target);
  if (!update.removes) {
    ++count;
  } else if (count > 0) {
    --count;
  } else {
    return 1;
  }
  return 0;
}

std::vector<Update> stream_of(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Update> stream(kUpdates);
  for (Update& update : stream) {
    // Few sources have most of the edges, so that pairs come again.
    const auto source = static_cast<VertexId>(random() % kVertices);
    update.source = random() % 2 == 0 ? source : source % 3;
    update.target = static_cast<VertexId>(random() % kVertices);
    update.removes = random() % 3 == 0;
  }
  return stream;
}

// The changes of a stretch of the stream in one direction. `meanwhile` is done when the first list
// is asked for, as another thread would.
class StretchChanges final : public ChangeSource {
 public:
  StretchChanges(std::span<const Update> stretch, Direction direction,
                 std::function<void()> meanwhile)
      : meanwhile_(std::move(meanwhile)) {
    for (const Update& update : stretch) {
      const bool out = direction == Direction::out;
      lists_[out ? update.source : update.target].push_back(
          {out ? update.target : update.source, update.removes});
    }
    next_ = lists_.begin();
  }
  bool next(VertexId& vertex, std::vector<PairChange>& changes) override {
    if (meanwhile_) std::exchange(meanwhile_, nullptr)();
    for (; next_ != lists_.end(); ++next_) {
      vertex = next_->first;
      changes_of(next_->second, changes);
      if (changes.empty()) continue;
      ++next_;
      return true;
    }
    return false;
  }

 private:
  std::function<void()> meanwhile_;
  std::map<VertexId, std::vector<ListUpdate>> lists_;
  std::map<VertexId, std::vector<ListUpdate>>::iterator next_;
};

// What is known outside the process.
struct Known {
  std::uint64_t acknowledged = 0;
  std::uint64_t submitted = 0;
};

class Life {
 public:
  Life(const Subject& subject, std::uint64_t seed)
      : subject_(subject),
        stream_(stream_of(seed)),
        id_bytes_(seed % 2 == 0 ? 4 : 3),
        codec_(seed % 4 < 2   ? "raw"
               : seed % 8 < 4 ? "svb"
                              : "varint"),
        random_(seed),
        disk_(seed) {}

  SimDisk& disk() { return disk_; }

  // Lives on, from whatever the disk has, to the end of the stream.
  void live() {
    if (!disk_.exists("store.json")) {
      expect(known_.acknowledged == 0, "the store is gone");
      subject_.create(disk_, kVertices, kLogPages, id_bytes_, codec_);
    }
    open();
    while (known_.submitted < kUpdates || known_.acknowledged < kUpdates) {
      step();
      if (random_() % 60 == 0) reopen();
    }
    store_->close();
    store_.reset();
  }

  // The process is gone, or the power was.
  void crash(bool power) {
    store_.reset();
    if (power) {
      disk_.after_power_cut();
    } else {
      disk_.after_kill();
    }
  }

  // After an error: whoever goes on all the same is believed what it says.
  void insist() {
    if (store_ == nullptr) return;
    try {
      append(10);
      acknowledge(store_->commit());
    } catch (const Error&) {     // NOLINT(bugprone-empty-catch): it need not work
    } catch (const PowerCut&) {  // NOLINT(bugprone-empty-catch): nor go on
    }
  }

  void check() {
    if (!disk_.exists("store.json")) {
      expect(known_.acknowledged == 0, "the store is gone");
      return;
    }
    const std::uint64_t before = disk_.operations();
    check_contents(Access::read);
    expect(disk_.operations() == before, "reading wrote");
  }

  [[nodiscard]] const Known& known() const { return known_; }

 private:
  // Opens the store and compares it with a replay of as many updates as it says it has.
  std::unique_ptr<OpenStore> check_contents(Access access) {
    std::vector<Update> replayed;
    auto store = subject_.open(disk_, access, [&](std::span<const Update> updates) {
      replayed.insert(replayed.end(), updates.begin(), updates.end());
    });
    const std::uint64_t last = store->acknowledged();
    expect(last >= known_.acknowledged,
           fmt::format("{} were acknowledged, {} are there", known_.acknowledged, last));
    expect(last <= known_.submitted,
           fmt::format("{} were handed over, {} are there", known_.submitted, last));
    Copies expected(kVertices * kVertices);
    std::uint64_t expected_missed = 0;
    for (std::uint64_t i = 0; i < last; ++i) expected_missed += replay(expected, stream_[i]);
    for (const Direction direction : {Direction::out, Direction::in}) {
      Copies found(kVertices * kVertices);
      std::uint64_t missed = read_runs(*store, direction, found);
      for (const Update& update : replayed) missed += replay(found, update);
      const char* const name = direction == Direction::out ? "out" : "in";
      expect(found == expected,
             fmt::format("{}-lists differ from those of {} updates", name, last));
      expect(missed == expected_missed,
             fmt::format("in {}-lists {} removals were of nothing, expected {}", name, missed,
                         expected_missed));
    }
    check_oldest(*store);
    return store;
  }

  // Returns how many removals were of copies that were not there.
  static std::uint64_t read_runs(OpenStore& store, Direction direction, Copies& copies) {
    return store.read(direction, [&](VertexId vertex, const std::vector<PairChange>& changes) {
      for (const PairChange& change : changes) {
        expect(change.removes == 0, "a removal is left over");
        const bool out = direction == Direction::out;
        copies_of(copies, out ? vertex : change.neighbour, out ? change.neighbour : vertex) =
            change.adds;
      }
    });
  }

  // The oldest run is a layout: it has no removals.
  void check_oldest(const OpenStore& store) {
    if (store.runs().empty()) return;
    for (const char* const file : {"/out.tombstones", "/in.tombstones"}) {
      const auto tombstones = disk_.open(store.runs().front() + file, Access::read, false);
      expect(tombstones->size() == 0, "the oldest run has removals");
    }
  }

  void open() {
    store_ = check_contents(Access::write);
    // From now on all of it counts.
    known_.acknowledged = store_->acknowledged();
    known_.submitted = known_.acknowledged;
    check_names();
  }

  void check_names() {
    const std::vector<std::string> runs = store_->runs();
    for (const std::string& name : disk_.list()) {
      const bool known = name == "log" || name == "store.json" ||
                         std::count(runs.begin(), runs.end(), name.substr(0, name.find('/'))) > 0;
      expect(known, name + " lies about");
    }
  }

  void reopen() {
    acknowledge(store_->commit());
    if (random_() % 2 == 0) store_->close();
    store_.reset();
    open();
  }

  void append(std::uint64_t count) {
    const std::uint64_t begin = known_.submitted;
    count = std::min(count, kUpdates - begin);
    // Before it is sure how many are taken: a crash may come in between.
    known_.submitted += count;
    const std::size_t taken = store_->append(std::span(stream_).subspan(begin, count));
    known_.submitted = begin + taken;
  }

  void acknowledge(std::uint64_t last) {
    known_.acknowledged = std::max(known_.acknowledged, last);
  }

  void flush() {
    const std::uint64_t flushed = store_->flushed();
    std::uint64_t last = known_.acknowledged;
    if (last == flushed) return;
    // Often in the middle of a page.
    if (random_() % 3 == 0) last = flushed + 1 + random_() % (last - flushed);
    const auto stretch = std::span(stream_).subspan(flushed, last - flushed);
    StretchChanges out(stretch, Direction::out, {});
    // Ingest goes on while the run is written.
    StretchChanges in(stretch, Direction::in, [&] {
      append(random_() % 300);
      acknowledge(store_->commit());
    });
    try {
      store_->flush(last, kVertices, out, in);
    } catch (const DiskFull&) {
      disk_.make_room();  // and it goes on as if nothing had been asked
    }
  }

  void step() {
    const bool many = random_() % 25 == 0;
    append(many ? 400 + random_() % 900 : 1 + random_() % 60);
    if (random_() % 5 != 0) acknowledge(store_->commit());
    if (store_->log_full() || random_() % 8 == 0) {
      acknowledge(store_->commit());
      flush();
      if (random_() % 2 == 0) store_->merge_tier(2);
    }
    if (random_() % 40 == 0) store_->compact();
  }

  const Subject& subject_;
  std::vector<Update> stream_;
  unsigned id_bytes_;
  std::string codec_;
  std::mt19937_64 random_;
  SimDisk disk_;
  Known known_;
  std::unique_ptr<OpenStore> store_;
};

// Lives until the fault strikes or to the end. Did it strike?
bool live_until(Life& life, SimDisk::Fault fault) {
  for (;;) {
    try {
      life.live();
      return false;
    } catch (const PowerCut&) {
      return true;
    } catch (const DiskFull&) {
      if (fault != SimDisk::Fault::full) throw;
      life.crash(false);  // and is opened again
    } catch (const Error& error) {
      if (fault != SimDisk::Fault::error || error.code() != ExitCode::io) throw;
      life.insist();
      return true;
    }
  }
}

}  // namespace

std::uint64_t operations_of_life(const Subject& subject, std::uint64_t seed) {
  Life life(subject, seed);
  life.live();
  return life.disk().operations();
}

std::string try_point(const Subject& subject, const CrashPoint& point) {
  std::mt19937_64 random(point.seed * 1'000'003 + point.operation);
  Life life(subject, point.seed);
  try {
    life.disk().plan(point.fault, point.operation);
    for (int crashes = 0; live_until(life, point.fault) && crashes < 2; ++crashes) {
      life.crash(random() % (crashes == 0 ? 2 : 8) != 0);
      life.check();
      if (crashes == 1) break;
      const std::uint64_t soon = random() % 4 != 0 ? 12 : 150;
      life.disk().plan(SimDisk::Fault::power_cut, life.disk().operations() + 1 + random() % soon);
    }
    life.crash(false);
    life.live();
    life.check();
    expect(life.known().acknowledged == kUpdates, "not all of the stream went in");
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace outcore::evolving
