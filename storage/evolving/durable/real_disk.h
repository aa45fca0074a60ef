// SPDX-License-Identifier: Apache-2.0
// A folder of the file system as a Disk.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "storage/evolving/durable/disk.h"
#include "storage/io/backend.h"

namespace outcore::evolving {

class RealDisk final : public Disk {
 public:
  // Makes the folder where it is missing, durably. Throws Error (io) where it cannot.
  static void make(const std::filesystem::path& folder);
  // Throws a usage Error where there is no such folder.
  explicit RealDisk(std::filesystem::path folder);

  // What was asked of it so far; a file of the disk counts until it is closed.
  [[nodiscard]] const RequestGauge& requests() const { return *requests_; }

  [[nodiscard]] bool serves_threads() const override { return true; }
  [[nodiscard]] std::filesystem::path path(const std::string& name) const override {
    return folder_ / name;
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
  std::filesystem::path folder_;
  std::shared_ptr<RequestGauge> requests_ = std::make_shared<RequestGauge>();
};

}  // namespace outcore::evolving
