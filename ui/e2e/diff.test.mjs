// SPDX-License-Identifier: Apache-2.0
//
// A comparison: its headline, its two sides, and suggestions for an empty baseline.
import assert from "node:assert/strict";
import { open, query, settled, withPage } from "./browser.mjs";
import { RANGE } from "./routes.mjs";
import { test } from "./testing.mjs";

const version = (number) => encodeURIComponent(`{service.name="checkout",service.version="${number}"}`);
const BETWEEN = `/diff?${RANGE}&norm=rate&q=${version("1.4.2")}&b.q=${version("1.4.1")}`;

test(
  "a comparison shows the total change",
  withPage({}, async (page) => {
    await open(page, BETWEEN);
    const headline = await page.getByLabel("Total change").innerText();
    assert.match(headline, /^\+\d+(\.\d+)? %/, headline);
    assert.match(headline, /cores → .* cores/);
    assert.match(headline, /p [<=] 0\.\d+/);
  }),
);

test(
  "each side can be changed independently",
  withPage({}, async (page) => {
    await open(page, BETWEEN);
    await page.locator(".side.after").getByRole("button", { name: "Edit" }).click();
    const form = page.getByRole("form", { name: "Edit the after side" });
    await form.getByLabel("From").fill("now-10m");
    await form.getByRole("button", { name: "Apply" }).click();
    await settled(page);
    const requested = await query(page);
    assert.equal(requested.get("from"), "now-10m");
    assert.equal(requested.get("b.from"), "now-2h");
    await page.locator(".side.before").getByRole("button", { name: "Edit" }).click();
    await page.getByRole("form", { name: "Edit the before side" }).getByLabel("Version").selectOption("1.4.2");
    await page.getByRole("form", { name: "Edit the before side" }).getByRole("button", { name: "Apply" }).click();
    await settled(page);
    assert.match((await query(page)).get("b.q"), /service\.version="1\.4\.2"/);
  }),
);

test(
  "an empty baseline offers alternatives",
  withPage({ problemsAllowed: /404/ }, async (page) => {
    await open(page, `/diff?${RANGE}&q=${version("1.4.2")}&b.q=${version("0.0.1")}`);
    await page.getByText("the baseline is empty").waitFor();
    await page.getByRole("button", { name: "Previous period" }).click();
    assert.ok((await query(page)).has("b.from"));
  }),
);
