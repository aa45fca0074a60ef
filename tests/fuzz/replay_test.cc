// SPDX-License-Identifier: Apache-2.0
// A small and always identical amount of fuzzing: the seeds, and thousands of cut, flipped and
// shuffled versions of them, go through every reader, with any compiler.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/hash.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_layout.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;

class LimitedFiles : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ::getrlimit(RLIMIT_FSIZE, &limit_before_);
    limit_file_sizes();
  }
  static void TearDownTestSuite() { ::setrlimit(RLIMIT_FSIZE, &limit_before_); }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_ = fs::path(testing::TempDir()) / "fuzz_replay";

 private:
  inline static rlimit limit_before_{};
};

// The parameter is the number of the pack.
class FuzzLayout : public LimitedFiles, public testing::WithParamInterface<std::size_t> {};

class FuzzReplay : public LimitedFiles, public testing::WithParamInterface<std::string> {
 protected:
  // seeds/<target> or findings/<target>; the latter may be missing.
  [[nodiscard]] static std::vector<std::string> inputs(const char* kind) {
    const fs::path folder = fs::path(OUTCORE_FUZZ_FOLDER) / kind / GetParam();
    std::vector<fs::path> paths;
    if (fs::exists(folder)) {
      for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<std::string> inputs;
    for (const fs::path& path : paths) {
      std::stringstream bytes;
      bytes << std::ifstream(path, std::ios::binary).rdbuf();
      inputs.push_back(bytes.str());
    }
    return inputs;
  }
  [[nodiscard]] static std::vector<std::string> seeds() { return inputs("seeds"); }
  FuzzOutcome import(const std::string& bytes) { return fuzz(GetParam(), bytes, folder_); }
};

TEST_P(FuzzReplay, SeedsAreImported) {
  EXPECT_FALSE(seeds().empty());
  for (const std::string& seed : seeds()) EXPECT_EQ(import(seed), FuzzOutcome::imported) << seed;
}

// Earlier findings.
TEST_P(FuzzReplay, FindingsAreImportedOrRefused) {
  for (const std::string& finding : inputs("findings")) import(finding);
}

TEST_P(FuzzReplay, CutSeedsAreImportedOrRefused) {
  for (const std::string& seed : seeds()) {
    for (std::size_t size = 0; size < seed.size(); size += 1 + seed.size() / 60) {
      import(seed.substr(0, size));
    }
  }
}

TEST_P(FuzzReplay, FlippedSeedsAreImportedOrRefused) {
  for (const std::string& seed : seeds()) {
    for (std::size_t at = 0; at < seed.size(); at += 1 + seed.size() / 60) {
      std::string flipped = seed;
      flipped[at] = static_cast<char>(flipped[at] ^ (1U << mix(at) % 8));
      import(flipped);
    }
  }
}

// Bytes that are often special; pieces doubled and moved.
TEST_P(FuzzReplay, ShuffledSeedsAreImportedOrRefused) {
  constexpr std::string_view special("\0\xff\x7f\x80 \n-.0123456789%#aenp", 24);
  std::uint64_t random = 1;
  const auto below = [&](std::size_t bound) { return (random = mix(random)) % bound; };
  for (const std::string& seed : seeds()) {
    for (int round = 0; round < 120; ++round) {
      std::string shuffled = seed;
      for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
        const std::size_t at = below(shuffled.size());
        const std::size_t length = 1 + below(shuffled.size() - at);
        switch (below(4)) {
          case 0:
            shuffled[at] = special[below(special.size())];
            break;
          case 1:
            shuffled.insert(below(shuffled.size()), shuffled.substr(at, length));
            break;
          case 2:
            shuffled.replace(at, std::min<std::size_t>(length, 8), 8, special[below(4)]);
            break;
          default:
            shuffled.erase(at, std::min<std::size_t>(length, 8));
            break;
        }
        if (shuffled.empty()) shuffled = seed;
      }
      import(shuffled);
    }
  }
}

// With every codec: unchanged, and with one to four changes in any of its files.
TEST_P(FuzzLayout, ChangedLayoutsAreReadOrRefused) {
  constexpr int kOptions = 6;
  std::uint64_t random = GetParam();
  std::size_t refused = 0;
  for (std::size_t codec = 0; codec < fuzzed_codecs(); ++codec) {
    for (int round = 0; round < 10 * kOptions; ++round) {
      std::string bytes = {static_cast<char>(GetParam()), static_cast<char>(codec),
                           static_cast<char>(round % kOptions)};
      if (round < kOptions) {
        EXPECT_EQ(fuzz_layout(bytes, folder_), FuzzOutcome::imported) << codec << " " << round;
        continue;
      }
      for (std::size_t n = 8 * (1 + mix(random) % 4); n > 0; --n) {
        random = mix(random);
        // Small numbers are meaningful more often than others.
        bytes += static_cast<char>(n % 8 >= 6 || n % 8 == 0 || random % 3 == 0 ? random : 0);
      }
      refused += fuzz_layout(bytes, folder_) == FuzzOutcome::refused ? 1 : 0;
    }
  }
  EXPECT_GT(refused, 0U);
}
INSTANTIATE_TEST_SUITE_P(Sweep, FuzzLayout, testing::Range(std::size_t{0}, fuzzed_packs()));

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Sweep, FuzzReplay, testing::ValuesIn(fuzz_targets()), name_of);

}  // namespace
}  // namespace outcore
