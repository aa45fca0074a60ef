// SPDX-License-Identifier: Apache-2.0
// The page: one to four runs on one clock.
import htm from "htm";
import { Component, h, render } from "preact";

import { momentsOf } from "./captions.js";
import { Clock, SPEEDS } from "./clock.js";
import { correctionOf, curvesOf, partingOf } from "./curves.js";
import { foundOf, placesOf } from "./found.js";
import { scaleColour } from "./graph.js";
import { Lane } from "./lane.js";
import { coloursOf, drawSwatch } from "./map.js";
import { columnsOf, inflate } from "./numbers.js";
import { savePng, saveSvg, svgOf } from "./picture.js";
import { Replay } from "./replay.js";
import { Strip, STRIPS } from "./strip.js";
import { bytesText, claimText, numberText, paperText, timeText } from "./text.js";

const html = htm.bind(h);
const MOST_CELLS = 8192;
const WORDS_EVERY = 100; // milliseconds: nobody reads faster, and words are dear to draw
const CALM_FRAMES = 500; // milliseconds between frames for people who asked for little motion
const BLOCKS = [
  ["unread", "not read"],
  ["flight", "in flight"],
  ["memory", "in memory"],
  ["processed", "being processed"],
  ["again", "read again"],
  ["gone", "left memory"],
];
const THREADS = [
  ["worked", "busy"],
  ["waited", "waits for the device"],
  ["stalled", "stalled at a barrier"],
  ["idled", "has nothing to do"],
];
const GLOSSARY = [
  ["Times each used block", "bytes read, over those of each block that was ever read, once."],
  [
    "A perfect cache",
    "(Belady's OPT) with this run's frames would have read so much, in the order in which this run used its blocks.",
  ],
  ["Beyond each edge once", "edges that were processed after as many as the graph has."],
  ["Final", "a vertex that was found and is never found again."],
  ["Read again", "a block that is asked for after it was read before."],
  [
    "They part",
    "where their bytes, or else their edges, stay apart by more than a twentieth of the larger end.",
  ],
];

async function open(run) {
  run.columns = columnsOf(await inflate(run.data), run.events);
  delete run.data;
  run.kindNumbers = Object.fromEntries(run.kinds.map((name, number) => [name, number]));
  run.found = foundOf(run);
  run.correction = correctionOf(run);
  run.moments = momentsOf(run);
}

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
    return html`<li><canvas ref=${keep} width="24" height="24" aria-hidden="true"></canvas>${text}</li>`;
  }
}

