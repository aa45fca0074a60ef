// SPDX-License-Identifier: Apache-2.0
// Hashes: xxHash over bytes (checksums, digests), and a mixer for ids (weights, priorities, random
// choices). Every random choice hashes *original* ids, so that answers do not depend on layouts or
// schedules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace outcore {

std::uint64_t hash_bytes(std::span<const std::byte> bytes);
inline std::uint32_t checksum32(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(hash_bytes(bytes));
}

// Hash of a sequence given in parts; equals hash_bytes over the whole.
class StreamHash {
 public:
  StreamHash();
  ~StreamHash();
  StreamHash(const StreamHash&) = delete;
  StreamHash& operator=(const StreamHash&) = delete;
  void add(std::span<const std::byte> bytes);
  [[nodiscard]] std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// "xxh3:0123456789abcdef", the form of checksums in JSON files.
std::string hash_text(std::uint64_t hash);
std::string hash_file(const std::filesystem::path& path);

// SplitMix64's finaliser: a bijection that spreads every input bit.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// The weight of an edge where none is stored: an integer from 1 to 255 (GAP's range). It depends
// only on the canonical end points and is the same in both directions.
constexpr float hashed_weight(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t low = a < b ? a : b;
  const std::uint64_t high = a < b ? b : a;
  return static_cast<float>(1 + mix(low << 32 | high) % 255);
}

}  // namespace outcore
