// SPDX-License-Identifier: Apache-2.0
// State that several threads touch at once: how programs read and write it.
//
// All accesses here are relaxed. Each value stands for itself, and no thread concludes anything
// from one value about another. What a round (or, asynchronously, an activation) wrote is published
// by the engine's barrier (or its queue).
#pragma once

#include <atomic>
#include <cstdint>

namespace outcore {

// May other threads write the state of the same vertices now? (Exclusive: they may still read it.)
enum class Access : std::uint8_t { shared, exclusive };

template <typename T>
T peek(const T& state) {
  return std::atomic_ref(const_cast<T&>(state)).load(std::memory_order_relaxed);
}

// state = value. REQUIRES: this thread is the only writer; others may peek.
template <typename T>
void poke(T& state, T value) {
  std::atomic_ref(state).store(value, std::memory_order_relaxed);
}

// state = min(state, value); returns true if it fell.
template <Access A, typename T>
bool lower(T& state, T value) {
  if constexpr (A == Access::exclusive) {
    if (!(value < state)) return false;
    poke(state, value);
    return true;
  } else {
    const std::atomic_ref shared(state);
    T old = shared.load(std::memory_order_relaxed);
    while (value < old) {
      if (shared.compare_exchange_weak(old, value, std::memory_order_relaxed)) return true;
    }
    return false;
  }
}

// state += value; returns the previous value.
template <Access A, typename T>
T increase(T& state, T value) {
  if constexpr (A == Access::exclusive) {
    const T old = state;
    poke(state, static_cast<T>(old + value));
    return old;
  } else {
    return std::atomic_ref(state).fetch_add(value, std::memory_order_relaxed);
  }
}

// state = value; returns the previous value.
template <Access A, typename T>
T replace(T& state, T value) {
  if constexpr (A == Access::exclusive) {
    const T old = state;
    poke(state, value);
    return old;
  } else {
    return std::atomic_ref(state).exchange(value, std::memory_order_relaxed);
  }
}

// Sets these bits of state; returns the previous value.
template <Access A, typename T>
T include(T& state, T bits) {
  if constexpr (A == Access::exclusive) {
    const T old = state;
    poke(state, static_cast<T>(old | bits));
    return old;
  } else {
    return std::atomic_ref(state).fetch_or(bits, std::memory_order_relaxed);
  }
}

}  // namespace outcore
