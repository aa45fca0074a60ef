// SPDX-License-Identifier: Apache-2.0
// The page: two to four runs on one clock.
import htm from "htm";
import { Component, h, render } from "preact";
import uPlot from "uplot";

import { momentsOf } from "./captions.js";
import { Clock, SPEEDS } from "./clock.js";
import { BINS, curvesOf, partingOf } from "./curves.js";
import { BlockMap, drawLanes, drawSwatch } from "./map.js";
import { columnsOf, inflate } from "./numbers.js";
import { Replay } from "./replay.js";
import { bytesText, countText, numberText, timeText } from "./text.js";

const html = htm.bind(h);
const MOST_CELLS = 8192;
const LEGEND = [
  ["unread", "not read"],
  ["flight", "in flight"],
  ["memory", "in memory"],
  ["processed", "being processed"],
  ["again", "read again"],
  ["gone", "was read, left memory"],
  ["worked", "worker busy"],
  ["waited", "waits for the device"],
  ["stalled", "stalled at a barrier"],
  ["idled", "has nothing to do"],
];
const STRIPS = [
  ["depth", "Requests in flight", numberText],
  ["rate", "Bytes asked for, a second", (x) => `${bytesText(x)}/s`],
  ["bytes", "Bytes read so far", bytesText],
  ["edges", "Edges processed so far", numberText],
  ["frontier", "Vertices in the round's frontier", numberText],
];

async function open(run) {
  run.columns = columnsOf(await inflate(run.data), run.events);
  delete run.data;
  run.kindNumbers = Object.fromEntries(run.kinds.map((name, number) => [name, number]));
  run.replay = new Replay(run, MOST_CELLS);
  run.moments = momentsOf(run);
  return run;
}

