// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/coded_file.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/files.h"
#include "storage/io/door.h"
#include "storage/layout/codec.h"
#include "storage/layout/manifest.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

// The bytes of this many numbers; each takes two bits and at least one byte.
std::uint64_t least_bytes(std::uint64_t numbers) { return numbers + (numbers + 3) / 4; }
std::uint64_t most_bytes(std::uint64_t numbers) {
  return numbers * sizeof(std::uint32_t) + (numbers + 3) / 4;
}

}  // namespace

nlohmann::json CodedFile::finish() {
  if (!numbers_.empty()) write_group();
  return file_.finish();
}

void CodedFile::write_group() {
  code_.resize(most_bytes(numbers_.size()));
  const std::size_t bytes = svb_codec().encode(numbers_, code_.data());
  file_.put(static_cast<std::uint32_t>(bytes));
  file_.write(std::span(code_).first(bytes));
  numbers_.clear();
}

void read_coded(const fs::path& folder, const std::string& name, std::uint64_t count,
                const nlohmann::json& manifest,
                const std::function<void(std::span<const std::uint32_t>)>& f) {
  const fs::path path = folder / name;
  const nlohmann::json entry = file_entry(manifest, name, folder / "layout.json");
  const auto bytes = json_field<std::uint64_t>(entry, "bytes", folder / "layout.json");
  check_file_size(path, entry, bytes);
  std::uint64_t at = 0;
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw bad_input(Place::offset(path, at), found, expected, kBuildAgain);
  };
  const std::string all = fmt::format("{} numbers", count);
  if (bytes < least_bytes(count)) refuse(fmt::format("a file of {} bytes", bytes), all);
  const CodecPart codec = svb_codec();
  const File file = File::open_read(path);
  StreamHash hash;
  std::vector<std::byte> code;
  std::vector<std::uint32_t> numbers;
  for (std::uint64_t done = 0; done < count; done += numbers.size()) {
    const std::uint64_t wanted = std::min<std::uint64_t>(count - done, CodedFile::kGroup);
    std::uint32_t length = 0;
    if (bytes - at < sizeof(length)) refuse("the file's end", all);
    const auto header = std::as_writable_bytes(std::span(&length, 1));
    file.read(header, at);
    hash.add(header);
    const std::uint64_t most = std::min(most_bytes(wanted), bytes - at - sizeof(length));
    if (length < least_bytes(wanted) || length > most) {
      refuse(fmt::format("a group of {} bytes", length),
             fmt::format("{} to {}, for {} numbers", least_bytes(wanted), most, wanted));
    }
    code.resize(length + kReadAhead);
    file.read(std::span(code).first(length), at + sizeof(length));
    hash.add(std::span(code).first(length));
    numbers.resize(wanted + kWriteAhead);
    const std::byte* const end = code.data() + length;
    const CodecPart::Decoded decoded =
        codec.decode(code.data(), end, static_cast<std::uint32_t>(wanted), numbers.data());
    if (decoded.end != end) {
      refuse("code of other numbers", fmt::format("{} in {} bytes", wanted, length));
    }
    numbers.resize(wanted);
    f(numbers);
    at += sizeof(length) + length;
  }
  if (at != bytes) refuse(fmt::format("{} bytes more", bytes - at), all);
  check_hash(hash.value(), path, entry);
}

}  // namespace outcore
