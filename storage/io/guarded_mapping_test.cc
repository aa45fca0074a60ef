// SPDX-License-Identifier: Apache-2.0
#include "storage/io/guarded_mapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <csignal>

#include "common/error.h"
#include "storage/io/kernel_counters.h"
#include "storage/io/patterned_file.h"

namespace outcore {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::byte touch(const GuardedMapping& file, std::uint64_t offset) {
  return *static_cast<const volatile std::byte*>(file.data() + offset);
}

std::string complaint(const GuardedMapping& file, std::uint64_t offset, std::uint64_t bytes) {
  try {
    file.check(offset, bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::io);
    return error.what();
  }
  return {};
}

TEST(GuardedMapping, ShowsTheBytesOfTheFile) {
  const PatternedFile file(16 * kAlignment + 100);
  for (const auto advice : {MapAdvice::normal, MapAdvice::random, MapAdvice::sequential}) {
    const GuardedMapping mapped(file.path(), advice);
    EXPECT_EQ(mapped.bytes(), file.bytes());
    EXPECT_TRUE(PatternedFile::right({mapped.data(), mapped.bytes()}, 0));
    EXPECT_EQ(complaint(mapped, 0, mapped.bytes()), "");
  }
}

TEST(GuardedMapping, AnEmptyFileIsMappedAsNothing) {
  const PatternedFile file(0);
  const GuardedMapping mapped(file.path(), MapAdvice::random);
  EXPECT_EQ(mapped.bytes(), 0U);
  EXPECT_THAT(complaint(mapped, 0, 10), HasSubstr("ends 10 bytes early"));
}

// Without the handler, touching the missing part would end the process.
TEST(GuardedMapping, TouchingWhatWasCutOffGivesZeroesAndACheckThatSaysSo) {
  const PatternedFile file(16 * kAlignment);
  const GuardedMapping mapped(file.path(), MapAdvice::random);
  file.cut(4 * kAlignment + 1000);
  EXPECT_EQ(touch(mapped, 10 * kAlignment + 17), std::byte{0});
  EXPECT_EQ(touch(mapped, 7 * kAlignment), std::byte{0});
  EXPECT_TRUE(PatternedFile::right({mapped.data(), 4 * kAlignment}, 0));
  EXPECT_THAT(complaint(mapped, 3 * kAlignment, 2 * kAlignment),
              AllOf(HasSubstr(fmt::format("{} at offset {}: ", file.path().string(),
                                          4 * kAlignment + 1000)),
                    HasSubstr("ends 3096 bytes early (was it cut?)")));
}

// The file is whole again when check() is called, but the bytes that were seen were wrong.
TEST(GuardedMapping, APageThatWasLostIsNotForgotten) {
  const PatternedFile file(16 * kAlignment);
  const GuardedMapping mapped(file.path(), MapAdvice::random);
  file.cut(0);
  EXPECT_EQ(touch(mapped, 9 * kAlignment), std::byte{0});
  file.cut(16 * kAlignment);  // makes it longer
  EXPECT_THAT(
      complaint(mapped, 0, kAlignment),
      AllOf(HasSubstr(fmt::format("at offset {}: ", 9 * kAlignment)), HasSubstr("cannot be read")));
}

TEST(GuardedMappingDeathTest, OtherBusErrorsStayFatal) {
  const PatternedFile file(2 * kAlignment);
  const GuardedMapping watched(file.path(), MapAdvice::random);
  EXPECT_EXIT(
      {
        ::signal(SIGALRM, SIG_DFL);
        ::alarm(60);  // a handler that swallowed the signal would fault forever
        const File plain = File::open_read(file.path());
        void* mapped = ::mmap(nullptr, kAlignment, PROT_READ, MAP_SHARED, plain.fd(), 0);
        file.cut(0);
        const auto seen = *static_cast<volatile const char*>(mapped);
        static_cast<void>(seen);
      },
      [](int status) {
        return status != 0 && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
      },
      "");
}

TEST(GuardedMapping, AFileThatCannotBeOpenedIsNamed) {
  try {
    const GuardedMapping mapped("/nowhere/out.blocks", MapAdvice::random);
    ADD_FAILURE() << "opened";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/out.blocks: cannot open"));
  }
}

}  // namespace
}  // namespace outcore
