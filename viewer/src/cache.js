// SPDX-License-Identifier: Apache-2.0
// The page on which a reader plays with a cache, over the accesses of one run.
import htm from "htm";
import { Component, h, render } from "preact";

import { AccessChart } from "./accesses.js";
import { Game } from "./game.js";
import { drawMisses, sizesOf } from "./misses.js";
import { POLICIES, accessesOf, countOf, missesOf, policyOf } from "./policies.js";
import { bytesText, claimText, countText, numberText, paperText } from "./text.js";

const html = htm.bind(h);
const MOST_FRAMES = 8; // of the game: the reader has to know them all
const GLOSSARY = [
  ["Access", "a block that the engine's rounds want; the trace was taken before any cache."],
  ["Frame", "room for one block."],
  ["Miss", "a block that is wanted and in no frame, so that it is read."],
  [
    "OPT",
    "knows the whole future. No policy that reads on demand misses less, and none that can be built knows as much.",
  ],
];

class Play extends Component {
  constructor(props) {
    super(props);
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const most = props.sizes.at(-1);
    this.state = {
      theme: dark ? "dark" : "light",
      policy: "LRU",
      size: props.sizes[Math.floor(props.sizes.length / 4)],
      game: new Game(props.accesses, Math.min(4, most)),
      width: innerWidth,
    };
    document.documentElement.dataset.theme = this.state.theme;
  }

  componentDidMount() {
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("resize", () => this.setState({ width: innerWidth }));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (["SELECT", "INPUT"].includes(event.target.tagName)) return;
    const key = event.key.toLowerCase();
    const { game } = this.state;
    if (key === "d") this.theme();
    else if (key === "n") this.next();
    else if (key === "r") this.restart(game.slots);
    else if (/^[1-9]$/.test(key) && Number(key) <= game.slots) this.drop(Number(key) - 1);
    else return;
    event.preventDefault();
  }

  theme() {
    const theme = this.state.theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    this.setState({ theme });
  }

  drop(slot) {
    const { game } = this.state;
    if (game.answer || game.over) return;
    game.drop(slot);
    this.setState({ game });
  }
  next() {
    const { game } = this.state;
    if (!game.answer) return;
    game.toQuestion();
    this.setState({ game });
  }
  restart(slots) {
    this.setState({ game: new Game(this.props.accesses, slots) });
  }

  table({ sizes, misses, accesses, unitBytes }, size) {
    const at = sizes.indexOf(size);
    const least = misses.OPT[at];
    return html`<table>
      <thead>
        <tr>
          <th scope="col">policy</th>
          <th scope="col">misses</th>
          <th scope="col">of the accesses</th>
          <th scope="col">read</th>
          <th scope="col">times OPT</th>
        </tr>
      </thead>
      <tbody>
        ${POLICIES.map(({ name }) => {
          const count = misses[name][at];
          return html`<tr class=${name === this.state.policy ? "chosen" : ""}>
            <th scope="row">${name}</th>
            <td>${numberText(count)}</td>
            <td>${((100 * count) / accesses.length).toFixed(0)}%</td>
            <td>${bytesText(count * unitBytes)}</td>
            <td>${(count / least).toFixed(2)}</td>
          </tr>`;
        })}
      </tbody>
    </table>`;
  }

