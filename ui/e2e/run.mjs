// SPDX-License-Identifier: Apache-2.0
//
// npm run browser [-- --update | --only=NAME]: all end-to-end tests of the UI, with flarestack and the installed Chromium.
// One process, so that they share one browser and one server with the demo data.
//
//   FLARESTACK_PROGRAM   the program (default: build/dev/flarestack)
//   FLARESTACK_UI_DIR    UI to serve instead of the embedded one, such as ui/dist
//   FLARESTACK_CHROMIUM  the browser (default: the one on the PATH)
//
// Exits with 77 and a reason if the program or the browser is missing.
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { findChromium } from "../tools/chromium.mjs";
import { closeAll } from "./browser.mjs";
import { hasProgram, PROGRAM } from "./program.mjs";
import { tests } from "./testing.mjs";

const SKIPPED = 77;

function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(SKIPPED);
}

if (!hasProgram()) skip(`${PROGRAM} does not exist: build it, or set FLARESTACK_PROGRAM`);
if (findChromium() === null) skip("Chromium not found: install it, or set FLARESTACK_CHROMIUM");

const only = process.argv.find((argument) => argument.startsWith("--only="))?.slice("--only=".length) ?? "";
const files = readdirSync(new URL(".", import.meta.url))
  .filter((name) => name.endsWith(".test.mjs") && name.includes(only))
  .sort();
try {
  for (const file of files) await import(`./${file}`);
  for (const { name, options, body } of tests) await test(name, options, body);
} finally {
  await closeAll();
}
