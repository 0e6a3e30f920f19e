// SPDX-License-Identifier: Apache-2.0
//
// The time picker, the time zone, and automatic refresh.
import assert from "node:assert/strict";
import { violations } from "./accessibility.mjs";
import { open, query, settled, until, withPage } from "./browser.mjs";
import { sendOtlp, serverFor } from "./program.mjs";
import { RANGE } from "./routes.mjs";
import { test } from "./testing.mjs";

const picker = (page) => page.getByRole("dialog", { name: "Time range" });
const openPicker = async (page) => {
  await page.locator('.scope-bar .row [aria-haspopup="dialog"]').click();
  await picker(page).waitFor();
};

// New York has no daylight saving time on the tested days: UTC-5.
const JANUARY = { from: Date.UTC(2026, 0, 14, 15), to: Date.UTC(2026, 0, 14, 17) };

test(
  "the calendar selects a range by keyboard, in the selected zone",
  withPage({ timezoneId: "America/New_York" }, async (page) => {
    await open(page, `/logs?from=${JANUARY.from}&to=${JANUARY.to}`);
    await openPicker(page);
    const from = picker(page).getByLabel("From");
    assert.equal(await from.inputValue(), "2026-01-14 10:00:00");
    assert.deepEqual(await violations(page), []);
    await picker(page).getByLabel("Time zone").selectOption("utc");
    assert.equal(await from.inputValue(), "2026-01-14 15:00:00");
    // Starting at the selected day, by keyboard: the 21st, and two days later.
    await picker(page).getByRole("button", { name: "14 January 2026" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    assert.equal(await from.inputValue(), "2026-01-21 00:00:00");
    assert.equal(await picker(page).getByLabel("To", { exact: true }).inputValue(), "2026-01-23 23:59:59");
    await page.keyboard.press("PageDown");
    await until(page, () => document.activeElement?.getAttribute("aria-label") === "23 February 2026");
    await picker(page).getByRole("button", { name: "Apply" }).click();
    assert.equal((await query(page)).get("from"), String(Date.UTC(2026, 0, 21)));
    assert.equal((await query(page)).get("to"), String(Date.UTC(2026, 0, 23, 23, 59, 59)));
    await until(page, () =>
      document
        .querySelector('.scope-bar .row [aria-haspopup="dialog"]')
        .innerText.includes("2026-01-21 00:00:00 – 2026-01-23 23:59:59 UTC"),
    );
  }),
);

test(
  "the time picker reports invalid input, and Escape closes it",
  withPage({}, async (page) => {
    await open(page, `/?${RANGE}`);
    await openPicker(page);
    await picker(page).getByLabel("From").fill("yesterday");
    await picker(page).getByRole("alert").waitFor();
    assert.ok(await picker(page).getByRole("button", { name: "Apply" }).isDisabled());
    await picker(page).getByLabel("From").fill("now-30m");
    await page.keyboard.press("Enter");
    assert.equal((await query(page)).get("from"), "now-30m");
    await openPicker(page);
    await page.keyboard.press("Escape");
    await until(
      page,
      () =>
        document.querySelector(".time-picker") === null &&
        document.activeElement?.getAttribute("aria-haspopup") === "dialog",
    );
    await openPicker(page);
    await picker(page).getByRole("button", { name: "Last 3 hours" }).click();
    assert.equal((await query(page)).get("from"), "now-3h");
  }),
);

test(
  "all times use the selected zone, even after a reload",
  withPage({ timezoneId: "Asia/Kolkata" }, async (page, t) => {
    const server = await serverFor(t);
    // A full hour in UTC is half past in the zone.
    const now = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 3_600_000;
    const record = (ms) => ({ timeUnixNano: `${ms}000000`, severityNumber: 9, body: { stringValue: "hello" } });
    await sendOtlp(server, "logs", {
      resourceLogs: [{ scopeLogs: [{ logRecords: Array.from({ length: 60 }, (_, i) => record(now + i * 60_000)) }] }],
    });
    await page.goto(`${server.url}/logs?from=${now}&to=${now + 3_600_000}`);
    await settled(page);
    const clocks = () =>
      page.evaluate(() => [
        document.querySelector(".log-row .number").textContent,
        document.querySelector(".chart").timeLabels()[0],
      ]);
    const hour = (ms) => new Date(ms).toISOString().slice(11, 16);
    const local = await clocks();
    assert.ok(local[0].startsWith(hour(now + 59 * 60_000 + 5.5 * 3_600_000)), `${local}`);
    assert.match(local[1], /:[0-5][05]$/);
    await openPicker(page);
    await picker(page).getByLabel("Time zone").selectOption("utc");
    await page.keyboard.press("Escape");
    const isUtc = async () => {
      await until(
        page,
        (wanted) => document.querySelector(".log-row .number")?.textContent.startsWith(wanted),
        hour(now + 59 * 60_000),
      );
      await until(
        page,
        (wanted) => document.querySelector(".chart")?.timeLabels?.().includes(wanted),
        hour(now + 30 * 60_000),
      );
    };
    await isUtc();
    await page.reload();
    await settled(page);
    await isUtc();
  }),
);

test(
  "auto-refresh runs at its interval, pauses during a selection, and never clears the page",
  withPage({}, async (page, t) => {
    const server = await serverFor(t);
    const send = (body) =>
      sendOtlp(server, "logs", {
        resourceLogs: [
          {
            scopeLogs: [
              {
                logRecords: [
                  { timeUnixNano: `${Date.now() - 1000}000000`, severityNumber: 9, body: { stringValue: body } },
                ],
              },
            ],
          },
        ],
      });
    const has = (text) =>
      until(page, (wanted) => document.querySelector('[aria-label="Log records"]')?.innerText.includes(wanted), text);
    await send("first");
    await page.goto(`${server.url}/logs?from=now-15m`);
    await settled(page);
    await has("first");
    await page.evaluate(() => {
      window.wasEmpty = false;
      new MutationObserver(() => (window.wasEmpty ||= document.querySelector(".log-row") === null)).observe(
        document.querySelector("main"),
        { childList: true, subtree: true },
      );
    });
    await page.getByLabel("Auto-refresh").selectOption("5");
    await send("second");
    await has("second");
    assert.equal(await page.evaluate(() => window.wasEmpty), false);
    await page.locator(".log-row").first().click();
    await page.getByText("Paused").waitFor();
    await send("third");
    const requested = [];
    page.on("request", (request) => request.url().includes("/api/v1/logs?") && requested.push(request.url()));
    await page.waitForTimeout(6000); // longer than the interval
    assert.deepEqual(requested, []);
    await page.locator(".log-row").first().click();
    await has("third");
    await page.reload();
    await settled(page);
    assert.equal(await page.getByLabel("Auto-refresh").inputValue(), "5");
    await page.goto(`${server.url}/logs?from=${Date.now() - 60_000}&to=${Date.now()}`);
    await settled(page);
    assert.equal(await page.getByLabel("Auto-refresh").count(), 0, "a fixed range has no auto-refresh");
  }),
);
