// SPDX-License-Identifier: Apache-2.0
//
// One browser and one server with the demo data for all tests of a run, and pages that record their problems.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launchChromium } from "../tools/chromium.mjs";
import { startDemo } from "./program.mjs";

export const SCREENSHOTS = fileURLToPath(new URL("../../build/screenshots/", import.meta.url));
const WAIT_MS = 60_000; // the machine may be busy

let browser = null;
let demo = null;
const pages = [];

export async function theDemo() {
  demo ??= startDemo();
  return demo;
}

// Restarts a crashed browser, so that a crash fails only one test.
async function theBrowser() {
  if (!((await browser)?.isConnected() ?? false)) browser = launchChromium();
  return browser;
}

export async function closeAll() {
  await (await browser)?.close();
  await (await demo)?.stop();
}

// Without the demo a server has no guide, and the browser logs the 404.
const isExpected = (text, where) => where.endsWith("/api/v1/guide") && text.includes("404");

// Takes the options of Playwright contexts, and `problemsAllowed`: expected console errors.
export async function newPage({ problemsAllowed = null, ...options } = {}) {
  const context = await (await theBrowser()).newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: "reduce",
    timezoneId: "UTC",
    locale: "en-GB",
    ...options,
  });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const problems = [];
  const note = (text, where = "") => {
    if (!isExpected(text, where) && !(problemsAllowed?.test(text) ?? false)) problems.push(`${text} ${where}`.trim());
  };
  page.on("console", (message) => message.type() === "error" && note(message.text(), message.location().url));
  page.on("pageerror", (error) => note(String(error)));
  await page.addInitScript(() => {
    window.violations = [];
    window.pendingRequests = 0;
    const original = window.fetch;
    window.fetch = (...parameters) => {
      ++window.pendingRequests;
      return original(...parameters).finally(() => --window.pendingRequests);
    };
    document.addEventListener("securitypolicyviolation", (event) =>
      window.violations.push(`${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  page.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (!["data:", "blob:", "file:"].includes(protocol) && hostname !== "127.0.0.1")
      note(`a request left the server: ${request.url()}`);
  });
  page.problems = problems;
  pages.push(page);
  return page;
}

// Asserts that the page had no errors, no violations of the content security policy, and no requests to other hosts.
export async function expectNoProblems(page) {
  assert.deepEqual(page.problems, []);
  assert.deepEqual(await page.evaluate(() => window.violations), []);
}

// Gives each test its own page, and closes it afterwards. A failure leaves a screenshot.
export function withPage(options, body) {
  return async (t) => {
    const page = await newPage(options);
    try {
      await body(page, t);
      await expectNoProblems(page);
    } catch (error) {
      mkdirSync(SCREENSHOTS, { recursive: true });
      await page
        .screenshot({ path: `${SCREENSHOTS}failed-${t.name.replace(/[^\w]+/g, "-").slice(0, 80)}.png` })
        .catch(() => undefined);
      error.message += `\nat ${page.url()}`;
      throw error;
    } finally {
      await page.context().close();
    }
  };
}

// Waits until all responses are drawn: no request is pending for several frames, because a response may trigger the next
// request.
export async function settled(page) {
  const isSettled = async () => {
    const isQuiet = () => {
      const main = document.querySelector("main");
      return (
        main !== null &&
        window.pendingRequests === 0 &&
        !main.textContent.includes("Loading …") &&
        document.querySelector(".progress-line, .is-loading") === null
      );
    };
    for (let i = 0; i < 4; ++i) {
      if (!isQuiet()) return false;
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
    }
    return true;
  };
  const end = Date.now() + WAIT_MS;
  while (!(await page.evaluate(isSettled))) {
    if (Date.now() > end) throw new Error(`the page is still loading: ${await page.locator("main").innerText()}`);
    await page.waitForTimeout(20);
  }
}

export async function open(page, path) {
  const { url } = await theDemo();
  await page.goto(url + path);
  await settled(page);
}

// The boxes that the flame graph has drawn: its draw list instead of pixels.
export const drawnBoxes = (page) => page.evaluate(() => document.querySelector(".flame-scroller").drawn());

export const address = (page) => page.evaluate(() => window.location.pathname + window.location.search);

export const query = async (page) => new URLSearchParams(await page.evaluate(() => window.location.search));

// Waits until the function returns true in the page.
export const until = (page, condition, argument) => page.waitForFunction(condition, argument);
