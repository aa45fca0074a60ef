// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/bv_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <iterator>
#include <map>
#include <sstream>

#include "common/error.h"
#include "storage/formats/import.h"
#include "storage/formats/text_lines.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

// Reads a Java properties file as WebGraph writes it.
class GraphProperties {
 public:
  explicit GraphProperties(const fs::path& path) : path_(path) {
    const auto source = open_source(path);
    HeaderLines lines(*source);
    for (std::string line; lines.next(line);) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      const std::size_t equals = line.find('=');
      if (line.empty() || line[0] == '#' || equals == std::string::npos) continue;
      values_[line.substr(0, equals)] = line.substr(equals + 1);
    }
  }

  [[nodiscard]] std::string text(const std::string& key, const std::string& otherwise = {}) const {
    const auto found = values_.find(key);
    return found == values_.end() ? otherwise : found->second;
  }
  [[nodiscard]] std::uint64_t number(const std::string& key, std::uint64_t least,
                                     std::uint64_t most) const {
    const std::string value = text(key, "nothing");
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error == std::errc{} && stop == value.data() + value.size() && number >= least &&
        number <= most) {
      return number;
    }
    throw bad_input(Place::file(path_), fmt::format("{}={}", key, value.substr(0, 40)),
                    fmt::format("{} to {}", least, most),
                    "is this the .properties file of a BVGraph?");
  }
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
    throw bad_input(Place::file(path_), found, expected);
  }

 private:
  fs::path path_;
  std::map<std::string, std::string> values_;
};

void set_flag(const GraphProperties& properties, const std::string& flag,
              BvParameters& parameters) {
  struct Use {
    const char* name;
    BvCode BvParameters::*code;
  };
  constexpr std::array<Use, 5> kUses = {{{"OUTDEGREES_", &BvParameters::degrees},
                                         {"REFERENCES_", &BvParameters::references},
                                         {"BLOCK_COUNT_", &BvParameters::block_counts},
                                         {"BLOCKS_", &BvParameters::blocks},
                                         {"RESIDUALS_", &BvParameters::residuals}}};
  constexpr std::array<std::pair<const char*, BvCode>, 4> kCodes = {{{"UNARY", BvCode::unary},
                                                                     {"GAMMA", BvCode::gamma},
                                                                     {"DELTA", BvCode::delta},
                                                                     {"ZETA", BvCode::zeta}}};
  if (flag.starts_with("OFFSETS_")) return;  // codes of a file that is not read
  for (const Use& use : kUses) {
    for (const auto& [name, code] : kCodes) {
      if (flag != std::string(use.name) + name) continue;
      parameters.*use.code = code;
      return;
    }
  }
  properties.refuse(fmt::format("compression flag '{}'", flag.substr(0, 40)),
                    "UNARY, GAMMA, DELTA or ZETA codes");
}

}  // namespace

BvParameters read_bv_parameters(const fs::path& path) {
  const GraphProperties properties(path);
  if (!properties.text("graphclass", "BVGraph").ends_with("BVGraph")) {
    properties.refuse("graphclass=" + properties.text("graphclass"), "a BVGraph");
  }
  if (properties.text("endianness", "big") != "big") {
    properties.refuse("endianness=" + properties.text("endianness"), "big");
  }
  BvParameters parameters;
  parameters.vertices = properties.number("nodes", 0, kMostVertices);
  parameters.arcs = properties.number("arcs", 0, std::uint64_t{1} << 40);
  parameters.window = properties.number("windowsize", 0, 1024);
  parameters.least_interval = properties.number("minintervallength", 0, kMostVertices);
  if (!properties.text("zetak").empty()) {
    parameters.zeta_k = static_cast<unsigned>(properties.number("zetak", 1, 16));
  }
  std::string flag;
  for (const char c : properties.text("compressionflags") + "|") {
    if (c == ' ') continue;
    if (c != '|') {
      flag += c;
    } else if (!flag.empty()) {
      set_flag(properties, flag, parameters);
      flag.clear();
    }
  }
  return parameters;
}

