// SPDX-License-Identifier: Apache-2.0
//
// Writes a compressed copy of each built file, which the program embeds. The copies contain no time or file name, so that
// the build is reproducible.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const DIST = new URL("../dist/", import.meta.url).pathname;

for (const name of readdirSync(DIST, { recursive: true })) {
  const path = join(DIST, String(name));
  if (statSync(path).isDirectory()) continue;
  if (path.endsWith(".gz")) rmSync(path);
  else writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
}
