// SPDX-License-Identifier: Apache-2.0
//
// npm run journey -- URL: walks through the pages of a server that has the story of tools/story.mjs in it, as a person
// would: metric, trace, span, flame graph, function, log and back, partly by keys alone. Fails at the first step that does not
// show what it should, and when a page writes an error to the console, which is how broken rules of the content security
// policy show.
import assert from "node:assert/strict";
import { Browser } from "./browser.mjs";

const SERVER = process.argv[2] ?? "http://127.0.0.1:4040";
const CHECKOUT = `q=${encodeURIComponent('{service.name="checkout"}')}`;
const RANGE = "from=now-6h";

const browser = await Browser.launch();
const address = () => browser.evaluate("location.pathname + location.search");
const search = async () => new URLSearchParams(await browser.evaluate("location.search"));
const flame = `(() => { const box = document.querySelector(".flame-marks").getBoundingClientRect(); return [box.left, box.top, box.width]; })()`;

const STEPS = {
  "the fleet lists services and functions": async () => {
    await browser.open(`${SERVER}/?${RANGE}`);
    for (const text of ["checkout", "inventory", "payments", "storefront", "Template.fill"]) await browser.text(text);
  },
  "a service says what changed with its version": async () => {
    await browser.click('a[href*="/service/checkout"]');
    await browser.text("What changed from 1.4.1 to 1.4.2");
    await browser.text("std::regex_search");
    assert.ok((await search()).get("from") === "now-6h", "the range is kept");
  },
  "exploring keeps who and when": async () => {
    await browser.click("main a.button.primary");
    await browser.until(`location.pathname === "/explore"`);
    await browser.text("of all shown");
    assert.equal((await search()).get("q"), '{service.name="checkout"}');
  },
  "a click selects a box and the inspector shows it": async () => {
    const [left, top] = await browser.evaluate(flame);
    await browser.clickAt(left + 40, top + 5 * 20 + 8);
    await browser.until(`document.querySelector(".inspector .name")?.textContent.startsWith("shop::")`, "a selected function");
    await browser.text("a trace in which it was sampled");
  },
  "keys move, zoom and say where they are": async () => {
    await browser.key("ArrowDown");
    const active = await browser.evaluate(`document.getElementById(document.querySelector(".flame-scroller").getAttribute("aria-activedescendant"))?.textContent`);
    assert.match(active ?? "", /total.*self.*level/);
    await browser.key("Enter");
    await browser.until(`new URLSearchParams(location.search).get("z")?.length === 11`, "the zoom in the address");
    const zoomed = await address();
    await browser.open(SERVER + zoomed);
    await browser.until(`document.querySelector(".crumbs") !== null`, "the zoom after a reload");
    assert.equal(await address(), zoomed);
  },
  "a double click zooms too": async () => {
    await browser.key("0");
    await browser.until(`!location.search.includes("z=")`);
    const [left, top] = await browser.evaluate(flame);
    await browser.clickAt(left + 40, top + 4 * 20 + 8, 2);
    await browser.until(`location.search.includes("z=")`, "zoomed");
    await browser.key("0");
  },
  "a verb filters on the server, and can be taken back": async () => {
    await browser.evaluate(`document.activeElement.blur()`);
    await browser.key("k");
    await browser.until(`location.search.includes("f=only")`, "a filter in the address");
    await browser.text("only:^");
    await browser.key("u");
    await browser.until(`!location.search.includes("f=only")`);
  },
  "search marks and counts": async () => {
    await browser.key("/");
    for (const letter of "regex") await browser.key(letter);
    await browser.text("boxes,");
    await browser.until(`document.body.innerText.match(/\\d+ boxes, [\\d.]+ %/) !== null`);
    assert.equal((await search()).get("s"), "regex");
  },
  "every view of a profile shows something": async () => {
    const shows = { flame: "of all shown", sandwich: "Callers", table: "Share of total", tree: "Call tree", heat: "Drag over cells", lines: "Line of" };
    for (const [view, text] of Object.entries(shows)) {
      await browser.open(`${SERVER}/explore?${CHECKOUT}&${RANGE}&view=${view}&sel=${encodeURIComponent("shop::Coupon::matches")}`);
      await browser.text(text);
    }
  },
  "two versions are compared": async () => {
    await browser.open(`${SERVER}/diff?${CHECKOUT}&${RANGE}`);
    await browser.text("Version 1.4.1 with 1.4.2");
    await browser.click("button.choice");
    await browser.text("What explains 80 % of the change");
    await browser.until(`document.querySelector(".explain") !== null`, "an explanation");
    await browser.key("x");
    await browser.until(`document.querySelector(".side.before")?.textContent.includes("1.4.2")`, "swapped sides");
  },
  "an exemplar leads from the metric to the trace": async () => {
    await browser.open(`${SERVER}/charts?${RANGE}&metric=http.server.request.duration`);
    await browser.text("http.server.request.duration");
    await browser.text("a trace that an exemplar names");
    await browser.click('.link-list a[href*="/trace/"]');
    await browser.text("What its code did");
  },
  "a span shows its flame graph with its quality": async () => {
    await browser.until(`document.querySelectorAll(".span-row").length >= 3`, "spans");
    await browser.text("Where the time went");
    await browser.until(`document.querySelector(".small-flame canvas") !== null`, "the flame graph of the span");
    assert.ok(await browser.evaluate(`document.querySelectorAll(".chip.exact").length > 0`));
  },
  "the trace leads to its logs, and a log back to the trace": async () => {
    await browser.click('.link-list a[href*="/logs"]');
    await browser.until(`document.querySelector(".log-row") !== null`, "a log record");
    await browser.click(".log-row a.chip");
    await browser.until(`location.pathname.startsWith("/trace/")`);
  },
  "a function has its callers, lines and traces": async () => {
    await browser.open(`${SERVER}/fn/${encodeURIComponent("shop::Coupon::matches")}?${RANGE}`);
    for (const text of ["coupon.cc:88", "shop::Checkout::apply_coupons", "std::regex_search"]) await browser.text(text);
  },
  "an empty answer says why": async () => {
    await browser.open(`${SERVER}/explore?q=${encodeURIComponent('{service.name="crat"}')}`);
    await browser.text('nothing matches {service.name="crat"}');
  },
  "the other pages open": async () => {
    for (const [path, text] of Object.entries({ "/traces": "Durations", "/logs": "records", "/profiles": "As they were sent", "/open": "Drop a profile here", "/symbols": "has frames without names", "/health": "Received since the start" })) {
      await browser.open(`${SERVER}${path}?${RANGE}`);
      await browser.text(text);
    }
  },
  "help lists the keys": async () => {
    await browser.key("?");
    await browser.text("Only stacks with the selected function");
    await browser.key("Escape");
  },
};

let failed = "";
try {
  for (const [name, step] of Object.entries(STEPS)) {
    failed = name;
    await step();
    assert.deepEqual(browser.problems, [], "errors in the console");
    console.log(`ok   ${name}`);
  }
  failed = "";
} catch (error) {
  console.log(`FAIL ${failed}\n${error.message}`);
  await browser.screenshot("journey-failed.png").catch(() => undefined);
  process.exitCode = 1;
} finally {
  await browser.close();
}
