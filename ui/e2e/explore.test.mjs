// SPDX-License-Identifier: Apache-2.0
//
// The explore page: selector completion, label browser, inverted tree, layout of the search.
import assert from "node:assert/strict";
import { violations } from "./accessibility.mjs";
import { drawnBoxes, open, query, settled, until, withPage } from "./browser.mjs";
import { sendFolded, serverFor } from "./program.mjs";
import { RANGE } from "./routes.mjs";
import { test } from "./testing.mjs";

const options = (page, wanted) =>
  until(
    page,
    (text) =>
      [...document.querySelectorAll("#selector-list [role=option] .mono")].map((row) => row.textContent).join() ===
      text,
    wanted,
  );

test(
  "the selector field completes keys, operators and values",
  withPage({}, async (page) => {
    await open(page, `/explore?${RANGE}`);
    const field = page.getByRole("combobox", { name: "Selector" });
    await field.click();
    await page.keyboard.type("service.ver");
    await options(page, "service.version");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await field.inputValue(), '{service.version=""}');
    await page.keyboard.type("1.4");
    await until(page, () => document.querySelectorAll("#selector-list [role=option]").length === 2);
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await field.inputValue(), '{service.version="1.4.1"}');
    await page.keyboard.press("Enter"); // no completion: the selector is complete
    await until(page, () => location.search.includes("1.4.1"));
    assert.equal((await query(page)).get("q"), '{service.version="1.4.1"}');
    await field.fill("{host.name ");
    await options(page, "=,!=,=~,!~");
    await page.keyboard.press("Escape");
    await options(page, "");
    await until(page, () => document.activeElement?.getAttribute("aria-label") === "Selector");
  }),
);

test(
  "the label browser lists keys and values, and a click selects a value",
  withPage({}, async (page) => {
    await open(page, `/explore?${RANGE}`);
    await page.getByRole("button", { name: "Labels" }).click();
    const dialog = page.getByRole("dialog", { name: "Labels" });
    await dialog.getByLabel("Find a label").fill("service.name");
    await dialog.getByRole("button", { name: "service.name", exact: false }).first().click();
    const value = dialog
      .getByRole("group", { name: "Values of service.name" })
      .getByRole("button", { name: /^checkout/ });
    await value.waitFor();
    assert.match(await value.innerText(), /%/);
    assert.deepEqual(await violations(page), []);
    await value.click();
    assert.equal((await query(page)).get("q"), '{service.name="checkout"}');
    await settled(page);
    await value.click();
    assert.equal((await query(page)).get("q"), null);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  }),
);

test(
  "the inverted tree lists leaf functions by self cost, with callers below",
  withPage({}, async (page, t) => {
    const server = await serverFor(t);
    sendFolded(server, "main;load;parse 5\nmain;render;parse 3\nmain;render 4\n");
    await page.goto(`${server.url}/explore?type=samples&view=tree`);
    await settled(page);
    await page.keyboard.press("i");
    await until(page, () => document.body.innerText.includes("Callers of leaf functions"));
    await settled(page);
    const rows = () =>
      page.locator(".tree-row[role=row]").evaluateAll((all) =>
        all.map((row) => {
          const [name, number] = [".mono", ".number"].map((part) => row.querySelector(part).textContent);
          return `${row.getAttribute("aria-level")} ${name} ${number}`;
        }),
      );
    assert.deepEqual(
      (await rows()).filter((row) => /^[123] /.test(row)),
      ["1 all 12", "2 parse 8", "3 load 5", "3 render 3", "2 render 4"],
    );
    assert.equal((await query(page)).get("invert"), "1");
    await page.keyboard.press("1");
    await until(page, () =>
      document
        .querySelector(".flame-scroller")
        ?.drawn()
        .some((box) => box.name === "load"),
    );
    const boxes = await drawnBoxes(page);
    assert.ok(boxes.some((box) => box.name === "parse"));
    assert.ok((await page.getByRole("button", { name: "Inverted" }).getAttribute("aria-pressed")) === "true");
    await page.keyboard.press("i");
    await until(page, () => !location.search.includes("invert"));
  }),
);

for (const width of [1280, 390]) {
  test(
    `the search field fits at ${width} pixels without overflow`,
    withPage({ viewport: { width, height: 800 } }, async (page) => {
      for (const path of ["/explore", "/logs", "/traces", "/charts"]) {
        await open(page, `${path}?${RANGE}`);
        assert.ok(
          (await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)) <= 0,
          `${path} is too wide`,
        );
        if (path !== "/explore") continue;
        const box = await page.getByRole("searchbox", { name: "Search" }).boundingBox();
        assert.ok(box.width >= 200, `${box.width}`);
      }
    }),
  );
}
