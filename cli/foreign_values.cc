// SPDX-License-Identifier: Apache-2.0
#include "cli/foreign_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <regex>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/foreign_answer.h"
#include "common/error.h"
#include "common/files.h"
#include "storage/formats/fields.h"
#include "storage/formats/python.h"
#include "storage/formats/text_lines.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

const std::vector<std::string> kFormats = {"auto",    "csv",  "f32", "npy",
                                           "parquet", "text", "tsv", "u32"};

// Arguments: path. Prints the values, or the vertices and their values, as CSV.
const char* const kTableOfValues = R"(
import sys
try:
    import pyarrow.csv
    import pyarrow.parquet
except ImportError:
    sys.exit(77)
try:
    table = pyarrow.parquet.read_table(sys.argv[1])
    if {"vertex", "value"} <= set(table.column_names):
        table = table.select(["vertex", "value"])
    elif table.num_columns > 2:
        sys.exit(f"found the columns {', '.join(table.column_names)}, expected vertex and value")
    for name in table.column_names:
        if table[name].null_count:
            sys.exit(f"column '{name}' has empty cells; expected a value in each row")
    options = pyarrow.csv.WriteOptions(include_header=False)
    pyarrow.csv.write_csv(table, sys.stdout.buffer, options)
    sys.stdout.buffer.flush()
except BrokenPipeError:
    sys.exit("the values were not read to the end")
except (pyarrow.ArrowException, OSError) as error:
    sys.exit(" ".join(str(error).split()))
)";

std::string without_blanks(std::string_view text) {
  const char* const kBlanks = " \t\r";
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin));
}

// The fields of a line: by the separator, or for blanks what stands before the last word and that
// word, because a name may contain blanks.
std::vector<std::string> value_fields(const std::string& line, char separator) {
  if (separator == ' ') {
    const std::string text = without_blanks(line);
    const auto last = text.find_last_of(" \t");
    if (last == std::string::npos) return {text};
    return {without_blanks(text.substr(0, last)), text.substr(last + 1)};
  }
  std::vector<std::string> fields;
  const std::string ended = line + '\n';
  for (FieldCursor cursor(ended.data(), separator); cursor.more();) {
    fields.push_back(unquoted(without_quotes(without_blanks(cursor.next()))));
  }
  return fields;
}

class TextOfValues {
 public:
  TextOfValues(ForeignAnswer& answer, fs::path file, char separator)
      : answer_(answer), file_(std::move(file)), separator_(separator) {}

  void read(ByteSource& source) {
    HeaderLines lines(source);
    for (std::string line; lines.next(line);) {
      if (without_blanks(line).empty() || line.front() == '#' || line.front() == '%') continue;
      take(value_fields(line, separator_), Place::line(file_, lines.lines()));
    }
  }

 private:
  // The first line says how many fields there are; where its last one is no number it is a header.
  void take(const std::vector<std::string>& fields, const Place& place) {
    const bool first = fields_ == 0;
    if (first) fields_ = fields.size();
    if (fields_ > 2 || fields.size() != fields_) {
      throw bad_input(place, fmt::format("{} fields", fields.size()),
                      first ? "a vertex and its value, or a value alone"
                            : fmt::format("{}, as in the first line", fields_));
    }
    if (first && separator_ != ' ' && !ForeignNumber::parse(fields.back())) return;
    const auto here = [&] { return place; };
    const VertexId v =
        fields_ == 1 ? answer_.next(here) : answer_.find(std::string_view(fields.front()), here);
    answer_.put(v, answer_.number(fields.back(), here), here);
  }

  ForeignAnswer& answer_;
  fs::path file_;
  char separator_;
  std::size_t fields_ = 0;  // 0: not known yet
};

void read_table_of_values(ForeignAnswer& answer, const fs::path& file) {
  ChildProcess child(python_command(kTableOfValues, {file.string()}));
  const auto source = open_pipe(child.take_output(), file);
  try {
    TextOfValues(answer, file, ',').read(*source);
  } catch (const Error&) {
    // Whatever Python said of its file comes first.
    check_python(child.wait(), file);
    throw;
  }
  check_python(child.wait(), file);
}

std::vector<char> whole_file(const fs::path& path) {
  const File file = File::open_read(path);
  std::vector<char> bytes(file.size());
  file.read(std::as_writable_bytes(std::span(bytes)), 0);
  return bytes;
}

template <typename T>
T little_endian_at(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// A type of NumPy as `<u4`, and how many bytes it has.
class NumberType {
 public:
  NumberType(const std::string& name, const Place& place) : kind_(name[1]), bytes_(name[2] - '0') {
    const std::string known = "|b1|i1|u1<i2<u2<i4<u4<i8<u8<f4<f8";
    if (name.size() == 3 && known.find(name) != std::string::npos) return;
    throw bad_input(place, fmt::format("values of NumPy's type {}", name),
                    "whole numbers of 1 to 8 bytes or floats of 4 or 8, little-endian");
  }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] ForeignNumber at(const char* p) const {
    if (kind_ == 'f') {
      return ForeignNumber::of(bytes_ == 4 ? double{little_endian_at<float>(p)}
                                           : little_endian_at<double>(p));
    }
    return kind_ == 'i' ? ForeignNumber::of(whole<std::int64_t>(p))
                        : ForeignNumber::of(whole<std::uint64_t>(p));
  }

 private:
  // Sign-extended for signed types.
  template <typename Wide>
  [[nodiscard]] Wide whole(const char* p) const {
    constexpr bool kSigned = std::is_signed_v<Wide>;
    switch (bytes_) {
      case 1:
        return little_endian_at<std::conditional_t<kSigned, std::int8_t, std::uint8_t>>(p);
      case 2:
        return little_endian_at<std::conditional_t<kSigned, std::int16_t, std::uint16_t>>(p);
      case 4:
        return little_endian_at<std::conditional_t<kSigned, std::int32_t, std::uint32_t>>(p);
      default:
        return little_endian_at<Wide>(p);
    }
  }

  char kind_;
  std::size_t bytes_;
};

