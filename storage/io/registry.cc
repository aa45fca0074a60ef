// SPDX-License-Identifier: Apache-2.0
#include "common/named.h"
#include "storage/io/backend.h"
#include "storage/io/fault_backend.h"
#include "storage/io/mem_backend.h"
#include "storage/io/mmap_backend.h"
#include "storage/io/modelled_backend.h"
#include "storage/io/null_backend.h"
#include "storage/io/threads_backend.h"
#include "storage/io/uring_backend.h"

namespace outcore {

const std::vector<BackendEntry>& backends() {
  static const std::vector<BackendEntry> kEntries = {
      {"uring", "Linux io_uring: a ring per thread, batched, registered", make_uring_backend},
      {"threads", "blocking pread and pwrite on as many threads as requests in flight",
       [](const BackendOptions& options) { return make_threads_backend(options); }},
      {"mmap", "mapped files, populated before they are touched", make_mmap_backend,
       mmap_parameters()},
      {"mem", "files held in memory: no device at all", make_mem_backend},
      {"fault",
       "another backend with injected errors, short and torn requests, flipped bits, delays",
       make_fault_backend},
      {"null", "reads nothing: zeroes at once, to see what an engine itself costs",
       make_null_backend},
  };
  return kEntries;
}

std::unique_ptr<Backend> make_backend(const std::string& spec, const BackendOptions& options) {
  if (options.depth == 0) throw usage_error("the depth of an I/O backend is at least 1");
  const BackendEntry& entry =
      find_named("I/O backend", backends(), spec.empty() ? kUsualBackend : spec_name(spec));
  BackendOptions complete = options;
  complete.settings = Parameters("backend " + entry.name, entry.parameters, spec_assignments(spec));
  complete.device = nullptr;  // it stands in front of the whole, not of an inner backend
  std::unique_ptr<Backend> backend = entry.make(complete);
  if (!options.device) return backend;
  return make_modelled_backend(std::move(backend), options.depth, options.device);
}

std::vector<std::string> BackendTraits::names() const {
  std::vector<std::string> all;
  if (direct) all.emplace_back("direct");
  if (copies) all.emplace_back("copies");
  if (maps) all.emplace_back("maps");
  if (blocking) all.emplace_back("blocking");
  if (!contents) all.emplace_back("no-contents");
  if (!writes) all.emplace_back("read-only");
  return all;
}

}  // namespace outcore
