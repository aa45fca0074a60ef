// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <optional>
#include <utility>

#include "common/files.h"
#include "storage/container/hashed_file.h"
#include "storage/evolving/durable/disk_stream.h"
#include "storage/evolving/durable/list_blocks.h"
#include "storage/evolving/durable/run_cursor.h"
#include "storage/evolving/durable/run_files.h"
#include "storage/layout/choices.h"
#include "storage/layout/list_index.h"
#include "storage/layout/manifest.h"
#include "storage/layout/running_positions.h"

namespace outcore::evolving {

namespace {

// The files of one direction.
class DirectionWriter {
 public:
  DirectionWriter(Disk& disk, const Run& run, const std::string& prefix)
      : prefix_(prefix),
        is_layout_(run.is_oldest()),
        is_coded_(run.is_coded()),
        blocks_(disk, run, prefix),
        index_(disk, file_of_run(run, prefix + ".index")),
        tombstones_(disk, file_of_run(run, prefix + ".tombstones")) {
    if (is_layout_) long_.emplace(disk, file_of_run(run, prefix + ".long"));
  }

  // Syncs the files and adds them to `files`; returns their bytes.
  std::uint64_t write(ChangeSource& source, nlohmann::json& files) {
    VertexId vertex = 0;
    std::vector<PairChange> changes;
    while (source.next(vertex, changes)) {
      put_removals(vertex, changes);
      ids_.clear();
      for (const PairChange& change : changes)
        ids_.insert(ids_.end(), change.adds, change.neighbour);
      if (!ids_.empty()) put_list(vertex);
    }
    blocks_.end();
    std::uint64_t bytes = blocks_.finish(files);
    const auto add = [&](const char* ending, DiskWriter& writer) {
      bytes += writer.bytes();
      files[prefix_ + ending] = writer.finish();
    };
    add(".index", index_);
    if (long_) add(".long", *long_);
    add(".tombstones", tombstones_);
    return bytes;
  }

  // Adds what engines want to know. REQUIRES: write() has returned.
  void add_facts(LayoutFacts& facts) const {
    facts.longest_list = std::max(facts.longest_list, longest_);
    facts.most_vertices_in_a_block =
        std::max(facts.most_vertices_in_a_block, blocks_.most_in_a_block());
  }
  [[nodiscard]] std::uint64_t edges() const { return edges_; }
  [[nodiscard]] std::uint64_t blocks() const { return blocks_.blocks(); }

 private:
  void put_removals(VertexId vertex, const std::vector<PairChange>& changes) {
    for (const PairChange& change : changes) {
      if (change.removes == 0) continue;
      tombstones_.put(Tombstone{vertex, change.neighbour, change.removes});
    }
  }

  // The list of `vertex` is ids_.
  void put_list(VertexId vertex) {
    const ListPlace place = blocks_.put(ids_);
    const std::uint64_t degree = ids_.size();
    if (!is_layout_) {
      put_in_sparse_index(vertex, place);
    } else if (is_coded_) {
      put_in_packed_index(vertex, place);
    } else {
      put_in_lengths_index(vertex);
    }
    listed_ = vertex + 1;
    edges_ += degree;
    longest_ = std::max(longest_, degree);
  }

  void put_in_sparse_index(VertexId vertex, const ListPlace& place) {
    const std::uint64_t degree = ids_.size();
    put_varint(std::uint64_t{vertex - listed_} * 4 + std::min<std::uint64_t>(degree, 4) - 1);
    if (degree < kLeastCoded) return;
    const std::uint64_t more = degree - kLeastCoded;
    put_varint(is_coded_ ? more * 2 + (place.coded ? 1 : 0) : more);
    if (place.coded) put_varint(place.slots);
  }

  void put_in_lengths_index(VertexId vertex) {
    constexpr std::uint16_t kLong = RunningPositions::kLong;
    const std::uint64_t degree = ids_.size();
    for (; listed_ < vertex; ++listed_) index_.put(std::uint16_t{0});
    index_.put(degree < kLong ? static_cast<std::uint16_t>(degree) : kLong);
    if (degree >= kLong) put_long(vertex, degree);
  }

