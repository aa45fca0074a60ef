// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/output_file.h"

#include <fmt/format.h>

#include "common/error.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kOutputBuffer = std::size_t{1} << 20;

}  // namespace

OutputFile::OutputFile(const fs::path& target, bool force) {
  if (target == "-") {
    open_ = File::standard_output();
  } else if (fs::exists(file_to_write(target)) && !force) {
    throw usage_error(fmt::format("{} exists; give --force to replace it", target.string()));
  } else {
    pending_.emplace(target);
  }
  buffer_.reserve(kOutputBuffer);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  if (buffer_.size() + bytes.size() > kOutputBuffer) flush();
  if (bytes.size() > kOutputBuffer) {
    file().write(bytes);
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
}

void OutputFile::flush() {
  file().write(buffer_);
  buffer_.clear();
}

void OutputFile::commit() {
  flush();
  if (pending_) pending_->commit();
}

}  // namespace outcore
