// SPDX-License-Identifier: Apache-2.0
#include "common/toml.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "common/error.h"
#include "common/files.h"

namespace outcore {
namespace {

using ::testing::HasSubstr;

class Toml : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / fmt::format("toml-test-{}", ::getpid());
};

TEST_F(Toml, WhatIsWrittenIsReadBack) {
  const nlohmann::json document = {
      {"name", "a \"name\"\n"},
      {"model", {{"k_r", 6}, {"request_us", 10.5}, {"whole", 2.0}, {"seeks", false}}},
      {"rates", {{{"bytes", 4096}, {"mb_per_s", 1.25}}, {{"bytes", 8192}, {"mb_per_s", 2.5}}}},
      {"numbers", {1, 2, 3}},
      {"nothing", nlohmann::json::array()}};
  write_text_atomically(path_, to_toml(document));
  EXPECT_EQ(read_toml(path_), document);
}

TEST_F(Toml, ErrorsNameFileAndLine) {
  write_text_atomically(path_, "name = \"x\"\n\n[model\nk_r = 6\n");
  try {
    read_toml(path_);
    FAIL() << "that is no TOML";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr(path_.string() + ":3"));
  }
}

TEST_F(Toml, NullIsRefused) { EXPECT_THROW(to_toml({{"x", nullptr}}), std::logic_error); }

}  // namespace
}  // namespace outcore
