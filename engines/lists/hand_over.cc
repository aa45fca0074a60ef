// SPDX-License-Identifier: Apache-2.0
#include "engines/lists/hand_over.h"

#include <algorithm>

#include "storage/events/event_recorder.h"
#include "storage/trace/trace.h"

namespace outcore {

namespace {

// How many messages per vertex a combiner collects until they are sent: going through its slots
// costs little beside that, and the messages are late by a small part of a sweep. With 128, hubs
// hear so late that they must be taken up once more (docs/engines/async_block.md, Combined
// messages).
constexpr std::uint64_t kHeld = 32;

bool is_whole(const Piece& piece) { return piece.count == piece.degree; }

}  // namespace

void DirectedLists::note(unsigned worker, const BlockRun& run) const {
  if (trace == nullptr) return;
  const std::uint32_t units = block_bytes() / 4096;
  trace->note(worker, file, run.first * units, run.blocks * units);
}

std::uint64_t DirectedLists::first_event_block() const {
  std::uint64_t first = 0;
  for (std::uint32_t before = 0; before < file; ++before) {
    first += layout.block_files()[before].blocks();
  }
  return first;
}

void DirectedLists::note_dropped(BlockId block) const {
  if (events != nullptr) events->note(EventKind::dropped, first_event_block() + block, 1, 0);
}

void HandOver::note(BlockId block, std::uint32_t blocks) {
  events_->note(EventKind::processed, first_event_block_ + block, blocks,
                counts_.edges - std::exchange(noted_edges_, counts_.edges));
}

void HandOver::start(const Round& round, Activations& out) {
  events_ = round.lists.events;
  first_event_block_ = events_ != nullptr ? round.lists.first_event_block() : 0;
  noted_edges_ = 0;
  round_ = &round;
  index_ = &round.lists.index;
  out_ = &out;
  bins_ = nullptr;
  targets_ = nullptr;
  counts_ = {};
  last_block_ = kNoBlock;
  combiner_ = Combiner(round.combined);
  most_combiner_bytes_ = std::max<std::uint64_t>(
      most_combiner_bytes_, std::uint64_t{round.combined} * round.traits.message_bytes);
}

void HandOver::start() {
  noted_edges_ = 0;
  round_ = nullptr;
  out_ = nullptr;
  bins_ = nullptr;
  targets_ = nullptr;
  counts_ = {};
  combiner_ = Combiner();
}

DecodedPiece HandOver::decode(const ListIndex& index, const ListAddress& list, BlockId block,
                              const std::byte* data) {
  const DecodedPiece piece =
      format_.read(index.part(list, block), data, decoded_.behind(decoded_edges_));
  counts_.touched_bytes += piece.bytes;
  return piece;
}

void HandOver::add_whole(VertexId v, const ListAddress& list, const std::byte* data) {
  const BlockId first = index_->first_block(list);
  const BlockId last = index_->last_block(list);
  BlockPart part = index_->part(list, first);
  part.slots = static_cast<std::uint32_t>(list.slots);
  for (BlockId block = first + 1; block <= last; ++block) use(block);
  add_piece(v, first, list, format_.read(part, data, {}));
}

void HandOver::add(std::span<const VertexId> vertices, BlockId block, const std::byte* data) {
  if (block != last_block_) use(block);
  while (!vertices.empty()) {
    const auto now = vertices.first(std::min<std::size_t>(vertices.size(), kBatch - count_));
    const bool dense = round_->dense;
    std::uint32_t at = count_;
    std::uint32_t parts = 0;
    std::size_t edges = decoded_edges_;
    std::uint64_t bytes = 0;
    for (const VertexId v : now) {
      const ListAddress list = index_->address(v);
      const DecodedPiece piece =
          format_.read(index_->part(list, block), data, decoded_.behind(edges));
      pieces_[at] = decoded_piece(v, dense ? v : at, list, piece);
      bytes += piece.bytes;
      edges += piece.count;
      parts += piece.count != list.degree ? 1 : 0;
      ++at;
    }
    count_ = at;
    parts_ += parts;
    decoded_edges_ = edges;
    counts_.touched_bytes += bytes;
    if (count_ == kBatch) flush();
    vertices = vertices.subspan(now.size());
  }
}

void HandOver::add_inline(VertexId v) { add(inline_piece(*index_, v, round_->dense ? v : count_)); }

void HandOver::add(const Piece& piece) {
  pieces_[count_] = piece;
  parts_ += is_whole(piece) ? 0 : 1;
  if (++count_ == kBatch) flush();
}

DecodedPiece HandOver::construct(const ListAddress& list, BlockId block, const std::byte* data,
                                 DecodeBuffer to) {
  const DirectedLists& lists = round_->lists;
  const DecodedPiece piece = lists.layout.pieces().read(lists.index.part(list, block), data, to);
  counts_.touched_bytes += piece.bytes;
  use(block);
  return piece;
}

void HandOver::flush() {
  if (count_ > 0) round_->pull ? pull() : push();
  count_ = 0;
  parts_ = 0;
  decoded_edges_ = 0;
}

// Whole lists belong to this worker. If a list is in pieces (the first or last of its block, or one
// in each of several files), other workers may tell the same vertex at the same time.
void HandOver::pull() {
  const std::span<const Piece> pieces = std::span(pieces_).first(count_);
  const auto no_part = [this](const Piece& piece) {
    return is_whole(piece) || !round_->program.listens(piece.v);
  };
  for (auto piece = pieces.begin(); piece != pieces.end();) {
    const auto whole = parts_ == 0 ? pieces.end() : std::find_if_not(piece, pieces.end(), is_whole);
    if (whole != piece) gather({piece, whole}, Access::exclusive);
    const auto part = std::find_if(whole, pieces.end(), no_part);
    if (part != whole) gather({whole, part}, Access::shared);
    piece = part != pieces.end() && !is_whole(*part) ? part + 1 : part;
  }
}

void HandOver::push() {
  std::span<Piece> pieces = std::span(pieces_).first(count_);
  if (round_->dense) {
    scatter(pieces, round_->messages());
    return;
  }
  if (parts_ > 0) {
    std::uint32_t whole = 0;
    for (const Piece& piece : pieces) {
      if (is_whole(piece)) {
        pieces_[whole] = piece;
        pieces_[whole].slot = whole;
        ++whole;
      } else {
        scatter_straddler(piece);
      }
    }
    pieces = pieces.first(whole);
  }
  if (!pieces.empty()) take_and_scatter(pieces);
}

// REQUIRES: slots that count from 0.
void HandOver::take_and_scatter(std::span<Piece> whole) {
  for (std::size_t i = 0; i < whole.size(); ++i) sources_[i] = {whole[i].v, whole[i].degree};
  alignas(kLargestMessage) std::byte taken[kBatch * kLargestMessage];
  const Messages messages(taken, round_->traits.message_bytes);
  round_->program.begin(std::span(sources_).first(whole.size()), messages);
  counts_.vertices += whole.size();
  scatter(whole, messages);
}

void HandOver::scatter_straddler(Piece piece) {
  const std::span<const VertexId> straddlers = round_->straddlers;
  const auto at = std::lower_bound(straddlers.begin(), straddlers.end(), piece.v);
  piece.slot = static_cast<std::uint32_t>(at - straddlers.begin());
  scatter({&piece, 1}, round_->messages());
}

void HandOver::take_message(const Source& source, Messages own) {
  if (round_->pull || round_->dense) return;
  round_->program.begin({&source, 1}, own);
  ++counts_.vertices;
}

std::uint32_t HandOver::list_piece(VertexId v, const ListAddress& list, BlockId block,
                                   const std::byte* data, Messages own) {
  use(block);
  Piece piece = decoded_piece(v, round_->dense ? v : 0, list, decode(*index_, list, block, data));
  if (round_->pull) {
    if (piece.first == 0 || round_->program.listens(v)) gather({&piece, 1}, Access::exclusive);
  } else {
    scatter({&piece, 1}, round_->dense ? round_->messages() : own);
  }
  return piece.count;
}

Piece HandOver::read(const DirectedLists& lists, VertexId v, const ListAddress& list, BlockId block,
                     const std::byte* data) {
  return decoded_piece(v, 0, list, decode(lists.index, list, block, data));
}

void HandOver::step(TaskProgram& program, const Task& task, const Piece& piece, TaskStack& next) {
  counts_.edges += piece.count;
  program.step(task, piece, next);
}

void HandOver::scatter(std::span<const Piece> pieces, Messages messages) {
  for (const Piece& piece : pieces) counts_.edges += piece.count;
  Combiner* const combiner = combiner_.vertices() > 0 ? &combiner_ : nullptr;
  if (targets_ != nullptr) {
    for (const Piece& piece : pieces)
      targets_->insert(targets_->end(), piece.ids, piece.ids + piece.count);
  }
  if (bins_ != nullptr) {
    round_->program.bin({pieces, Access::exclusive, combiner}, messages, *bins_);
  } else {
    round_->program.scatter({pieces, round_->access, combiner}, messages, *out_);
  }
  if (combiner_.held() > kHeld * combiner_.vertices()) deliver();
}

void HandOver::gather(std::span<const Piece> pieces, Access access) {
  for (const Piece& piece : pieces) counts_.edges += piece.count;
  round_->program.gather({pieces, access}, round_->messages(), round_->active, *out_);
}

void HandOver::deliver() {
  counts_.combined += combiner_.held();
  if (bins_ != nullptr) {
    round_->program.bin_kept(combiner_, *bins_);
  } else {
    round_->program.deliver(combiner_, *out_);
  }
}

}  // namespace outcore
