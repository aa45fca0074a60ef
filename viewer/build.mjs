// SPDX-License-Identifier: Apache-2.0
// Builds the viewer into the one file that the Python package holds. --check: fails if that file is
// not what these sources give.
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const BUILT = at("../analysis/outcore_analysis/viewer/viewer.html");

const script = await build({
  entryPoints: [at("src/main.js")],
  bundle: true,
  write: false,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
});
const styles = await build({
  entryPoints: [at("src/viewer.css")],
  bundle: true,
  write: false,
  minify: true,
});
// A script's text must not end its own element. Functions, lest "$&" in the text be a pattern.
const text = script.outputFiles[0].text.replaceAll("</script", "<\\/script");
// What the page holds of others' work, with their notices.
const notices = ["uplot", "preact"].map((name) =>
  readFileSync(at(`node_modules/${name}/LICENSE`), "utf8").trim(),
);
const licences = [
  "Outcore, and htm, copyright 2018 Google Inc.: Apache License 2.0,\n" +
    "https://www.apache.org/licenses/LICENSE-2.0. uPlot and preact:",
  ...notices,
].join("\n\n");
const page = readFileSync(at("src/page.html"), "utf8")
  .replace("licences", () => licences)
  .replace("/*styles*/", () => styles.outputFiles[0].text.trim())
  .replace("/*script*/", () => text.trim());

if (!process.argv.includes("--check")) {
  writeFileSync(BUILT, page);
} else if (readFileSync(BUILT, "utf8") !== page) {
  console.error(`${BUILT} is not what viewer/ gives: cd viewer && npm ci && npm run build`);
  process.exit(1);
}
