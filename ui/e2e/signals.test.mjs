// SPDX-License-Identifier: Apache-2.0
//
// Realistic data: metrics once a minute, more traces than fit on a page, logs without profiles.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { settled, until, withPage } from "./browser.mjs";
import { Program, sendFolded, sendOtlp, serverFor } from "./program.mjs";
import { test } from "./testing.mjs";

const says = (page, text) => until(page, (wanted) => document.body.innerText.includes(wanted), text);
const nanos = (ms) => `${Math.round(ms)}000000`;
const text = (key, value) => ({ key, value: { stringValue: value } });
const resource = (service) => ({ attributes: [text("service.name", service)] });

// A gauge of a service, with a point at each of these times.
const gauge = (service, name, unit, points) => ({
  resourceMetrics: [
    {
      resource: resource(service),
      scopeMetrics: [
        {
          metrics: [
            {
              name,
              unit,
              gauge: { dataPoints: points.map(([ms, value]) => ({ timeUnixNano: nanos(ms), asDouble: value })) },
            },
          ],
        },
      ],
    },
  ],
});

// The content of a metric chart: the pieces of each line, and isolated points.
const lines = (page, name) =>
  page.evaluate((wanted) => document.querySelector(`[role=group][aria-label="${wanted}"] .chart`).drawnLines(), name);

test(
  "a metric sent once a minute is one line over an hour and over fifteen minutes",
  withPage({}, async (page, t) => {
    const server = await serverFor(t);
    const now = Date.now();
    const minutes = Array.from({ length: 75 }, (_, i) => [now - (75 - i) * 60_000 + (i % 7) * 150, 40_000 + i]);
    await sendOtlp(server, "metrics", gauge("shop", "queue.length", "{request}", minutes));
    for (const range of ["now-1h", "now-15m"]) {
      await page.goto(`${server.url}/charts?from=${range}`);
      await settled(page);
      const [line] = await lines(page, "queue.length");
      assert.equal(line.label, "shop");
      assert.equal(line.pieces, 1, `${range}: ${JSON.stringify(line)}`);
      assert.ok(line.points >= 14, `${range}: ${line.points} points`);
    }
    await says(page, "gauge, request");
    assert.ok(!(await page.locator("main").innerText()).includes("{request}"));
    // The first pixel column is empty, so no label starts left of the chart.
    const isCut = await page.evaluate(() => {
      const canvas = document.querySelector(".chart canvas");
      return canvas
        .getContext("2d")
        .getImageData(0, 0, 1, canvas.height)
        .data.some((value) => value !== 0);
    });
    assert.ok(!isCut, "axis labels fit into the axis");
  }),
);

test(
  "a chart shows gaps of more than three intervals, and isolated points",
  withPage({}, async (page, t) => {
    const server = await serverFor(t);
    const now = Date.now();
    const at = (minutesAgo) => [now - minutesAgo * 60_000, 5];
    await sendOtlp(
      server,
      "metrics",
      gauge("shop", "heat", "1", [...[50, 49, 48, 46, 45].map(at), ...[20, 19, 18].map(at), at(5)]),
    );
    await page.goto(`${server.url}/charts`);
    await settled(page);
    const [line] = await lines(page, "heat");
    assert.equal(line.pieces, 2);
    assert.equal(line.lone, 1);
  }),
);

test(
  "the legend of a chart hides and shows lines",
  withPage({}, async (page, t) => {
    const server = await serverFor(t);
    const now = Date.now();
    const points = Array.from({ length: 30 }, (_, i) => [now - (30 - i) * 60_000, 5 + i]);
    for (const service of ["cart", "pay", "shop"])
      await sendOtlp(server, "metrics", gauge(service, "heat", "1", points));
    await page.goto(`${server.url}/charts`);
    await settled(page);
    const shown = async () =>
      (await lines(page, "heat"))
        .map((line) => line.label)
        .sort()
        .join();
    const name = (service) => page.locator(".legend").getByRole("button", { name: service });
    assert.equal(await shown(), "cart,pay,shop");
    await name("pay").click();
    assert.equal(await name("pay").getAttribute("aria-pressed"), "false");
    assert.equal(await shown(), "cart,shop");
    await name("pay").click();
    await name("shop").click({ modifiers: ["Shift"] });
    assert.equal(await shown(), "shop");
    await name("shop").dblclick();
    assert.equal(await shown(), "cart,pay,shop");
  }),
);

