// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/disk_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "common/files.h"

namespace outcore::evolving {

void DiskWriter::write(std::span<const std::byte> bytes) {
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  if (buffer_.size() >= kPiece) flush();
}

void DiskWriter::flush() {
  if (buffer_.empty()) return;
  hash_.add(buffer_);
  file_->write(buffer_, written_);
  written_ += buffer_.size();
  buffer_.clear();
}

nlohmann::json DiskWriter::finish() {
  flush();
  file_->sync();
  return {{"bytes", written_}, {"hash", hash_text(hash_.value())}};
}

DiskReader::DiskReader(Disk& disk, const std::string& name, const nlohmann::json& entry)
    : path_(disk.path(name)),
      file_(disk.open(name, Access::read, false)),
      expected_(json_field<std::string>(entry, "hash", path_)),
      size_(json_field<std::uint64_t>(entry, "bytes", path_)) {
  if (size_ == 0) check_hash();
}

std::span<const std::byte> DiskReader::take(std::size_t bytes) {
  if (bytes > size_ - given_) {
    throw bad_input(Place::offset(path_, given_), "the end of the file",
                    fmt::format("{} bytes more", bytes));
  }
  if (buffer_.size() - at_ < bytes) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
    const std::size_t kept = buffer_.size();
    const std::size_t more = std::max<std::size_t>(bytes - kept, DiskWriter::kPiece);
    buffer_.resize(kept + std::min<std::uint64_t>(more, size_ - read_));
    const auto fresh = std::span(buffer_).subspan(kept);
    file_->read(fresh, read_);
    hash_.add(fresh);
    read_ += fresh.size();
  }
  const std::span<const std::byte> taken = std::span(buffer_).subspan(at_, bytes);
  at_ += bytes;
  given_ += bytes;
  if (at_end()) check_hash();
  return taken;
}

void DiskReader::skip(std::uint64_t bytes) {
  if (bytes > size_ - given_) {
    throw bad_input(Place::offset(path_, given_), "the end of the file",
                    fmt::format("{} bytes more", bytes));
  }
  if (bytes == 0) return;
  if (bytes <= buffer_.size() - at_) {  // they are read and hashed
    static_cast<void>(take(bytes));
    return;
  }
  expected_.clear();
  given_ += bytes;
  read_ = given_;
  buffer_.clear();
  at_ = 0;
}

void DiskReader::check_hash() {
  if (expected_.empty()) return;
  const std::string found = hash_text(hash_.value());
  if (found == expected_) return;
  throw bad_input(Place::file(path_), "checksum " + found, expected_, "the file was changed");
}

std::string read_whole(Disk& disk, const std::string& name) {
  const std::unique_ptr<DiskFile> file = disk.open(name, Access::read, false);
  std::string text(file->size(), '\0');
  file->read(std::as_writable_bytes(std::span(text)), 0);
  return text;
}

void write_whole(Disk& disk, const std::string& name, const std::string& text) {
  const std::unique_ptr<DiskFile> file = disk.create(name, 0);
  file->write(std::as_bytes(std::span(text)), 0);
  file->sync();
}

}  // namespace outcore::evolving
