// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "common/error.h"
#include "common/progress.h"
#include "storage/evolving/graphlog.h"
#include "storage/evolving/stream_feed.h"
#include "storage/evolving/stream_pages.h"
#include "storage/evolving/timed_edges.h"
#include "storage/formats/byte_source.h"
#include "storage/formats/text_lines.h"

namespace outcore::evolving {

namespace {

std::string expected_vertex() { return fmt::format("a vertex id (0 to {})", kMostVertices - 1); }

bool any_large(std::span<const LogEdge> edges) {
  std::uint32_t targets = 0;
  for (const LogEdge& edge : edges) targets |= edge.target;
  return removes(targets) || facts_of(edges).greatest >= kMostVertices;
}

// Of the bytes of a stream, which begin at `offset`: throws for the first id that is too large.
void refuse_large(std::span<const LogEdge> edges, const std::filesystem::path& path,
                  std::uint64_t offset) {
  for (const LogEdge& edge : edges) {
    for (const std::uint32_t id : {edge.source, edge.target}) {
      if (id >= kMostVertices) {
        throw bad_input(Place::offset(path, offset), fmt::format("vertex {}", id),
                        expected_vertex());
      }
      offset += sizeof id;
    }
  }
}

void read_pairs32(ByteSource& source, const StreamOptions& options, UpdateSink& sink) {
  const std::filesystem::path& path = source.file().path();
  const std::uint64_t bytes = source.file().bytes().value_or(0);
  Progress progress("ingesting", is_compressed(path) ? 0 : bytes / sizeof(LogEdge), "updates");
  const bool as_it_comes = source.file().passes_once();
  for (std::uint64_t offset = 0;;) {
    const std::span<LogEdge> room = sink.room(options.at_once);
    const std::span<char> space{reinterpret_cast<char*>(room.data()), room.size_bytes()};
    std::size_t read = as_it_comes ? source.read_some(space) : source.read(space);
    const bool is_end = as_it_comes ? read == 0 : read < space.size();
    // The rest of a pair that has come in part; nothing more at the end.
    if (const std::size_t rest = read % sizeof(LogEdge); as_it_comes && rest > 0)
      read += source.read(space.subspan(read, sizeof(LogEdge) - rest));
    const std::span<const LogEdge> edges = room.first(read / sizeof(LogEdge));
    if (any_large(edges)) refuse_large(edges, path, offset);
    sink.append(edges.size());
    progress.add(edges.size());
    offset += read;
    if (const std::size_t rest = read % sizeof(LogEdge); rest > 0) {
      throw bad_input(Place::offset(path, offset - rest), fmt::format("{} bytes at the end", rest),
                      "pairs of 8 bytes (was the stream cut?)");
    }
    if (is_end) return;
  }
}

struct UpdateLine {
  using Record = LogEdge;
  static LineKind parse(LineCursor& line, LogEdge& edge) {
    if (line.front() == '#' || line.front() == '%') return LineKind::nothing;
    const bool removal = line.front() == '-';
    if (removal || line.front() == '+') line.skip(1);
    std::uint64_t source = 0;
    std::uint64_t target = 0;
    if (!line.id(source, 0, kMostVertices - 1) || !line.id(target, 0, kMostVertices - 1))
      return LineKind::refused;
    edge = as_logged({static_cast<VertexId>(source), static_cast<VertexId>(target), removal});
    return LineKind::record;
  }
};

void read_text(ByteSource& source, const StreamOptions& options, UpdateSink& sink) {
  Feed feed(sink, options.at_once);
  const LineSettings settings{
      .source = source, .threads = options.threads, .progress = "ingesting"};
  try {
    read_lines(settings, UpdateLine{}, [&](std::span<const LogEdge> edges) { feed.add(edges); });
  } catch (...) {
    feed.hand_on();
    throw;
  }
  feed.hand_on();
}

// Lines as they come, by this thread alone.
void read_live_text(ByteSource& source, const StreamOptions& options, UpdateSink& sink) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  constexpr std::size_t kLongest = std::size_t{1} << 20;
  constexpr std::size_t kPadding = 16;  // that LineCursor may reach into
  Feed feed(sink, options.at_once);
  std::string text;
  std::uint64_t lines = 0;
  ParsedLines<LogEdge> parsed;
  for (bool is_end = false; !is_end;) {
    const std::size_t kept = text.size();
    text.resize(kept + kPiece);
    const std::size_t read = source.read_some(std::span(text).subspan(kept));
    text.resize(kept + read);
    is_end = read == 0;
    if (is_end && !text.empty()) text += '\n';
    const std::size_t whole = text.rfind('\n') + 1;  // 0 where there is none
    if (whole == 0 && text.size() < kLongest) continue;
    const std::size_t size = text.size();
    text.append(kPadding, '\0');
    parse_lines(UpdateLine{}, std::string_view(text).substr(0, whole == 0 ? size : whole), parsed);
    text.resize(size);
    lines += parsed.lines;
    feed.add(parsed.records);
    feed.hand_on();
    if (!parsed.found.empty())
      throw bad_input(Place::line(source.file().path(), lines), parsed.found, parsed.expected);
    text.erase(0, whole);
  }
}

// The format that a name's ending tells; pairs32 where it tells none.
std::string format_of(const std::filesystem::path& path) {
  constexpr std::array kText = {".txt", ".el", ".wel", ".tsv", ".edges", ".snap"};
  const std::string ending = without_compression(path).extension().string();
  if (std::find(kText.begin(), kText.end(), ending) != kText.end()) return "text";
  for (const std::string& format : stream_formats()) {
    if (ending == "." + format) return format;
  }
  return "pairs32";
}

}  // namespace

const std::vector<std::string>& stream_formats() {
  static const std::vector<std::string> kFormats = {"pairs32", "text", "ocs", "tel32", "graphlog"};
  return kFormats;
}

void read_stream(const std::filesystem::path& path, const StreamOptions& options,
                 UpdateSink& sink) {
  std::string format = options.format;
  std::vector<std::string> known = stream_formats();
  known.insert(known.begin(), "auto");
  if (std::find(known.begin(), known.end(), format) == known.end())
    throw unknown_name("format of a stream", format, known);
  const std::unique_ptr<ByteSource> source = open_source(path);
  if (format == "auto") format = format_of(path);
  if (format == "ocs") return read_stream_pages(*source, options, sink);
  if (format == "tel32") return read_timed_edges(*source, options, sink);
  if (format == "graphlog") return read_graphlog(*source, options, sink);
  if (format == "pairs32") return read_pairs32(*source, options, sink);
  if (source->file().passes_once()) return read_live_text(*source, options, sink);
  read_text(*source, options, sink);
}

}  // namespace outcore::evolving
