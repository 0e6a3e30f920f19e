// SPDX-License-Identifier: Apache-2.0
//
// The guide of the demo links its steps, keeps its progress, and can be folded and hidden.
import assert from "node:assert/strict";
import { violations } from "./accessibility.mjs";
import { open, settled, theDemo, until, withPage } from "./browser.mjs";
import { CHECKOUT, RANGE, slowTrace } from "./routes.mjs";
import { test } from "./testing.mjs";

const TRACE = await slowTrace();
const STEPS = [
  {
    title: "The spike",
    text: "Requests take longer since the last deployment.",
    path: `/charts?${RANGE}&metric=http.server.request.duration`,
  },
  { title: "A slow request", text: "One of them, with all its spans.", path: `/trace/${TRACE}` },
  { title: "Its flame graph", text: "What the code of it did.", path: `/explore?${CHECKOUT}&${RANGE}` },
  {
    title: "The line",
    text: "One line takes most of it.",
    path: `/explore?${CHECKOUT}&${RANGE}&view=lines&sel=shop::Coupon::matches`,
  },
  { title: "The log", text: "What the program said then.", path: `/logs?${RANGE}` },
  { title: "Your own program", text: "Now yours.", path: "/" },
];

const pretend = (page) =>
  page.route("**/api/v1/guide", (route) =>
    route.fulfill({ json: { title: "Why is checkout slow?", steps: STEPS, meta: {} } }),
  );
const guide = (page) => page.getByRole("complementary", { name: "Guide" });
const current = (page) => guide(page).locator('[aria-current="step"] .ordinal').innerText();

test(
  "the guide works by keyboard, and survives a reload",
  withPage({}, async (page) => {
    await pretend(page);
    await open(page, STEPS[0].path);
    assert.equal(await current(page), "1");
    assert.deepEqual(await violations(page), []);
    await guide(page).getByRole("link", { name: "Next: A slow request" }).focus();
    await page.keyboard.press("Enter");
    await until(page, (id) => location.pathname === `/trace/${id}`, TRACE);
    assert.equal(await current(page), "2");
    await page.reload();
    await settled(page);
    assert.equal(await current(page), "2");
    await page.getByRole("link", { name: "Logs", exact: true }).first().click(); // to a page outside the guide
    await until(page, () => location.pathname === "/logs");
    assert.equal(await current(page), "2", "other pages do not change the step");
    await guide(page).getByRole("link", { name: "Go to this step" }).click();
    await until(page, (id) => location.pathname === `/trace/${id}`, TRACE);
  }),
);

test(
  "Next opens the next step, even from a page outside the guide",
  withPage({}, async (page) => {
    const { url } = await theDemo();
    const { steps } = await (await fetch(`${url}/api/v1/guide`)).json();
    await open(page, "/");
    assert.equal(await current(page), "1");
    await guide(page)
      .getByRole("link", { name: `Next: ${steps[1].title}` })
      .click();
    await until(page, (path) => location.pathname === path, steps[1].path.split("?")[0]);
    assert.equal(await current(page), "2");
    await open(page, "/");
    await guide(page).getByRole("link", { name: "Go to this step" }).click();
    await until(page, (path) => location.pathname === path, steps[1].path.split("?")[0]);
    await guide(page)
      .getByRole("link", { name: `1 ${steps[0].title}` })
      .click();
    for (const [i, step] of steps.entries()) {
      await settled(page);
      assert.equal(await current(page), String(i + 1));
      if (step.path !== "") assert.equal(await page.evaluate(() => location.pathname), step.path.split("?")[0]);
      if (i + 1 < steps.length)
        await guide(page)
          .getByRole("link", { name: `Next: ${steps[i + 1].title}` })
          .click();
    }
  }),
);

test(
  "the trace step selects the span with the regular expression",
  withPage({}, async (page) => {
    const { url } = await theDemo();
    const { steps } = await (await fetch(`${url}/api/v1/guide`)).json();
    await open(page, steps[1].path);
    await until(page, () => document.querySelector(".inspector")?.textContent.includes("apply coupons"));
    await until(page, () => document.querySelector(".inspector .small-flame") !== null);
  }),
);

