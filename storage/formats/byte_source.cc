// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/byte_source.h"

#include <fmt/format.h>
#define ZLIB_CONST  // that inflate does not write to its input
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "common/error.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kInputBytes = std::size_t{256} << 10;

class PlainSource : public ByteSource {
 public:
  explicit PlainSource(const fs::path& path) : file_(File::open_read(path)), bytes_(file_.size()) {}

  std::size_t read(std::span<char> into) override {
    const std::size_t count = std::min<std::uint64_t>(into.size(), bytes_ - at_);
    file_.read(std::as_writable_bytes(into.first(count)), at_);
    at_ += count;
    return count;
  }
  [[nodiscard]] std::uint64_t position() const override { return at_; }

 private:
  File file_;
  std::uint64_t bytes_;
  std::uint64_t at_ = 0;
};

// What .gz and .zst have in common: a window on the compressed file, and how they complain.
class CompressedSource : public ByteSource {
 public:
  explicit CompressedSource(const fs::path& path) : file_(path), input_(kInputBytes) {}

  [[nodiscard]] std::uint64_t position() const override { return file_.position(); }

 protected:
  // The next part of the file; empty at its end.
  std::span<const char> more_input() { return std::span(input_).first(file_.read(input_)); }
  // `unread` bytes of the input were not used.
  [[noreturn]] void refuse(std::size_t unread, const std::string& found) const {
    throw bad_input(Place::offset(path_, file_.position() - unread), found, expected_,
                    "the file is broken; get it again");
  }
  [[noreturn]] void refuse_cut() const {
    throw bad_input(Place::offset(path_, file_.position()), "the end of the file",
                    "more of its " + expected_, "the file was cut; get it again");
  }
  void describe(const fs::path& path, std::string expected) {
    path_ = path;
    expected_ = std::move(expected);
  }

 private:
  PlainSource file_;
  fs::path path_;
  std::string expected_;
  std::vector<char> input_;
};

class GzipSource : public CompressedSource {
 public:
  explicit GzipSource(const fs::path& path) : CompressedSource(path) {
    describe(path, "gzip data");
    constexpr int kGzipOnly = 16;
    if (::inflateInit2(&stream_, kGzipOnly + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { ::inflateEnd(&stream_); }

  std::size_t read(std::span<char> into) override {
    std::size_t filled = 0;
    while (filled < into.size()) {
      if (stream_.avail_in == 0 && !refill()) break;
      if (between_members_) {
        ::inflateReset(&stream_);
        between_members_ = false;
      }
      const std::size_t room =
          std::min<std::size_t>(into.size() - filled, std::numeric_limits<uInt>::max());
      stream_.next_out = reinterpret_cast<Bytef*>(into.data() + filled);
      stream_.avail_out = static_cast<uInt>(room);
      const int result = ::inflate(&stream_, Z_NO_FLUSH);
      filled += room - stream_.avail_out;
      if (result == Z_STREAM_END) {
        between_members_ = true;
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        refuse(stream_.avail_in, stream_.msg == nullptr ? "broken data" : stream_.msg);
      }
    }
    return filled;
  }

 private:
  // False at a proper end of the file.
  bool refill() {
    const std::span<const char> input = more_input();
    if (input.empty() && !(between_members_ && begun_)) refuse_cut();
    begun_ = true;
    stream_.next_in = reinterpret_cast<const Bytef*>(input.data());
    stream_.avail_in = static_cast<uInt>(input.size());
    return !input.empty();
  }

  z_stream stream_{};
  bool begun_ = false;
  bool between_members_ = false;
};

class ZstdSource : public CompressedSource {
 public:
  explicit ZstdSource(const fs::path& path)
      : CompressedSource(path), stream_(::ZSTD_createDStream()) {
    describe(path, "zstd data");
    if (stream_ == nullptr) throw std::bad_alloc();
  }

  std::size_t read(std::span<char> into) override {
    ZSTD_outBuffer output{into.data(), into.size(), 0};
    while (output.pos < output.size) {
      if (input_.pos == input_.size) {
        const std::span<const char> input = more_input();
        input_ = {input.data(), input.size(), 0};
      }
      const bool at_end = input_.size == 0;
      if (at_end && frame_left_ == 0) break;
      const std::size_t before = output.pos;
      frame_left_ = ::ZSTD_decompressStream(stream_.get(), &output, &input_);
      if (::ZSTD_isError(frame_left_) != 0) {
        refuse(input_.size - input_.pos, ::ZSTD_getErrorName(frame_left_));
      }
      // Without input the decoder hands over what it still holds.
      if (at_end && frame_left_ != 0 && output.pos == before) refuse_cut();
    }
    return output.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ::ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_;
  ZSTD_inBuffer input_{};
  std::size_t frame_left_ = 1;  // 0 between frames
};

}  // namespace

std::unique_ptr<ByteSource> open_source(const fs::path& path) {
  if (path.extension() == ".gz") return std::make_unique<GzipSource>(path);
  if (path.extension() == ".zst") return std::make_unique<ZstdSource>(path);
  return std::make_unique<PlainSource>(path);
}

bool is_compressed(const fs::path& path) {
  return path.extension() == ".gz" || path.extension() == ".zst";
}

fs::path without_compression(const fs::path& path) {
  return is_compressed(path) ? fs::path(path).replace_extension() : path;
}

}  // namespace outcore
