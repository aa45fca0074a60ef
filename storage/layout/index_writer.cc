// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/index_writer.h"

#include <algorithm>
#include <optional>

#include "storage/container/hashed_file.h"
#include "storage/layout/coded_file.h"
#include "storage/layout/list_index.h"

namespace outcore {

namespace {

class IndexWriter {
 public:
  IndexWriter(const IndexJob& job, nlohmann::json& files) : job_(job), files_(files) {
    if (job.form == IndexForm::mini_data) {
      open(positions_, ".index");
      open(mini_, ".mini");
    } else {
      open(index_, ".index");
    }
    open(long_, ".long");
    if (job.form == IndexForm::in_index) open(degrees_, ".degrees");
    if (job.weights != Weights::none && job.inline_edges > 0) open(weights_, ".inline_weights");
    if (job.heads > 0) open(heads_, ".heads");
  }

  IndexSummary run() {
    const VertexId listed = listed_ids();
    for (VertexId id = 0; id < listed; ++id) {
      const std::uint64_t degree = job_.graph.degree(id);
      summary_.longest_list = std::max(summary_.longest_list, degree);
      if (degree <= job_.inline_edges) summary_.inline_edges += degree;
      put_entry(id, degree);
      if (heads_) put_heads(id);
    }
    if (positions_) positions_->put(static_cast<std::uint32_t>(end_of_lists_));
    close(positions_, ".index");
    close(index_, ".index");
    close(long_, ".long");
    close(degrees_, ".degrees");
    close(mini_, ".mini");
    close(weights_, ".inline_weights");
    close(heads_, ".heads");
    return summary_;
  }

 private:
  template <typename Output>
  void open(std::optional<Output>& file, const char* ending) {
    file.emplace(job_.folder / (job_.prefix + ending));
  }
  template <typename Output>
  void close(std::optional<Output>& file, const char* ending) {
    if (file) files_[job_.prefix + ending] = file->finish();
  }

  // Ids from here on have no edges. In form mini-data ids are ordered that way.
  [[nodiscard]] VertexId listed_ids() const {
    if (job_.form == IndexForm::mini_data) return job_.theta.front();
    VertexId listed = job_.graph.ids();
    while (listed > 0 && job_.graph.degree(listed - 1) == 0) --listed;
    return listed;
  }

  void put_entry(VertexId id, std::uint64_t degree) {
    const bool is_inline = degree <= job_.inline_edges;
    switch (job_.form) {
      case IndexForm::sparse:
        break;  // in no file
      case IndexForm::lengths: {
        const bool is_long = put_long(id, degree, degree >= RunningPositions::kLong);
        index_->put(is_long ? RunningPositions::kLong : static_cast<std::uint16_t>(degree));
        break;
      }
      case IndexForm::packed: {
        const bool is_long = put_long(id, degree, degree >= ListIndex::kLongDegree);
        index_->put(ListIndex::pack(job_.positions[id], is_long ? ListIndex::kLongDegree : degree));
        break;
      }
      case IndexForm::in_index:
        degrees_->put(static_cast<std::uint32_t>(degree));
        if (is_inline) {
          put_inline(id, ListIndex::entry_words(job_.inline_edges), *index_);
        } else {
          put_position(id, degree);
        }
        break;
      case IndexForm::mini_data:
        if (id >= job_.theta.back()) {
          put_inline(id, 0, *mini_);
          break;
        }
        positions_->put(static_cast<std::uint32_t>(job_.positions[id]));
        end_of_lists_ = job_.positions[id] + degree;
    }
  }

  void put_position(VertexId id, std::uint64_t degree) {
    const std::uint64_t flag = put_long(id, degree, false) ? ListIndex::kFlag : 0;
    index_->put(job_.positions[id] | flag);
    if (ListIndex::entry_words(job_.inline_edges) > 2) index_->put(kNoVertex);
    if (weights_) fill_weights(0);
  }

  // In form in-index each vertex has `inline_edges` weights; `count` of them are written already.
  void fill_weights(std::size_t count) {
    for (std::size_t i = count; i < job_.inline_edges; ++i) weights_->put(0.0F);
  }

  // Writes the ids of a list in the index, padded with kNoVertex to `words`.
  void put_inline(VertexId id, unsigned words, HashedFile& file) {
    const WeightedList list = job_.graph.weighted_list(id, job_.weights, buffer_);
    for (const VertexId target : list.ids) file.put(target);
    for (std::size_t i = list.ids.size(); i < words; ++i) file.put(kNoVertex);
    if (!weights_) return;
    for (const float weight : list.weights) weights_->put(weight);
    if (job_.form == IndexForm::in_index) fill_weights(list.weights.size());
  }

  // Is the list one for *.long? Encoded lists are if they lie in more than one block.
  bool put_long(VertexId id, std::uint64_t degree, bool is_long) {
    std::uint64_t slots = degree;
    if (job_.format.encoded() && degree > job_.inline_edges) {
      const std::uint32_t in_block = job_.format.slots_per_block();
      const auto at = static_cast<std::uint32_t>(job_.positions[id] % in_block);
      // Skips lists that fit for certain: an id takes at most five bytes, a weight four.
      const bool may_go_on = (at == 0 || job_.straddling) && at + degree * 9 + 16 > in_block;
      if (is_long || may_go_on) {
        slots = job_.format.slots(job_.graph.list(id, buffer_), at);
        is_long |= at + slots > in_block;
      }
    }
    if (!is_long) return false;
    long_->put(std::uint64_t{id});
    long_->put(degree);
    long_->put(slots);
    return true;
  }

  void put_heads(VertexId id) {
    const std::span<const VertexId> list = job_.graph.list(id, buffer_);
    for (unsigned i = 0; i < job_.heads; ++i) heads_->put(i < list.size() ? list[i] : kNoVertex);
  }

  const IndexJob& job_;
  nlohmann::json& files_;
  std::optional<CodedFile> positions_;  // form mini-data
  std::optional<HashedFile> index_;     // the other forms
  std::optional<HashedFile> long_;
  std::optional<HashedFile> degrees_;
  std::optional<HashedFile> mini_;
  std::optional<HashedFile> weights_;
  std::optional<HashedFile> heads_;
  ListBuffer buffer_;
  std::uint64_t end_of_lists_ = 0;
  IndexSummary summary_;
};

}  // namespace

IndexSummary write_index(const IndexJob& job, nlohmann::json& files) {
  return IndexWriter(job, files).run();
}

}  // namespace outcore
