// SPDX-License-Identifier: Apache-2.0
#include "engines/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "common/error.h"

namespace outcore {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

class StateInFiles : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "state";
};

std::string refusal_of_state(const std::string& text) {
  try {
    state_files(text);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::usage);
    return e.what();
  }
  return "none";
}

// Number of files of this folder's file system that this process has mapped.
std::size_t mapped_files_below(const std::filesystem::path& folder) {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find(std::filesystem::canonical(folder).string()) != std::string::npos) ++count;
  }
  return count;
}

TEST(State, IsZerosThatCopiesShare) {
  StateStore store;
  State<std::uint32_t> values = store.zeros<std::uint32_t>("values", 1000);
  ASSERT_EQ(values.size(), 1000U);
  EXPECT_TRUE(std::all_of(values.begin(), values.end(), [](auto v) { return v == 0; }));
  State<std::uint32_t> copy = values;
  copy[7] = 8;
  EXPECT_EQ(values[7], 8U);
  EXPECT_TRUE(State<int>().empty());
}

TEST(State, IsAccountedForByNameUntilItsLastCopyGoes) {
  StateStore store;
  auto rank = store.zeros<float>("rank", 10);
  {
    auto copy = rank;
    copy[3] = 1;
    const auto level = store.zeros<std::uint8_t>("level", 10);
    const auto wider = store.zeros<std::uint16_t>("level", 10);
  }
  EXPECT_THAT(store.in_memory(), ElementsAre(Pair("level", 30), Pair("rank", 40)));
  rank = {};
  rank = store.zeros<float>("rank", 5);
  const auto level = store.zeros<std::uint8_t>("level", 25);
  EXPECT_THAT(store.in_memory(), ElementsAre(Pair("level", 30), Pair("rank", 40)))
      << "the most at one time";
  EXPECT_THAT(store.in_files(), IsEmpty());
}

TEST(State, OutlivesItsStore) {
  State<int> values;
  {
    StateStore store;
    values = store.zeros<int>("values", 3);
  }
  values[2] = 5;
  EXPECT_EQ(values[2], 5);
}

TEST(State, OfNothingHasANameToo) {
  StateStore store;
  EXPECT_TRUE(store.zeros<int>("values", 0).empty());
  EXPECT_THAT(store.in_memory(), ElementsAre(Pair("values", 0)));
}

TEST(State, TellsWhenOneNameHasMoreThanEver) {
  int told = 0;
  StateStore store({}, [&] { ++told; });
  for (int root = 0; root < 3; ++root) store.zeros<double>("paths", 100);
  EXPECT_EQ(told, 1) << "each went before the next came";
  const auto rank = store.zeros<float>("rank", 1);
  const auto more = store.zeros<float>("rank", 1);
  EXPECT_EQ(told, 3);
}

TEST(State, IsNotThereWhereTellingOfItFails) {
  StateStore store({}, [] { throw std::runtime_error("no place for the record"); });
  EXPECT_THROW(store.zeros<int>("values", 10), std::runtime_error);
}

TEST(State, MayBeMadeByManyThreads) {
  StateStore store;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) store.zeros<int>("values", 10)[9] = i;
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(store.in_memory().size(), 1U);
  EXPECT_GE(store.in_memory()[0].second, 40U);
  EXPECT_LE(store.in_memory()[0].second, 160U);
}

TEST_F(StateInFiles, GoesToAFileWhereMemoryWouldHoldMoreThanItMay) {
  StateStore store(StateFiles{.folder = folder_, .most_in_memory = 100}, {});
  const auto first = store.zeros<std::uint8_t>("first", 60);
  auto second = store.zeros<std::uint8_t>("second", 60);
  const auto third = store.zeros<std::uint8_t>("third", 40);
  EXPECT_THAT(store.in_memory(), ElementsAre(Pair("first", 60), Pair("third", 40)));
  EXPECT_THAT(store.in_files(), ElementsAre(Pair("second", 60)));
  EXPECT_TRUE(std::all_of(second.begin(), second.end(), [](auto v) { return v == 0; }));
  second[59] = 7;
  EXPECT_EQ(second[59], 7);
  EXPECT_EQ(mapped_files_below(folder_), 1U);
  EXPECT_TRUE(std::filesystem::is_empty(folder_)) << "it has no name";
  second = {};
  EXPECT_EQ(mapped_files_below(folder_), 0U);
}

TEST_F(StateInFiles, IsRefusedWhereThereIsNoRoom) {
  StateStore store(StateFiles{.folder = folder_}, {});
  try {
    store.zeros<std::byte>("rank", std::size_t{1} << 60);
    ADD_FAILURE() << "a file of 2^60 bytes";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::io);
    EXPECT_THAT(e.what(), HasSubstr("(state 'rank')"));
  }
}

TEST_F(StateInFiles, IsAskedForByAFolder) {
  EXPECT_FALSE(state_files("memory"));
  EXPECT_EQ(state_files("file:" + folder_.string())->folder, folder_);
  for (const char* text : {"", "disk", "file", "file:", "memory:1G"}) {
    EXPECT_EQ(refusal_of_state(text),
              std::string("--state ") + text + ": expected memory, or file:FOLDER");
  }
  const std::string missing = (folder_ / "missing").string();
  EXPECT_EQ(refusal_of_state("file:" + missing),
            "--state file:" + missing + ": " + missing + " is not a folder; name one on a disk");
}

}  // namespace
}  // namespace outcore
