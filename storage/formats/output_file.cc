// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/output_file.h"

#include <fmt/format.h>

#include "common/error.h"

namespace outcore {

namespace fs = std::filesystem;

OutputFile::OutputFile(const fs::path& target, bool force) {
  if (target == "-") {
    open_ = File::standard_output();
  } else if (fs::exists(file_to_write(target)) && !force) {
    throw usage_error(fmt::format("{} exists; give --force to replace it", target.string()));
  } else {
    pending_.emplace(target);
  }
}

void OutputFile::write_on(std::span<const std::byte> bytes) {
  flush();
  if (bytes.size() > kBuffer) {
    file().write(bytes);
  } else {
    write(bytes);
  }
}

void OutputFile::flush() {
  file().write({buffer_.get(), used_});
  used_ = 0;
}

void OutputFile::commit() {
  flush();
  if (pending_) pending_->commit();
}

}  // namespace outcore
