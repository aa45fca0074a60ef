// SPDX-License-Identifier: Apache-2.0
// A durable store as the crash campaign sees it, so that one with a planted fault can take its
// place.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "storage/evolving/durable/disk.h"
#include "storage/evolving/durable/pair_changes.h"
#include "storage/evolving/update.h"
#include "tests/planted.h"

namespace outcore::evolving {

class OpenStore {
 public:
  virtual ~OpenStore() = default;
  virtual std::size_t append(std::span<const Update> updates) = 0;
  [[nodiscard]] virtual bool log_full() const = 0;
  virtual std::uint64_t commit() = 0;
  virtual void flush(std::uint64_t last, VertexId vertices, ChangeSource& out,
                     ChangeSource& in) = 0;
  virtual void merge_tier(unsigned factor) = 0;
  virtual void compact() = 0;
  virtual void close() = 0;
  [[nodiscard]] virtual std::uint64_t acknowledged() const = 0;
  [[nodiscard]] virtual std::uint64_t flushed() const = 0;
  [[nodiscard]] virtual std::vector<std::string> runs() const = 0;
  // Hands on every list that runs have, as StandingCopies does. Returns how many removals of the
  // updates in runs were of copies that were not there.
  using ListFn = std::function<void(VertexId, const std::vector<PairChange>&)>;
  virtual std::uint64_t read(Direction direction, const ListFn& list) = 0;
};

class Subject {
 public:
  virtual ~Subject() = default;
  virtual void create(Disk& disk, VertexId vertices, std::uint64_t log_pages, unsigned id_bytes,
                      const std::string& codec) const = 0;
  [[nodiscard]] virtual std::unique_ptr<OpenStore> open(
      Disk& disk, Access access,
      const std::function<void(std::span<const Update>)>& replay) const = 0;
};

template <typename Store>
class OpenStoreOf final : public OpenStore {
 public:
  OpenStoreOf(Disk& disk, Access access, const std::function<void(std::span<const Update>)>& replay)
      : store_(disk, {.access = access, .salvage = false}, replay) {}
  std::size_t append(std::span<const Update> updates) override { return store_.append(updates); }
  [[nodiscard]] bool log_full() const override { return store_.log_full(); }
  std::uint64_t commit() override { return store_.commit(); }
  void flush(std::uint64_t last, VertexId vertices, ChangeSource& out, ChangeSource& in) override {
    store_.flush(last, vertices, out, in);
  }
  void merge_tier(unsigned factor) override { store_.merge_tier(factor); }
  void compact() override { store_.compact(); }
  void close() override { store_.close(); }
  [[nodiscard]] std::uint64_t acknowledged() const override { return store_.acknowledged(); }
  [[nodiscard]] std::uint64_t flushed() const override { return store_.flushed(); }
  [[nodiscard]] std::vector<std::string> runs() const override {
    std::vector<std::string> names;
    for (const auto& run : store_.runs()) names.push_back(run.name);
    return names;
  }
  std::uint64_t read(Direction direction, const ListFn& list) override {
    const auto lists = store_.read(direction);
    VertexId vertex = 0;
    std::vector<PairChange> changes;
    while (lists->next(vertex, changes)) list(vertex, changes);
    return store_.removals_missed() + lists->missed();
  }

 private:
  Store store_;
};

template <typename Store>
class SubjectOf final : public Subject {
 public:
  void create(Disk& disk, VertexId vertices, std::uint64_t log_pages, unsigned id_bytes,
              const std::string& codec) const override {
    Store::create(
        disk, {.limit = vertices, .log_pages = log_pages, .id_bytes = id_bytes, .codec = codec});
  }
  [[nodiscard]] std::unique_ptr<OpenStore> open(
      Disk& disk, Access access,
      const std::function<void(std::span<const Update>)>& replay) const override {
    return std::make_unique<OpenStoreOf<Store>>(disk, access, replay);
  }
};

// A store with a planted fault, made from mutants.toml by plant.py.
using Mutant = Planted<const Subject*>;

}  // namespace outcore::evolving
