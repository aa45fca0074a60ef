// SPDX-License-Identifier: Apache-2.0
#include "workloads/registry.h"

#include <map>

#include "common/named.h"

namespace outcore {

const std::vector<Workload>& workloads() {
  static const std::vector<Workload> all = {
      bc_workload(),
      bfs_workload(),
      bfs_do_workload(),
      cdlp_workload(),
      coreness_workload(),
      dfs_workload(),
      kcore_workload(),
      lcc_workload(),
      mis_workload(),
      one_hop_workload(),
      pagerank_workload(),
      pagerank_delta_workload(),
      pagerank_push_workload(),
      ppr_workload(),
      radii_workload(),
      random_walk_workload(),
      spmv_workload(),
      sssp_workload(),
      two_hop_workload(),
      wcc_workload(),
      wcc_sample_workload(),
  };
  return all;
}

namespace {

// The workloads that other suites call by this name: the GAP suite's programs.
std::vector<std::string> called_otherwise(const std::string& name) {
  static const std::map<std::string, std::vector<std::string>> names = {
      {"cc", {"wcc", "wcc-sample"}},
      {"cc_sv", {"wcc"}},
      {"pr", {"pagerank"}},
      {"pr_spmv", {"pagerank"}},
  };
  const auto found = names.find(lower_case(name));
  return found == names.end() ? std::vector<std::string>() : found->second;
}

}  // namespace

const Workload& find_workload(const std::string& name) {
  return find_named("workload", workloads(), name, called_otherwise(name));
}

}  // namespace outcore
