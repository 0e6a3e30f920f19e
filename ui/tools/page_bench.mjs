// SPDX-License-Identifier: Apache-2.0
//
// npm run bench: measures the speed of the pages against budgets, and writes bench/results/ui_bench.txt. Starts the
// program (FLARESTACK_PROGRAM, default build/dev/flarestack), uploads a profile of about 200,000 nodes, and opens it in
// the installed Chromium without a GPU. Frame times include drawing, because each frame ends with reading back a pixel.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { gzipSync } from "node:zlib";
import { openLarge } from "../e2e/large_profile.mjs";
import { startDemo, startServer } from "../e2e/program.mjs";
import { allScripts, filesOfFirstScreen, gzippedBytes } from "./bundle_files.mjs";
import { launchChromium } from "./chromium.mjs";

const RESULTS = new URL("../../bench/results/ui_bench.txt", import.meta.url);
const RUNS = 5;
const FRAMES = 60;
const FLAME_TYPE = "application/vnd.flarestack.flame.v1";

const sorted = (values) => [...values].sort((a, b) => a - b);
const at = (values, part) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * part))];
const rows = [];

// Lower is better. `budget` is the goal, `most` the limit.
function row(what, value, unit, budget, most, note = "") {
  const verdict =
    value <= budget ? "within the budget" : value <= most ? "above the budget, below the limit" : "OVER THE LIMIT";
  rows.push([
    what,
    `${value.toFixed(unit === "ms" ? 1 : 0)} ${unit}`,
    `${budget} ${unit}`,
    `${most} ${unit}`,
    verdict,
    note,
  ]);
  console.log(rows.at(-1).join(" | "));
}

function bundles() {
  const kibibytes = (files) => files.reduce((sum, file) => sum + gzippedBytes(file), 0) / 1024;
  row(
    "scripts of the first screen, gzip",
    kibibytes(filesOfFirstScreen().filter((file) => file.endsWith(".js"))),
    "KiB",
    120,
    150,
  );
  row("all scripts, gzip", kibibytes(allScripts), "KiB", 260, 320);
}

// Opens the graph in a new tab, with the files of the page in the cache, but not the response.
async function load(context, address) {
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.longTasks = [];
    new PerformanceObserver((list) =>
      window.longTasks.push(...list.getEntries().map((entry) => entry.duration)),
    ).observe({ type: "longtask", buffered: true });
  });
  await page.goto(address);
  const visible = await page.waitForFunction(
    () => ((document.querySelector(".flame-scroller")?.drawnCount?.() ?? 0) > 1000 ? performance.now() : 0),
    null,
    { polling: "raf" },
  );
  const result = {
    visible: await visible.jsonValue(),
    paint: await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime),
  };
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  result.longest = Math.max(0, ...(await page.evaluate(() => window.longTasks)));
  return { page, result };
}

async function loading(context, address) {
  const results = [];
  for (let i = 0; i <= RUNS; ++i) {
    const { page, result } = await load(context, address);
    if (i > 0) results.push(result); // the first run fetches the files of the page
    await page.close();
  }
  const median = (name) =>
    at(
      results.map((result) => result[name]),
      0.5,
    );
  row("first contentful paint", median("paint"), "ms", 400, 800, `median of ${RUNS}`);
  row(
    "flame graph of 200,000 nodes visible",
    median("visible"),
    "ms",
    1000,
    2000,
    `median of ${RUNS}, from the start of the page`,
  );
  row(
    "longest task of the main thread while loading",
    median("longest"),
    "ms",
    50,
    100,
    `median of ${RUNS}; the browser does not report tasks below 50 ms`,
  );
}

