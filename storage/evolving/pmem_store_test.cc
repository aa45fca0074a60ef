// SPDX-License-Identifier: Apache-2.0
// A store in persistent memory, for which an ordinary file stands in: what it holds when it is
// opened again, with every knob that recovery meets, and what is refused.
#include "storage/evolving/pmem_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "common/error.h"
#include "storage/evolving/multiset_for_tests.h"
#include "storage/evolving/pmem/mapped_memory.h"

namespace outcore::evolving {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class PmemStore : public ::testing::Test {
 public:
  ~PmemStore() override {
    fs::remove_all(folder_);
    ::unsetenv("OUTCORE_PMEM");
  }
  PmemStore(const PmemStore&) = delete;
  PmemStore& operator=(const PmemStore&) = delete;

 protected:
  PmemStore() : folder_(fs::path(::testing::TempDir()) / "pmem_store_test") {
    fs::remove_all(folder_);
    ::setenv("OUTCORE_PMEM", "ordinary-file", 1);
  }

  [[nodiscard]] StoreKnobs opened(StoreKnobs knobs) const {
    knobs.image = open_to_write(folder_, knobs);
    return knobs;
  }
  [[nodiscard]] std::string refusal(const StoreKnobs& knobs) const {
    try {
      static_cast<void>(open_to_write(folder_, knobs));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return error.what();
    }
    return "none";
  }

  const fs::path folder_;
};

StoreKnobs small_knobs() {
  StoreKnobs knobs;
  knobs.threads = 2;
  knobs.log_edges = 4096;
  knobs.threshold = 512;
  knobs.bulk_bytes = std::uint64_t{1} << 16;
  return knobs;
}

void expect_holds(const Snapshot& snapshot, std::span<const LogEdge> updates, bool symmetric) {
  const EdgeMultiset expected(updates, symmetric);
  EXPECT_EQ(snapshot.updates(), updates.size());
  EXPECT_EQ(snapshot.removals_missed(), expected.missed());
  for (const Direction direction : {Direction::out, Direction::in}) {
    EXPECT_EQ(lists_of(snapshot, direction), lists_of(expected, snapshot.vertices(), direction));
  }
}

std::shared_ptr<Snapshot> snapshot_of(const Store& store) {
  auto snapshot = store.snapshot();
  snapshot->prepare(2);
  return snapshot;
}

TEST_F(PmemStore, HoldsWhatItTookWhenItIsOpenedAgain) {
  const auto stream = make_stream({.updates = 20'000, .vertices = 20'000, .removals = 0.2});
  for (const bool symmetric : {false, true}) {
    fs::remove_all(folder_);
    StoreKnobs knobs = small_knobs();
    knobs.symmetric = symmetric;
    std::size_t taken = 0;
    for (const std::size_t more : {100U, 5'000U, 9'000U, 1U, 5'899U}) {
      Store store(opened(knobs));
      expect_holds(*snapshot_of(store), std::span(stream).first(taken), symmetric);
      store.add_edges(std::span(stream).subspan(taken, more));
      taken += more;
      if (taken == 14'100) store.compact_all();
      if (taken == 14'101) store.compact(3);
    }
    const PmemReader reader(folder_, 2);
    expect_holds(*reader.snapshot, stream, symmetric);
  }
}

// Buffers of the replayed updates do not fit, so that recovery flushes in its middle.
TEST_F(PmemStore, RecoversWithLessMemoryThanItHad) {
  const auto stream = make_stream({.updates = 15'000, .vertices = 20'000, .removals = 0.1});
  StoreKnobs knobs = small_knobs();
  knobs.threads = 1;  // of several each has a bulk, and how full they are depends on who took what
  knobs.log_edges = 16384;
  { Store(opened(knobs)).add_edges(stream); }
  knobs.threshold = 16;
  knobs.pool_bytes = std::uint64_t{280} << 10;
  for (int opening = 0; opening < 3; ++opening) {
    const Store store(opened(knobs));
    // What the first one wrote to chains, the next ones leave out.
    EXPECT_EQ(store.counters().forced_flushes > 0, opening == 0);
    expect_holds(*snapshot_of(store), stream, false);
  }
}

TEST_F(PmemStore, IsReadWithoutBeingWritten) {
  const auto stream = make_stream({.updates = 3'000, .vertices = 500});
  { Store(opened(small_knobs())).add_edges(stream); }
  const auto before = fs::last_write_time(folder_ / "store.pmem");
  for (int reading = 0; reading < 2; ++reading)
    expect_holds(*PmemReader(folder_, 2).snapshot, stream, false);
  EXPECT_EQ(fs::last_write_time(folder_ / "store.pmem"), before);
}

TEST_F(PmemStore, CompactionFreesTheChainsBefore) {
  const auto stream = make_stream({.updates = 4'000, .vertices = 500});
  Store store(opened(small_knobs()));
  std::uint64_t bytes = 0;
  for (int i = 0; i < 6; ++i) {
    store.add_edges(stream);
    store.compact_all();
    if (i == 0) bytes = store.counters().chain_bytes;
  }
  EXPECT_LT(store.counters().chain_bytes, 6 * bytes);
}

TEST_F(PmemStore, IsRefusedWhereNothingWouldLast) {
  ::unsetenv("OUTCORE_PMEM");
  EXPECT_THAT(refusal(small_knobs()), HasSubstr("gives no MAP_SYNC"));
  EXPECT_FALSE(fs::exists(folder_ / "store.pmem"));
  EXPECT_FALSE(fs::exists(folder_ / "store.pmem.pending"));
}

TEST_F(PmemStore, HasOneWriterAndOneShape) {
  const auto image = open_to_write(folder_, small_knobs());
  EXPECT_FALSE(image->memory().is_persistent());
  EXPECT_THAT(refusal(small_knobs()), HasSubstr("another process has it open"));
  EXPECT_THROW(PmemReader(folder_, 1), Error);
}

TEST_F(PmemStore, OfOtherListsIsRefused) {
  { Store(opened(small_knobs())).add_edge(1, 2); }
  StoreKnobs knobs = small_knobs();
  knobs.symmetric = true;
  EXPECT_THAT(refusal(knobs), HasSubstr("say lists=directed"));
}

TEST_F(PmemStore, ThatWasChangedIsNoStore) {
  { Store(opened(small_knobs())).add_edge(1, 2); }
  for (const std::uint64_t at : {0, 8, 16, 50, 128}) {
    const auto flip = [&] {
      auto memory = std::make_shared<MappedMemory>(folder_ / "store.pmem", Access::write);
      memory->base()[at] ^= std::byte{0x40};
    };
    flip();
    EXPECT_THROW(PmemReader(folder_, 1), Error) << at;
    flip();
  }
  EXPECT_EQ(PmemReader(folder_, 1).snapshot->edges(), 1U);
}

}  // namespace
}  // namespace outcore::evolving