  void put_in_packed_index(VertexId vertex, const ListPlace& place) {
    for (; listed_ < vertex; ++listed_) index_.put(ListIndex::pack(end_, 0));
    const std::uint64_t degree = ids_.size();
    const bool is_long = place.position % kRunBlockBytes + place.slots > kRunBlockBytes ||
                         degree >= ListIndex::kLongDegree;
    index_.put(ListIndex::pack(place.position, is_long ? ListIndex::kLongDegree : degree));
    if (is_long) put_long(vertex, place.slots);
    end_ = place.position + place.slots;
  }

  void put_long(VertexId vertex, std::uint64_t slots) {
    for (const std::uint64_t word : {std::uint64_t{vertex}, std::uint64_t{ids_.size()}, slots})
      long_->put(word);
  }

  void put_varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7) index_.put(static_cast<std::uint8_t>(value | 128));
    index_.put(static_cast<std::uint8_t>(value));
  }

  std::string prefix_;
  bool is_layout_;
  bool is_coded_;
  ListBlocksWriter blocks_;
  DiskWriter index_;
  std::optional<DiskWriter> long_;
  DiskWriter tombstones_;
  std::vector<VertexId> ids_;  // of the list in hand
  VertexId listed_ = 0;        // the vertex after that of the last list
  std::uint64_t end_ = 0;      // of the last list, in a layout that is coded
  std::uint64_t edges_ = 0;
  std::uint64_t longest_ = 0;
};

// Changes that are on their way into a run: without removals, if nothing is older than they.
class RunChanges final : public ChangeSource {
 public:
  RunChanges(ChangeSource& source, bool oldest, const std::atomic<bool>& stopped)
      : source_(source), oldest_(oldest), stopped_(stopped) {}
  bool next(VertexId& vertex, std::vector<PairChange>& changes) override {
    while (source_.next(vertex, changes)) {
      if (stopped_.load(std::memory_order_relaxed)) {
        throw Error(ExitCode::interrupted, "writing a run of the store was interrupted");
      }
      if (!oldest_) return true;
      for (PairChange& change : changes) missed_ += std::exchange(change.removes, 0);
      std::erase_if(changes, [](const PairChange& change) { return change.adds == 0; });
      if (!changes.empty()) return true;
    }
    return false;
  }
  [[nodiscard]] std::uint64_t missed() const { return missed_; }

 private:
  ChangeSource& source_;
  bool oldest_;
  const std::atomic<bool>& stopped_;
  std::uint64_t missed_ = 0;
};

nlohmann::json run_manifest(const Run& run, const LayoutFacts& facts, const nlohmann::json& files) {
  nlohmann::json manifest = {
      {"version", kLayoutVersion},
      {"files", files},
      {"updates", {{"after", run.updates.after}, {"last", run.updates.last}}}};
  if (run.is_oldest()) {
    LayoutChoices choices;
    choices.pack = "csr";
    choices.codec = run.codec;
    manifest["choices"] = choices_json(choices);
    manifest["facts"] = facts_json(facts);
    manifest["graph"] = {{"files", nlohmann::json::object()}};
  }
  return sealed(std::move(manifest));
}

// Additions and removals of a list by neighbour.
void join(std::span<const PairChange> removals, std::span<const PairChange> additions,
          std::vector<PairChange>& changes) {
  changes.clear();
  auto removal = removals.begin();
  for (const PairChange& addition : additions) {
    while (removal != removals.end() && removal->neighbour < addition.neighbour) {
      changes.push_back(*removal++);
    }
    changes.push_back(addition);
    if (removal != removals.end() && removal->neighbour == addition.neighbour) {
      changes.back().removes = (removal++)->removes;
    }
  }
  changes.insert(changes.end(), removal, removals.end());
}

class RunReader final : public ChangeSource {
 public:
  RunReader(Disk& disk, const Run& run, Direction direction, VertexId first)
      : cursor_(disk, run, direction) {
    while (cursor_.vertex() < first) cursor_.next();
  }

  bool next(VertexId& vertex, std::vector<PairChange>& changes) override {
    vertex = cursor_.vertex();
    if (vertex == kNoVertex) return false;
    join(cursor_.removals(), cursor_.additions(), changes);
    cursor_.next();
    return true;
  }

 private:
  RunCursor cursor_;
};

}  // namespace

