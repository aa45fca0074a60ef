// SPDX-License-Identifier: Apache-2.0
// Draws the charts, filters the statements, opens what a link leads to. The page reads without it.
"use strict";

const embedding = { renderer: "svg", actions: false, tooltip: { disableDefaultStyle: true } };

// On a narrow page the legend has as many columns as fit, and names of groups are turned.
function fitted(specification, width) {
  const names = specification.layer.flatMap((layer) => layer.encoding?.color?.scale?.domain ?? []);
  const longest = Math.max(1, ...names.map((name) => String(name).length));
  const columns = Math.floor((0.6 * width) / (7 * longest + 26));
  specification.config.legend.columns = Math.min(3, Math.max(1, columns));
  if (width < 420) specification.config.axisXBand = { labelAngle: -35, labelOverlap: false };
  return specification;
}

// A chart is drawn when it comes near the window, so that a long page opens at once.
function draw(place) {
  const text = place.parentElement.querySelector("script").textContent;
  const specification = fitted(JSON.parse(text), place.clientWidth);
  return vegaEmbed(place, specification, embedding).then((made) => {
    place.dataset.drawn = "true";
    return made;
  });
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
