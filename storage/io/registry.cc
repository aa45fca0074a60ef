// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "common/error.h"
#include "storage/io/backend.h"
#include "storage/io/fault_backend.h"
#include "storage/io/mem_backend.h"
#include "storage/io/threads_backend.h"
#include "storage/io/uring_backend.h"

namespace outcore {

namespace {

struct Entry {
  std::string name;
  std::string help;
  std::function<std::unique_ptr<Backend>(const BackendOptions&)> make;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> kEntries = {
      {"uring", "Linux io_uring: a ring per thread, batched, registered", make_uring_backend},
      {"threads", "blocking pread on as many threads as requests in flight",
       [](const BackendOptions& options) { return make_threads_backend(options); }},
      {"mem", "the files held in memory: no device at all", make_mem_backend},
      {"fault", "another backend with errors, short reads, flips, delays", make_fault_backend},
  };
  return kEntries;
}

}  // namespace

std::unique_ptr<Backend> make_backend(const std::string& name, const BackendOptions& options) {
  if (options.depth == 0) throw usage_error("the depth of an I/O backend is at least 1");
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    if (entry.name == name) return entry.make(options);
    names.push_back(entry.name);
  }
  throw unknown_name("I/O backend", name, names);
}

std::vector<std::pair<std::string, std::string>> backends() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const Entry& entry : entries()) all.emplace_back(entry.name, entry.help);
  return all;
}

}  // namespace outcore
