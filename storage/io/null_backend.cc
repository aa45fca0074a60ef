// SPDX-License-Identifier: Apache-2.0
#include "storage/io/null_backend.h"

#include <cstring>

#include "common/files.h"
#include "storage/io/copied_channel.h"

namespace outcore {

namespace {

struct SizedFiles {
  [[nodiscard]] const std::filesystem::path& path(std::uint32_t file) const {
    return files[file].first;
  }
  [[nodiscard]] std::uint64_t bytes(std::uint32_t file) const { return files[file].second; }
  static void fill(const ReadRequest& request) { std::memset(request.into, 0, request.bytes); }

  std::vector<std::pair<std::filesystem::path, std::uint64_t>> files;
};

class NullBackend final : public Backend {
 public:
  [[nodiscard]] std::string name() const override { return "null"; }
  [[nodiscard]] BackendTraits traits() const override { return {.contents = false}; }

  std::uint32_t add_file(const std::filesystem::path& path) override {
    files_.files.emplace_back(path, File::open_read(path).size());
    return static_cast<std::uint32_t>(files_.files.size() - 1);
  }

  std::unique_ptr<Channel> open_channel(std::span<std::byte> /*buffers*/) override {
    return std::make_unique<CopiedChannel<SizedFiles>>(files_);
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    return {"nothing was read: what the engine saw are zeroes, and its answer means nothing"};
  }

 private:
  SizedFiles files_;
};

}  // namespace

std::unique_ptr<Backend> make_null_backend(const BackendOptions& /*options*/) {
  return std::make_unique<NullBackend>();
}

}  // namespace outcore
