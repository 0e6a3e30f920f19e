// SPDX-License-Identifier: Apache-2.0
//
// Dialogs: modal ones trap the focus and disable shortcuts of the page; popups take the focus and return it.
import assert from "node:assert/strict";
import { open, query, until, withPage } from "./browser.mjs";
import { CHECKOUT, RANGE } from "./routes.mjs";
import { test } from "./testing.mjs";

const help = (page) => page.getByRole("dialog", { name: "Keyboard shortcuts" });
const palette = (page) => page.getByRole("dialog", { name: "Quick search" });
const isFocused = (page, name) =>
  until(page, (wanted) => document.activeElement?.getAttribute("aria-label") === wanted, name);
const isFocusIn = (page, selector) =>
  page.evaluate((wanted) => document.activeElement.closest(wanted) !== null, selector);

test(
  "a modal dialog traps the focus and returns it to its opener",
  withPage({}, async (page) => {
    await open(page, `/?${RANGE}`);
    for (const close of ["Escape", "Enter", "backdrop"]) {
      await page.getByRole("button", { name: "Help" }).focus();
      await page.keyboard.press("Enter");
      await help(page).waitFor();
      await until(page, () => document.activeElement?.textContent === "Close");
      for (const key of ["Tab", "Tab", "Tab", "Shift+Tab", "Shift+Tab", "Shift+Tab"]) {
        await page.keyboard.press(key);
        // After the last element the focus moves to the browser, and document.activeElement is <body>.
        assert.ok(!(await isFocusIn(page, ".shell > :not(dialog)")), `${key} leaves the dialog`);
      }
      await help(page).getByRole("button", { name: "Close" }).focus();
      if (close === "backdrop") await page.mouse.click(5, 400);
      else await page.keyboard.press(close);
      await help(page).waitFor({ state: "detached" });
      await isFocused(page, "Help");
    }
  }),
);

test(
  "a press inside a dialog does not close it, even if it ends outside",
  withPage({}, async (page) => {
    await open(page, `/?${RANGE}`);
    await page.keyboard.press("?");
    const box = await help(page).boundingBox();
    await page.mouse.click(box.x + 4, box.y + 4); // an empty area
    await page.mouse.move(box.x + 60, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(5, 400);
    await page.mouse.up();
    assert.equal(await help(page).count(), 1);
  }),
);

test(
  "a modal dialog disables the shortcuts of the page",
  withPage({ colorScheme: "light" }, async (page) => {
    await open(page, `/explore?${CHECKOUT}&${RANGE}&s=regex`);
    await page.keyboard.press("?");
    await help(page).waitFor();
    for (const key of ["T", "4", "Escape"]) await page.keyboard.press(key);
    await help(page).waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
    assert.equal((await query(page)).get("view"), null);
    assert.equal((await query(page)).get("s"), "regex", "Escape closes only the dialog");
  }),
);

test(
  "quick search focuses its field and returns the focus",
  withPage({}, async (page) => {
    await open(page, `/?${RANGE}`);
    await page.getByRole("button", { name: "Help" }).focus();
    await page.keyboard.press("Control+k");
    await isFocused(page, "Go to");
    await page.keyboard.type("logs");
    await page.keyboard.press("Escape");
    await palette(page).waitFor({ state: "detached" });
    await isFocused(page, "Help");
    await page.keyboard.press("Control+k");
    await isFocused(page, "Go to");
    await page.mouse.click(5, 790);
    await palette(page).waitFor({ state: "detached" });
    await isFocused(page, "Help");
    await page.keyboard.press("?");
    await page.keyboard.press("Control+k");
    await isFocused(page, "Go to");
    await page.keyboard.press("Escape");
    await palette(page).waitFor({ state: "detached" });
    assert.ok(await isFocusIn(page, "dialog"), "the help below it is still open");
  }),
);

test(
  "a popup takes the focus and returns it",
  withPage({}, async (page) => {
    await open(page, `/explore?${CHECKOUT}&${RANGE}&s=regex`);
    const labels = page.getByRole("button", { name: "Labels" });
    assert.equal(await labels.getAttribute("aria-haspopup"), "dialog");
    const popup = page.getByRole("dialog", { name: "Labels" });
    for (const close of ["Escape", "Close", "again"]) {
      await labels.click();
      await isFocused(page, "Find a label");
      if (close === "Escape") await page.keyboard.press("Escape");
      else if (close === "Close") await popup.getByRole("button", { name: "Close" }).click();
      else await labels.click();
      await popup.waitFor({ state: "detached" });
      await isFocused(page, "Labels");
    }
    await labels.click();
    await isFocused(page, "Find a label");
    await page.getByRole("button", { name: "Refresh" }).click();
    await popup.waitFor({ state: "detached" });
    await isFocused(page, "Refresh");
    assert.equal((await query(page)).get("s"), "regex", "Escape closes only the popup");
  }),
);
