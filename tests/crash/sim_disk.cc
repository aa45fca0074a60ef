// SPDX-License-Identifier: Apache-2.0
#include "tests/crash/sim_disk.h"

#include <algorithm>
#include <cstring>

namespace outcore::evolving {

namespace {

std::string folder_of(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(0, slash);
}

void put(std::vector<std::byte>& image, std::span<const std::byte> bytes, std::uint64_t offset) {
  if (bytes.empty()) return;
  image.resize(std::max<std::size_t>(image.size(), offset + bytes.size()));
  std::memcpy(image.data() + offset, bytes.data(), bytes.size());
}

Error failed(const std::filesystem::path& path) {
  return io_error(Place::file(path), "simulated failure", EIO);
}

}  // namespace

class SimFile final : public DiskFile {
 public:
  SimFile(SimDisk& disk, std::shared_ptr<SimDisk::Inode> inode, std::filesystem::path path)
      : disk_(disk), inode_(std::move(inode)), path_(std::move(path)) {}

  [[nodiscard]] std::uint64_t size() const override { return inode_->seen.size(); }

  void read(std::span<std::byte> into, std::uint64_t offset) const override {
    disk_.alive();
    if (offset + into.size() > inode_->seen.size()) {
      throw bad_input(Place::offset(path_, offset), "the end of the file", "more bytes");
    }
    std::copy_n(inode_->seen.begin() + static_cast<std::ptrdiff_t>(offset), into.size(),
                into.begin());
  }

  void write(std::span<const std::byte> bytes, std::uint64_t offset) override {
    const SimDisk::Happens happens = disk_.step();
    if (disk_.full_ && offset + bytes.size() > inode_->seen.size()) throw DiskFull("no room");
    inode_->pending.push_back({offset, {bytes.begin(), bytes.end()}});
    put(inode_->seen, bytes, offset);
    if (happens == SimDisk::Happens::then_cut) disk_.cut();
    if (happens == SimDisk::Happens::error) throw failed(path_);
  }

  void sync() override {
    const SimDisk::Happens happens = disk_.step();
    if (happens == SimDisk::Happens::then_cut) disk_.cut();
    if (happens == SimDisk::Happens::error) {
      // Some of what was to be synced is lost for good: a second sync has nothing to do.
      disk_.tear(*inode_);
      inode_->pending.clear();
      inode_->seen = inode_->kept;
      throw failed(path_);
    }
    for (const SimDisk::Write& write : inode_->pending)
      put(inode_->kept, write.bytes, write.offset);
    inode_->pending.clear();
  }

