// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <zstd.h>

#include <limits>
#include <numeric>
#include <queue>
#include <span>

#include "common/error.h"
#include "storage/trace/trace.h"

namespace outcore {

namespace fs = std::filesystem;

std::uint64_t TraceHeader::units() const {
  return std::accumulate(file_units.begin(), file_units.end(), std::uint64_t{0});
}

nlohmann::json TraceHeader::json() const {
  return {{"graph", graph},         {"layout", layout},         {"engine", engine},
          {"workload", workload},   {"unit_bytes", unit_bytes}, {"layout_bytes", layout_bytes},
          {"raw_bytes", raw_bytes}, {"workers", workers},       {"file_units", file_units}};
}

// Compresses records into the pending file.
class TraceWriter::Encoder {
 public:
  explicit Encoder(File& file)
      : file_(file), context_(ZSTD_createCCtx()), packed_(ZSTD_CStreamOutSize()) {
    if (!context_) throw Error(ExitCode::memory, "no memory to compress a trace");
    records_.reserve(kRecordBytes + kLongestRecord);
    // Level 1: engines wait for the trace between rounds, and the differences are already small.
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, 1);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  void header(const std::string& line) { file_.write(std::as_bytes(std::span(line))); }

  void run(std::uint32_t first, std::uint32_t units) {
    const auto delta = static_cast<std::int64_t>(first) - static_cast<std::int64_t>(previous_);
    const auto zigzag =
        static_cast<std::uint64_t>(delta << 1) ^ static_cast<std::uint64_t>(delta >> 63);
    number(zigzag << 2 | (units == 1 ? 0 : 1));
    if (units > 1) number(units);
    previous_ = std::uint64_t{first} + units;
    totals_.accesses += units;
    flush_when_full();
  }

  void round(std::uint64_t round) {
    if (totals_.rounds > 0 && round <= last_round_) {
      throw Error(ExitCode::internal,
                  fmt::format("trace: round {} begins after round {}", round, last_round_));
    }
    number(round << 2 | 2);
    last_round_ = round;
    ++totals_.rounds;
    flush_when_full();
  }

  void end() {
    number(3);
    number(totals_.accesses);
    number(totals_.rounds);
    compress(ZSTD_e_end);
  }

  [[nodiscard]] const TraceTotals& totals() const { return totals_; }

 private:
  static constexpr std::size_t kRecordBytes = 128 * 1024;
  static constexpr std::size_t kLongestRecord = 30;
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) records_.push_back(static_cast<char>(value | 0x80));
    records_.push_back(static_cast<char>(value));
  }

  void flush_when_full() {
    if (records_.size() >= kRecordBytes) compress(ZSTD_e_continue);
  }

  void compress(ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{records_.data(), records_.size(), 0};
    for (;;) {
      ZSTD_outBuffer out{packed_.data(), packed_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(context_.get(), &out, &in, directive);
      if (ZSTD_isError(left)) {
        throw Error(ExitCode::internal,
                    fmt::format("{}: zstd: {}", file_.path().string(), ZSTD_getErrorName(left)));
      }
      file_.write(std::span(packed_).first(out.pos));
      if (directive == ZSTD_e_end ? left == 0 : in.pos == in.size) break;
    }
    records_.clear();
  }

  File& file_;
  std::unique_ptr<ZSTD_CCtx, Free> context_;
  std::string records_;
  std::vector<std::byte> packed_;
  std::uint64_t previous_ = 0;
  std::uint64_t last_round_ = 0;
  TraceTotals totals_;
};

// Reads a lane's notes in the order in which they were taken: the spilled ones first.
class TraceWriter::LaneCursor {
 public:
  explicit LaneCursor(const Lane& lane) : lane_(lane) { load(); }

  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] const Note& front() const { return rest_.front(); }
  void pop() {
    rest_ = rest_.subspan(1);
    if (rest_.empty()) load();
  }

 private:
  void load() {
    if (read_ < lane_.spilled) {
      chunk_.resize(kNotesInMemory);
      lane_.scratch.read(std::as_writable_bytes(std::span(chunk_)), read_ * sizeof(Note));
      read_ += kNotesInMemory;
      rest_ = chunk_;
    } else if (!memory_read_) {
      memory_read_ = true;
      rest_ = lane_.notes;
    }
  }

  const Lane& lane_;
  std::vector<Note> chunk_;
  std::span<const Note> rest_;
  std::uint64_t read_ = 0;
  bool memory_read_ = false;
};

TraceWriter::TraceWriter(const fs::path& path, TraceHeader header)
    : pending_(path), header_(std::move(header)), lanes_(header_.workers) {
  if (header_.units() > std::numeric_limits<std::uint32_t>::max()) {
    throw usage_error(
        fmt::format("{}: a trace can name 2^32 - 1 units of {} bytes; the layout has {}",
                    path.string(), header_.unit_bytes, header_.units()));
  }
  std::uint64_t first = 0;
  for (const std::uint64_t units : header_.file_units) {
    first_of_file_.push_back(first);
    first += units;
  }
  encoder_ = std::make_unique<Encoder>(pending_.file());
  nlohmann::json line = {{"outcore_trace", kTraceVersion}};
  line.update(header_.json());
  encoder_->header(line.dump() + "\n");
}

TraceWriter::~TraceWriter() = default;

void TraceWriter::spill(Lane& lane) {
  if (lane.scratch.fd() < 0) {
    fs::path name = pending_.path();
    name += fmt::format("-{}", &lane - lanes_.data());
    lane.scratch = File::create(name);
    fs::remove(name);  // the file lives as long as its descriptor and leaves nothing behind
  }
  lane.scratch.write_at(std::as_bytes(std::span(lane.notes)), lane.spilled * sizeof(Note));
  lane.spilled += lane.notes.size();
  lane.notes.clear();
}

void TraceWriter::merge() {
  std::vector<LaneCursor> cursors(lanes_.begin(), lanes_.end());
  using Front = std::pair<std::uint64_t, std::size_t>;  // ticket, lane
  std::priority_queue<Front, std::vector<Front>, std::greater<>> fronts;
  const auto offer = [&](std::size_t lane) {
    if (!cursors[lane].done()) fronts.emplace(cursors[lane].front().ticket, lane);
  };
  for (std::size_t lane = 0; lane < cursors.size(); ++lane) offer(lane);
  while (!fronts.empty()) {
    const std::size_t lane = fronts.top().second;
    fronts.pop();
    encoder_->run(cursors[lane].front().first, cursors[lane].front().units);
    cursors[lane].pop();
    offer(lane);
  }
  for (Lane& lane : lanes_) {
    lane.notes.clear();
    lane.spilled = 0;
  }
}

void TraceWriter::begin_round(std::uint64_t round) {
  merge();
  encoder_->round(round);
}

TraceTotals TraceWriter::close() {
  merge();
  encoder_->end();
  const TraceTotals totals = encoder_->totals();
  pending_.commit();
  return totals;
}

}  // namespace outcore
