// SPDX-License-Identifier: Apache-2.0
#include "common/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>

#include "common/error.h"
#include "common/parse_json.h"
#include "common/sync_folder.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

// Why the folder may not be replaced; empty if it may.
std::string why_not_replaceable(const fs::path& folder, const std::string& mark) {
  std::string no_folder_of_ours = fmt::format("it is no folder with a {} of outcore", mark);
  if (!fs::is_directory(folder)) return no_folder_of_ours;
  if (fs::is_empty(folder)) return {};
  if (!fs::is_regular_file(folder / mark)) return no_folder_of_ours;
  nlohmann::json manifest;
  try {
    manifest = read_json(folder / mark);
  } catch (const Error&) {
    return no_folder_of_ours;
  }
  if (!manifest.is_object()) return no_folder_of_ours;
  const auto field = [&](const char* name) { return manifest.value(name, nlohmann::json()); };
  if (!field("version").is_number() || !field("files").is_object()) return no_folder_of_ours;
  // Compares the word before the dot: beside "values.blocks" there may be a file "values.open".
  const auto stem = [](const std::string& name) { return name.substr(0, name.find('.')); };
  std::set<std::string> ours = {stem(mark), "layouts"};
  for (const auto& file : manifest.at("files").items()) ours.insert(stem(file.key()));
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (ours.contains(stem(name)) || name == PendingFolder::kPendingMark) continue;
    return fmt::format("it holds {}, which outcore did not write", name);
  }
  return {};
}

// The mark goes last, so that a folder of which a part is left can be removed by the next writer.
void remove_pending(const fs::path& pending) {
  std::error_code ignored;  // what stays is in the next writer's way, which says so
  for (fs::directory_iterator entry(pending, ignored), end; entry != end;
       entry.increment(ignored)) {
    if (entry->path().filename() == PendingFolder::kPendingMark) continue;
    std::error_code too;
    fs::remove_all(entry->path(), too);
  }
  fs::remove_all(pending, ignored);
}

// Removes a folder that a killed writer left; one that it had no time to mark is empty. Throws a
// usage Error for any other folder.
void sweep_folder(const fs::path& pending) {
  if (!fs::exists(fs::symlink_status(pending))) return;
  const bool ours = fs::is_directory(pending) &&
                    (fs::is_empty(pending) || fs::exists(pending / PendingFolder::kPendingMark));
  if (fs::is_symlink(pending) || !ours) {
    throw usage_error(
        fmt::format("{} is in the way: the folder is built under this name; move it elsewhere",
                    pending.string()));
  }
  remove_pending(pending);
}

// Names the kind of a path that no file can replace.
const char* kind_of(fs::file_type type) {
  switch (type) {
    case fs::file_type::directory:
      return "a folder";
    case fs::file_type::block:
    case fs::file_type::character:
      return "a device";
    case fs::file_type::fifo:
      return "a pipe";
    default:
      return "no regular file";
  }
}

// True when `path` is the file that standard output was redirected to: replacing it would lose what
// is printed.
bool is_standard_output(const fs::path& path) {
  struct stat file {};
  struct stat output {};
  return ::stat(path.c_str(), &file) == 0 && ::fstat(STDOUT_FILENO, &output) == 0 &&
         file.st_dev == output.st_dev && file.st_ino == output.st_ino;
}

fs::path folder_of(const fs::path& file) { return fs::absolute(file).parent_path(); }

void make_folder_of(const fs::path& file) {
  std::error_code error;
  fs::create_directories(folder_of(file), error);
  if (error)
    throw io_error(Place::file(folder_of(file)), "cannot create the folder", error.value());
}

// Removes temporary files of `target` whose writers were killed. A writer on another machine looks
// dead from here; it finds out when it commits.
void sweep_remains(const fs::path& target) {
  const std::string beginning = target.filename().string() + ".pending-";
  std::error_code ignored;  // where names cannot be listed, nothing is swept
  for (const auto& entry : fs::directory_iterator(folder_of(target), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(beginning)) continue;
    unsigned writer = 0;
    const char* const end = name.data() + name.size();
    const auto read = std::from_chars(name.data() + beginning.size(), end, writer);
    if (read.ec != std::errc() || read.ptr != end) continue;
    const bool is_dead = ::kill(static_cast<pid_t>(writer), 0) != 0 && errno == ESRCH;
    if (is_dead) fs::remove(entry.path(), ignored);
  }
}

}  // namespace

