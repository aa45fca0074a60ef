// SPDX-License-Identifier: Apache-2.0
// What every writing backend promises about writes and syncs, tested for all of them; and errors of
// the kernel itself, which no plan of `fault` can cause.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <random>
#include <thread>

#include "common/error.h"
#include "storage/io/backend.h"
#include "storage/io/patterned_file.h"
#include "storage/io/skeleton_backend.h"

namespace outcore {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t kMostPages = 8;  // per request here

struct Writer {
  std::string label;
  std::string backend;
  std::string plan;
  bool has_files = true;  // errors come from the kernel
};

std::unique_ptr<Backend> make_writer(const Writer& writer, unsigned depth) {
  const BackendOptions options = {.depth = depth, .fault_plan = writer.plan};
  if (writer.backend == "skeleton") return std::make_unique<SkeletonBackend>(options);
  return make_backend(writer.backend, options);
}

class Writes : public testing::TestWithParam<Writer> {
 protected:
  std::unique_ptr<Backend> open(const std::filesystem::path& path, bool writable = true,
                                unsigned depth = 4) const {
    auto backend = make_writer(GetParam(), depth);
    backend->add_file(path, writable);
    return backend;
  }
  static void carry_out_one(Channel& channel, const Request& request) {
    std::array<Completion, 1> done;
    if (channel.submit(request) == Submit::completed) return;
    EXPECT_EQ(channel.reap(done, 1), 1U);
    EXPECT_EQ(done[0].tag, request.tag);
  }
  static std::string failure_of(Channel& channel, const Request& request) {
    try {
      carry_out_one(channel, request);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::io);
      return error.what();
    }
    return "none";
  }
};

// Keeps a channel full of writes, reads and syncs. Each slot has its own part of the file, so that
// the expected contents are known at any time.
class WriterAndReader {
 public:
  static constexpr std::size_t kPart = 4 * kMostPages * kAlignment;

  WriterAndReader(Backend& backend, const PatternedFile& file, unsigned depth, bool registered)
      : random_(depth),
        buffer_(depth * kMostPages * kAlignment),
        expected_(depth * kPart),
        in_slot_(depth),
        channel_(backend.open_channel(registered ? buffer_.all() : std::span<std::byte>())) {
    File::open_read(file.path()).read(expected_, 0);
    for (std::uint32_t slot = 0; slot < depth; ++slot) free_.push_back(slot);
  }

  void run(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      while (free_.empty()) reap(1);
      const std::uint32_t slot = free_.back();
      free_.pop_back();
      in_slot_[slot] = next(slot);
      const Submit answer = channel_->submit(in_slot_[slot]);
      EXPECT_NE(answer, Submit::busy) << "there are as many slots as the channel is deep";
      if (answer == Submit::completed) check(slot);
      reap(0);
    }
    while (channel_->in_flight() > 0) reap(1);
  }

  [[nodiscard]] const std::vector<std::byte>& expected() const { return expected_; }

 private:
  Request next(std::uint32_t slot) {
    if (random_() % 8 == 0) return {.tag = slot, .op = Op::sync};
    const std::size_t bytes = (1 + random_() % kMostPages) * kAlignment;
    const std::size_t offset = random_() % ((kPart - bytes) / kAlignment + 1) * kAlignment;
    const Request request = {.bytes = static_cast<std::uint32_t>(bytes),
                             .offset = slot * kPart + offset,
                             .memory = buffer_.at(slot * kMostPages * kAlignment),
                             .tag = slot,
                             .op = random_() % 2 == 0 ? Op::read : Op::write};
    if (request.op == Op::write) {
      std::generate_n(reinterpret_cast<std::uint32_t*>(request.memory), bytes / 4,
                      std::ref(random_));
      std::copy_n(request.memory, bytes, place_of(request));
    }
    return request;
  }

  void reap(std::size_t at_least) {
    std::vector<Completion> done(in_slot_.size());
    const std::size_t count = channel_->reap(done, at_least);
    for (std::size_t i = 0; i < count; ++i) check(static_cast<std::uint32_t>(done[i].tag));
  }

  // A write has not changed its memory; a read has brought what was written last.
  void check(std::uint32_t slot) {
    const Request& request = in_slot_[slot];
    EXPECT_TRUE(std::equal(request.memory, request.memory + request.bytes, place_of(request)))
        << request.bytes << " bytes at " << request.offset;
    free_.push_back(slot);
  }
  std::vector<std::byte>::iterator place_of(const Request& request) {
    return expected_.begin() + static_cast<std::ptrdiff_t>(request.offset);
  }

  std::mt19937 random_;
  AlignedBuffer buffer_;
  std::vector<std::byte> expected_;
  std::vector<Request> in_slot_;
  std::vector<std::uint32_t> free_;
  std::unique_ptr<Channel> channel_;
};