// Values of one type one after the other from `begin`, each after its vertex if there is a type of
// that.
struct ArrayOfValues {
  std::optional<NumberType> vertex;
  NumberType value;
  std::size_t begin = 0;

  void read(ForeignAnswer& answer, const fs::path& file, const std::vector<char>& bytes) const {
    const std::size_t before = vertex ? vertex->bytes() : 0;
    const std::size_t step = before + value.bytes();
    if ((bytes.size() - begin) % step != 0) {
      throw bad_input(Place::offset(file, bytes.size()), "the end of the file in a value",
                      fmt::format("{} bytes for each value", step));
    }
    for (std::size_t at = begin; at < bytes.size(); at += step) {
      const auto here = [&] { return Place::offset(file, at); };
      answer.put(vertex_at(answer, bytes.data() + at, here), value.at(bytes.data() + at + before),
                 here);
    }
  }

 private:
  template <typename PlaceOf>
  VertexId vertex_at(ForeignAnswer& answer, const char* p, const PlaceOf& here) const {
    if (!vertex) return answer.next(here);
    const ForeignNumber id = vertex->at(p);
    if (!id.whole) return answer.find(std::string_view(fmt::format("{}", id.real)), here);
    return answer.find(*id.whole, here);
  }
};

// The header of NumPy's format is a Python dictionary: 'descr' is a type, or a list of names with
// types.
ArrayOfValues array_of_npy(const fs::path& file, const std::vector<char>& bytes) {
  const Place head = Place::offset(file, 0);
  const std::string magic = "\x93NUMPY";
  if (bytes.size() < 12 || !std::equal(magic.begin(), magic.end(), bytes.begin())) {
    throw bad_input(head, "another file", "the beginning of NumPy's format (\\x93NUMPY)");
  }
  const bool longer = bytes[6] > 1;  // version 2 counts the header in four bytes
  const std::size_t text_at = longer ? 12 : 10;
  const std::size_t length = longer ? little_endian_at<std::uint32_t>(&bytes[8])
                                    : little_endian_at<std::uint16_t>(&bytes[8]);
  const std::string text(bytes.data() + text_at, std::min(length, bytes.size() - text_at));
  static const std::regex kOneType(R"('descr': '([^']+)')");
  static const std::regex kTwoTypes(
      R"('descr': \[\('[^']*', '([^']+)'\), \('[^']*', '([^']+)'\)\])");
  static const std::regex kRow(R"('shape': \(\d+,\))");
  std::smatch found;
  const bool one = std::regex_search(text, found, kOneType);
  if ((!one && !std::regex_search(text, found, kTwoTypes)) || !std::regex_search(text, kRow)) {
    throw bad_input(head, fmt::format("an array of {}", without_blanks(text)),
                    "a row of numbers, or of records of two numbers, vertex and value");
  }
  const std::size_t begin = std::min(text_at + length, bytes.size());
  if (one) return {std::nullopt, NumberType(found[1], head), begin};
  return {NumberType(found[1], head), NumberType(found[2], head), begin};
}

std::string format_by_name(const fs::path& file) {
  std::string ending = without_compression(file).extension().string();
  if (!ending.empty()) ending.erase(0, 1);
  return ending != "auto" && std::count(kFormats.begin(), kFormats.end(), ending) > 0 ? ending
                                                                                      : "text";
}

}  // namespace

Answer read_foreign_values(const fs::path& file, const std::string& format, ValueKind kind,
                           Container& container, Called called) {
  if (std::count(kFormats.begin(), kFormats.end(), format) == 0) {
    throw unknown_name("format of values", format, kFormats);
  }
  const std::string form = format == "auto" ? format_by_name(file) : format;
  ForeignAnswer answer(kind, file, container, called);
  if (form == "parquet") {
    read_table_of_values(answer, file);
  } else if (form == "npy") {
    const std::vector<char> bytes = whole_file(file);
    array_of_npy(file, bytes).read(answer, file, bytes);
  } else if (form == "u32" || form == "f32") {
    const NumberType type(form == "u32" ? "<u4" : "<f4", Place::file(file));
    ArrayOfValues{std::nullopt, type}.read(answer, file, whole_file(file));
  } else {
    const auto source = open_source(file);
    TextOfValues(answer, file, form == "csv" ? ',' : form == "tsv" ? '\t' : ' ').read(*source);
  }
  return answer.finish();
}

}  // namespace outcore
