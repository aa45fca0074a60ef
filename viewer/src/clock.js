// SPDX-License-Identifier: Apache-2.0
// The one clock of all runs: where it is, how fast it goes, and where it may jump to.

export const SPEEDS = [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];
const PLAYS_IN = 20e6; // microseconds in which the usual speed plays everything, at most

// The fastest speed at which `end` microseconds take about PLAYS_IN: real time where they take more.
export function usualSpeed(end) {
  return SPEEDS.find((speed) => end / speed >= PLAYS_IN / 2) ?? SPEEDS.at(-1);
}

export class Clock {
  constructor(end) {
    this.end = end;
    this.time = 0;
    this.playing = false;
    this.speed = usualSpeed(end);
  }

  // So much real time has passed.
  pass(milliseconds) {
    if (!this.playing) return;
    this.time += milliseconds * 1000 * this.speed;
    if (this.time < this.end) return;
    this.time = this.end;
    this.playing = false;
  }

  toggle() {
    if (!this.playing && this.time >= this.end) this.time = 0;
    this.playing = !this.playing;
  }

  // One speed faster (1) or slower (-1).
  faster(by) {
    const at = SPEEDS.indexOf(this.speed) - by;
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at))];
  }

  to(time) {
    this.time = Math.min(this.end, Math.max(0, time));
  }

  // To the next or previous of some moments, which ascend; stays if there is none.
  jump(times, direction) {
    const slack = 1e-6 * this.end;
    const found =
      direction > 0
        ? times.find((time) => time > this.time + slack)
        : times.findLast((time) => time < this.time - slack);
    if (found !== undefined) this.to(found);
    return found !== undefined;
  }
}
