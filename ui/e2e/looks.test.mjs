// SPDX-License-Identifier: Apache-2.0
//
// The look of pages: six screenshots, zoom, motion, light and dark theme.
//
// Screenshots are not compared by pixel, because fonts, browsers and the times of the demo change pixels without a change
// of a page. The test compares the positions of the parts of a page, to a few percent of the window, and the colours of
// a coarse grid. That reveals parts that are missing, moved, clipped or in the wrong theme, but not single letters.
// `npm run browser -- --update` rewrites looks.json; the screenshots are in build/screenshots.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { address, open, SCREENSHOTS, settled, until, withPage } from "./browser.mjs";
import { CHECKOUT, RANGE, routes } from "./routes.mjs";
import { test } from "./testing.mjs";

const LOOKS = new URL("looks.json", import.meta.url);
const IS_UPDATE = process.argv.includes("--update");
const GRID = [16, 10];
const BOX_PX_MAX = 48;
const COLOR_STEPS_MAX = 36; // of 255, mean over red, green and blue
const CELLS_OFF_MAX = 0.08;

const looks = JSON.parse(readFileSync(LOOKS, "utf8"));

const PICTURES = [
  ["fleet", "light"],
  ["icicle", "light"],
  ["comparison", "light"],
  ["trace", "light"],
  ["flame", "dark"],
  ["metrics", "dark"],
];
const all = await routes();

// The large parts of the page, by name.
const partsOf = (page) =>
  page.evaluate(() => {
    const parts = {};
    const note = (name, element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      if (y < window.innerHeight && width > 0)
        parts[name] ??= [x, y, width, Math.min(height, window.innerHeight - y)].map(Math.round);
    };
    for (const [name, selector] of [
      ["rail", ".rail"],
      ["bar", ".scope-bar"],
      ["main", "main"],
      ["graph", ".flame-scroller"],
      ["inspector", ".inspector"],
    ]) {
      const element = document.querySelector(selector);
      if (element !== null) note(name, element);
    }
    for (const panel of document.querySelectorAll(".panel")) {
      const title = panel.querySelector("h2")?.textContent.split(/[\d,]/)[0].trim() ?? panel.getAttribute("aria-label");
      if (title) note(`panel ${title}`, panel);
    }
    return parts;
  });

// Mean colours of grid cells as [red, green, blue], computed by the browser on a separate page.
async function gridOf(page, png) {
  const judge = await page.context().newPage();
  try {
    return await judge.evaluate(
      async ([base64, [columns, rows]]) => {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
        const canvas = new OffscreenCanvas(columns * 8, rows * 8);
        const context = canvas.getContext("2d");
        context.imageSmoothingQuality = "high";
        context.drawImage(picture, 0, 0, canvas.width, canvas.height);
        const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
        return Array.from({ length: columns * rows }, (_, cell) => {
          const sum = [0, 0, 0];
          for (let y = 0; y < 8; ++y)
            for (let x = 0; x < 8; ++x) {
              const at = ((Math.floor(cell / columns) * 8 + y) * canvas.width + (cell % columns) * 8 + x) * 4;
              for (let c = 0; c < 3; ++c) sum[c] += data[at + c];
            }
          return sum.map((value) => Math.round(value / 64));
        });
      },
      [png.toString("base64"), GRID],
    );
  } finally {
    await judge.close();
  }
}

for (const [name, colorScheme] of PICTURES) {
  test(
    `${name} in ${colorScheme} looks unchanged`,
    withPage({ colorScheme }, async (page, t) => {
      const route = all.find((one) => one.name === name);
      await open(page, route.path);
      await until(page, (wanted) => document.body.innerText.includes(wanted), route.text);
      await settled(page);
      mkdirSync(SCREENSHOTS, { recursive: true });
      const png = await page.screenshot({ path: `${SCREENSHOTS}${name}-${colorScheme}.png` });
      const found = { parts: await partsOf(page), grid: await gridOf(page, png) };
      const key = `${name} ${colorScheme}`;
      if (IS_UPDATE) {
        looks[key] = found;
        writeFileSync(
          LOOKS,
          `${JSON.stringify(looks)
            .replace(/("[\w ]+":\{"parts")/g, "\n$1")
            .replace(/"grid"/g, '\n"grid"')}\n`,
        );
        return;
      }
      const wanted = looks[key];
      if (wanted === undefined)
        return void t.skip(`looks.json has no "${key}"; npm run browser -- --only=looks --update writes it`);
      assert.deepEqual(Object.keys(found.parts).sort(), Object.keys(wanted.parts).sort(), "the parts of the page");
      for (const [part, box] of Object.entries(wanted.parts)) {
        const off = Math.max(...box.map((value, i) => Math.abs(value - found.parts[part][i])));
        assert.ok(off <= BOX_PX_MAX, `${part} is at ${found.parts[part]}, expected ${box}`);
      }
      const differing = wanted.grid.filter(
        (cell, i) => cell.reduce((sum, value, c) => sum + Math.abs(value - found.grid[i][c]), 0) / 3 > COLOR_STEPS_MAX,
      );
      assert.ok(
        differing.length <= wanted.grid.length * CELLS_OFF_MAX,
        `${differing.length} of ${wanted.grid.length} parts of the picture have other colours`,
      );
    }),
  );
}

