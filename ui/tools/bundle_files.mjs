// SPDX-License-Identifier: Apache-2.0
//
// The built files that the browser loads before it can show a page: index.html and the files it links, the script of the
// page with its imports, and that of charts, which loads in parallel.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const dist = new URL("../dist/", import.meta.url);
const read = (file) => readFileSync(new URL(file, dist), "utf8");
const all = readdirSync(new URL("assets/", dist)).filter((name) => /\.(js|css)$/.test(name));

export const gzippedBytes = (file) => gzipSync(read(file), { level: 9 }).length;
export const allScripts = all.filter((name) => name.endsWith(".js")).map((name) => `assets/${name}`);

// The flame graph page is the largest.
export function filesOfFirstScreen(page = "explore") {
  const found = new Set(["index.html"]);
  for (const part of [page, "series_chart"]) {
    const script = all.find((name) => name.startsWith(`${part}-`) && name.endsWith(".js"));
    if (script === undefined) throw new Error(`no script ${part} in dist/assets`);
    found.add(`assets/${script}`);
  }
  // Iterating over a set includes entries added during the iteration.
  for (const file of found) {
    const names = file === "index.html" ? /(?:src|href)="\.\/assets\/([^"]+)"/g : /(?:from|import)\s*"\.\/([^"]+)"/g;
    for (const [, name] of read(file).matchAll(names)) found.add(`assets/${name}`);
  }
  for (const name of all.filter((style) => style.endsWith(".css"))) found.add(`assets/${name}`);
  return [...found];
}
