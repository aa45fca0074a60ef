// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "common/error.h"
#include "common/progress.h"
#include "storage/formats/export.h"
#include "storage/formats/import.h"

namespace outcore {

namespace {

constexpr std::uint64_t kHeaderBytes = 1 + 8 + 8;

struct Header {
  bool directed = false;
  std::uint64_t edges = 0;  // as stored: an undirected edge counts twice
  std::uint64_t vertices = 0;
  std::uint64_t target_bytes = 4;
  [[nodiscard]] std::uint64_t lists_bytes() const {
    return (vertices + 1) * 8 + edges * target_bytes;
  }
};

Header read_header(const File& file, std::uint64_t target_bytes) {
  const std::uint64_t bytes = file.size();
  if (bytes < kHeaderBytes) {
    throw bad_input(Place::offset(file.path(), bytes), "the end of the file",
                    fmt::format("a header of {} bytes", kHeaderBytes));
  }
  std::array<std::byte, kHeaderBytes> raw{};
  file.read(raw, 0);
  std::int64_t edges = 0;
  std::int64_t vertices = 0;
  std::memcpy(&edges, raw.data() + 1, sizeof edges);
  std::memcpy(&vertices, raw.data() + 9, sizeof vertices);
  const auto directed = std::to_integer<unsigned>(raw[0]);
  if (directed > 1) {
    throw bad_input(Place::offset(file.path(), 0), fmt::format("{}", directed),
                    "0 (undirected) or 1 (directed)", "is this a GAP suite file?");
  }
  constexpr std::int64_t kMostEdges = std::int64_t{1} << 40;
  if (edges < 0 || edges > kMostEdges) {
    throw bad_input(Place::offset(file.path(), 1), fmt::format("{} edges", edges),
                    fmt::format("0 to {}", kMostEdges), "is this a GAP suite file?");
  }
  if (vertices < 0 || vertices > std::int64_t{kMostVertices}) {
    throw bad_input(Place::offset(file.path(), 9), fmt::format("{} vertices", vertices),
                    fmt::format("0 to {}", kMostVertices), "is this a GAP suite file?");
  }
  if (edges == 0) throw bad_input(Place::offset(file.path(), 1), "no edges", "at least one edge");
  const Header header{directed == 1, static_cast<std::uint64_t>(edges),
                      static_cast<std::uint64_t>(vertices), target_bytes};
  const std::uint64_t expected = kHeaderBytes + header.lists_bytes() * (header.directed ? 2 : 1);
  if (bytes != expected) {
    throw bad_input(
        Place::offset(file.path(), std::min(bytes, expected)),
        fmt::format("{} bytes in all", bytes),
        fmt::format("{} for {} vertices and {} edges", expected, header.vertices, header.edges),
        bytes < expected ? "the file was cut" : "");
  }
  return header;
}

// A target as stored in the file.
struct SgTarget {
  std::int32_t vertex = 0;
};
struct WsgTarget {
  std::int32_t vertex = 0;
  std::int32_t weight = 0;
};
Edge edge_to(VertexId source, const SgTarget& target) {
  return {source, static_cast<VertexId>(target.vertex)};
}
WeightedEdge edge_to(VertexId source, const WsgTarget& target) {
  return {source, static_cast<VertexId>(target.vertex), static_cast<float>(target.weight)};
}
void add_to(ContainerBuilder& builder, const std::vector<Edge>& edges) { builder.add(edges); }
void add_to(ContainerBuilder& builder, const std::vector<WeightedEdge>& edges) {
  builder.add_weighted(edges);
}

// Reads the out-lists from front to back, the offsets and the targets each through a window.
template <typename Target>
class ListFeeder {
 public:
  ListFeeder(const File& file, const Header& header, ContainerBuilder& builder)
      : file_(file),
        header_(header),
        builder_(builder),
        progress_("importing", header.edges, "edges") {}

  void run() {
    std::int64_t begin = 0;
    for (std::uint64_t first = 0; first <= header_.vertices; first += kWindow) {
      offsets_.resize(std::min(kWindow, header_.vertices + 1 - first));
      file_.read(std::as_writable_bytes(std::span(offsets_)), kHeaderBytes + first * 8);
      for (std::size_t i = 0; i < offsets_.size(); ++i) {
        const std::uint64_t number = first + i;
        const std::int64_t offset = offsets_[i];
        check_offset(number, begin, offset);
        // Offset `number` ends the list of the vertex before it.
        if (number > 0) feed(static_cast<VertexId>(number - 1), begin, offset);
        begin = offset;
      }
    }
    add_to(builder_, batch_);
  }

 private:
  static constexpr std::uint64_t kWindow = std::uint64_t{1} << 17;

