// SPDX-License-Identifier: Apache-2.0
//
// A minute, an hour and a week of an ordinary service: pages show the same cores, bytes and rates for any range.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { drawnBoxes, SCREENSHOTS, settled, withPage } from "./browser.mjs";
import { CORES, HEAP_BYTES, REQUESTS_A_SECOND, sendOrdinaryData } from "./ordinary_data.mjs";
import { serverFor } from "./program.mjs";
import { test } from "./testing.mjs";

const RANGES = [
  { name: "a minute", intervalMs: 5000, count: 12 },
  { name: "an hour", intervalMs: 60_000, count: 60 },
  { name: "a week", intervalMs: 600_000, count: 1008 },
];
const SHOP = `q=${encodeURIComponent('{service.name="shop"}')}`;

const numberOf = (text) => Number.parseFloat(text); // the number in a tile: "0.5 cores used"
const near = (value, wanted, what) =>
  assert.ok(Math.abs(value - wanted) <= wanted * 0.12, `${what}: ${value}, not about ${wanted}`);
const tile = (page, name) => page.locator(".tile", { hasText: name }).first().innerText();
const chartOf = (page) => page.evaluate(() => document.querySelector(".chart").drawnLines());

for (const range of RANGES) {
  test(
    `pages show correct values for ${range.name} of data`,
    withPage({}, async (page, t) => {
      const server = await serverFor(t, ["--retention", "30d"]);
      const { from, to } = await sendOrdinaryData(server, range);
      const wanted = [`from=${from}&to=${to}`, ""]; // an explicit range, and the default
      const visit = async (path, times) => {
        await page.goto(`${server.url}${path}${path.includes("?") ? "&" : "?"}${times}`);
        await settled(page);
        mkdirSync(SCREENSHOTS, { recursive: true });
        const picture = `${range.name} ${times === "" ? "default" : "chosen"} ${path}`
          .replace(/[^\w]+/g, "-")
          .slice(0, 80);
        await page.screenshot({ path: `${SCREENSHOTS}range-${picture}.png` });
        const shown = await page.locator("main").innerText();
        assert.ok(!/No data|this part of the page failed/.test(shown), `${path}: ${shown.slice(0, 400)}`);
      };
      for (const times of wanted) {
        await visit("/", times);
        near(numberOf(await tile(page, "cores used")), CORES, "cores of the fleet");
        assert.equal((await chartOf(page))[0].pieces, 1, "cost over time is one line without gaps");

        await visit("/service/shop", times);
        await visit(`/explore?${SHOP}`, times);
        const boxes = await drawnBoxes(page);
        assert.deepEqual(
          boxes
            .map((box) => box.name)
            .filter((name) => name !== "")
            .sort()
            .slice(-3),
          ["main", "parse", "serve"],
        );

        await visit(`/explore?${SHOP}&type=inuse_space`, times);
        const heap = await page.locator("main").innerText();
        assert.match(heap, /100\.?0* MiB/, `in-use memory is not summed over time (${HEAP_BYTES} bytes)`);

        await visit("/charts?metric=http.server.requests", times);
        const [requests] = await chartOf(page);
        assert.equal(requests.pieces, 1, JSON.stringify(requests));
        assert.ok(requests.points >= 3, JSON.stringify(requests));

        await visit("/traces", times);
        await visit("/logs", times);
        await visit("/fn/parse", times);
        near(numberOf(await tile(page, "self")), 75, "share of parse");
      }
      // The API of the counter chart: requests per second, at any step.
      const answer = await (
        await fetch(`${server.url}/api/v1/metrics/query?name=http.server.requests&rate=1&from=${from}&to=${to}`)
      ).json();
      const values = (answer.lines?.[0]?.values ?? []).filter((value) => value !== null);
      assert.ok(values.length > 0, JSON.stringify(answer).slice(0, 300));
      near(values.reduce((sum, value) => sum + value, 0) / values.length, REQUESTS_A_SECOND, "requests a second");
    }),
  );
}
