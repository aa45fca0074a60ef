// SPDX-License-Identifier: Apache-2.0
#include "cli/supervised_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include "cli/limit_advice.h"
#include "cli/planner.h"
#include "cli/supervisor.h"
#include "common/error.h"
#include "common/files.h"
#include "common/full_screen.h"
#include "common/memory_limit.h"

namespace outcore {

namespace {

// Says more of a run that ended for want of memory.
void advise(const RunRequest& request, nlohmann::json& record) {
  nlohmann::json& outcome = record.at("outcome");
  if (outcome.at("status") != "out_of_memory") return;
  const std::string advice = limit_advice(record, runs_that_fit(request));
  if (advice.empty()) return;
  outcome["reason"] = fmt::format("{}; {}", outcome.at("reason").get<std::string>(), advice);
}

// What the run does in its own process. Afterwards `path` contains the record.
ExitCode work(const RunRequest& request, const MemoryLimit* limit,
              const std::filesystem::path& path) {
  nlohmann::json record = unfinished_record(request);
  ExitCode code = ExitCode::internal;
  std::string reason;
  try {
    run_into(
        request, [&](const nlohmann::json& known) { write_json_atomically(path, known); }, record,
        limit);
    if (limit != nullptr) limit->check();
    code = ExitCode::ok;
  } catch (const Error& e) {
    code = e.code();
    reason = e.what();
  } catch (const std::filesystem::filesystem_error& e) {
    code = ExitCode::io;
    reason = io_error(e).what();
  } catch (const std::bad_alloc&) {
    code = ExitCode::memory;
    reason = "out of memory";
  } catch (const std::exception& e) {
    reason = e.what();
  }
  const char* failed = code == ExitCode::memory ? "out_of_memory" : "failed";
  set_outcome(record, code == ExitCode::ok ? "ok" : failed, reason, static_cast<int>(code));
  write_json_atomically(path, record);
  return code;
}

// The status of a run that could not record its end itself.
const char* status_of(Ending::Kind kind) {
  switch (kind) {
    case Ending::Kind::exited:
      return "failed";
    case Ending::Kind::killed:
      return "killed";
    case Ending::Kind::out_of_memory:
      return "out_of_memory";
    case Ending::Kind::interrupted:
      return "interrupted";
  }
  return "failed";
}

nlohmann::json supervise(const RunRequest& request, const std::filesystem::path& path) {
  std::unique_ptr<MemoryLimit> limit;
  if (request.memory_bytes) {
    limit = std::make_unique<MemoryLimit>(*request.memory_bytes,
                                          request.swap ? BeyondLimit::swaps : BeyondLimit::ends);
  }
  if (request.swap && limit->kind() == MemoryLimit::Kind::residency_budget) {
    throw usage_error(
        "--swap: no control group can be had here, and nothing else makes a run swap");
  }
  write_json_atomically(path, unfinished_record(request));
  const ScreenOfChild screen;
  const Ending ending = run_supervised(
      [&] {
        if (request.timeout) ::alarm(*request.timeout);
        return work(request, limit.get(), path);
      },
      limit.get());
  screen.restore();
  nlohmann::json record = read_json(path);
  if (limit) set_limit(record, *limit);
  // A run without an answer did not record its own peak.
  if (record.contains("memory") && !record.contains("answer")) {
    set_peak(record, ending.peak_resident_bytes);
  }
  const bool has_outcome = record.at("outcome").at("status") != "unfinished";
  if (ending.kind != Ending::Kind::exited || !has_outcome) {
    set_outcome(record, status_of(ending.kind), ending.reason, ending.exit_code);
  }
  advise(request, record);
  write_json_atomically(path, record);
  return record;
}

// A new folder for temporary files: no other user can have put links into it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = std::filesystem::temp_directory_path() / "outcore-run-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) {
      throw io_error(Place::file(name), "cannot create the folder", errno);
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;  // a destructor cannot report it
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

nlohmann::json supervised_run(const RunRequest& request, const std::filesystem::path& record) {
  if (!record.empty()) return supervise(request, record);
  // The supervisor and the run exchange the record through a file.
  const TemporaryFolder folder;
  return supervise(request, folder.path() / "record.json");
}

ExitCode exit_code_of(const nlohmann::json& record) {
  const std::string status = record.at("outcome").at("status");
  if (status == "out_of_memory") return ExitCode::memory;
  if (status == "interrupted") return ExitCode::interrupted;
  const int code = record.at("outcome").at("exit_code");
  return code < 0 ? ended_by(-code) : static_cast<ExitCode>(code);
}

}  // namespace outcore
