// SPDX-License-Identifier: Apache-2.0
// WebGraph's BVGraph (P. Boldi and S. Vigna, The WebGraph framework I: compression techniques, WWW
// 2004), decoded from front to back from x.graph with the parameters in x.properties. (The package
// webgraph on PyPI needs an additional index of its own, x.ef, which published graphs do not have.)
//
// x.graph is a stream of bits, the highest bit of a byte first. A vertex x has
//
//   its degree                                     gamma, or as compressionflags say
//   if not 0 and windowsize > 0: reference r       unary; the list of x - r serves as a model
//   if r > 0: the number of blocks, their lengths  gamma; blocks are alternately copied from the
//                                                  model and skipped; lengths are stored minus 1,
//                                                  except the first; after an even number of blocks
//                                                  the rest is copied
//   if targets are left and minintervallength > 0: the number of intervals, then for each its
//                                                  first target (the first interval's as a signed
//                                                  difference from x, the others' as a gap minus 1)
//                                                  and its length minus minintervallength: gamma
//   the rest: the first target as a signed difference from x, then gaps minus 1: zeta_zetak
//
// Memory: the last windowsize + 1 lists. Used by one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/ids.h"

namespace outcore {

enum class BvCode : std::uint8_t { unary, gamma, delta, zeta };

struct BvParameters {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
  std::uint64_t window = 7;
  std::uint64_t least_interval = 4;
  unsigned zeta_k = 3;
  BvCode degrees = BvCode::gamma;
  BvCode references = BvCode::unary;
  BvCode block_counts = BvCode::gamma;
  BvCode blocks = BvCode::gamma;
  BvCode residuals = BvCode::zeta;
};

// Throws bad_input for missing parameters, and for those that are not supported here (Golomb and
// nibble codes, little-endian streams).
BvParameters read_bv_parameters(const std::filesystem::path& properties);

class BvBits {
 public:
  explicit BvBits(const std::filesystem::path& path);

  // Throws bad_input with the offset at the end of the file, or for a number above 2^63.
  std::uint64_t read(BvCode code, unsigned zeta_k);
  [[nodiscard]] std::uint64_t offset() const { return (read_ - (filled_ - at_)) - count_ / 8; }
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;

 private:
  std::uint64_t unary();
  std::uint64_t bits(unsigned count);  // at most 63
  std::uint64_t gamma();
  std::uint64_t delta();
  std::uint64_t zeta(unsigned k);
  void refill();

  File file_;
  std::uint64_t bytes_;
  std::vector<std::uint8_t> window_;
  std::uint64_t read_ = 0;  // bytes of the file that were put into the window
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t bits_ = 0;  // the next `count_` bits, highest first
  unsigned count_ = 0;
};

class BvGraph {
 public:
  // `graph` is x.graph; x.properties lies beside it.
  explicit BvGraph(const std::filesystem::path& graph);
  [[nodiscard]] const BvParameters& parameters() const { return parameters_; }

  // The list of the next vertex, ascending and without duplicates; valid until the next call. There
  // are parameters().vertices lists. The last call throws bad_input if they do not have `arcs` arcs
  // in all.
  std::span<const VertexId> next();

 private:
  std::uint64_t number(BvCode code) { return bits_.read(code, parameters_.zeta_k); }
  void copy_blocks(std::uint64_t degree);
  void read_intervals(std::uint64_t left);
  void read_residuals(std::uint64_t count);
  void merge(std::vector<VertexId>& list);
  [[nodiscard]] std::uint64_t from_vertex(std::uint64_t folded) const;
  void check_target(std::uint64_t target) const;

  std::filesystem::path path_;
  BvParameters parameters_;
  BvBits bits_;
  std::uint64_t vertex_ = 0;
  std::uint64_t arcs_ = 0;
  std::vector<std::vector<VertexId>> lists_;  // of vertex v in v % (window + 1)
  std::vector<VertexId> copied_;
  std::vector<VertexId> intervals_;
  std::vector<VertexId> residuals_;
  std::vector<VertexId> merged_;
};

}  // namespace outcore
