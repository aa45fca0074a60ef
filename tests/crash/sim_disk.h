// SPDX-License-Identifier: Apache-2.0
// A disk that loses power (disk.h says what it then keeps). It has an image that is kept and one
// that is seen, and remembers what the second has beyond the first. After a power cut each write
// that no sync covers, by itself and in any order, happened not at all, whole, or sector by sector:
// each of 512 bytes old, new or garbage. A file that grew has its old size, its new one or one in
// between. Of creations, renames and removals that no sync of their folder covers any subset
// happened.
//
// Every write, sync, creation, rename and removal is an *operation* and has a number, from 1. At
// one of them power may be cut, the operation may fail, or the disk may become full.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "storage/evolving/durable/disk.h"

namespace outcore::evolving {

// No std::exception, so that nothing that handles errors takes it for one.
struct PowerCut {};

class SimDisk final : public Disk {
 public:
  enum class Fault : std::uint8_t { power_cut, error, full };

  explicit SimDisk(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] std::uint64_t operations() const { return operations_; }
  // What happens at that operation. A power cut is in the middle of it; an error is answered once,
  // and power is cut soon after; a full disk stays full until make_room().
  void plan(Fault fault, std::uint64_t at) {
    fault_ = fault;
    fault_at_ = at;
  }
  void make_room() { full_ = false; }
  // The process is gone and the disk goes on. REQUIRES: nothing of it is open any more.
  void after_kill();
  // Power was cut and is back.
  void after_power_cut();

  // For tests of damage: a file as it is seen, to be changed. Null if there is none.
  std::vector<std::byte>* bytes_of(const std::string& name);
  void forget(const std::string& name);
  [[nodiscard]] std::unique_ptr<SimDisk> copy(std::uint64_t seed) const;

  [[nodiscard]] bool serves_threads() const override { return false; }
  [[nodiscard]] std::filesystem::path path(const std::string& name) const override {
    return std::filesystem::path("sim") / name;
  }
  [[nodiscard]] bool exists(const std::string& name) const override;
  [[nodiscard]] std::vector<std::string> list() const override;
  std::unique_ptr<DiskFile> create(const std::string& name, std::uint64_t bytes) override;
  std::unique_ptr<DiskFile> open(const std::string& name, Access access, bool direct) override;
  void make_folder(const std::string& name) override;
  void rename(const std::string& from, const std::string& to) override;
  void remove(const std::string& name) override;
  void sync_folder(const std::string& name) override;
  std::unique_ptr<DiskLock> lock() override;

 private:
  friend class SimFile;
  static constexpr std::size_t kSector = 512;

  struct Write {
    std::uint64_t offset;
    std::vector<std::byte> bytes;
  };
  struct Inode {
    std::vector<std::byte> kept;
    std::vector<std::byte> seen;
    std::vector<Write> pending;  // what is seen and not kept
  };
  using Names = std::map<std::string, std::shared_ptr<Inode>>;  // a folder has an inode too
  struct NameChange {
    std::string name;                 // that appears or disappears
    std::string from;                 // of a rename
    std::shared_ptr<Inode> inode;     // that appears; null if it is removed
    std::shared_ptr<Inode> vanished;  // that is removed
  };

  // Counts an operation. `fails` says what to do to it.
  enum class Happens : std::uint8_t { normally, then_cut, error };
  Happens step();
  void alive() const;
  void change_names(NameChange change);
  static void apply(Names& names, const NameChange& change);
  void tear(Inode& inode);
  void lose_names();
  bool coin() { return (random_() & 1) != 0; }
  [[noreturn]] void cut();

  std::mt19937_64 random_;
  Names seen_;
  Names kept_;
  std::vector<NameChange> pending_;
  std::uint64_t operations_ = 0;
  std::optional<Fault> fault_;
  std::uint64_t fault_at_ = 0;
  bool dead_ = false;
  bool full_ = false;
  bool locked_ = false;
  // In one cut of four all is lost that may be, and in one nothing is.
  enum class Luck : std::uint8_t { mixed, none, all };
  Luck luck_ = Luck::mixed;
};

}  // namespace outcore::evolving
