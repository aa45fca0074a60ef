// SPDX-License-Identifier: Apache-2.0
// Curves of a whole run over the page's clock, and where two runs part.

export const BINS = 600;

// What the blocks that were asked for are to be multiplied with, so that where events were left out
// the sum at the end is the exact one.
export function correctionOf(run) {
  const { columns: e, kindNumbers: k } = run;
  const weight = new Float64Array(run.lanes).fill(1);
  let blocks = 0;
  for (let i = 0; i < e.count; ++i) {
    if (e.kind[i] === k.sampled) weight[e.lane[i]] = 2 ** e.value[i];
    if (e.kind[i] === k.asked) blocks += e.blocks[i] * weight[e.lane[i]];
  }
  return blocks > 0 ? run.asked_bytes / (blocks * run.block_bytes) : 1;
}

const RATE_BINS = 12; // the rate is the mean over so many bins

// By bin: what holds at its end, but for `rate`, which is a mean up to then, and `depth`, which is
// the deepest within.
export function curvesOf(run, end) {
  const { events, kinds } = { events: run.columns, kinds: run.kindNumbers };
  const curves = { depth: [], rate: [], bytes: [], edges: [], known: [], frontier: [] };
  const depth = new Float64Array(run.lanes);
  const weight = new Float64Array(run.lanes).fill(1);
  let bytes = 0;
  let edges = 0;
  let known = 0;
  let frontier = null;
  let deepest = 0;
  let i = 0;
  for (let bin = 0; bin < BINS; ++bin) {
    const until = ((bin + 1) * end) / BINS;
    deepest = depth.reduce((sum, d) => sum + d, 0);
    for (; i < events.count && events.time[i] <= until; ++i) {
      const lane = events.lane[i];
      switch (events.kind[i]) {
        case kinds.asked:
          bytes += events.blocks[i] * run.block_bytes * weight[lane] * run.correction;
        // falls through
        case kinds.arrived:
          depth[lane] = events.value[i];
          deepest = Math.max(deepest, depth.reduce((sum, d) => sum + d, 0));
          break;
        case kinds.processed:
          edges += events.value[i];
          break;
        case kinds.found:
          known += run.found.last[i];
          break;
        case kinds.round_began:
          frontier = events.value[i];
          break;
        case kinds.sampled:
          weight[lane] = 2 ** events.value[i];
          break;
      }
    }
    const over = ((bin + 0.5) * end) / BINS > run.end_us;
    curves.depth.push(over ? null : deepest);
    curves.bytes.push(bytes);
    const since = bin - RATE_BINS >= 0 ? curves.bytes[bin - RATE_BINS] : 0;
    const bins = Math.min(RATE_BINS, bin + 1);
    curves.rate.push(over ? null : ((bytes - since) / ((bins * end) / BINS)) * 1e6);
    curves.edges.push(edges);
    curves.known.push(run.found.vertices > 0 ? known / run.found.vertices : null);
    curves.frontier.push(over ? null : frontier);
  }
  return curves;
}

// What each lane did, by bin: the share of the bin that it waited for the device, at a barrier, for
// something to do.
export function lanesOf(run, end, bins) {
  const kinds = run.kindNumbers;
  const names = ["waited", "stalled", "idled", "worked"];
  const of = new Map(names.map((name, n) => [kinds[name], n]));
  const lanes = Array.from({ length: run.lanes }, () =>
    names.map(() => new Float64Array(bins)),
  );
  const width = end / bins;
  const { columns: e } = run;
  for (let i = 0; i < e.count; ++i) {
    const n = of.get(e.kind[i]);
    if (n === undefined) continue;
    const to = e.time[i];
    const from = Math.max(0, to - e.value[i]);
    const share = lanes[e.lane[i]][n];
    const last = Math.min(bins - 1, Math.floor(to / width));
    for (let bin = Math.floor(from / width); bin <= last; ++bin) {
      const overlap = Math.min(to, (bin + 1) * width) - Math.max(from, bin * width);
      share[bin] += overlap / width;
    }
  }
  return lanes;
}

// The moment from which on two curves of bytes, or else of edges, are never again within a
// twentieth of the larger one's end: null if they never part.
export function partingOf(a, b, end) {
  for (const name of ["bytes", "edges"]) {
    const most = Math.max(a[name][BINS - 1], b[name][BINS - 1]);
    const apart = (bin) => Math.abs(a[name][bin] - b[name][bin]) > most / 20;
    if (most === 0 || !apart(BINS - 1)) continue;
    let bin = BINS - 1;
    while (bin > 0 && apart(bin - 1)) --bin;
    const values = [a[name][bin], b[name][bin]];
    return { time: ((bin + 1) * end) / BINS, name, values };
  }
  return null;
}
