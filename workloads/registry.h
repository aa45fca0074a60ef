// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/workload.h"

namespace outcore {

Workload bc_workload();
Workload bfs_workload();
Workload bfs_do_workload();
Workload cdlp_workload();
Workload coreness_workload();
Workload dfs_workload();
Workload kcore_workload();
Workload lcc_workload();
Workload mis_workload();
Workload one_hop_workload();
Workload pagerank_workload();
Workload pagerank_delta_workload();
Workload pagerank_push_workload();
Workload ppr_workload();
Workload radii_workload();
Workload random_walk_workload();
Workload spmv_workload();
Workload sssp_workload();
Workload two_hop_workload();
Workload wcc_workload();
Workload wcc_sample_workload();

}  // namespace outcore
