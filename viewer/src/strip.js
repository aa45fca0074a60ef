// SPDX-License-Identifier: Apache-2.0
// A curve of each run over the page's clock.
import htm from "htm";
import { Component, h } from "preact";
import uPlot from "uplot";

import { BINS } from "./curves.js";
import { bytesText, percentText, shortText, timeText } from "./text.js";

const html = htm.bind(h);

// `least`: of a run, what its curve is measured against.
export const STRIPS = [
  {
    name: "bytes",
    title: "Read so far",
    text: bytesText,
    least: (run) => run.least_bytes,
    leastText: "each used block once",
  },
  {
    name: "edges",
    title: "Edges processed so far",
    text: shortText,
    least: (run) => run.edges,
    leastText: "each edge of the graph once",
  },
  { name: "known", title: "Vertices found whose value is final", text: percentText, without: "no vertex was told of" },
  { name: "frontier", title: "Vertices in the round's frontier", text: shortText, without: "no rounds" },
  { name: "depth", title: "Requests in flight", text: shortText, whole: true },
  { name: "rate", title: "Bytes asked for in a second", text: (x) => `${bytesText(x)}/s` },
];

const has = (run, name) => run.curves[name].some((x) => x !== null);

export class Strip extends Component {
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
    const { strip, runs, end, seek } = this.props;
    const style = getComputedStyle(this.box);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const font = `${Math.round(0.75 * parseFloat(style.fontSize))}px system-ui, sans-serif`;
    const axis = {
      stroke: colour("soft"),
      font,
      grid: { stroke: colour("unread") },
      ticks: { stroke: colour("unread") },
    };
    const shown = runs.map((run, n) => [run, n]).filter(([run]) => has(run, strip.name));
    const series = shown.map(([run, n]) => ({
      label: run.name,
      stroke: colour(`run${n}`),
      width: 3,
      dash: n % 2 === 1 ? [10, 5] : undefined,
    }));
    const times = Array.from({ length: BINS }, (_, bin) => ((bin + 1) * end) / BINS);
    const data = [times, ...shown.map(([run]) => run.curves[strip.name])];
    if (strip.least && shown.length > 0) {
      const least = Math.min(...shown.map(([run]) => strip.least(run)));
      series.push({ label: strip.leastText, stroke: colour("soft"), width: 2, dash: [2, 5] });
      data.push(times.map(() => least));
    }
    this.plot = new uPlot(
      {
        width: Math.max(200, this.box.clientWidth),
        height: 9 * parseFloat(style.fontSize),
        scales: { x: { time: false, range: [0, end] }, y: { range: (_, low, high) => [0, high || 1] } },
        cursor: { show: false },
        series: [{}, ...series],
        axes: [
          { ...axis, space: 90, values: (_, ticks) => ticks.map(timeText) },
          { ...axis, size: 90, values: (_, ticks) => ticks.map((tick) => (strip.whole && tick % 1 ? "" : strip.text(tick))) },
        ],
        legend: { show: false },
      },
      data,
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

  render({ strip, runs }) {
    const without = runs.filter((run) => !has(run, strip.name)).map((run) => run.name);
    const dotted = strip.least ? `; dotted: ${strip.leastText}` : "";
    return html`<div class="strip">
      <h2>${strip.title}<small>${dotted}</small></h2>
      <div ref=${(e) => (this.box = e)} aria-hidden="true"></div>
      ${without.length > 0 && html`<p class="note">${without.join(", ")}: ${strip.without}</p>`}
    </div>`;
  }
}
