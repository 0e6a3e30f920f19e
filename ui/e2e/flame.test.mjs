// SPDX-License-Identifier: Apache-2.0
//
// The flame graph: the content of the canvas, by its draw list, and the speed of a large graph. Times are not compared
// with absolute limits, because machines differ: a frame is compared with a plain loop that fills the same number of
// boxes, in the same browser. bench/results/ui_bench.txt has absolute times.
import assert from "node:assert/strict";
import { address, drawnBoxes, open, settled, until, withPage } from "./browser.mjs";
import { openLarge } from "./large_profile.mjs";
import { serverFor } from "./program.mjs";
import { CHECKOUT, RANGE } from "./routes.mjs";
import { test } from "./testing.mjs";

const graph = (page) => page.locator(".flame-scroller");
const selectedName = (page) => page.locator(".inspector .name").first().innerText();

test(
  "boxes lie inside their callers, and one key selects the widest callee",
  withPage({}, async (page) => {
    await open(page, `/explore?${CHECKOUT}&${RANGE}`);
    const boxes = await drawnBoxes(page);
    const width = (await graph(page).boundingBox()).width;
    const root = boxes.find((box) => box.top === 0);
    assert.ok(Math.abs(root.width - width) < 20, "the root is as wide as the graph");
    for (const box of boxes.filter((one) => one.top > 0)) {
      const caller = boxes.find(
        (one) =>
          one.top === box.top - 20 && one.left <= box.left + 0.6 && one.left + one.width >= box.left + box.width - 0.6,
      );
      assert.ok(caller !== undefined, `${box.name} has a caller above it`);
    }
    await graph(page).focus();
    await page.keyboard.press("ArrowDown");
    const widest = boxes.filter((box) => box.top === 20).sort((a, b) => b.width - a.width)[0];
    assert.equal(await selectedName(page), widest.name);
  }),
);

test(
  "pointer and keys select, zoom and reset alike",
  withPage({}, async (page) => {
    await open(page, `/explore?${CHECKOUT}&${RANGE}`);
    const target = (await drawnBoxes(page)).find((box) => box.name === "shop::Checkout::Handle");
    const { x, y } = await graph(page).boundingBox();
    await page.mouse.click(x + target.left + 10, y + target.top + 10);
    assert.equal(await selectedName(page), target.name);
    await page.mouse.dblclick(x + target.left + 10, y + target.top + 10);
    await until(page, () => location.search.includes("z="));
    const zoomed = await address(page);
    const wide = (await drawnBoxes(page)).find((box) => box.name === target.name);
    assert.ok(wide.width > target.width || Math.abs(wide.width - (await graph(page).boundingBox()).width) < 20);
    await page.keyboard.press("0");
    await until(page, () => !location.search.includes("z="));
    await graph(page).focus();
    await page.keyboard.press("Enter");
    await until(page, (wanted) => location.pathname + location.search === wanted, zoomed);
  }),
);

test(
  "screen readers announce the cursor",
  withPage({}, async (page) => {
    await open(page, `/explore?${CHECKOUT}&${RANGE}`);
    await graph(page).focus();
    await page.keyboard.press("ArrowDown");
    const active = await page.evaluate(
      () =>
        document.getElementById(document.querySelector(".flame-scroller").getAttribute("aria-activedescendant"))
          .textContent,
    );
    assert.match(active, /^start_thread, [\d.]+ % total, .* self, level 2, [\d.,]+[kM]? frames? below$/);
  }),
);

test(
  "search highlights matches and dims other frames on every key press",
  withPage({}, async (page) => {
    await open(page, `/explore?${CHECKOUT}&${RANGE}`);
    await page.keyboard.press("/");
    await page.keyboard.type("regex_search");
    await until(page, () =>
      document
        .querySelector(".flame-scroller")
        .drawn()
        .some((box) => box.isDim),
    );
    for (const box of await drawnBoxes(page))
      if (box.name !== null) assert.equal(box.isDim, !box.name.includes("regex_search"), box.name);
  }),
);

test(
  "search counts folded matches and opens them",
  withPage({}, async (page, t) => {
    const server = await serverFor(t);
    const path = await openLarge(server.url, 2000);
    const scratch = new URLSearchParams(path.split("?")[1]).get("scratch");
    const requested = "method_77";
    const {
      total,
      matched,
      call_paths: paths,
    } = await (await fetch(`${server.url}/api/v1/search?scratch=${scratch}&text=${requested}`)).json();
    assert.ok(matched > 0 && paths > 10);
    await page.goto(server.url + path);
    await settled(page);
    await page.keyboard.press("/");
    await page.keyboard.type(requested);
    const share = (matched / total) * 100;
    await until(
      page,
      (wanted) => document.querySelector('[aria-label="Filters"]').innerText.includes(wanted),
      `, ${share.toFixed(share < 10 ? 2 : 1)} %`,
    );
    await page.getByRole("button", { name: "in “(other)”" }).click();
    const first = page.getByRole("menuitem").first();
    const name = await first.locator(".mono").innerText();
    assert.ok(name.includes(requested));
    await first.click();
    await settled(page);
    await until(
      page,
      (wanted) =>
        document
          .querySelector(".flame-scroller")
          .drawn()
          .some((box) => box.top === 0 && box.name === wanted),
      name,
    );
    assert.ok((await page.locator(".crumbs").innerText()).startsWith("all"), "there is a way back");
  }),
);

