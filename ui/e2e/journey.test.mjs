// SPDX-License-Identifier: Apache-2.0
//
// From a metric to the source line, the log and back, by keyboard only.
import assert from "node:assert/strict";
import { address, open, query, settled, until, withPage } from "./browser.mjs";
import { RANGE } from "./routes.mjs";
import { test } from "./testing.mjs";

const TABS_MAX = 300;

// Presses Tab until the selector matches the focused element.
async function tabTo(page, selector) {
  await page.locator(selector).first().waitFor();
  for (let i = 0; i < TABS_MAX; ++i) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`${selector} was not reached by Tab`);
}

async function follow(page, selector) {
  await tabTo(page, selector);
  await page.keyboard.press("Enter");
}

// Moves down from the first span until the inspector shows the wanted text.
async function chooseSpan(page, selector) {
  await tabTo(page, ".waterfall");
  const rows = await page.locator(".span-row").count();
  for (let i = 0; i < rows; ++i) await page.keyboard.press("ArrowUp");
  for (let i = 0; i < rows; ++i) {
    await settled(page);
    if ((await page.locator(`.inspector ${selector}`).count()) > 0) return;
    await page.keyboard.press("ArrowDown");
  }
  assert.fail(`no span has ${selector}`);
}

const says = (page, text) => until(page, (wanted) => document.body.innerText.includes(wanted), text);

test(
  "metric, trace, span profile, line and log are reachable by keyboard, and back",
  withPage({}, async (page) => {
    await open(page, `/charts?${RANGE}&metric=http.server.request.duration`);
    const metric = await address(page);
    await says(page, "exemplar trace");

    await follow(page, '.link-list a[href*="/trace/"]');
    await until(page, () => location.pathname.startsWith("/trace/"));
    await settled(page);
    const trace = await page.evaluate(() => location.pathname);
    await says(page, "Time breakdown");

    await chooseSpan(page, ".small-flame");
    assert.ok((await page.locator(".inspector .chip.exact").count()) > 0, "the link shows its quality");
    await follow(page, '.inspector a[href*="/explore"]');
    await until(page, () => location.pathname === "/explore");
    await settled(page);
    assert.equal((await query(page)).get("trace"), trace.split("/")[2]);
    assert.notEqual((await query(page)).get("span"), null);

    await tabTo(page, ".flame-scroller");
    for (let i = 0; i < 40 && !/\(|::|\.|[a-z]/.test((await query(page)).get("sel") ?? ""); ++i)
      await page.keyboard.press("ArrowDown");
    for (let i = 0; i < 30; ++i) await page.keyboard.press("ArrowDown"); // to the leaf
    const leaf = (await query(page)).get("sel");
    assert.ok(leaf, "a function is selected");
    await page.keyboard.press("7");
    await says(page, `Lines of ${leaf}`);
    await until(page, () => /^\d+$/.test(document.querySelector(".source-code tbody td.faint")?.textContent ?? ""));

    await page.goBack();
    while ((await page.evaluate(() => location.pathname)) !== trace) await page.goBack();
    await settled(page);
    await chooseSpan(page, 'a[href*="/logs"][href*="trace="]');
    await follow(page, '.inspector a[href*="/logs"][href*="trace="]');
    await until(page, () => location.pathname === "/logs" && document.querySelector(".log-row") !== null);

    await follow(page, ".log-row a.chip");
    await until(page, (wanted) => location.pathname === wanted, trace);
    for (let i = 0; i < 12 && (await address(page)) !== metric; ++i) await page.goBack();
    assert.equal(await address(page), metric, "back at the metric");
  }),
);

test(
  "quick search opens any page",
  withPage({}, async (page) => {
    await open(page, `/?${RANGE}`);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("logs");
    await page.keyboard.press("Enter");
    await until(page, () => location.pathname === "/logs");
    assert.equal((await query(page)).get("from"), "now-2h", "the range is kept");
    await page.keyboard.press("g");
    await until(page, () => location.pathname === "/");
  }),
);

test(
  "the first Tab skips the navigation",
  withPage({}, async (page) => {
    await open(page, `/?${RANGE}`);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to content");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  }),
);

test(
  "shortcuts apply filters on the server, and Back removes them",
  withPage({}, async (page) => {
    await open(page, `/explore?q=${encodeURIComponent('{service.name="checkout"}')}&${RANGE}&sel=json::parse`);
    const names = () =>
      page.evaluate(() =>
        document
          .querySelector(".flame-scroller")
          .drawn()
          .map((box) => box.name),
      );
    assert.ok((await names()).includes("json::parse"));
    await page.keyboard.press("d");
    await until(page, () => location.search.includes("f=drop"));
    await settled(page);
    assert.ok(!(await names()).includes("json::parse"));
    await page.keyboard.press("u");
    await until(page, () => !location.search.includes("f=drop"));
    await settled(page);
    assert.ok((await names()).includes("json::parse"));
  }),
);
