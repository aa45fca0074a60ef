// SPDX-License-Identifier: Apache-2.0
// What every backend promises, tested for all of them.
#include "storage/io/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>

#include "common/error.h"
#include "storage/io/patterned_file.h"
#include "storage/io/skeleton_backend.h"

namespace outcore {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr std::uint64_t kFileBytes = 4 << 20;
constexpr std::uint32_t kMostBytes = 8 * kAlignment;

struct Kind {
  std::string label;
  std::string backend;
  std::string plan;
  bool immediate = false;       // submit() answers completed
  bool keeps_contents = false;  // later changes of the file are not seen
  bool direct = true;           // opens files past the page cache where it can
};

std::unique_ptr<Backend> make_kind(const Kind& kind, unsigned depth) {
  const BackendOptions options = {.depth = depth, .fault_plan = kind.plan};
  if (kind.backend == "skeleton") return std::make_unique<SkeletonBackend>(options);
  return make_backend(kind.backend, options);
}

class Backends : public testing::TestWithParam<Kind> {
 protected:
  static std::unique_ptr<Backend> make(unsigned depth, const std::filesystem::path& path) {
    auto backend = make_kind(GetParam(), depth);
    EXPECT_EQ(backend->add_file(path), 0U);
    return backend;
  }
  // Submits one request and waits for it.
  static void read_one(Channel& channel, const Request& request) {
    std::array<Completion, 1> done;
    if (channel.submit(request) == Submit::completed) return;
    EXPECT_EQ(channel.reap(done, 1), 1U);
    EXPECT_EQ(done[0].tag, request.tag);
  }
  static std::string failure_of_one(Channel& channel, const Request& request) {
    try {
      read_one(channel, request);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::io);
      return error.what();
    }
    return {};
  }
};

// Keeps a channel full of random requests and checks what arrives.
class RandomReader {
 public:
  RandomReader(Backend& backend, unsigned depth, unsigned seed, bool registered = true)
      : random_(seed),
        buffer_(std::size_t{depth} * kMostBytes),
        channel_(backend.open_channel(registered ? buffer_.all() : std::span<std::byte>())),
        in_slot_(depth) {
    for (std::uint32_t slot = 0; slot < depth; ++slot) free_.push_back(slot);
  }

  void read(std::size_t count) {
    std::vector<Completion> done(in_slot_.size());
    while (checked_ < count) {
      while (started_ < count && !free_.empty()) submit_one();
      const std::size_t at_least = random_() % 3;
      const std::size_t reaped = channel_->reap(done, at_least);
      for (std::size_t i = 0; i < reaped; ++i) check(static_cast<std::uint32_t>(done[i].tag));
    }
    EXPECT_EQ(channel_->in_flight(), 0U);
  }

 private:
  void submit_one() {
    const std::uint32_t slot = free_.back();
    const auto bytes = static_cast<std::uint32_t>((1 + random_() % 8) * kAlignment);
    const std::uint64_t offset = random_() % ((kFileBytes - bytes) / kAlignment + 1) * kAlignment;
    in_slot_[slot] = {0, bytes, offset, buffer_.at(std::size_t{slot} * kMostBytes), slot};
    const Submit answer = channel_->submit(in_slot_[slot]);
    ASSERT_NE(answer, Submit::busy) << "there are as many slots as the channel is deep";
    free_.pop_back();
    ++started_;
    if (answer == Submit::completed) check(slot);
  }

  void check(std::uint32_t slot) {
    const Request& request = in_slot_[slot];
    EXPECT_TRUE(PatternedFile::right({request.memory, request.bytes}, request.offset))
        << request.bytes << " bytes at " << request.offset;
    free_.push_back(slot);
    ++checked_;
  }

  std::mt19937 random_;
  AlignedBuffer buffer_;
  std::unique_ptr<Channel> channel_;
  std::vector<Request> in_slot_;
  std::vector<std::uint32_t> free_;
  std::size_t started_ = 0;
  std::size_t checked_ = 0;
};