const colourOf = (n) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--run${n}`).trim();

class Swatch extends Component {
  componentDidMount() {
    this.draw();
  }
  componentDidUpdate() {
    this.draw();
  }
  draw() {
    drawSwatch(this.canvas, this.props.state);
  }
  render({ state, text }) {
    const keep = (canvas) => (this.canvas = canvas);
    return html`<li><canvas ref=${keep} width="16" height="16" aria-hidden="true"></canvas>${text}</li>`;
  }
}

// One run: its map, its workers, its numbers. Drawn by draw(), which the page calls each frame.
class Lane extends Component {
  componentDidMount() {
    this.map = new BlockMap(this.mapCanvas, this.props.run.replay);
    this.resize();
    this.props.keep(this);
  }
  shouldComponentUpdate() {
    return false; // it draws itself
  }
  resize() {
    this.map.resize();
    drawLanes(this.lanesCanvas, this.props.run, this.props.end);
  }
  draw(time) {
    const { run, end } = this.props;
    run.replay.seek(time);
    this.map.draw();
    this.cursor.style.transform = `translateX(${(time / end) * this.lanesCanvas.clientWidth}px)`;
    this.tell(time);
  }
  tell(time) {
    const { run } = this.props;
    const now = run.replay.now;
    const bytes = now.asked * run.block_bytes;
    const vain = Math.max(0, now.edges - run.edges);
    const words = {
      bytes: bytesText(bytes),
      times: `${(bytes / Math.max(1, run.least_bytes)).toFixed(2)} x`,
      again: bytesText(now.again * run.block_bytes),
      edges: numberText(now.edges),
      vain: vain > 0 ? `${numberText(vain)}` : "none",
      depth: numberText(run.replay.depth()),
      round: run.rounds > 0 ? `${now.round + 1} of ${run.rounds}` : "no rounds",
      stalled: timeText(now.stalled),
      waited: timeText(now.waited),
    };
    for (const [name, word] of Object.entries(words)) {
      if (this.words[name].textContent !== word) this.words[name].textContent = word;
    }
    const moment = run.moments.findLast((m) => m.time <= time);
    const text = moment ? moment.text : `${run.name}: it starts.`;
    if (this.caption.textContent !== text) this.caption.textContent = text;
  }
  render({ run, number }) {
    this.words = {};
    const word = (name, title) =>
      html`<div><dt>${title}</dt><dd ref=${(e) => (this.words[name] = e)}></dd></div>`;
    return html`<section class="run" style=${`--colour: var(--run${number})`} aria-label=${run.name}>
      <h2>${run.name}</h2>
      ${run.warnings.map((text) => html`<p class="warning">${text}</p>`)}
      <canvas
        ref=${(e) => (this.mapCanvas = e)}
        role="img"
        aria-label=${`Map of ${run.blocks} blocks`}
      ></canvas>
      <div class="workers">
        <canvas
          ref=${(e) => (this.lanesCanvas = e)}
          role="img"
          aria-label="What each worker does over time"
        ></canvas>
        <div class="cursor" ref=${(e) => (this.cursor = e)}></div>
      </div>
      <p class="caption" ref=${(e) => (this.caption = e)}></p>
      <dl class="numbers">
        ${word("bytes", "read so far")} ${word("times", "times what was used")}
        ${word("again", "of it read again")} ${word("edges", "edges processed")}
        ${word("vain", "more than each edge once")} ${word("round", "round")}
        ${word("depth", "requests in flight")} ${word("stalled", "stalled at barriers")}
        ${word("waited", "waited for the device")}
      </dl>
    </section>`;
  }
}

class Strip extends Component {
  componentDidMount() {
    this.make();
    this.props.keep(this);
  }
  componentDidUpdate() {
    this.plot.destroy();
    this.make();
  }
  shouldComponentUpdate(next) {
    return next.theme !== this.props.theme || next.width !== this.props.width;
  }
  make() {
    const { name, text, runs, end, seek } = this.props;
    const ink = getComputedStyle(this.box).getPropertyValue("--soft").trim();
    const line = getComputedStyle(this.box).getPropertyValue("--unread").trim();
    const axis = { stroke: ink, grid: { stroke: line }, ticks: { stroke: line } };
    const series = runs.map((run, n) => ({
      label: run.name,
      stroke: colourOf(n),
      width: 2,
      dash: n % 2 === 1 ? [8, 4] : undefined,
      value: (_, x) => (x === null || x === undefined ? "" : text(x)),
    }));
    const times = Array.from({ length: BINS }, (_, bin) => ((bin + 1) * end) / BINS);
    this.plot = new uPlot(
      {
        width: Math.max(200, this.box.clientWidth),
        height: 150,
        scales: { x: { time: false, range: [0, end] } },
        cursor: { drag: { x: false, y: false } },
        series: [{ label: "time", value: (_, x) => (x == null ? "" : timeText(x)) }, ...series],
        axes: [
          { ...axis, values: (_, ticks) => ticks.map(timeText) },
          { ...axis, size: 80, values: (_, ticks) => ticks.map(text) },
        ],
        legend: { live: false },
      },
      [times, ...runs.map((run) => run.curves[name])],
      this.box,
    );
    this.line = document.createElement("div");
    this.line.className = "cursor";
    this.plot.over.append(this.line);
    this.plot.over.addEventListener("click", (event) => {
      seek((event.offsetX / this.plot.over.clientWidth) * end);
    });
  }
  draw(time) {
    const x = (time / this.props.end) * this.plot.over.clientWidth;
    this.line.style.transform = `translateX(${x}px)`;
  }
  render({ title }) {
    return html`<div class="strip"><h2>${title}</h2><div ref=${(e) => (this.box = e)}></div></div>`;
  }
}

class Page extends Component {
  constructor(props) {
    super(props);
    this.clock = new Clock(props.end);
    this.lanes = [];
    this.strips = [];
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.state = { theme: dark ? "dark" : "light", width: innerWidth, playing: false };
    document.documentElement.dataset.theme = this.state.theme;
    const moments = (kinds) =>
      [
        ...new Set(
          props.runs.flatMap((run) =>
            run.moments.filter((m) => kinds.includes(m.kind)).map((m) => m.time),
          ),
        ),
      ].sort((a, b) => a - b);
    this.rounds = moments(["round"]);
    this.stalls = moments(["stall"]);
    const [a, b] = props.runs;
    this.parting = b ? partingOf(a.curves, b.curves, props.end) : null;
  }

  componentDidMount() {
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("resize", () => this.setState({ width: innerWidth }, () => this.relayout()));
    let before = performance.now();
    const frame = (now) => {
      this.clock.pass(now - before);
      before = now;
      this.draw();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  relayout() {
    for (const lane of this.lanes) lane.resize();
    this.drawn = undefined;
  }

  draw() {
    const { time, playing } = this.clock;
    if (playing !== this.state.playing) this.setState({ playing });
    if (time === this.drawn) return;
    this.drawn = time;
    for (const part of [...this.lanes, ...this.strips]) part.draw(time);
    this.scrub.value = String((time / this.clock.end) * 1000);
    this.scrub.setAttribute("aria-valuetext", timeText(time));
    this.told.textContent = `${timeText(time)} of ${timeText(this.clock.end)}`;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const onControl = ["SELECT", "INPUT"].includes(event.target.tagName);
    const step = this.clock.end / 200;
    const actions = {
      " ": () => this.clock.toggle(),
      ArrowRight: () => this.clock.to(this.clock.time + step),
      ArrowLeft: () => this.clock.to(this.clock.time - step),
      r: () => this.clock.to(0),
      n: () => this.clock.jump(this.rounds, 1),
      b: () => this.clock.jump(this.rounds, -1),
      s: () => this.clock.jump(this.stalls, 1),
      p: () => this.part(),
      d: () => this.theme(),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    // A button takes the space bar itself, and a slider or a list the arrows.
    if (!action || (event.key === " " && event.target.tagName === "BUTTON")) return;
    if (onControl && event.key.startsWith("Arrow")) return;
    event.preventDefault();
    action();
  }

  part() {
    if (this.parting) this.clock.to(this.parting.time);
  }

  theme() {
    const theme = this.state.theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    this.setState({ theme }, () => this.relayout());
  }

  // The maps and their captions as one picture.
  picture() {
    const maps = this.lanes.map((lane) => lane.mapCanvas);
    const width = maps.reduce((sum, map) => sum + map.width + 20, 20);
    const picture = document.createElement("canvas");
    picture.width = width;
    picture.height = Math.max(...maps.map((map) => map.height)) + 70;
    const draw = picture.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    draw.fillStyle = style.getPropertyValue("--paper");
    draw.fillRect(0, 0, picture.width, picture.height);
    draw.fillStyle = style.getPropertyValue("--ink");
    draw.font = "20px sans-serif";
    let x = 20;
    this.lanes.forEach((lane, n) => {
      draw.fillText(this.props.runs[n].name, x, 28, maps[n].width);
      draw.fillText(`${lane.words.bytes.textContent} read`, x, 52, maps[n].width);
      draw.drawImage(maps[n], x, 62);
      x += maps[n].width + 20;
    });
    const link = document.createElement("a");
    link.href = picture.toDataURL("image/png");
    link.download = `${this.props.title.replaceAll(/[^\w.-]+/g, "_")}.png`;
    link.click();
  }

  render({ runs, end, title, same }, { theme, playing, width }) {
    const button = (text, key, action, off = false) =>
      html`<button onClick=${action} disabled=${off} title=${`key: ${key}`}>${text}</button>`;
    const seek = (time) => this.clock.to(time);
    return html`
      <h1>${title}</h1>
      <div class="controls" role="toolbar" aria-label="Playback">
        ${button(playing ? "Pause" : "Play", "space", () => this.clock.toggle())}
        ${button("Restart", "R", () => seek(0))}
        <input
          class="scrub"
          type="range"
          min="0"
          max="1000"
          step="any"
          aria-label="Time"
          ref=${(e) => (this.scrub = e)}
          onInput=${(event) => seek((event.target.value / 1000) * end)}
        />
        <span class="clock" ref=${(e) => (this.told = e)}></span>
        <label
          >Speed${" "}
          <select onChange=${(event) => (this.clock.speed = Number(event.target.value))}>
            ${SPEEDS.map(
              (speed) =>
                html`<option value=${speed} selected=${speed === this.clock.speed}>
                  ${speed === 1 ? "real time" : `1/${Math.round(1 / speed)}`}
                </option>`,
            )}
          </select></label
        >
        ${button("Next round", "N", () => this.clock.jump(this.rounds, 1), !this.rounds.length)}
        ${button("Next stall", "S", () => this.clock.jump(this.stalls, 1), !this.stalls.length)}
        ${button("Where they part", "P", () => this.part(), !this.parting)}
        ${button(theme === "dark" ? "Light" : "Dark", "D", () => this.theme())}
        ${button("PNG", "none", () => this.picture())}
      </div>
      <p>${same}</p>
      <div class="lanes">
        ${runs.map(
          (run, n) =>
            html`<${Lane} run=${run} number=${n} end=${end} keep=${(lane) => (this.lanes[n] = lane)} />`,
        )}
      </div>
      <ul class="legend">
        ${LEGEND.map(([state, text]) => html`<${Swatch} state=${state} text=${text} theme=${theme} />`)}
      </ul>
      <div class="strips">
        ${STRIPS.map(
          ([name, heading, text], n) =>
            html`<${Strip}
              ...${{ name, title: heading, text, runs, end, theme, width, seek }}
              keep=${(strip) => (this.strips[n] = strip)}
            />`,
        )}
      </div>
      <section class="about">
        <h2>What was run</h2>
        ${runs.map(
          (run) =>
            html`<p><strong>${run.name}</strong>: <code>${run.command}</code><br />${run.facts}</p>`,
        )}
        <p>
          "Times what was used" counts each block that was used once as 1. "More than each edge once"
          is what was processed beyond the edges of the graph. A block is drawn as read again when it
          is asked for after it was read before.
          Keys: space, arrows, R restart, N and B next and previous round, S next stall, P where they
          part, D dark.
        </p>
      </section>
    `;
  }
}

async function main() {
  const page = document.getElementById("page");
  try {
    const { title, same, runs } = JSON.parse(document.getElementById("runs").textContent);
    await Promise.all(runs.map(open));
    const end = Math.max(1, ...runs.map((run) => run.end_us));
    for (const run of runs) run.curves = curvesOf(run, end);
    document.title = title;
    page.replaceChildren();
    render(html`<${Page} ...${{ title, same, runs, end }} />`, page);
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    page.textContent = `This page's runs cannot be shown: ${error.message}`;
    throw error;
  }
}

main();