test(
  "the trace list shows the newest page first, then the others",
  withPage({}, async (page, t) => {
    const server = await serverFor(t);
    const now = Date.now();
    const spans = Array.from({ length: 450 }, (_, i) => ({
      traceId: (i + 1).toString(16).padStart(32, "0"),
      spanId: (i + 1).toString(16).padStart(16, "0"),
      name: `GET /${i}`,
      startTimeUnixNano: nanos(now - 60_000 + i * 10),
      endTimeUnixNano: nanos(now - 60_000 + i * 10 + 5),
    }));
    await sendOtlp(server, "traces", { resourceSpans: [{ resource: resource("shop"), scopeSpans: [{ spans }] }] });
    await page.goto(`${server.url}/traces`);
    await settled(page);
    await says(page, "Newest 200 traces");
    const rows = page.locator("table.list tbody tr");
    assert.equal(await rows.count(), 200);
    await page.getByRole("button", { name: "Show more" }).click();
    await until(page, () => document.querySelectorAll("table.list tbody tr").length > 390);
    await page.getByRole("button", { name: "Show more" }).click();
    await says(page, "450 traces");
    assert.equal(await rows.count(), 450);
    assert.equal(await page.getByRole("button", { name: "Show more" }).count(), 0);
    await page.getByLabel("Order").selectOption("duration");
    await says(page, "Slowest 200 traces");
    await page.getByRole("button", { name: "Show more" }).click();
    await says(page, "450 traces");
  }),
);

test(
  "a server with logs but no profiles reports the stored logs",
  withPage({}, async (page, t) => {
    const server = await serverFor(t);
    await sendOtlp(server, "logs", {
      resourceLogs: [
        {
          resource: resource("shop"),
          scopeLogs: [
            { logRecords: [{ timeUnixNano: nanos(Date.now()), severityNumber: 9, body: { stringValue: "hello" } }] },
          ],
        },
      ],
    });
    await page.goto(server.url);
    await settled(page);
    await says(page, "No profiles yet");
    await page.getByRole("link", { name: "View logs" }).click();
    await says(page, "hello");
  }),
);

test(
  "an unknown URL links back to the home page",
  withPage({ problemsAllowed: /404/ }, async (page, t) => {
    const server = await serverFor(t);
    const answer = await page.goto(`${server.url}/no/such/page`);
    assert.equal(answer.status(), 404);
    await says(page, "There is no page at /no/such/page");
    await page.getByRole("link", { name: "Go to the fleet" }).click();
    await says(page, "No data yet");
    assert.match(
      (await fetch(`${server.url}/api/v1/nothing`, { headers: { Accept: "text/html" } })).headers.get("content-type"),
      /json/,
    );
  }),
);

test(
  "samples without timestamps have no timeline and no heat map",
  withPage({}, async (page, t) => {
    const server = await serverFor(t);
    sendFolded(server, "main;work 5\nmain;rest 3\n");
    for (const view of ["chart", "heat"]) {
      await page.goto(`${server.url}/explore?type=samples&view=${view}`);
      await settled(page);
      await says(page, "These samples have no timestamps");
      assert.equal(await page.locator("canvas.heat-canvas, .lane").count(), 0);
    }
  }),
);

test(
  "an opened file sets the page title, and uses the default type of pprof",
  withPage({}, async (page, t) => {
    const folder = mkdtempSync(join(tmpdir(), "flarestack-open-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const heap = join(folder, "heap.prof");
    writeFileSync(heap, "heap profile: 1: 2048 [3: 9000] @ heap/524288\n1: 2048 [3: 9000] @ 0x1000 0x2000\n");
    const program = new Program(["open", "--no-open", heap], "");
    t.after(() => program.stop());
    const [, link] = await program.says(/open (http\S+) in a browser/);
    await page.goto(link);
    await settled(page);
    await until(page, () => document.title === "heap.prof · Flarestack");
    assert.equal(
      await page.getByLabel("Profile type").evaluate((select) => select.selectedOptions[0].text),
      "Bytes in use",
    );
    await until(page, () => /\d [KM]iB/.test(document.querySelector(".status-line").innerText));
  }),
);
