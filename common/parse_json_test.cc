// SPDX-License-Identifier: Apache-2.0
#include "common/parse_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>

#include "common/error.h"

namespace outcore {
namespace {

using ::testing::HasSubstr;

// An object of `depth` levels.
std::string nested(int depth) {
  std::string text;
  for (int level = 0; level < depth; ++level) text += "{\"a\":";
  text += '1';
  return text.append(depth, '}');
}

std::string refusal(std::string_view text) {
  try {
    parse_json(text, "file.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ParseJson, TakesSixtyFourLevelsAndNoMore) {
  EXPECT_EQ(refusal(nested(64)), "");
  EXPECT_THAT(refusal(nested(65)), HasSubstr("file.json"));
  EXPECT_THAT(refusal(nested(65)), HasSubstr("deeper than 64 levels"));
}

TEST(ParseJson, CountsLevelsAndNotBrackets) {
  std::string neighbours = R"({"a": [)";
  for (int i = 0; i < 1000; ++i) neighbours += "[{}], ";
  EXPECT_EQ(refusal(neighbours + "[]]}"), "");
  // A bracket in a string opens nothing, and a quote behind a backslash does not end it.
  const std::string brackets = R"(\")" + std::string(1000, '[') + R"(\\)";
  EXPECT_EQ(refusal(R"({"a": ")" + brackets + R"("})"), "");
}

TEST(ParseJson, SaysWhereItIsBroken) {
  EXPECT_THAT(refusal(R"({"a": "[)"), HasSubstr("broken JSON"));
  EXPECT_THAT(refusal(R"({"a": "\)"), HasSubstr("broken JSON"));
  EXPECT_THAT(refusal("}"), HasSubstr("broken JSON"));
  EXPECT_THAT(refusal("[]"), HasSubstr("JSON, but array"));
}

TEST(ParseJson, ReadsAStreamAsItReadsText) {
  std::istringstream stream(R"({"a": [1, {"b": 2}]})");
  EXPECT_EQ(parse_json(stream, "file.json").at("a").at(1).at("b"), 2);
}

}  // namespace
}  // namespace outcore