// Frame times during movement, each from its event to its last pixel.
const frames = (page, kind) =>
  page.evaluate(
    async ([movement, count]) => {
      const scroller = document.querySelector(".flame-scroller");
      const marks = document.querySelector(".flame-marks");
      const [boxes, upper] = [document.querySelector(".flame-boxes").getContext("2d"), marks.getContext("2d")];
      const { left, top, width, height } = marks.getBoundingClientRect();
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const move = (i) => {
        const init = {
          bubbles: true,
          cancelable: true,
          clientX: left + width * (0.2 + 0.6 * ((i * 0.37) % 1)),
          clientY: top + Math.min(height, 600) * ((i * 0.61) % 1),
        };
        if (movement === "hover") marks.dispatchEvent(new PointerEvent("pointermove", init));
        else if (movement === "zoom")
          marks.dispatchEvent(
            new WheelEvent("wheel", {
              ...init,
              clientX: left + width / 2,
              ctrlKey: true,
              deltaY: i % 2 === 0 ? -120 : 110,
            }),
          );
        else if (movement === "pan")
          marks.dispatchEvent(new WheelEvent("wheel", { ...init, shiftKey: true, deltaY: i % 40 < 20 ? 60 : -60 }));
        else scroller.scrollTop = i % 2 === 0 ? 200 : 0;
      };
      if (movement === "pan")
        for (let i = 0; i < 4; ++i)
          marks.dispatchEvent(
            new WheelEvent("wheel", {
              bubbles: true,
              cancelable: true,
              clientX: left + width / 2,
              ctrlKey: true,
              deltaY: -120,
            }),
          );
      const times = [];
      for (let i = 0; i < count; ++i) {
        await frame(); // the work starts in the next frame
        const begin = performance.now();
        move(i);
        const handled = performance.now() - begin;
        await frame();
        const drawing = performance.now();
        scroller.measureFrame(2);
        upper.getImageData(0, 0, 1, 1);
        boxes.getImageData(0, 0, 1, 1);
        times.push(movement === "hover" ? handled : handled + performance.now() - drawing);
      }
      return times;
    },
    [kind, FRAMES],
  );

async function moving(page) {
  for (const [kind, what] of [
    ["pan", "pan"],
    ["zoom", "zoom"],
    ["scroll", "scroll"],
    ["hover", "hover"],
  ]) {
    const times = await frames(page, kind);
    row(
      `${what}, frame at 200,000 nodes, p95`,
      at(times, 0.95),
      "ms",
      12,
      16.6,
      `median ${at(times, 0.5).toFixed(1)} ms`,
    );
  }
  const still = await page.evaluate(
    (count) => Array.from({ length: count }, () => document.querySelector(".flame-scroller").measureFrame(1).ms),
    FRAMES,
  );
  const boxes = await page.evaluate(() => document.querySelector(".flame-scroller").measureFrame(1).boxes);
  row(
    "still frame with all boxes from 1 px on, p95",
    at(still, 0.95),
    "ms",
    16.6,
    33,
    `median ${at(still, 0.5).toFixed(1)} ms, ${boxes} boxes`,
  );
}

// From the key press to the highlighted boxes on the canvas.
async function searching(page) {
  const times = [];
  await page.keyboard.press("/");
  for (const letter of "method_1") {
    times.push(
      await page.evaluate(async (key) => {
        const input = document.activeElement;
        const begin = performance.now();
        input.value += key;
        input.dispatchEvent(new InputEvent("input", { bubbles: true, data: key }));
        const isMarked = () =>
          input.value.length < 2 ||
          document
            .querySelector(".flame-scroller")
            .drawn()
            .some((box) => box.isDim);
        do await new Promise((resolve) => setTimeout(resolve, 0));
        while (!isMarked());
        document.querySelector(".flame-boxes").getContext("2d").getImageData(0, 0, 1, 1);
        return performance.now() - begin;
      }, letter),
    );
  }
  row("search, key to marked boxes, p95", at(times, 0.95), "ms", 50, 100, `median ${at(times, 0.5).toFixed(1)} ms`);
}

async function heap(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize, backingStorageSize = 0 } = await session.send("Runtime.getHeapUsage");
  row(
    "heap with 200,000 nodes",
    (usedSize + backingStorageSize) / 1e6,
    "MB",
    60,
    120,
    `objects ${(usedSize / 1e6).toFixed(0)} MB, columns and pixels ${(backingStorageSize / 1e6).toFixed(0)} MB`,
  );
}

