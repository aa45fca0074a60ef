// SPDX-License-Identifier: Apache-2.0
// Damage to a store that ended cleanly: a byte that flipped, a file that was cut, a file that is
// gone. It is reported, with the file, or it does no harm; there is never another answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <ostream>

#include "storage/evolving/durable/durable_store.h"
#include "tests/crash/sim_disk.h"
#include "tests/sanitized.h"

namespace outcore::evolving {
namespace {

constexpr VertexId kIds = 10;

// One list of changes, given.
class GivenChanges final : public ChangeSource {
 public:
  explicit GivenChanges(std::map<VertexId, std::vector<PairChange>> lists)
      : lists_(std::move(lists)) {}
  bool next(VertexId& vertex, std::vector<PairChange>& changes) override {
    if (lists_.empty()) return false;
    vertex = lists_.begin()->first;
    changes = std::move(lists_.begin()->second);
    lists_.erase(lists_.begin());
    return true;
  }

 private:
  std::map<VertexId, std::vector<PairChange>> lists_;
};

void put(DurableStore& store, std::vector<Update> updates) {
  ASSERT_EQ(store.append(updates), updates.size());
  store.commit();
}

struct Form {
  unsigned id_bytes;
  const char* codec;
};
std::ostream& operator<<(std::ostream& out, const Form& form) {
  return out << form.id_bytes << " bytes, " << form.codec;
}

// Two runs, the second with a removal and a list that a codec shortens, and four pages of the log
// that no run has.
std::unique_ptr<SimDisk> small_store(const Form& form) {
  auto disk = std::make_unique<SimDisk>(1);
  DurableStore::create(
      *disk, {.limit = kIds, .log_pages = 6, .id_bytes = form.id_bytes, .codec = form.codec});
  DurableStore store(*disk, {.access = Access::write, .salvage = false}, [](auto) {});
  put(store, {{1, 2, false}, {1, 2, false}, {3, 2, false}});
  GivenChanges out({{1, {{2, 0, 2}}}, {3, {{2, 0, 1}}}});
  GivenChanges in({{2, {{1, 0, 2}, {3, 0, 1}}}});
  store.flush(3, kIds, out, in);
  put(store, {{1, 2, true}, {4, 4, false}, {4, 4, false}, {4, 4, false}, {4, 4, false}});
  GivenChanges removed_out({{1, {{2, 1, 0}}}, {4, {{4, 0, 4}}}});
  GivenChanges removed_in({{2, {{1, 1, 0}}}, {4, {{4, 0, 4}}}});
  store.flush(8, kIds, removed_out, removed_in);
  for (VertexId v = 0; v < 4; ++v) put(store, {{v, 9, false}, {v, 8, true}});
  store.close();
  return disk;
}

// Everything that a reader of the store sees.
std::vector<std::uint64_t> seen_in(SimDisk& disk, bool salvage = false,
                                   std::string* lost = nullptr) {
  std::vector<std::uint64_t> seen;
  DurableStore store(disk, {.access = Access::read, .salvage = salvage},
                     [&](std::span<const Update> updates) {
                       for (const Update& update : updates) {
                         seen.insert(seen.end(), {update.source, update.target, update.removes});
                       }
                     });
  seen.push_back(store.acknowledged());
  for (const Direction direction : {Direction::out, Direction::in}) {
    const auto changes = store.read(direction);
    VertexId vertex = 0;
    std::vector<PairChange> list;
    while (changes->next(vertex, list)) {
      for (const PairChange& change : list) {
        seen.insert(seen.end(), {vertex, change.neighbour, change.removes, change.adds});
      }
    }
  }
  if (lost != nullptr) *lost = store.lost();
  return seen;
}

// Is the damage reported, with the name of the file? Otherwise the answer is the right one.
bool is_reported(SimDisk& disk, const std::vector<std::uint64_t>& right) {
  try {
    EXPECT_EQ(seen_in(disk), right);
    return false;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("sim"), std::string::npos) << error.what();
    return true;
  }
}

class Damage : public ::testing::TestWithParam<Form> {};
INSTANTIATE_TEST_SUITE_P(Forms, Damage,
                         ::testing::Values(Form{4, "raw"}, Form{3, "raw"}, Form{3, "svb"},
                                           Form{4, "varint"}));

TEST_P(Damage, OfBytesInEveryFieldIsReportedOrHarmless) {
  const auto disk = small_store(GetParam());
  const std::vector<std::uint64_t> right = seen_in(*disk);
  std::uint64_t flips = 0;
  std::uint64_t reported = 0;
  for (const std::string& name : disk->list()) {
    std::vector<std::byte>& bytes = *disk->bytes_of(name);
    for (std::size_t at = 0; at < bytes.size(); at += kSanitized ? 61 : 5) {
      bytes[at] ^= static_cast<std::byte>(1 << at % 8);
      ++flips;
      reported += is_reported(*disk, right) ? 1 : 0;
      ASSERT_FALSE(::testing::Test::HasFailure()) << name << " at " << at;
      bytes[at] ^= static_cast<std::byte>(1 << at % 8);
    }
  }
  // Harmless are pages of the log that runs have made free, and out.sums that no block is read by.
  EXPECT_GT(reported, flips / 2);
  EXPECT_EQ(seen_in(*disk), right);
}

TEST_P(Damage, OfACutFileIsReported) {
  const auto disk = small_store(GetParam());
  const std::vector<std::uint64_t> right = seen_in(*disk);
  for (const std::string& name : disk->list()) {
    const std::vector<std::byte> whole = *disk->bytes_of(name);
    for (std::size_t size = 0; size < whole.size(); size += 512) {
      *disk->bytes_of(name) = {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)};
      EXPECT_TRUE(is_reported(*disk, right)) << name << " cut to " << size;
    }
    *disk->bytes_of(name) = whole;
  }
}

