// SPDX-License-Identifier: Apache-2.0
// Random aligned reads of one size from one file through a backend, one thread, for some seconds.
// Prints the result as one JSON object. against_fio.py runs it beside fio.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "common/hash.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "storage/cache/frame_pool.h"
#include "storage/io/backend.h"
#include "storage/io/modelled_backend.h"

namespace outcore {
namespace {

struct Options {
  std::string file;
  std::string backend = "uring";
  std::string bytes = "4K";
  unsigned depth = 64;
  unsigned batch = 8;
  double seconds = 2;
  std::uint64_t seed = 1;
  std::string device;  // modelled
  double dilation = 1;
};

nlohmann::json read_for_a_while(const Options& options) {
  const auto bytes = static_cast<std::uint32_t>(parse_size(options.bytes, "--bytes"));
  if (bytes == 0 || bytes % kAlignment != 0) throw usage_error("--bytes: not a multiple of 4096");
  const std::uint64_t places = File::open_read(options.file).size() / bytes;
  if (places == 0) throw usage_error(options.file + " is smaller than one request");

  std::shared_ptr<ModelledDevice> modelled;
  if (!options.device.empty()) {
    modelled = std::make_shared<ModelledDevice>(DeviceModel::read(options.device), options.dilation,
                                                real_clock());
  }
  const auto backend = make_backend(options.backend, {.depth = options.depth, .device = modelled});
  backend->add_file(options.file);
  FrameArena arena(options.depth, bytes, 0);
  const auto channel = backend->open_channel(arena.memory());
  std::vector<Completion> done(options.depth);
  std::vector<std::uint64_t> free(options.depth);
  for (std::uint64_t slot = 0; slot < options.depth; ++slot) free[slot] = slot;

  const Stopwatch watch;
  std::uint64_t started = mix(options.seed);
  std::uint64_t requests = 0;
  while (watch.seconds() < options.seconds) {
    for (; !free.empty(); free.pop_back()) {
      const std::uint64_t slot = free.back();
      const std::uint64_t offset = mix(started++) % places * bytes;
      const Request request = {0, bytes, offset, arena.memory().data() + slot * bytes, slot};
      if (channel->submit(request) == Submit::completed) ++requests;
    }
    const std::size_t reaped = channel->reap(done, options.batch);
    for (std::size_t i = 0; i < reaped; ++i) free.push_back(done[i].tag);
    requests += reaped;
  }
  const double seconds = watch.seconds();
  nlohmann::json found = {{"backend", backend->name()},
                          {"bytes", bytes},
                          {"depth", options.depth},
                          {"seconds", seconds},
                          {"requests_per_second", static_cast<double>(requests) / seconds},
                          {"mb_per_second", static_cast<double>(requests) * bytes / seconds / 1e6},
                          {"notes", backend->notes()}};
  if (modelled) {
    const double rate = modelled->model().rate(bytes, options.depth, false) / options.dilation;
    found["closed_form_mb_per_second"] = rate;
    found["late_share"] = modelled->counts().late_share();
  }
  return found;
}

}  // namespace
}  // namespace outcore

int main(int argc, char** argv) {
  outcore::Options options;
  CLI::App app("Random reads of one file through an I/O backend, for one thread");
  app.add_option("file", options.file, "file to read, larger than memory tricks: 2 GiB or more")
      ->required();
  app.add_option("--backend", options.backend, "uring, threads, mem")->capture_default_str();
  app.add_option("--bytes", options.bytes, "size of a request")->capture_default_str();
  app.add_option("--depth", options.depth, "requests in flight")->capture_default_str();
  app.add_option("--batch", options.batch, "finished requests to wait for")->capture_default_str();
  app.add_option("--seconds", options.seconds, "how long")->capture_default_str();
  app.add_option("--seed", options.seed, "of the random places")->capture_default_str();
  app.add_option("--device", options.device, "modelled device: configs/devices/NAME.toml");
  app.add_option("--dilation", options.dilation, "of its times")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    std::puts(outcore::read_for_a_while(options).dump().c_str());
  } catch (const outcore::Error& error) {
    std::fprintf(stderr, "device_reads: %s\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