TEST_P(Backends, RandomRequestsGetTheRightBytesAtEveryDepth) {
  const PatternedFile file(kFileBytes);
  for (const unsigned depth : {1U, 7U, 64U}) {
    const auto backend = make(depth, file.path());
    RandomReader(*backend, depth, depth).read(400);
  }
}

TEST_P(Backends, BuffersNeedNotBeTheOnesTheChannelWasOpenedWith) {
  const PatternedFile file(kFileBytes);
  const auto backend = make(8, file.path());
  RandomReader(*backend, 8, 1, /*registered=*/false).read(100);
}

TEST_P(Backends, TwoChannelsOnTwoThreadsDoNotDisturbEachOther) {
  const PatternedFile file(kFileBytes);
  const auto backend = make(16, file.path());
  RandomReader first(*backend, 16, 1);
  RandomReader second(*backend, 16, 2);
  std::jthread other([&] { second.read(500); });
  first.read(500);
}

TEST_P(Backends, SeveralFilesAreToldApart) {
  const PatternedFile file(kFileBytes);
  const PatternedFile shorter(2 * kAlignment);
  const auto backend = make(4, file.path());
  ASSERT_EQ(backend->add_file(shorter.path()), 1U);
  AlignedBuffer buffer(2 * kAlignment);
  const auto channel = backend->open_channel(buffer.all());
  read_one(*channel, {1, kAlignment, kAlignment, buffer.at(0), 5});
  EXPECT_TRUE(PatternedFile::right({buffer.at(0), kAlignment}, kAlignment));
  EXPECT_THAT(failure_of_one(*channel, {1, kAlignment, 2 * kAlignment, buffer.at(0), 6}),
              HasSubstr(shorter.path().string()));
}

TEST_P(Backends, IsBusyExactlyAtFullDepth) {
  if (GetParam().immediate) GTEST_SKIP() << "nothing is ever in flight";
  const PatternedFile file(kFileBytes);
  const auto backend = make(5, file.path());
  AlignedBuffer buffer(6 * kAlignment);
  const auto channel = backend->open_channel(buffer.all());
  const auto request = [&](std::size_t i) {
    return Request{0, kAlignment, i * kAlignment, buffer.at(i * kAlignment), i};
  };
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(channel->submit(request(i)), Submit::queued);
    EXPECT_EQ(channel->in_flight(), i + 1);
  }
  EXPECT_EQ(channel->submit(request(5)), Submit::busy);
  EXPECT_EQ(channel->in_flight(), 5U);
  std::array<Completion, 1> done;
  EXPECT_EQ(channel->reap(done, 1), 1U);
  EXPECT_EQ(channel->submit(request(5)), Submit::queued);
  EXPECT_EQ(channel->submit(request(5)), Submit::busy);
}