File File::open_read(const fs::path& path, bool direct) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (direct ? O_DIRECT : 0));
  if (fd < 0) throw io_error(Place::file(path), "cannot open", errno);
  return {fd, path};
}

File File::create(const fs::path& path) {
  const int flags = O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
  const int fd = ::open(path.c_str(), flags, 0666);
  if (fd < 0) throw io_error(Place::file(path), "cannot create", errno);
  return {fd, path};
}

File File::create_new(const fs::path& path) {
  const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const int fd = ::open(path.c_str(), flags, 0666);
  if (fd < 0) throw io_error(Place::file(path), "cannot create", errno);
  return {fd, path};
}

int open_nameless(const fs::path& folder, bool direct) {
  const int flags = O_CLOEXEC | (direct ? O_DIRECT : 0);
  const int fd = ::open(folder.c_str(), O_RDWR | O_TMPFILE | flags, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return fd;
  // This file system does not support nameless files, so create one with a name and remove the name
  // at once.
  std::string name = (folder / ".outcore-XXXXXX").string();
  const int named = ::mkostemp(name.data(), flags);
  const int error = errno;
  if (named >= 0) ::unlink(name.c_str());
  errno = error;
  return named;
}

File File::create_nameless(const fs::path& folder) {
  const int fd = open_nameless(folder);
  if (fd < 0) throw io_error(Place::file(folder), "cannot create a file in it", errno);
  return {fd, folder};
}

File File::standard_output() {
  const fs::path name = "the standard output";
  const int fd = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  if (fd < 0) throw io_error(Place::file(name), "cannot be written", errno);
  return {fd, name};
}

File File::open_update(const fs::path& path, bool direct) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | (direct ? O_DIRECT : 0));
  if (fd < 0) throw io_error(Place::file(path), "cannot open for writing", errno);
  return {fd, path};
}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

