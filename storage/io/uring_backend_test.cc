// SPDX-License-Identifier: Apache-2.0
// What is specific to `uring`: working without what the system refuses.
#include "storage/io/uring_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <thread>

#include "storage/io/patterned_file.h"

namespace outcore {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Makes a system call fail for the calling thread and the threads that it starts; false if the
// system does not allow that. With `operation`, only calls with this second argument fail.
bool refuse(unsigned call, int error, int operation = -1) {
  const auto loads = [](std::size_t offset) {
    return sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset));
  };
  const auto skip_unless = [](unsigned value, unsigned char instructions) {
    return sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, instructions);
  };
  const auto answer = [](unsigned value) { return sock_filter BPF_STMT(BPF_RET | BPF_K, value); };
  const unsigned failure = SECCOMP_RET_ERRNO | static_cast<unsigned>(error);
  std::vector<sock_filter> filter = {loads(offsetof(seccomp_data, nr))};
  if (operation < 0) {
    filter.insert(filter.end(), {skip_unless(call, 1), answer(failure)});
  } else {
    filter.insert(filter.end(),
                  {skip_unless(call, 3), loads(offsetof(seccomp_data, args[1])),
                   skip_unless(static_cast<unsigned>(operation), 1), answer(failure)});
  }
  filter.push_back(answer(SECCOMP_RET_ALLOW));
  const sock_fprog program = {static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

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
      return refuse(__NR_io_uring_register, ENOMEM, refused) &&
             refuse(__NR_io_uring_register, EMFILE, IORING_REGISTER_FILES);
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
