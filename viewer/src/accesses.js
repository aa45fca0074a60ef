// SPDX-License-Identifier: Apache-2.0
// Each access of a trace, from left to right: which block it wants, and whether it misses.
import htm from "htm";
import { Component, h } from "preact";

import { missesOf } from "./policies.js";

const html = htm.bind(h);
const HEIGHT = 180; // in the page's pixels

export class AccessChart extends Component {
  componentDidMount() {
    this.draw();
  }
  componentDidUpdate() {
    this.draw();
  }

  // A hit is a low grey mark, a miss a full one in colour: colour is not the only difference.
  draw() {
    const { accesses, policy, size } = this.props;
    const scale = window.devicePixelRatio || 1;
    const width = (this.canvas.width = Math.max(100, Math.floor(this.canvas.clientWidth * scale)));
    const height = (this.canvas.height = HEIGHT * scale);
    const style = getComputedStyle(this.canvas);
    const colour = (name) => style.getPropertyValue(name).trim();
    const draw = this.canvas.getContext("2d");
    const rows = [...new Set(accesses.map(({ unit }) => unit))].sort((a, b) => a - b);
    const rowOf = new Map(rows.map((unit, row) => [unit, row]));
    const high = height / rows.length;
    const wide = Math.max(scale, width / accesses.length);
    missesOf(accesses, policy, size).forEach((missed, i) => {
      draw.fillStyle = colour(missed ? "--again" : "--gone");
      const mark = Math.max(1, high * (missed ? 0.9 : 0.4));
      const y = (rowOf.get(accesses[i].unit) + 0.5) * high - mark / 2;
      draw.fillRect((i / accesses.length) * width, y, wide, mark);
    });
  }

  render({ accesses, policy, blocks }) {
    const keep = (canvas) => (this.canvas = canvas);
    return html`<h3>
        Accesses from left to right, a row for each of ${blocks} blocks: high marks are misses, low ones
        hits
      </h3>
      <canvas
        class="accesses"
        style=${`height: ${HEIGHT}px`}
        ref=${keep}
        role="img"
        aria-label=${`${accesses.length} accesses, and which of them miss under ${policy}`}
      ></canvas>`;
  }
}
