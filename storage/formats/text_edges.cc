// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/text_edges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/progress.h"

namespace outcore {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{2} << 20;  // that a thread parses at a time

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Whole lines, each with its '\n', and what came of them.
struct Piece {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::vector<TextEdge> edges;
  std::uint64_t lines = 0;  // up to and with the wrong one, if there is one
  std::string found;        // not empty: what was wrong
  std::string expected;

  void parse();

 private:
  bool id(const char*& at, std::uint64_t& value);
  void refuse(const char* token, const std::string& why);
};

void Piece::parse() {
  edges.clear();
  lines = 0;
  found.clear();
  for (const char* at = begin; at < end;) {
    ++lines;
    while (is_blank(*at)) ++at;
    if (*at != '\n' && *at != '#' && *at != '%') {
      TextEdge edge;
      if (!id(at, edge.first) || !id(at, edge.second)) return;
      edges.push_back(edge);
    }
    while (*at != '\n') ++at;
    ++at;
  }
}

// Reads one id and the blanks behind it. The last line of a piece ends with '\n', so no check
// against the end is needed.
bool Piece::id(const char*& at, std::uint64_t& value) {
  const char* const token = at;
  value = 0;
  for (; *at >= '0' && *at <= '9'; ++at) {
    const auto digit = static_cast<std::uint64_t>(*at - '0');
    if (value > (kGreatestTextId - digit) / 10) {
      refuse(token, fmt::format("a vertex id up to {}", kGreatestTextId));
      return false;
    }
    value = value * 10 + digit;
  }
  if (at == token || (!is_blank(*at) && *at != '\n')) {
    refuse(token, fmt::format("a vertex id (0 to {})", kGreatestTextId));
    return false;
  }
  while (is_blank(*at)) ++at;
  return true;
}

void Piece::refuse(const char* token, const std::string& why) {
  const char* last = token;
  while (*last != '\n' && !is_blank(*last) && last - token < 40) ++last;
  found = last == token ? "the end of the line" : fmt::format("'{}'", std::string(token, last));
  expected = why;
}

// Cuts whole lines into pieces of about equal size, at line ends.
void cut(const char* begin, const char* end, std::vector<Piece>& pieces) {
  const char* at = begin;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const auto left = static_cast<std::size_t>(end - at);
    const char* stop = at + left / (pieces.size() - p);
    if (stop < end && stop > at) {
      stop = static_cast<const char*>(
                 std::memchr(stop - 1, '\n', static_cast<std::size_t>(end - stop + 1))) +
             1;
    }
    pieces[p].begin = at;
    pieces[p].end = at = (p + 1 == pieces.size() ? end : stop);
  }
}

}  // namespace

void read_text_edges(const File& file, unsigned threads, const std::string& what,
                     const std::function<void(std::span<const TextEdge>)>& sink) {
  const std::uint64_t bytes = file.size();
  Progress progress(what, bytes, "bytes");
  std::vector<Piece> pieces(threads);
  std::vector<char> window(kPieceBytes * threads + 1);  // one more for a '\n' that is missing
  std::uint64_t lines = 0;
  std::size_t kept = 0;  // of a line that the last window began
  for (std::uint64_t offset = 0; offset < bytes;) {
    const std::size_t count = std::min<std::uint64_t>(window.size() - 1 - kept, bytes - offset);
    if (count == 0) {
      throw bad_input(Place::line(file.path(), lines + 1),
                      fmt::format("a line of more than {} bytes", kept), "two vertex ids a line");
    }
    file.read(std::as_writable_bytes(std::span(window).subspan(kept, count)), offset);
    offset += count;
    std::size_t filled = kept + count;
    if (offset == bytes && window[filled - 1] != '\n') window[filled++] = '\n';
    const char* const begin = window.data();
    const void* const newline = ::memrchr(begin, '\n', filled);
    const char* const end = newline == nullptr ? begin : static_cast<const char*>(newline) + 1;
    cut(begin, end, pieces);
#pragma omp parallel for num_threads(static_cast <int>(threads)) schedule(static, 1)
    for (std::size_t p = 0; p < pieces.size(); ++p) pieces[p].parse();
    for (const Piece& piece : pieces) {
      lines += piece.lines;
      if (!piece.found.empty()) {
        throw bad_input(Place::line(file.path(), lines), piece.found, piece.expected);
      }
      sink(piece.edges);
    }
    kept = static_cast<std::size_t>(begin + filled - end);
    std::memmove(window.data(), end, kept);
    progress.add(count);
  }
}

}  // namespace outcore
