// SPDX-License-Identifier: Apache-2.0
#include "storage/io/mem_backend.h"

#include <algorithm>
#include <cstring>

#include "common/files.h"
#include "storage/io/read_progress.h"

namespace outcore {

namespace {

struct LoadedFile {
  std::filesystem::path path;
  std::vector<std::byte> bytes;
};

class MemChannel final : public Channel {
 public:
  explicit MemChannel(const std::vector<LoadedFile>& files) : files_(files) {}

  Submit submit(const ReadRequest& request) override {
    const LoadedFile& file = files_[request.file];
    if (request.offset + request.bytes > file.bytes.size()) {
      failing_.push_back(request);
      return Submit::queued;
    }
    std::memcpy(request.into, file.bytes.data() + request.offset, request.bytes);
    return Submit::completed;
  }

  void flush() override {}

  std::size_t reap(std::span<Completion> done, std::size_t at_least) override {
    if (failing_.empty() || done.empty() || at_least == 0) return 0;
    ReadProgress progress(failing_.front());
    const LoadedFile& file = files_[failing_.front().file];
    const std::uint64_t end = std::max<std::uint64_t>(file.bytes.size(), progress.offset());
    while (true) progress.take(static_cast<std::int64_t>(end - progress.offset()), file.path);
  }

  [[nodiscard]] std::size_t in_flight() const override { return failing_.size(); }

 private:
  const std::vector<LoadedFile>& files_;
  std::vector<ReadRequest> failing_;
};

class MemBackend final : public Backend {
 public:
  [[nodiscard]] std::string name() const override { return "mem"; }
  [[nodiscard]] BackendTraits traits() const override { return {.copies = true}; }

  std::uint32_t add_file(const std::filesystem::path& path) override {
    const File file = File::open_read(path);
    LoadedFile loaded{path, std::vector<std::byte>(file.size())};
    file.read(loaded.bytes, 0);
    files_.push_back(std::move(loaded));
    return static_cast<std::uint32_t>(files_.size() - 1);
  }

  std::unique_ptr<Channel> open_channel(std::span<std::byte> /*buffers*/) override {
    return std::make_unique<MemChannel>(files_);
  }

 private:
  std::vector<LoadedFile> files_;
};

}  // namespace

std::unique_ptr<Backend> make_mem_backend(const BackendOptions& /*options*/) {
  return std::make_unique<MemBackend>();
}

}  // namespace outcore
