// SPDX-License-Identifier: Apache-2.0
#include "storage/io/door.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "common/error.h"
#include "common/files.h"
#include "common/hash.h"
#include "storage/events/event_recorder.h"

namespace outcore {

Place BlockFile::place_of(BlockId block) const {
  if (stripes.empty()) return Place::offset(path, block * block_bytes);
  const Striping::At at = striping().at(block);
  return Place::offset(stripes[at.file], at.block * block_bytes);
}

void IoCounters::add_request(std::uint64_t bytes) {
  ++requests;
  requested_bytes += bytes;
  const auto size_class = static_cast<std::size_t>(std::bit_width(bytes / 4096) - 1);
  ++size_histogram[std::min(size_class, size_histogram.size() - 1)];
}

void IoCounters::add_stripe_request(std::uint32_t stripe, std::uint64_t bytes) {
  add_request(bytes);
  stripe_requests.resize(std::max<std::size_t>(stripe_requests.size(), stripe + 1));
  ++stripe_requests[stripe];
}

void IoCounters::add(const IoCounters& other) {
  requests += other.requests;
  stripe_requests.resize(std::max(stripe_requests.size(), other.stripe_requests.size()));
  for (std::size_t i = 0; i < other.stripe_requests.size(); ++i) {
    stripe_requests[i] += other.stripe_requests[i];
  }
  requested_bytes += other.requested_bytes;
  touched_bytes += other.touched_bytes;
  hole_bytes += other.hole_bytes;
  for (std::size_t i = 0; i < size_histogram.size(); ++i) {
    size_histogram[i] += other.size_histogram[i];
  }
  latency.add(other.latency);
  write_requests += other.write_requests;
  written_bytes += other.written_bytes;
  write_latency.add(other.write_latency);
  syncs += other.syncs;
  evicted_bytes += other.evicted_bytes;
}

nlohmann::json IoCounters::json() const {
  nlohmann::json sizes = nlohmann::json::object();
  for (std::size_t i = 0; i < size_histogram.size(); ++i) {
    if (size_histogram[i] > 0) sizes[std::to_string(std::uint64_t{4096} << i)] = size_histogram[i];
  }
  nlohmann::json json = {{"requests", requests},
                         {"requested_bytes", requested_bytes},
                         {"touched_bytes", touched_bytes},
                         {"hole_bytes", hole_bytes},
                         {"requests_by_size", sizes},
                         {"latency", latency.json()},
                         {"write_requests", write_requests},
                         {"written_bytes", written_bytes},
                         {"write_latency", write_latency.json()},
                         {"syncs", syncs},
                         {"evicted_bytes", evicted_bytes}};
  if (!stripe_requests.empty()) json["requests_by_stripe"] = stripe_requests;
  return json;
}

DoorChannel::DoorChannel(Door& door, std::span<std::byte> buffers)
    : door_(door),
      channel_(door.backend_->open_channel(buffers)),
      runs_(door.options().depth),
      free_runs_(door.options().depth),
      arrivals_(door.options().depth) {
  std::iota(free_runs_.rbegin(), free_runs_.rend(), 0U);
  door_.open(counters_);
}

DoorChannel::~DoorChannel() {
  channel_.reset();
  completed_.clear();
  show();
  door_.close(counters_);
}

bool DoorChannel::read(std::uint32_t file, BlockId first, std::uint32_t blocks, std::byte* into,
                       std::uint64_t tag) {
  const DoorRun run = {file, first, blocks};
  const MappedRange range = door_.range_of(run);
  if (!door_.file(file).stripes.empty()) return submit_pieces(run, into, tag);
  if (!submit(run, {.file = door_.number_of(file),
                    .bytes = static_cast<std::uint32_t>(range.bytes),
                    .offset = range.offset,
                    .memory = into,
                    .tag = tag})) {
    return false;
  }
  counters_.add_request(range.bytes);
  return true;
}

bool DoorChannel::write(std::uint32_t file, BlockId first, std::uint32_t blocks,
                        const std::byte* from, std::uint64_t tag) {
  const DoorRun run = {file, first, blocks};
  const MappedRange range = door_.range_of(run);
  door_.check_writable(file);
  if (!submit(run, {.file = door_.number_of(file),
                    .bytes = static_cast<std::uint32_t>(range.bytes),
                    .offset = range.offset,
                    .memory = const_cast<std::byte*>(from),  // a write does not change it
                    .tag = tag,
                    .op = Op::write})) {
    return false;
  }
  door_.set_sums(run, from);
  ++counters_.write_requests;
  counters_.written_bytes += range.bytes;
  return true;
}

bool DoorChannel::sync(std::uint32_t file, std::uint64_t tag) {
  door_.check_writable(file);
  if (!submit({.file = file}, {.file = door_.number_of(file), .tag = tag, .op = Op::sync})) {
    return false;
  }
  ++counters_.syncs;
  return true;
}

bool DoorChannel::submit(const DoorRun& run, const Request& request) {
  if (free_runs_.empty()) return false;
  const std::uint32_t slot = free_runs_.back();
  Request numbered = request;
  numbered.tag = slot;
  const Clock::time_point asked = Clock::now();
  const Submit answer = channel_->submit(numbered);
  if (answer == Submit::busy) return false;
  free_runs_.pop_back();
  runs_[slot] = {run, request.op, request.memory, request.tag, asked, 1};
  if (request.op != Op::sync) {
    note(request.op == Op::read ? EventKind::asked : EventKind::writing, run);
  }
  if (answer == Submit::completed) {
    completed_.push_back(slot);
    count_latency(runs_[slot], Clock::now());
  }
  return true;
}

bool DoorChannel::submit_pieces(const DoorRun& run, std::byte* into, std::uint64_t tag) {
  if (free_runs_.empty()) return false;
  const std::uint32_t slot = free_runs_.back();
  free_runs_.pop_back();
  runs_[slot] = {run, Op::read, into, tag, Clock::now(), 0};
  note(EventKind::asked, run);
  const BlockFile& file = door_.file(run.file);
  for (std::uint32_t done = 0; done < run.blocks;) {
    const Striping::At at = file.striping().at(run.first + done);
    const std::uint32_t blocks = std::min(at.run, run.blocks - done);
    const std::uint32_t bytes = blocks * file.block_bytes;
    waiting_.push_back({.file = door_.number_of(run.file) + at.file,
                        .bytes = bytes,
                        .offset = at.block * file.block_bytes,
                        .memory = into + std::size_t{done} * file.block_bytes,
                        .tag = slot});
    counters_.add_stripe_request(at.file, bytes);
    ++runs_[slot].pieces;
    done += blocks;
  }
  pass_on();
  return true;
}

void DoorChannel::pass_on() {
  while (!waiting_.empty()) {
    const Submit answer = channel_->submit(waiting_.front());
    if (answer == Submit::busy) return;
    const auto slot = static_cast<std::uint32_t>(waiting_.front().tag);
    waiting_.pop_front();
    if (answer != Submit::completed || !end_piece(slot)) continue;
    completed_.push_back(slot);
    count_latency(runs_[slot], Clock::now());
  }
}

void DoorChannel::count_latency(const Run& run, Clock::time_point now) {
  if (run.op == Op::read) counters_.latency.add(now - run.asked);
  if (run.op == Op::write) counters_.write_latency.add(now - run.asked);
}

void DoorChannel::flush() {
  show();
  channel_->flush();
}

std::size_t DoorChannel::reap(std::span<std::uint64_t> tags, std::size_t at_least) {
  const std::size_t wanted = std::min({at_least, tags.size(), in_flight()});
  std::size_t count = take_completed(tags);
  EventLane* const lane = wanted > count && door_.options().events != nullptr
                              ? &door_.options().events->mine()
                              : nullptr;
  const std::uint64_t waits_from = lane != nullptr ? lane->now() : 0;
  // Once is enough but for runs in pieces.
  do {
    const std::size_t room = std::min(tags.size() - count, arrivals_.size());
    const std::size_t arrived =
        channel_->reap(std::span(arrivals_).first(room), wanted - std::min(wanted, count));
    const Clock::time_point now = arrived > 0 ? Clock::now() : Clock::time_point();
    for (std::size_t i = 0; i < arrived; ++i) {
      const auto slot = static_cast<std::uint32_t>(arrivals_[i].tag);
      if (!end_piece(slot)) continue;
      count_latency(runs_[slot], now);
      tags[count++] = take_checked(slot);
    }
    pass_on();
    count += take_completed(tags.subspan(count));
  } while (count < wanted);
  if (lane != nullptr) lane->note_since(EventKind::waited, waits_from);
  show();
  return count;
}

std::size_t DoorChannel::take_completed(std::span<std::uint64_t> tags) {
  std::size_t count = 0;
  for (; count < tags.size() && !completed_.empty(); completed_.pop_back()) {
    tags[count++] = take_checked(completed_.back());
  }
  return count;
}

std::size_t DoorChannel::in_flight() const {
  return channel_ ? runs_.size() - free_runs_.size() : 0;
}

std::uint64_t DoorChannel::take_checked(std::uint32_t slot) {
  const Run& run = runs_[slot];
  if (run.op == Op::read) door_.check_sums(run.run, run.bytes);
  free_runs_.push_back(slot);
  if (run.op != Op::sync) {
    note(run.op == Op::read ? EventKind::arrived : EventKind::written, run.run);
  }
  return run.tag;
}

void DoorChannel::show() {
  RequestGauge* const gauge = door_.options().gauge;
  if (gauge == nullptr) return;
  const auto now = static_cast<std::int64_t>(in_flight());
  if (now != shown_in_flight_) {
    gauge->in_flight.fetch_add(now - shown_in_flight_, std::memory_order_relaxed);
    shown_in_flight_ = now;
  }
  if (counters_.requests != shown_requests_) {
    gauge->asked.fetch_add(counters_.requests - shown_requests_, std::memory_order_relaxed);
    shown_requests_ = counters_.requests;
  }
  if (const std::uint64_t writes = counters_.write_requests + counters_.syncs;
      writes != shown_writes_) {
    gauge->writes.fetch_add(writes - shown_writes_, std::memory_order_relaxed);
    shown_writes_ = writes;
  }
}

void DoorChannel::note(EventKind kind, const DoorRun& run) const {
  EventRecorder* const events = door_.options().events;
  if (events == nullptr) return;
  events->note(kind, door_.first_event_block(run.file) + run.first, run.blocks, in_flight());
}

DoorView::DoorView(Door& door) : door_(door), view_(door.backend_->open_view()) {
  if (!view_) {
    throw usage_error(
        fmt::format("the engine needs blocks in mapped files, but backend {} maps none; "
                    "choose one that does: outcore list backends",
                    door.backend().name()));
  }
  door_.open(counters_);
}

DoorView::~DoorView() {
  view_.reset();
  door_.close(counters_);
}

void DoorView::start(std::span<const DoorRun> runs) {
  ranges_.clear();
  for (const DoorRun& run : runs) ranges_.push_back(door_.range_of(run));
  started_.push_back({std::chrono::steady_clock::now(), {runs.begin(), runs.end()}});
  view_->start(ranges_);
  for (const MappedRange& range : ranges_) counters_.add_request(range.bytes);
  in_flight_ += runs.size();
  note(EventKind::asked, runs);
  if (RequestGauge* const gauge = door_.options().gauge; gauge != nullptr) {
    gauge->asked.fetch_add(runs.size(), std::memory_order_relaxed);
    gauge->in_flight.fetch_add(static_cast<std::int64_t>(runs.size()), std::memory_order_relaxed);
  }
}

void DoorView::finish() {
  const Started oldest = std::move(started_.front());
  started_.pop_front();
  EventRecorder* const events = door_.options().events;
  const std::uint64_t waits_from = events != nullptr ? events->mine().now() : 0;
  view_->finish();
  if (events != nullptr) events->mine().note_since(EventKind::waited, waits_from);
  const auto there = std::chrono::steady_clock::now();
  in_flight_ -= oldest.runs.size();
  note(EventKind::arrived, oldest.runs);
  if (RequestGauge* const gauge = door_.options().gauge; gauge != nullptr) {
    gauge->in_flight.fetch_sub(static_cast<std::int64_t>(oldest.runs.size()),
                               std::memory_order_relaxed);
  }
  for (const DoorRun& run : oldest.runs) {
    counters_.latency.add(there - oldest.asked);
    check(run);
  }
}

void DoorView::check(const DoorRun& run) const {
  const MappedRange range = door_.range_of(run);
  try {
    door_.check_sums(run, bytes(run).data());
  } catch (const Error&) {
    view_->check(range);  // report an unreadable page before its wrong contents
    throw;
  }
  view_->check(range);
}

void DoorView::advise(const DoorRun& run, MapAdvice advice) {
  view_->advise(door_.range_of(run), advice);
}

void DoorView::release(std::span<const DoorRun> runs) {
  ranges_.clear();
  for (const DoorRun& run : runs) ranges_.push_back(door_.range_of(run));
  counters_.evicted_bytes += view_->release(ranges_);
  note(EventKind::dropped, runs);
}

void DoorView::note(EventKind kind, std::span<const DoorRun> runs) const {
  EventRecorder* const events = door_.options().events;
  if (events == nullptr) return;
  for (const DoorRun& run : runs) {
    events->note(kind, door_.first_event_block(run.file) + run.first, run.blocks, in_flight_);
  }
}

std::uint64_t DoorView::resident_bytes(const DoorRun& run) const {
  return view_->resident(door_.range_of(run));
}

std::span<const std::byte> DoorView::bytes(const DoorRun& run) const {
  const MappedRange range = door_.range_of(run);
  return view_->bytes(run.file, run.window).subspan(range.offset, range.bytes);
}

Door::Door(std::vector<BlockFile> files, const std::string& backend, const BackendOptions& options)
    : files_(std::move(files)),
      options_(options),
      backend_(make_backend(backend, options)),
      has_contents_(backend_->traits().contents) {
  std::uint32_t number = 0;
  for (const BlockFile& file : files_) {
    numbers_.push_back(number);
    number += static_cast<std::uint32_t>(std::max<std::size_t>(1, file.stripes.size()));
    if (!file.stripes.empty() && (file.writable || backend_->traits().maps)) {
      throw usage_error(fmt::format(
          "{} is striped over {} files: backend {} maps files whole, and values on edges are "
          "written in one; build the layout without --disks",
          file.path.string(), file.stripes.size(), backend_->name()));
    }
    if (file.block_bytes == 0 || file.block_bytes % kAlignment != 0) {
      throw usage_error(
          fmt::format("{}: blocks of {} bytes cannot be read directly; block sizes "
                      "are multiples of {}",
                      file.path.string(), file.block_bytes, kAlignment));
    }
    if (file.stripes.empty()) add(file, file.path, file.blocks());
    for (std::uint32_t stripe = 0; stripe < file.stripes.size(); ++stripe) {
      add(file, file.stripes[stripe], file.striping().blocks_of(stripe, file.blocks()));
    }
  }
  if (options_.events != nullptr) tell_files(*options_.events);
}

Door::~Door() = default;

void Door::tell_files(EventRecorder& events) {
  std::vector<EventFile> told;
  for (const BlockFile& file : files_) {
    const std::filesystem::path& path = file.stripes.empty() ? file.path : file.stripes.front();
    told.push_back({path.filename(), file.blocks(), file.block_bytes});
  }
  std::uint32_t first = events.add_files(told);
  for (const BlockFile& file : files_) {
    first_event_blocks_.push_back(first);
    first += static_cast<std::uint32_t>(file.blocks());
  }
}

void Door::add(const BlockFile& file, const std::filesystem::path& path, std::uint64_t blocks) {
  const std::uint64_t expected = blocks * file.block_bytes;
  const std::uint64_t found = File::open_read(path).size();
  if (found < expected) {
    throw bad_input(Place::offset(path, found), fmt::format("a file of {} bytes", found),
                    fmt::format("{} ({} blocks of {})", expected, blocks, file.block_bytes),
                    "it was cut: build the layout again");
  }
  backend_->add_file(path, file.writable);
}

MappedRange Door::range_of(const DoorRun& run) const {
  const BlockFile& from = file(run.file);
  const std::uint64_t bytes = std::uint64_t{run.blocks} * from.block_bytes;
  if (run.blocks == 0 || run.first >= from.blocks() || run.blocks > from.blocks() - run.first ||
      bytes > std::numeric_limits<std::uint32_t>::max()) {
    throw bad_input(Place::file(from.path),
                    fmt::format("a reference to {} blocks from block {}", run.blocks, run.first),
                    fmt::format("a run within its {} blocks", from.blocks()), kBuildAgain);
  }
  return {number_of(run.file), run.first * from.block_bytes, bytes, run.window};
}

void Door::check_writable(std::uint32_t number) const {
  if (file(number).writable) return;
  throw usage_error(
      fmt::format("{} was opened for reading, not for writing", file(number).path.string()));
}

void Door::set_sums(const DoorRun& run, const std::byte* bytes) {
  BlockFile& to = files_[run.file];
  if (!has_contents_ || to.sums.empty()) return;
  for (std::uint32_t i = 0; i < run.blocks; ++i) {
    to.sums[run.first + i] = checksum32({bytes + std::size_t{i} * to.block_bytes, to.block_bytes});
  }
}

void Door::check_sums(const DoorRun& run, const std::byte* bytes) const {
  const BlockFile& from = file(run.file);
  if (!has_contents_ || from.sums.empty()) return;
  for (std::uint32_t i = 0; i < run.blocks; ++i) {
    const BlockId block = run.first + i;
    const std::uint32_t found =
        checksum32({bytes + std::size_t{i} * from.block_bytes, from.block_bytes});
    if (found == from.sums[block]) continue;
    throw io_error(from.place_of(block),
                   fmt::format("block {} is damaged: found checksum {:08x}, expected {:08x}; {}",
                               block, found, from.sums[block], from.advice),
                   0);
  }
}

void Door::open(const IoCounters& counters) {
  const std::lock_guard lock(mutex_);
  open_.push_back(&counters);
}

void Door::close(const IoCounters& counters) {
  const std::lock_guard lock(mutex_);
  std::erase(open_, &counters);
  closed_.add(counters);
}

IoCounters Door::counters() const {
  const std::lock_guard lock(mutex_);
  IoCounters sum = closed_;
  for (const IoCounters* counters : open_) sum.add(*counters);
  return sum;
}

}  // namespace outcore