test(
  "at 200 % zoom everything is reachable without overflow",
  withPage({ viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }, async (page) => {
    for (const { name, path } of all) {
      await open(page, path);
      const out = await page.evaluate(() => {
        const { innerWidth, innerHeight } = window;
        const isReachable = (element) => {
          const box = element.getBoundingClientRect();
          return (
            box.width > 0 &&
            box.left >= -1 &&
            box.right <= innerWidth + 1 &&
            box.top >= -1 &&
            box.bottom <= innerHeight + 1
          );
        };
        return {
          wide: document.documentElement.scrollWidth - innerWidth,
          lost: [...document.querySelectorAll(".scope-bar :is(button, select, input)")]
            .filter((element) => !isReachable(element))
            .map((element) => element.getAttribute("aria-label") ?? element.textContent),
          room: document.querySelector("main").clientHeight,
          sideways: document.querySelector("main").scrollWidth - document.querySelector("main").clientWidth,
        };
      });
      assert.ok(out.wide <= 0, `${name} is ${out.wide} px too wide`);
      assert.deepEqual(out.lost, [], `${name}: controls outside the window`);
      assert.ok(out.room >= 160, `${name}: the page has only ${out.room} px`);
      assert.ok(out.sideways <= 1, `${name}: the page scrolls sideways by ${out.sideways} px`);
    }
  }),
);

test(
  "a flame graph is readable at 200 % zoom",
  withPage({ viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }, async (page) => {
    await open(page, `/explore?${CHECKOUT}&${RANGE}`);
    await page.locator(".flame-scroller").scrollIntoViewIfNeeded();
    const box = await page.locator(".flame-scroller").boundingBox();
    assert.ok(box.height >= 120 && box.width >= 300, JSON.stringify(box));
  }),
);

test(
  "the theme follows the system until the user chooses, and is stored",
  withPage({ colorScheme: "dark" }, async (page) => {
    const theme = () =>
      page.evaluate(() => [document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor]);
    await open(page, `/?${RANGE}`);
    const dark = await theme();
    assert.equal(dark[0], "dark");
    await page.keyboard.press("T");
    const light = await theme();
    assert.equal(light[0], "light");
    assert.notEqual(light[1], dark[1]);
    await page.reload();
    await settled(page);
    assert.deepEqual(await theme(), light);
    await page.emulateMedia({ colorScheme: "light" });
    await page.keyboard.press("T");
    assert.deepEqual(await theme(), dark);
  }),
);

for (const reducedMotion of ["reduce", "no-preference"]) {
  test(
    `animations are ${reducedMotion === "reduce" ? "off" : "on"} if reduced motion is ${reducedMotion}`,
    withPage({ reducedMotion }, async (page) => {
      await open(page, `/explore?${CHECKOUT}&${RANGE}&sel=json::parse`);
      // The widths of the root after a zoom: constant without motion, with intermediate values otherwise.
      const widths = await page.evaluate(async () => {
        const scroller = document.querySelector(".flame-scroller");
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        scroller.focus();
        for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown"]) {
          scroller.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
          await frame();
        }
        scroller.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
        const seen = new Set();
        for (let i = 0; i < 30; ++i) {
          await frame();
          seen.add(
            Math.round(
              scroller
                .drawn()
                .filter((box) => box.name !== null)
                .reduce((least, box) => Math.min(least, box.width), Infinity) * 100,
            ),
          );
        }
        return seen.size;
      });
      assert.match(await address(page), /[?&]z=/);
      if (reducedMotion === "reduce") assert.ok(widths <= 2, `${widths} pictures`);
      else assert.ok(widths > 2, `${widths} pictures`);
      const moving = await page.evaluate(() => document.getAnimations().length);
      if (reducedMotion === "reduce") assert.equal(moving, 0);
    }),
  );
}
