// SPDX-License-Identifier: Apache-2.0
//
// Fails when a budget is exceeded: what the first screen loads (index.html with the scripts and styles that it names), and
// the viewer that is in every one-file profile.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const FIRST_SCREEN_BYTES_MAX = 120 * 1024;
const VIEWER_BYTES_MAX = 60 * 1024;

const dist = new URL("../dist/", import.meta.url);
const page = readFileSync(new URL("index.html", dist), "utf8");
const files = ["index.html", ...[...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map((match) => match[1])];
const sizeOf = (file) => gzipSync(readFileSync(new URL(file, dist)), { level: 9 }).length;

function check(what, names, bytesMax) {
  let sum = 0;
  for (const file of names) {
    const bytes = sizeOf(file);
    sum += bytes;
    console.log(String(bytes).padStart(8), file);
  }
  console.log(String(sum).padStart(8), `of ${bytesMax} bytes for ${what}, compressed`);
  if (sum <= bytesMax) return;
  console.error(`${what} is over its budget`);
  process.exitCode = 1;
}

check("the first screen", files, FIRST_SCREEN_BYTES_MAX);
check("the viewer of one-file profiles", ["viewer.html"], VIEWER_BYTES_MAX);
