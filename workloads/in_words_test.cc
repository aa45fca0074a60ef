// SPDX-License-Identifier: Apache-2.0
#include "workloads/in_words.h"

#include <gtest/gtest.h>

#include "workloads/workload.h"

namespace outcore {
namespace {

TEST(InWordsTest, FillsPlacesWithValuesAndCounts) {
  const std::string sentence = "reached {#reached} of {#vertices} in {#depth level} from {source}";
  const nlohmann::json summary = {{"reached", 82168}, {"depth", 8}, {"source", 2494}};
  EXPECT_EQ(in_words(sentence, summary, 82170), "reached 82,168 of 82,170 in 8 levels from 2494");
  EXPECT_EQ(in_words("in {#depth level}", {{"depth", 1}}, 5), "in 1 level");
  EXPECT_EQ(in_words("from {source}", {{"source", "http://x"}}, 5), "from http://x");
  EXPECT_EQ(in_words("moved {change}", {{"change", 0.00131415}}, 5), "moved 0.001314");
}

TEST(InWordsTest, ListsAreCutShort) {
  EXPECT_EQ(in_words("{roots}", {{"roots", {1, 22, 3}}}, 5), "1, 22, 3");
  EXPECT_EQ(in_words("{roots}", {{"roots", {1, 2, 3, 4, 5, 6, 7, 8, 9}}}, 5),
            "1, 2, 3, 4, ... 9 in all");
}

TEST(InWordsTest, PartsInBracketsNeedTheirPlaces) {
  const std::string sentence = "{#rounds round}[, within {bound}][, found {found}]";
  EXPECT_EQ(in_words(sentence, {{"rounds", 3}}, 5), "3 rounds");
  EXPECT_EQ(in_words(sentence, {{"rounds", 3}, {"bound", 0.5}}, 5), "3 rounds, within 0.5");
  EXPECT_EQ(in_words(sentence, {{"rounds", 3}, {"found", true}}, 5), "3 rounds, found true");
}

TEST(InWordsTest, WithoutASentenceTheSummaryStands) {
  EXPECT_EQ(in_words("", {{"size", 3}}, 5), R"({"size":3})");
  EXPECT_EQ(in_words("{other}", {{"size", 3}}, 5), R"({"size":3})");
}

TEST(InWordsTest, EveryWorkloadHasASentence) {
  for (const Workload& workload : workloads()) EXPECT_NE(workload.sentence, "") << workload.name;
}

}  // namespace
}  // namespace outcore