BvBits::BvBits(const fs::path& path)
    : file_(File::open_read(path)), bytes_(file_.size()), window_(std::size_t{1} << 20) {}

void BvBits::refuse(const std::string& found, const std::string& expected) const {
  throw bad_input(Place::offset(file_.path(), offset()), found, expected,
                  "the file is broken, or its .properties are another graph's");
}

void BvBits::refill() {
  while (count_ <= 56) {
    if (at_ == filled_) {
      filled_ = std::min<std::uint64_t>(window_.size(), bytes_ - read_);
      at_ = 0;
      if (filled_ == 0) return;
      file_.read(std::as_writable_bytes(std::span(window_).first(filled_)), read_);
      read_ += filled_;
    }
    bits_ |= std::uint64_t{window_[at_++]} << (56 - count_);
    count_ += 8;
  }
}

std::uint64_t BvBits::unary() {
  std::uint64_t zeros = 0;
  for (;;) {
    if (count_ < 32) refill();
    if (count_ == 0) refuse("the end of the file", "more lists");
    const auto leading = static_cast<unsigned>(std::countl_zero(bits_));
    if (leading < count_) {
      bits_ = leading == 63 ? 0 : bits_ << (leading + 1);
      count_ -= leading + 1;
      return zeros + leading;
    }
    zeros += count_;
    bits_ = 0;
    count_ = 0;
  }
}

std::uint64_t BvBits::bits(unsigned count) {
  std::uint64_t value = 0;
  while (count > 0) {
    if (count_ < 32) refill();
    if (count_ == 0) refuse("the end of the file", "more lists");
    const unsigned part = std::min({count, count_, 32U});
    value = value << part | bits_ >> (64 - part);
    bits_ <<= part;
    count_ -= part;
    count -= part;
  }
  return value;
}

std::uint64_t BvBits::gamma() {
  const std::uint64_t width = unary();
  if (width > 62) refuse("a number of more than 62 bits", "vertices and lengths");
  return ((std::uint64_t{1} << width) | bits(static_cast<unsigned>(width))) - 1;
}

std::uint64_t BvBits::delta() {
  const std::uint64_t width = gamma();
  if (width > 62) refuse("a number of more than 62 bits", "vertices and lengths");
  return ((std::uint64_t{1} << width) | bits(static_cast<unsigned>(width))) - 1;
}

std::uint64_t BvBits::zeta(unsigned k) {
  const std::uint64_t h = unary();
  if (h * k + k > 62) refuse("a number of more than 62 bits", "vertices and lengths");
  const auto low_bits = static_cast<unsigned>(h * k);
  const std::uint64_t left = std::uint64_t{1} << low_bits;
  const std::uint64_t value = bits(low_bits + k - 1);
  return value < left ? value + left - 1 : (value << 1) + bits(1) - 1;
}

std::uint64_t BvBits::read(BvCode code, unsigned zeta_k) {
  switch (code) {
    case BvCode::unary:
      return unary();
    case BvCode::gamma:
      return gamma();
    case BvCode::delta:
      return delta();
    case BvCode::zeta:
      return zeta(zeta_k);
  }
  return 0;
}

BvGraph::BvGraph(const fs::path& graph)
    : path_(graph),
      parameters_(read_bv_parameters(fs::path(graph).replace_extension(".properties"))),
      bits_(graph),
      lists_(parameters_.window + 1) {}

void BvGraph::check_target(std::uint64_t target) const {
  if (target < parameters_.vertices) return;
  bits_.refuse(fmt::format("vertex {} in the list of {}", target, vertex_),
               fmt::format("0 to {}", parameters_.vertices - 1));
}

