// SPDX-License-Identifier: Apache-2.0
//
// The URL is the state: reloading a view, or opening it elsewhere, shows the same.
import assert from "node:assert/strict";
import { address, drawnBoxes, newPage, open, query, settled, theDemo, until, withPage } from "./browser.mjs";
import { CHECKOUT, RANGE, SLOW_FUNCTION } from "./routes.mjs";
import { test } from "./testing.mjs";

const shown = (page) =>
  page.evaluate(() =>
    document
      .querySelector("main")
      .innerText.replace(/\d+ ms\b/g, "")
      .replace(/\d+ (seconds?|minutes?) ago/g, ""),
  );

test(
  "the root of a flame graph stays visible when the graph shrinks",
  withPage({}, async (page) => {
    await open(page, `/explore?${CHECKOUT}&${RANGE}&view=flame`);
    const hasRoot = async () => (await drawnBoxes(page)).some((box) => box.name === "all");
    assert.ok(await hasRoot());
    await page.setViewportSize({ width: 1280, height: 620 });
    await settled(page);
    assert.ok(await hasRoot());
  }),
);

test(
  "a view survives a reload",
  withPage({}, async (page) => {
    const past = `from=${Date.now() - 3_600_000}&to=${Date.now() - 300_000}`; // the demo keeps adding data
    const filter = `f=${encodeURIComponent("hide:^std::__detail")}&sel=${encodeURIComponent(SLOW_FUNCTION)}`;
    await open(page, `/explore?${CHECKOUT}&${past}&s=regex&${filter}&color=module&view=flame`);
    const before = {
      address: await address(page),
      boxes: await drawnBoxes(page),
      filters: await page.locator(".chip").allInnerTexts(),
    };
    assert.ok(
      before.boxes.some((box) => box.name?.includes("regex") && !box.isDim) && before.boxes.some((box) => box.isDim),
      "matches are highlighted",
    );
    await page.reload();
    await settled(page);
    assert.equal(await address(page), before.address);
    assert.deepEqual(await page.locator(".chip").allInnerTexts(), before.filters);
    assert.deepEqual(
      (await drawnBoxes(page)).map((box) => box.name),
      before.boxes.map((box) => box.name),
    );
  }),
);

test(
  "a copied link shows the same numbers in another browser",
  withPage({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    // A range in the past: the demo keeps adding data, and the latest may still arrive.
    await open(page, `/explore?${CHECKOUT}&from=now-30m&to=now-5m&view=table`);
    await page.keyboard.press("y");
    await page.getByText("Link copied").waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const frozen = new URL(link).searchParams;
    assert.match(frozen.get("from"), /^\d+$/);
    assert.match(frozen.get("to"), /^\d+$/);
    const [other, again] = [await newPage(), await newPage()];
    for (const one of [other, again]) {
      await one.goto(link);
      await settled(one);
    }
    // The function with the highest self cost, in the first row.
    assert.ok((await shown(other)).includes("_M_dfs"));
    assert.equal(await shown(again), await shown(other));
    for (const one of [other, again]) await one.context().close();
  }),
);

test(
  "a short link opens the same view",
  withPage({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await open(page, `/explore?${CHECKOUT}&${RANGE}&view=table`);
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByRole("menuitem", { name: "Copy short link" }).click();
    await page.getByText("Short link copied").waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(new URL(link).pathname, /^\/s\/[\w-]+$/);
    await page.goto(link);
    await settled(page);
    assert.equal((await query(page)).get("view"), "table");
  }),
);

test(
  "Back undoes zoom and filters",
  withPage({}, async (page) => {
    await open(page, `/explore?${CHECKOUT}&${RANGE}&sel=${encodeURIComponent(SLOW_FUNCTION)}`);
    const start = await address(page);
    await page.keyboard.press("k");
    await until(page, () => new URLSearchParams(location.search).getAll("f").some((step) => step.startsWith("only:")));
    await page.goBack();
    await until(page, (wanted) => location.pathname + location.search === wanted, start);
  }),
);

test(
  "a link of a newer version works as far as possible, with a notice",
  withPage({}, async (page) => {
    await open(page, `/explore?v=2&${CHECKOUT}&${RANGE}&hologram=1`);
    await page.getByText("This link was created by a newer Flarestack").waitFor();
    assert.equal((await query(page)).get("hologram"), "1");
  }),
);

test(
  "the UI works under the path of a proxy",
  withPage({}, async (page) => {
    const { url } = await theDemo();
    const proxy = await startProxy(url, "/flare");
    try {
      await page.goto(`${proxy.url}/flare/explore?${CHECKOUT}&${RANGE}`);
      await settled(page);
      await page.getByText("of the total").waitFor();
      await page.getByRole("link", { name: "Traces", exact: true }).click();
      await until(page, () => location.pathname === "/flare/traces");
      await settled(page);
      await page.getByText("Durations").waitFor();
    } finally {
      proxy.close();
    }
  }),
);

// Strips the prefix and sets X-Forwarded-Prefix, like the nginx configuration in docs/reference/ui.md.
async function startProxy(target, prefix) {
  const { createServer, request } = await import("node:http");
  const server = createServer((from, to) => {
    if (!from.url.startsWith(prefix)) return void to.writeHead(404).end();
    const requested = request(
      target + from.url.slice(prefix.length),
      { method: from.method, headers: { ...from.headers, "x-forwarded-prefix": prefix } },
      (answer) => {
        to.writeHead(answer.statusCode, answer.headers);
        answer.pipe(to);
      },
    );
    requested.on("error", () => to.destroy());
    from.pipe(requested);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
