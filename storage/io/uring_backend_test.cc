// SPDX-License-Identifier: Apache-2.0
// What is specific to `uring`: working without what the system refuses.
#include "storage/io/uring_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/io_uring.h>
#include <sys/syscall.h>

#include <cerrno>
#include <thread>

#include "common/refused_calls_for_tests.h"
#include "storage/io/patterned_file.h"

namespace outcore {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Reads one page with a backend that is made on a new thread, under `refusal`.
struct Outcome {
  bool refused = false;
  std::string name;
  std::vector<std::string> notes;
  bool right = false;
};
Outcome read_under(const std::function<bool()>& refusal) {
  Outcome outcome;
  const PatternedFile file(8 * kAlignment);
  std::jthread([&] {
    outcome.refused = refusal();
    const auto backend = make_backend("uring", {.depth = 4});
    backend->add_file(file.path());
    AlignedBuffer buffer(kAlignment);
    const auto channel = backend->open_channel(buffer.all());
    std::array<Completion, 1> done;
    channel->submit({0, kAlignment, 3 * kAlignment, buffer.at(0), 1});
    channel->reap(done, 1);
    outcome.name = backend->name();
    outcome.notes = backend->notes();
    outcome.right = PatternedFile::right(buffer.all(), 3 * kAlignment);
  }).join();
  return outcome;
}

TEST(Uring, FallsBackToThreadsWhereItIsRefused) {
  for (const int error : {ENOSYS, EPERM}) {
    const Outcome outcome = read_under([&] { return refuse(__NR_io_uring_setup, error); });
    if (!outcome.refused) GTEST_SKIP() << "no seccomp here";
    EXPECT_EQ(outcome.name, "threads");
    EXPECT_THAT(outcome.notes, ElementsAre(HasSubstr("io_uring refused")));
    EXPECT_TRUE(outcome.right);
  }
}

// Refuses the table of buffers, or a single buffer.
TEST(Uring, ReadsWithoutRegistrationWhereItIsRefused) {
  for (const auto refused : {IORING_REGISTER_BUFFERS2, IORING_REGISTER_BUFFERS_UPDATE}) {
    const Outcome outcome = read_under([&] {
      return refuse(__NR_io_uring_register, ENOMEM, Argument{1, refused}) &&
             refuse(__NR_io_uring_register, EMFILE, Argument{1, IORING_REGISTER_FILES});
    });
    if (!outcome.refused) GTEST_SKIP() << "no seccomp here";
    if (outcome.name != "uring") GTEST_SKIP() << outcome.notes.front();
    EXPECT_THAT(outcome.notes, ElementsAre(HasSubstr("files not registered"),
                                           HasSubstr("buffers not registered")));
    EXPECT_TRUE(outcome.right);
  }
}

TEST(Uring, HasNothingToNoteWhereNothingIsRefused) {
  const Outcome outcome = read_under([] { return true; });
  if (outcome.name != "uring") GTEST_SKIP() << outcome.notes.front();
  EXPECT_THAT(outcome.notes, IsEmpty());
}

}  // namespace
}  // namespace outcore
