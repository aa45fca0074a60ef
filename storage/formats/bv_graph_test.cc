// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/bv_graph.h"

#include <bit>

#include "storage/formats/import_fixture.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

// Writes the codes, the highest bit of a byte first.
class BitWriter {
 public:
  BitWriter& bits(std::uint64_t value, unsigned count) {
    while (count-- > 0) {
      if (used_ % 8 == 0) bytes_.push_back('\0');
      if ((value >> count & 1) != 0)
        bytes_.back() = static_cast<char>(bytes_.back() | 0x80 >> used_ % 8);
      ++used_;
    }
    return *this;
  }
  BitWriter& unary(std::uint64_t value) {
    for (; value > 0; --value) bits(0, 1);
    return bits(1, 1);
  }
  BitWriter& gamma(std::uint64_t value) {
    const auto width = static_cast<unsigned>(std::bit_width(value + 1)) - 1;
    return unary(width).bits(value + 1, width);
  }
  BitWriter& delta(std::uint64_t value) {
    const auto width = static_cast<unsigned>(std::bit_width(value + 1)) - 1;
    return gamma(width).bits(value + 1, width);
  }
  // For k = 3 and numbers up to 6 in the first range.
  BitWriter& zeta3(std::uint64_t value) {
    unsigned h = 0;
    while (value + 1 >= std::uint64_t{1} << (3 * (h + 1))) ++h;
    const std::uint64_t left = std::uint64_t{1} << (3 * h);
    unary(h);
    if (value + 1 < 2 * left) return bits(value + 1 - left, 3 * h + 2);
    return bits(value + 1, 3 * h + 3);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  unsigned used_ = 0;
};

class BvGraphTest : public ImportTest {
 protected:
  fs::path graph(const std::string& bytes, const std::string& vertices, const std::string& arcs,
                 const std::string& more = {}) {
    write("x.properties",
          "#BVGraph properties\nversion=0\ngraphclass=it.unimi.dsi.webgraph.BVGraph\nzetak=3\n"
          "windowsize=7\nminintervallength=2\nnodes=" +
              vertices + "\narcs=" + arcs + "\n" + more);
    return write("x.graph", bytes);
  }
};

// 0: 1 3 4 5 9    an interval 3 4 5 and residuals
// 1: 1 4 5 9      copies 4 5 9, skips 1 and 3; residual 1
// 2: nothing
// 3: 0 1 4 5      copies all of 1's list except 9; a residual before the vertex
std::string four_lists() {
  BitWriter w;
  w.gamma(5).unary(0).gamma(1).gamma(6).gamma(1).zeta3(2).zeta3(7);
  w.gamma(4).unary(1).gamma(2).gamma(0).gamma(1).gamma(0).zeta3(0);
  w.gamma(0);
  w.gamma(4).unary(2).gamma(1).gamma(3).gamma(0).zeta3(5);
  return w.bytes();
}

TEST_F(BvGraphTest, DecodesReferencesIntervalsAndResiduals) {
  const fs::path file = graph(four_lists(), "10", "13");
  BvGraph decoded(file);
  EXPECT_THAT(decoded.next(), ElementsAre(1, 3, 4, 5, 9));
  EXPECT_THAT(decoded.next(), ElementsAre(1, 4, 5, 9));
  EXPECT_THAT(decoded.next(), ElementsAre());
  EXPECT_THAT(decoded.next(), ElementsAre(0, 1, 4, 5));
}

TEST_F(BvGraphTest, ReadsAllCodes) {
  const std::vector<std::uint64_t> values = {0, 1, 2, 6, 7, 8, 62, 63, 64, 511, 100000};
  BitWriter w;
  for (const std::uint64_t value : values) w.gamma(value).delta(value).zeta3(value);
  w.unary(0).unary(70);
  BvBits bits(write("x.graph", w.bytes()));
  for (const std::uint64_t value : values) {
    EXPECT_EQ(bits.read(BvCode::gamma, 3), value);
    EXPECT_EQ(bits.read(BvCode::delta, 3), value);
    EXPECT_EQ(bits.read(BvCode::zeta, 3), value);
  }
  EXPECT_EQ(bits.read(BvCode::unary, 3), 0U);
  EXPECT_EQ(bits.read(BvCode::unary, 3), 70U);
}

TEST_F(BvGraphTest, BecomesAContainer) {
  BitWriter w;
  w.gamma(1).unary(0).gamma(0).zeta3(2);
  w.gamma(2).unary(0).gamma(1).gamma(0).gamma(0);
  w.gamma(0);
  EXPECT_THAT(import(graph(w.bytes(), "3", "3")), ElementsAre(Edge{0, 1}, Edge{1, 1}, Edge{1, 2}));
  EXPECT_EQ(Container(graph_).facts().vertices, 3U);
  // The same graph with other codes, and without references.
  BitWriter other;
  other.delta(1).gamma(0).delta(2).delta(2).gamma(1).gamma(0).gamma(0).delta(0);
  EXPECT_THAT(import(graph(other.bytes(), "3", "3",
                           "windowsize=0\ncompressionflags=OUTDEGREES_DELTA|RESIDUALS_DELTA\n")),
              ElementsAre(Edge{0, 1}, Edge{1, 1}, Edge{1, 2}));
}

TEST_F(BvGraphTest, EveryCutIsRefused) {
  BitWriter w;
  for (int v = 0; v < 40; ++v) w.gamma(1).unary(0).gamma(0).zeta3(0);
  const std::string whole = w.bytes();
  EXPECT_EQ(import(graph(whole, "40", "40")).size(), 40U);
  for (std::size_t size = 1; size < whole.size(); ++size) {
    expect_refused(graph(whole.substr(0, size), "40", "40"), ExitCode::bad_input,
                   "found the end of the file, expected more lists");
  }
}

TEST_F(BvGraphTest, RefusesListsThatCannotBe) {
  const auto refuse = [&](const BitWriter& w, const std::string& message) {
    expect_refused(graph(w.bytes() + std::string(16, '\xff'), "4", "5"), ExitCode::bad_input,
                   message);
  };
  refuse(BitWriter().gamma(5), "found 5 arcs of vertex 0, expected at most 4 and 5 in all");
  refuse(BitWriter().gamma(1).unary(0).gamma(0).zeta3(8), "found vertex 4 in the list of 0");
  refuse(BitWriter().gamma(1).unary(0).gamma(0).zeta3(1), "in the list of 0, expected 0 to 3");
  refuse(BitWriter().gamma(1).unary(1), "found a reference 1 before vertex 0");
  refuse(BitWriter().gamma(1).unary(0).gamma(1).gamma(0).gamma(0),
         "found an interval of 2 targets");
  refuse(BitWriter().gamma(0).gamma(1).unary(1).gamma(1).gamma(2), "found blocks that copy 2");
  refuse(BitWriter().gamma(3).unary(0).gamma(1).gamma(2).gamma(0).zeta3(4), "a target twice");
  refuse(BitWriter().gamma(0).gamma(0).gamma(0).gamma(0), "found 0 arcs in all, expected 5");
  refuse(BitWriter().bits(0, 64).bits(1, 64), "found a number of more than 62 bits");
}

TEST_F(BvGraphTest, RefusesPropertiesThatItDoesNotKnow) {
  const auto refuse = [&](const std::string& more, const std::string& message) {
    complaint(graph(four_lists(), "10", "13", more), ExitCode::bad_input, message);
  };
  refuse("nodes=-1\n", "found nodes=-1, expected 0 to 4294967294");
  refuse("nodes=4294967295\n", "found nodes=4294967295");
  refuse("arcs=many\n", "found arcs=many");
  refuse("windowsize=\n", "found windowsize=");
  refuse("zetak=0\n", "found zetak=0");
  refuse("endianness=little\n", "found endianness=little, expected big");
  refuse("graphclass=it.unimi.dsi.webgraph.EFGraph\n", "expected a BVGraph");
  refuse("compressionflags=RESIDUALS_GOLOMB\n", "found compression flag 'RESIDUALS_GOLOMB'");
  fs::remove(root_ / "x.properties");
  complaint(root_ / "x.graph", ExitCode::io, "x.properties");
}

}  // namespace
}  // namespace outcore
