// SPDX-License-Identifier: Apache-2.0
// Numbers for people.

export function bytesText(bytes) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let unit = 0;
  while (bytes >= 1000 && unit + 1 < units.length) {
    bytes /= 1000;
    ++unit;
  }
  return `${bytes < 10 && unit > 0 ? bytes.toFixed(2) : bytes.toFixed(unit > 0 && bytes < 100 ? 1 : 0)} ${units[unit]}`;
}

export function timeText(us) {
  if (us >= 1e6) return `${(us / 1e6).toFixed(2)} s`;
  if (us >= 1e3) return `${(us / 1e3).toFixed(us < 1e4 ? 2 : 1)} ms`;
  return `${us.toFixed(0)} us`;
}

export const percentText = (share) => `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`;

const COMPACT = new Intl.NumberFormat("en-US", { notation: "compact" });
export const shortText = (n) => COMPACT.format(n);

const PLURALS = { vertex: "vertices", access: "accesses" };

export function countText(count, noun) {
  const words = noun.split(" ");
  const last = words.pop();
  const plural = count === 1 ? last : (PLURALS[last] ?? `${last}s`);
  return `${numberText(count)} ${[...words, plural].join(" ")}`;
}

export function numberText(n) {
  return Math.round(n).toLocaleString("en-US");
}

// A page's question, what its claim says, and how that stands in the records.
export function claimText(html, question, { says, verdict, measured }) {
  return html`<p>${question} <em>${says}</em> <b class="verdict">${verdict}</b> (${measured})</p>`;
}

// What a paper says, and how that stands in the records.
export function paperText(html, { of, says, verdict, measured }) {
  return html`<p>${of}: <q>${says}</q> <b class="verdict">${verdict}</b> (${measured})</p>`;
}
