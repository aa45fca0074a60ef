// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";

import { momentsOf } from "../src/captions.js";
import { Clock } from "../src/clock.js";
import { BINS, correctionOf, curvesOf, lanesOf, partingOf } from "../src/curves.js";
import { foundOf, placesOf } from "../src/found.js";
import { scaleColour } from "../src/graph.js";
import { columnsOf, decodeNumbers, inflate } from "../src/numbers.js";
import { linesOf, svgOf } from "../src/picture.js";
import { Replay, STATES } from "../src/replay.js";
import { bytesText, countText, timeText } from "../src/text.js";

const KINDS = [
  ...["round_began", "round_ended", "asked", "arrived", "writing", "written", "waited"],
  ...["processed", "dropped", "kept", "worked", "stalled", "idled", "activated", "sampled"],
  "found",
];

// A run of these events: [time, lane, kind, block, count, value].
function runOf(events, more = {}) {
  const column = (i) => Float64Array.from(events, (event) => event[i]);
  const kindNumbers = Object.fromEntries(KINDS.map((name, number) => [name, number]));
  const run = {
    name: "run",
    kinds: KINDS,
    kindNumbers,
    blocks: 8,
    block_bytes: 4096,
    edges: 100,
    lanes: 2,
    status: "ok",
    cut: false,
    end_us: events.at(-1)[0],
    asked_bytes: 3 * 4096,
    correction: 1,
    least_bytes: 2 * 4096,
    columns: {
      count: events.length,
      time: column(0),
      lane: column(1),
      kind: Float64Array.from(events, (event) => kindNumbers[event[2]]),
      block: column(3),
      blocks: column(4),
      value: column(5),
    },
    ...more,
  };
  return { ...run, found: foundOf(run) };
}

const TWO_ROUNDS = [
  [0, 0, "round_began", 0, 0, 1],
  [10, 0, "asked", 2, 2, 1],
  [20, 0, "arrived", 2, 2, 0],
  [25, 0, "processed", 2, 1, 0],
  [30, 0, "processed", 3, 1, 60],
  [40, 0, "processed", 0, 0, 40],
  [45, 0, "dropped", 2, 2, 0],
  [50, 0, "worked", 0, 0, 50],
  [60, 1, "stalled", 0, 0, 40],
  [60, 0, "round_ended", 0, 0, 7],
  [70, 0, "round_began", 1, 0, 7],
  [80, 1, "asked", 2, 1, 1],
  [90, 1, "arrived", 2, 1, 0],
  [95, 1, "processed", 2, 1, 0],
  [100, 1, "processed", 0, 0, 25],
];

test("numbers come back, and broken ones are refused", async () => {
  assert.deepEqual([...decodeNumbers(Uint8Array.of(0, 127, 128, 1, 255, 255, 3), 4)], [0, 127, 128, 65535]);
  assert.throws(() => decodeNumbers(Uint8Array.of(128), 1), /end too early/);
  const packed = deflateSync(Uint8Array.of(5, 2, 0, 0, 2, 2, 6, 3, 1, 1, 4, 4)).toString("base64");
  const columns = columnsOf(await inflate(packed), 2);
  assert.deepEqual([...columns.time], [5, 7]);
  assert.deepEqual([...columns.block], [3, 1]);
  assert.deepEqual([...columns.value], [4, 4]);
});

test("a replay knows each block's state, forwards and backwards", () => {
  const replay = new Replay(runOf(TWO_ROUNDS), 100);
  const states = (time) => {
    replay.seek(time);
    return Array.from({ length: 5 }, (_, cell) => replay.stateOf(cell)).join("");
  };
  const seen = { 5: "00000", 15: "00110", 22: "00220", 27: "00320", 35: "00230", 48: "00550" };
  for (const [time, expected] of Object.entries(seen)) assert.equal(states(Number(time)), expected);
  assert.equal(states(85), "00450", "read again");
  assert.equal(replay.now.again, 1);
  assert.equal(replay.now.asked, 3);
  assert.equal(states(97), "00350");
  assert.equal(states(100), "00450", "it is through with the block");
  assert.equal(replay.now.edges, 125);
  assert.equal(replay.now.stalled, 40);
  assert.equal(replay.now.round, 1);
  for (const [time, expected] of Object.entries(seen).reverse()) {
    assert.equal(states(Number(time)), expected);
  }
});

