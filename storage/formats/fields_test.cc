// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/formats/vertex_labels.h"

namespace outcore {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> raw_fields(const std::string& line, char separator = ',') {
  std::vector<std::string> fields;
  for (FieldCursor cursor(line.c_str(), separator); cursor.more();) {
    fields.emplace_back(cursor.next());
  }
  return fields;
}

TEST(FieldsTest, ALineFallsIntoFields) {
  EXPECT_THAT(raw_fields("a,b,c\n"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(raw_fields("a,,\r\n"), ElementsAre("a", "", ""));
  EXPECT_THAT(raw_fields("\n"), ElementsAre(""));
  EXPECT_THAT(raw_fields("a\tb,c\n", '\t'), ElementsAre("a", "b,c"));
  EXPECT_THAT(raw_fields("\"a,b\",c\n"), ElementsAre("\"a,b\"", "c"));
  EXPECT_THAT(raw_fields("\"a\"\"b\",\"\"\n"), ElementsAre("\"a\"\"b\"", "\"\""));
  EXPECT_THAT(raw_fields("\"a,b\n"), ElementsAre("\"a,b"));
}

TEST(FieldsTest, QuotesComeAndGo) {
  for (const char* text : {"plain", "a,b", "say \"so\"", "\"", "", "tab\t"}) {
    const std::string field = quoted(text, ',');
    EXPECT_TRUE(is_whole(field)) << field;
    EXPECT_EQ(unquoted(field), text);
  }
  EXPECT_EQ(quoted("a,b", '\t'), "a,b");
  EXPECT_EQ(quoted("a,b", ','), "\"a,b\"");
  EXPECT_EQ(without_quotes("\"a,b\""), "a,b");
  EXPECT_EQ(without_quotes("\"a\"\"b\""), "\"a\"\"b\"");
}

TEST(FieldsTest, QuotesThatDoNotEndAreSeen) {
  for (const char* field : {"\"", "\"a", "\"a\"b", "\"a\"b\"", "\"a\"b\"c\"", "\"\"\""}) {
    EXPECT_FALSE(is_whole(field)) << field;
  }
  for (const char* field : {"", "a", "a\"b", "\"\"", "\"a\"\"b\"", "\"\"\"\""}) {
    EXPECT_TRUE(is_whole(field)) << field;
  }
}

TEST(FieldsTest, ColumnsAreChosenByNameByNumberOrByWhatTheyAreCalled) {
  const Place place = Place::line("a.csv", 1);
  const auto chosen = [&](const std::vector<std::string>& names, const std::string& wishes) {
    const EdgeColumns columns = choose_columns(names, {.columns = wishes}, place);
    return std::vector<std::size_t>{columns.source, columns.target, columns.weight.value_or(99)};
  };
  EXPECT_THAT(chosen({"x", "y", "z"}, ""), ElementsAre(0, 1, 99));
  EXPECT_THAT(chosen({"x", "y", "z"}, "z,x"), ElementsAre(2, 0, 99));
  EXPECT_THAT(chosen({"x", "y", "z"}, "3,1,2"), ElementsAre(2, 0, 1));
  EXPECT_THAT(chosen({"Weight", "dst", "SRC"}, ""), ElementsAre(2, 1, 0));
  EXPECT_THAT(chosen({"a", "b", "weight"}, ""), ElementsAre(0, 1, 2));
  EXPECT_THAT(chosen({"2", "1"}, "1,2"), ElementsAre(1, 0, 99));
  EXPECT_THROW(chosen({"x", "y"}, "x,w"), Error);
  EXPECT_THROW(chosen({"x", "y"}, "x,3"), Error);
  EXPECT_THROW(chosen({"x"}, ""), Error);
}

}  // namespace
}  // namespace outcore
