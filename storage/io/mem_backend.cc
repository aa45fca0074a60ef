// SPDX-License-Identifier: Apache-2.0
#include "storage/io/mem_backend.h"

#include <cstring>

#include "common/files.h"
#include "storage/io/copied_channel.h"

namespace outcore {

namespace {

struct LoadedFiles {
  struct Loaded {
    File file;
    bool writable = false;
    std::vector<std::byte> bytes;
  };
  [[nodiscard]] const std::filesystem::path& path(std::uint32_t file) const {
    return files[file].file.path();
  }
  [[nodiscard]] std::uint64_t bytes(std::uint32_t file) const { return files[file].bytes.size(); }
  [[nodiscard]] bool writable(std::uint32_t file) const { return files[file].writable; }
  void read(const Request& request) const {
    std::memcpy(request.memory, files[request.file].bytes.data() + request.offset, request.bytes);
  }
  void write(const Request& request) {
    Loaded& loaded = files[request.file];
    std::memcpy(loaded.bytes.data() + request.offset, request.memory, request.bytes);
    carry_out(loaded.file, request);
  }

  std::vector<Loaded> files;
};

class MemBackend final : public Backend {
 public:
  [[nodiscard]] std::string name() const override { return "mem"; }
  [[nodiscard]] BackendTraits traits() const override { return {.copies = true}; }

  std::uint32_t add_file(const std::filesystem::path& path, bool writable) override {
    File file = writable ? File::open_update(path) : File::open_read(path);
    std::vector<std::byte> bytes(file.size());
    file.read(bytes, 0);
    files_.files.push_back({std::move(file), writable, std::move(bytes)});
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
