// SPDX-License-Identifier: Apache-2.0
// The arrays in which programs keep what they know of each vertex. They are made by the engine
// (Engine::state()) and accounted for by name as they are made and dropped.
//
// A StateStore decides where an array lies: in memory, on huge pages where the kernel allows it;
// or, when the arrays would take more memory than they may, in a file without a name, mapped, which
// the kernel writes and reads as it needs the memory for something else. Programs see no
// difference: a State is a pointer and a size either way, and no access goes through the store.
//
// Lifetime: an array lives as long as any copy of its State, beyond its store and its engine too.
// Copies share the array.
//
// Threads: any thread may make, copy and drop arrays. What threads may do to the elements at the
// same time is for the program to say (atomic_state.h).
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

// A bit a vertex. Copies share the bits.
using StateBits = BitmapOf<State<std::uint64_t>>;

// Bytes by name.
using NamedBytes = std::vector<std::pair<std::string, std::uint64_t>>;

// Where arrays go that may not be in memory.
struct StateFiles {
  std::filesystem::path folder;
  std::uint64_t most_in_memory = 0;  // bytes of arrays that stay in memory
};

// "memory": none; "file:FOLDER": there. Throws a usage Error, also when no file can be made there.
std::optional<StateFiles> state_files(const std::string& text);

class StateStore {
 public:
  // All arrays are in memory where there are no files.
  //
  // `grew` is called by the thread that makes an array, before it is written to, when in_memory()
  // or in_files() says more by that. It may throw; the array is then not made.
  explicit StateStore(std::optional<StateFiles> files = {}, std::function<void()> grew = {});

  // Whether engines that go through all vertices in order go through the array like that too: with
  // the vertices whose turn it is, or with those that tell them something.
  enum class Order : std::uint8_t { by_vertex, by_source, random };
  // `count` zeros, which take memory where they are written to. Throws Error (memory) or, where the
  // file system has no room, Error (io).
  template <typename T>
  State<T> zeros(const std::string& name, std::size_t count, Order order = Order::by_vertex) {
    return {allocate(name, count * sizeof(T), order), count};
  }
  // May arrays be in files?
  [[nodiscard]] bool has_files() const { return files_.has_value(); }
  // Of the arrays in files that are there: those by vertex, and those by source.
  [[nodiscard]] StateWindows& windows() const;
  [[nodiscard]] StateWindows& source_windows() const;

  // The most that arrays of a name took at one time, those that are still there and those that
  // were.
  [[nodiscard]] NamedBytes in_memory() const;
  [[nodiscard]] NamedBytes in_files() const;

 private:
  struct Account;

  std::shared_ptr<std::byte> allocate(const std::string& name, std::size_t bytes, Order order);

  std::optional<StateFiles> files_;
  std::function<void()> grew_;
  std::shared_ptr<Account> account_;  // arrays share it
};

}  // namespace outcore