  allSizes({ sizes, misses }) {
    return html`<details>
      <summary>All sizes as a table</summary>
      <div class="wide" role="region" aria-label="Misses by size" tabindex="0">
        <table class="all">
          <thead>
            <tr>
              <th scope="col">frames</th>
              ${sizes.map((size) => html`<th scope="col">${size}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${POLICIES.map(
              ({ name }) =>
                html`<tr>
                  <th scope="row">${name}</th>
                  ${misses[name].map((count) => html`<td>${count}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>`;
  }

  what(props, { policy, size, theme, width }) {
    const { sizes, misses, accesses, unitBytes } = props;
    const count = misses[policy][sizes.indexOf(size)];
    const choose = (event) => this.setState({ size: sizes[Number(event.target.value)] });
    return html`<section>
      <h2>What would a cache have read?</h2>
      <div class="controls">
        <label
          >Policy${" "}
          <select onChange=${(event) => this.setState({ policy: event.target.value })}>
            ${POLICIES.map(
              ({ name }) => html`<option value=${name} selected=${name === policy}>${name}</option>`,
            )}
          </select></label
        >
        <label class="size"
          >Size${" "}
          <input
            type="range"
            min="0"
            max=${sizes.length - 1}
            value=${sizes.indexOf(size)}
            aria-valuetext=${countText(size, "frame")}
            onInput=${choose}
        /></label>
      </div>
      <p class="total" aria-live="polite">
        ${policy} with ${countText(size, "frame")} (${bytesText(size * unitBytes)}):${" "}
        <b>${numberText(count)}</b> misses of ${countText(accesses.length, "access")}
      </p>
      <p>${policy} ${policyOf(policy).says}.</p>
      <${AccessChart} ...${{ accesses, policy, size, theme, width, blocks: props.distinct }} />
      <div class="wide" role="region" aria-label="Policies" tabindex="0">${this.table(props, size)}</div>
      ${drawMisses(html, { sizes, misses, size, policy })} ${this.allSizes(props)}
    </section>`;
  }

  frame({ unit, ago, until }, slot) {
    const { answer, over } = this.state.game;
    const best = answer?.best.includes(slot);
    const next = until === Infinity ? "never again" : `again in ${countText(until, "access")}`;
    const kind = answer ? (best ? "best" : answer.slot === slot ? "yours" : "") : "";
    return html`<li>
      <button class=${`frame ${kind}`} disabled=${Boolean(answer) || over} onClick=${() => this.drop(slot)}>
        <kbd>${slot + 1}</kbd> block <b>${unit}</b>
        <span>used ${ago === 1 ? "just now" : `${ago} accesses ago`}</span>
        ${answer && html`<span class="until">${next}</span>`}
        ${best && html`<span class="tag">OPT drops ${answer.best.length > 1 ? "one of these" : "this"}</span>`}
        ${answer?.slot === slot && html`<span class="tag">you dropped this</span>`}
      </button>
    </li>`;
  }

  answerText({ slot, best, frames }) {
    const when = ({ until }) =>
      until === Infinity ? "is never used again" : `is used again in ${countText(until, "access")}`;
    if (best.includes(slot)) return `As OPT would: block ${frames[slot].unit} ${when(frames[slot])}, and none later.`;
    const right = frames[best[0]];
    return `OPT would drop block ${right.unit}, which ${when(right)}. Yours, block ${frames[slot].unit}, ${when(frames[slot])}.`;
  }

  game({ accesses, sizes }, { game }) {
    const { answer, over } = game;
    const frames = answer ? answer.frames : over ? [] : game.frames();
    const at = answer ? game.at - 1 : game.at;
    const before = accesses.slice(Math.max(0, at - 12), at).map(({ unit }) => unit);
    const most = Math.min(MOST_FRAMES, sizes.at(-1));
    const choices = Array.from({ length: Math.max(1, most - 1) }, (_, n) => Math.min(most, n + 2));
    return html`<section>
      <h2>Which block would you drop?</h2>
      <div class="controls">
        <label
          >Frames${" "}
          <select onChange=${(event) => this.restart(Number(event.target.value))}>
            ${choices.map(
              (slots) => html`<option value=${slots} selected=${slots === game.slots}>${slots}</option>`,
            )}
          </select></label
        >
        <button onClick=${() => this.restart(game.slots)}>From the start <kbd>R</kbd></button>
        <button disabled=${!answer} onClick=${() => this.next()}>Next question <kbd>N</kbd></button>
      </div>
      ${
        over && !answer
          ? html`<p class="caption">The run is over: no more blocks are wanted.</p>`
          : html`<p class="caption">
              Wanted so far: ${before.length < at && "… "}${before.join(", ")}, and now block${" "}
              <b class="wanted">${accesses[at].unit}</b>, which is in no frame. All
              ${" "}${game.slots} frames are taken: which block goes?
            </p>`
      }
      <ol class="frames" aria-label="Frames">
        ${frames.map((frame, slot) => this.frame(frame, slot))}
      </ol>
      <p class="caption" role="status">${answer && this.answerText(answer)}</p>
      <p>
        After ${countText(game.at, "access")} of ${numberText(accesses.length)}, misses:${" "}
        ${game.score().map(([who, count], n) => html`${n > 0 && ", "}${who} <b>${numberText(count)}</b>`)}.
        ${game.asked > 0 && ` You answered ${game.right} of ${game.asked} as OPT would.`}
      </p>
    </section>`;
  }

  render(props, state) {
    const { title, question, claim, paper, facts } = props;
    return html`
      <h1>${title}</h1>
      ${claim && claimText(html, question, claim)}
      ${paper && paperText(html, paper)}
      <p>
        <button onClick=${() => this.theme()}>
          ${state.theme === "dark" ? "Light" : "Dark"} <kbd>D</kbd>
        </button>
      </p>
      ${this.what(props, state)} ${this.game(props, state)}
      <section class="about">
        <h2>What was run</h2>
        <div class="wide" role="region" aria-label="What was run" tabindex="0">
          <table>
            <tbody>
              ${facts.map(
                ([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`,
              )}
            </tbody>
          </table>
        </div>
        <h2>How to read it</h2>
        <p>${GLOSSARY.map(([word, meaning]) => html`<b>${word}</b>: ${meaning} `)}</p>
        <p>
          Keys: a figure drops the block of that frame, N asks the next question, R begins again, D
          changes dark and light.
        </p>
      </section>
    `;
  }
}

function main() {
  const page = document.getElementById("page");
  try {
    const shown = JSON.parse(document.getElementById("runs").textContent);
    const accesses = accessesOf(shown.rounds, shown.units);
    const distinct = new Set(accesses.map(({ unit }) => unit)).size;
    const sizes = sizesOf(distinct);
    const misses = Object.fromEntries(
      POLICIES.map(({ name }) => [name, sizes.map((size) => countOf(missesOf(accesses, name, size)))]),
    );
    document.title = shown.title;
    page.replaceChildren();
    const unitBytes = shown.unit_bytes;
    render(html`<${Play} ...${{ ...shown, accesses, distinct, sizes, misses, unitBytes }} />`, page);
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    page.textContent = `This page's trace cannot be shown: ${error.message}`;
    throw error;
  }
}

main();
