// SPDX-License-Identifier: Apache-2.0
// The present moment as a picture for slides: SVG, and PNG made from it.
import { scaleColour } from "./graph.js";
import { STATES } from "./replay.js";

const WIDTH = 760; // of a run
const MAP_HEIGHT = 380;
const GRAPH_HEIGHT = 420;
const CAPTION_END = 250; // a caption has three lines at most
const GAP = 40;
const LINE = 30;
const LETTERS = 72; // of a caption in a line, about

const escaped = (text) =>
  String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export function linesOf(text, most = LETTERS) {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1) !== "" && lines.at(-1).length + word.length >= most) lines.push("");
    lines.push(`${lines.pop()} ${word}`.trim());
  }
  return lines;
}

const textAt = (x, y, size, text, colour, weight = 400) =>
  `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${colour}">${escaped(text)}</text>`;

// What distinguishes a state from others without its colour, in a square of 1.
const MARKS = {
  flight: '<path d="M0 1L1 0" stroke-width=".15"/>',
  again: '<path d="M0 0L1 1M0 1L1 0" stroke-width=".15"/>',
  processed: '<circle cx=".5" cy=".5" r=".2" stroke-width=".15"/>',
  gone: '<path d="M.35 .5H.65" stroke-width=".3"/>',
};

const markAt = (state, x, y, side, colours) =>
  `<use href="#${state}" transform="translate(${x} ${y}) scale(${side})" stroke="${colours.mark(state)}" fill="none"/>`;

function mapOf(replay, x, y, colours) {
  const cells = replay.cells;
  const side = Math.max(1, Math.min(48, Math.floor(Math.sqrt((WIDTH * MAP_HEIGHT) / cells))));
  const columns = Math.max(1, Math.floor(WIDTH / side));
  const inner = side > 3 ? side - 1 : side;
  const paths = STATES.map(() => []);
  const marks = [];
  for (let cell = 0; cell < cells; ++cell) {
    const state = replay.stateOf(cell);
    const [left, top] = [x + (cell % columns) * side, y + Math.floor(cell / columns) * side];
    paths[state].push(`M${left} ${top}h${inner}v${inner}h-${inner}z`);
    if (inner >= 6 && MARKS[STATES[state]]) {
      marks.push(markAt(STATES[state], left, top, inner, colours));
    }
  }
  const filled = paths.map((path, n) =>
    path.length ? `<path fill="${colours[STATES[n]]}" d="${path.join("")}"/>` : "",
  );
  return {
    height: Math.ceil(cells / columns) * side,
    text: filled.join("") + marks.join(""),
  };
}

function legendOf(legend, x, y, colours) {
  let at = x;
  return legend
    .map(([state, text]) => {
      const mark = MARKS[state] ? markAt(state, at, y - 14, 16, colours) : "";
      const item = `<rect x="${at}" y="${y - 14}" width="16" height="16" fill="${colours[state]}"/>${mark}${textAt(at + 22, y, 16, text, colours.ink)}`;
      at += 40 + text.length * 8.5;
      return item;
    })
    .join("");
}

function graphOf(graph, run, x, y, colours) {
  const { places, times } = run.replay.now;
  const at = (v) => [
    Math.round(x + (graph.x[v] / 1000) * WIDTH),
    Math.round(y + (graph.y[v] / 1000) * GRAPH_HEIGHT),
  ];
  const edges = [];
  for (let i = 0; i < graph.edges.length; i += 2) {
    edges.push(`M${at(graph.edges[i])}L${at(graph.edges[i + 1])}`);
  }
  const radius = Math.min(9, 0.3 * Math.sqrt((WIDTH * GRAPH_HEIGHT) / graph.x.length)).toFixed(1);
  const vertices = graph.x.map((_, v) => {
    const [left, top] = at(v);
    const fill =
      v === run.source ? scaleColour(0) : times[v] > 0 ? scaleColour(places[v]) : colours.paper;
    const rim = times[v] > 1 ? ` stroke="${colours.again}" stroke-width="3"` : "";
    return `<circle cx="${left}" cy="${top}" r="${radius}" fill="${fill}"${rim}/>`;
  });
  return `<path d="${edges.join("")}" stroke="${colours.unread}"/><g stroke="${colours.soft}">${vertices.join("")}</g>`;
}

// `lanes`: {run, caption, numbers: [[name, value], ...]}, as they are shown now. `graph`: to be drawn
// too; null: none.
export function svgOf({ title, clock, lanes, graph, legend, colours }) {
  const width = GAP + lanes.length * (WIDTH + GAP);
  let height = 0;
  const parts = lanes.map(({ run, caption, numbers }, n) => {
    const x = GAP + n * (WIDTH + GAP);
    let y = 96;
    const text = [
      `<rect x="${x}" y="${y}" width="${WIDTH}" height="6" fill="${colours.runs[n]}"/>`,
      textAt(x, (y += 40), 26, run.name, colours.ink, 700),
    ];
    for (const line of linesOf(caption)) text.push(textAt(x, (y += LINE), 20, line, colours.ink));
    y = CAPTION_END;
    if (graph) {
      text.push(graphOf(graph, run, x, y, colours));
      y += GRAPH_HEIGHT + LINE;
    }
    const map = mapOf(run.replay, x, y, colours);
    text.push(map.text);
    y += map.height;
    for (const [name, value] of numbers) {
      text.push(textAt(x, (y += LINE), 20, `${name}: ${value}`, colours.ink));
    }
    height = Math.max(height, y);
    return text.join("");
  });
  const marks = Object.entries(MARKS).map(([state, mark]) => `<g id="${state}">${mark}</g>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height + 80}" font-family="sans-serif">`,
    `<defs>${marks.join("")}</defs><rect width="100%" height="100%" fill="${colours.paper}"/>`,
    textAt(GAP, 46, 30, title, colours.ink, 700),
    textAt(GAP, 78, 20, clock, colours.ink),
    ...parts,
    legendOf(legend, GAP, height + 50, colours),
    "</svg>",
  ].join("");
}

function save(address, name) {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}

export function saveSvg(svg, name) {
  save(`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`, `${name}.svg`);
}

export async function savePng(svg, name) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * image.width;
  canvas.height = 2 * image.height;
  const draw = canvas.getContext("2d");
  draw.scale(2, 2);
  draw.drawImage(image, 0, 0);
  save(canvas.toDataURL("image/png"), `${name}.png`);
}