TEST_P(Backends, ReapWaitsForWhatIsAskedAsFarAsThereIsAnything) {
  if (GetParam().immediate) GTEST_SKIP() << "nothing is ever in flight";
  const PatternedFile file(kFileBytes);
  const auto backend = make(8, file.path());
  AlignedBuffer buffer(8 * kAlignment);
  const auto channel = backend->open_channel(buffer.all());
  std::array<Completion, 8> done;
  EXPECT_EQ(channel->reap(done, 3), 0U) << "nothing in flight, nothing to wait for";
  for (std::size_t i = 0; i < 8; ++i) {
    channel->submit({0, kAlignment, i * kAlignment, buffer.at(i * kAlignment), i});
  }
  EXPECT_EQ(channel->reap(std::span(done).first(3), 100), 3U) << "no more than there is room for";
  EXPECT_EQ(channel->in_flight(), 5U);
  EXPECT_EQ(channel->reap(std::span(done).subspan(3), 5), 5U);
  EXPECT_EQ(channel->in_flight(), 0U);
  std::vector<std::uint64_t> tags;
  for (const Completion& completion : done) tags.push_back(completion.tag);
  EXPECT_THAT(tags, testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST_P(Backends, AskingWithoutWaitingGetsEverythingInTheEnd) {
  const PatternedFile file(kFileBytes);
  const auto backend = make(8, file.path());
  AlignedBuffer buffer(8 * kAlignment);
  const auto channel = backend->open_channel(buffer.all());
  for (std::size_t i = 0; i < 8; ++i) {
    channel->submit({0, kAlignment, i * kAlignment, buffer.at(i * kAlignment), i});
  }
  std::array<Completion, 8> done;
  while (channel->in_flight() > 0) {
    channel->reap(done, 0);
    std::this_thread::yield();
  }
  EXPECT_TRUE(PatternedFile::right(buffer.all(), 0));
}

// Buffers may be freed or reused right after a channel is gone, so nothing may be written then.
TEST_P(Backends, AfterDestructionNothingIsWrittenAnyMore) {
  const PatternedFile file(kFileBytes);
  const auto backend = make(16, file.path());
  AlignedBuffer buffer(16 * kMostBytes);
  for (int turn = 0; turn < 40; ++turn) {
    auto channel = backend->open_channel(buffer.all());
    for (std::size_t i = 0; i < 16; ++i) {
      channel->submit({0, kMostBytes, i * kMostBytes, buffer.at(i * kMostBytes), i});
      if (i == 12) channel->flush();
    }
    channel.reset();
    constexpr auto kMark = std::byte{0xAB};
    std::fill(buffer.all().begin(), buffer.all().end(), kMark);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const auto marked = std::count(buffer.all().begin(), buffer.all().end(), kMark);
    ASSERT_EQ(static_cast<std::size_t>(marked), buffer.all().size());
  }
}

TEST_P(Backends, AThreadThatIsGoneLeavesAnIdleChannelThatCanBeDestroyed) {
  const PatternedFile file(kFileBytes);
  const auto backend = make(16, file.path());
  AlignedBuffer buffer(16 * kMostBytes);
  for (int turn = 0; turn < 20; ++turn) {
    auto channel = backend->open_channel(buffer.all());
    std::jthread([&] {
      for (std::size_t i = 0; i < 16; ++i) {
        channel->submit({0, kMostBytes, i * kMostBytes, buffer.at(i * kMostBytes), i});
      }
      std::array<Completion, 16> done;
      channel->reap(done, 16);
    }).join();
    channel.reset();
  }
}

TEST_P(Backends, AReadPastTheEndSaysWhereTheFileEnds) {
  const PatternedFile file(kFileBytes + 100);
  const auto backend = make(4, file.path());
  AlignedBuffer buffer(4 * kAlignment);
  const auto channel = backend->open_channel(buffer.all());
  EXPECT_THAT(
      failure_of_one(*channel, {0, 2 * kAlignment, kFileBytes - kAlignment, buffer.at(0), 1}),
      HasSubstr(fmt::format("{} at offset {}: the file ends 3996 bytes early (was it cut?)",
                            file.path().string(), kFileBytes + 100)));
}

TEST_P(Backends, AFileCutAfterItWasOpenedIsAnErrorAtTheCut) {
  if (GetParam().keeps_contents) GTEST_SKIP() << "files are loaded when they are added";
  for (const std::uint64_t cut : {std::uint64_t{0}, 10 * kAlignment, 10 * kAlignment + 4000}) {
    const PatternedFile file(kFileBytes);
    const auto backend = make(4, file.path());
    AlignedBuffer buffer(4 * kAlignment);
    const auto channel = backend->open_channel(buffer.all());
    if (cut > 0) read_one(*channel, {0, 4 * kAlignment, 0, buffer.at(0), 1});
    file.cut(cut);
    const std::uint64_t offset = cut > 0 ? 9 * kAlignment : 0;
    EXPECT_THAT(failure_of_one(*channel, {0, 4 * kAlignment, offset, buffer.at(0), 2}),
                HasSubstr(fmt::format("{} at offset {}: the file ends {} bytes early",
                                      file.path().string(), cut, offset + 4 * kAlignment - cut)));
  }
}

TEST_P(Backends, AFailureAmongManyRequestsArrivesAndNothingHangs) {
  const PatternedFile file(kFileBytes);
  const auto backend = make(16, file.path());
  AlignedBuffer buffer(16 * kAlignment);
  const auto channel = backend->open_channel(buffer.all());
  for (std::size_t i = 0; i < 16; ++i) {
    const std::uint64_t offset = i == 11 ? kFileBytes : i * kAlignment;
    channel->submit({0, kAlignment, offset, buffer.at(i * kAlignment), i});
  }
  std::array<Completion, 1> done;
  EXPECT_THROW(while (channel->in_flight() > 0) channel->reap(done, 1), Error);
}

TEST_P(Backends, AFileThatCannotBeOpenedIsNamed) {
  const auto backend = make_kind(GetParam(), 4);
  try {
    backend->add_file("/nowhere/out.blocks");
    ADD_FAILURE() << "opened";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/out.blocks: cannot open: No such file"));
  }
}

TEST_P(Backends, AFileSystemWithoutDirectReadsIsReadAnywayAndNoted) {
  if (!GetParam().direct) GTEST_SKIP() << "never reads directly";
  const auto backend = make_kind(GetParam(), 4);
  backend->add_file("/proc/self/status");
  EXPECT_THAT(backend->notes(), Contains(HasSubstr("/proc/self/status refuses O_DIRECT")));
}

INSTANTIATE_TEST_SUITE_P(
    All, Backends,
    testing::Values(
        Kind{"uring", "uring", ""}, Kind{"threads", "threads", ""},
        Kind{"skeleton", "skeleton", "", true}, Kind{"mmap", "mmap", "", false, false, false},
        Kind{"mmap_touched", "mmap:populate=none", "", false, false, false},
        Kind{"mmap_madvise", "mmap:populate=madvise", "", false, false, false},
        Kind{"mmap_pread", "mmap:populate=pread", "", false, false, false},
        Kind{"mmap_uring_madvise", "mmap:populate=uring-madvise", "", false, false, false},
        Kind{"mmap_uring_read", "mmap:populate=uring-read", "", false, false, false},
        Kind{"mem", "mem", "", true, true, false}, Kind{"fault_over_uring", "fault", "over:uring"},
        Kind{"fault_over_threads", "fault", "over:threads,delay:0.2"},
        Kind{"fault_over_mmap", "fault", "over:mmap:populate=none+faults=random", false, false,
             false},
        Kind{"fault_over_mem", "fault", "over:mem", false, true, false}),
    [](const auto& kind) { return kind.param.label; });

// The message for a spec that make_backend must refuse.
std::string refusal_of(const std::string& spec) {
  try {
    make_backend(spec, {});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "accepted";
}

TEST(Registry, NamesItsBackendsAndRefusesOthers) {
  std::vector<std::string> names;
  for (const BackendEntry& entry : backends()) {
    EXPECT_EQ(make_backend(entry.name, {})->name(), entry.name);
    names.push_back(entry.name);
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"uring", "threads", "mem", "fault", "null"}));
  EXPECT_THAT(refusal_of("urng"), HasSubstr("did you mean 'uring'?"));
  EXPECT_THROW(make_backend("mem", {.depth = 0}), Error);
}

TEST(Registry, ParametersAndValuesThatAreNotKnownAreRefused) {
  EXPECT_THAT(refusal_of("mmap:populat=none"), HasSubstr("did you mean 'populate'?"));
  EXPECT_THAT(refusal_of("mmap:populate=wilneed"),
              AllOf(HasSubstr("backend mmap: populate=wilneed: expected one of none, madvise, "),
                    HasSubstr("did you mean 'willneed'?")));
  EXPECT_THAT(refusal_of("mmap:faults"), HasSubstr("'faults' has no value; write faults=random"));
  EXPECT_THAT(refusal_of("mem:size=3"),
              HasSubstr("backend mem takes no parameters, but 'size=3' was given"));
}

}  // namespace
}  // namespace outcore
