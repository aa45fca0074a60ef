// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <zstd.h>

#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>

#include "common/error.h"
#include "storage/trace/trace.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

// Numbers are read eight bytes at a time, without a branch on their length, which would be
// mispredicted. In `ends`, a bit is set in each byte that ends a number.
constexpr std::size_t kWord = sizeof(std::uint64_t);

std::uint64_t word_at(const std::uint8_t* at) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

std::uint64_t ends_in(std::uint64_t word) { return ~word & 0x8080808080808080; }

// The number of bytes up to and including the first end. REQUIRES: there is one.
std::size_t bytes_to(std::uint64_t ends) {
  return static_cast<std::size_t>(std::countr_zero(ends)) / 8 + 1;
}

// The number in the first bytes of `word`, up to its first end.
std::uint64_t number_in(std::uint64_t word, std::uint64_t ends) {
  std::uint64_t x = word & (ends ^ (ends - 1)) & 0x7f7f7f7f7f7f7f7f;
  // Joins the groups of 7 bits: two, four, then eight of them.
  x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
  x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
  return (x & 0x000000000fffffff) | (x & 0x0fffffff00000000) >> 4;
}

// Unsigned arithmetic wraps, so any number in a broken file has a defined result.
std::uint64_t unzigzag(std::uint64_t zigzag) { return (zigzag >> 1) ^ (~(zigzag & 1) + 1); }

}  // namespace

std::size_t TraceEvents::take(std::span<TraceEvent> events) {
  std::size_t taken = 0;
  while (taken < events.size() && next(events[taken])) ++taken;
  return taken;
}

// The file's bytes: the header line as it is, then the decompressed records.
class TraceReader::Decoder {
 public:
  explicit Decoder(const fs::path& path)
      : file_(File::open_read(path)),
        size_(file_.size()),
        context_(ZSTD_createDCtx()),
        packed_(ZSTD_DStreamInSize()),
        records_(ZSTD_DStreamOutSize()) {
    if (!context_) throw Error(ExitCode::memory, "no memory to decompress a trace");
    load();
  }

  // The first line without its '\n'; empty if the file does not begin with a line of this length.
  std::string header_line() {
    const std::string_view head(reinterpret_cast<const char*>(packed_.data()), in_.size);
    const std::size_t length = head.find('\n');
    if (length == std::string_view::npos) return {};
    in_.pos = length + 1;
    return std::string(head.substr(0, length));
  }

  // The offset up to which the file was consumed.
  [[nodiscard]] std::uint64_t offset() const { return loaded_ - in_.size + in_.pos; }

  // False at the end of the frame or the file.
  bool byte(std::uint8_t& value) {
    while (next_ == available_) {
      if (!decompress()) return false;
    }
    value = records_[next_++];
    return true;
  }

  // The decompressed bytes that have not been read; skip() consumes them.
  [[nodiscard]] std::span<const std::uint8_t> buffered() const {
    return std::span(records_).first(available_).subspan(next_);
  }
  void skip(std::size_t bytes) { next_ += bytes; }

  [[nodiscard]] bool frame_ended() const { return frame_ended_; }
  [[nodiscard]] bool file_ended() const { return in_.pos == in_.size && loaded_ == size_; }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  void load() {
    const std::size_t bytes = std::min<std::uint64_t>(packed_.size(), size_ - loaded_);
    file_.read(std::span(packed_).first(bytes), loaded_);
    loaded_ += bytes;
    in_ = {packed_.data(), bytes, 0};
  }

  bool decompress() {
    if (frame_ended_) return false;
    if (in_.pos == in_.size) load();
    ZSTD_outBuffer out{records_.data(), records_.size(), 0};
    const std::size_t before = in_.pos;
    const std::size_t hint = ZSTD_decompressStream(context_.get(), &out, &in_);
    if (ZSTD_isError(hint)) {
      throw bad_input(Place::offset(file_.path(), offset()),
                      fmt::format("a broken zstd frame ({})", ZSTD_getErrorName(hint)),
                      "a trace's records", "record the trace again");
    }
    next_ = 0;
    available_ = out.pos;
    frame_ended_ = hint == 0;
    return frame_ended_ || out.pos > 0 || in_.pos > before || !file_ended();
  }

  File file_;
  std::uint64_t size_;
  std::uint64_t loaded_ = 0;
  std::unique_ptr<ZSTD_DCtx, Free> context_;
  std::vector<std::byte> packed_;
  std::vector<std::uint8_t> records_;
  ZSTD_inBuffer in_{};
  std::size_t next_ = 0;
  std::size_t available_ = 0;
  bool frame_ended_ = false;
};

TraceReader::TraceReader(fs::path path)
    : path_(std::move(path)), decoder_(std::make_unique<Decoder>(path_)) {
  read_header();
}

TraceReader::~TraceReader() = default;

void TraceReader::refuse(const std::string& found, const std::string& expected) const {
  throw bad_input(Place::offset(path_, decoder_->offset()), found, expected,
                  "record the trace again with this version of outcore");
}

