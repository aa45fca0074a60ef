// SPDX-License-Identifier: Apache-2.0
// The state of one run at any moment, from its events. seek() goes forwards event by event and
// backwards from the nearest snapshot.

const SNAPSHOTS = 48; // of a map of few blocks
const SNAPSHOT_BLOCKS = 2e7; // of all snapshots together, at most
const IN_FLIGHT = 1;
const IN_MEMORY = 2;

// What a cell of the map shows, in the order of the legend.
export const STATES = ["unread", "flight", "memory", "processed", "again", "gone"];

export class Replay {
  // `mostCells`: a map of more blocks shows several in a cell. `places`: of the values that vertices
  // are found with, from 0 to 1, if the graph of so many `vertices` is drawn.
  constructor(run, mostCells, vertices = 0, places = new Map()) {
    this.run = run;
    this.events = run.columns;
    this.kinds = Object.fromEntries(run.kinds.map((name, number) => [name, number]));
    this.vertices = vertices;
    this.places = places;
    this.blocks = Math.max(1, run.blocks);
    this.perCell = Math.ceil(this.blocks / mostCells);
    this.cells = Math.ceil(this.blocks / this.perCell);
    this.changed = new Set(); // cells, since takeChanged()
    this.all = true; // all cells have changed
    this.snapshots = [];
    const snapshots = Math.max(4, Math.min(SNAPSHOTS, SNAPSHOT_BLOCKS / this.blocks));
    this.every = Math.max(1, Math.ceil(this.events.count / snapshots));
    this.reset();
  }

  reset() {
    const lanes = this.run.lanes;
    this.at = 0; // the next event
    this.now = {
      bits: new Uint8Array(this.blocks),
      reads: new Uint8Array(this.blocks), // times asked for, up to 255
      depth: new Float64Array(lanes),
      processing: new Int32Array(lanes).fill(-1), // block, by lane
      weight: new Float64Array(lanes).fill(1),
      asked: 0, // blocks
      again: 0, // of them, blocks that had been read before
      edges: 0,
      round: -1,
      frontier: 0,
      stalled: 0, // microseconds, of all workers
      waited: 0,
      found: 0, // events
      met: 0, // vertices found at least once
      known: 0, // of them, those with their final value
      places: new Float32Array(this.vertices),
      times: new Uint16Array(this.vertices), // found
    };
    this.all = true;
  }

  save() {
    const copy = Object.fromEntries(
      Object.entries(this.now).map(([k, v]) => [k, ArrayBuffer.isView(v) ? v.slice() : v]),
    );
    this.snapshots[this.at / this.every] = copy;
  }

  seek(time) {
    const { time: times, count } = this.events;
    if (this.at > 0 && times[this.at - 1] > time) this.goBack(time);
    while (this.at < count && times[this.at] <= time) {
      if (this.at % this.every === 0 && !this.snapshots[this.at / this.every]) this.save();
      this.apply(this.at++);
    }
  }

  goBack(time) {
    let i = Math.floor((this.at - 1) / this.every);
    while (i > 0 && (!this.snapshots[i] || this.events.time[i * this.every] > time)) --i;
    const saved = this.snapshots[i];
    this.reset();
    if (!saved) return;
    this.at = i * this.every;
    for (const [k, v] of Object.entries(saved)) this.now[k] = ArrayBuffer.isView(v) ? v.slice() : v;
  }

  apply(i) {
    const { kind, lane, block, blocks, value } = this.events;
    const now = this.now;
    const l = lane[i];
    const k = this.kinds;
    switch (kind[i]) {
      case k.asked:
        now.depth[l] = value[i];
        now.asked += blocks[i] * now.weight[l] * this.run.correction;
        this.forBlocks(block[i], blocks[i], (b) => {
          now.bits[b] |= IN_FLIGHT;
          if (now.reads[b] > 0) now.again += now.weight[l] * this.run.correction;
          if (now.reads[b] < 255) ++now.reads[b];
        });
        break;
      case k.arrived:
        now.depth[l] = value[i];
        this.forBlocks(block[i], blocks[i], (b) => {
          now.bits[b] = (now.bits[b] & ~IN_FLIGHT) | IN_MEMORY;
        });
        break;
      case k.dropped:
        this.forBlocks(block[i], blocks[i], (b) => {
          now.bits[b] &= ~IN_MEMORY;
        });
        break;
      case k.processed:
        now.edges += value[i];
        this.leave(l);
        if (blocks[i] > 0) {
          now.processing[l] = block[i];
          this.touch(block[i]);
        }
        break;
      case k.waited:
        now.waited += value[i] * now.weight[l];
        this.leave(l);
        break;
      case k.stalled:
        now.stalled += value[i] * now.weight[l];
        this.leave(l);
        break;
      case k.worked:
      case k.idled:
        this.leave(l);
        break;
      case k.round_began:
        now.round = block[i];
        now.frontier = value[i];
        break;
      case k.found:
        ++now.found;
        now.met += this.run.found.first[i];
        now.known += this.run.found.last[i];
        if (block[i] < this.vertices) {
          now.places[block[i]] = this.places.get(value[i]);
          ++now.times[block[i]];
        }
        break;
      case k.sampled:
        now.weight[l] = 2 ** value[i];
        break;
    }
  }

  leave(lane) {
    const block = this.now.processing[lane];
    if (block >= 0) this.touch(block);
    this.now.processing[lane] = -1;
  }

  forBlocks(first, count, f) {
    const end = Math.min(first + count, this.blocks);
    for (let b = first; b < end; ++b) {
      f(b);
      this.touch(b);
    }
  }

  touch(block) {
    if (!this.all) this.changed.add(Math.floor(block / this.perCell));
  }

  // The cells to draw again: null for all of them.
  takeChanged() {
    if (this.all) {
      this.all = false;
      this.changed.clear();
      return null;
    }
    const cells = [...this.changed];
    this.changed.clear();
    return cells;
  }

  // Of several blocks in a cell the one that says most.
  stateOf(cell) {
    const { bits, reads, processing } = this.now;
    const first = cell * this.perCell;
    const end = Math.min(first + this.perCell, this.blocks);
    for (const block of processing) if (block >= first && block < end) return 3;
    let flight = false;
    let memory = false;
    let again = false;
    let read = false;
    for (let b = first; b < end; ++b) {
      flight ||= (bits[b] & IN_FLIGHT) !== 0;
      memory ||= (bits[b] & IN_MEMORY) !== 0;
      again ||= bits[b] !== 0 && reads[b] > 1;
      read ||= reads[b] > 0;
    }
    if (again) return 4;
    if (flight) return 1;
    if (memory) return 2;
    return read ? 5 : 0;
  }

  depth() {
    return this.now.depth.reduce((sum, d) => sum + d, 0);
  }
}