test("any order of seeking gives what going forwards gives", () => {
  const events = [];
  for (let i = 0; i < 3000; ++i) {
    const kind = ["asked", "arrived", "processed", "dropped"][i % 4];
    events.push([i, i % 2, kind, (i * 7) % 64, 1 + (i % 3), i % 5]);
  }
  const run = runOf(events, { blocks: 64 });
  const jumping = new Replay(run, 16);
  for (const time of [2999, 10, 1500, 1499, 2000, 0, 2999, 77]) {
    jumping.seek(time);
    const straight = new Replay(run, 16);
    straight.seek(time);
    assert.deepEqual(jumping.now, straight.now, `at ${time}`);
  }
});

test("several blocks share a cell when there are many", () => {
  const replay = new Replay(runOf(TWO_ROUNDS, { blocks: 1_000_000 }), 1000);
  assert.equal(replay.cells, 1000);
  replay.seek(15);
  assert.equal(replay.stateOf(0), 1);
  assert.equal(replay.stateOf(1), 0);
});

test("of sampled events each stands for several", () => {
  const replay = new Replay(runOf([[0, 0, "sampled", 0, 0, 2], ...TWO_ROUNDS]), 100);
  replay.seek(50);
  assert.equal(replay.now.asked, 8);
  assert.equal(replay.now.edges, 100, "amounts hold what was left out");
  const sampled = runOf([[0, 0, "sampled", 0, 0, 2], ...TWO_ROUNDS], { asked_bytes: 18 * 4096 });
  assert.equal(correctionOf(runOf(TWO_ROUNDS)), 1);
  sampled.correction = correctionOf(sampled);
  assert.equal(sampled.correction, 2, "of 18 blocks 2 were kept at a weight of 4, and 1 at 1");
  const exact = new Replay(sampled, 100);
  exact.seek(100);
  assert.equal(exact.now.asked, 18);
  assert.equal(curvesOf(sampled, 100).bytes[BINS - 1], 18 * 4096);
});

test("curves end where the run does", () => {
  const run = runOf(TWO_ROUNDS);
  const curves = curvesOf(run, 200);
  assert.equal(curves.bytes[BINS - 1], 3 * 4096);
  assert.equal(curves.edges[BINS - 1], 125);
  assert.equal(Math.max(...curves.depth), 1);
  assert.equal(curves.depth[BINS - 1], null, "the run is over");
  const stalled = lanesOf(run, 200, 20)[1][1];
  assert.ok(Math.abs(stalled.reduce((sum, share) => sum + share * 10, 0) - 40) < 1e-6);
});

test("two runs part where their bytes do", () => {
  const less = curvesOf(runOf(TWO_ROUNDS.slice(0, 10)), 100);
  const more = curvesOf(runOf(TWO_ROUNDS), 100);
  const parting = partingOf(less, more, 100);
  assert.equal(parting.name, "bytes");
  assert.ok(Math.abs(parting.time - 80) < 1, `${parting.time}`);
  assert.equal(partingOf(more, more, 100), null);
});

test("captions are computed from the events", () => {
  const moments = momentsOf(runOf(TWO_ROUNDS));
  const text = moments.map((moment) => moment.text).join("\n");
  assert.match(text, /Round 1 begins with 1 active vertex:/);
  assert.match(text, /Round 1 has ended after 60 us: 2 blocks asked for, 7 activations/);
  assert.match(text, /Block 2 is the first to be read again: .* and round 2 wants it/);
  assert.match(text, /Thread 1 waits 40 us at the barrier/);
  assert.match(text, /As many edges as the graph has, 100, have been processed by now/);
  assert.match(text, /Done after 100 us: 12.3 KB read, 1.5 times/);
  const again = moments.find((moment) => moment.kind === "work again");
  assert.equal(again.time, 100, "100 edges were processed at 40, and 25 more at 100");
  assert.deepEqual(moments.map((m) => m.time), moments.map((m) => m.time).sort((a, b) => a - b));
  assert.match(momentsOf(runOf(TWO_ROUNDS, { cut: true })).at(-1).text, /killed/);
  assert.match(
    momentsOf(runOf(TWO_ROUNDS, { status: "failed", reason: "no disk" })).at(-1).text,
    /failed here: no disk/,
  );
});

