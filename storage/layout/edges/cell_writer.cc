// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/edges/cell_writer.h"

#include <algorithm>
#include <span>

#include "common/hash.h"
#include "storage/container/hashed_file.h"

namespace outcore {

CellWriter::CellWriter(const std::filesystem::path& folder, const std::string& name,
                       std::uint32_t intervals, std::uint32_t block_bytes, std::uint64_t blocks,
                       std::uint32_t value_bytes)
    : folder_(folder),
      name_(name),
      block_bytes_(block_bytes),
      value_bytes_(value_bytes),
      file_(File::create(folder / (name + ".blocks"))),
      cells_(intervals),
      sums_(blocks) {
  const std::size_t buffer_blocks =
      std::max<std::size_t>(1, kBufferBytes / intervals / block_bytes);
  for (Cell& cell : cells_) cell.bytes.resize(buffer_blocks * block_bytes);
}

void CellWriter::begin_line(const std::vector<Place>& places) {
  for (std::size_t number = 0; number < cells_.size(); ++number) {
    cells_[number].next = places[number].first;
    cells_[number].end = places[number].end;
  }
}

// The values of a cell may end a block before its place does (weights beside local ids).
void CellWriter::end_line() {
  for (Cell& cell : cells_) {
    flush(cell);
    if (cell.next == cell.end) continue;
    std::fill_n(cell.bytes.begin(), block_bytes_, std::byte{0xFF});
    cell.used = block_bytes_;
    flush(cell);
  }
}

void CellWriter::flush(Cell& cell) {
  const std::size_t blocks = (cell.used + block_bytes_ - 1) / block_bytes_;
  std::fill(cell.bytes.begin() + static_cast<std::ptrdiff_t>(cell.used),
            cell.bytes.begin() + static_cast<std::ptrdiff_t>(blocks * block_bytes_),
            std::byte{0xFF});
  const auto bytes = std::span<const std::byte>(cell.bytes).first(blocks * block_bytes_);
  for (std::size_t b = 0; b < blocks; ++b) {
    sums_[cell.next + b] = checksum32(bytes.subspan(b * block_bytes_, block_bytes_));
  }
  file_.write_at(bytes, cell.next * block_bytes_);
  cell.next += blocks;
  cell.used = 0;
}

void CellWriter::finish(nlohmann::json& files) {
  const std::string blocks = name_ + ".blocks";
  files[blocks] = {{"bytes", file_.size()}, {"hash", hash_file(folder_ / blocks)}};
  HashedFile sums(folder_ / (name_ + ".sums"));
  sums.write(std::as_bytes(std::span(sums_)));
  files[name_ + ".sums"] = sums.finish();
}

}  // namespace outcore
