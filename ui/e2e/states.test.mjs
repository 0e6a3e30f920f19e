// SPDX-License-Identifier: Apache-2.0
//
// Empty and error states: each explains why there is no data.
import assert from "node:assert/strict";
import { violations } from "./accessibility.mjs";
import { open, query, settled, until, withPage } from "./browser.mjs";
import { sendFolded, serverFor } from "./program.mjs";
import { CHECKOUT, RANGE } from "./routes.mjs";
import { test } from "./testing.mjs";

const says = (page, text) => until(page, (wanted) => document.body.innerText.includes(wanted), text);

test(
  "an empty server shows the first steps, and notices new data",
  withPage({}, async (page, t) => {
    const server = await serverFor(t);
    await page.goto(server.url);
    await settled(page);
    await says(page, "No data yet");
    await says(page, "0 requests, last error: none");
    const port = new URL(server.otlp).port;
    for (const [tab, command] of [
      ["Record a program", "flarestack record"],
      ["Send OTLP", `OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${port}`],
      ["Try the demo", "flarestack demo"],
    ]) {
      await page.getByRole("tab", { name: tab }).click();
      await says(page, command);
      assert.ok((await page.getByRole("button", { name: /^Copy/ }).count()) > 0);
      assert.deepEqual(await violations(page), []);
    }
    sendFolded(server, "main;work 5\n");
    await says(page, "Top functions, all services"); // automatically
  }),
);

test(
  "a scope without data shows the excluding matcher, and offers to remove it",
  withPage({}, async (page) => {
    await open(page, `/explore?${RANGE}&q=${encodeURIComponent('{service.name="crat"}')}`);
    await says(page, 'no data matches {service.name="crat"}');
    await page.getByRole("button", { name: "Show without", exact: false }).click();
    await says(page, "of the total");
  }),
);

test(
  "a time range without data links to the nearest data",
  withPage({}, async (page) => {
    await open(page, "/explore?from=2020-01-01T00:00:00Z&to=2020-01-01T01:00:00Z");
    await page.getByRole("button", { name: "Go to", exact: false }).click();
    await says(page, "of the total");
  }),
);

test(
  "a missing profile type offers the available ones",
  withPage({}, async (page) => {
    await open(page, `/explore?${CHECKOUT}&${RANGE}&type=lock_delay`);
    await page.getByRole("button", { name: /^Show cpu/ }).click();
    await says(page, "of the total");
    assert.match((await query(page)).get("type"), /^cpu/);
  }),
);

test(
  "a filter that removes all samples can be undone",
  withPage({}, async (page) => {
    const filters = ["hide:^main$", "only:nothing_has_this_name"].map((step) => `f=${encodeURIComponent(step)}`);
    await open(page, `/explore?${CHECKOUT}&${RANGE}&${filters.join("&")}`);
    await page.getByRole("button", { name: "Show without only:nothing_has_this_name" }).click();
    await says(page, "of the total");
    assert.deepEqual((await query(page)).getAll("f"), ["hide:^main$"]);
  }),
);

test(
  "a failed request does not break other panels",
  withPage({ problemsAllowed: /500/ }, async (page) => {
    await page.route("**/api/v1/top?**", (route) =>
      route.fulfill({
        status: 500,
        contentType: "application/json",
        body: JSON.stringify({ code: "internal", message: "the store coughed", hint: "ask again", request_id: "r-17" }),
      }),
    );
    await open(page, `/?${RANGE}`);
    for (const text of ["the store coughed", "ask again", "request r-17", "checkout", "cores used"])
      await says(page, text);
    await page.unroute("**/api/v1/top?**");
    await page.getByRole("button", { name: "Try again" }).click();
    await says(page, "Template.fill");
  }),
);

test(
  "a partial response is marked",
  withPage({}, async (page) => {
    await page.route("**/api/v1/top?**", async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      await route.fulfill({
        response,
        json: { ...answer, meta: { ...answer.meta, partial: true, missing: "3 of 40 parts" } },
      });
    });
    await open(page, `/?${RANGE}`);
    await says(page, "values are lower bounds: 3 of 40 parts");
  }),
);

test(
  "an unreachable server keeps the last data, and is reconnected",
  withPage({ problemsAllowed: /net::ERR_|Failed to fetch/ }, async (page, t) => {
    const first = await serverFor(t);
    sendFolded(first, "main;work 5\nmain;rest 3\n");
    await page.goto(`${first.url}/explore?type=samples`);
    await settled(page);
    await says(page, "of the total");
    await first.stop("SIGKILL");
    await page.keyboard.press("R");
    await says(page, "The server cannot be reached");
    await says(page, "of the total");
    const { host } = new URL(first.url);
    const second = await serverFor(t, ["--http", host]);
    sendFolded(second, "main;other 9\n");
    await until(page, () => !document.body.innerText.includes("cannot be reached"));
  }),
);
