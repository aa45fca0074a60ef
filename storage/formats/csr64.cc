// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "common/error.h"
#include "common/progress.h"
#include "storage/formats/export.h"
#include "storage/formats/import.h"

namespace outcore {

namespace {

constexpr std::uint64_t kWindow = std::uint64_t{1} << 17;  // offsets or targets read at a time

// The file does not state its number of vertices. But only its last offset is consistent with the
// file's size, because 8 (v + 1) + 4 offset[v] grows with v.
class Csr64Reader {
 public:
  explicit Csr64Reader(const File& file) : file_(file), bytes_(file.size()) {
    std::uint64_t before = 0;
    for (std::uint64_t v = 0;; ++v) {
      if ((v + 1) * 8 > bytes_) {
        throw bad_input(Place::offset(file_.path(), bytes_), "the end of the file",
                        "an offset that accounts for the file's size (was the file cut?)");
      }
      const std::uint64_t offset = offset_at(v);
      const std::uint64_t most = v == 0 ? 0 : (bytes_ - (v + 1) * 8) / 4;
      if (offset < before || offset > most) {
        throw bad_input(Place::offset(file_.path(), v * 8), fmt::format("list offset {}", offset),
                        fmt::format("{} to {}", before, most), "is this a .csr64 file?");
      }
      before = offset;
      if ((v + 1) * 8 + offset * 4 == bytes_) {
        vertices_ = v;
        edges_ = offset;
        break;
      }
    }
    if (vertices_ > kMostVertices) {
      throw bad_input(Place::file(file_.path()), fmt::format("{} vertices", vertices_),
                      fmt::format("at most {}", kMostVertices));
    }
    if (edges_ == 0) throw no_edges(file_.path());
  }

  [[nodiscard]] VertexId vertices() const { return static_cast<VertexId>(vertices_); }

  void feed(ContainerBuilder& builder) {
    Progress progress("importing", edges_, "edges");
    const std::uint64_t targets_at = (vertices_ + 1) * 8;
    std::vector<VertexId> targets;
    std::vector<Edge> batch;
    std::uint64_t source = 0;
    for (std::uint64_t first = 0; first < edges_; first += kWindow) {
      targets.resize(std::min(kWindow, edges_ - first));
      file_.read(std::as_writable_bytes(std::span(targets)), targets_at + first * 4);
      batch.clear();
      for (std::uint64_t i = 0; i < targets.size(); ++i) {
        while (offset_at(source + 1) <= first + i) ++source;
        if (targets[i] >= vertices_) {
          throw bad_input(Place::offset(file_.path(), targets_at + (first + i) * 4),
                          fmt::format("vertex {}", targets[i]),
                          fmt::format("a vertex id (0 to {})", vertices_ - 1));
        }
        batch.emplace_back(static_cast<VertexId>(source), targets[i]);
      }
      builder.add(batch);
      progress.add(batch.size());
    }
  }

 private:
  // REQUIRES: offsets are asked for in ascending order; that may be done twice.
  std::uint64_t offset_at(std::uint64_t v) {
    if (v < first_ || v >= first_ + offsets_.size()) {
      first_ = v;
      offsets_.resize(std::min(kWindow, bytes_ / 8 - v));
      file_.read(std::as_writable_bytes(std::span(offsets_)), v * 8);
    }
    return offsets_[v - first_];
  }

  const File& file_;
  std::uint64_t bytes_;
  std::uint64_t vertices_ = 0;
  std::uint64_t edges_ = 0;
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> offsets_;
};

}  // namespace

void import_csr64(ImportJob& job) {
  const File file = File::open_read(job.file);
  Csr64Reader reader(file);
  ContainerBuilder builder(job.folder, job.build);
  reader.feed(builder);
  job.counts = builder.finish(reader.vertices());
}

void export_csr64(ExportJob& job) {
  Progress progress("exporting", job.out.edges(), "edges");
  job.file.write(std::as_bytes(job.out.offsets()));
  for (VertexId v = 0; v < job.out.vertices(); ++v) {
    job.file.write(std::as_bytes(job.out.list(v)));
    progress.add(job.out.degree(v));
  }
}

}  // namespace outcore
