// SPDX-License-Identifier: Apache-2.0
#include "engines/state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>

#include "common/error.h"
#include "common/files.h"
#include "common/numa.h"
#include "common/sizes.h"

namespace outcore {

struct StateStore::Account {
  enum class Place : std::uint8_t { memory, file };

  // Returns whether this name now has more than ever before.
  bool add(Place place, const std::string& name, std::uint64_t bytes) {
    const std::lock_guard lock(mutex);
    Row& row = rows[{place, name}];
    row.now += bytes;
    const bool more = row.now > row.most;
    row.most = std::max(row.most, row.now);
    return more;
  }
  void take_away(Place place, const std::string& name, std::uint64_t bytes) {
    const std::lock_guard lock(mutex);
    rows[{place, name}].now -= bytes;
  }
  std::uint64_t in_memory_now() {
    const std::lock_guard lock(mutex);
    std::uint64_t sum = 0;
    for (const auto& [key, row] : rows) sum += key.first == Place::memory ? row.now : 0;
    return sum;
  }
  NamedBytes most(Place place) {
    const std::lock_guard lock(mutex);
    NamedBytes most;
    for (const auto& [key, row] : rows) {
      if (key.first == place) most.emplace_back(key.second, row.most);
    }
    return most;
  }

  struct Row {
    std::uint64_t now = 0;
    std::uint64_t most = 0;
  };
  std::mutex mutex;  // guards rows
  std::map<std::pair<Place, std::string>, Row> rows;
  StateWindows windows;
};

namespace {

numa::Memory in_memory_array(std::size_t bytes) {
  numa::Memory memory = numa::allocate(bytes);
  // Only advice: if the kernel refuses it, pages are small.
  ::madvise(memory.get(), bytes, MADV_HUGEPAGE);
  return memory;
}

numa::Memory in_file_array(const File& file, const std::string& name, std::size_t bytes) {
  const std::filesystem::path path = file.path() / fmt::format("(state '{}')", name);
  // Reserves the space first: a write to a mapped file on a full disk would end the process.
  if (const int error = ::posix_fallocate(file.fd(), 0, static_cast<off_t>(bytes)); error != 0) {
    throw io_error(Place::file(path), fmt::format("no room for {}", human_size(bytes)), error);
  }
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd(), 0);
  if (memory == MAP_FAILED) throw io_error(Place::file(path), "cannot map it", errno);
  return {static_cast<std::byte*>(memory), numa::Free{bytes}};
}

}  // namespace

std::optional<StateFiles> state_files(const std::string& text) {
  if (text == "memory") return {};
  const std::string kFile = "file:";
  if (!text.starts_with(kFile) || text == kFile) {
    throw usage_error(fmt::format("--state {}: expected memory, or file:FOLDER", text));
  }
  StateFiles files{.folder = text.substr(kFile.size())};
  if (!std::filesystem::is_directory(files.folder)) {
    throw usage_error(fmt::format("--state {}: {} is not a folder; name one on a disk", text,
                                  files.folder.string()));
  }
  File::create_nameless(files.folder);
  return files;
}

StateStore::StateStore(std::optional<StateFiles> files, std::function<void()> grew)
    : files_(std::move(files)), grew_(std::move(grew)), account_(std::make_shared<Account>()) {}

StateWindows& StateStore::windows() const { return account_->windows; }

std::shared_ptr<std::byte> StateStore::allocate(const std::string& name, std::size_t bytes,
                                                Order order) {
  // Memory that leaves the account when it is freed.
  struct Counted {
    numa::Memory memory;
    std::optional<File> file;
    std::shared_ptr<Account> account;
    Account::Place place;
    std::string name;
    std::size_t bytes;
    ~Counted() {
      account->windows.remove(memory.get());
      account->take_away(place, name, bytes);
    }
  };
  const bool in_file = files_ && account_->in_memory_now() + bytes > files_->most_in_memory;
  const auto place = in_file ? Account::Place::file : Account::Place::memory;
  const bool more = account_->add(place, name, bytes);
  const auto array = std::make_shared<Counted>(nullptr, std::nullopt, account_, place, name, bytes);
  if (bytes > 0 && in_file) {
    array->file = File::create_nameless(files_->folder);
    array->memory = in_file_array(*array->file, name, bytes);
    if (order == Order::by_vertex) {
      account_->windows.add(array->memory.get(), bytes, array->file->fd());
    }
  } else if (bytes > 0) {
    array->memory = in_memory_array(bytes);
  }
  if (more && grew_) grew_();
  return {array, array->memory.get()};
}

NamedBytes StateStore::in_memory() const { return account_->most(Account::Place::memory); }
NamedBytes StateStore::in_files() const { return account_->most(Account::Place::file); }

}  // namespace outcore
