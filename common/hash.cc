// SPDX-License-Identifier: Apache-2.0
#include "common/hash.h"

#include <fmt/format.h>

// Compiled here so that it uses this machine's vector instructions: every block that is read is
// hashed (door.h), and the packaged library uses only instructions that every machine has. It does
// not compile without optimisation.
#ifdef NDEBUG
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include <cerrno>
#include <fstream>
#include <vector>

#include "common/error.h"

namespace outcore {

std::uint64_t hash_bytes(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

struct StreamHash::State {
  XXH3_state_t* xxh = XXH3_createState();
  ~State() { XXH3_freeState(xxh); }
};

StreamHash::StreamHash() : state_(std::make_unique<State>()) { XXH3_64bits_reset(state_->xxh); }
StreamHash::~StreamHash() = default;

void StreamHash::add(std::span<const std::byte> bytes) {
  XXH3_64bits_update(state_->xxh, bytes.data(), bytes.size());
}

std::uint64_t StreamHash::value() const { return XXH3_64bits_digest(state_->xxh); }

std::string hash_text(std::uint64_t hash) { return fmt::format("xxh3:{:016x}", hash); }

std::string hash_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw io_error(Place::file(path), "cannot open", errno);
  StreamHash hash;
  std::vector<char> buffer(std::size_t{1} << 20);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) ||
         file.gcount() > 0) {
    hash.add(std::as_bytes(std::span(buffer.data(), static_cast<std::size_t>(file.gcount()))));
  }
  if (file.bad()) throw io_error(Place::file(path), "cannot read", errno);
  return hash_text(hash.value());
}

}  // namespace outcore