// A search from vertex 0: 1 and 2 are found on level 2 and 1, then 1 on level 1 too.
const SEARCH = [
  [0, 0, "asked", 0, 1, 1],
  [5, 0, "processed", 0, 1, 0],
  [10, 0, "found", 1, 0, 12],
  [20, 0, "found", 2, 0, 11],
  [30, 1, "found", 1, 0, 11],
  [40, 0, "processed", 0, 0, 30],
  [50, 0, "processed", 0, 0, 20],
];

test("a vertex is final from when it is found the last time", () => {
  const run = runOf(SEARCH);
  assert.deepEqual([...run.found.first], [0, 0, 1, 1, 0, 0, 0]);
  assert.deepEqual([...run.found.last], [0, 0, 0, 1, 1, 0, 0]);
  assert.equal(run.found.vertices, 2);
  const places = placesOf([run]);
  assert.deepEqual([...places], [[11, 0], [12, 1]]);
  const replay = new Replay(run, 10, 3, places);
  replay.seek(15);
  assert.deepEqual([replay.now.met, replay.now.known, replay.now.places[1]], [1, 0, 1]);
  replay.seek(30);
  assert.deepEqual([replay.now.met, replay.now.known, replay.now.places[1]], [2, 2, 0]);
  assert.deepEqual([...replay.now.times], [0, 2, 1]);
  const known = curvesOf(run, 50).known;
  assert.equal(known[BINS - 1], 1);
  assert.equal(known[Math.floor(BINS * 0.45)], 0.5);
  const text = momentsOf(run).find((moment) => moment.kind === "final").text;
  assert.match(text, /^All 2 vertices that were found have their final value: at least 20 more edges/);
  assert.equal(momentsOf(runOf(SEARCH, { cut: true })).some((m) => m.kind === "final"), false);
});

test("a picture shows what the page shows", () => {
  const run = runOf(SEARCH);
  const graph = { edges: [0, 1, 1, 2], x: [0, 500, 1000], y: [0, 0, 1000] };
  run.replay = new Replay(run, 10, 3, placesOf([run]));
  run.replay.seek(30);
  const names = [...STATES, "ink", "soft", "paper"];
  const colours = Object.fromEntries(names.map((name) => [name, `#${name}`]));
  colours.runs = ["#run0"];
  colours.mark = () => "#mark";
  const lanes = [{ run, caption: "a < b", numbers: [["read", "4 KB"]] }];
  const legend = [["again", "read again"]];
  const svg = svgOf({ title: "t", clock: "now", lanes, graph, legend, colours });
  assert.match(svg, /a &lt; b/);
  assert.match(svg, /read: 4 KB/);
  assert.equal(svg.match(/<circle cx="\d/g).length, 3, "the vertices");
  assert.equal(svg.match(/stroke="#again"/g).length, 1, "one was found again");
  assert.equal(svg.match(/href="#processed"/g).length, 1);
  assert.deepEqual(linesOf("one two three", 8), ["one two", "three"]);
  assert.equal(scaleColour(0), "rgb(0,34,78)");
  assert.equal(scaleColour(1), "rgb(254,232,56)");
});

test("the clock plays, ends, jumps and begins again", () => {
  const clock = new Clock(1e6);
  clock.speed = 0.5;
  clock.pass(100);
  assert.equal(clock.time, 0, "it stands");
  clock.toggle();
  clock.pass(100);
  assert.equal(clock.time, 50_000);
  assert.ok(clock.jump([10, 60_000, 70_000], 1));
  assert.equal(clock.time, 60_000);
  assert.ok(clock.jump([10, 60_000, 70_000], -1));
  assert.equal(clock.time, 10);
  assert.ok(!clock.jump([10], -1));
  clock.to(5e6);
  clock.pass(1);
  assert.equal(clock.playing, false, "it ends by itself");
  clock.toggle();
  assert.equal(clock.time, 0);
  clock.faster(1);
  assert.equal(clock.speed, 1);
  clock.faster(1);
  assert.equal(clock.speed, 1, "there is no faster one");
});

test("numbers are for people", () => {
  assert.equal(bytesText(0), "0 B");
  assert.equal(bytesText(47_400_000), "47.4 MB");
  assert.equal(bytesText(262_144), "262 KB");
  assert.equal(timeText(999), "999 us");
  assert.equal(timeText(1_500_000), "1.50 s");
  assert.equal(countText(1, "active vertex"), "1 active vertex");
  assert.equal(countText(2000, "active vertex"), "2,000 active vertices");
});
