// SPDX-License-Identifier: Apache-2.0
// Whether the executors go on in company, or one of them alone.
//
// Labels begin everywhere. An executor that is at others than the least spreads them ahead of the
// one that is at the least, where they are in vain: along a chain of cliques two executors handed
// over seven times the edges that one does. In many small components they are not in vain. Nothing
// tells in advance, so one begins alone. Then all go on, until so much has been said early, that
// is, with labels other than the least. Then the first goes on alone until it has come to what was
// said. If much of that is said again, and not little of all that was said meanwhile, the others
// rest, and are tried again later. If not, twice as much may be said until that is looked at again.
// In Kronecker graphs the least label is soon everywhere. Then nothing is said early, and no
// executor rests.
//
// Threads: note() is called by all executors at once, for a block by one at a time and in an order
// that the block's lock makes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <vector>

namespace outcore {

class Company {
 public:
  // Always in company.
  Company() = default;
  // For so many blocks. `window`: vertices that speak between two decisions, a fourth of those
  // whose blocks are in memory or on their way to an executor, for what others say comes behind
  // these.
  Company(std::size_t blocks, std::size_t window)
      : spoke_of_block_(blocks), window_(window), alone_(true) {}

  // Does the first executor go on alone? Relaxed: the others look again.
  [[nodiscard]] bool alone() const { return alone_.load(std::memory_order_relaxed); }

  // So many vertices of the block, which has `members`, spoke at this time; `early`: with another
  // label than the least. True if the others are to go on again.
  bool note(std::uint32_t block, std::size_t spoke, std::size_t members, bool early) {
    if (!is_possible()) return false;
    constexpr std::size_t kMost = std::numeric_limits<std::uint16_t>::max();
    std::uint16_t& before = spoke_of_block_[block];
    const std::size_t all = before + spoke;
    before = static_cast<std::uint16_t>(std::min(all, kMost));
    return add(spoke, all > members ? std::min(spoke, all - members) : 0, early);
  }
  // The same of vertices without a block, of which nothing is known.
  bool note(std::size_t spoke) { return is_possible() && add(spoke, 0, false); }

 private:
  // What goes on.
  enum class Part : std::uint8_t { alone, tried, checked };

  [[nodiscard]] bool is_possible() const { return window_ > 0; }
  // In company a window ends by what is said early. Relaxed: only counts, which publish nothing.
  bool add(std::size_t spoke, std::size_t again, bool early) {
    again_.fetch_add(again, std::memory_order_relaxed);
    spoke_.fetch_add(spoke, std::memory_order_relaxed);
    if (!early && !alone()) return false;
    return counted_.fetch_add(spoke, std::memory_order_relaxed) + spoke >= window_ && decide();
  }
  bool decide();
  bool go_on(Part part, std::size_t windows);

  std::vector<std::uint16_t> spoke_of_block_;
  std::size_t window_ = 0;
  std::atomic<std::size_t> spoke_{0};
  std::atomic<std::size_t> again_{0};
  std::atomic<std::size_t> counted_{0};
  std::atomic<bool> alone_{false};
  std::mutex deciding_;
  // Under this lock:
  Part part_ = Part::alone;
  std::size_t left_ = 1;       // windows of it
  std::size_t patience_ = 16;  // windows alone, the next time
  std::size_t trust_ = 1;      // windows in company, the next time
  double said_ = 0;            // by one alone, the last time, not to look
  double said_again_ = 0;      // and how much of that was said before
  double in_company_ = 0;      // vertices that spoke since the others are tried
  double early_ = 0;           // those of them that spoke early
  double in_vain_ = 0;         // that spoke again since then, beyond the share of one alone
};

}  // namespace outcore
