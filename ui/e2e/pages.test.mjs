// SPDX-License-Identifier: Apache-2.0
//
// Every page shows demo data, has no accessibility violations, and logs nothing to the console, in light and dark.
import assert from "node:assert/strict";
import { violations } from "./accessibility.mjs";
import { open, until, withPage } from "./browser.mjs";
import { routes } from "./routes.mjs";
import { test } from "./testing.mjs";

for (const { name, path, text } of await routes()) {
  for (const colorScheme of ["light", "dark"]) {
    test(
      `page ${name} in ${colorScheme} shows data and is accessible`,
      withPage({ colorScheme }, async (page) => {
        await open(page, path);
        await until(page, (wanted) => document.body.innerText.includes(wanted), text);
        assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
        assert.ok((await page.title()).endsWith("· Flarestack"), "the page has a title");
        assert.deepEqual(await violations(page), []);
      }),
    );
  }
}

test(
  "dialogs and menus are accessible",
  withPage({}, async (page) => {
    await open(page, "/explore?from=now-2h");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByRole("menu").waitFor();
    assert.deepEqual(await violations(page), []);
  }),
);