File::File(File&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

File& File::operator=(File&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  return *this;
}

std::uint64_t File::size() const {
  struct stat status {};
  if (::fstat(fd_, &status) != 0) throw io_error(Place::file(path_), "cannot stat", errno);
  return static_cast<std::uint64_t>(status.st_size);
}

void File::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw io_error(Place::file(path_), "cannot write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void File::write_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw io_error(Place::offset(path_, offset), "cannot write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

void File::read(std::span<std::byte> into, std::uint64_t offset) const {
  while (!into.empty()) {
    const ssize_t got = ::pread(fd_, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw io_error(Place::offset(path_, offset), "cannot read", errno);
    if (got == 0) {
      throw io_error(Place::offset(path_, offset),
                     fmt::format("the file ends {} bytes early (was it cut?)", into.size()), 0);
    }
    into = into.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

namespace {

// Returns when every file in a folder, and the names of all of them, would survive a power cut.
void sync_whole(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_directory()) sync_folder(entry.path());
    if (!entry.is_regular_file()) continue;
    const File file = File::open_read(entry.path());
    if (::fdatasync(file.fd()) != 0)
      throw io_error(Place::file(entry.path()), "cannot sync", errno);
  }
  sync_folder(folder);
}

// "graphs/mine/" is "graphs/mine".
fs::path without_slash(const fs::path& target) {
  return target.filename().empty() ? target.parent_path() : target;
}

}  // namespace

void PendingFolder::check(const fs::path& given, const std::string& mark, bool force) {
  const fs::path target = without_slash(given);
  if (target.empty()) throw usage_error("a folder to be made has no name");
  if (!fs::exists(target)) return;
  if (!force) {
    throw usage_error(fmt::format("{} exists; give --force to replace it", target.string()));
  }
  if (const std::string why = why_not_replaceable(target, mark); !why.empty()) {
    throw usage_error(fmt::format("{} is not replaced: {}; delete it first, or give another name",
                                  target.string(), why));
  }
}

PendingFolder::PendingFolder(fs::path target, const std::string& mark, bool force)
    : target_(std::move(target)) {
  target_ = without_slash(target_);
  check(target_, mark, force);
  fs::path pending = target_;
  pending += ".pending";
  sweep_folder(pending);
  std::error_code error;
  if (pending.has_parent_path()) fs::create_directories(pending.parent_path(), error);
  // Unlike create_directories, mkdir fails if the name exists, also as a link to elsewhere.
  if (!error && ::mkdir(pending.c_str(), 0777) != 0) error.assign(errno, std::generic_category());
  if (error) throw io_error(Place::file(pending), "cannot create the folder", error.value());
  try {
    File::create_new(pending / kPendingMark);
  } catch (const Error&) {
    fs::remove(pending, error);  // without the mark the next writer would take it for a user's
    throw;
  }
  pending_ = std::move(pending);
}

PendingFolder::~PendingFolder() { remove_pending(pending_); }

// Whatever bears the name of an unfinished folder is marked, so that a kill at any point leaves
// nothing in the way of the next writer. A mark in a finished folder does no harm.
void PendingFolder::commit() {
  // Synced before it is renamed: after a power cut the new name must not lack any of its files.
  sync_whole(pending_);
  if (fs::exists(target_) && !fs::is_empty(target_)) File::create(target_ / kPendingMark);
  // Old and new folder change names at once, so a kill leaves one of them whole; the destructor
  // removes the old one. If there is no old one, or the file system cannot exchange names:
  if (::renameat2(AT_FDCWD, pending_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0) {
    fs::remove_all(target_);
    fs::rename(pending_, target_);
  }
  std::error_code ignored;
  fs::remove(target_ / kPendingMark, ignored);
  sync_folder(folder_of(target_));
}

fs::path file_to_write(const fs::path& path) {
  const auto refuse = [&](const char* kind) {
    throw usage_error(fmt::format("{} is {}; give the name of a file", path.string(), kind));
  };
  const fs::file_status status = fs::status(path);
  if (fs::exists(status) && !fs::is_regular_file(status)) refuse(kind_of(status.type()));
  if (is_standard_output(path)) refuse("the standard output");
  fs::path target = path;
  while (fs::is_symlink(target)) target = target.parent_path() / fs::read_symlink(target);
  return target;
}

PendingFile::PendingFile(const fs::path& path) : target_(file_to_write(path)), pending_(target_) {
  make_folder_of(target_);
  sweep_remains(target_);
  pending_ += fmt::format(".pending-{}", ::getpid());
  // Removes the file of an earlier process that had this process's number: sweep_remains() took it
  // for ours. If the name is a link, the link is removed, and not the file that it leads to. If
  // another user puts something there in the meantime, create_new() fails, and nothing is written.
  std::error_code ignored;
  fs::remove(pending_, ignored);
  file_ = File::create_new(pending_);
}

PendingFile::~PendingFile() {
  std::error_code ignored;  // after commit() it is gone; before, an error cannot be reported
  fs::remove(pending_, ignored);
}

void PendingFile::commit() {
  std::error_code error;
  fs::rename(pending_, target_, error);
  if (error) throw io_error(Place::file(target_), "cannot rename to it", error.value());
}

void check_writable(const fs::path& path) { const PendingFile trial(path); }

void write_text_atomically(const fs::path& path, const std::string& text) {
  PendingFile pending(path);
  pending.file().write(std::as_bytes(std::span(text)));
  pending.commit();
}

void write_json_atomically(const fs::path& path, const nlohmann::json& json) {
  write_text_atomically(path, json.dump(2) + "\n");
}

nlohmann::json read_json(const fs::path& path) {
  std::ifstream file(path);
  if (!file) throw io_error(Place::file(path), "cannot open", errno);
  if (fs::is_directory(path)) throw io_error(Place::file(path), "cannot read", EISDIR);
  return parse_json(file, path);
}

void throw_bad_field(const fs::path& path, const std::string& key, const std::string& why) {
  throw bad_input(Place::file(path), fmt::format("field '{}': {}", key, why),
                  "the fields that this version of outcore writes",
                  "build the graph or layout again");
}

}  // namespace outcore