  void check_offset(std::uint64_t number, std::int64_t before, std::int64_t offset) const {
    const auto edges = static_cast<std::int64_t>(header_.edges);
    const std::int64_t least = number == header_.vertices ? edges : before;
    const std::int64_t most = number == 0 ? 0 : edges;
    if (offset >= least && offset <= most) return;
    throw bad_input(Place::offset(file_.path(), kHeaderBytes + number * 8),
                    fmt::format("list offset {}", offset), fmt::format("{} to {}", least, most));
  }

  void feed(VertexId source, std::int64_t begin, std::int64_t end) {
    const std::uint64_t targets_at = kHeaderBytes + (header_.vertices + 1) * 8;
    for (auto edge = static_cast<std::uint64_t>(begin); edge < static_cast<std::uint64_t>(end);
         ++edge) {
      if (edge % kWindow == 0) {
        add_to(builder_, batch_);
        progress_.add(batch_.size());
        batch_.clear();
        targets_.resize(std::min(kWindow, header_.edges - edge));
        file_.read(std::as_writable_bytes(std::span(targets_)), targets_at + edge * sizeof(Target));
      }
      const Target& target = targets_[edge % kWindow];
      if (target.vertex < 0 || static_cast<std::uint64_t>(target.vertex) >= header_.vertices) {
        throw bad_input(Place::offset(file_.path(), targets_at + edge * sizeof(Target)),
                        fmt::format("vertex {}", target.vertex),
                        fmt::format("a vertex id (0 to {})", header_.vertices - 1));
      }
      batch_.push_back(edge_to(source, target));
    }
  }

  const File& file_;
  const Header& header_;
  ContainerBuilder& builder_;
  Progress progress_;
  std::vector<std::int64_t> offsets_;
  std::vector<Target> targets_;
  std::vector<decltype(edge_to(0, Target{}))> batch_;
};

template <typename Target>
void import_serialized(ImportJob& job) {
  const File file = File::open_read(job.file);
  const Header header = read_header(file, sizeof(Target));
  if (!header.directed) job.build.edges = Edges::symmetric;
  job.build.weighted = std::is_same_v<Target, WsgTarget>;
  ContainerBuilder builder(job.folder, job.build);
  ListFeeder<Target>(file, header, builder).run();
  job.counts = builder.finish(static_cast<VertexId>(header.vertices));
}

// .wsg holds 32-bit integers.
std::int32_t whole_weight(const ExportJob& job, VertexId source, VertexId target, float weight) {
  constexpr float kBeyond = 2147483648.0F;
  if (weight == std::floor(weight) && weight >= -kBeyond && weight < kBeyond) {
    return static_cast<std::int32_t>(weight);
  }
  throw usage_error(
      fmt::format("{}: weight {} of edge {} -> {}, expected a whole number of 32 bits "
                  "for the format wsg",
                  job.container.folder().string(), weight, source, target));
}

void write_lists(ExportJob& job, const CsrView& csr, bool weights, Progress& progress) {
  for (const EdgeIndex offset : csr.offsets()) job.file.put(static_cast<std::int64_t>(offset));
  for (VertexId v = 0; v < csr.vertices(); ++v) {
    const auto list = csr.list(v);
    if (weights) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        job.file.put(list[i]);
        job.file.put(whole_weight(job, v, list[i], csr.weights(v)[i]));
      }
    } else {
      job.file.write(std::as_bytes(list));
    }
    progress.add(list.size());
  }
}

void export_serialized(ExportJob& job, bool weights) {
  const GraphFacts& facts = job.container.facts();
  constexpr VertexId kMost = VertexId{1} << 31;  // ids are signed 32-bit integers
  if (facts.vertices > kMost) {
    throw usage_error(fmt::format("{}: {} vertices, expected at most {} for a GAP suite file",
                                  job.container.folder().string(), facts.vertices, kMost));
  }
  const bool directed = !facts.symmetric;
  job.file.put(static_cast<std::uint8_t>(directed));
  job.file.put(static_cast<std::int64_t>(facts.edges));
  job.file.put(static_cast<std::int64_t>(facts.vertices));
  Progress progress("exporting", directed ? 2 * facts.edges : facts.edges, "edges");
  write_lists(job, job.out, weights, progress);
  if (directed) write_lists(job, job.container.csr(Direction::in), weights, progress);
}

}  // namespace

void import_sg(ImportJob& job) { import_serialized<SgTarget>(job); }
void import_wsg(ImportJob& job) { import_serialized<WsgTarget>(job); }

void export_sg(ExportJob& job) { export_serialized(job, false); }
void export_wsg(ExportJob& job) {
  need_weights(job, "wsg");
  export_serialized(job, true);
}

}  // namespace outcore
