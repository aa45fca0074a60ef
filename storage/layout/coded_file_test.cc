// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/coded_file.h"

#include <gtest/gtest.h>

#include "storage/layout/broken_layout.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;

class CodedFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "coded_file_test" /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void write(const std::vector<std::uint32_t>& numbers) {
    CodedFile file(folder_ / "numbers");
    for (const std::uint32_t number : numbers) file.put(number);
    manifest_["files"]["numbers"] = file.finish();
  }
  [[nodiscard]] std::vector<std::uint32_t> read(std::uint64_t count) const {
    std::vector<std::uint32_t> numbers;
    read_coded(folder_, "numbers", count, manifest_, [&](std::span<const std::uint32_t> group) {
      numbers.insert(numbers.end(), group.begin(), group.end());
    });
    return numbers;
  }
  // Writes a file whose checksum is correct.
  void write_bytes(const std::vector<std::uint8_t>& bytes) {
    HashedFile file(folder_ / "numbers");
    file.write(std::as_bytes(std::span(bytes)));
    manifest_["files"]["numbers"] = file.finish();
  }
  void refuse(std::uint64_t count, const std::string& text) {
    expect_error(ExitCode::bad_input, text, [&] { (void)read(count); });
  }

  fs::path folder_;
  nlohmann::json manifest_ = {{"files", nlohmann::json::object()}};
};

TEST_F(CodedFiles, GiveBackWhatWasWritten) {
  for (const std::size_t count : {0UL, 1UL, 5UL, CodedFile::kGroup, 2 * CodedFile::kGroup + 3}) {
    std::vector<std::uint32_t> numbers(count);
    for (std::size_t i = 0; i < count; ++i) {
      numbers[i] = i % 100 == 7 ? 0xffffffffU - static_cast<std::uint32_t>(i)
                                : static_cast<std::uint32_t>(3 * i);
    }
    write(numbers);
    EXPECT_EQ(read(count), numbers) << count;
  }
}

TEST_F(CodedFiles, SmallStepsTakeAByteAndAQuarter) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < CodedFile::kGroup; ++i) numbers.push_back(255 * i);
  write(numbers);
  EXPECT_EQ(fs::file_size(folder_ / "numbers"), 4 + CodedFile::kGroup * 5 / 4);
}

TEST_F(CodedFiles, OfOtherNumbersAreRefused) {
  write({1, 2, 3, 4, 5});
  refuse(4, "code of other numbers");
  refuse(6, "6 numbers");
  refuse(0, "11 bytes more");
  refuse(std::uint64_t{1} << 40, "a file of 11 bytes");
}

TEST_F(CodedFiles, BytesThatAreNoCodeAreRefused) {
  write_bytes({0, 0, 0, 0});
  refuse(1, "a group of 0 bytes");
  write_bytes({6, 0, 0, 0, 0, 7});
  refuse(1, "a group of 6 bytes");
  write_bytes({2, 0, 0, 0, 1, 7});  // a number of two bytes
  refuse(1, "code of other numbers");
  write_bytes({3, 0, 0, 0, 0xff, 7, 7});  // and three that do not exist
  refuse(1, "code of other numbers");
  write_bytes({2, 0, 0, 0, 0, 7, 9});
  refuse(1, "1 bytes more");
  write({1, 2, 3});
  flip_byte(folder_ / "numbers", 6);
  refuse(3, "checksum");
}

}  // namespace
}  // namespace outcore
