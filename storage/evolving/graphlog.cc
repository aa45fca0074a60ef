// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/graphlog.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/progress.h"
#include "common/sizes.h"
#include "storage/evolving/stream_feed.h"

namespace outcore::evolving {

namespace {

constexpr std::string_view kMagic = "# GRAPHLOG";
constexpr std::string_view kEnd = "__BINARY_SECTION_FOLLOWS";
constexpr std::size_t kMostHeader = std::size_t{1} << 20;
constexpr std::uint64_t kMostBlock = std::uint64_t{1} << 30;
constexpr std::size_t kWordsOfAnEdge = 3;
constexpr std::size_t kEdgeBytes = kWordsOfAnEdge * sizeof(std::uint64_t);

class GraphlogReader {
 public:
  explicit GraphlogReader(ByteSource& source) : source_(source), input_(std::size_t{1} << 18) {}

  void read(const StreamOptions& options, UpdateSink& sink) {
    read_header();
    skip_to(property("internal.edges.begin"));
    const std::uint64_t edges = property("internal.edges.cardinality");
    const std::uint64_t block_bytes = property("internal.edges.block_size");
    if (block_bytes < kEdgeBytes || block_bytes > kMostBlock) {
      throw bad_input(Place::file(path()), fmt::format("blocks of {} bytes", block_bytes),
                      fmt::format("{} to {}", kEdgeBytes, human_size(kMostBlock)));
    }
    block_.resize(block_bytes / sizeof(std::uint64_t));
    Progress progress("ingesting", edges, "updates");
    Feed feed(sink, options.at_once);
    try {
      for (std::uint64_t done = 0; done < edges;) {
        const std::uint64_t some = inflate_block(done, edges);
        hand_on(some, feed);
        done += some;
        progress.add(some);
      }
    } catch (...) {
      feed.hand_on();
      throw;
    }
    feed.hand_on();
  }

 private:
  [[nodiscard]] const std::filesystem::path& path() const { return source_.file().path(); }

  // One line, without its end; `number` for the message.
  std::string line(std::uint64_t number) {
    std::string text;
    for (char c = 0; source_.read({&c, 1}) == 1; text += c) {
      ++offset_;
      if (c == '\n') return text;
      if (offset_ > kMostHeader) break;
    }
    throw bad_input(Place::line(path(), number), "no further line",
                    fmt::format("the line {}", kEnd), "this is no graphlog");
  }

  void read_header() {
    std::string first(kMagic.size(), '\0');
    const std::size_t read = source_.read(first);
    source_.put_back(std::span(first).first(read));
    if (first != kMagic) {
      throw bad_input(Place::line(path(), 1), fmt::format("'{}'", printable(first.substr(0, read))),
                      fmt::format("'{}'", kMagic), "this is no graphlog");
    }
    for (std::uint64_t number = 1;; ++number) {
      std::string text = line(number);
      if (text == kEnd) return;
      text = text.substr(0, text.find('#'));
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos) continue;
      properties_[trimmed(text.substr(0, equals))] = trimmed(text.substr(equals + 1));
    }
  }

  static std::string printable(std::string text) {
    for (char& c : text) {
      if (c < ' ' || c > '~') c = '?';
    }
    return text;
  }
  static std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    return begin == std::string::npos
               ? std::string()
               : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
  }

  [[nodiscard]] std::uint64_t property(const std::string& name) const {
    const auto found = properties_.find(name);
    const std::string text = found == properties_.end() ? std::string() : found->second;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return value;
    throw bad_input(Place::file(path()),
                    text.empty() ? fmt::format("no {}", name) : fmt::format("{} = {}", name, text),
                    fmt::format("a property {} = NUMBER", name),
                    "it is a graphlog of another version");
  }

  void skip_to(std::uint64_t offset) {
    if (offset < offset_) {
      throw bad_input(Place::file(path()), fmt::format("edges from byte {} on", offset),
                      fmt::format("behind the header of {} bytes", offset_),
                      "it is a graphlog of another version");
    }
    while (offset_ < offset) {
      const std::size_t some =
          static_cast<std::size_t>(std::min<std::uint64_t>(input_.size(), offset - offset_));
      const std::size_t read = source_.read(std::span(input_).first(some));
      offset_ += read;
      if (read < some) cut();
    }
  }

  [[noreturn]] void cut() const {
    throw bad_input(Place::offset(path(), offset_), "the end of the file", "further edges",
                    "was the stream cut?");
  }

  // Fills block_; returns its edges, of which `done` came before it.
  std::uint64_t inflate_block(std::uint64_t done, std::uint64_t edges) {
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
      throw Error(ExitCode::memory, "no memory to decompress a graphlog");
    }
    const std::uint64_t begin = offset_;
    stream.next_out = reinterpret_cast<Bytef*>(block_.data());
    stream.avail_out = static_cast<uInt>(block_.size() * sizeof(std::uint64_t));
    int answer = Z_OK;
    while (answer == Z_OK) {
      if (unused_.empty()) {
        unused_ = std::span(input_).first(source_.read(input_));
        if (unused_.empty()) break;
      }
      stream.next_in = reinterpret_cast<Bytef*>(unused_.data());
      stream.avail_in = static_cast<uInt>(unused_.size());
      answer = inflate(&stream, Z_NO_FLUSH);
      offset_ += unused_.size() - stream.avail_in;
      unused_ = unused_.last(stream.avail_in);
    }
    const std::uint64_t bytes = stream.total_out;
    inflateEnd(&stream);
    if (answer == Z_OK) cut();
    const std::uint64_t some = bytes / kEdgeBytes;
    if (answer != Z_STREAM_END || bytes % kEdgeBytes != 0 || some == 0 || some > edges - done) {
      throw bad_input(Place::offset(path(), begin),
                      answer == Z_STREAM_END ? fmt::format("a block of {} bytes", bytes)
                                             : std::string("what does not decompress"),
                      fmt::format("a block of at most {} of {} edges", edges - done, edges),
                      "the graphlog is damaged");
    }
    return some;
  }

  void hand_on(std::uint64_t edges, Feed& feed) const {
    for (std::uint64_t i = 0; i < edges; ++i) {
      const std::uint64_t source = block_[i];
      const std::uint64_t target = block_[edges + i];
      if (const std::uint64_t greater = std::max(source, target); greater >= kMostVertices) {
        throw bad_input(Place::offset(path(), offset_),
                        fmt::format("vertex {} in the block before it", greater),
                        fmt::format("at most {}", kMostVertices - 1));
      }
      const bool removal = std::bit_cast<double>(block_[2 * edges + i]) == -1;
      feed.add(as_logged({static_cast<VertexId>(source), static_cast<VertexId>(target), removal}));
    }
  }

  ByteSource& source_;
  std::uint64_t offset_ = 0;  // of what was used
  std::map<std::string, std::string> properties_;
  std::vector<char> input_;
  std::span<char> unused_;  // of it
  std::vector<std::uint64_t> block_;
};

}  // namespace

void read_graphlog(ByteSource& source, const StreamOptions& options, UpdateSink& sink) {
  GraphlogReader(source).read(options, sink);
}

}  // namespace outcore::evolving
