// SPDX-License-Identifier: Apache-2.0
// Text with one record a line: parsed by several threads, passed on in the file's order
// (piece_reader.h). A grammar says what a line holds. It is a class with
//
//   using Record = ...;
//   LineKind parse(LineCursor& line, Record& record) const;
//
// parse() reads from the line's first non-blank character, or from its very first character if the
// grammar has a member kFromFirstCharacter. It need not read to the end of the line. Views of the
// line are valid until the sink that gets its record returns.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "storage/formats/piece_reader.h"

namespace outcore {

inline constexpr std::uint64_t kGreatestTextId = ~std::uint64_t{0} - 1;

enum class LineKind : std::uint8_t { record, nothing, refused };

// One line, which ends with '\n'. What a function refuses is kept for the message.
class LineCursor {
 public:
  explicit LineCursor(const char* at) : at_(at) { skip_blanks(); }
  static LineCursor from_first_character(const char* at) {
    LineCursor line("\n");
    line.at_ = at;
    return line;
  }

  [[nodiscard]] char front() const { return *at_; }
  [[nodiscard]] bool empty() const { return *at_ == '\n'; }
  void skip(std::size_t characters) {
    at_ += characters;
    skip_blanks();
  }

  // Each reads one word and the blanks after it; false if it is not what it should be.
  bool id(std::uint64_t& value, std::uint64_t least = 0, std::uint64_t most = kGreatestTextId) {
    const char* const word = at_;
    value = 0;
    if (!digits(value) || (!is_blank(*at_) && *at_ != '\n') || value < least || value > most) {
      return refuse_id(word, least, most);
    }
    skip_blanks();
    return true;
  }
  bool weight(float& value);  // finite
  // The word as it is written. REQUIRES: !empty().
  std::string_view take_word() {
    const char* const begin = at_;
    while (!is_blank(*at_) && *at_ != '\n') ++at_;
    const std::string_view word(begin, static_cast<std::size_t>(at_ - begin));
    skip_blanks();
    return word;
  }
  bool end() { return empty() || refuse_word("the end of the line"); }

  // The beginning of the next line, in a text that ends at `text_end`.
  [[nodiscard]] const char* next_line(const char* text_end) const {
    if (empty()) return at_ + 1;
    const auto left = static_cast<std::size_t>(text_end - at_);
    return static_cast<const char*>(std::memchr(at_, '\n', left)) + 1;
  }

  // For errors that a grammar itself finds: refuses the current word, or the one that began at
  // `word`.
  [[nodiscard]] const char* word() const { return at_; }
  bool refuse_word(const std::string& expected) { return refuse(at_, expected); }
  bool refuse(const char* word, const std::string& expected);
  bool refuse_text(const std::string& found, const std::string& expected) {
    found_ = found;
    expected_ = expected;
    return false;
  }
  [[nodiscard]] const std::string& found() const { return found_; }
  [[nodiscard]] const std::string& expected() const { return expected_; }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void skip_blanks() {
    while (is_blank(*at_)) ++at_;
  }
  // Reads eight characters at a time. False if there is no digit, or the number exceeds 64 bits.
  bool digits(std::uint64_t& value) {
    for (unsigned words = 0;; ++words) {
      std::uint64_t characters = 0;
      std::memcpy(&characters, at_, sizeof characters);  // may reach into the padding
      const std::uint64_t offsets = characters ^ 0x3030303030303030U;
      const std::uint64_t others =
          (offsets | (offsets + 0x7676767676767676U)) & 0x8080808080808080U;
      const unsigned count = others == 0 ? 8 : static_cast<unsigned>(std::countr_zero(others)) / 8;
      if (count == 0) return words > 0;
      if (words == 2) return more_digits(value);
      value = value * kPowers[count] + number_of(offsets << (64 - 8 * count));
      at_ += count;
      if (count < 8) return true;
    }
  }
  bool more_digits(std::uint64_t& value);
  // The number of eight digits, the first in the lowest byte.
  static std::uint64_t number_of(std::uint64_t digits) {
    digits = digits * 10 + (digits >> 8);
    constexpr std::uint64_t kPairs = 0x000000ff000000ffU;
    return ((digits & kPairs) * 0x000f424000000064U +
            ((digits >> 16) & kPairs) * 0x0000271000000001U) >>
           32;
  }
  bool refuse_id(const char* word, std::uint64_t least, std::uint64_t most);

