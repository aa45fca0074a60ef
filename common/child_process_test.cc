// SPDX-License-Identifier: Apache-2.0
#include "common/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "common/error.h"

namespace outcore {
namespace {

using ::testing::HasSubstr;

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> window{};
  for (ssize_t got = 0; (got = ::read(fd, window.data(), window.size())) > 0;) {
    text.append(window.data(), static_cast<std::size_t>(got));
  }
  ::close(fd);
  return text;
}

TEST(ChildProcessTest, GivesWhatItPrintsAndHowItEnded) {
  ChildProcess child({"sh", "-c", "echo out; echo one >&2; echo two >&2; exit 3"});
  EXPECT_EQ(read_all(child.take_output()), "out\n");
  const ChildProcess::Ended ended = child.wait();
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.said, "two");
}

TEST(ChildProcessTest, ReadsItsInputFromTheBeginning) {
  File file = File::create_nameless(testing::TempDir());
  file.write(std::as_bytes(std::span("abc", 3)));
  ChildProcess child({"cat"}, file.fd());
  EXPECT_EQ(read_all(child.take_output()), "abc");
  EXPECT_EQ(child.wait().code, 0);
  ChildProcess without({"cat"});
  EXPECT_EQ(read_all(without.take_output()), "");
}

TEST(ChildProcessTest, ASignalIsToldByItsNumber) {
  ChildProcess child({"sh", "-c", "kill -TERM $$"});
  EXPECT_EQ(child.wait().code, -SIGTERM);
}

TEST(ChildProcessTest, EndsWithItsOwner) {
  const ChildProcess endless({"sleep", "1000"});  // the test would not end
}

TEST(ChildProcessTest, WhatIsNotThereIsNamed) {
  try {
    const ChildProcess child({"no-such-program"});
    ADD_FAILURE() << "it was started";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::io);
    EXPECT_THAT(error.what(), HasSubstr("cannot start no-such-program: No such file"));
  }
}

}  // namespace
}  // namespace outcore
