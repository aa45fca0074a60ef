// SPDX-License-Identifier: Apache-2.0
// The moments of a run that matter, and what each means in one sentence. All of it is computed from
// the run's events.
import { bytesText, countText, numberText, timeText } from "./text.js";

const STALL_SHARE = 0.02; // of the run: a shorter wait at a barrier is no moment

// {time, kind, text}, in the order of time.
export function momentsOf(run) {
  const moments = [
    ...roundsOf(run),
    ...againOf(run),
    ...stallsOf(run),
    ...edgesOf(run),
    ...finalOf(run),
    { time: run.end_us, kind: "end", text: endText(run) },
  ];
  return moments.sort((a, b) => a.time - b.time);
}

// Each round's beginning and end.
function roundsOf(run) {
  const { columns: e, kindNumbers: k } = run;
  const moments = [];
  let began = null;
  let blocks = 0;
  for (let i = 0; i < e.count; ++i) {
    const time = e.time[i];
    if (e.kind[i] === k.asked) {
      blocks += e.blocks[i];
    } else if (e.kind[i] === k.round_began) {
      began = time;
      blocks = 0;
      const active = e.value[i] > 0 ? ` with ${countText(e.value[i], "active vertex")}` : "";
      const text =
        `Round ${e.block[i] + 1} begins${active}: ` +
        "a vertex that it activates has its turn in the next round.";
      moments.push({ time, kind: "round", text });
    } else if (e.kind[i] === k.round_ended && began !== null) {
      const text =
        `Round ${e.block[i] + 1} has ended after ${timeText(time - began)}: ` +
        `${countText(blocks, "block")} asked for, ${countText(e.value[i], "activation")}.`;
      moments.push({ time, kind: "end of round", text });
    }
  }
  return moments;
}

// The first block that is read again.
function againOf(run) {
  const { columns: e, kindNumbers: k } = run;
  const read = new Uint8Array(run.blocks);
  let round = null;
  for (let i = 0; i < e.count; ++i) {
    if (e.kind[i] === k.round_began) round = e.block[i] + 1;
    if (e.kind[i] !== k.asked) continue;
    for (let b = e.block[i]; b < Math.min(e.block[i] + e.blocks[i], run.blocks); ++b) {
      if (read[b]++ === 0) continue;
      const by = round === null ? "it is wanted once more" : `round ${round} wants it once more`;
      const text = `Block ${numberText(b)} is the first to be read again: it has left memory, and ${by}.`;
      return [{ time: e.time[i], kind: "read again", text }];
    }
  }
  return [];
}

function stallsOf(run) {
  const { columns: e, kindNumbers: k } = run;
  const moments = [];
  for (let i = 0; i < e.count; ++i) {
    if (e.kind[i] !== k.stalled || e.value[i] < STALL_SHARE * run.end_us) continue;
    const text =
      `Thread ${e.lane[i]} waits ${timeText(e.value[i])} at the barrier: ` +
      "it has done its part, and others have not.";
    moments.push({ time: Math.max(0, e.time[i] - e.value[i]), kind: "stall", text });
  }
  return moments;
}

// From when on edges are processed more often than once each.
function edgesOf(run) {
  const { columns: e, kindNumbers: k } = run;
  if (run.edges === 0) return [];
  let edges = 0;
  for (let i = 0; i < e.count; ++i) {
    if (e.kind[i] !== k.processed) continue;
    edges += e.value[i];
    if (edges <= run.edges) continue;
    const text =
      `As many edges as the graph has, ${numberText(run.edges)}, have been processed by now: ` +
      "what follows is work beyond each edge once.";
    return [{ time: e.time[i], kind: "work again", text }];
  }
  return [];
}

// From when on no vertex that is told of changes any more.
function finalOf(run) {
  const { columns: e, kindNumbers: k } = run;
  if (run.cut || run.status !== "ok" || run.found.vertices === 0) return [];
  const last = run.found.last.lastIndexOf(1);
  // A lane's first event after that tells edges that were processed before, too.
  const told = new Set();
  let edges = 0;
  for (let i = last + 1; i < e.count; ++i) {
    if (e.kind[i] !== k.processed) continue;
    if (told.has(e.lane[i])) edges += e.value[i];
    told.add(e.lane[i]);
  }
  const which = run.told_of > 1 ? " (of the sample that is told of)" : "";
  const text =
    `All ${countText(run.found.vertices, "vertex")} that were found${which} have their final value: ` +
    `${edges === 0 ? "next to nothing follows" : `at least ${countText(edges, "more edge")} tell them nothing new`}.`;
  return [{ time: e.time[last], kind: "final", text }];
}

function endText(run) {
  if (run.cut) return "Its events end here: the run was killed.";
  if (run.status !== "ok") return `The run failed here: ${run.reason}.`;
  const times = run.asked_bytes / Math.max(1, run.least_bytes);
  return (
    `Done after ${timeText(run.end_us)}: ${bytesText(run.asked_bytes)} read, ` +
    `${times.toFixed(times < 10 ? 1 : 0)} times each used block.`
  );
}
