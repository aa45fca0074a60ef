// SPDX-License-Identifier: Apache-2.0
// The moments of a run that matter, and what each means in one sentence. All of it is computed from
// the run's events.
import { bytesText, countText, timeText } from "./text.js";

const STALL_SHARE = 0.02; // of the run: a shorter wait at a barrier is no moment

// {time, kind, text}, in the order of time.
export function momentsOf(run) {
  const moments = [];
  const add = (time, kind, text) => moments.push({ time, kind, text: `${run.name}: ${text}` });
  const e = run.columns;
  const k = run.kindNumbers;
  const reads = new Uint16Array(run.blocks);
  let round = null;
  let again = false;
  let blocksOfRound = 0;
  let againOfRound = 0;
  for (let i = 0; i < e.count; ++i) {
    switch (e.kind[i]) {
      case k.round_began:
        round = { number: e.block[i], frontier: e.value[i], began: e.time[i] };
        blocksOfRound = againOfRound = 0;
        add(
          e.time[i],
          "round",
          `round ${round.number} begins` +
            (round.frontier > 0 ? ` with ${countText(round.frontier, "active vertex")}` : "") +
            "; what they activate waits for the next round.",
        );
        break;
      case k.round_ended:
        if (!round) break;
        add(
          e.time[i],
          "end of round",
          `round ${round.number} has ended after ${timeText(e.time[i] - round.began)}: ` +
            `${countText(blocksOfRound, "block")} read` +
            (againOfRound > 0 ? `, ${againOfRound} of them not for the first time` : "") +
            `, ${countText(e.value[i], "activation")}.`,
        );
        break;
      case k.asked:
        for (let b = e.block[i]; b < Math.min(e.block[i] + e.blocks[i], run.blocks); ++b) {
          ++blocksOfRound;
          if (reads[b]++ === 0) continue;
          ++againOfRound;
          if (again) continue;
          again = true;
          add(
            e.time[i],
            "read again",
            `block ${b} is read again: it had left memory` +
              (round ? `, and round ${round.number} wants it once more.` : " before it was wanted."),
          );
        }
        break;
      case k.stalled:
        if (e.value[i] < STALL_SHARE * run.end_us) break;
        add(
          e.time[i] - e.value[i],
          "stall",
          `worker ${e.lane[i]} waits ${timeText(e.value[i])} at the barrier until the others are ` +
            "through.",
        );
        break;
    }
  }
  add(run.end_us, "end", endText(run));
  return moments.sort((a, b) => a.time - b.time);
}

function endText(run) {
  if (run.cut) return `its events end here (the run was killed).`;
  if (run.status !== "ok") return `the run failed here: ${run.reason}.`;
  const times = run.asked_bytes / Math.max(1, run.least_bytes);
  return (
    `done after ${timeText(run.end_us)}: ${bytesText(run.asked_bytes)} read, ` +
    `${times.toFixed(times < 10 ? 1 : 0)} times what it used at least once.`
  );
}
