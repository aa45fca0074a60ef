// SPDX-License-Identifier: Apache-2.0
#include "engines/published_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "common/error.h"
#include "engines/engine.h"

namespace outcore {
namespace {

std::string with_form(const EngineEntry& engine, const std::string& more = {}) {
  return engine.name + ":form=published" + (more.empty() ? "" : "," + more);
}

TEST(PublishedForm, IsThatOfEveryEngineWhosePaperHasAProgramWithOtherKnobs) {
  std::set<std::string> names;
  for (const EngineEntry& engine : engines()) {
    if (engine.published) names.insert(engine.name);
  }
  EXPECT_EQ(names, (std::set<std::string>{"async_block", "binning", "chunk_mmap", "concurrent",
                                          "grid", "psw", "sync_subgraph"}));
}

TEST(PublishedForm, SetsEachOfItsKnobsToAnotherValueThanTheUsual) {
  for (const EngineEntry& engine : engines()) {
    if (!engine.published) continue;
    const Parameters usual = engine.settings({});
    const Parameters published = engine_settings(with_form(engine));
    for (const std::string& assignment : engine.published->settings) {
      const std::string name = assignment.substr(0, assignment.find('='));
      EXPECT_EQ(name + "=" + published.text(name), assignment) << engine.name;
      EXPECT_NE(usual.text(name), published.text(name)) << engine.name << " " << name;
      // Is the value one that a user may write?
      EXPECT_EQ(engine.settings({assignment}).text(name), published.text(name)) << engine.name;
    }
    const EngineEntry with = engine.with(published);
    EXPECT_EQ(with.max_request, engine.published->max_request.value_or(engine.max_request));
    if (engine.published->max_request) {
      EXPECT_NE(with.max_request, engine.max_request) << engine.name;
    }
    if (!engine.published->backend.empty()) {
      EXPECT_EQ(with.usual_backend(published), engine.published->backend);
      EXPECT_NE(engine.usual_backend(usual), engine.published->backend) << engine.name;
    }
  }
}

TEST(PublishedForm, LosesToAKnobThatIsGivenBeforeItOrAfter) {
  for (const std::string spec :
       {"binning:form=published,roles=any", "binning:roles=any,form=published"}) {
    const Parameters settings = engine_settings(spec);
    EXPECT_EQ(settings.text("roles"), "any");
    EXPECT_EQ(settings.text("combine"), "off");
    // What the record tells: the form, and what differs from it.
    using Assigned = std::pair<std::string, std::string>;
    EXPECT_THAT(settings.changed(), ::testing::UnorderedElementsAre(Assigned{"form", "published"},
                                                                    Assigned{"roles", "any"}));
  }
}

TEST(PublishedForm, IsUnknownToAnEngineWithoutOne) {
  EXPECT_THROW(engine_settings("in_memory:form=published"), Error);
}

TEST(PublishedForm, NamesItsKnobsInItsHelp) {
  for (const EngineEntry& engine : engines()) {
    if (!engine.published) continue;
    for (const auto& [name, value] : engine.published->knobs()) {
      EXPECT_NE(form_parameter(*engine.published).help.find(value), std::string::npos)
          << engine.name << " " << name;
    }
  }
}

}  // namespace
}  // namespace outcore