TEST_P(Writes, AreReadBackAtEveryDepthAndStandInTheFile) {
  for (const unsigned depth : {1U, 7U, 32U}) {
    for (const bool registered : {false, true}) {
      const PatternedFile file(depth * WriterAndReader::kPart);
      const auto backend = open(file.path(), true, depth);
      WriterAndReader slots(*backend, file, depth, registered);
      slots.run(150);
      std::vector<std::byte> found(file.bytes());
      File::open_read(file.path()).read(found, 0);
      EXPECT_TRUE(found == slots.expected()) << depth << " in flight, registered " << registered;
    }
  }
}

TEST_P(Writes, AreSeenThroughAnotherChannelOnceTheyAreReaped) {
  const PatternedFile file(16 * kAlignment);
  const auto backend = open(file.path());
  AlignedBuffer written(kAlignment);
  std::fill(written.all().begin(), written.all().end(), std::byte{7});
  std::jthread([&] {
    const auto channel = backend->open_channel(written.all());
    carry_out_one(*channel, {0, kAlignment, 3 * kAlignment, written.at(0), 1, Op::write});
    carry_out_one(*channel, {.tag = 2, .op = Op::sync});
  }).join();
  AlignedBuffer found(3 * kAlignment);
  const auto channel = backend->open_channel(found.all());
  carry_out_one(*channel, {0, 3 * kAlignment, 2 * kAlignment, found.at(0), 3});
  EXPECT_TRUE(PatternedFile::right({found.at(0), kAlignment}, 2 * kAlignment));
  EXPECT_TRUE(std::equal(written.all().begin(), written.all().end(), found.at(kAlignment)));
  EXPECT_TRUE(PatternedFile::right({found.at(2 * kAlignment), kAlignment}, 4 * kAlignment));
}

TEST_P(Writes, ToAFileThatWasNotAddedAsWritableFail) {
  const PatternedFile file(16 * kAlignment);
  const auto backend = open(file.path(), false);
  AlignedBuffer buffer(kAlignment);
  const auto channel = backend->open_channel(buffer.all());
  EXPECT_THAT(
      failure_of(*channel, {0, kAlignment, 5 * kAlignment, buffer.at(0), 1, Op::write}),
      HasSubstr(fmt::format("{} at offset {}: write of 4096 bytes failed: Bad file descriptor "
                            "(errno 9)",
                            file.path().string(), 5 * kAlignment)));
  std::vector<std::byte> found(file.bytes());
  File::open_read(file.path()).read(found, 0);
  EXPECT_TRUE(PatternedFile::right(found, 0));
}

TEST_P(Writes, ToAFileThatIsNotThereAreRefusedByName) {
  try {
    open("/nowhere/values.blocks");
    ADD_FAILURE() << "opened";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/values.blocks: cannot open for writing"));
  }
}

