// SPDX-License-Identifier: Apache-2.0
//
// Which built files the browser loads before it can show a page: index.html, what it names, the script of the page with
// all that it imports, and that of charts, which comes beside it.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const dist = new URL("../dist/", import.meta.url);
const read = (file) => readFileSync(new URL(file, dist), "utf8");
const all = readdirSync(new URL("assets/", dist)).filter((name) => /\.(js|css)$/.test(name));

export const gzippedBytes = (file) => gzipSync(read(file), { level: 9 }).length;
export const allScripts = all.filter((name) => name.endsWith(".js")).map((name) => `assets/${name}`);

// The page of flame graphs is the largest.
export function filesOfFirstScreen(page = "explore") {
  const found = new Set(["index.html"]);
  for (const part of [page, "series_chart"]) {
    const script = all.find((name) => name.startsWith(`${part}-`) && name.endsWith(".js"));
    if (script === undefined) throw new Error(`there is no script ${part} in dist/assets`);
    found.add(`assets/${script}`);
  }
  // A set that grows while one walks it goes on to what was added.
  for (const file of found) {
    const names = file === "index.html" ? /(?:src|href)="\.\/assets\/([^"]+)"/g : /(?:from|import)\s*"\.\/([^"]+)"/g;
    for (const [, name] of read(file).matchAll(names)) found.add(`assets/${name}`);
  }
  for (const name of all.filter((style) => style.endsWith(".css"))) found.add(`assets/${name}`);
  return [...found];
}
