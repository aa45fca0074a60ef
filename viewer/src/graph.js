// SPDX-License-Identifier: Apache-2.0
// Draws a small graph: each vertex in the colour of its level or label, as it is found and found again.

const MARGIN = 14; // pixels of the page
// Cividis, which people with any kind of colour vision see as one scale from dark to light.
const SCALE = ["#00224e", "#1d3a6d", "#434e6c", "#63636f", "#828079", "#a59c74", "#cab969", "#fee838"];

export function scaleColour(share) {
  const at = Math.min(1, Math.max(0, share)) * (SCALE.length - 1);
  const below = Math.min(SCALE.length - 2, Math.floor(at));
  const parts = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const [a, b] = [parts(SCALE[below]), parts(SCALE[below + 1])];
  return `rgb(${a.map((x, i) => Math.round(x + (b[i] - x) * (at - below))).join(",")})`;
}

export class GraphDrawing {
  constructor(canvas, graph, run) {
    this.canvas = canvas;
    this.graph = graph;
    this.run = run;
  }

  // Draws what does not change, the edges, once.
  resize(colours) {
    this.colours = colours;
    this.scale = window.devicePixelRatio || 1;
    const width = Math.max(100, Math.floor(this.canvas.clientWidth * this.scale));
    this.canvas.width = width;
    this.canvas.height = Math.round(Math.min(width, 560 * this.scale));
    this.canvas.style.height = `${this.canvas.height / this.scale}px`;
    const margin = MARGIN * this.scale;
    const { x, y } = this.graph;
    this.x = x.map((at) => margin + (at / 1000) * (width - 2 * margin));
    this.y = y.map((at) => margin + (at / 1000) * (this.canvas.height - 2 * margin));
    const area = (width * this.canvas.height) / Math.max(1, x.length);
    this.radius = Math.max(1.5 * this.scale, Math.min(9 * this.scale, 0.3 * Math.sqrt(area)));
    this.edges = document.createElement("canvas");
    this.edges.width = width;
    this.edges.height = this.canvas.height;
    const draw = this.edges.getContext("2d");
    draw.strokeStyle = colours.unread;
    draw.lineWidth = this.scale;
    draw.beginPath();
    for (let i = 0; i < this.graph.edges.length; i += 2) {
      const [u, v] = [this.graph.edges[i], this.graph.edges[i + 1]];
      draw.moveTo(this.x[u], this.y[u]);
      draw.lineTo(this.x[v], this.y[v]);
    }
    draw.stroke();
    this.drawn = -1;
  }

  draw() {
    const { places, times, found } = this.run.replay.now;
    if (found === this.drawn) return;
    this.drawn = found;
    const draw = this.canvas.getContext("2d");
    draw.clearRect(0, 0, this.canvas.width, this.canvas.height);
    draw.drawImage(this.edges, 0, 0);
    for (let v = 0; v < this.x.length; ++v) {
      const isSource = v === this.run.source;
      const known = isSource || times[v] > 0;
      draw.beginPath();
      draw.arc(this.x[v], this.y[v], this.radius * (isSource ? 1.5 : 1), 0, 2 * Math.PI);
      draw.fillStyle = known ? scaleColour(isSource ? 0 : places[v]) : this.colours.paper;
      draw.fill();
      draw.lineWidth = Math.max(1, this.radius * (times[v] > 1 ? 0.45 : 0.15));
      draw.strokeStyle = times[v] > 1 ? this.colours.again : this.colours.soft;
      draw.stroke();
    }
  }
}
