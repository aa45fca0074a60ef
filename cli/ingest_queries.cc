// SPDX-License-Identifier: Apache-2.0
#include "cli/ingest_queries.h"

#include <fmt/format.h>

#include <utility>

#include "common/error.h"
#include "common/files.h"
#include "common/sizes.h"
#include "storage/container/builder.h"
#include "storage/evolving/canonical_lists.h"

namespace outcore {

namespace {

constexpr double kRecordEvery = 1;  // seconds: writing it is seen in what is measured

QueryWishes query_wishes(const IngestArgs& args, const evolving::StoreSpec& spec) {
  QueryWishes wishes;
  wishes.engine = find_engine("evolving").with(spec.parameters);
  wishes.workload = find_workload(spec_name(args.query));
  wishes.parameters = {wishes.workload.name, wishes.workload.parameters,
                       spec_assignments(args.query)};
  wishes.settings = spec.parameters;
  wishes.every = args.every;
  wishes.newest = args.newest;
  wishes.threads = threads_or_all(args.query_threads > 0 ? args.query_threads : args.threads);
  wishes.keeps_answers = args.verify;
  return wishes;
}

void print_answer(const WindowAnswer& answer, const std::string& workload) {
  fmt::print("after {} updates: {} {} in {:.3f} s, there after {:.3f} s, {} updates later\n",
             with_commas(answer.prefix), workload, answer.digest, answer.run_s,
             answer.answered_s - answer.known_s, with_commas(answer.taken - answer.prefix));
}

}  // namespace

void refuse_queries(const IngestArgs& args, const evolving::StoreSpec& spec) {
  for (const auto& [option, is_given] :
       {std::pair("--every", args.every > 0), std::pair("--newest", args.newest),
        std::pair("--query-threads", args.query_threads > 0)}) {
    if (is_given && args.query.empty())
      throw usage_error(fmt::format("{} needs --query WORKLOAD", option));
  }
  if (args.query.empty()) return;
  if (args.every == 0) {
    throw usage_error(
        fmt::format("--query {} needs --every N: after how many updates", args.query));
  }
  if (spec.modelled) {
    throw usage_error(
        "--query goes with medium=dram and medium=ssd: the model counts accesses in their order, "
        "which a stream and a query at once do not have");
  }
  const QueryWishes wishes = query_wishes(args, spec);
  const bool symmetric = spec.options.symmetric;
  if (wishes.workload.needs_symmetric && !symmetric) {
    throw usage_error(
        fmt::format("{} needs a symmetric graph; --engine evolving:lists=symmetric has each edge "
                    "at both ends",
                    wishes.workload.name));
  }
  if (const std::string lacks = missing(wishes.engine.traits, wishes.workload, symmetric);
      !lacks.empty()) {
    throw usage_error(fmt::format("{} needs {}", wishes.workload.name, lacks));
  }
}

IngestQueries::IngestQueries(const IngestArgs& args, const evolving::StoreSpec& spec,
                             std::function<IngestOutcome()> so_far)
    : args_(args), spec_(spec), so_far_(std::move(so_far)) {
  if (args.query.empty()) return;
  windows_.emplace(query_wishes(args, spec), [this] { answered(); });
}

void IngestQueries::answered() {
  if (!args_.json)
    print_answer(windows_->account().answers.back(), windows_->wishes().workload.name);
  write_record(kRecordEvery);
}

void IngestQueries::write_record(double seconds) {
  if (args_.record.empty()) return;
  const std::lock_guard lock(writing_);
  const double now = watch_.seconds();
  if (written_s_ && now - *written_s_ < seconds) return;
  IngestOutcome outcome = so_far_();
  outcome.is_complete = false;
  account(outcome);
  write_json_atomically(args_.record, ingest_record(args_.stream, spec_, outcome));
  written_s_ = now;
}

std::string IngestQueries::interrupted() {
  if (!windows_) return {};
  write_record(0);
  const std::string where =
      args_.record.empty() ? "" : fmt::format(", and {} has them", args_.record);
  return fmt::format("{} windows are answered{}", windows_->account().answers.size(), where);
}

void IngestQueries::account(IngestOutcome& outcome) const {
  if (windows_) outcome.queries = windows_->account();
}

void IngestQueries::verify(bool symmetric) {
  if (!windows_) return;
  const QueryWishes& wishes = windows_->wishes();
  windows_->verify([&](const WindowAnswer& answer) {
    const evolving::StreamOptions stream = stream_options(args_, wishes.threads);
    const evolving::CanonicalLists lists =
        symmetric ? evolving::canonical_lists_of_undirected_stream(args_.stream, stream,
                                                                   answer.prefix, answer.vertices)
                  : evolving::canonical_lists_of_stream(args_.stream, stream, answer.prefix, false,
                                                        answer.vertices);
    return wishes.workload.verify({lists.csr(Direction::out), lists.csr(Direction::in)},
                                  *answer.kept, wishes.parameters);
  });
}

}  // namespace outcore
