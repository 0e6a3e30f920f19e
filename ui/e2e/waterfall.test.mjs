// SPDX-License-Identifier: Apache-2.0
//
// The rows of a trace: search, overview with its window, collapsible subtrees.
import assert from "node:assert/strict";
import { violations } from "./accessibility.mjs";
import { query, settled, until, withPage } from "./browser.mjs";
import { sendOtlp, serverFor } from "./program.mjs";
import { test } from "./testing.mjs";

const TRACE = "5b8efff798038103d269b633813fc60c";
const text = (key, value) => ({ key, value: { stringValue: value } });

// [name, parent, start, end, attributes], times in milliseconds from the start of the trace.
const SPANS = [
  ["GET /cart", -1, 0, 1000, []],
  ["load basket", 0, 10, 400, []],
  ["SELECT items", 1, 20, 200, [text("db.system", "postgresql")]],
  ["SELECT prices", 1, 210, 390, [text("db.system", "postgresql")]],
  ["render", 0, 500, 990, []],
];

async function openTrace(page, t) {
  const server = await serverFor(t);
  const id = (i) => (i + 1).toString(16).padStart(16, "0");
  const start = Date.now() - 60_000;
  const at = (ms) => `${start + ms}000000`;
  await sendOtlp(server, "traces", {
    resourceSpans: [
      {
        resource: { attributes: [text("service.name", "shop")] },
        scopeSpans: [
          {
            spans: SPANS.map(([name, parent, from, to, attributes], i) => ({
              traceId: TRACE,
              spanId: id(i),
              ...(parent < 0 ? {} : { parentSpanId: id(parent) }),
              name,
              startTimeUnixNano: at(from),
              endTimeUnixNano: at(to),
              attributes,
            })),
          },
        ],
      },
    ],
  });
  await page.goto(`${server.url}/trace/${TRACE}`);
  await settled(page);
  await page.locator(".span-row").nth(4).waitFor();
}

const status = (page, wanted) =>
  until(page, (text) => document.querySelector('[aria-label="Matches"]')?.textContent === text, wanted);
const selectedRow = (page, wanted) =>
  until(page, (name) => document.querySelector('.span-row[aria-selected="true"]')?.textContent.includes(name), wanted);

test(
  "search finds spans by name and attribute, and Enter moves to the next match",
  withPage({}, async (page, t) => {
    await openTrace(page, t);
    await page.keyboard.press("/");
    await page.keyboard.type("db.system=postgres");
    await status(page, "2 matches");
    assert.equal(await page.locator(".span-row.dim").count(), 3);
    await page.keyboard.press("Enter");
    await status(page, "1 of 2");
    await selectedRow(page, "SELECT items");
    await page.keyboard.press("Shift+Enter");
    await selectedRow(page, "SELECT prices");
    assert.equal((await query(page)).get("s"), "db.system=postgres");
    assert.deepEqual(await violations(page), []);
    await page.getByLabel("Find spans").fill("no such span");
    await status(page, "No matches");
    await page.getByLabel("Find spans").fill("/(/");
    await page.locator(".chip.error").waitFor();
  }),
);

test(
  "subtrees collapse individually and all together, and a match expands its own",
  withPage({}, async (page, t) => {
    await openTrace(page, t);
    const rows = page.locator(".span-row");
    await rows.nth(1).getByRole("button", { name: "Collapse" }).click();
    await until(page, () => document.querySelectorAll(".span-row").length === 3);
    await page.getByRole("button", { name: "Expand all" }).click();
    await until(page, () => document.querySelectorAll(".span-row").length === 5);
    await rows.nth(2).click();
    await page.getByRole("button", { name: "Collapse all" }).click();
    await until(page, () => document.querySelectorAll(".span-row").length === 1);
    await selectedRow(page, "GET /cart"); // the selected row is always visible
    await page.getByLabel("Find spans").fill("prices");
    await page.getByLabel("Find spans").press("Enter");
    await selectedRow(page, "SELECT prices");
    // By keyboard: left moves to the parent and collapses it, right expands it again.
    await page.locator(".waterfall").focus();
    await page.keyboard.press("ArrowLeft");
    await selectedRow(page, "load basket");
    await page.keyboard.press("ArrowLeft");
    await until(
      page,
      () => document.querySelector('.span-row[aria-selected="true"]').getAttribute("aria-expanded") === "false",
    );
    await page.keyboard.press("ArrowRight");
    await until(
      page,
      () => document.querySelector('.span-row[aria-selected="true"]').getAttribute("aria-expanded") === "true",
    );
  }),
);

test(
  "the overview zooms the time axis by pointer and keyboard",
  withPage({}, async (page, t) => {
    await openTrace(page, t);
    const map = await page.locator(".minimap").boundingBox();
    const drag = async (from, to) => {
      await page.mouse.move(map.x + map.width * from, map.y + 20);
      await page.mouse.down();
      await page.mouse.move(map.x + map.width * ((from + to) / 2), map.y + 20);
      await page.mouse.move(map.x + map.width * to, map.y + 20);
      await page.mouse.up();
    };
    const shown = async () =>
      ((await query(page)).get("window") ?? "").split("-").map((nanos) => Math.round(Number(nanos) / 1e6));
    const isNear = (found, wanted) =>
      assert.ok(
        found.every((ms, i) => Math.abs(ms - wanted[i]) <= 5),
        `${found} is not ${wanted}`,
      );
    await drag(0.2, 0.4);
    isNear(await shown(), [200, 400]);
    await until(
      page,
      () =>
        [...document.querySelectorAll(".span-row:has(.span-away)")]
          .map((row) => row.querySelector(".clip").textContent)
          .join() === "render",
    );
    await drag(0.3, 0.5); // drags the window
    isNear(await shown(), [400, 600]);
    await page.mouse.click(map.x + map.width * 0.8, map.y + 20); // clicks outside it
    isNear(await shown(), [700, 900]);
    const moves = async (slider, key, wanted) => {
      await page.getByRole("slider", { name: slider, exact: true }).press(key);
      isNear(await shown(), wanted);
    };
    await moves("Visible time range", "Home", [0, 200]);
    await moves("End of visible time range", "Shift+ArrowRight", [0, 240]);
    await moves("Start of visible time range", "Shift+ArrowRight", [48, 240]);
    assert.deepEqual(await violations(page), []);
    const isZoomed = page.getByRole("button", { name: "Reset zoom" });
    await page.reload();
    await settled(page);
    isNear(await shown(), [48, 240]);
    await isZoomed.click();
    assert.equal((await query(page)).get("window"), null);
    await page.locator(".span-row").nth(2).dblclick();
    isNear(await shown(), [2, 218]);
    await page.keyboard.press("0");
    await until(page, () => !location.search.includes("window="));
  }),
);
