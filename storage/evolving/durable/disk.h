// SPDX-License-Identifier: Apache-2.0
// The only way in which a durable store reaches bytes: one folder, with files and one level of
// folders in it. RealDisk is a folder of the file system; tests put in its place a disk that loses
// power.
//
// What is kept over a power cut is what was asked to be kept, and nothing else:
//   - of writes to a file: those that had returned before a sync() of the file began, once that
//     sync() has returned. Of the others any sector of 512 bytes may be old, new or garbage.
//   - of creations, renames and removals in a folder: those before a sync_folder() of it, once that
//     has returned. Of the others any may have happened, and any may not.
//
// Errors: Error (io) with the file's name; DiskFull where there is no room. After a sync that
// failed the writes that it should have covered may be lost for good, also if a later sync
// succeeds.
//
// Threads: any may use a Disk. A DiskFile is written and synced by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/error.h"

namespace outcore::evolving {

// No room, or none that this user may have.
class DiskFull : public Error {
 public:
  explicit DiskFull(const std::string& message) : Error(ExitCode::io, message) {}
};

// What is to be written, and where.
struct DiskPiece {
  std::span<const std::byte> bytes;
  std::uint64_t offset = 0;
};

class DiskFile {
 public:
  virtual ~DiskFile() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  // All of it, or Error.
  virtual void read(std::span<std::byte> into, std::uint64_t offset) const = 0;
  // Extends the file where that is needed.
  virtual void write(std::span<const std::byte> bytes, std::uint64_t offset) = 0;
  virtual void sync() = 0;
  // Writes the pieces and then syncs the file; for an implementation that can ask for all of it at
  // once.
  virtual void write_and_sync(std::span<const DiskPiece> pieces) {
    for (const DiskPiece& piece : pieces) write(piece.bytes, piece.offset);
    sync();
  }
};

enum class Access : std::uint8_t { read, write };

// Held by the one process that writes.
class DiskLock {
 public:
  virtual ~DiskLock() = default;
};

class Disk {
 public:
  virtual ~Disk() = default;
  // Threads may work on different files at once. A disk that loses its power on purpose takes one
  // operation after another, always in the same order.
  [[nodiscard]] virtual bool serves_threads() const = 0;
  // Where a file is, for messages.
  [[nodiscard]] virtual std::filesystem::path path(const std::string& name) const = 0;
  [[nodiscard]] virtual bool exists(const std::string& name) const = 0;
  // The names of all files and folders: "log", "run-000001", "run-000001/out.blocks".
  [[nodiscard]] virtual std::vector<std::string> list() const = 0;
  // A new file, written in large aligned pieces past the page cache where `bytes` are given: then
  // it has its size from the start, and its bytes are 0. Fails where there is one of the name.
  virtual std::unique_ptr<DiskFile> create(const std::string& name, std::uint64_t bytes) = 0;
  // `direct`: past the page cache. Then offsets, sizes and memory are multiples of 4096.
  virtual std::unique_ptr<DiskFile> open(const std::string& name, Access access, bool direct) = 0;
  virtual void make_folder(const std::string& name) = 0;
  virtual void rename(const std::string& from, const std::string& to) = 0;
  // A file, or a folder that is empty.
  virtual void remove(const std::string& name) = 0;
  // `name` is empty for the store's own folder.
  virtual void sync_folder(const std::string& name) = 0;
  // Throws a usage Error that says who holds it.
  virtual std::unique_ptr<DiskLock> lock() = 0;
};

}  // namespace outcore::evolving
