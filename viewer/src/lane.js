// SPDX-License-Identifier: Apache-2.0
// One run: what happens in a sentence, its blocks, its threads, its numbers, and its graph if it is
// small. The page calls draw() for each frame, and tell() less often.
import htm from "htm";
import { Component, h } from "preact";

import { GraphDrawing } from "./graph.js";
import { BlockMap, coloursOf, drawLanes } from "./map.js";
import { bytesText, numberText, percentText, timeText } from "./text.js";

const html = htm.bind(h);

// [name, title, value now]; those without a value are not shown.
const NUMBERS = [
  ["again", "read again", (run, now) => bytesText(now.again * run.block_bytes)],
  ["optimum", "a perfect cache reads", (run) => run.optimum_bytes && bytesText(run.optimum_bytes)],
  ["edges", "edges processed", (_, now) => numberText(now.edges)],
  ["vain", "beyond each edge once", (run, now) => numberText(Math.max(0, now.edges - run.edges))],
  [
    "known",
    "found vertices that are final",
    (run, now) => run.found.vertices && percentText(now.known / run.found.vertices),
  ],
  ["round", "round", (run, now) => (run.rounds > 0 ? `${now.round + 1} of ${run.rounds}` : "none")],
  ["depth", "requests in flight", (run) => numberText(run.replay.depth())],
  ["stalled", "threads at barriers", (_, now) => timeText(now.stalled)],
  ["waited", "threads waiting for the device", (_, now) => timeText(now.waited)],
];

export class Lane extends Component {
  componentDidMount() {
    const { run, graph } = this.props;
    this.map = new BlockMap(this.mapCanvas, run.replay);
    if (graph) this.graph = new GraphDrawing(this.graphCanvas, graph, run);
    this.resize();
    this.props.keep(this);
  }
  shouldComponentUpdate() {
    return false; // it draws itself
  }
  resize() {
    this.map.resize();
    this.graph?.resize(coloursOf(this.graphCanvas));
    if (this.lanesCanvas) drawLanes(this.lanesCanvas, this.props.run, this.props.end);
  }

  draw(time) {
    const { run, end } = this.props;
    run.replay.seek(time);
    this.map.draw();
    this.graph?.draw();
    if (!this.cursor) return;
    this.cursor.style.transform = `translateX(${(time / end) * this.lanesCanvas.clientWidth}px)`;
  }
  // What is said of that moment.
  tell(time) {
    const { run } = this.props;
    this.say("caption", this.captionAt(time));
    this.say("bytes", bytesText(run.replay.now.asked * run.block_bytes));
    this.say("times", this.timesText());
    for (const [name, value] of this.numbers()) this.say(name, value);
  }
  say(name, text) {
    const element = this.words[name];
    if (element && element.textContent !== text) element.textContent = text;
  }
  timesText() {
    const { run } = this.props;
    const times = (run.replay.now.asked * run.block_bytes) / Math.max(1, run.least_bytes);
    return `${times.toFixed(times < 10 ? 2 : 0)} times each used block`;
  }
  captionAt(time) {
    const { run } = this.props;
    return run.moments.findLast((moment) => moment.time <= time)?.text ?? "It starts.";
  }
  // [name, value, title]
  numbers() {
    const { run } = this.props;
    return NUMBERS.map(([name, title, of]) => [name, of(run, run.replay.now), title]).filter(
      ([, value]) => typeof value === "string",
    );
  }
  // What is shown now, for a picture.
  now(time) {
    const { run } = this.props;
    const bytes = `${bytesText(run.replay.now.asked * run.block_bytes)}, ${this.timesText()}`;
    const numbers = this.numbers().map(([, value, title]) => [title, value]);
    return { run, caption: this.captionAt(time), numbers: [["read so far", bytes], ...numbers] };
  }

  render({ run, number, graph }) {
    this.words = {};
    const word = (name) => (e) => (this.words[name] = e);
    const each =
      run.replay.perCell > 1 ? `a square stands for ${run.replay.perCell} blocks` : "a square each";
    return html`<section class="run" style=${`--colour: var(--run${number})`} aria-label=${run.name}>
      <h2>${run.name}</h2>
      ${run.warnings.map((text) => html`<p class="warning">${text}</p>`)}
      <p class="total"><b ref=${word("bytes")}></b> read, <span ref=${word("times")}></span></p>
      <p class="caption" ref=${word("caption")}></p>
      ${
        graph &&
        html`<canvas
          ref=${(e) => (this.graphCanvas = e)}
          role="img"
          aria-label="The graph: each vertex in the colour of its value"
        ></canvas>`
      }
      <h3>The file's ${numberText(run.blocks)} blocks, in order, ${each}</h3>
      <canvas
        ref=${(e) => (this.mapCanvas = e)}
        role="img"
        aria-label=${`Map of ${run.blocks} blocks`}
      ></canvas>
      ${
        !run.perfect &&
        html`<h3>What ${run.lanes === 1 ? "its thread does" : `its ${run.lanes} threads do`}</h3>
          <div class="workers">
            <canvas
              ref=${(e) => (this.lanesCanvas = e)}
              role="img"
              aria-label="What each thread does over time"
            ></canvas>
            <div class="cursor" ref=${(e) => (this.cursor = e)}></div>
          </div>`
      }
      <dl class="numbers">
        ${NUMBERS.filter(([, , of]) => typeof of(run, run.replay.now) === "string").map(
          ([name, title]) => html`<div><dt>${title}</dt><dd ref=${word(name)}></dd></div>`,
        )}
      </dl>
    </section>`;
  }
}