test(
  "step titles are never truncated, and all are available at 1280 pixels",
  withPage({}, async (page) => {
    const { url } = await theDemo();
    const { steps } = await (await fetch(`${url}/api/v1/guide`)).json();
    for (const width of [390, 700, 1024, 1280, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      for (const { path } of [steps[0], steps[5]]) {
        await open(page, path);
        const titles = await guide(page)
          .locator(".step-title, .guide-title")
          .evaluateAll((all) =>
            all
              .filter((one) => one.clientWidth > 0)
              .map((one) => ({
                text: one.textContent,
                cut: one.scrollWidth > one.clientWidth || one.getBoundingClientRect().right > window.innerWidth,
              })),
          );
        assert.deepEqual(
          titles.filter((title) => title.cut),
          [],
          `at ${width}`,
        );
        if (width === 1280)
          assert.deepEqual(
            titles.map((title) => title.text),
            steps.map((step) => step.title),
          );
      }
    }
  }),
);

test(
  "on a phone the text has the full width and folds to a bar",
  withPage({ viewport: { width: 390, height: 844 } }, async (page) => {
    const { url } = await theDemo();
    const { steps } = await (await fetch(`${url}/api/v1/guide`)).json();
    const heightOf = async (what) => (await what.boundingBox()).height;
    for (const step of steps.filter(({ path }) => path !== "")) {
      await open(page, step.path);
      const [strip, text] = await Promise.all([
        guide(page).boundingBox(),
        guide(page).getByRole("status").boundingBox(),
      ]);
      assert.ok(
        strip.x + strip.width <= 391 && text.width > strip.width - 40,
        `${step.title}: ${JSON.stringify({ strip, text })}`,
      );
      assert.ok((await heightOf(page.locator("main"))) > 844 * 0.5, `${step.title} leaves space for the page`);
    }
    await guide(page).getByRole("button", { name: "Collapse guide" }).click();
    assert.ok((await heightOf(guide(page))) < 50, "one line");
    assert.equal(await guide(page).getByRole("status").count(), 0);
    assert.deepEqual(await violations(page), []);
    await guide(page)
      .getByRole("link", { name: `Next: ${steps[6].title}` })
      .click();
    assert.equal(await current(page), "7");
    await page.reload();
    await settled(page);
    assert.ok((await heightOf(guide(page))) < 50, "it stays folded");
    await guide(page).getByRole("button", { name: "Expand guide" }).click();
    assert.equal(await guide(page).getByRole("status").count(), 1);
  }),
);

test(
  "the guide covers nothing at any size",
  withPage({}, async (page) => {
    await pretend(page);
    for (const [width, height] of [
      [1280, 800],
      [1920, 1080],
      [700, 600],
      [390, 844],
    ]) {
      await page.setViewportSize({ width, height });
      for (const { path } of [STEPS[2], STEPS[5]]) {
        await open(page, path);
        const [strip, main, bar] = await Promise.all([
          guide(page).boundingBox(),
          page.locator("main").boundingBox(),
          page.getByRole("region", { name: "Scope" }).boundingBox(),
        ]);
        assert.ok(
          strip.y >= bar.y + bar.height - 1 && strip.y + strip.height <= main.y + 1,
          `between the bar and the page at ${width}: ${JSON.stringify({ strip, main, bar })}`,
        );
        assert.ok(main.height > height * 0.3, `the page has space at ${width}: ${main.height}`);
        assert.ok(strip.x + strip.width <= width + 1);
      }
    }
  }),
);

test(
  "the last step offers commands to copy",
  withPage({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await pretend(page);
    await open(page, STEPS[2].path);
    await guide(page).getByRole("link", { name: "Your own program" }).click();
    await guide(page).getByRole("button", { name: "Copy: Record a command" }).click();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^sudo flarestack record/);
    assert.ok((await guide(page).innerText()).includes("OTEL_EXPORTER_OTLP_ENDPOINT="));
    assert.deepEqual(await violations(page), []);
  }),
);

test(
  "a hidden guide stays hidden, and can be shown again",
  withPage({}, async (page) => {
    await pretend(page);
    await open(page, STEPS[1].path);
    await guide(page).getByRole("button", { name: "Hide guide" }).click();
    assert.equal(await guide(page).count(), 0);
    await page.reload();
    await settled(page);
    assert.equal(await guide(page).count(), 0);
    await page.getByRole("button", { name: "Guide", exact: true }).click();
    assert.equal(await current(page), "2");
  }),
);

test(
  "the guide works without browser storage",
  withPage({}, async (page) => {
    await page.addInitScript(() =>
      Object.defineProperty(window, "localStorage", {
        get: () => {
          throw new DOMException("no", "SecurityError");
        },
      }),
    );
    await pretend(page);
    await open(page, STEPS[0].path);
    await guide(page).getByRole("link", { name: "Next: A slow request" }).click();
    assert.equal(await current(page), "2");
  }),
);

test(
  "all steps of the demo show data",
  withPage({}, async (page) => {
    const { url } = await theDemo();
    const { steps } = await (await fetch(`${url}/api/v1/guide`)).json();
    assert.ok(steps.length >= 6);
    for (const [i, step] of steps.entries()) {
      if (step.path === "") continue;
      await open(page, step.path);
      assert.equal(await current(page), String(i + 1), step.title);
      assert.equal(await page.getByText("No data", { exact: true }).count(), 0, step.title);
      assert.equal(await page.getByRole("alert").count(), 0, step.title);
      // The page shows every number and quote in the text of the step.
      for (const [claim] of step.text.matchAll(/[+-]?[\d.]+ (?:ms|%)|"[^"]+"/g)) {
        const wanted = claim.replaceAll('"', "");
        assert.ok((await page.locator("main").innerText()).includes(wanted), `${step.title}: ${wanted}`);
      }
    }
  }),
);
