// SPDX-License-Identifier: Apache-2.0
// Builds each page's program into the one file that the Python package holds. --check: fails if
// those files are not what these sources give.
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

// A page is src/<name>.js with src/<name>.css.
const PAGES = {
  viewer: ["uplot", "preact"], // with the libraries in it, but for htm
  cache: ["preact"],
};
const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const builtOf = (name) => at(`../analysis/outcore_analysis/viewer/${name}.html`);

async function pageOf(name, libraries) {
  const bundled = async (file, more) => {
    const options = { entryPoints: [at(file)], bundle: true, write: false, minify: true, ...more };
    return (await build(options)).outputFiles[0].text.trim();
  };
  const script = await bundled(`src/${name}.js`, {
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
  });
  const styles = await bundled(`src/${name}.css`);
  // What the page holds of others' work, with their notices.
  const notices = libraries.map((library) =>
    readFileSync(at(`node_modules/${library}/LICENSE`), "utf8").trim(),
  );
  const licences = [
    "Outcore, and htm, copyright 2018 Google Inc.: Apache License 2.0,\n" +
      `https://www.apache.org/licenses/LICENSE-2.0. ${libraries.join(" and ").replace("uplot", "uPlot")}:`,
    ...notices,
  ].join("\n\n");
  // A script's text must not end its own element. Functions, lest "$&" in the text be a pattern.
  return readFileSync(at("src/page.html"), "utf8")
    .replace("licences", () => licences)
    .replace("/*styles*/", () => styles)
    .replace("/*script*/", () => script.replaceAll("</script", "<\\/script"));
}

for (const [name, libraries] of Object.entries(PAGES)) {
  const page = await pageOf(name, libraries);
  if (!process.argv.includes("--check")) {
    writeFileSync(builtOf(name), page);
  } else if (readFileSync(builtOf(name), "utf8") !== page) {
    console.error(`${builtOf(name)} is not what viewer/ gives: cd viewer && npm ci && npm run build`);
    process.exit(1);
  }
}