  static constexpr std::uint64_t kPowers[] = {1,      10,      100,      1000,     10000,
                                              100000, 1000000, 10000000, 100000000};
  const char* at_;
  std::string found_;
  std::string expected_;
};

// Parses a weight: a finite number that takes all characters from `begin` to `end`. Too small a
// number becomes 0.
bool parse_weight(const char* begin, const char* end, float& value);

// Reads the first lines of a text (a header) on the calling thread. The source is left after them.
class HeaderLines {
 public:
  explicit HeaderLines(ByteSource& source) : source_(source) {}
  // The line has no '\n'. False at the end of the file.
  bool next(std::string& line);
  // Number of lines read so far.
  [[nodiscard]] std::uint64_t lines() const { return lines_; }

 private:
  ByteSource& source_;
  std::uint64_t lines_ = 0;
};

struct LineSettings {
  ByteSource& source;
  unsigned threads = 1;
  std::string progress;
  std::uint64_t lines_before = 0;  // of a header that was read
};

// The result of parsing a piece.
template <typename Record>
struct ParsedLines {
  std::vector<Record> records;
  std::uint64_t lines = 0;  // including the wrong one, if there is one
  std::string found;        // what was wrong; empty if nothing was
  std::string expected;
};

template <typename Grammar>
LineCursor first_of(const char* at) {
  if constexpr (requires { Grammar::kFromFirstCharacter; }) {
    return LineCursor::from_first_character(at);
  } else {
    return LineCursor(at);
  }
}

template <typename Grammar>
void parse_lines(const Grammar& grammar, std::string_view text,
                 ParsedLines<typename Grammar::Record>& parsed) {
  parsed.records.clear();
  parsed.lines = 0;
  parsed.found.clear();
  if (text.back() != '\n') {
    ++parsed.lines;
    parsed.found = "a line of more than 1 MiB";
    parsed.expected = "a record a line";
    return;
  }
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    ++parsed.lines;
    LineCursor line = first_of<Grammar>(at);
    typename Grammar::Record record;
    const LineKind kind = line.empty() ? LineKind::nothing : grammar.parse(line, record);
    if (kind == LineKind::refused) {
      parsed.found = line.found();
      parsed.expected = line.expected();
      return;
    }
    if (kind == LineKind::record) parsed.records.push_back(record);
    at = line.next_line(end);
  }
}

// Passes on the records in the file's order, in batches. Throws bad_input with the line of the
// first record that the grammar refuses.
template <typename Grammar>
void read_lines(const LineSettings& settings, const Grammar& grammar,
                const std::function<void(std::span<const typename Grammar::Record>)>& sink) {
  const PieceSettings pieces{
      .source = settings.source, .threads = settings.threads, .progress = settings.progress};
  std::vector<ParsedLines<typename Grammar::Record>> parsed(piece_slots(pieces));
  std::uint64_t lines = settings.lines_before;
  read_pieces(
      pieces,
      [&](std::size_t slot, const FilePiece& piece) {
        parse_lines(grammar, piece.text, parsed[slot]);
      },
      [&](std::size_t slot) {
        lines += parsed[slot].lines;
        sink(parsed[slot].records);
        if (parsed[slot].found.empty()) return;
        throw bad_input(Place::line(settings.source.file().path(), lines), parsed[slot].found,
                        parsed[slot].expected);
      });
}

}  // namespace outcore
