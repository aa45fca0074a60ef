// SPDX-License-Identifier: Apache-2.0
// Draws the map of a run's blocks, and what its workers did: canvases, of which only the cells that
// changed are drawn again.
import { lanesOf } from "./curves.js";
import { STATES } from "./replay.js";

const GAP = 1;
const MOST_HEIGHT = 420; // of a map, in the page's pixels
const MOST_SIDE = 56; // of a cell
const LEAST_FOR_PATTERNS = 6; // pixels of a cell's side

// Draws the pattern of a state into a square: colour is never the only difference.
function pattern(draw, state, side, ink) {
  draw.strokeStyle = draw.fillStyle = ink;
  draw.lineWidth = Math.max(1, side / 8);
  const line = (...points) => {
    draw.beginPath();
    for (const [x, y] of points) draw.lineTo(x * side, y * side);
    draw.stroke();
  };
  if (state === "flight") line([0, 1], [1, 0]);
  if (state === "again") {
    line([0, 0], [1, 1]);
    line([0, 1], [1, 0]);
  }
  if (state === "processed") {
    draw.beginPath();
    draw.arc(side / 2, side / 2, side / 4, 0, 2 * Math.PI);
    draw.fill();
  }
  if (state === "gone") draw.fillRect(side * 0.35, side * 0.35, side * 0.3, side * 0.3);
}

export function coloursOf(element) {
  const style = getComputedStyle(element);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const of = Object.fromEntries(STATES.map((state) => [state, colour(state)]));
  const others = ["ink", "soft", "paper", "waited", "stalled", "idled", "worked"];
  for (const name of others) of[name] = colour(name);
  // Marks are dark on colours, which are light in both themes.
  of.mark = (state) => (state === "gone" ? of.ink : "#101010");
  of.runs = [0, 1, 2, 3].map((n) => colour(`run${n}`));
  return of;
}

// One square of a state, for the legend.
export function drawSwatch(canvas, state) {
  const side = canvas.width;
  const draw = canvas.getContext("2d");
  const colours = coloursOf(canvas);
  draw.clearRect(0, 0, side, side);
  draw.fillStyle = colours[state];
  draw.fillRect(0, 0, side, side);
  if (STATES.includes(state)) pattern(draw, state, side, colours.mark(state));
}

export class BlockMap {
  constructor(canvas, replay) {
    this.canvas = canvas;
    this.replay = replay;
    this.resize();
  }

  // As many columns as make cells square in the canvas's width and a height that leaves room.
  resize() {
    const scale = window.devicePixelRatio || 1;
    const width = Math.max(100, Math.floor(this.canvas.clientWidth * scale));
    const cells = this.replay.cells;
    const height = Math.min(width / 2, MOST_HEIGHT * scale);
    const side = Math.floor(Math.min(MOST_SIDE * scale, Math.sqrt((width * height) / cells)));
    this.side = Math.max(1, side);
    this.columns = Math.max(1, Math.floor(width / this.side));
    this.canvas.width = width;
    this.canvas.height = Math.ceil(cells / this.columns) * this.side;
    this.canvas.style.height = `${this.canvas.height / scale}px`;
    this.tiles = this.makeTiles();
    this.replay.all = true;
  }

  makeTiles() {
    const side = this.side > 3 ? this.side - GAP : this.side;
    const colours = coloursOf(this.canvas);
    return STATES.map((state) => {
      const tile = document.createElement("canvas");
      tile.width = tile.height = side;
      const draw = tile.getContext("2d");
      draw.fillStyle = colours[state];
      draw.fillRect(0, 0, side, side);
      if (side >= LEAST_FOR_PATTERNS) pattern(draw, state, side, colours.mark(state));
      return tile;
    });
  }

  draw() {
    const draw = this.canvas.getContext("2d");
    const changed = this.replay.takeChanged();
    const one = (cell) => {
      const x = (cell % this.columns) * this.side;
      const y = Math.floor(cell / this.columns) * this.side;
      draw.drawImage(this.tiles[this.replay.stateOf(cell)], x, y);
    };
    if (changed) return changed.forEach(one);
    for (let cell = 0; cell < this.replay.cells; ++cell) one(cell);
  }
}

// A row for each worker over the whole clock: busy, waiting for the device, at a barrier, idle.
export function drawLanes(canvas, run, end) {
  const scale = window.devicePixelRatio || 1;
  const width = (canvas.width = Math.max(100, Math.floor(canvas.clientWidth * scale)));
  const row = Math.round(18 * scale);
  canvas.height = run.lanes * row;
  canvas.style.height = `${(run.lanes * row) / scale}px`;
  const colours = coloursOf(canvas);
  const draw = canvas.getContext("2d");
  const order = ["stalled", "waited", "idled"];
  const index = { waited: 0, stalled: 1, idled: 2, worked: 3 };
  lanesOf(run, end, width).forEach((shares, lane) => {
    for (let x = 0; x < width; ++x) {
      const stack = (name, share, from) => {
        const height = Math.min(1 - from, share) * (row - 2);
        draw.fillStyle = colours[name];
        draw.fillRect(x, lane * row + 1 + (row - 2) * (1 - from) - height, 1, height);
        return from + share;
      };
      let at = 0;
      for (const name of order) at = stack(name, shares[index[name]][x], Math.min(1, at));
      const busy = Math.max(0, shares[index.worked][x] - shares[0][x] - shares[2][x]);
      stack("worked", busy, Math.min(1, at));
    }
  });
}
