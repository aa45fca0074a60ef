// SPDX-License-Identifier: Apache-2.0
// Misses of all policies over the size of the cache, as SVG.
import { POLICIES } from "./policies.js";
import { numberText } from "./text.js";

const EVERY_SIZE = 48; // caches of up to so many frames are all counted
const WIDTH = 640;
const HEIGHT = 260;
const LEFT = 84;
const BOTTOM = 34;
const DASHES = ["", "10 4", "3 3", "12 3 3 3", "6 2 1 2"];

// Sizes from 1 to all blocks: each, or as many that grow by the same factor.
export function sizesOf(distinct) {
  if (distinct <= EVERY_SIZE) return Array.from({ length: distinct }, (_, n) => n + 1);
  const sizes = Array.from({ length: EVERY_SIZE }, (_, n) =>
    Math.round(distinct ** (n / (EVERY_SIZE - 1))),
  );
  return [...new Set(sizes)];
}

export function drawMisses(html, { sizes, misses, size, policy }) {
  const most = Math.max(...Object.values(misses).flat());
  // By the number of the size: where sizes grow by a factor, so does the axis.
  const x = (at) => LEFT + (at / Math.max(1, sizes.length - 1)) * (WIDTH - LEFT - 12);
  const y = (count) => HEIGHT - BOTTOM - (count / most) * (HEIGHT - BOTTOM - 12);
  const lineOf = (name) => misses[name].map((count, at) => `${x(at)},${y(count)}`).join(" ");
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * (sizes.length - 1)));
  const at = sizes.indexOf(size);
  const label = `Misses by size for ${POLICIES.map(({ name }) => name).join(", ")}`;
  return html`<h3>Misses over the number of frames</h3>
    <ul class="legend" aria-label="Policies">
      ${POLICIES.map(
        ({ name }, n) =>
          html`<li>
            <svg width="44" height="12" aria-hidden="true">
              <line class=${`line${n}`} x1="0" x2="44" y1="6" y2="6" stroke-dasharray=${DASHES[n]} />
            </svg>
            ${" "}${name}
          </li>`,
      )}
    </ul>
    <svg class="misses" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${label}>
      ${[0, 0.5, 1].map(
        (share) =>
          html`<line class="rule" x1=${LEFT} x2=${WIDTH - 12} y1=${y(share * most)} y2=${y(share * most)} />
            <text x=${LEFT - 6} y=${y(share * most) + 5} text-anchor="end">
              ${numberText(share * most)}
            </text>`,
      )}
      ${[...new Set(ticks)].map(
        (tick) =>
          html`<text x=${x(tick)} y=${HEIGHT - BOTTOM + 20} text-anchor="middle">${sizes[tick]}</text>`,
      )}
      <line class="now" x1=${x(at)} x2=${x(at)} y1="6" y2=${HEIGHT - BOTTOM} />
      ${POLICIES.map(
        ({ name }, n) =>
          html`<polyline
            class=${`line${n} ${name === policy ? "chosen" : ""}`}
            points=${lineOf(name)}
            stroke-dasharray=${DASHES[n]}
          />`,
      )}
    </svg>`;
}
