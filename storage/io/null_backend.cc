// SPDX-License-Identifier: Apache-2.0
#include "storage/io/null_backend.h"

#include <cstring>

#include "common/files.h"
#include "storage/io/copied_channel.h"

namespace outcore {

namespace {

struct SizedFiles {
  struct Sized {
    std::filesystem::path path;
    std::uint64_t bytes = 0;
    bool writable = false;
  };
  [[nodiscard]] const std::filesystem::path& path(std::uint32_t file) const {
    return files[file].path;
  }
  [[nodiscard]] std::uint64_t bytes(std::uint32_t file) const { return files[file].bytes; }
  [[nodiscard]] bool writable(std::uint32_t file) const { return files[file].writable; }
  static void read(const Request& request) { std::memset(request.memory, 0, request.bytes); }
  static void write(const Request& /*request*/) {}

  std::vector<Sized> files;
};

class NullBackend final : public Backend {
 public:
  [[nodiscard]] std::string name() const override { return "null"; }
  [[nodiscard]] BackendTraits traits() const override { return {.contents = false}; }

  std::uint32_t add_file(const std::filesystem::path& path, bool writable) override {
    const File file = writable ? File::open_update(path) : File::open_read(path);
    files_.files.push_back({path, file.size(), writable});
    return static_cast<std::uint32_t>(files_.files.size() - 1);
  }

  std::unique_ptr<Channel> open_channel(std::span<std::byte> /*buffers*/) override {
    return std::make_unique<CopiedChannel<SizedFiles>>(files_);
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    return {
        "nothing was read or written: the engine saw zeroes, and its answer means "
        "nothing"};
  }

 private:
  SizedFiles files_;
};

}  // namespace

std::unique_ptr<Backend> make_null_backend(const BackendOptions& /*options*/) {
  return std::make_unique<NullBackend>();
}

}  // namespace outcore