WrittenRun write_run(Disk& disk, Run run, VertexId vertices, BothDirections changes,
                     const std::atomic<bool>& stopped) {
  disk.make_folder(run.name);
  const bool oldest = run.is_oldest();
  RunChanges out_changes(changes.out, oldest, stopped);
  RunChanges in_changes(changes.in, oldest, stopped);
  DirectionWriter out_writer(disk, run, "out");
  DirectionWriter in_writer(disk, run, "in");
  nlohmann::json files = nlohmann::json::object();
  nlohmann::json in_files = nlohmann::json::object();
  WrittenRun written;
  // Both directions at once: the next stretch of the log waits for them.
  std::future<std::uint64_t> in_bytes =
      std::async(disk.serves_threads() ? std::launch::async : std::launch::deferred,
                 [&] { return in_writer.write(in_changes, in_files); });
  written.bytes = out_writer.write(out_changes, files);
  written.bytes += in_bytes.get();
  files.update(in_files);
  LayoutFacts facts;
  facts.vertices = vertices;
  facts.id_space = vertices;
  facts.edges = out_writer.edges();
  facts.raw_bytes = facts.edges * sizeof(VertexId);
  facts.block_bytes = kRunBlockBytes;
  facts.slots_per_block = slots_of(run);
  facts.straddling = true;
  out_writer.add_facts(facts);
  in_writer.add_facts(facts);
  written.removals_missed = out_changes.missed();
  facts.blocks = out_writer.blocks();
  const nlohmann::json manifest = run_manifest(run, facts, files);
  write_whole(disk, file_of_run(run, "layout.json"), manifest.dump(2) + "\n");
  disk.sync_folder(run.name);
  run.seal = manifest.at("seal");
  written.run = std::move(run);
  return written;
}

void check_run(Disk& disk, const Run& run) {
  const nlohmann::json manifest = read_run_manifest(disk, run);
  const std::filesystem::path path = disk.path(file_of_run(run, "layout.json"));
  check_file_table(manifest, path);
  for (const std::string& name : file_names(manifest, path)) {
    const auto expected =
        json_field<std::uint64_t>(file_entry(manifest, name, path), "bytes", path);
    const std::uint64_t found = disk.open(file_of_run(run, name), Access::read, false)->size();
    if (found == expected) continue;
    throw bad_input(Place::file(disk.path(file_of_run(run, name))), fmt::format("{} bytes", found),
                    fmt::format("{} bytes", expected), "the file was cut or changed");
  }
}

std::unique_ptr<ChangeSource> read_run(Disk& disk, const Run& run, Direction direction,
                                       VertexId first) {
  return std::make_unique<RunReader>(disk, run, direction, first);
}

void MergedChanges::Head::advance() {
  if (!source->next(vertex, changes)) vertex = kNoVertex;
}

MergedChanges::MergedChanges(std::vector<std::unique_ptr<ChangeSource>> sources) {
  for (auto& source : sources) heads_.push_back({std::move(source), kNoVertex, {}});
  for (Head& head : heads_) head.advance();
}

bool MergedChanges::next(VertexId& vertex, std::vector<PairChange>& changes) {
  for (;;) {
    vertex = kNoVertex;
    for (const Head& head : heads_) vertex = std::min(vertex, head.vertex);
    if (vertex == kNoVertex) return false;
    gather(vertex, changes);
    std::erase_if(changes, [](const PairChange& c) { return c.removes == 0 && c.adds == 0; });
    if (!changes.empty()) return true;
  }
}

void MergedChanges::gather(VertexId vertex, std::vector<PairChange>& changes) {
  changes.clear();
  for (Head& head : heads_) {
    if (head.vertex != vertex) continue;
    merged_.clear();
    auto older = changes.begin();
    for (const PairChange& newer : head.changes) {
      while (older != changes.end() && older->neighbour < newer.neighbour) {
        merged_.push_back(*older++);
      }
      const bool both = older != changes.end() && older->neighbour == newer.neighbour;
      merged_.push_back(both ? then(*older++, newer) : newer);
    }
    merged_.insert(merged_.end(), older, changes.end());
    changes.swap(merged_);
    head.advance();
  }
}

bool StandingCopies::next(VertexId& vertex, std::vector<PairChange>& changes) {
  while (merged_.next(vertex, changes)) {
    for (PairChange& change : changes) missed_ += std::exchange(change.removes, 0);
    std::erase_if(changes, [](const PairChange& change) { return change.adds == 0; });
    if (!changes.empty()) return true;
  }
  return false;
}

void remove_folder(Disk& disk, const std::string& name) {
  for (const std::string& file : disk.list()) {
    if (file.starts_with(name + "/")) disk.remove(file);
  }
  disk.remove(name);
}

}  // namespace outcore::evolving
