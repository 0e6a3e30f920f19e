// SPDX-License-Identifier: Apache-2.0
//
// npm run browser [-- --update | --only=NAME]: all tests of whole pages, against the program itself in the Chromium of
// the system. One process, so that they share one browser and one server with the story.
//
//   FLARESTACK_PROGRAM   the program; build/dev/flarestack of this tree otherwise
//   FLARESTACK_UI_DIR    pages to serve instead of the embedded ones, such as ui/dist
//   FLARESTACK_CHROMIUM  the browser; the one on the PATH otherwise
//
// Ends with status 77 and a reason where there is no program or no browser.
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

if (!hasProgram()) skip(`${PROGRAM} is not there: build it, or name it by FLARESTACK_PROGRAM`);
if (findChromium() === null) skip("there is no Chromium: install it, or name it by FLARESTACK_CHROMIUM");

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