// Once it is open, the kernel refuses to read a folder.
TEST_P(Writes, AReadThatTheKernelFailsCarriesItsReason) {
  if (!GetParam().has_files) GTEST_SKIP() << "the kernel is not asked";
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const auto backend = open(folder, false);
  AlignedBuffer buffer(kAlignment);
  const auto channel = backend->open_channel(buffer.all());
  EXPECT_THAT(failure_of(*channel, {0, kAlignment, kAlignment, buffer.at(0), 1}),
              AllOf(HasSubstr(fmt::format("at offset {}: read of 4096 bytes failed", kAlignment)),
                    HasSubstr("Is a directory (errno 21)")));
}

// While it exists, no file of this process can grow or be written beyond a size.
class SizeLimit {
 public:
  explicit SizeLimit(std::uint64_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit lower = {bytes, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &lower), 0);
  }
  ~SizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

// The kernel writes the part below the limit (a short write), and fails the rest.
TEST_P(Writes, AShortWriteIsContinuedAndItsFailureNamesWhereItStopped) {
  if (!GetParam().has_files) GTEST_SKIP() << "the kernel is not asked";
  constexpr std::uint64_t kLimit = 4 * kAlignment;
  const PatternedFile file(16 * kAlignment);
  const auto backend = open(file.path());
  AlignedBuffer buffer(8 * kAlignment);
  const auto channel = backend->open_channel(buffer.all());
  {
    const SizeLimit limit(kLimit);
    EXPECT_THAT(failure_of(*channel, {0, 8 * kAlignment, kAlignment, buffer.at(0), 1, Op::write}),
                HasSubstr(fmt::format(
                    "{} at offset {}: write of {} bytes failed: File too large (errno 27)",
                    file.path().string(), kLimit, 5 * kAlignment)));
  }
  std::vector<std::byte> found(file.bytes());
  File::open_read(file.path()).read(found, 0);
  EXPECT_EQ(std::count(found.begin() + kAlignment, found.begin() + kLimit, std::byte{0}),
            3 * kAlignment);
  EXPECT_TRUE(PatternedFile::right(std::span(found).subspan(kLimit), kLimit));
}

INSTANTIATE_TEST_SUITE_P(
    All, Writes,
    testing::Values(Writer{"uring", "uring", ""}, Writer{"threads", "threads", ""},
                    Writer{"skeleton", "skeleton", ""}, Writer{"mem", "mem", "", false},
                    Writer{"fault_over_uring", "fault", "over:uring"},
                    Writer{"fault_over_threads", "fault", "over:threads,jitter:0.2"},
                    Writer{"fault_over_mem", "fault", "over:mem", false}),
    [](const auto& writer) { return writer.param.label; });

TEST(WritableFiles, AreRefusedByBackendsThatOnlyRead) {
  const PatternedFile file(kAlignment);
  for (const BackendEntry& entry : backends()) {
    const auto backend = make_backend(entry.name, {});
    if (backend->traits().writes) {
      EXPECT_EQ(backend->add_file(file.path(), true), 0U) << entry.name;
      continue;
    }
    EXPECT_THAT(backend->traits().names(), testing::Contains("read-only"));
    try {
      backend->add_file(file.path(), true);
      ADD_FAILURE() << entry.name << " took it";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_THAT(error.what(), AllOf(HasSubstr(file.path().string()),
                                      HasSubstr("backend " + entry.name + " only reads")));
    }
  }
}

// Memory is never written past the loaded file, whatever the caller asks for.
TEST(MemWrites, PastTheEndOfAFileFail) {
  const PatternedFile file(2 * kAlignment);
  const auto backend = make_backend("mem", {});
  backend->add_file(file.path(), true);
  AlignedBuffer buffer(2 * kAlignment);
  const auto channel = backend->open_channel(buffer.all());
  ASSERT_EQ(channel->submit({0, 2 * kAlignment, kAlignment, buffer.at(0), 1, Op::write}),
            Submit::queued);
  std::array<Completion, 1> done;
  try {
    channel->reap(done, 1);
    ADD_FAILURE() << "written";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("at offset 8192: a write stops 4096 bytes early"));
  }
}

}  // namespace
}  // namespace outcore
