// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/group_commit.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "storage/evolving/durable/real_disk.h"

namespace outcore::evolving {
namespace {

namespace fs = std::filesystem;

class GroupCommits : public ::testing::Test {
 protected:
  GroupCommits() : folder_(fs::path(::testing::TempDir()) / "group_commit_test") {
    fs::remove_all(folder_);
    RealDisk::make(folder_);
    disk_ = std::make_unique<RealDisk>(folder_);
    DurableStore::create(*disk_, {.limit = 1 << 20, .log_pages = 1024});
    open();
  }
  void TearDown() override { fs::remove_all(folder_); }
  void open() {
    store_.reset();
    replayed_.clear();
    store_ = std::make_unique<DurableStore>(
        *disk_, DurableStore::Opening{.access = Access::write, .salvage = false},
        [&](std::span<const Update> updates) {
          replayed_.insert(replayed_.end(), updates.begin(), updates.end());
        });
  }

  fs::path folder_;
  std::unique_ptr<RealDisk> disk_;
  std::unique_ptr<DurableStore> store_;
  std::vector<Update> replayed_;
};

std::vector<Update> numbered(std::uint32_t count) {
  std::vector<Update> updates(count);
  for (std::uint32_t i = 0; i < count; ++i) updates[i] = {i, i / 2, i % 3 == 0};
  return updates;
}

TEST_F(GroupCommits, AcknowledgeEverythingInOrder) {
  const std::vector<Update> updates = numbered(300'000);
  {
    GroupCommit commit(*store_, {});
    for (std::size_t at = 0; at < updates.size(); at += 1000) {
      EXPECT_EQ(commit.append(std::span(updates).subspan(at, 1000)), 1000U);
      EXPECT_LE(store_->acknowledged(), at + 1000);
    }
    commit.finish();
    EXPECT_EQ(store_->acknowledged(), updates.size());
    EXPECT_EQ(commit.latency().count(), store_->counters().commits);
  }
  EXPECT_GE(store_->counters().commits, 3U);  // 128,000 fill one
  open();
  EXPECT_EQ(replayed_, updates);
}

TEST_F(GroupCommits, EndWhenTheyHaveAsManyPagesAsTheyMay) {
  GroupCommit commit(*store_, {.pages = 2, .longest = std::chrono::hours(1)});
  commit.append(numbered(10'000));
  commit.finish();
  EXPECT_EQ(store_->counters().commits, 10U);
}

TEST_F(GroupCommits, EndWhenTheirFirstUpdateHasWaitedLongEnough) {
  GroupCommit commit(*store_, {.longest = std::chrono::milliseconds(1)});
  commit.append(numbered(1));
  while (store_->acknowledged() == 0) std::this_thread::yield();  // nobody asks for it
  EXPECT_EQ(store_->counters().commits, 1U);
}

TEST_F(GroupCommits, TakeFewerWhenTheLogIsFull) {
  const std::vector<Update> updates = numbered(600'000);
  GroupCommit commit(*store_, {});
  EXPECT_EQ(commit.append(updates), 1024 * LogPage::kUpdates);
  commit.finish();
  EXPECT_EQ(store_->acknowledged(), 1024 * LogPage::kUpdates);
  EXPECT_EQ(commit.append(updates), 0U);
}

}  // namespace
}  // namespace outcore::evolving
