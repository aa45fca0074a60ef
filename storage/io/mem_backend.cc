// SPDX-License-Identifier: Apache-2.0
#include "storage/io/mem_backend.h"

#include <cstring>

#include "common/files.h"
#include "storage/io/copied_channel.h"

namespace outcore {

namespace {

struct LoadedFiles {
  [[nodiscard]] const std::filesystem::path& path(std::uint32_t file) const {
    return files[file].first;
  }
  [[nodiscard]] std::uint64_t bytes(std::uint32_t file) const { return files[file].second.size(); }
  void fill(const ReadRequest& request) const {
    std::memcpy(request.into, files[request.file].second.data() + request.offset, request.bytes);
  }

  std::vector<std::pair<std::filesystem::path, std::vector<std::byte>>> files;
};

class MemBackend final : public Backend {
 public:
  [[nodiscard]] std::string name() const override { return "mem"; }
  [[nodiscard]] BackendTraits traits() const override { return {.copies = true}; }

  std::uint32_t add_file(const std::filesystem::path& path) override {
    const File file = File::open_read(path);
    std::vector<std::byte> bytes(file.size());
    file.read(bytes, 0);
    files_.files.emplace_back(path, std::move(bytes));
    return static_cast<std::uint32_t>(files_.files.size() - 1);
  }

  std::unique_ptr<Channel> open_channel(std::span<std::byte> /*buffers*/) override {
    return std::make_unique<CopiedChannel<LoadedFiles>>(files_);
  }

 private:
  LoadedFiles files_;
};

}  // namespace

std::unique_ptr<Backend> make_mem_backend(const BackendOptions& /*options*/) {
  return std::make_unique<MemBackend>();
}

}  // namespace outcore