// The guide of the demo: each step from the click until all responses are drawn.
async function guide(browser) {
  const demo = await startDemo();
  const page = await browser.newPage({ viewport: { width: 1600, height: 900 }, reducedMotion: "reduce" });
  try {
    await page.addInitScript(() => {
      let pendingRequests = 0;
      const original = window.fetch;
      window.fetch = (...parameters) => {
        ++pendingRequests;
        return original(...parameters).finally(() => --pendingRequests);
      };
      const isQuiet = () =>
        pendingRequests === 0 &&
        document.querySelector("main") !== null &&
        !document.querySelector("main").textContent.includes("Loading …") &&
        document.querySelector(".progress-line, .is-loading") === null;
      // A response may trigger the next request, so wait for several quiet frames; the first of them counts.
      window.timeOf = async (action) => {
        const begin = performance.now();
        action();
        for (let quiet = 0, since = 0; ; ) {
          await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
          if (!isQuiet()) quiet = 0;
          else if (++quiet === 1) since = performance.now();
          else if (quiet === 5) return since - begin;
        }
      };
    });
    const steps = (await (await fetch(`${demo.url}/api/v1/guide`)).json()).steps;
    const times = steps.map(() => []);
    for (let run = 0; run < RUNS; ++run) {
      await page.goto(demo.url + steps[0].path);
      times[0].push(await page.evaluate(async () => performance.now() + (await window.timeOf(() => undefined))));
      for (let i = 1; i < steps.length; ++i)
        times[i].push(
          await page.evaluate(() => window.timeOf(() => document.querySelector(".guide a.button.primary").click())),
        );
    }
    const medians = times.map((of) => at(of, 0.5));
    row(
      `slowest of the ${steps.length} steps of the demonstration's guide`,
      Math.max(...medians),
      "ms",
      1000,
      1000,
      `medians of ${RUNS}: ${medians.map((ms) => ms.toFixed(0)).join(", ")} ms, from the click to the last box`,
    );
  } finally {
    await page.close();
    await demo.stop();
  }
}

async function payload(url) {
  const scratch = new URLSearchParams((await openLarge(url)).split("?")[1]).get("scratch");
  const answer = await fetch(`${url}/api/v1/flame?scratch=${scratch}&nodes=20000`, { headers: { Accept: FLAME_TYPE } });
  row(
    "flame graph of 20,000 nodes, gzip",
    gzipSync(Buffer.from(await answer.arrayBuffer())).length / 1024,
    "KiB",
    100,
    300,
  );
}

const server = await startServer();
const browser = await launchChromium();
try {
  bundles();
  await payload(server.url);
  const context = await browser.newContext({ viewport: { width: 1600, height: 900 }, reducedMotion: "reduce" });
  const address = server.url + (await openLarge(server.url));
  await loading(context, address);
  const { page } = await load(context, address);
  await moving(page);
  await searching(page);
  await heap(page);
  await page.close();
  await guide(browser);
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((cells) => cells[column].length), 8));
  const line = (cells) =>
    cells
      .map((cell, i) => (i < 5 ? (i >= 1 && i <= 3 ? cell.padStart(widths[i]) : cell.padEnd(widths[i])) : cell))
      .join("  ")
      .trimEnd();
  const processors = `${cpus().length} x ${cpus()[0].model}`;
  const text = [
    `Pages in Chromium ${browser.version()}, headless, without a GPU, 1600 x 900; ${processors}`,
    "Made by: npm run bench, in ui/. Lower is better; budgets assume a laptop with a local server.",
    "",
    line(["what", "measured", "budget", "limit", "verdict", "note"]),
    ...rows.map(line),
    "",
  ].join("\n");
  writeFileSync(RESULTS, text);
} finally {
  await browser.close();
  await server.stop();
}
