// SPDX-License-Identifier: Apache-2.0
// One worker's way of handing lists to a program, the same for all engines of lists: pieces are
// decoded, put into batches, given their messages, and counted as they are handed over.
//
// Lists that a block holds completely, and parts of lists that other workers read the rest of, go
// through add(), 64 per call of the program. A list that this worker reads alone, from its first
// piece to its last, goes piece by piece: take_message(), then list_piece() for each.
//
// Threads: belongs to one worker. On cache lines of its own, because the workers' are neighbours in
// memory.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "engines/layout_graph.h"
#include "engines/lists/round.h"

namespace outcore {

class alignas(64) HandOver {
 public:
  // What one worker handed over, and what it used of the blocks.
  struct Counts {
    // Messages that were taken with their lists; tasks that were taken up.
    std::uint64_t vertices = 0;
    std::uint64_t edges = 0;     // of pieces that the program was given
    std::uint64_t combined = 0;  // messages that were told together with others
    std::uint64_t touched_bytes = 0;
    void add(const Counts& other) {
      vertices += other.vertices;
      edges += other.edges;
      combined += other.combined;
      touched_bytes += other.touched_bytes;
    }
  };
  static constexpr std::size_t kBatch = 64;  // lists a call of the program

  explicit HandOver(const Layout& layout) : format_(layout.pieces()), decoded_(layout.pieces()) {}

  // From now on hands over for `round`; activations go to `out`. Both must outlive the round.
  void start(const Round& round, Activations& out);
  // From now on hands over for the tasks of Engine::drive.
  void start();

  // Push: until the next start() pieces go into these bins, not into vertices. They must outlive
  // the round.
  void into(Bins& bins) { bins_ = &bins; }
  // Push: the targets of all that is handed over from now on are added to `targets` too; null: no
  // longer.
  void note_targets(std::vector<VertexId>* targets) { targets_ = targets; }

  // Adds the part of v's list in the block at `data`; returns its number of edges. REQUIRES: `data`
  // stays until flush(). Inlined into the engines' loops, because a list of a few edges costs no
  // more than a call.
  std::uint32_t add(VertexId v, BlockId block, const std::byte* data) {
    return add(v, index_->address(v), block, data);
  }
  std::uint32_t add(VertexId v, const ListAddress& list, BlockId block, const std::byte* data) {
    const DecodedPiece piece =
        format_.read(index_->part(list, block), data, decoded_.behind(decoded_edges_));
    add_piece(v, block, list, piece);
    return piece.count;
  }
  // The same for the lists of `vertices`, one batch at a time with its sums in registers: with
  // lists of four edges, updating sums in memory would be a tenth of the round.
  void add(std::span<const VertexId> vertices, BlockId block, const std::byte* data);
  // Adds the whole list, which continues after the block at `data` as it does in the file.
  // REQUIRES: as for add(), and lists_in_one_piece().
  void add_whole(VertexId v, const ListAddress& list, const std::byte* data);
  // Is a list always one piece, however many blocks it is in?
  [[nodiscard]] bool lists_in_one_piece() const {
    return !format_.encoded() && !format_.weighted();
  }
  // Adds the list of v, which is in the index or empty.
  void add_inline(VertexId v);
  // Adds a list, or a part of one, that the caller has decoded. In a push round that takes messages
  // as it goes only whole lists. REQUIRES: its edges stay until flush().
  void add(const Piece& piece);
  // Where the caller found what it decodes.
  void touched(std::uint64_t bytes) { counts_.touched_bytes += bytes; }
  void use(BlockId block) {
    last_block_ = block;
    if (round_->used_blocks != nullptr) round_->used_blocks->set(block);
    if (events_ != nullptr) note(block, 1);
  }
  // Notes the edges that programs were given since the last block that was noted.
  void note_rest() {
    if (events_ != nullptr && counts_.edges > noted_edges_) note(0, 0);
  }
  // Hands over what was added.
  void flush();

  // Takes the message of a list that this worker reads alone, into `own` unless the round has taken
  // it already. REQUIRES: called before the list's first piece.
  void take_message(const Source& source, Messages own);
  // Returns how many edges the piece has.
  std::uint32_t list_piece(VertexId v, const ListAddress& list, BlockId block,
                           const std::byte* data, Messages own);

  // Decodes the part of a list in a block for a caller that keeps it, into `to` if it is encoded.
  // Counts what was used of the block, but nothing as handed over.
  DecodedPiece construct(const ListAddress& list, BlockId block, const std::byte* data,
                         DecodeBuffer to);

  // Drive: a task is taken up; a piece of its list; the part of it that the task is given.
  void begin_task() { ++counts_.vertices; }
  Piece read(const DirectedLists& lists, VertexId v, const ListAddress& list, BlockId block,
             const std::byte* data);
  void step(TaskProgram& program, const Task& task, const Piece& piece, TaskStack& next);

  // Are messages kept back, which deliver() must send before the round may end?
  [[nodiscard]] bool keeps_back() const { return combiner_.held() > 0; }
  void deliver();

  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] std::uint64_t combiner_bytes() const { return most_combiner_bytes_; }

 private:
  static constexpr BlockId kNoBlock = ~BlockId{0};

  void add_piece(VertexId v, BlockId block, const ListAddress& list, const DecodedPiece& piece) {
    counts_.touched_bytes += piece.bytes;
    decoded_edges_ += piece.count;
    if (block != last_block_) use(block);
    pieces_[count_] = decoded_piece(v, round_->dense ? v : count_, list, piece);
    parts_ += piece.count != list.degree ? 1 : 0;
    if (++count_ == kBatch) flush();
  }
  DecodedPiece decode(const ListIndex& index, const ListAddress& list, BlockId block,
                      const std::byte* data);
  void note(BlockId block, std::uint32_t blocks);
  void push();
  void pull();
  void take_and_scatter(std::span<Piece> whole);
  void scatter_straddler(Piece piece);
  void scatter(std::span<const Piece> pieces, Messages messages);
  void gather(std::span<const Piece> pieces, Access access);

  PieceFormat format_;
  DecodeSpace decoded_;
  std::size_t decoded_edges_ = 0;
  std::array<Piece, kBatch> pieces_;
  std::array<Source, kBatch> sources_;
  std::uint32_t count_ = 0;
  std::uint32_t parts_ = 0;  // of the count_ pieces, those that are not whole lists
  const Round* round_ = nullptr;
  const ListIndex* index_ = nullptr;  // of the round
  Activations* out_ = nullptr;
  Bins* bins_ = nullptr;
  std::vector<VertexId>* targets_ = nullptr;
  BlockId last_block_ = kNoBlock;
  EventRecorder* events_ = nullptr;
  std::uint64_t first_event_block_ = 0;  // of the round's file
  std::uint64_t noted_edges_ = 0;        // of counts_.edges
  Combiner combiner_;
  std::uint64_t most_combiner_bytes_ = 0;
  Counts counts_;
};

}  // namespace outcore
