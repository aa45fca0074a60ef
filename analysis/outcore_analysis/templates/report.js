// SPDX-License-Identifier: Apache-2.0
// Unpacks compressed parts, draws the charts, orders the matrix, filters, and opens what a link
// leads to. The page can be read without it.
"use strict";

// Texts and files are in the page, compressed and in base64.
async function unpacked(text) {
  const packed = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")));
}

const library = unpacked(document.getElementById("library").textContent)
  .then((response) => response.text())
  .then((code) => {
    const script = document.createElement("script");
    script.textContent = code;
    document.head.append(script);
  });

const embedding = { renderer: "svg", actions: false, tooltip: { disableDefaultStyle: true } };

// On a narrow page the legend has as many columns as fit, and names of groups are turned.
function fitted(specification, width) {
  const scales = ["color", "shape", "strokeDash"];
  const layers = specification.layer.flatMap((layer) => layer.layer ?? [layer]);
  const names = layers.flatMap((layer) => scales.flatMap((of) => layer.encoding?.[of]?.scale?.domain ?? []));
  const longest = Math.max(1, ...names.map((name) => String(name).length));
  const columns = Math.floor((0.6 * width) / (7 * longest + 26));
  specification.config.legend.columns = Math.min(3, Math.max(1, columns));
  if (width < 420) specification.config.axisXBand = { labelAngle: -35, labelOverlap: false };
  return specification;
}

// A chart is drawn when it comes near the window, so that a long page opens at once.
async function draw(place) {
  await library;
  const packed = place.parentElement.querySelector("script").textContent;
  const specification = fitted(await (await unpacked(packed)).json(), place.clientWidth);
  await vegaEmbed(place, specification, embedding);
  // The place is one image with a name; the marks within have none.
  place.querySelector("svg").setAttribute("aria-hidden", "true");
  place.dataset.drawn = "true";
}

const near = new IntersectionObserver((seen) => {
  for (const entry of seen) {
    if (!entry.isIntersecting) continue;
    near.unobserve(entry.target);
    draw(entry.target).catch((error) => console.error(`a chart cannot be drawn: ${error}`));
  }
}, { rootMargin: "800px" });
document.querySelectorAll(".chart").forEach((place) => near.observe(place));
window.addEventListener("beforeprint", () => {
  document.querySelectorAll(".chart:not([data-drawn])").forEach(draw);
});

const filter = document.getElementById("filter");
function apply() {
  const verdicts = new Set(new FormData(filter).getAll("verdict"));
  const words = filter.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const card of document.querySelectorAll(".claim")) {
    const text = card.textContent.toLowerCase();
    card.hidden = !verdicts.has(card.dataset.verdict) || !words.every((word) => text.includes(word));
    shown += card.hidden ? 0 : 1;
  }
  for (const rest of document.querySelectorAll(".rest")) {
    rest.hidden = !rest.querySelector(".claim:not([hidden])");
    if (words.length > 0) rest.open = true;
  }
  const all = document.querySelectorAll(".claim").length;
  filter.querySelector("output").textContent = `${shown} of ${all} statements`;
}
// A page that judges no claims has no filter.
if (filter) {
  filter.hidden = false;
  filter.addEventListener("input", apply);
  filter.addEventListener("submit", (event) => event.preventDefault());
  apply();
}

// The matrix: rows in another order, and only figures of the chosen race.
const sort = document.getElementById("sort");
function sorted() {
  const column = Number(sort.elements.by.value);
  const body = document.querySelector(".matrix tbody");
  const value = (row) => Number(row.cells[column].dataset.value ?? 0);
  const named = (row) => row.cells[column].innerText;
  body.append(...[...body.rows].sort((a, b) => column < 2
    ? named(a).localeCompare(named(b), undefined, { numeric: true }) : value(b) - value(a)));
}
function chosen(race) {
  const panels = [...document.querySelectorAll("figure .panel")];
  const fits = (panel, key) => !race || !(key in panel.dataset) || panel.dataset[key] === race[key];
  for (const panel of panels) panel.hidden = !fits(panel, "workload") || !fits(panel, "graph");
  for (const figure of document.querySelectorAll("figure:has(.panel)")) {
    figure.hidden = !figure.querySelector(".panel:not([hidden])");
  }
  const shown = panels.filter((panel) => !panel.hidden).length;
  sort.querySelector(".all").hidden = !race;
  sort.querySelector("output").textContent =
    race ? `${race.words}: ${shown} of ${panels.length} drawings below` : "";
  document.querySelectorAll(".pick").forEach((button) => {
    button.setAttribute("aria-pressed", String(button.dataset === race));
  });
}
if (sort) {
  sort.hidden = false;
  sort.addEventListener("change", sorted);
  sort.addEventListener("submit", (event) => event.preventDefault());
  sort.querySelector(".all").addEventListener("click", () => chosen(null));
  document.querySelectorAll(".pick").forEach((button) => button.addEventListener("click", () =>
    chosen(button.getAttribute("aria-pressed") === "true" ? null : button.dataset)));
}

// A figure's file is made when it is asked for.
document.querySelectorAll(".file").forEach((button) => button.addEventListener("click", async () => {
  const { name, kind, packed } = button.dataset;
  const data = await (await unpacked(packed)).arrayBuffer();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([data], { type: kind }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}));

// Records are unpacked when their configuration is opened.
document.querySelectorAll(".cell").forEach((cell) => cell.addEventListener("toggle", async () => {
  const packed = cell.querySelector("script");
  if (!cell.open || !packed) return;
  packed.remove();
  const texts = await (await unpacked(packed.textContent)).json();
  cell.querySelectorAll("pre").forEach((place, i) => {
    place.firstElementChild.textContent = texts[i];
    place.hidden = false;
  });
}));

// A link to something folded opens it.
function reveal() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) {
    fold.open = true;
  }
  target.scrollIntoView();
}
window.addEventListener("hashchange", reveal);
reveal();
