// SPDX-License-Identifier: Apache-2.0
#include "engines/binning/bin_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "common/error.h"
#include "common/sizes.h"
#include "engines/program.h"
#include "storage/io/backend.h"

namespace outcore {

namespace {

// Of any program: a size that goes for one goes for all.
constexpr std::size_t kLargestRecord = sizeof(VertexId) + kLargestMessage;
constexpr std::size_t kBufferAlignment = 64;
// Buffers that go to a disk are read and written whole (storage/io/backend.h).
constexpr std::size_t kSpilledAlignment = kAlignment;

// Vertices of a bin where `bins` is left open: as many as have their states in half of a usual
// second-level cache, of 4 to 8 bytes each.
constexpr VertexId kUsualBin = VertexId{1} << 16;
constexpr std::size_t kMostUsualBins = 4096;  // Blaze's number

// Buffers that the space holds for each bin and worker where that leaves each at least a line, and
// the largest that one may be.
constexpr std::size_t kBuffersOfABin = 8;
constexpr std::size_t kLargestBuffer = std::size_t{64} << 10;

// The share of buffers, beside those that workers are filling, that is empty while bins are
// gathered: gatherers should be at it before scatterers wait.
constexpr std::size_t kSpareOneIn = 16;

std::size_t bins_of(const Parameters& settings, VertexId vertices, std::size_t most) {
  const std::size_t least_vertices = std::max<VertexId>(vertices, 1);
  if (settings.text("bins") == "auto") {
    const std::size_t usual = std::bit_ceil((least_vertices + kUsualBin - 1) / kUsualBin);
    return std::min({usual, kMostUsualBins, std::bit_floor(std::max<std::size_t>(most, 1))});
  }
  const std::uint64_t bins = settings.whole("bins");
  if (!std::has_single_bit(bins)) {
    throw usage_error(fmt::format("bins={}: the number of bins is a power of two, such as {}", bins,
                                  std::bit_ceil(bins)));
  }
  if (bins > least_vertices) {
    throw usage_error(fmt::format("bins={}: there are {} vertices; give {} or fewer, or auto", bins,
                                  vertices, std::bit_floor(least_vertices)));
  }
  return bins;
}

}  // namespace

BinSizes BinSizes::of(const Parameters& settings, VertexId vertices, unsigned workers) {
  const std::uint64_t line = settings.whole("staging");
  if (!std::has_single_bit(line)) {
    throw usage_error(fmt::format("staging={}: a line holds a power of two of records, such as {}",
                                  line, std::bit_ceil(line)));
  }
  const std::size_t space = parse_size(settings.text("bin-space"), "bin-space");
  const bool spills = settings.text("spill") != "off";
  const std::size_t alignment = spills ? kSpilledAlignment : kBufferAlignment;
  const std::size_t least_buffer =
      spills ? (line * kLargestRecord + alignment - 1) / alignment * alignment
             : line * kLargestRecord;
  BinSizes sizes{.workers = workers, .line_shift = static_cast<unsigned>(std::countr_zero(line))};
  sizes.bins = bins_of(settings, vertices, space / (workers * least_buffer));
  const std::size_t least = workers * sizes.bins * least_buffer;
  if (space < least) {
    throw usage_error(fmt::format(
        "bin-space={} is too small: a line of {} records, of up to {} bytes, for each thread (two "
        "with ids=kept) and each of {} bins takes {}{}; give bin-space={} or more, or fewer bins",
        human_size(space), line, kLargestRecord, sizes.bins, human_size(least),
        spills ? ", in the whole pages that spill writes" : "", least));
  }
  const VertexId last = std::max<VertexId>(vertices, 1) - 1;
  while (last >> sizes.bin_shift >= sizes.bins) ++sizes.bin_shift;
  const std::size_t wanted = space / (workers * sizes.bins * kBuffersOfABin);
  sizes.buffer_bytes = std::clamp(wanted / alignment * alignment, least_buffer,
                                  std::max(least_buffer, kLargestBuffer));
  sizes.buffers = space / sizes.buffer_bytes;
  const std::size_t beside = sizes.buffers - workers * sizes.bins;  // the workers' own
  sizes.spare = beside / kSpareOneIn;
  return sizes;
}

}  // namespace outcore
