// SPDX-License-Identifier: Apache-2.0
// The arrays in which programs keep their state of each vertex. The engine makes them
// (Engine::state()), and they are accounted for by name from their making to their freeing.
//
// A StateStore decides where an array is: in memory, on huge pages if the kernel allows it; or, if
// the arrays would take more memory than they may, in a nameless mapped file, which the kernel
// writes and reads when it needs the memory for something else. Programs see no difference: a State
// is a pointer and a size in both cases, and accesses do not go through the store.
//
// Lifetime: an array lives as long as any copy of its State, even after its store and its engine.
// Copies share the array.
//
// Threads: any thread may make, copy and free arrays. Which concurrent accesses to the elements are
// allowed is the program's decision (atomic_state.h).
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/bitmap.h"
#include "engines/state_windows.h"

namespace outcore {

template <typename T>
class State {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  State() = default;
  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) {
    assert(i < size_);
    return data_[i];
  }
  const T& operator[](std::size_t i) const {
    assert(i < size_);
    return data_[i];
  }
  [[nodiscard]] T* begin() { return data_; }
  [[nodiscard]] T* end() { return data_ + size_; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }

 private:
  friend class StateStore;
  State(std::shared_ptr<std::byte> memory, std::size_t size)
      : memory_(std::move(memory)), data_(reinterpret_cast<T*>(memory_.get())), size_(size) {}

  std::shared_ptr<std::byte> memory_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// One bit per vertex. Copies share the bits.
using StateBits = BitmapOf<State<std::uint64_t>>;

// Bytes by name.
using NamedBytes = std::vector<std::pair<std::string, std::uint64_t>>;

// Where arrays go that may not be in memory.
struct StateFiles {
  std::filesystem::path folder;
  std::uint64_t most_in_memory = 0;  // bytes of arrays that stay in memory
};

// "memory" gives none; "file:FOLDER" that folder. Throws a usage Error, also if no file can be made
// there.
std::optional<StateFiles> state_files(const std::string& text);

class StateStore {
 public:
  // Without `files`, all arrays are in memory.
  //
  // `grew` is called by the thread that makes an array, before the array is written to, if
  // in_memory() or in_files() grows by it. It may throw; then the array is not made.
  explicit StateStore(std::optional<StateFiles> files = {}, std::function<void()> grew = {});

  // Do engines that pass over all vertices in order pass over the array in that order too?
  enum class Order : std::uint8_t { by_vertex, random };
  // `count` zeros, which use memory only where they are written. Throws Error (memory), or Error
  // (io) if the file system has no space.
  template <typename T>
  State<T> zeros(const std::string& name, std::size_t count, Order order = Order::by_vertex) {
    return {allocate(name, count * sizeof(T), order), count};
  }
  // May arrays be in files?
  [[nodiscard]] bool has_files() const { return files_.has_value(); }
  // The arrays in files that exist now, except those in random order.
  [[nodiscard]] StateWindows& windows() const;

  // The most memory that the arrays of each name took at one time, including arrays that are freed
  // now.
  [[nodiscard]] NamedBytes in_memory() const;
  [[nodiscard]] NamedBytes in_files() const;

 private:
  struct Account;

  std::shared_ptr<std::byte> allocate(const std::string& name, std::size_t bytes, Order order);

  std::optional<StateFiles> files_;
  std::function<void()> grew_;
  std::shared_ptr<Account> account_;  // shared with the arrays
};

}  // namespace outcore