void TraceReader::read_header() {
  const std::string line = decoder_->header_line();
  try {
    const auto json = nlohmann::json::parse(line);
    const int version = json.at("outcore_trace");
    if (version != kTraceVersion) {
      refuse(fmt::format("trace version {}", version), fmt::format("version {}", kTraceVersion));
    }
    json.at("graph").get_to(header_.graph);
    json.at("layout").get_to(header_.layout);
    json.at("engine").get_to(header_.engine);
    json.at("workload").get_to(header_.workload);
    json.at("unit_bytes").get_to(header_.unit_bytes);
    json.at("layout_bytes").get_to(header_.layout_bytes);
    json.at("raw_bytes").get_to(header_.raw_bytes);
    json.at("workers").get_to(header_.workers);
    json.at("file_units").get_to(header_.file_units);
  } catch (const nlohmann::json::exception& e) {
    refuse(line.empty() ? "no header line" : fmt::format("a broken header line ({})", e.what()),
           "the JSON line that begins a trace");
  }
  limit_ = header_.units();
  if (limit_ > std::numeric_limits<std::uint32_t>::max() || header_.unit_bytes == 0) {
    refuse(fmt::format("{} units of {} bytes", limit_, header_.unit_bytes),
           "fewer than 2^32 units of at least a byte");
  }
}

std::uint64_t TraceReader::number() {
  if (const auto bytes = decoder_->buffered(); bytes.size() >= kWord) {
    const std::uint64_t word = word_at(bytes.data());
    if (const std::uint64_t ends = ends_in(word); ends != 0) {
      decoder_->skip(bytes_to(ends));
      return number_in(word, ends);
    }
  }
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    std::uint8_t byte = 0;
    if (!decoder_->byte(byte)) {
      refuse(decoder_->frame_ended() ? "the end of the records" : "the end of the file",
             "more records (was the file cut?)");
    }
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  refuse("a number of more than 64 bits", "a record");
}

void TraceReader::read_run(std::uint64_t record, bool single, TraceRun& run) {
  const std::uint64_t first = previous_ + unzigzag(record >> 2);
  const std::uint64_t units = single ? 1 : number();
  if (first >= limit_ || units == 0 || units > limit_ - first) {
    refuse(fmt::format("an access to {} units from {}", units, first),
           fmt::format("units below {}", limit_));
  }
  previous_ = first + units;
  totals_.accesses += units;
  run = {round_, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(units)};
}

bool TraceReader::next(Event& event) {
  if (ended_) return false;
  const std::uint64_t record = number();
  switch (record & 3) {
    case 0:
    case 1:
      event.kind = Event::Kind::run;
      read_run(record, (record & 3) == 0, event.run);
      return true;
    case 2:
      if (totals_.rounds > 0 && record >> 2 <= round_) {
        refuse(fmt::format("round {} after round {}", record >> 2, round_), "ascending rounds");
      }
      round_ = record >> 2;
      ++totals_.rounds;
      event = {Event::Kind::round, {round_, 0, 0}};
      return true;
    default:
      verify_end(record);
      ended_ = true;
      return false;
  }
}

std::size_t TraceReader::take(std::span<Event> events) {
  std::size_t taken = take_runs(events);
  while (taken < events.size() && next(events[taken])) {
    ++taken;
    taken += take_runs(events.subspan(taken));
  }
  return taken;
}

// Takes accesses up to the first record that is not within the buffer with eight bytes to read, is
// not an access, or is broken; next() handles that one. Each step depends on the previous one only
// for where it begins, which follows from the ends alone.
std::size_t TraceReader::take_runs(std::span<Event> events) {
  const std::span<const std::uint8_t> bytes = decoder_->buffered();
  std::size_t at = 0;
  std::size_t taken = 0;
  std::uint64_t previous = previous_;
  std::uint64_t accesses = 0;
  while (taken < events.size() && bytes.size() - at >= kWord) {
    const std::uint64_t word = word_at(&bytes[at]);
    const std::uint64_t ends = ends_in(word);
    const std::uint64_t later_ends = ends & (ends - 1);
    if ((word & 2) != 0 || later_ends == 0) break;
    const bool single = (word & 1) == 0;
    const std::size_t begin_of_units = bytes_to(ends);
    const std::size_t bytes_of_run = bytes_to(single ? ends : later_ends);
    const std::uint64_t first = previous + unzigzag(number_in(word, ends) >> 2);
    const std::uint64_t units =
        single ? 1 : number_in(word >> 8 * begin_of_units, later_ends >> 8 * begin_of_units);
    if (first >= limit_ || units - 1 >= limit_ - first) break;
    at += bytes_of_run;
    previous = first + units;
    accesses += units;
    events[taken++] = {
        Event::Kind::run,
        {round_, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(units)}};
  }
  decoder_->skip(at);
  previous_ = previous;
  totals_.accesses += accesses;
  return taken;
}

void TraceReader::verify_end(std::uint64_t record) {
  TraceTotals stated;
  stated.accesses = number();
  stated.rounds = number();
  if (record != 3 || stated != totals_) {
    refuse(fmt::format("an end after {} accesses and {} rounds", totals_.accesses, totals_.rounds),
           fmt::format("one after {} and {}", stated.accesses, stated.rounds));
  }
  // Asking for one more byte makes zstd verify its checksum.
  std::uint8_t byte = 0;
  if (decoder_->byte(byte)) refuse("a record after the end", "the end of the records");
  if (!decoder_->frame_ended()) refuse("the end of the file", "a checksum (was the file cut?)");
  if (!decoder_->file_ended()) refuse("bytes after the records", "the end of the file");
}

}  // namespace outcore
