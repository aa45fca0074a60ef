// SPDX-License-Identifier: Apache-2.0
#include "storage/io/null_backend.h"

#include <algorithm>
#include <cstring>

#include "common/files.h"
#include "storage/io/read_progress.h"

namespace outcore {

namespace {

struct SizedFile {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
};

class NullChannel final : public Channel {
 public:
  explicit NullChannel(const std::vector<SizedFile>& files) : files_(files) {}

  Submit submit(const ReadRequest& request) override {
    if (request.offset + request.bytes > files_[request.file].bytes) {
      failing_.push_back(request);
      return Submit::queued;
    }
    std::memset(request.into, 0, request.bytes);
    return Submit::completed;
  }

  void flush() override {}

  std::size_t reap(std::span<Completion> done, std::size_t at_least) override {
    if (failing_.empty() || done.empty() || at_least == 0) return 0;
    ReadProgress progress(failing_.front());
    const SizedFile& file = files_[failing_.front().file];
    const std::uint64_t end = std::max(file.bytes, progress.offset());
    while (true) progress.take(static_cast<std::int64_t>(end - progress.offset()), file.path);
  }

  [[nodiscard]] std::size_t in_flight() const override { return failing_.size(); }

 private:
  const std::vector<SizedFile>& files_;
  std::vector<ReadRequest> failing_;
};

class NullBackend final : public Backend {
 public:
  [[nodiscard]] std::string name() const override { return "null"; }
  [[nodiscard]] BackendTraits traits() const override { return {.contents = false}; }

  std::uint32_t add_file(const std::filesystem::path& path) override {
    files_.push_back({path, File::open_read(path).size()});
    return static_cast<std::uint32_t>(files_.size() - 1);
  }

  std::unique_ptr<Channel> open_channel(std::span<std::byte> /*buffers*/) override {
    return std::make_unique<NullChannel>(files_);
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    return {"nothing was read: what the engine saw are zeroes, and its answer means nothing"};
  }

 private:
  std::vector<SizedFile> files_;
};

}  // namespace

std::unique_ptr<Backend> make_null_backend(const BackendOptions& /*options*/) {
  return std::make_unique<NullBackend>();
}

}  // namespace outcore
