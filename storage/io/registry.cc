// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "common/error.h"
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
      {"threads", "blocking pread on as many threads as requests in flight",
       [](const BackendOptions& options) { return make_threads_backend(options); }},
      {"mmap", "the files mapped, populated before they are touched", make_mmap_backend,
       mmap_parameters()},
      {"mem", "the files held in memory: no device at all", make_mem_backend},
      {"fault", "another backend with errors, short reads, flips, delays", make_fault_backend},
      {"null", "no reads at all: zeroes, at once, to see what an engine costs", make_null_backend},
  };
  return kEntries;
}

namespace {

// The entry of that name; of backends and of their parameters.
template <typename Entry>
const Entry& find(const std::vector<Entry>& entries, const std::string& kind,
                  const std::string& name) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw unknown_name(kind, name, names);
}

void set(const BackendEntry& entry, const std::string& setting,
         std::map<std::string, std::string>& settings) {
  const std::size_t equals = setting.find('=');
  const std::string kind = "parameter of backend " + entry.name;
  if (entry.parameters.empty()) {
    throw usage_error(fmt::format("backend {} takes no parameters: '{}'", entry.name, setting));
  }
  const BackendParameter& parameter = find(entry.parameters, kind, setting.substr(0, equals));
  if (equals == std::string::npos) {
    throw usage_error(fmt::format("backend {}: '{}' has no value; write {}={}", entry.name, setting,
                                  setting, parameter.fallback));
  }
  const std::string value = setting.substr(equals + 1);
  const std::vector<std::string>& values = parameter.values;
  if (!values.empty() && std::find(values.begin(), values.end(), value) == values.end()) {
    throw unknown_name(fmt::format("value of {} '{}'", kind, parameter.name), value, values);
  }
  settings[parameter.name] = value;
}

}  // namespace

std::string backend_name(const std::string& spec) { return spec.substr(0, spec.find(':')); }

std::unique_ptr<Backend> make_backend(const std::string& spec, const BackendOptions& options) {
  if (options.depth == 0) throw usage_error("the depth of an I/O backend is at least 1");
  const BackendEntry& entry = find(backends(), "I/O backend", backend_name(spec));
  BackendOptions complete = options;
  complete.settings.clear();
  for (const BackendParameter& parameter : entry.parameters) {
    complete.settings[parameter.name] = parameter.fallback;
  }
  std::size_t begin = entry.name.size() + 1;
  while (begin <= spec.size()) {
    const std::size_t end = std::min(spec.find_first_of(",+", begin), spec.size());
    set(entry, spec.substr(begin, end - begin), complete.settings);
    begin = end + 1;
  }
  std::unique_ptr<Backend> backend = entry.make(complete);
  std::shared_ptr<ModelledDevice> device = device_in_front();
  if (!device) return backend;
  return make_modelled_backend(std::move(backend), options.depth, std::move(device));
}

std::vector<std::string> BackendTraits::names() const {
  std::vector<std::string> all;
  if (direct) all.emplace_back("direct");
  if (copies) all.emplace_back("copies");
  if (maps) all.emplace_back("maps");
  if (blocking) all.emplace_back("blocking");
  if (!contents) all.emplace_back("no-contents");
  return all;
}

}  // namespace outcore