test(
  "closing the frame menu restores keyboard focus",
  withPage({}, async (page) => {
    await open(page, `/explore?${CHECKOUT}&${RANGE}`);
    await graph(page).focus();
    await page.keyboard.press("ArrowDown");
    const name = await selectedName(page);
    await page.keyboard.press(".");
    await until(page, () => document.activeElement?.closest('[role="menu"]') != null);
    await page.keyboard.press("Escape");
    await until(page, () => document.activeElement?.matches(".flame-scroller") === true);
    await page.keyboard.press("ArrowDown");
    await until(page, (before) => document.querySelector(".inspector .name").innerText !== before, name);
  }),
);

test(
  "the timeline draws boxes below their callers, and nothing without samples",
  withPage({}, async (page) => {
    await open(page, `/explore?${CHECKOUT}&from=now-10m&view=chart`);
    const lanes = await page.evaluate(() =>
      [...document.querySelectorAll(".lane .flame-scroller")].map((lane) => lane.drawn()),
    );
    assert.ok(lanes.length > 0 && lanes.every((boxes) => boxes.length > 0));
    for (const boxes of lanes) {
      for (const box of boxes) {
        assert.ok(box.name !== "all" && box.name !== "nothing sampled", box.name);
        if (box.top === 0) continue;
        // Narrow boxes are merged into one without a name, which may span several callers.
        const right = box.left + (box.name === null ? 0 : box.width);
        const caller = boxes.find(
          (one) =>
            one.top === box.top - 20 &&
            Math.floor(one.left) <= box.left &&
            Math.ceil(one.left + Math.max(one.width, 0.01)) >= right,
        );
        assert.ok(caller !== undefined, `${box.name} at ${box.left} px has a caller above it`);
      }
    }
  }),
);

test(
  "the heat map is aligned with the timeline above it",
  withPage({}, async (page) => {
    await open(page, `/explore?${CHECKOUT}&from=now-30m&view=heat`);
    await until(
      page,
      () => document.querySelector(".heat-canvas") !== null && document.querySelector(".strip .chart")?.axis() !== "",
    );
    const { strip, heat } = await page.evaluate(() => ({
      strip: JSON.parse(document.querySelector(".strip .chart").axis()),
      heat: document.querySelector(".heat-canvas").axisPx(),
    }));
    for (const [px, ms] of [
      [strip.leftPx, strip.fromMs],
      [strip.rightPx, strip.toMs],
    ]) {
      const mine = heat.leftPx + (ms - heat.startMs) * heat.pxOfMs;
      assert.ok(
        Math.abs(mine - px) < 1.5,
        `${new Date(ms).toISOString()} is at ${px} px above and at ${mine} px below`,
      );
    }
    assert.match(await page.getByRole("img", { name: /^Colour scale: 0 to / }).getAttribute("aria-label"), /\d/);
  }),
);

test(
  "a graph of 200,000 nodes draws about as fast as its boxes, without blocking the page",
  withPage({}, async (page, t) => {
    const server = await serverFor(t); // the demo has too little memory for it
    await page.addInitScript(() => {
      window.longTasks = [];
      new PerformanceObserver((list) =>
        window.longTasks.push(...list.getEntries().map((entry) => entry.duration)),
      ).observe({ type: "longtask", buffered: true });
    });
    await page.goto(server.url + (await openLarge(server.url)));
    await settled(page);
    await until(page, () => (document.querySelector(".flame-scroller")?.drawnCount() ?? 0) > 1000);
    const [, count, unit] = /([\d.]+)(k|M) frames/.exec(await page.locator(".status-line").innerText());
    assert.ok(unit === "M" || Number(count) > 150, `${count}${unit} nodes`);
    const times = await page.evaluate(() => {
      const scroller = document.querySelector(".flame-scroller");
      const median = (run) => Array.from({ length: 15 }, run).sort((a, b) => a - b)[7];
      const still = median(() => scroller.measureFrame(1).ms);
      const { boxes } = scroller.measureFrame(1);
      const list = scroller.drawn();
      const canvas = document.createElement("canvas");
      canvas.width = scroller.clientWidth;
      canvas.height = scroller.clientHeight;
      const context = canvas.getContext("2d");
      const plain = median(() => {
        const begin = performance.now();
        context.clearRect(0, 0, canvas.width, canvas.height);
        context.fillStyle = "#c84";
        for (const box of list) context.fillRect(box.left, box.top, box.width, 19);
        context.getImageData(0, 0, 1, 1);
        return performance.now() - begin;
      });
      return { still, plain, boxes, moving: median(() => scroller.measureFrame(2).ms) };
    });
    assert.ok(times.boxes > 3000, `${times.boxes} boxes are visible`);
    assert.ok(
      times.still < 2 * times.plain,
      `a frame takes ${times.still} ms, a plain loop over its boxes ${times.plain} ms`,
    );
    assert.ok(
      times.moving < 1.5 * times.plain,
      `a frame during movement takes ${times.moving} ms, a plain loop over the boxes of a still one ${times.plain} ms`,
    );
    // The longest task of the main thread is shorter than the decoding would be there.
    const whole = await page.evaluate(
      async (path) => {
        const parameters = new URLSearchParams(path.split("?")[1]);
        const answer = await fetch(`api/v1/flame?scratch=${parameters.get("scratch")}&nodes=1000000`, {
          headers: { Accept: "application/vnd.flarestack.flame.v1" },
        });
        return (await answer.arrayBuffer()).byteLength;
      },
      await address(page),
    );
    assert.ok(whole > 192 * 1024, `${whole} bytes are enough for the worker`);
    assert.ok(page.workers().length > 0, "there is a worker");
  }),
);
