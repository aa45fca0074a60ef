// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/edges/cell_writer.h"

#include <algorithm>
#include <span>

#include "common/hash.h"
#include "storage/container/hashed_file.h"

namespace outcore {

CellWriter::CellWriter(const std::filesystem::path& folder, const std::string& name,
                       std::uint32_t intervals, std::uint32_t block_bytes, std::uint64_t blocks)
    : folder_(folder),
      name_(name),
      block_bytes_(block_bytes),
      file_(File::create(folder / (name + ".blocks"))),
      cells_(intervals),
      sums_(blocks) {
  const std::size_t buffer_blocks =
      std::max<std::size_t>(1, kBufferBytes / intervals / block_bytes);
  for (Cell& cell : cells_) cell.words.resize(buffer_blocks * block_bytes / sizeof(std::uint32_t));
}

void CellWriter::begin_row(std::vector<BlockId> first_blocks) {
  for (std::size_t column = 0; column < cells_.size(); ++column) {
    cells_[column].next = first_blocks[column];
  }
}

void CellWriter::end_row() {
  for (Cell& cell : cells_) flush(cell);
}

void CellWriter::flush(Cell& cell) {
  const std::size_t words_per_block = block_bytes_ / sizeof(std::uint32_t);
  const std::size_t blocks = (cell.used + words_per_block - 1) / words_per_block;
  std::fill(cell.words.begin() + static_cast<std::ptrdiff_t>(cell.used),
            cell.words.begin() + static_cast<std::ptrdiff_t>(blocks * words_per_block), kNoVertex);
  const auto bytes = std::as_bytes(std::span(cell.words)).first(blocks * block_bytes_);
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
