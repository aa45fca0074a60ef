// SPDX-License-Identifier: Apache-2.0
// Queries on a stream while it comes in: `outcore ingest --query`.
//
// Each time that `every` more updates are in, a *window* ends: a workload runs on exactly the
// updates until then, in a thread of its own, while the stream goes on. If the query of the window
// before still runs, the stream stands still until it is answered, so that each window is. With
// `newest` the stream never stands still: a window that ends while a query runs is *passed over*,
// and no snapshot is made for it. The last window is answered in any case.
//
// Threads: one feeds (window_ends, finish); any may ask for the account.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/parameters.h"
#include "common/stopwatch.h"
#include "engines/engine.h"
#include "storage/layout/opened_graph.h"
#include "workloads/workload.h"

namespace outcore {

struct QueryWishes {
  EngineEntry engine;
  Workload workload;
  Parameters parameters;  // of the workload
  Parameters settings;    // of the engine
  std::uint64_t every = 0;
  bool newest = false;
  unsigned threads = 1;
  bool keeps_answers = false;  // to verify them in the end
};

// The first `prefix` updates, opened.
struct OpenedPrefix {
  std::unique_ptr<OpenedGraph> graph;
  std::uint64_t prefix = 0;
  double known_s = 0;  // when they were all that was in
};

struct WindowAnswer {
  std::uint64_t prefix = 0;
  std::uint64_t edges = 0;
  VertexId vertices = 0;
  // Seconds since the queries began, and how many updates were in when the answer was there.
  double known_s = 0;
  double answered_s = 0;
  std::uint64_t taken = 0;
  // Of these seconds: opening the prefix, with the engine; the workload alone.
  double open_s = 0;
  double run_s = 0;
  std::string digest;
  nlohmann::json summary;
  bool verified = false;
  std::shared_ptr<const Answer> kept;  // null unless answers are kept
};

// How far behind the newest answer was, mean over the time from the first answer to the last.
struct AnswerAge {
  double seconds = 0;
  double updates = 0;
};
// REQUIRES: there is an answer.
AnswerAge mean_age(const std::vector<WindowAnswer>& answers);

struct QueryAccount {
  std::string workload;
  nlohmann::json parameters;
  std::uint64_t every = 0;
  bool newest = false;
  unsigned threads = 1;
  std::vector<WindowAnswer> answers;  // in the order of their prefixes
  std::uint64_t passed_over = 0;      // windows
  std::uint64_t waits = 0;            // of the stream, for an answer
  double waited_seconds = 0;
};

class WindowQueries {
 public:
  using Open = std::function<OpenedPrefix()>;
  // Makes what opens the updates until now. Called by the thread that feeds, where a query will
  // run.
  using MakeOpen = std::function<Open()>;

  // `told` is called by the thread of the queries after each answer. Throws a usage Error for a
  // workload that the engine cannot run on the store.
  WindowQueries(QueryWishes wishes, std::function<void()> told);
  // Gives up the window that waits, and waits for the query that runs.
  ~WindowQueries();
  WindowQueries(const WindowQueries&) = delete;
  WindowQueries& operator=(const WindowQueries&) = delete;

  [[nodiscard]] const QueryWishes& wishes() const { return wishes_; }
  [[nodiscard]] double seconds() const { return watch_.seconds(); }
  // So many updates are in. Relaxed: a count and nothing else.
  void took(std::uint64_t updates) { taken_.store(updates, std::memory_order_relaxed); }
  // A window has ended. Throws what a query threw.
  void window_ends(const MakeOpen& make_open);
  // The last window has ended. Waits until it is answered. Throws what a query threw.
  void finish(const MakeOpen& make_open);
  [[nodiscard]] QueryAccount account() const;
  // Asks `verifier` about each answer; what it needs was kept (keeps_answers). Throws Error
  // (wrong_answer) for the first that is wrong. REQUIRES: finish() has returned.
  void verify(const std::function<Verdict(const WindowAnswer&)>& verifier);

 private:
  using Lock = std::unique_lock<std::mutex>;

  void wait_until_idle(Lock& lock);
  void answer_all();
  WindowAnswer answer(const Open& open) const;
  WindowAnswer answer_once(const Open& open) const;
  [[nodiscard]] bool is_idle() const { return !pending_ && !runs_; }

  const QueryWishes wishes_;
  const std::function<void()> told_;
  const Stopwatch watch_;
  std::atomic<std::uint64_t> taken_{0};
  mutable std::mutex mutex_;  // for all that follows
  std::condition_variable changed_;
  QueryAccount account_;
  Open pending_;
  bool runs_ = false;
  bool unasked_ = false;  // the window that ended last
  bool ends_ = false;
  std::exception_ptr failure_;
  std::jthread thread_;
};

}  // namespace outcore
