// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>
#define ZLIB_CONST  // inflate does not write to its input
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <string>
#include <string_view>

#include "common/error.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kInputBytes = std::size_t{256} << 10;

// Opens the file; returns a negative number on failure. Only files and pipes are opened: reading a
// device may have side effects.
int open_input(const fs::path& path) {
  if (path == "-") {
    if (::isatty(STDIN_FILENO) == 1) {
      throw usage_error(
          "- is standard input, which is a terminal here; expected a graph through a pipe");
    }
    return ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const bool folder = fs::is_directory(status);
  if (folder || fs::is_character_file(status) || fs::is_block_file(status) ||
      fs::is_socket(status)) {
    throw bad_input(Place::file(path), folder ? "a folder" : "a device or socket",
                    "a file of edges or a pipe");
  }
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

}  // namespace

InputFile::Descriptor::~Descriptor() {
  if (fd >= 0) ::close(fd);
}

InputFile::InputFile(const fs::path& path)
    : path_(path == "-" ? "standard input" : path),
      file_(open_input(path)),
      cancelled_(::eventfd(0, EFD_CLOEXEC)) {
  struct stat status {};
  if (file_.fd < 0 || cancelled_.fd < 0 || ::fstat(file_.fd, &status) != 0) {
    throw io_error(Place::file(path_), "cannot open", errno);
  }
  const bool regular = S_ISREG(status.st_mode);
  passes_once_ = path == "-" || !regular;
  if (regular) bytes_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::InputFile(int fd, const fs::path& name)
    : path_(name), file_(fd), cancelled_(::eventfd(0, EFD_CLOEXEC)) {
  if (cancelled_.fd < 0) throw io_error(Place::file(path_), "cannot open", errno);
}

std::size_t InputFile::read(std::span<char> into) {
  const std::size_t known = std::min(into.size(), peeked_.size());
  const auto end = peeked_.begin() + static_cast<std::ptrdiff_t>(known);
  std::copy(peeked_.begin(), end, into.begin());
  peeked_.erase(peeked_.begin(), end);
  return known + fetch(into.subspan(known));
}

std::size_t InputFile::read_some(std::span<char> into) {
  return peeked_.empty() ? fetch_some(into)
                         : read(into.first(std::min(into.size(), peeked_.size())));
}

std::span<const char> InputFile::peek(std::size_t count) {
  peeked_.resize(count);
  peeked_.resize(fetch(peeked_));
  return peeked_;
}

void InputFile::cancel() {
  // Writing fails only if the counter is full, which is impossible here.
  static_cast<void>(::eventfd_write(cancelled_.fd, 1));
}

// Waits until the file can be read or has ended. False when cancelled.
bool InputFile::wait() const {
  std::array<pollfd, 2> events = {pollfd{file_.fd, POLLIN, 0}, pollfd{cancelled_.fd, POLLIN, 0}};
  while (::poll(events.data(), events.size(), -1) < 0) {
    if (errno != EINTR) throw io_error(Place::offset(path_, fetched_), "cannot wait", errno);
  }
  return events[1].revents == 0;
}

std::size_t InputFile::fetch(std::span<char> into) {
  std::size_t filled = 0;
  while (filled < into.size()) {
    const std::size_t got = fetch_some(into.subspan(filled));
    if (got == 0) break;
    filled += got;
  }
  return filled;
}

std::size_t InputFile::fetch_some(std::span<char> into) {
  while (!into.empty() && wait()) {
    const ssize_t got = ::read(file_.fd, into.data(), into.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw io_error(Place::offset(path_, fetched_), "cannot read", errno);
    hash_.add(std::as_bytes(into.first(static_cast<std::size_t>(got))));
    fetched_ += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  }
  return 0;
}

std::size_t ByteSource::read(std::span<char> into) {
  const std::size_t known = std::min(into.size(), put_back_.size());
  const auto end = put_back_.begin() + static_cast<std::ptrdiff_t>(known);
  std::copy(put_back_.begin(), end, into.begin());
  put_back_.erase(put_back_.begin(), end);
  return known == into.size() ? known : known + decode(into.subspan(known));
}

std::size_t ByteSource::read_some(std::span<char> into) {
  if (put_back_.empty()) return decode_some(into);
  return read(into.first(std::min(into.size(), put_back_.size())));
}

void ByteSource::put_back(std::span<const char> bytes) {
  put_back_.insert(put_back_.begin(), bytes.begin(), bytes.end());
}

namespace {

class PlainSource : public ByteSource {
 public:
  using ByteSource::ByteSource;

 protected:
  std::size_t decode(std::span<char> into) override { return file().read(into); }
  std::size_t decode_some(std::span<char> into) override { return file().read_some(into); }
};

// What .gz and .zst share: a window on the compressed file, and their errors.
class CompressedSource : public ByteSource {
 public:
  CompressedSource(std::unique_ptr<InputFile> file, std::string expected)
      : ByteSource(std::move(file)), expected_(std::move(expected)), input_(kInputBytes) {}

 protected:
  // The next part of the file; empty at its end.
  std::span<const char> more_input() { return std::span(input_).first(file().read(input_)); }
  // Throws for broken data; the last `unread` bytes of the input were not used.
  [[noreturn]] void refuse(std::size_t unread, const std::string& found) const {
    throw bad_input(Place::offset(file().path(), file().position() - unread), found, expected_,
                    "the file is broken; get it again");
  }
  [[noreturn]] void refuse_cut() const {
    throw bad_input(Place::offset(file().path(), file().position()), "the end of the file",
                    "more of its " + expected_, "the file was cut; get it again");
  }

 private:
  std::string expected_;
  std::vector<char> input_;
};

class GzipSource : public CompressedSource {
 public:
  explicit GzipSource(std::unique_ptr<InputFile> file)
      : CompressedSource(std::move(file), "gzip data") {
    constexpr int kGzipOnly = 16;
    if (::inflateInit2(&stream_, kGzipOnly + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { ::inflateEnd(&stream_); }

 protected:
  std::size_t decode(std::span<char> into) override {
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
  explicit ZstdSource(std::unique_ptr<InputFile> file)
      : CompressedSource(std::move(file), "zstd data"), stream_(::ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }

 protected:
  std::size_t decode(std::span<char> into) override {
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
      // Without input, the decoder still outputs what it holds.
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

// The compression, as a file name's ending would give it.
std::string compression_of(InputFile& file) {
  if (!file.passes_once()) return file.path().extension().string();
  const std::span<const char> head = file.peek(4);
  const std::string_view begin(head.data(), head.size());
  if (begin.starts_with("\x1f\x8b\x08")) return ".gz";
  return begin == "\x28\xb5\x2f\xfd" ? ".zst" : "";
}

}  // namespace

std::unique_ptr<ByteSource> open_pipe(int fd, const fs::path& name) {
  return std::make_unique<PlainSource>(std::make_unique<InputFile>(fd, name));
}

std::unique_ptr<ByteSource> open_source(const fs::path& path) {
  auto file = std::make_unique<InputFile>(path);
  const std::string compression = compression_of(*file);
  if (compression == ".gz") return std::make_unique<GzipSource>(std::move(file));
  if (compression == ".zst") return std::make_unique<ZstdSource>(std::move(file));
  return std::make_unique<PlainSource>(std::move(file));
}

bool is_compressed(const fs::path& path) {
  return path.extension() == ".gz" || path.extension() == ".zst";
}

fs::path without_compression(const fs::path& path) {
  return is_compressed(path) ? fs::path(path).replace_extension() : path;
}

}  // namespace outcore
