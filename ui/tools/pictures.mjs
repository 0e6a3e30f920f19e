// SPDX-License-Identifier: Apache-2.0
//
// npm run pictures: retakes the screenshots of the demo for the docs, docs/images/ui*.png.
import { fileURLToPath } from "node:url";
import { closeAll, newPage, open, settled, until } from "../e2e/browser.mjs";
import { routes } from "../e2e/routes.mjs";

const IMAGES = fileURLToPath(new URL("../../docs/images/", import.meta.url));
const PICTURES = [
  ["ui.png", "trace", "light"],
  ["ui-fleet.png", "fleet", "light"],
  ["ui-flame.png", "icicle", "dark"],
  ["ui-compare.png", "comparison", "light"],
];

try {
  const all = await routes();
  for (const [file, name, colorScheme] of PICTURES) {
    const { path, text } = all.find((route) => route.name === name);
    const page = await newPage({ colorScheme });
    // No guide in the screenshots.
    await page.route("**/api/v1/guide", (route) => route.fulfill({ json: { title: "", steps: [], meta: {} } }));
    await open(page, path);
    await until(page, (wanted) => document.body.innerText.includes(wanted), text);
    await settled(page);
    await page.screenshot({ path: IMAGES + file });
    console.log(`wrote docs/images/${file}`);
    await page.context().close();
  }
} finally {
  await closeAll();
}
