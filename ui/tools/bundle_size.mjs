// SPDX-License-Identifier: Apache-2.0
//
// Fails when what the first screen loads is more than its budget: index.html with the scripts and styles that it names.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const FIRST_SCREEN_BYTES_MAX = 120 * 1024;

const dist = new URL("../dist/", import.meta.url);
const page = readFileSync(new URL("index.html", dist), "utf8");
const files = ["index.html", ...[...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map((match) => match[1])];
let sum = 0;
for (const file of files) {
  const bytes = gzipSync(readFileSync(new URL(file, dist)), { level: 9 }).length;
  sum += bytes;
  console.log(String(bytes).padStart(8), file);
}
console.log(String(sum).padStart(8), `of ${FIRST_SCREEN_BYTES_MAX} bytes for the first screen, compressed`);
if (sum > FIRST_SCREEN_BYTES_MAX) {
  console.error("the first screen is over its budget");
  process.exit(1);
}
