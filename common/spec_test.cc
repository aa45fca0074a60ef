// SPDX-License-Identifier: Apache-2.0
#include "common/spec.h"

#include <gtest/gtest.h>

#include "common/error.h"

namespace outcore {
namespace {

const std::vector<Parameter> kParameters = {{"mode", "which way", "async", {"async", "sync"}},
                                            {"stop", "after so many", "0", {}, {{0, 9}}}};

std::string complaint(const std::string& spec) {
  try {
    spec_settings("toy", kParameters, spec);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "";
}

TEST(Spec, IsANameWithSettings) {
  EXPECT_EQ(spec_name("toy"), "toy");
  EXPECT_EQ(spec_name("toy:mode=sync"), "toy");
  EXPECT_TRUE(spec_settings("toy", kParameters, "toy").empty());
  const Settings both = {{"mode", "sync"}, {"stop", "3"}};
  EXPECT_EQ(spec_settings("toy", kParameters, "toy:mode=sync,stop=3"), both);
  EXPECT_EQ(spec_settings("toy", kParameters, "toy:stop=3+mode=sync"), both);
}

TEST(Spec, WhatIsNotSaidHasItsFallback) {
  const Settings settings = complete_settings(kParameters, {{"stop", "3"}});
  EXPECT_EQ(settings.at("mode"), "async");
  EXPECT_EQ(whole_setting(settings, "stop"), 3U);
}

TEST(Spec, NamesWhatIsWrong) {
  EXPECT_NE(complaint("toy:modus=sync").find("mode"), std::string::npos);
  EXPECT_NE(complaint("toy:mode=sink").find("sync"), std::string::npos);
  EXPECT_NE(complaint("toy:stop").find("stop=0"), std::string::npos);
  for (const char* stop : {"-1", "10", "", "1.5"}) {
    EXPECT_NE(complaint(std::string("toy:stop=") + stop).find("from 0 to 9"), std::string::npos);
  }
  EXPECT_NE(complaint("toy:").find("parameter of toy"), std::string::npos);
  EXPECT_THROW(spec_settings("bare", {}, "bare:stop=1"), Error);
}

}  // namespace
}  // namespace outcore