function whyTable({ rows, sentences }, runs) {
  const of = (n) => (runs.length > 2 ? `, ${runs[n + 1].name} over ${runs[0].name}` : "");
  return html`<h2>Why</h2>
    ${sentences.map((text) => html`<p class="caption">${text}</p>`)}
    <div class="wide" role="region" aria-label="Why" tabindex="0">
      <table>
        <thead>
          <tr>
            <td></td>
            ${runs.map((run) => html`<th scope="col">${run.name}</th>`)}
            ${sentences.map((_, n) => html`<th scope="col">over the first${of(n)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ cause, values, times }) =>
              html`<tr>
                <th scope="row">${cause}</th>
                ${values.map((value) => html`<td>${value}</td>`)}
                ${times.map((value) => html`<td class="differs">${value}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p>Time is edges times bytes an edge, over bytes a second; so the ratios multiply.</p>`;
}

function factsTable(runs) {
  const names = [...new Set(runs.flatMap((run) => run.facts.map(([name]) => name)))];
  const of = (run, name) => run.facts.find(([other]) => other === name)?.[1] ?? "";
  const row = (name) => {
    const values = runs.map((run) => of(run, name));
    const differs = new Set(values).size > 1 ? "differs" : "";
    return html`<tr>
      <th scope="row">${name}</th>
      ${values.map((value) => html`<td class=${differs}>${value}</td>`)}
    </tr>`;
  };
  return html`<table>
    <thead>
      <tr>
        <td></td>
        ${runs.map((run) => html`<th scope="col">${run.name}</th>`)}
      </tr>
    </thead>
    <tbody>${names.map(row)}</tbody>
  </table>`;
}

class Page extends Component {
  constructor(props) {
    super(props);
    this.clock = new Clock(props.end);
    this.lanes = [];
    this.strips = [];
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.state = { theme: dark ? "dark" : "light", width: innerWidth, playing: false };
    document.documentElement.dataset.theme = this.state.theme;
    const moments = (kind) => {
      const times = props.runs.flatMap((run) =>
        run.moments.filter((moment) => moment.kind === kind).map((moment) => moment.time),
      );
      return [...new Set(times)].sort((a, b) => a - b);
    };
    this.rounds = moments("round");
    this.stalls = moments("stall");
    const [a, b] = props.runs;
    this.parting = b ? partingOf(a.curves, b.curves, props.end) : null;
  }

  componentDidMount() {
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("resize", () => this.setState({ width: innerWidth }, () => this.relayout()));
    let before = performance.now();
    const frame = (now) => {
      requestAnimationFrame(frame);
      if (this.calm.matches && this.clock.playing && now - before < CALM_FRAMES) return;
      this.clock.pass(now - before);
      before = now;
      this.draw(now);
    };
    requestAnimationFrame(frame);
  }

  relayout() {
    for (const lane of this.lanes) lane.resize();
    this.drawn = this.toldTime = undefined;
  }

  draw(now) {
    const { time, playing } = this.clock;
    if (playing !== this.state.playing) this.setState({ playing });
    if (time !== this.drawn) {
      this.drawn = time;
      for (const part of [...this.lanes, ...this.strips]) part.draw(time);
    }
    if (time === this.toldTime || (playing && now - this.toldAt < WORDS_EVERY)) return;
    this.toldTime = time;
    this.toldAt = now;
    this.tell(time);
  }

  tell(time) {
    for (const lane of this.lanes) lane.tell(time);
    this.scrub.value = String((time / this.clock.end) * 1000);
    this.scrub.setAttribute("aria-valuetext", timeText(time));
    this.told.textContent = `${timeText(time)} of ${timeText(this.clock.end)}`;
    this.parted.hidden = !this.parting || time < this.parting.time;
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
      f: () => this.clock.faster(1),
      g: () => this.clock.faster(-1),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    // A button takes the space bar itself, a slider the arrows, and a list letters too.
    if (!action || (event.key === " " && event.target.tagName === "BUTTON")) return;
    if (event.target.tagName === "SELECT" || (onControl && event.key.startsWith("Arrow"))) return;
    event.preventDefault();
    action();
    this.setState({ speed: this.clock.speed });
  }

  part() {
    if (this.parting) this.clock.to(this.parting.time);
  }

  partingText() {
    if (!this.parting) return "";
    const [a, b] = this.props.runs;
    const { name, time } = this.parting;
    const [what, text] = name === "bytes" ? ["read", bytesText] : ["edges processed", numberText];
    const [of_a, of_b] = this.parting.values.map(text);
    return `They part at ${timeText(time)} (${what} by then: ${a.name} ${of_a}, ${b.name} ${of_b}).`;
  }

  theme() {
    const theme = this.state.theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    this.setState({ theme }, () => this.relayout());
  }

  picture(save) {
    const { time, end } = this.clock;
    const svg = svgOf({
      title: this.props.title,
      clock: `${timeText(time)} of ${timeText(end)}`,
      lanes: this.lanes.map((lane) => lane.now(time)),
      graph: this.props.graph,
      legend: BLOCKS,
      colours: coloursOf(document.body),
    });
    return save(svg, this.props.title.replaceAll(/[^\w.-]+/g, "_"));
  }

  render({ runs, end, title, same, graph, why, question, claim, paper }, { theme, playing, width }) {
    const sampled = Math.max(...runs.map((run) => run.told_of));
    const button = (text, key, action, off = false) =>
      html`<button onClick=${action} disabled=${off}>${text}${key && html` <kbd>${key}</kbd>`}</button>`;
    const seek = (time) => this.clock.to(time);
    const speedText = (speed) => (speed === 1 ? "real time" : `1/${Math.round(1 / speed)}`);
    return html`
      <h1>${title}</h1>
      ${claim && claimText(html, question, claim)}
      ${paper && paperText(html, paper)}
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
                  ${speedText(speed)}
                </option>`,
            )}
          </select></label
        >
        ${button("Next round", "N", () => this.clock.jump(this.rounds, 1), !this.rounds.length)}
        ${button("Next stall", "S", () => this.clock.jump(this.stalls, 1), !this.stalls.length)}
        ${button("Where they part", "P", () => this.part(), !this.parting)}
        ${button(theme === "dark" ? "Light" : "Dark", "D", () => this.theme())}
        ${button("PNG", "", () => this.picture(savePng))}
        ${button("SVG", "", () => this.picture(saveSvg))}
      </div>
      <p class="same">
        ${same} <span ref=${(e) => (this.parted = e)} hidden>${this.partingText()}</span>
      </p>
      <div class="legends">
        <ul class="legend" aria-label="Blocks">
          <li>Blocks:</li>
          ${BLOCKS.map(([state, text]) => html`<${Swatch} ...${{ state, text, theme }} />`)}
        </ul>
        <ul class="legend" aria-label="Threads">
          <li>Threads:</li>
          ${THREADS.map(([state, text]) => html`<${Swatch} ...${{ state, text, theme }} />`)}
        </ul>
      </div>
      ${
        graph &&
        html`<p class="legend">
          Vertices: hollow, not found; least value
          <span class="scale" style=${`background: linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map(scaleColour)})`}></span>
          greatest; thick rim, found again.
        </p>`
      }
      <div class="lanes">
        ${runs.map(
          (run, n) =>
            html`<${Lane} ...${{ run, end, graph }} number=${n} keep=${(lane) => (this.lanes[n] = lane)} />`,
        )}
      </div>
      <div class="strips">
        ${STRIPS.map(
          (strip, n) =>
            html`<${Strip}
              ...${{ strip, runs, end, theme, width, seek }}
              keep=${(kept) => (this.strips[n] = kept)}
            />`,
        )}
      </div>
      <section class="about">
        ${why && whyTable(why, runs)}
        <h2>What was run</h2>
        <div class="wide" role="region" aria-label="What was run" tabindex="0">${factsTable(runs)}</div>
        <h2>How to read it</h2>
        <p>
          ${GLOSSARY.map(([word, meaning]) => html`<b>${word}</b>: ${meaning} `)}
          ${sampled > 1 && `Vertices are told of in a sample, one in ${sampled}.`}
        </p>
        <p>
          Keys: space plays and pauses, arrows step by a two-hundredth, R restarts, N and B go to the
          next and the previous round, S to the next stall of more than a fiftieth of a run, P to where
          the first two part, F and G play faster and slower, D changes dark and light.
        </p>
      </section>
    `;
  }
}

async function main() {
  const page = document.getElementById("page");
  try {
    const shown = JSON.parse(document.getElementById("runs").textContent);
    const { title, graph, runs } = shown;
    await Promise.all(runs.map(open));
    const end = Math.max(1, ...runs.map((run) => run.end_us));
    const places = graph ? placesOf(runs) : undefined;
    for (const run of runs) {
      run.curves = curvesOf(run, end);
      run.replay = new Replay(run, MOST_CELLS, graph ? graph.x.length : 0, places);
    }
    document.title = title;
    page.replaceChildren();
    render(html`<${Page} ...${shown} end=${end} />`, page);
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    page.textContent = `This page's runs cannot be shown: ${error.message}`;
    throw error;
  }
}

main();
