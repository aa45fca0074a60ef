// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/output_file.h"

#include <fmt/format.h>

#include "common/error.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

fs::path pending_path(const fs::path& target, bool force) {
  if (target == "-") return {};
  std::error_code ignored;
  const fs::file_status status = fs::status(target, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw usage_error(fmt::format("{} is {}, expected the name of a file", target.string(),
                                  fs::is_directory(status) ? "a folder" : "no regular file"));
  }
  if (fs::exists(status) && !force) {
    throw usage_error(fmt::format("{} exists; give --force to replace it", target.string()));
  }
  make_parent_folder(target);
  fs::path pending = target;
  pending += ".pending";
  return pending;
}

}  // namespace

OutputFile::OutputFile(fs::path target, bool force)
    : target_(std::move(target)),
      pending_(pending_path(target_, force)),
      file_(pending_.empty() ? File::standard_output() : File::create(pending_)) {
  buffer_.reserve(kBufferBytes);
}

OutputFile::~OutputFile() {
  if (pending_.empty()) return;
  std::error_code ignored;  // after commit() it is not there; before, no more can be done
  fs::remove(pending_, ignored);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() > kBufferBytes) {
    file_.write(bytes);
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
}

void OutputFile::flush() {
  file_.write(buffer_);
  buffer_.clear();
}

void OutputFile::commit() {
  flush();
  if (pending_.empty()) return;
  std::error_code error;
  fs::rename(pending_, target_, error);
  if (error) throw io_error(Place::file(target_), "cannot rename to it", error.value());
}

}  // namespace outcore