std::span<const VertexId> BvGraph::next() {
  std::vector<VertexId>& list = lists_[vertex_ % lists_.size()];
  list.clear();
  const std::uint64_t degree = number(parameters_.degrees);
  arcs_ += degree;
  if (degree > parameters_.vertices || arcs_ > parameters_.arcs) {
    bits_.refuse(fmt::format("{} arcs of vertex {}", degree, vertex_),
                 fmt::format("at most {} and {} in all", parameters_.vertices, parameters_.arcs));
  }
  copied_.clear();
  intervals_.clear();
  residuals_.clear();
  if (degree > 0) {
    if (parameters_.window > 0) copy_blocks(degree);
    if (parameters_.least_interval > 0) read_intervals(degree - copied_.size());
    read_residuals(degree - copied_.size() - intervals_.size());
    merge(list);
  }
  if (++vertex_ == parameters_.vertices && arcs_ != parameters_.arcs) {
    bits_.refuse(fmt::format("{} arcs in all", arcs_), fmt::format("{}", parameters_.arcs));
  }
  return list;
}

void BvGraph::copy_blocks(std::uint64_t degree) {
  const std::uint64_t reference = number(parameters_.references);
  if (reference == 0) return;
  if (reference > parameters_.window || reference > vertex_) {
    bits_.refuse(fmt::format("a reference {} before vertex {}", reference, vertex_),
                 fmt::format("at most {}", std::min(parameters_.window, vertex_)));
  }
  const std::vector<VertexId>& model = lists_[(vertex_ - reference) % lists_.size()];
  const auto copy = [&](std::uint64_t begin, std::uint64_t end) {
    if (end > model.size() || copied_.size() + (end - begin) > degree) {
      bits_.refuse(fmt::format("blocks that copy {} targets of {}", end, model.size()),
                   fmt::format("at most {}", std::min<std::uint64_t>(degree, model.size())));
    }
    copied_.insert(copied_.end(), model.begin() + static_cast<std::ptrdiff_t>(begin),
                   model.begin() + static_cast<std::ptrdiff_t>(end));
  };
  const std::uint64_t blocks = number(parameters_.block_counts);
  std::uint64_t at = 0;
  for (std::uint64_t block = 0; block < blocks; ++block) {
    const std::uint64_t length = number(parameters_.blocks) + (block == 0 ? 0 : 1);
    if (length > model.size() - at) copy(0, at + length);  // throws
    if (block % 2 == 0) copy(at, at + length);
    at += length;
  }
  if (blocks % 2 == 0) copy(at, model.size());
}

void BvGraph::read_intervals(std::uint64_t left) {
  if (left == 0) return;
  const std::uint64_t count = number(BvCode::gamma);
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t gap = number(BvCode::gamma);
    const std::uint64_t first = i == 0 ? from_vertex(gap) : next + 1 + gap;
    const std::uint64_t length = number(BvCode::gamma) + parameters_.least_interval;
    if (length > left) {
      bits_.refuse(fmt::format("an interval of {} targets", length),
                   fmt::format("at most {} in the list of {}", left, vertex_));
    }
    check_target(first);
    check_target(first + length - 1);
    for (std::uint64_t target = first; target < first + length; ++target) {
      intervals_.push_back(static_cast<VertexId>(target));
    }
    next = first + length;
    left -= length;
  }
}

void BvGraph::read_residuals(std::uint64_t count) {
  std::uint64_t target = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t gap = number(parameters_.residuals);
    target = i == 0 ? from_vertex(gap) : target + 1 + gap;
    check_target(target);
    residuals_.push_back(static_cast<VertexId>(target));
  }
}

// Unfolds a signed difference: even numbers go forwards, odd ones backwards. A result before 0
// wraps to more than any vertex.
std::uint64_t BvGraph::from_vertex(std::uint64_t folded) const {
  return folded % 2 == 0 ? vertex_ + folded / 2 : vertex_ - folded / 2 - 1;
}

void BvGraph::merge(std::vector<VertexId>& list) {
  merged_.clear();
  std::merge(copied_.begin(), copied_.end(), intervals_.begin(), intervals_.end(),
             std::back_inserter(merged_));
  std::merge(merged_.begin(), merged_.end(), residuals_.begin(), residuals_.end(),
             std::back_inserter(list));
  if (std::adjacent_find(list.begin(), list.end()) != list.end()) {
    bits_.refuse(fmt::format("a target twice in the list of {}", vertex_), "each once");
  }
}

}  // namespace outcore
