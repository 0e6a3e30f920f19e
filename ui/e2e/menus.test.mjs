// SPDX-License-Identifier: Apache-2.0
//
// Menus: keys move between items, and closing returns the focus to the opener.
import assert from "node:assert/strict";
import { violations } from "./accessibility.mjs";
import { address, open, query, until, withPage } from "./browser.mjs";
import { CHECKOUT, RANGE } from "./routes.mjs";
import { test } from "./testing.mjs";

const EXPLORE = `/explore?${CHECKOUT}&${RANGE}`;
const menu = (page) => page.getByRole("menu");
// The focused item, without its shortcut.
const isAt = (page, label) =>
  until(
    page,
    (wanted) =>
      document.activeElement?.getAttribute("role") === "menuitem" &&
      document.activeElement.firstChild.textContent.trim() === wanted,
    label,
  );
const isFocused = (page, text) => until(page, (wanted) => document.activeElement?.textContent.trim() === wanted, text);

test(
  "keys move between the items of a menu",
  withPage({}, async (page) => {
    await open(page, EXPLORE);
    const button = page.getByRole("button", { name: "Export" });
    assert.equal(await button.getAttribute("aria-haspopup"), "menu");
    await button.focus();
    await page.keyboard.press("Enter");
    await isAt(page, "Image (SVG)");
    assert.deepEqual(await violations(page), []);
    for (const [key, label] of [
      ["ArrowDown", "Image (PNG)"],
      ["ArrowDown", "pprof"],
      ["End", "Self-contained HTML"],
      ["ArrowDown", "Image (SVG)"],
      ["ArrowUp", "Self-contained HTML"],
      ["Home", "Image (SVG)"],
      ["s", "Speedscope"],
      ["s", "Self-contained HTML"],
      ["s", "Speedscope"],
      ["F", "Folded stacks"],
    ]) {
      await page.keyboard.press(key);
      await isAt(page, label);
      const reached = menu(page).locator('[role="menuitem"][tabindex="0"]');
      assert.equal(await reached.count(), 1, "one item is in the tab order");
      assert.ok((await reached.innerText()).startsWith(label));
    }
    assert.equal((await query(page)).get("view"), null, "no key reached the page");
  }),
);

test(
  "closing a menu returns the focus to its button",
  withPage({}, async (page) => {
    await open(page, `${EXPLORE}&s=regex`);
    const share = page.getByRole("button", { name: "Share" });
    await share.click();
    await isAt(page, "Copy link (fixed time)");
    await page.keyboard.press("Escape");
    await menu(page).waitFor({ state: "detached" });
    await isFocused(page, "Share");
    assert.equal((await query(page)).get("s"), "regex", "Escape closes only the menu");
    await page.keyboard.press("ArrowDown");
    await isAt(page, "Copy link (fixed time)");
    await page.keyboard.press("Escape");
    await isFocused(page, "Share");
    await page.keyboard.press("ArrowUp");
    await isAt(page, "Copy short link");
    await share.click();
    await menu(page).waitFor({ state: "detached" });
    await share.click();
    await menu(page).waitFor();
    await page.getByRole("heading", { name: "By label" }).click();
    await menu(page).waitFor({ state: "detached" });
  }),
);

test(
  "Tab closes a menu and moves on from its button",
  withPage({}, async (page) => {
    await open(page, EXPLORE);
    await page.getByRole("button", { name: "Export" }).click();
    await isAt(page, "Image (SVG)");
    await page.keyboard.press("Tab");
    await menu(page).waitFor({ state: "detached" });
    await until(page, () => document.activeElement?.matches('input[type="search"]') === true);
    await page.keyboard.press("Shift+Tab");
    await isFocused(page, "Export");
    await page.keyboard.press("Enter");
    await isAt(page, "Image (SVG)");
    await page.keyboard.press("Shift+Tab");
    await menu(page).waitFor({ state: "detached" });
    await isFocused(page, "Compare");
  }),
);

test(
  "Enter and Space activate items, both buttons and links",
  withPage({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await open(page, EXPLORE);
    await page.getByRole("button", { name: "Share" }).click();
    await isAt(page, "Copy link (fixed time)");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByText("Link copied").waitFor();
    assert.ok((await page.evaluate(() => navigator.clipboard.readText())).endsWith(await address(page)));
    await isFocused(page, "Share");
    for (const key of ["Enter", " "]) {
      await page.getByRole("button", { name: "Export" }).click();
      await isAt(page, "Image (SVG)");
      await page.keyboard.press("c");
      await isAt(page, "CSV");
      const [file] = await Promise.all([page.waitForEvent("download"), page.keyboard.press(key)]);
      assert.equal(file.suggestedFilename(), "profile.csv");
      await menu(page).waitFor({ state: "detached" });
      await isFocused(page, "Export");
    }
  }),
);

test(
  "the frame menu has the same keys",
  withPage({}, async (page) => {
    await open(page, EXPLORE);
    const graph = page.locator(".flame-scroller").first();
    await graph.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press(".");
    await until(page, () => document.activeElement?.getAttribute("role") === "menuitem");
    const items = menu(page).getByRole("menuitem");
    await page.keyboard.press("End");
    const isCurrent = (i) =>
      until(page, (at) => [...document.querySelectorAll('[role="menuitem"]')].at(at) === document.activeElement, i);
    await isCurrent(-1);
    await page.keyboard.press("ArrowDown");
    await isCurrent(0);
    assert.ok((await items.count()) > 3);
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Escape");
    await menu(page).waitFor({ state: "detached" });
    await until(page, () => document.activeElement?.matches(".flame-scroller") === true);
  }),
);