 private:
  SimDisk& disk_;
  std::shared_ptr<SimDisk::Inode> inode_;
  std::filesystem::path path_;
};

void SimDisk::alive() const {
  if (dead_) throw PowerCut();  // NOLINT(bugprone-std-exception-baseclass)
}

void SimDisk::cut() {
  dead_ = true;
  throw PowerCut();  // NOLINT(bugprone-std-exception-baseclass)
}

SimDisk::Happens SimDisk::step() {
  alive();
  ++operations_;
  if (!fault_ || operations_ != fault_at_) return Happens::normally;
  switch (*fault_) {
    case Fault::power_cut:
      return Happens::then_cut;
    case Fault::error:
      // A store that goes on as if nothing had been is found out when power is cut soon after.
      plan(Fault::power_cut, operations_ + 2 + random_() % 20);
      return Happens::error;
    case Fault::full:
      full_ = true;
  }
  return Happens::normally;
}

void SimDisk::after_kill() {
  dead_ = false;
  locked_ = false;
  full_ = false;
  fault_.reset();
}

void SimDisk::after_power_cut() {
  after_kill();
  const std::uint64_t luck = random_() % 8;
  luck_ = luck == 0 ? Luck::none : luck == 1 ? Luck::all : Luck::mixed;
  lose_names();
  for (const auto& [name, inode] : kept_) {
    tear(*inode);
    inode->pending.clear();
    inode->seen = inode->kept;
  }
  seen_ = kept_;
}

void SimDisk::lose_names() {
  for (const NameChange& change : pending_) {
    if (luck_ == Luck::all || (luck_ == Luck::mixed && coin())) apply(kept_, change);
  }
  pending_.clear();
  std::erase_if(kept_, [&](const auto& entry) {
    const std::string folder = folder_of(entry.first);
    return !folder.empty() && !kept_.contains(folder);
  });
}

// Puts into what is kept of the file what a power cut leaves of its writes.
void SimDisk::tear(Inode& inode) {
  std::shuffle(inode.pending.begin(), inode.pending.end(), random_);
  const std::size_t size = inode.kept.size();
  for (const Write& write : inode.pending) {
    const std::uint64_t how = random_() % 3;
    if (luck_ == Luck::none || (luck_ == Luck::mixed && how == 0)) continue;
    if (luck_ == Luck::all || how == 1) {
      put(inode.kept, write.bytes, write.offset);
      continue;
    }
    // Sectors next to one another often have one fate: without that hardly a page of a log would
    // ever be whole beside one that is torn.
    const std::size_t stretch = kSector << random_() % 5;
    std::uint64_t kind = 0;
    for (std::size_t at = 0; at < write.bytes.size(); at += kSector) {
      auto sector = std::span(write.bytes).subspan(at, std::min(kSector, write.bytes.size() - at));
      std::vector<std::byte> garbage;
      if (at % stretch == 0) kind = random_() % 5;
      if (kind < 2) continue;
      if (kind == 4) {
        garbage.resize(sector.size());
        for (std::byte& byte : garbage) byte = static_cast<std::byte>(random_());
        sector = garbage;
      }
      put(inode.kept, sector, write.offset + at);
    }
  }
  if (inode.kept.size() > size && luck_ == Luck::mixed && random_() % 4 == 0) {
    inode.kept.resize(size + random_() % (inode.kept.size() - size));
  }
}

void SimDisk::apply(Names& names, const NameChange& change) {
  if (!change.from.empty()) {
    const auto from = names.find(change.from);
    if (from != names.end() && from->second == change.inode) names.erase(from);
  }
  if (change.inode != nullptr) {
    names[change.name] = change.inode;
    return;
  }
  const auto found = names.find(change.name);
  if (found != names.end() && found->second == change.vanished) names.erase(found);
}

void SimDisk::change_names(NameChange change) {
  const Happens happens = step();
  if (happens == Happens::error) throw failed(path(change.name));
  if (full_ && change.inode != nullptr && change.from.empty()) throw DiskFull("no room");
  apply(seen_, change);
  pending_.push_back(std::move(change));
  if (happens == Happens::then_cut) cut();
}

bool SimDisk::exists(const std::string& name) const {
  alive();
  return seen_.contains(name);
}

std::vector<std::string> SimDisk::list() const {
  alive();
  std::vector<std::string> names;
  for (const auto& [name, inode] : seen_) names.push_back(name);
  return names;
}

std::unique_ptr<DiskFile> SimDisk::create(const std::string& name, std::uint64_t bytes) {
  if (exists(name)) throw io_error(Place::file(path(name)), "cannot create", EEXIST);
  if (const std::string folder = folder_of(name); !folder.empty() && !exists(folder)) {
    throw io_error(Place::file(path(name)), "cannot create", ENOENT);
  }
  const auto inode = std::make_shared<Inode>();
  change_names({name, "", inode, nullptr});
  auto file = std::make_unique<SimFile>(*this, inode, path(name));
  if (bytes > 0) file->write(std::vector<std::byte>(bytes), 0);
  return file;
}

std::unique_ptr<DiskFile> SimDisk::open(const std::string& name, Access /*access*/,
                                        bool /*direct*/) {
  if (!exists(name)) throw bad_input(Place::file(path(name)), "no such file", "a file");
  return std::make_unique<SimFile>(*this, seen_.at(name), path(name));
}

void SimDisk::make_folder(const std::string& name) {
  if (exists(name)) throw io_error(Place::file(path(name)), "cannot create", EEXIST);
  change_names({name, "", std::make_shared<Inode>(), nullptr});
}

void SimDisk::rename(const std::string& from, const std::string& to) {
  alive();
  change_names({to, from, seen_.at(from), nullptr});
}

void SimDisk::remove(const std::string& name) {
  alive();
  const auto inside = std::any_of(seen_.begin(), seen_.end(), [&](const auto& entry) {
    return entry.first.starts_with(name + "/");
  });
  if (inside) throw io_error(Place::file(path(name)), "cannot remove", ENOTEMPTY);
  change_names({name, "", nullptr, seen_.at(name)});
}

void SimDisk::sync_folder(const std::string& name) {
  const Happens happens = step();
  if (happens == Happens::then_cut) cut();
  if (happens == Happens::error) throw failed(path(name));
  std::erase_if(pending_, [&](const NameChange& change) {
    if (folder_of(change.name) != name) return false;
    apply(kept_, change);
    return true;
  });
}

std::unique_ptr<DiskLock> SimDisk::lock() {
  class Lock final : public DiskLock {
   public:
    explicit Lock(bool& locked) : locked_(locked) { locked_ = true; }
    ~Lock() override { locked_ = false; }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    bool& locked_;
  };
  if (locked_) throw usage_error("the store is being written to");
  return std::make_unique<Lock>(locked_);
}

std::vector<std::byte>* SimDisk::bytes_of(const std::string& name) {
  const auto found = seen_.find(name);
  return found == seen_.end() ? nullptr : &found->second->seen;
}

void SimDisk::forget(const std::string& name) {
  seen_.erase(name);
  kept_.erase(name);
}

std::unique_ptr<SimDisk> SimDisk::copy(std::uint64_t seed) const {
  auto made = std::make_unique<SimDisk>(seed);
  std::map<const Inode*, std::shared_ptr<Inode>> copies;
  const auto copied = [&](const std::shared_ptr<Inode>& inode) {
    if (inode == nullptr) return std::shared_ptr<Inode>();
    auto& mine = copies[inode.get()];
    if (mine == nullptr) mine = std::make_shared<Inode>(*inode);
    return mine;
  };
  for (const auto& [name, inode] : seen_) made->seen_[name] = copied(inode);
  for (const auto& [name, inode] : kept_) made->kept_[name] = copied(inode);
  for (const NameChange& change : pending_) {
    made->pending_.push_back(
        {change.name, change.from, copied(change.inode), copied(change.vanished)});
  }
  return made;
}

}  // namespace outcore::evolving
