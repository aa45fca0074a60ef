// SPDX-License-Identifier: Apache-2.0
#include "cli/aside.h"

#include <filesystem>
#include <span>
#include <string>

#include "cli/supervisor.h"
#include "common/error.h"
#include "common/files.h"

namespace outcore {

nlohmann::json worked_out_aside(const std::function<nlohmann::json()>& work) {
  // A file without a name, which both processes have open.
  File meeting = File::create_nameless(std::filesystem::temp_directory_path());
  const Ending ending = run_supervised(
      [&] {
        try {
          const std::string text = work().dump();
          meeting.write(std::as_bytes(std::span(text)));
          return ExitCode::ok;
        } catch (const std::exception&) {  // the caller goes on without, and says so if it matters
          return ExitCode::internal;
        }
      },
      nullptr);
  if (ending.kind == Ending::Kind::interrupted) throw Error(ExitCode::interrupted, ending.reason);
  if (ending.kind != Ending::Kind::exited || ending.exit_code != 0) return nullptr;
  std::string text(meeting.size(), '\0');
  meeting.read(std::as_writable_bytes(std::span(text)), 0);
  return nlohmann::json::parse(text);
}

}  // namespace outcore
