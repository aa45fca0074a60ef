// SPDX-License-Identifier: Apache-2.0
#include "cli/window_queries.h"

#include <fmt/format.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <utility>

#include "common/error.h"

namespace outcore {

AnswerAge mean_age(const std::vector<WindowAnswer>& answers) {
  const auto behind = [](const WindowAnswer& of, const WindowAnswer& at) {
    return AnswerAge{.seconds = at.answered_s - of.known_s,
                     .updates = static_cast<double>(at.taken - of.prefix)};
  };
  AnswerAge sum;
  double whole = 0;
  for (std::size_t i = 1; i < answers.size(); ++i) {
    // From one answer to the next the age of the first rises.
    const AnswerAge from = behind(answers[i - 1], answers[i - 1]);
    const AnswerAge to = behind(answers[i - 1], answers[i]);
    const double span = answers[i].answered_s - answers[i - 1].answered_s;
    sum.seconds += span * (from.seconds + to.seconds) / 2;
    sum.updates += span * (from.updates + to.updates) / 2;
    whole += span;
  }
  if (whole <= 0) return behind(answers.front(), answers.front());
  return {.seconds = sum.seconds / whole, .updates = sum.updates / whole};
}

WindowQueries::WindowQueries(QueryWishes wishes, std::function<void()> told)
    : wishes_(std::move(wishes)), told_(std::move(told)) {
  account_.workload = wishes_.workload.name;
  account_.parameters = wishes_.parameters.json();
  account_.every = wishes_.every;
  account_.newest = wishes_.newest;
  account_.threads = wishes_.threads;
  thread_ = std::jthread([this] { answer_all(); });
}

WindowQueries::~WindowQueries() {
  const std::lock_guard lock(mutex_);
  ends_ = true;
  pending_ = nullptr;
  changed_.notify_all();
}

void WindowQueries::window_ends(const MakeOpen& make_open) {
  Lock lock(mutex_);
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  if (unasked_) ++account_.passed_over;
  unasked_ = wishes_.newest && !is_idle();
  if (unasked_) return;
  lock.unlock();
  Open open = make_open();  // of the window's end, also if the stream waits now
  lock.lock();
  if (!is_idle()) {
    const Stopwatch watch;
    ++account_.waits;
    wait_until_idle(lock);
    account_.waited_seconds += watch.seconds();
  }
  pending_ = std::move(open);
  changed_.notify_all();
}

void WindowQueries::finish(const MakeOpen& make_open) {
  Lock lock(mutex_);
  wait_until_idle(lock);
  if (!unasked_) return;
  unasked_ = false;
  pending_ = make_open();
  changed_.notify_all();
  wait_until_idle(lock);
}

// Throws what a query threw.
void WindowQueries::wait_until_idle(Lock& lock) {
  changed_.wait(lock, [this] { return is_idle() || failure_ != nullptr; });
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

QueryAccount WindowQueries::account() const {
  const Lock lock(mutex_);
  return account_;
}

void WindowQueries::verify(const std::function<Verdict(const WindowAnswer&)>& verifier) {
  const Lock lock(mutex_);
  for (WindowAnswer& answer : account_.answers) {
    const Verdict verdict = verifier(answer);
    if (!verdict.passed) {
      throw Error(ExitCode::wrong_answer,
                  fmt::format("after {} updates {} gave a wrong answer ({}): {}", answer.prefix,
                              wishes_.workload.name, verdict.how, verdict.detail));
    }
    answer.verified = true;
  }
}

void WindowQueries::answer_all() {
#ifdef _OPENMP
  omp_set_num_threads(static_cast<int>(wishes_.threads));  // of this thread's loops
#endif
  Lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return pending_ || ends_; });
    if (ends_) return;
    const Open open = std::exchange(pending_, nullptr);
    runs_ = true;
    lock.unlock();
    std::exception_ptr failure;
    WindowAnswer found;
    try {
      found = answer(open);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure == nullptr) account_.answers.push_back(std::move(found));
    failure_ = failure;
    if (failure == nullptr && told_) {
      lock.unlock();
      told_();
      lock.lock();
    }
    runs_ = false;
    changed_.notify_all();
    if (failure_ != nullptr) return;
  }
}

// A writer may merge runs of a store between the opening and the reading. Then a run is gone, and
// the newest updates are opened again; what fails twice in the same way is damage.
WindowAnswer WindowQueries::answer(const Open& open) const {
  for (std::string before;;) {
    try {
      return answer_once(open);
    } catch (const Error& error) {
      const bool may_be_gone = error.code() == ExitCode::bad_input || error.code() == ExitCode::io;
      if (!may_be_gone || error.what() == before) throw;
      before = error.what();
    }
  }
}

WindowAnswer WindowQueries::answer_once(const Open& open) const {
  Stopwatch phase;
  const OpenedPrefix opened = open();
  WindowAnswer result;
  result.prefix = opened.prefix;
  result.known_s = opened.known_s;
  result.edges = opened.graph->facts().edges;
  result.vertices = opened.graph->facts().vertices;
  EngineOptions options;
  options.threads = wishes_.threads;
  options.depth = wishes_.engine.depth;
  options.max_request_bytes = wishes_.engine.max_request;
  options.settings = wishes_.settings;
  std::unique_ptr<Engine> engine = wishes_.engine.make(*opened.graph, options);
  result.open_s = phase.lap();
  const Finish finish = wishes_.workload.run(*engine, wishes_.parameters);
  result.run_s = phase.lap();
  engine.reset();
  opened.graph->forget_lists();
  Answer answer = finish();
  result.digest = answer.digest();
  result.summary = answer.summary.is_null() ? nlohmann::json::object() : answer.summary;
  if (wishes_.keeps_answers) result.kept = std::make_shared<const Answer>(std::move(answer));
  result.answered_s = watch_.seconds();
  result.taken = std::max(result.prefix, taken_.load(std::memory_order_relaxed));
  return result;
}

}  // namespace outcore
