// SPDX-License-Identifier: Apache-2.0
#include "workloads/streams/stream_output.h"

namespace outcore {

StreamCounts stream_sorted(const SortedOptions& options, const StreamTarget& target) {
  check_stream_file(target);
  Container graph = open_streamed_graph(options.graph);
  const CsrView csr = graph.csr(Direction::out);
  evolving::StreamWriter writer(target.file, target.threads);
  Progress progress("writing the stream", csr.edges(), "updates");
  for (VertexId v = 0; v < csr.vertices(); ++v) {
    for (const VertexId to : csr.list(v)) writer.add(evolving::Update{v, to});
    progress.add(csr.degree(v));
  }
  return finish_stream(writer);
}

}  // namespace outcore
