// SPDX-License-Identifier: Apache-2.0
// Which vertices a run found, and which of these events were a vertex's first and last: a vertex has
// its final value from its last one on.

// {first, last}: by event, 1 or 0; vertices: how many were found at least once.
export function foundOf(run) {
  const e = run.columns;
  const found = run.kindNumbers.found;
  const first = new Uint8Array(e.count);
  const last = new Uint8Array(e.count);
  const latest = new Map(); // event, by vertex
  for (let i = 0; i < e.count; ++i) {
    if (e.kind[i] !== found) continue;
    const before = latest.get(e.block[i]);
    if (before === undefined) first[i] = 1;
    else last[before] = 0;
    last[i] = 1;
    latest.set(e.block[i], i);
  }
  return { first, last, vertices: latest.size };
}

// The place of each value among all values that any of the runs found, from 0 to 1: levels and labels
// have the same colour in all runs.
export function placesOf(runs) {
  const values = new Set();
  for (const { columns: e, kindNumbers } of runs) {
    for (let i = 0; i < e.count; ++i) if (e.kind[i] === kindNumbers.found) values.add(e.value[i]);
  }
  const sorted = [...values].sort((a, b) => a - b);
  const scale = Math.max(1, sorted.length - 1);
  return new Map(sorted.map((value, n) => [value, n / scale]));
}
