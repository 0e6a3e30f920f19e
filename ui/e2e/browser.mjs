// SPDX-License-Identifier: Apache-2.0
//
// One browser and one server with the story for all tests of a run, and pages that remember what went wrong in them.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launchChromium } from "../tools/chromium.mjs";
import { startDemo } from "./program.mjs";

export const SCREENSHOTS = fileURLToPath(new URL("../../build/screenshots/", import.meta.url));
const WAIT_MS = 60_000; // a machine may be busy with other things

let browser = null;
let demo = null;
const pages = [];

export async function theDemo() {
  demo ??= startDemo();
  return demo;
}

// One that has crashed fails the test that it was used by, and no other.
async function theBrowser() {
  if (!((await browser)?.isConnected() ?? false)) browser = launchChromium();
  return browser;
}

export async function closeAll() {
  await (await browser)?.close();
  await (await demo)?.stop();
}

// A server without the demonstration has no guide: the browser writes into the console that it was not found.
const isExpected = (text, where) => where.endsWith("/api/v1/guide") && text.includes("404");

// Options of Playwright's contexts, and `problemsAllowed`: what a test of failures expects in the console.
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
    window.questions = 0; // that are not answered yet
    const ask = window.fetch;
    window.fetch = (...question) => {
      ++window.questions;
      return ask(...question).finally(() => --window.questions);
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

// The page did nothing that it should not have: no error, no broken rule of the content security policy, no request to
// somebody else.
export async function expectNoProblems(page) {
  assert.deepEqual(page.problems, []);
  assert.deepEqual(await page.evaluate(() => window.violations), []);
}

// Each test has a page of its own, which is closed behind it. On failure there is a picture of it.
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

// Answers are there and drawn: nothing is asked or waited for, and that for some frames, since one answer leads to the
// next question.
export async function settled(page) {
  const isSettled = async () => {
    const isQuiet = () => {
      const main = document.querySelector("main");
      return (
        main !== null &&
        window.questions === 0 &&
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
    if (Date.now() > end)
      throw new Error(`the page still waits for answers: ${await page.locator("main").innerText()}`);
    await page.waitForTimeout(20);
  }
}

export async function open(page, path) {
  const { url } = await theDemo();
  await page.goto(url + path);
  await settled(page);
}

// What the flame graph has drawn: the draw list instead of pixels.
export const drawnBoxes = (page) => page.evaluate(() => document.querySelector(".flame-scroller").drawn());

export const address = (page) => page.evaluate(() => window.location.pathname + window.location.search);

export const query = async (page) => new URLSearchParams(await page.evaluate(() => window.location.search));

// Until the function is true in the page.
export const until = (page, condition, argument) => page.waitForFunction(condition, argument);