TEST_P(Damage, OfAFileThatIsGoneIsReported) {
  const auto disk = small_store(GetParam());
  const std::vector<std::uint64_t> right = seen_in(*disk);
  for (const std::string& name : disk->list()) {
    const auto broken = disk->copy(1);
    if (name.starts_with("run-") && name.find('/') == std::string::npos) continue;  // a folder
    broken->forget(name);
    EXPECT_TRUE(is_reported(*broken, right)) << name;
  }
}

TEST_P(Damage, OfALogIsSalvagedUpToTheLastGoodPage) {
  const auto disk = small_store(GetParam());
  // Pages 0 and 1 are in runs, page 2 has the updates 9 and 10, and page 3 has 11 and 12.
  (*disk->bytes_of("log"))[3 * sizeof(LogPage) + 100] ^= std::byte{1};
  EXPECT_THROW(seen_in(*disk), Error);
  std::string lost;
  seen_in(*disk, true, &lost);
  EXPECT_EQ(lost, "updates from 11 on");
  {
    DurableStore store(*disk, {.access = Access::write, .salvage = true}, [](auto) {});
    EXPECT_EQ(store.acknowledged(), 10U);
    put(store, {{5, 5, false}});
  }
  // What lay behind the damage is given up, and is not taken for damage again.
  std::string still_lost;
  const std::vector<std::uint64_t> seen = seen_in(*disk, false, &still_lost);
  EXPECT_EQ(still_lost, "");
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 11U), 1);  // the last number
}

TEST_P(Damage, OfTheManifestOrAnotherVersionIsNamed) {
  const auto disk = small_store(GetParam());
  std::vector<std::byte>& bytes = *disk->bytes_of(StoreManifest::kName);
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  text.replace(text.find("\"version\": 3"), 12, "\"version\": 9");
  std::memcpy(bytes.data(), text.data(), text.size());
  try {
    seen_in(*disk);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_NE(std::string(error.what()).find("another version of outcore"), std::string::npos);
  }
}

}  // namespace
}  // namespace outcore::evolving
